"""The confidence that an answer states in its last line."""

from __future__ import annotations

import pytest
from support.oracle_boards import answer, of

from nullbench_site.protocols.oracle.judging import JUDGING, UNREADABLE, split_confidence


@pytest.mark.parametrize(
    ("line", "confidence"),
    [
        ("Confidence: 70%", 0.7),
        ("Confidence: 0.7", 0.7),
        ("confidence: .7", 0.7),
        ("**Confidence:** 70 %", 0.7),
        ("Confidence level = 70 percent.", 0.7),
        ("> Confidence: 85", 0.85),
        ("Confidence: 100%\n\n", 1.0),
        ("Confidence: 0", 0.0),
        ("Confidence: 1", 1.0),
        ("Confidence: 1%", 0.01),
    ],
)
def test_a_last_line_states_the_confidence_and_is_removed(line: str, confidence: float) -> None:
    assert split_confidence(f"Answer: 12\n{line}") == ("Answer: 12\n", pytest.approx(confidence), None)


@pytest.mark.parametrize(
    "value", ["", "high", "170%", "1.5", "-5%", "7/10", "70-80%", "nan", "1e-1", "70% or so", "9" * 10, "0,7"]
)
def test_a_confidence_that_is_no_share_is_removed_and_flagged(value: str) -> None:
    assert split_confidence(f"Answer: 12\r\nConfidence: {value}") == ("Answer: 12\r\n", None, UNREADABLE)


@pytest.mark.parametrize(
    "text",
    ["", "Answer: 12", "Confidence: 70%\nAnswer: 12", "My confidence: 70%", "Answer: 12. Confidence: 70%",
     f"Confidence: {'9' * 300}"],
)  # fmt: skip
def test_other_texts_state_none_and_stay_as_they_are(text: str) -> None:
    assert split_confidence(text) == (text, None, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Confidence: 80%", "states a confidence and no answer"),
        ("\n\nConfidence: 80%", "states a confidence and no answer"),
        ("<think>80%</think>", "holds no text outside its thinking"),
    ],
)
def test_an_answer_that_is_only_a_confidence_is_none(text: str, why: str) -> None:
    board = of("a")
    (placed,) = board.items(board.boards["main"])
    marked = JUDGING.checked(placed, answer(outcome="unmarked", text=text))
    assert [(each.outcome, each.flags[0], each.cause) for each in marked.checks] == [("invalid", why, "no answer")]
