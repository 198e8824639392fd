"""Exact answers and regular expressions."""

from __future__ import annotations

import pytest
from answer_keys.examples import answer, key, outcome
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.answer_keys import mark

PARIS = key("exact", accepted=["Paris", "the city of light"])
CODE = key("regex", pattern=r"(?i)[a-z]{3}-\d+", full=True)


@pytest.mark.parametrize(
    "text",
    [
        "Paris",
        "paris.",
        "PARIS",
        "**Paris**",
        "`Paris`",
        '"Paris"',
        "\u201cParis\u201d",
        "P\u200baris",
        "The  city of\tlight",
        "Answer: Paris",
        "The answer is Paris.",
        "The answer is Paris, because of the tower.",
        "The answer is Paris (France).",
        "The answer is the city of light!\n".replace("!", "."),
        "\\boxed{\\text{Paris}}",
        "# Answer\n\nParis",
        "<answer>Paris</answer>",
        "It is Paris.",
        "There is a tower.\n\nParis",
        "Paris\n\nThere is a tower, you know, and it is high.",
        "Sure!\n\nParis\n\nHope this helps!",
        "<think>London</think>Paris",
        "The answer is London.\n\nNo! The answer is Paris.",
    ],
)
def test_an_accepted_answer_is_right(text: str) -> None:
    assert outcome(text, PARIS) == "correct"


@pytest.mark.parametrize(
    "text",
    [
        "London",
        "Answer: London",
        "Paris, London",
        "Paris or London",
        "Answer: Paris or London",
        "not Paris",
        "Parisian",
        "\\boxed{Rome}",
        "Answer: Paris (or London)",
        "Answer: Paris and London",
        "Paris\n\nAnswer: London",
    ],
)
def test_another_answer_is_wrong(text: str) -> None:
    assert outcome(text, PARIS) == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I don't know.",
        "I'm sorry, no.",
        "Unfortunately not.",
        "Paris\n\nLondon",
        "Answer: Paris\nAnswer: London",
        "It has been the capital for a very long time, as everybody knows.",
        "<think>Paris",
        "\u200b",
        "***",
    ],
)
def test_what_states_no_answer_is_invalid(text: str) -> None:
    assert outcome(text, PARIS) == "invalid"


def test_case_matters_where_it_is_asked_for() -> None:
    by = key("exact", accepted=["NaCl"], case_sensitive=True)
    assert outcome("Answer: NaCl.", by) == "correct"
    assert outcome("Answer: NACL", by) == "wrong"


def test_the_answer_is_shown_as_it_was_written_and_never_long() -> None:
    assert answer("Answer: **LonDon**", PARIS) == "LonDon"
    shown = answer("x" * 10_000, PARIS)
    assert shown is not None
    assert len(shown) == 200


@given(st.text(alphabet="abcdefgh -", min_size=1, max_size=20).filter(lambda text: text.strip(" -")))
def test_every_accepted_answer_is_read_in_every_form(text: str) -> None:
    by = key("exact", accepted=[text])
    for form in ("{}", "Answer: {}", "**{}**", "The answer is {}.", "\\boxed{{{}}}"):
        assert outcome(form.format(text), by) == "correct"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc-12", "correct"),
        ("ABC-12\n", "correct"),
        ("**abc-12**", "correct"),
        ("Answer: abc-12.", "correct"),
        ("\\boxed{abc-12}", "correct"),
        ("Let me see.\nabc-12", "correct"),
        ("<think>no</think>abc-12", "correct"),
        ("abcd-12", "wrong"),
        ("Answer: abc", "wrong"),
        ("abc-12 or abc-13", "wrong"),
        ("abc-12\nis my answer to you", "invalid"),
        ("Answer: abc-12\nAnswer: abc", "invalid"),
        ("", "invalid"),
        ("<think>abc-12", "invalid"),
    ],
)
def test_a_whole_answer_matches_an_expression(text: str, expected: str) -> None:
    assert outcome(text, CODE) == expected


def test_a_match_anywhere_is_enough_unless_the_whole_must_match() -> None:
    by = key("regex", pattern=r"\b\d{4}\b")
    assert outcome("In 1984, I think.", by) == "correct"
    assert outcome("In 19845, I think.", by) == "wrong"
    assert outcome("<think>1984</think>no", by) == "wrong"


def test_an_expression_that_backtracks_elsewhere_does_not_stall() -> None:
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*)*x", r"(\w+\s?)*$"):
        assert mark("a" * 100_000 + "!", key("regex", pattern=f"^{pattern.removesuffix('$')}b$")).outcome == "wrong"
