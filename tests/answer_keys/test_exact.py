"""Exact answers and regular expressions."""

from __future__ import annotations

import pytest
from answer_keys.examples import answer, key, outcome
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.answer_keys import Key, mark

PARIS = key("exact", accepted=["Paris", "the city of light"])
CODE = key("regex", pattern=r"(?i)[a-z]{3}-\d+", full=True)


def test_case_matters_where_it_is_asked_for() -> None:
    by = key("exact", accepted=["NaCl"], case_sensitive=True)
    assert outcome("Answer: NaCl.", by) == "correct"
    assert outcome("Answer: NACL", by) == "wrong"


def test_the_answer_is_shown_as_it_was_written_and_never_long() -> None:
    assert answer("Answer: **LonDon**", PARIS) == "LonDon"
    shown = answer("x" * 10_000, PARIS)
    assert len(shown) == 200


@given(st.text(alphabet="abcdefgh -", min_size=1, max_size=20).filter(lambda text: text.strip(" -")))
def test_every_accepted_answer_is_read_in_every_form(text: str) -> None:
    by = key("exact", accepted=[text])
    for form in ("{}", "Answer: {}", "**{}**", "The answer is {}.", "\\boxed{{{}}}"):
        assert outcome(form.format(text), by) == "correct"


def test_a_match_anywhere_is_enough_unless_the_whole_must_match() -> None:
    by = key("regex", pattern=r"\b\d{4}\b")
    assert outcome("In 1984, I think.", by) == "correct"
    assert outcome("In 19845, I think.", by) == "wrong"
    assert outcome("<think>1984</think>no", by) == "wrong"


def test_an_expression_that_backtracks_elsewhere_does_not_stall() -> None:
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*)*x", r"(\w+\s?)*$"):
        assert mark("a" * 100_000 + "!", key("regex", pattern=f"^{pattern.removesuffix('$')}b$")).outcome == "wrong"


SENTENCE = key("exact", accepted=["3.1", "Canal Street"], in_sentence=True)

CASES: list[tuple[Key, str, str]] = [
    # With in_sentence, a short sentence may hold the answer as whole words.
    (SENTENCE, "It was Canal Street, near the mill.", "correct"),
    (SENTENCE, "The firm gives a margin of plus or minus 3.1 points.", "correct"),
    (SENTENCE, "Answer: residents of canal street were asked to.", "correct"),
    (SENTENCE, "3.1", "correct"),
    (SENTENCE, "It was Canal Street, not Mill Lane.", "correct"),
    (SENTENCE, "It was not Canal Street.", "wrong"),
    (SENTENCE, "It wasn't Canal Street.", "wrong"),
    (SENTENCE, "It was Mill Lane, Canal Street or Tannery Row.", "wrong"),
    (SENTENCE, "It gives 3.15 points.", "wrong"),
    (SENTENCE, "It gives 13.1 points.", "wrong"),
    (SENTENCE, "In Canal Streets it smelled.", "wrong"),
    (SENTENCE, "Canal Street " + "and so on " * 8, "invalid"),
    (SENTENCE, "It was Canal Street.\nNo, wait, it was Mill Lane.", "wrong"),
    (PARIS, "It is in Paris, I think.", "correct"),
    # An accepted answer is right.
    (PARIS, "Paris", "correct"),
    (PARIS, "paris.", "correct"),
    (PARIS, "PARIS", "correct"),
    (PARIS, "**Paris**", "correct"),
    (PARIS, "`Paris`", "correct"),
    (PARIS, '"Paris"', "correct"),
    (PARIS, "\u201cParis\u201d", "correct"),
    (PARIS, "P\u200baris", "correct"),
    (PARIS, "The  city of\tlight", "correct"),
    (PARIS, "Answer: Paris", "correct"),
    (PARIS, "The answer is Paris.", "correct"),
    (PARIS, "The answer is Paris, because of the tower.", "correct"),
    (PARIS, "The answer is Paris (France).", "correct"),
    (PARIS, "The answer is the city of light!\n".replace("!", "."), "correct"),
    (PARIS, "\\boxed{\\text{Paris}}", "correct"),
    (PARIS, "# Answer\n\nParis", "correct"),
    (PARIS, "<answer>Paris</answer>", "correct"),
    (PARIS, "It is Paris.", "correct"),
    (PARIS, "There is a tower.\n\nParis", "correct"),
    (PARIS, "Paris\n\nThere is a tower, you know, and it is high.", "correct"),
    (PARIS, "Sure!\n\nParis\n\nHope this helps!", "correct"),
    (PARIS, "<think>London</think>Paris", "correct"),
    (PARIS, "The answer is London.\n\nNo! The answer is Paris.", "correct"),
    # Another answer is wrong.
    (PARIS, "London", "wrong"),
    (PARIS, "Answer: London", "wrong"),
    (PARIS, "Paris, London", "wrong"),
    (PARIS, "Paris or London", "wrong"),
    (PARIS, "Answer: Paris or London", "wrong"),
    (PARIS, "not Paris", "wrong"),
    (PARIS, "Parisian", "wrong"),
    (PARIS, "\\boxed{Rome}", "wrong"),
    (PARIS, "Answer: Paris (or London)", "wrong"),
    (PARIS, "Answer: Paris and London", "wrong"),
    (PARIS, "Paris\n\nAnswer: London", "wrong"),
    # What states no answer is invalid.
    (PARIS, "", "invalid"),
    (PARIS, "I don't know.", "invalid"),
    (PARIS, "I'm sorry, no.", "invalid"),
    (PARIS, "Unfortunately not.", "invalid"),
    (PARIS, "Paris\n\nLondon", "invalid"),
    (PARIS, "Answer: Paris\nAnswer: London", "invalid"),
    (PARIS, "It has been the capital for a very long time, as everybody knows.", "invalid"),
    (PARIS, "<think>Paris", "invalid"),
    (PARIS, "\u200b", "invalid"),
    (PARIS, "***", "invalid"),
    # A whole answer matches an expression.
    (CODE, "abc-12", "correct"),
    (CODE, "ABC-12\n", "correct"),
    (CODE, "**abc-12**", "correct"),
    (CODE, "Answer: abc-12.", "correct"),
    (CODE, "\\boxed{abc-12}", "correct"),
    (CODE, "Let me see.\nabc-12", "correct"),
    (CODE, "<think>no</think>abc-12", "correct"),
    (CODE, "abcd-12", "wrong"),
    (CODE, "Answer: abc", "wrong"),
    (CODE, "abc-12 or abc-13", "wrong"),
    (CODE, "abc-12\nis my answer to you", "invalid"),
    (CODE, "Answer: abc-12\nAnswer: abc", "invalid"),
    (CODE, "", "invalid"),
    (CODE, "<think>abc-12", "invalid"),
]


@pytest.mark.parametrize(("by", "text", "expected"), CASES)
def test_the_outcome_of_a_response(by: Key, text: str, expected: str) -> None:
    assert outcome(text, by) == expected
