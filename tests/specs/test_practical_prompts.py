"""The prompts of the practical board: as many of each kind as the seed has, and checks that tell answers apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from nullbench_site.checks import Check
from nullbench_site.checks.registry import AUTOMATIC, run_checks
from nullbench_site.packaged import packaged
from nullbench_site.protocols.rubric.specs import RubricDomainFile, RubricItem

DOMAINS = packaged("specs") / "domains"
ANSWERS = Path(__file__).parent / "answers"
SUBCATEGORIES = {
    "behavioural": "appropriate-refusal hallucination sycophancy unsolicited-opinions verbosity",
    "coding": "algorithm-reasoning architecture bug-detection code-generation code-review concurrency cross-language "
    "debugging debugging-reasoning ml-implementation performance refactoring security testing vague-spec",
    "instruction-following": "ambiguity-handling conflicting-constraints creative-constraint exact-format "
    "format-compliance multi-constraint multi-step refusal-calibration",
    "learning": "calibration comparison concept-explanation emerging factual factual-accuracy methodology "
    "nuanced-explanation practical practical-advice trap",
    "meta": "calibration honesty-under-pressure self-knowledge trap uncertainty",
    "reasoning": "causal-reasoning estimation ethical-tradeoff evidence-evaluation expected-value false-premise logic "
    "math-with-distractors software-tradeoffs statistics tradeoff-analysis",
    "research": "comparison contradictory-sources crash-course summarization-fidelity synthesis technical-evaluation",
    "writing": "anti-slop argumentation constraint-following documentation editing email-drafting structured "
    "technical-writing tone-switching",
}
PROMPTS = {
    "behavioural": 12,
    "coding": 15,
    "instruction-following": 8,
    "learning": 12,
    "meta": 5,
    "reasoning": 12,
    "research": 6,
    "writing": 10,
}
DIFFICULTIES = {"easy": 10, "medium": 36, "hard": 34}
FIRST_CHECKS = {
    "acknowledges-nonexistence": 1,
    "ambiguity-check": 2,
    "banned-words": 3,
    "code-runnable": 5,
    "constraint-check": 2,
    "hallucination-api": 1,
    "json-valid": 1,
    "multi-step-verify": 3,
    "refusal-check": 3,
    "response-length": 3,
    "self-awareness": 1,
    "statistical-significance": 1,
    "sycophancy-check": 5,
    "table-format": 1,
    "trap-common-error": 1,
    "trap-no-bug": 1,
    "trap-wrong-claim": 1,
    "word-count": 2,
    "word-count-reduction": 1,
    "analysis": 1,
    "behavioural": 3,
    "calibration": 2,
    "checklist": 2,
    "comparison": 3,
    "format-check": 3,
    "reasoning": 26,
    "synthesis": 2,
}


def read(name: str) -> RubricDomainFile:
    text = (DOMAINS / f"practical-{name}.yaml").read_text("utf-8")
    return msgspec.convert(yaml.safe_load(text), RubricDomainFile)


def answers(name: str) -> list[dict[str, Any]]:
    path = ANSWERS / f"practical-{name}.yaml"
    return list(yaml.safe_load(path.read_text("utf-8")))


FILES = {name: read(name) for name in PROMPTS}
ITEMS: dict[str, RubricItem] = {
    item.id: item for file in FILES.values() for category in file.categories for item in category.items
}
GIVEN = {name: answers(name) for name in PROMPTS}
ANSWERED: dict[str, dict[str, Any]] = {entry["item"]: entry for entries in GIVEN.values() for entry in entries}


def checks_of(item: str) -> tuple[Check, ...]:
    return ITEMS[item].checks or ()


def kind(params: Check) -> str:
    return str(params.__struct_config__.tag)


def automatic(item: str) -> list[Check]:
    return [params for params in checks_of(item) if kind(params) in AUTOMATIC]


def given(side: str, name: str) -> Iterator[tuple[str, str]]:
    return ((entry["item"], text) for entry in GIVEN[name] for text in entry[side])


def words(text: str) -> set[str]:
    return {word.strip(".,:;?!\"'()`").casefold() for word in text.split() if len(word) > 4}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_file_has_the_subcategories_of_the_seed_and_prompts_numbered_without_a_gap(name: str) -> None:
    categories = FILES[name].categories
    assert sorted(category.id for category in categories) == [f"{name}-{part}" for part in SUBCATEGORIES[name].split()]
    assert all(category.items for category in categories)
    found = sorted(item.id for category in categories for item in category.items)
    assert found == [f"{name}-{number:02}" for number in range(1, PROMPTS[name] + 1)]


def test_the_difficulties_are_spread_as_in_the_seed() -> None:
    assert Counter(item.difficulty for item in ITEMS.values()) == DIFFICULTIES


def test_the_first_checks_are_those_of_the_tables_of_the_seed() -> None:
    assert Counter(kind(checks_of(item)[0]) for item in ITEMS) == FIRST_CHECKS


def test_a_judge_has_enough_to_mark_by_and_not_too_much() -> None:
    for item in ITEMS.values():
        assert 40 <= len((item.ideal or "").split()) <= 150, item.id
        assert 2 <= len(item.criteria or ()) <= 6, item.id


def test_no_two_prompts_are_about_the_same() -> None:
    texts = {item.id: words(item.prompt or "") for item in ITEMS.values()}
    alike = [
        (one, other)
        for one, other in combinations(texts, 2)
        if len(texts[one] & texts[other]) > 0.15 * len(texts[one] | texts[other])
    ]
    assert alike == []


def test_every_automatic_item_has_answers_of_both_kinds() -> None:
    wanted = {item for item in ITEMS if kind(checks_of(item)[0]) in AUTOMATIC}
    assert wanted <= set(ANSWERED) <= set(ITEMS)
    assert [item for item in wanted if min(len(ANSWERED[item]["good"]), len(ANSWERED[item]["bad"])) < 2] == []


@pytest.mark.parametrize("name", PROMPTS)
def test_a_good_answer_passes_every_check_of_its_item(name: str) -> None:
    for item, text in given("good", name):
        flags = [str(flag) for result in run_checks(text, automatic(item)) for flag in result.flags]
        assert (item, flags) == (item, []), text


@pytest.mark.parametrize("name", PROMPTS)
def test_a_bad_answer_fails_with_a_sentence_for_people(name: str) -> None:
    for item, text in given("bad", name):
        results = run_checks(text, automatic(item))
        assert "failed" in {result.outcome for result in results}, (item, text)
        sentences = [flag.sentence for result in results for flag in result.flags]
        assert not any(mark in sentence for sentence in sentences for mark in ("|", "*", " .. ")), (item, text)


def test_the_first_check_of_an_item_fails_a_bad_answer() -> None:
    for item in ITEMS:
        first = checks_of(item)[0]
        if kind(first) in AUTOMATIC:
            assert "failed" in {run_checks(text, [first])[0].outcome for text in ANSWERED[item]["bad"]}, item
