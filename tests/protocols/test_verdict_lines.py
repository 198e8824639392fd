"""Replies that end in lines such as `Mark: 4`: what is read, and what is refused."""

from __future__ import annotations

import pytest

from nullbench_site.judging.prompts import read_mark, read_yes
from nullbench_site.judging.verdict_lines import bare_or_line, verdict_lines
from nullbench_site.judging.yes_no import share_of_yes
from nullbench_site.protocols.axes.judging import read_lines
from nullbench_site.protocols.pairwise.judging import read_letter, read_verdict, weigh_letters

VERDICTS = ("A", "B", "tie")

READ = [
    ("Verdict: A", "A"),
    ("A names the river, B does not.\nVerdict: A", "A"),
    ("A names the river.\n\n  Verdict: B  \n\n", "B"),
    ("Both say the same.\r\nVerdict: tie\r\n", "tie"),
    ("Verdict: B\nIt names the river.\nVerdict: B", "B"),
    ("The verdict: A, says the response.\nVerdict: B", "B"),
    ("The answer ends in 'Verdict: A'.\nVerdict: B", "B"),
    ("Verdict: A is what it claims.\nVerdict: B", "B"),
    ("Verdict: C\nVerdict: B", None),
    ("Verdict: A\nVerdict: B", None),
    ("Verdict: A\nIt names the river.\nVerdict: B", None),
    ("Verdict: A\nIt names the river.", None),
    ("Verdict: a", None),
    ("Verdict: A.", None),
    ("**Verdict: A**", None),
    ("verdict: A", None),
    ("Verdict:A", None),
    ("Verdict: A or B", None),
    ("Verdict: X", None),
    ("A", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "verdict"), READ)
def test_only_a_last_line_of_the_form_is_a_verdict_and_others_that_differ_make_it_invalid(
    text: str, verdict: str | None
) -> None:
    found = verdict_lines(text, {"Verdict": VERDICTS})
    assert found.values.get("Verdict") == verdict
    assert ("Verdict" in found.invalid) == (verdict is None)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("It misses a criterion.\nMark: 3", 3), ("Mark: 5", 5), ("Mark: 1\n", 1), ("Mark: 6", None), ("Mark: 0", None),
        ("Mark: 4.5", None), ("Mark: N", None), ("Mark: four", None), ("Good.\nMark: 4/5", None), ("4", None),
        ("Mark: 2\nNo, it is right.\nMark: 4", None),
    ],
)  # fmt: skip
def test_a_mark_with_reasons_is_on_the_last_line(text: str, mark: int | None) -> None:
    assert read_mark(text, "score", 1, 5, reply="reasons").scores.get("score") == mark


@pytest.mark.parametrize(
    ("text", "mark"),
    [("4", 4), (" 4\n", 4), ("Mark: 4", 4), ("4 because it is right", None), ("4.", None), ("45", None), ("", None),
     ("Reasons.\nMark: 4", None)],
)  # fmt: skip
def test_a_mark_alone_has_no_words_around_it(text: str, mark: int | None) -> None:
    assert read_mark(text, "score", 1, 5, reply="mark").scores.get("score") == mark


def test_a_bare_value_or_its_line_is_read_and_nothing_else() -> None:
    assert [bare_or_line(text, "Mark", ("1", "2")) for text in ("1", "Mark: 2", "Mark: 3", "Marks: 1", "1 2")] == [
        "1", "2", None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("logprobs", "share"),
    [
        ({"Yes": -0.1, "No": -2.4}, 0.908877),
        ({"yes": -0.7, " Yes": -1.6, "NO": -1.6}, 0.776),
        ({"No": -0.01}, 0.0),
        ({"Yes": -0.6}, 1.0),
        ({"The": -0.1, "Yes": -3.0}, None),
        ({"Yes": -0.8}, None),
        ({}, None),
    ],
)
def test_the_share_of_yes_counts_all_forms_of_both_words_and_needs_half_of_the_probability(
    logprobs: dict[str, float], share: float | None
) -> None:
    found = share_of_yes(logprobs)
    assert (None if isinstance(found, str) else found.share) == (share if not share else pytest.approx(share, abs=1e-3))


@pytest.mark.parametrize(
    ("text", "grade"), [("Yes", 10), ("no", 1), (" yes.\n", 10), ("Yes, it is", None), ("", None), ("maybe", None)]
)
def test_yes_or_no_is_read_as_a_word(text: str, grade: int | None) -> None:
    assert read_yes("score", 1, 10, text).scores.get("score") == grade


def test_a_verdict_line_is_a_preference_or_a_verdict_as_the_board_asks() -> None:
    for letter, preference, verdict in (("A", 1, -1), ("B", 2, 1), ("tie", 1.5, 0)):
        text = f"One names it.\nVerdict: {letter}"
        assert read_verdict("preference", text).scores == {"preference": preference, "token_alone": True}
        assert read_verdict("verdicts", text).scores == {"verdict": verdict}


def test_letters_are_weighed_with_and_without_a_space() -> None:
    weighed = weigh_letters({"A": -1.0, " A": -1.0, "B": -1.0, "The": -3.0})
    assert weighed.scores["preference"] == pytest.approx(1 + 1 / 3)
    assert not weigh_letters({"The": -0.1, "a": -2.0}).parsed
    assert read_letter("B\n").scores == {"preference": 2, "token_alone": True}
    assert not read_letter("b").parsed


AXES = ("truthfulness", "clarity")
LINES = "truthfulness: 4\nclarity: 5\nalignment: 80\nquality: 75\nrefuses: no\nevades: yes"
SCORES = {
    "truthfulness": 4, "clarity": 5, "goal_alignment": 80, "quality": 75, "refused_answer": False,
    "refused_prompt": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (LINES, set()),
        (f"It keeps the figures.\n\n{LINES}\n", set()),
        ("\n".join(reversed(LINES.splitlines())), set()),
        (LINES.replace("80", "101"), {"goal_alignment"}),
        (LINES.replace("4", "6"), {"truthfulness"}),
        (LINES.replace("refuses: no\n", ""), {"refused_answer"}),
        (f"clarity: 1\nIt is short.\n{LINES}", {"clarity"}),
        (f"{LINES}\nclarity: 2", {"clarity"}),
        (f"{LINES}\nThat is all.", set(SCORES)),
        ("truthfulness: 1 to 5\nclarity: 1 to 5", set(SCORES)),
    ],
)
def test_scores_on_axes_are_read_line_by_line_from_the_end(text: str, lost: set[str]) -> None:
    reply = read_lines(text, AXES, gates=True)
    assert reply.scores == {name: value for name, value in SCORES.items() if name not in lost}
    assert set(reply.invalid) == lost


def test_a_long_reply_is_read_in_linear_time() -> None:
    assert verdict_lines("Verdict: " * 200_000, {"Verdict": VERDICTS}).invalid
    assert verdict_lines("Verdict: A\n" * 100_000, {"Verdict": VERDICTS}).values == {"Verdict": "A"}
