"""The contestants: what they answer, and that they answer it always."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.cases import AUDIT, CONTESTANTS, ITEMS, NULLS, PARAMS, SOFTWARE, TRIAL, TRIAL_SENTENCES, Item, answer

from nullbench_site import programs as offline
from nullbench_site.checks.reading import word_count
from nullbench_site.programs.baselines import TaskLimits, centrality, read_limits, similarity
from nullbench_site.programs.english import bullets, sentences


def test_simple_baselines_give_back_what_they_were_given() -> None:
    assert answer("lead", TRIAL) == " ".join(TRIAL_SENTENCES[:2])
    assert answer("copy", AUDIT) == AUDIT["source"]
    assert answer("repeat-task", AUDIT) == AUDIT["task"]


def test_more_sentences_than_there_are_is_all_of_them() -> None:
    for contestant in ("lead", "textrank"):
        assert offline.reply(contestant, {"k": 99}, {"task": "", "source": TRIAL["source"]}) == TRIAL["source"]


def test_textrank_takes_the_sentences_most_like_the_others() -> None:
    source = "Bees pollinate apple trees. It rained. Apple trees need bees. Bees like apple blossom on trees."
    chosen = offline.reply("textrank", {"k": 2}, {"task": "", "source": source})
    assert "It rained." not in chosen
    assert sentences(chosen) == [line for line in sentences(source) if line in sentences(chosen)]


def test_sentences_without_a_word_in_common_are_equally_central() -> None:
    assert centrality(["Red apples.", "Green pears.", "Blue plums."]) == pytest.approx([1 / 3] * 3, abs=1e-9)
    assert centrality([]) == []


def test_similarity_is_a_cosine() -> None:
    """Two equal sentences and one apart; the third has no content words and is like nothing, itself included."""
    assert similarity(["Red apples.", "Red apples.", "It is."]).round(6).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_random_sentences_depend_on_seed_and_source_only() -> None:
    def draw(seed: int) -> str:
        asked = {"task": str(seed), "source": TRIAL["source"]}
        return offline.reply("random-sentences", {"k": 2, "seed": seed}, asked)

    assert draw(1) == draw(1)
    assert len({draw(seed) for seed in range(20)}) > 4
    assert all(len(sentences(draw(seed))) == 2 for seed in range(20))


@given(st.text(), st.integers(), st.integers(1, 20))
def test_random_words_are_so_many_of_the_source_and_the_shuffled_source_is_all_of_them(
    source: str, seed: int, k: int
) -> None:
    asked = {"task": "Summarise it.", "source": source}
    shuffled = offline.reply("shuffled-source", {"seed": seed}, asked).split()
    assert Counter(shuffled) == Counter(source.split())
    assert offline.reply("random-words", {"k": k, "seed": seed}, asked).split() == shuffled[:k]
    assert offline.reply("shuffled-source", {"seed": seed}, {"prompt": source}).split() == shuffled


def test_the_order_of_words_depends_on_seed_and_source_only() -> None:
    def shuffled(seed: int, task: str) -> str:
        return offline.reply("shuffled-source", {"seed": seed}, {"task": task, "source": TRIAL["source"]})

    assert shuffled(1, "a") == shuffled(1, "b") != TRIAL["source"]
    assert len({shuffled(seed, "a") for seed in range(20)}) == 20


def test_the_paraphrase_is_longer_than_what_it_says() -> None:
    assert word_count(answer("paraphrase", TRIAL)) > 1.5 * 45


@pytest.mark.parametrize("contestant", [*NULLS, "refuse"])
def test_null_models_and_the_refuser_ignore_the_request(contestant: str) -> None:
    assert len({answer(contestant, item) for item in ITEMS}) == 1


def test_the_empty_null_is_empty_and_the_others_differ() -> None:
    assert answer("null-empty", TRIAL) == ""
    assert len({answer(null, TRIAL) for null in NULLS}) == len(NULLS)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Summarise it in at most two sentences and 60 words.", TaskLimits(2, 60, None, ())),
        ("Write three to four sentences, 105 words at most.", TaskLimits(4, 105, None, ())),
        ("Give exactly three bullets. Use at most 100 words.", TaskLimits(None, 100, 3, ())),
        (
            "One headline-style sentence and one sentence of caveat: exactly two sentences.",
            TaskLimits(2, None, None, ()),
        ),
        ("Write at least 40 words and no more than 90 words.", TaskLimits(None, 90, None, ())),
        (
            'Explain it. Do not use the words "stolen" or "Scandal".',
            TaskLimits(None, None, None, ("stolen", "scandal")),
        ),
        ('What does "link" mean here?', TaskLimits(None, None, None, ())),
    ],
)
def test_limits_are_read_from_the_words_of_the_task(task: str, expected: TaskLimits) -> None:
    assert read_limits(task) == expected


@pytest.mark.parametrize("item", ITEMS)
def test_the_task_aware_baseline_fits_the_limits(item: Item) -> None:
    text = answer("task-aware", item)
    limits = item["constraints"]
    assert text
    assert word_count(text) <= limits.get("max_words", 999)
    assert len(sentences(text)) <= limits.get("max_sentences", 999)
    assert len(bullets(text)) == limits.get("bullets", 0)


def test_the_task_aware_baseline_avoids_forbidden_words_and_keeps_the_qualified_finding() -> None:
    assert "flawless" not in answer("task-aware", SOFTWARE)
    assert "may reflect chance" in answer("task-aware", TRIAL)


def test_the_task_aware_baseline_answers_briefly_where_nothing_fits() -> None:
    asked = {"task": "In at most 3 words.", "source": TRIAL["source"]}
    assert offline.reply("task-aware", {}, asked) == TRIAL_SENTENCES[4]


def test_the_task_aware_baseline_gives_fewer_bullets_rather_than_too_many_words() -> None:
    """MAKER has 9 words, NULL and POSITIVE 11 each: no two fit in 19."""
    asked = {"task": "Give three bullets, 19 words at most.", "source": TRIAL["source"]}
    assert len(bullets(offline.reply("task-aware", {}, asked))) == 1


@pytest.mark.parametrize("contestant", CONTESTANTS)
def test_an_empty_source_is_answered_too(contestant: str) -> None:
    assert isinstance(offline.reply(contestant, PARAMS.get(contestant, {}), {"task": "", "source": ""}), str)


def test_answers_and_verdicts_do_not_depend_on_the_hash_seed() -> None:
    """Sets of words have another order in each process."""
    script = (
        "from programs.cases import *\n"
        "for name in CONTESTANTS:\n"
        "    for item in ITEMS:\n"
        "        text = answer(name, item)\n"
        "        print(ascii(text), [offline.reply(judge, {}, fields(item, text)) for judge in JUDGES])\n"
    )
    places = [Path(offline.__file__).parents[4], Path(__file__).parents[1]]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(map(str, places))},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs != {""}
