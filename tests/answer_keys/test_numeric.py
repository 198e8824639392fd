"""Numbers in every style, and what is no single number."""

from __future__ import annotations

import pytest
from answer_keys.examples import answer, key, outcome
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.answer_keys import Key

THOUSAND = key("numeric", value=1234567)
HALF = key("numeric", value=0.75)
WAY = key("numeric", value=12, unit=["km", "kilometres", "kilometers"])
SHARE = key("numeric", value=75, unit=["%", "percent"])
MINUS = key("numeric", value=-5)


@pytest.mark.parametrize("text", ["75", "75%", "75 percent", "75 %.", "The answer is 75%."])
def test_a_percentage_is_itself_where_percent_is_the_unit(text: str) -> None:
    assert outcome(text, SHARE) == "correct"
    assert outcome("0.75", SHARE) == "wrong"


def test_the_wider_tolerance_counts_and_its_end_is_inside() -> None:
    near = key("numeric", value=10, tolerance=0.3, relative_tolerance=0.01)
    assert [outcome(text, near) for text in ("10.3", "9.7", "10.31", "9.69")] == [
        "correct",
        "correct",
        "wrong",
        "wrong",
    ]
    far = key("numeric", value=1000, tolerance=0.3, relative_tolerance=0.01)
    assert [outcome(text, far) for text in ("1010", "990", "1010.1")] == ["correct", "correct", "wrong"]


def test_tiny_numbers_are_not_all_alike() -> None:
    planck = key("numeric", value=6.626e-34, relative_tolerance=0.01)
    assert outcome("6.63 \u00d7 10^-34 J s", planck) == "correct"
    assert outcome("0", planck) == "wrong"
    assert outcome("6.63e-33", planck) == "wrong"


def test_the_answer_is_written_as_a_number() -> None:
    assert answer("Answer: 1,234,567 people", THOUSAND) == "1234567"


_STYLES = st.sampled_from(
    [
        "{}",
        "**{}**",
        "Answer: {}",
        "The answer is {}.",
        "\\boxed{{{}}}",
        "${}$",
        "x = {}",
        "#### {}",
        "It is {} in all.",
    ]
)


@given(st.integers(-(10**12), 10**12), _STYLES, st.sampled_from(["d", ",d", "_d"]))
def test_every_whole_number_is_read_in_every_style(value: int, style: str, form: str) -> None:
    text = style.format(format(value, form))
    assert outcome(text, key("numeric", value=value)) == "correct"
    assert outcome(text.replace("-", "\u2212"), key("numeric", value=value)) == "correct"


@given(st.floats(-1e9, 1e9, allow_subnormal=False).filter(lambda value: value == 0 or abs(value) > 1e-9), _STYLES)
def test_every_decimal_is_read_in_every_style(value: float, style: str) -> None:
    by = key("numeric", value=value, relative_tolerance=1e-6, tolerance=1e-15)
    for form in (f"{value!r}", f"{value:.9e}"):
        assert outcome(style.format(form), by) == "correct"


@given(st.integers(1, 999), st.integers(1, 999))
def test_every_fraction_is_read(above: int, below: int) -> None:
    by = key("numeric", value=above / below)
    assert outcome(f"{above}/{below}", by) == "correct"
    assert outcome(f"\\boxed{{\\frac{{{above}}}{{{below}}}}}", by) == "correct"


