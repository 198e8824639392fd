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
ANSWERED: dict[str, dict[str, Any]] = {entry["item"]: entry for name in PROMPTS for entry in answers(name)}


def checks_of(item: str) -> tuple[Check, ...]:
    return ITEMS[item].checks or ()


def kind(params: Check) -> str:
    return str(params.__struct_config__.tag)


def automatic(item: str) -> list[Check]:
    return [params for params in checks_of(item) if kind(params) in AUTOMATIC]


def given(side: str) -> Iterator[tuple[str, str]]:
    return ((item, text) for item, entry in ANSWERED.items() for text in entry[side])


def numbered(cases: Iterator[tuple[str, str]]) -> list[Any]:
    return [pytest.param(item, text, id=f"{item}-{at}") for at, (item, text) in enumerate(cases)]


def words(text: str) -> set[str]:
    return {word.strip(".,:;?!\"'()`").casefold() for word in text.split() if len(word) > 4}


def test_the_categories_have_as_many_prompts_as_in_the_seed() -> None:
    assert {name: sum(len(category.items) for category in file.categories) for name, file in FILES.items()} == PROMPTS
    assert len(ITEMS) == 80


@pytest.mark.parametrize("name", PROMPTS)
def test_the_subcategories_are_those_of_the_seed(name: str) -> None:
    found = sorted(category.id for category in FILES[name].categories)
    assert found == sorted(f"{name}-{part}" for part in SUBCATEGORIES[name].split())
    assert all(category.items for category in FILES[name].categories)


@pytest.mark.parametrize("name", PROMPTS)
def test_the_prompts_of_a_file_are_numbered_without_a_gap(name: str) -> None:
    found = sorted(item.id for category in FILES[name].categories for item in category.items)
    assert found == [f"{name}-{number:02}" for number in range(1, PROMPTS[name] + 1)]


def test_the_difficulties_are_spread_as_in_the_seed() -> None:
    assert Counter(item.difficulty for item in ITEMS.values()) == DIFFICULTIES


def test_the_first_checks_are_those_of_the_tables_of_the_seed() -> None:
    assert Counter(kind(checks_of(item)[0]) for item in ITEMS) == FIRST_CHECKS


@pytest.mark.parametrize("item", ITEMS)
def test_a_judge_has_enough_to_mark_by_and_not_too_much(item: str) -> None:
    ideal, criteria = ITEMS[item].ideal or "", ITEMS[item].criteria or ()
    assert 40 <= len(ideal.split()) <= 150
    assert 2 <= len(criteria) <= 6


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


@pytest.mark.parametrize(("item", "text"), numbered(given("good")))
def test_a_good_answer_passes_every_check_of_its_item(item: str, text: str) -> None:
    assert [str(flag) for result in run_checks(text, automatic(item)) for flag in result.flags] == []


@pytest.mark.parametrize(("item", "text"), numbered(given("bad")))
def test_a_bad_answer_fails_with_a_sentence_for_people(item: str, text: str) -> None:
    results = run_checks(text, automatic(item))
    assert "failed" in {result.outcome for result in results}
    sentences = [flag.sentence for result in results for flag in result.flags]
    assert not any(mark in sentence for sentence in sentences for mark in ("|", "*", " .. "))


@pytest.mark.parametrize("item", [item for item in ITEMS if kind(checks_of(item)[0]) in AUTOMATIC])
def test_the_first_check_of_an_item_fails_a_bad_answer(item: str) -> None:
    first = checks_of(item)[0]
    assert "failed" in {run_checks(text, [first])[0].outcome for text in ANSWERED[item]["bad"]}
