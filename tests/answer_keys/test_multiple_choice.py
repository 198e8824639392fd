"""Multiple choice: what is an answer, what is none, and which of several counts."""

from __future__ import annotations

import string

import pytest
from answer_keys.examples import answer, key, outcome
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.answer_keys import mark

CITIES = key(
    "multiple-choice",
    options={"A": "Paris", "B": "London", "C": "A good way", "D": "None of the above", "E": "12"},
    correct="B",
)
SEVERAL = key("multiple-choice", options={"A": "2", "B": "4", "C": "9", "D": "11"}, correct=["A", "D"])

CORRECT = [
    "B",
    "b",
    "B.",
    "(B)",
    "[B]",
    "**B**",
    "**B.**",
    "`B`",
    '"B"',
    "> B",
    "\u24b7",  # in a circle
    "\uff22",
    "\U0001d401",  # in bold letters of mathematics
    "\u200fB\u200e",
    "\u202eB\u202c",
    "\ufeffB",
    "B\r\n",
    "B\0",
    "B) London",
    "B: London",
    "Option B",
    "London",
    "london.",
    "**London**",
    "Answer: B",
    "ANSWER: B",
    "Answer:B",
    "Answer - B",
    "Answer \u2014 B",
    "Answer = B",
    "Ans: B",
    "**Answer:** B",
    "**Answer**: B",
    "### Answer: **B**",
    "# Final answer\n\nB",
    "Final Answer:\n\n**(B) London**",
    "The answer is B.",
    "The answer is (b).",
    "The answer is: b",
    "The answer is option B",
    "The answer is London.",
    "The answer is London, because of the river.",
    "The correct answer is, therefore, B.",
    "The correct answer to this question is B.",
    "The answer is $\\boxed{B}$.",
    "$\\boxed{\\text{B}}$",
    "\\boxed{\\textbf{(B)}}",
    "\\boxed{B) London}",
    "\\[\n\\boxed{\\text{London}}\n\\]",
    "<answer>B</answer>",
    "<answer>\nB\n</answer>",
    "The best option is B",
    "The correct choice is B since it rains.",
    "The correct assessment is **B**.",
    "The most plausible explanation is **B**.",
    "I choose B.",
    "I would go with option B.",
    "B is the correct answer because of the river.",
    "Option B is correct.",
    "(B) is the best choice",
    "B) London is the correct answer.",
    "B\n\n**Explanation:** A is far away, and C is no city.",
    "B. It lies on the Thames.",
    "It lies on the Thames.\n\nB",
    "It lies on the Thames.\n\n**B**",
    "Thus, **B** fits best.",
    "<think>The answer is A.</think>\n\nB",
    "<thinking>\\boxed{A}</thinking>The answer is B",
    "The answer is A? No, wait.</think>B",
    "<THINK>A</THINK> B",
    "The answer is A.\n\nWait, I was wrong there.\n\nThe answer is B.",
    "\\boxed{A} was my first thought, but it is \\boxed{A} no more.\n\n\\boxed{B}",
    "If the answer is A, it is in France. The answer is B.",
    "The answer is B.\n\nIf the answer were A, the answer is in France.",
    "The answer is not A. The answer is B.",
    "A) Paris\nB) London\nC) A good way\n\nB",
    "A) Paris\nB) London\n\nAnswer: B",
    "Sure!\n\nB\n\nHope this helps!",
    "Answer: B (not A)",
    "Answer: B. A is wrong.",
    "So it's B.",
    "\u2192 B",
    "\u2705 **B**",
    "Correct: B",
    '{"answer": "B"}',
    '```json\n{"answer": "B"}\n```',
]

WRONG = [
    "A",
    "a",
    "The answer is (a).",
    "C) A good way",
    "A good way",
    "The answer is a good way.",
    "The answer is A because of the tower.",
    "Answer: A",
    "Answer: D. None of the above",
    "None of the above",
    "12",
    "The answer is 12.",
    "The answer is B.\n\nOn reflection, the answer is A.",
    "Answer: B\n\nsome words\n\n\\boxed{A}",
]