CASES: list[tuple[Key, str, str]] = [
    # A number is read in every style.
    (THOUSAND, "1234567", "correct"),
    (THOUSAND, "1,234,567", "correct"),
    (THOUSAND, "1 234 567", "correct"),
    (THOUSAND, "1\u202f234\u202f567", "correct"),
    (THOUSAND, "1\u00a0234\u00a0567", "correct"),
    (THOUSAND, "1_234_567", "correct"),
    (THOUSAND, "1'234'567", "correct"),
    (THOUSAND, "1.234.567", "correct"),
    (THOUSAND, "1,234,567.00", "correct"),
    (THOUSAND, "1.234.567,00", "correct"),
    (THOUSAND, "12,34,567", "correct"),
    (THOUSAND, "$1,234,567$", "correct"),
    (THOUSAND, "\\$1{,}234{,}567", "correct"),
    (THOUSAND, "1\\,234\\,567", "correct"),
    (THOUSAND, "\u20ac1,234,567", "correct"),
    (THOUSAND, "1.234567e6", "correct"),
    (THOUSAND, "1.234567E+06", "correct"),
    (THOUSAND, "1.234567 \u00d7 10^6", "correct"),
    (THOUSAND, "1.234567 x 10^6", "correct"),
    (THOUSAND, "1.234567*10^6", "correct"),
    (THOUSAND, "1.234567 \\times 10^{6}", "correct"),
    (THOUSAND, "1.234567\u00d710\u2076", "correct"),
    (THOUSAND, "1.234567 million", "correct"),
    (THOUSAND, "1234.567 thousand", "correct"),
    (THOUSAND, "2469134/2", "correct"),
    (THOUSAND, "\\frac{2469134}{2}", "correct"),
    (THOUSAND, "\u0661\u0662\u0663\u0664\u0665\u0666\u0667", "correct"),
    (THOUSAND, "\uff11\uff12\uff13\uff14\uff15\uff16\uff17", "correct"),
    (THOUSAND, "The answer is 1,234,567.", "correct"),
    (THOUSAND, "The answer is approximately 1,234,567 people.", "correct"),
    (THOUSAND, "**Answer:** 1234567", "correct"),
    (THOUSAND, "#### 1234567", "correct"),
    (THOUSAND, "\\boxed{1{,}234{,}567}", "correct"),
    (THOUSAND, "Answer: n = 1234567", "correct"),
    (THOUSAND, "Answer: 1000000 + 234567 = 1234567", "correct"),
    (THOUSAND, "1234567 \u00b1 3", "correct"),
    (THOUSAND, "In the end there are 1,234,567 people.", "correct"),
    (THOUSAND, "First 3, then 4.\n\nIn the end there are 1,234,567 people.", "correct"),
    (THOUSAND, "1234567\n\nBecause 3 of 4 are counted.", "correct"),
    (THOUSAND, "<think>Answer: 3</think>1234567", "correct"),
    (THOUSAND, "The answer is 3.\n\nNo: the answer is 1234567.", "correct"),
    (THOUSAND, "Sure!\n\n1234567\n\nHope this helps!", "correct"),
    # Fractions and percentages are read.
    (HALF, "0.75", "correct"),
    (HALF, ".75", "correct"),
    (HALF, "0,75", "correct"),
    (HALF, "3/4", "correct"),
    (HALF, "\\frac34 = \\frac{3}{4}", "correct"),
    (HALF, "\\dfrac{3}{4}", "correct"),
    (HALF, "\u00be", "correct"),
    (HALF, "75%", "correct"),
    (HALF, "75 %", "correct"),
    (HALF, "75\\%", "correct"),
    (HALF, "75 percent", "correct"),
    (HALF, "7.5e-1", "correct"),
    (HALF, "7.5\u00b710^-1", "correct"),
    (HALF, "7.5 \u00d7 10^-1", "correct"),
    (HALF, "7.5\u00d710\u207b\u00b9", "correct"),
    (HALF, "x = 0.75", "correct"),
    (HALF, "0.75.", "correct"),
    (HALF, "+0.75", "correct"),
    (HALF, "Answer: 3/4 = 0.75", "correct"),
    # A sign is read.
    (MINUS, "-5", "correct"),
    (MINUS, "\u22125", "correct"),
    (MINUS, "\u20135", "correct"),
    (MINUS, "- 5", "correct"),
    (MINUS, "minus 5", "correct"),
    (MINUS, "negative 5", "correct"),
    (MINUS, "Answer: -5", "correct"),
    (MINUS, "x = -5", "correct"),
    (MINUS, "minus five", "correct"),
    # A number may have an allowed unit.
    (WAY, "12", "correct"),
    (WAY, "12 km", "correct"),
    (WAY, "12km", "correct"),
    (WAY, "12 Kilometres", "correct"),
    (WAY, "twelve", "correct"),
    (WAY, "Twelve kilometres", "correct"),
    (WAY, "12 in total", "correct"),
    (WAY, "12 km, not 13 km", "correct"),
    (WAY, "about 12 km (7.5 miles)", "correct"),
    (WAY, "The distance is 12 km.", "correct"),
    (WAY, "\\boxed{12\\text{ km}}", "correct"),
    (WAY, "1 1/2 km = 12", "correct"),
    # Another unit is invalid.
    (WAY, "12 miles", "wrong"),
    (WAY, "12 km/h", "invalid"),
    (WAY, "12km\u00b2", "invalid"),
    (WAY, "12m", "wrong"),
    (WAY, "12 kmh", "invalid"),
    (WAY, "12 million miles", "wrong"),
    # Another number is wrong.
    (WAY, "13", "wrong"),
    (WAY, "-12", "wrong"),
    (WAY, "12.5 km", "wrong"),
    (WAY, "The answer is 12.\nBut no.\nThe answer is 13.", "wrong"),
    (WAY, "Answer: 13\n\n12 km?", "wrong"),
    # What is no single number is invalid.
    (key("numeric", value=12), "no number", "invalid"),
    (key("numeric", value=12), "I can't say, but 12 is near.", "invalid"),
    (key("numeric", value=12), "Answer: unknown", "invalid"),
    (key("numeric", value=12), "12 or 13", "invalid"),
    (key("numeric", value=12), "12-13", "invalid"),
    (key("numeric", value=12), "12 to 13", "invalid"),
    (key("numeric", value=12), "between 12 and 13", "invalid"),
    (key("numeric", value=12), "12, 13", "invalid"),
    (key("numeric", value=12), "x = 12, y = 13", "invalid"),
    (key("numeric", value=12), "12:30", "invalid"),
    (key("numeric", value=12), "12/3/2024", "invalid"),
    (key("numeric", value=12), "12.3.4", "invalid"),
    (key("numeric", value=12), "12\u03c0", "invalid"),
    (key("numeric", value=12), "12x", "invalid"),
    (key("numeric", value=12), "12!", "correct"),
    (key("numeric", value=12), "3 km and 200 m", "invalid"),
    (key("numeric", value=12), "There are 12 of 13 in the bag here.", "invalid"),
    (key("numeric", value=12), "Answer: 12\nAnswer: 13", "invalid"),
    (key("numeric", value=12), "\\boxed{12} and \\boxed{13}", "invalid"),
    (key("numeric", value=12), "12\n13", "invalid"),
    (key("numeric", value=12), "1e999", "invalid"),
    (key("numeric", value=12), "10^10^10", "invalid"),
    (key("numeric", value=12), "1/0", "invalid"),
    (key("numeric", value=12), "0/0", "invalid"),
    (key("numeric", value=12), "nan", "invalid"),
    (key("numeric", value=12), "inf", "invalid"),
    (key("numeric", value=12), "1,23,4", "invalid"),
    (key("numeric", value=12), "9" * 500, "invalid"),
    (key("numeric", value=12), "<think>12", "invalid"),
    (key("numeric", value=12), "12 + 0", "invalid"),
    (key("numeric", value=12), "6 \u00d7 6", "invalid"),
    (key("numeric", value=12), "log(12)", "invalid"),
    (key("numeric", value=12), "more than 12", "invalid"),
    (key("numeric", value=12), "Answer: at least 12", "invalid"),
    (key("numeric", value=12), "Answer: \u2265 12", "invalid"),
    (key("numeric", value=12), "forty-two", "wrong"),
    (key("numeric", value=42), "forty-two", "correct"),
    (key("numeric", value=40), "The answer is forty.", "correct"),
    (key("numeric", value=12), "two hundred", "wrong"),
    (key("numeric", value=12), "one half", "invalid"),
    (key("numeric", value=12), "12 hundred", "invalid"),
    (key("numeric", value=12), "0x0C", "invalid"),
    (key("numeric", value=12), "12th", "invalid"),
    (key("numeric", value=12), "\u221a144", "invalid"),
]


@pytest.mark.parametrize(("by", "text", "expected"), CASES)
def test_the_outcome_of_a_response(by: Key, text: str, expected: str) -> None:
    assert outcome(text, by) == expected
