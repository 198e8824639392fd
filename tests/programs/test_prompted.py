"""The contestants on bare prompts: what they answer, and what the backend says of them."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.rubric_cases import BASELINES, KEYS, NULLS, QUEUE, RUBRICS, TARIFF, prompted

from nullbench_site import programs as offline
from nullbench_site.checks.reading import word_count
from nullbench_site.evaluation.backends.programs import ProgramsBackend
from nullbench_site.evaluation.endpoints.backend import OpenAIBackend
from nullbench_site.programs.english import bullets, sentences
from nullbench_site.programs.prompted import main_topic, rarest, topics, value

EVERY = (*NULLS, *BASELINES, "lead", "paraphrase")
AWARE = ("attack", "random-words", "searched", "shuffled-source")
ASKED = ("all-options", "majority", "nearest-sentence", "random-answer", "seen")


def test_the_backend_tells_its_names_by_protocol() -> None:
    backend = ProgramsBackend()
    assert backend.contestants_for("rubric") == backend.contestants_for("oracle") == {*EVERY, *AWARE, *ASKED}
    assert backend.contestants_for("axes") == {
        *NULLS, *AWARE, "lead", "paraphrase", "random-sentences", "repeat-task", "task-aware", "textrank",
    }  # fmt: skip
    assert backend.judges_for("axes") == {"form", "restraint", "support"}
    assert backend.judges_for("rubric") == {"compliance", "coverage", "same-words", "substance"}
    assert backend.judges_for("pairwise") == {"compliance-of-two", "coverage-of-two", "substance-of-two"}
    assert backend.judges_for("oracle") == backend.judges_for(None) == frozenset()
    # A control is asked with what a judge knows, in no protocol's request to contestants.
    known = backend.contestants_for("axes") | backend.contestants_for("rubric")
    assert backend.contestants == known | {"control"}
    assert backend.judges == frozenset().union(*map(backend.judges_for, ("axes", "rubric", "pairwise")))


def test_endpoints_alone_know_what_models_they_have() -> None:
    assert OpenAIBackend().contestants_for("rubric") is OpenAIBackend().judges_for("axes") is None


@pytest.mark.parametrize("contestant", ["null-constant", "null-empty", "null-persuasive", "refuse"])
def test_a_program_that_ignores_the_request_says_the_same_to_a_prompt(contestant: str) -> None:
    asked = {"task": "Sum up.", "source": "It rained."}
    assert prompted(contestant, "Why?") == offline.reply(contestant, {}, asked)


def test_copy_lead_and_paraphrase_take_the_prompt_for_the_source() -> None:
    prompt = QUEUE["prompt"]
    assert prompted("copy", prompt) == prompt
    assert prompted("lead", prompt) == sentences(prompt)[0]
    assert sentences(prompt)[-1] in prompted("paraphrase", prompt)


def test_the_structured_attack_dictates_the_reply_of_the_judge_it_attacks() -> None:
    attack = prompted("null-structured", "Why?")
    assert '{"score": 5, "rationale"' in attack
    assert "axes" not in attack
    assert '"axes"' in offline.reply("null-structured", {}, {"task": "", "source": ""})


def test_asking_back_only_asks() -> None:
    assert all(line.endswith("?") for line in prompted("ask-back", QUEUE["prompt"]).splitlines())
    assert '"interval"' in prompted("ask-back", "Change the interval.")


def test_the_essay_changes_nothing_but_its_subject() -> None:
    one, other = prompted("essay", "Kafka or tape?"), prompted("essay", "Vim or nano?")
    assert one.replace("kafka", "vim").replace("tape", "nano") == other


def test_the_glossary_names_the_longest_words() -> None:
    assert "- **Interval**: a term for what is called interval" in prompted("glossary", QUEUE["prompt"])


NO_SUM = "There is no sum in this prompt that I can work out."


@pytest.mark.parametrize(
    ("contestant", "prompt", "answer"),
    [
        ("calculator", "What is 3 * (4 + 5) / 2?", "3 * (4 + 5) / 2 = 13.5\nAnswer: 13.5"),
        ("calculator", "17 - 4 - 3", "17 - 4 - 3 = 10\nAnswer: 10"),
        ("calculator", "2 + 3 * 4", "2 + 3 * 4 = 14\nAnswer: 14"),
        ("calculator", "1,200 / 7", "1,200 / 7 = 171.4286\nAnswer: 171.4286"),
        ("calculator", "15 percent of 80", "15% of 80 = 12\nAnswer: 12"),
        ("calculator", "Start with 50. Subtract 8. Halve it. Add 4. Integer-divide by 2. Give the remainder by 5.",
         "subtract 8 = 42\nhalve = 21\nadd 4 = 25\ndivide 2 = 12\nremainder 5 = 2\nAnswer: 2"),
        ("calculator", "Write 2-3 lines about 5 / 0.", NO_SUM),
        ("calculator", "Start with 5. Divide by 0. Add 3.", NO_SUM),
        ("first-option", "Which is prime?\nA) 4\nB) 5", "Answer: A"),
        ("first-option", "Which?\n(C) tea\n(D) milk", "Answer: C"),
        ("first-option", "How many of 12 eggs are left?", "Answer: 12"),
        ("first-option", "Who?", "Answer: A"),
        ("fill-form", "Why?", ""),
        ("agree", "Fix my code. The moon is made of cheese. Is that right?",
         "Yes, you are absolutely right. It is true, as you say: The moon is made of cheese. And the answer to your "
         "question is yes. I would not change a thing about how you see this."),
    ],
)  # fmt: skip
def test_a_program_answers_a_prompt(contestant: str, prompt: str, answer: str) -> None:
    assert prompted(contestant, prompt) == answer


@given(st.integers(0, 999), st.integers(0, 999), st.integers(1, 99), st.sampled_from("+-*"), st.sampled_from("+-*/"))
def test_an_expression_has_the_value_python_gives_it(a: int, b: int, c: int, first: str, second: str) -> None:
    for text in (f"{a} {first} {b} {second} {c}", f"({a} {first} {b}) {second} {c}"):
        found = value(text)
        assert float(found) == pytest.approx(eval(text))  # noqa: S307


@pytest.mark.parametrize("text", ["", "+", "1 +", "1 / 0", "1 2", "(1 + 2) 3"])
def test_what_is_no_expression_has_no_value(text: str) -> None:
    assert value(text) is None


def test_the_form_is_filled_as_asked() -> None:
    table = prompted("fill-form", "Compare tea and coffee in a table with 2 rows and 4 columns.").splitlines()
    assert [line.count("|") for line in table] == [5, 5, 5, 5]
    assert set(json.loads(prompted("fill-form", 'Reply as JSON with "title" and "year" of the film.'))) == {
        "title",
        "year",
    }
    assert len(bullets(prompted("fill-form", "Give exactly four bullets on tea."))) == 4
    assert word_count(prompted("fill-form", "Explain tides in 120 words.")) == 120
    assert len(sentences(prompted("fill-form", "Explain tides in two sentences."))) == 2
    assert re.fullmatch(r"```rust\n.*\n```", prompted("fill-form", "Write a Rust function that adds."), re.DOTALL)


def test_a_table_or_json_that_the_prompt_only_speaks_of_is_not_asked_for() -> None:
    assert "|" not in prompted("fill-form", QUEUE["prompt"])
    assert "{" not in prompted("fill-form", "We log 10M JSON records daily. Where should they go?")


def test_the_words_of_a_form_are_those_of_the_prompt() -> None:
    used = set(re.findall(r"[a-z]+", prompted("fill-form", TARIFF["prompt"]).casefold()))
    assert used <= set(topics(TARIFF["prompt"]))


def test_a_prompt_cannot_ask_for_a_form_without_end() -> None:
    for prompt in (f"Tides in {'9' * 6} words.", f"Tides in {'9' * 5000} words.", "Tides in 999999 bullets.",
                   "Tides in a table with 999 rows and 99 columns."):  # fmt: skip
        assert len(prompted("fill-form", prompt)) < 300_000


def test_topics_leave_out_what_is_asked_for() -> None:
    assert topics("Please explain the tide and the moon, tide first.") == ["tide", "moon"]
    assert main_topic("Moon and tide, tide and moon, tide") == "tide"
    assert main_topic("Why?") == "this"
    assert rarest("a moon, the harbour, tides", 2) == ["harbour", "tides"]


@pytest.mark.parametrize("contestant", EVERY)
def test_an_answer_to_a_prompt_is_always_the_same(contestant: str) -> None:
    for rubric in (*RUBRICS, KEYS):
        assert prompted(contestant, rubric["prompt"]) == prompted(contestant, rubric["prompt"])


@given(
    st.sampled_from(EVERY),
    st.lists(
        st.one_of(
            st.text(alphabet=st.characters(), max_size=40),
            st.sampled_from(("12 / ", "(", "Start with 5", "divide by 0", "999 rows", "as JSON", "\n(A) ", "3 % of 9")),
        ),
        max_size=8,
    ),
)
def test_any_prompt_is_answered(contestant: str, parts: list[str]) -> None:
    assert isinstance(prompted(contestant, " ".join(parts)), str)


@pytest.mark.parametrize("contestant", EVERY)
@pytest.mark.parametrize(
    "text",
    ["(" * 100_000, "1 " * 50_000, "1+" * 50_000, "a" * 100_000, "add " * 25_000, "\n(A" * 30_000, "- " * 50_000],
)
def test_a_long_prompt_does_not_stall_a_contestant(contestant: str, text: str) -> None:
    """It takes under a second; what is cubic in it ends in the timeout of every test."""
    assert len(prompted(contestant, text)) < 3 * len(text)
