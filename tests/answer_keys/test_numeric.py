"""Numbers in every style, and what is no single number."""

from __future__ import annotations

import pytest
from answer_keys.examples import answer, key, outcome
from hypothesis import given
from hypothesis import strategies as st

THOUSAND = key("numeric", value=1234567)
HALF = key("numeric", value=0.75)
WAY = key("numeric", value=12, unit=["km", "kilometres", "kilometers"])
SHARE = key("numeric", value=75, unit=["%", "percent"])
MINUS = key("numeric", value=-5)


@pytest.mark.parametrize(
    "text",
    [
        "1234567",
        "1,234,567",
        "1 234 567",
        "1\u202f234\u202f567",
        "1\u00a0234\u00a0567",
        "1_234_567",
        "1'234'567",
        "1.234.567",
        "1,234,567.00",
        "1.234.567,00",
        "12,34,567",
        "$1,234,567$",
        "\\$1{,}234{,}567",
        "1\\,234\\,567",
        "\u20ac1,234,567",
        "1.234567e6",
        "1.234567E+06",
        "1.234567 \u00d7 10^6",
        "1.234567 x 10^6",
        "1.234567*10^6",
        "1.234567 \\times 10^{6}",
        "1.234567\u00d710\u2076",
        "1.234567 million",
        "1234.567 thousand",
        "2469134/2",
        "\\frac{2469134}{2}",
        "\u0661\u0662\u0663\u0664\u0665\u0666\u0667",
        "\uff11\uff12\uff13\uff14\uff15\uff16\uff17",
        "The answer is 1,234,567.",
        "The answer is approximately 1,234,567 people.",
        "**Answer:** 1234567",
        "#### 1234567",
        "\\boxed{1{,}234{,}567}",
        "Answer: n = 1234567",
        "Answer: 1000000 + 234567 = 1234567",
        "1234567 \u00b1 3",
        "In the end there are 1,234,567 people.",
        "First 3, then 4.\n\nIn the end there are 1,234,567 people.",
        "1234567\n\nBecause 3 of 4 are counted.",
        "<think>Answer: 3</think>1234567",
        "The answer is 3.\n\nNo: the answer is 1234567.",
        "Sure!\n\n1234567\n\nHope this helps!",
    ],
)
def test_a_number_is_read_in_every_style(text: str) -> None:
    assert outcome(text, THOUSAND) == "correct"


@pytest.mark.parametrize(
    "text",
    [
        "0.75",
        ".75",
        "0,75",
        "3/4",
        "\\frac34 = \\frac{3}{4}",
        "\\dfrac{3}{4}",
        "\u00be",
        "75%",
        "75 %",
        "75\\%",
        "75 percent",
        "7.5e-1",
        "7.5\u00b710^-1",
        "7.5 \u00d7 10^-1",
        "7.5\u00d710\u207b\u00b9",
        "x = 0.75",
        "0.75.",
        "+0.75",
        "Answer: 3/4 = 0.75",
    ],
)
def test_fractions_and_percentages_are_read(text: str) -> None:
    assert outcome(text, HALF) == "correct"


@pytest.mark.parametrize(
    "text", ["-5", "\u22125", "\u20135", "- 5", "minus 5", "negative 5", "Answer: -5", "x = -5", "minus five"]
)
def test_a_sign_is_read(text: str) -> None:
    assert outcome(text, MINUS) == "correct"


@pytest.mark.parametrize("text", ["75", "75%", "75 percent", "75 %.", "The answer is 75%."])
def test_a_percentage_is_itself_where_percent_is_the_unit(text: str) -> None:
    assert outcome(text, SHARE) == "correct"
    assert outcome("0.75", SHARE) == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "12",
        "12 km",
        "12km",
        "12 Kilometres",
        "twelve",
        "Twelve kilometres",
        "12 in total",
        "12 km, not 13 km",
        "about 12 km (7.5 miles)",
        "The distance is 12 km.",
        "\\boxed{12\\text{ km}}",
        "1 1/2 km = 12",
    ],
)
def test_a_number_may_have_an_allowed_unit(text: str) -> None:
    assert outcome(text, WAY) == "correct"


@pytest.mark.parametrize("text", ["12 miles", "12 km/h", "12km\u00b2", "12m", "12 kmh", "12 million miles"])
def test_another_unit_is_invalid(text: str) -> None:
    assert outcome(text, WAY) == "invalid"


@pytest.mark.parametrize(
    "text", ["13", "-12", "12.5 km", "The answer is 12.\nBut no.\nThe answer is 13.", "Answer: 13\n\n12 km?"]
)
def test_another_number_is_wrong(text: str) -> None:
    assert outcome(text, WAY) == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "no number",
        "I can't say, but 12 is near.",
        "Answer: unknown",
        "12 or 13",
        "12-13",
        "12 to 13",
        "between 12 and 13",
        "12, 13",
        "x = 12, y = 13",
        "12:30",
        "12/3/2024",
        "12.3.4",
        "12\u03c0",
        "12x",
        "12!",
        "3 km and 200 m",
        "There are 12 of 13 in the bag here.",
        "Answer: 12\nAnswer: 13",
        "\\boxed{12} and \\boxed{13}",
        "12\n13",
        "1e999",
        "10^10^10",
        "1/0",
        "0/0",
        "nan",
        "inf",
        "1,23,4",
        "9" * 500,
        "<think>12",
        "12 + 0",
        "6 \u00d7 6",
        "log(12)",
        "more than 12",
        "Answer: at least 12",
        "Answer: \u2265 12",
        "forty-two",
        "two hundred",
        "one half",
        "12 hundred",
        "0x0C",
        "12th",
        "\u221a144",
    ],
)
def test_what_is_no_single_number_is_invalid(text: str) -> None:
    assert outcome(text, key("numeric", value=12)) == "invalid"


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
