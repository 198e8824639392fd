"""Programs that answer questions about a text."""

from __future__ import annotations

import pytest

from nullbench_site.programs import reply

SOURCE = (
    "Eleven crews came at dawn. Residents of Canal Street shut their windows, and 38 workers are safe. "
    "A steward, Ivo Castell, did not comment on 12 June."
)
STREET = "In which street were windows shut?"
OPTIONS = f"{STREET}\nA) Mill Lane\nB) Canal Street\nC) Harbour Street\nD) Tannery Row"
PARAMS: dict[str, dict[str, object]] = {"majority": {"choice": "C", "open": "30"}, "random-answer": {"seed": 7}}


@pytest.mark.parametrize(
    ("program", "prompt", "said"),
    [
        ("nearest-sentence", "How many workers are safe?", "38"),
        ("nearest-sentence", "How many crews came?", "11"),
        ("nearest-sentence", "Who is the steward?", "Ivo Castell"),
        ("nearest-sentence", STREET, "Canal Street"),
        ("nearest-sentence", OPTIONS, "B"),
        ("nearest-sentence", "Did the steward comment?", "no"),
        ("nearest-sentence", "Did crews come at dawn?", "yes"),
        ("nearest-sentence", "Was it dawn or dusk?", "Eleven crews came at dawn."),
        ("first-option", OPTIONS, "Answer: A"),
        ("first-option", "How many workers are safe?", "Answer: 38"),
        ("first-option", "Who is the steward?", "Answer: Canal Street"),
        ("first-option", "Did the steward comment?", "Answer: yes"),
        ("majority", OPTIONS, "C"),
        ("majority", STREET, "30"),
    ],
)
def test_each_answers_by_its_rule(program: str, prompt: str, said: str) -> None:
    assert reply(program, PARAMS.get(program, {}), {"prompt": prompt, "source": SOURCE}) == said


def test_a_program_for_bare_prompts_also_answers_questions_about_a_text() -> None:
    fields = {"prompt": STREET, "source": SOURCE}
    assert reply("null-empty", {}, fields) == ""
    assert sorted(reply("random-words", {"k": 6, "seed": 1}, fields).split()) == sorted(STREET.split())


def test_a_random_answer_is_drawn_from_the_options_or_from_the_text_by_seed_and_prompt() -> None:
    def drawn(prompt: str) -> set[str]:
        return {reply("random-answer", {"seed": n}, {"prompt": prompt, "source": SOURCE}) for n in range(40)}

    assert drawn(OPTIONS) == {*"ABCD"}
    assert drawn("How many?") == {"38", "12", "11"}
    assert drawn("Did it rain?") == {"yes", "no"}
    asked = [f"Who is number {n}?\nA) x\nB) y\nC) z" for n in range(20)]
    assert len({reply("random-answer", {"seed": 7}, {"prompt": prompt}) for prompt in asked}) > 1


@pytest.mark.parametrize(
    ("program", "said"),
    [("nearest-sentence", "There are 12 eggs."), ("first-option", "Answer: 12"), ("random-answer", "A")],
)
def test_without_a_source_the_prompt_is_the_text_and_its_own_numbers_are_no_answer(program: str, said: str) -> None:
    prompt = "There are 12 eggs. How many eggs are there?"
    assert reply(program, PARAMS.get(program, {}), {"prompt": prompt}) == said
