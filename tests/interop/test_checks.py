"""Each check of BenchPress becomes ours, with the parameters that its prompt gives."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from interop.checkouts import Checkout, prompt
from interop.imports import imported, refusal

from nullbench_site import api
from nullbench_site.interop.benchpress.specs import _PARAMS

GIVEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "acknowledges_nonexistence": ({"fake_thing": "The Glass Tide"}, {"thing": "The Glass Tide"}),
    "ambiguity_check": ({}, {}),
    "analysis": ({}, {}),
    "banned_words": ({"banned_words": ["delve", "cutting-edge"]}, {"words": ["delve", "cutting-edge"]}),
    "behavioural": ({}, {}),
    "calibration": ({}, {}),
    "checklist": ({"checklist_items": ["no_timeout"]}, {"items": ["no_timeout"]}),
    "code_runnable": ({}, {}),
    "comparison": ({}, {}),
    "constraint_check": (
        {"constraints": {"count": 5, "excluded": ["pandas"], "max_words_per_item": 15}},
        {"items": 5, "excluded": ["pandas"], "max_words_per_item": 15},
    ),
    "format_check": ({}, {}),
    "hallucination_api": ({"fake_thing": "fast-json-x"}, {"thing": "fast-json-x"}),
    "json_valid": ({}, {"other_keys": True}),
    "multi_step_verify": ({"expected_answer": "chicken back"}, {"answers": ["chicken back"]}),
    "reasoning": ({}, {}),
    "refusal_check": ({"should_refuse": False}, {"should_refuse": False}),
    "response_length": ({"max_words": 30}, {"max_words": 30}),
    "self_awareness": ({}, {}),
    "statistical_significance": ({}, {"significant": False}),
    "sycophancy_check": (
        {"wrong_position": "Earth is the third-largest planet!"},
        {"position": "Earth is the third-largest planet!", "claims": ["earth is the third largest planet"]},
    ),
    "synthesis": ({}, {}),
    "table_format": ({"expected_columns": 5, "expected_rows": 3}, {"columns": 5, "rows": 3}),
    "trap_common_error": (
        {"trap": "Claims sorting is linear"},
        {
            "error": "Claims sorting is linear", "errors": ["claims sorting is linear"],
            "corrections": ["not claims sorting is linear"],
        },
    ),
    "trap_no_bug": ({}, {}),
    "trap_wrong_claim": ({}, {"claim": "What is X01? Say it briefly.", "claims": ["what is x01 say it briefly"]}),
    "word_count": ({"target_word_count": 200, "tolerance": 40}, {"target": 200, "tolerance": 40}),
    "word_count_reduction": ({}, {"original": "What is X01?\nSay it briefly.", "at_most": 0.5}),
}  # fmt: skip


def checks(source: Checkout, check: str, **given: Any) -> list[dict[str, Any]]:
    source.prompts(prompt("X01", "c", "s", check, **given))
    benchmark = api.validate(imported(source))
    board = benchmark.boards["benchpress"]
    (placed,) = benchmark.items(board)
    found: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(placed.item.checks))
    return found


def test_every_check_that_gets_parameters_has_a_case_here() -> None:
    assert set(_PARAMS) <= {name.replace("_", "-") for name in GIVEN}


@pytest.mark.parametrize("check", GIVEN)
def test_a_check_gets_the_parameters_its_prompt_gives(source: Checkout, check: str) -> None:
    given, expected = GIVEN[check]
    assert checks(source, check, **given) == [{"type": check.replace("_", "-"), **expected}]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        *((answer, {"number": float(answer)}) for answer in ("31", "-2.5", "1e3")),
        *((answer, {"answers": [answer]}) for answer in ("nan", "infinity")),
    ],
)
def test_an_expected_answer_that_is_a_finite_number_is_compared_as_one(
    source: Checkout, answer: str, expected: dict[str, Any]
) -> None:
    found = checks(source, "multi_step_verify", expected_answer=answer)
    assert found == [{"type": "multi-step-verify", **expected}]


def test_a_word_count_beside_another_check_is_a_second_check(source: Checkout) -> None:
    found = checks(source, "banned_words", banned_words=["delve"], target_word_count=150, tolerance=30)
    assert found[1:] == [{"type": "word-count", "target": 150, "tolerance": 30}]


def test_a_long_position_becomes_as_long_a_pattern_as_one_may_be(source: Checkout) -> None:
    (check,) = checks(source, "sycophancy_check", wrong_position="word " * 90 + "end")
    (pattern,) = check["claims"]
    assert 190 < len(pattern) <= 200
    assert set(pattern.split()) == {"word"}


@pytest.mark.parametrize(
    ("check", "given", "said"),
    [
        ("word_count", {"tolerance": 5}, "target_word_count: a prompt with the check word_count needs one"),
        ("refusal_check", {}, "should_refuse: a prompt with the check refusal_check needs one"),
        ("hallucination_api", {}, "fake_thing: a prompt with the check hallucination_api needs one"),
        (
            "reasonning",
            {},
            "check_type: unknown check 'reasonning'; did you mean 'reasoning'? known: acknowledges_none",
        ),
        ("response_length", {"max_words": 0}, "the parameters of response_length do not fit: Expected `int` >= 1"),
        ("banned_words", {"banned_words": []}, "the parameters of banned_words do not fit: Expected `array` of length"),
        ("banned_words", {"banned_words": ["?!"]}, "the parameters of banned_words do not fit: '?!' is not a pattern"),
        (
            "sycophancy_check",
            {"wrong_position": "..."},
            "the parameters of sycophancy_check do not fit: Expected `str`",
        ),
        (
            "multi_step_verify",
            {"expected_answer": "?"},
            "the parameters of multi_step_verify do not fit: '?' is not a pattern",
        ),
        (
            "constraint_check",
            {"constraints": {}},
            "the parameters of constraint_check do not fit: needs at least one of",
        ),
    ],
)
def test_a_check_that_cannot_be_made_is_named(source: Checkout, check: str, given: dict[str, Any], said: str) -> None:
    source.prompts(prompt("X01", "c", "s", "reasoning"), prompt("X02", "c", "s", check, **given))
    (line,) = refusal(source)
    assert line.startswith(f"evals/general.json: prompts[1]: {said}")
    (item,) = api.validate(imported(source, lenient=True)).domains["c"].categories[0].items
    assert item.id == "x01"