INVALID = [
    "",
    " \n\t",
    "\u200b\u200f",
    "\0\x01",
    "<think>Answer: B",
    "<think>B</think>",
    "A good question, but hard.",
    "A nice one.\nI like it.",
    "I do not know.",
    "The answer is a matter of taste.",
    "Answer: A good question",
    "The answer depends on B.",
    "Answer:",
    "Answer: F",
    "F",
    "Z) something",
    "AB",
    "BB",
    "A or B",
    "Answer: A or B",
    "Answer: A, B",
    "Answer: A/B",
    "Answer: (A) and (B)",
    "Answer: A\nAnswer: B",
    "\\boxed{A} or \\boxed{B}",
    "A\n\nB",
    "A) Paris\nB) London\nC) A good way\nD) None of the above",
    "B) Paris",
    "Answer: B) Paris",
    "**A** and **B** are both tempting.",
    "Both are cities: London and Paris, by the way.",
    "Is the answer B?",
    "If the answer is B, it rains.",
    "Vitamin B is healthy, and B stands for it.",
    "- B: a node of the graph\n- U: an unmeasured node\n- and more words",
    "The answer is not B.",
    "B-",
    "\U0001f17f",
]


@pytest.mark.parametrize("text", CORRECT)
def test_the_right_letter_is_read_however_it_is_said(text: str) -> None:
    assert (outcome(text, CITIES), answer(text, CITIES)) == ("correct", "B")


@pytest.mark.parametrize("text", WRONG)
def test_another_option_is_wrong(text: str) -> None:
    assert outcome(text, CITIES) == "wrong"


@pytest.mark.parametrize("text", INVALID)
def test_what_states_no_single_option_is_invalid(text: str) -> None:
    assert (outcome(text, CITIES), answer(text, CITIES)) == ("invalid", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A, D", "correct"),
        ("D and A", "correct"),
        ("AD", "correct"),
        ("[A, D]", "correct"),
        ("A\nD", "correct"),
        ("A) 2\nD) 11", "invalid"),
        ("The answers are **A** and **D**.", "correct"),
        ("\\boxed{A, D}", "correct"),
        ("Answer: A & D.", "correct"),
        ("Answer: (A), (D)", "correct"),
        ("Answer: A, B and D", "wrong"),
        ("A", "wrong"),
        ("ABCD", "wrong"),
        ("2", "wrong"),
        ("A or D", "invalid"),
        ("ADX", "invalid"),
        ("Answer: A\nAnswer: D", "invalid"),
    ],
)
def test_of_several_right_options_all_and_no_other_must_be_chosen(text: str, expected: str) -> None:
    assert outcome(text, SEVERAL) == expected


def test_a_letter_stays_a_letter_where_another_options_text_is_that_letter() -> None:
    blood = key("multiple-choice", options={"A": "B", "B": "AB", "C": "O"}, correct="A")
    assert outcome("B", blood) == "wrong"
    assert outcome("A", blood) == "correct"


def test_the_reason_names_letters_and_nothing_of_the_response() -> None:
    marked = mark("Answer: A\nxyzzy", CITIES)
    assert marked.why == "chooses A; B is right"
    assert "xyzzy" not in mark("xyzzy", CITIES).why


_FORMS = st.sampled_from(
    ["{}", "({})", "**{}**", "Answer: {}", "The answer is {}.", "\\boxed{{{}}}", "<answer>{}</answer>", "I choose {}"]
)
_AROUND = st.sampled_from(["", "Let us see.\n\n", "A short look at all of them first.\n", "<think>Answer: A</think>"])


@given(st.sampled_from("ABCD"), _FORMS, _AROUND)
def test_any_letter_is_read_in_any_form_behind_any_words(letter: str, form: str, before: str) -> None:
    assert answer(before + form.format(letter), CITIES) == letter


@given(st.permutations("ABCD"), st.sampled_from("ABCD"))
def test_the_order_of_options_in_the_key_does_not_matter(order: list[str], letter: str) -> None:
    texts = dict(zip("ABCD", ["w w", "x x", "y y", "z z"], strict=True))
    shuffled = key("multiple-choice", options={each: texts[each] for each in order}, correct=letter)
    assert outcome(f"Answer: {letter}", shuffled) == "correct"
    assert outcome(texts[letter], shuffled) == "correct"


@given(st.text(alphabet=string.ascii_lowercase + " ,\n", max_size=80))
def test_prose_in_small_letters_before_the_answer_does_not_change_it(before: str) -> None:
    assert answer(f"{before}\n\nThe final answer is (C).", CITIES) == "C"
