"""Numbers as readers see them."""

from __future__ import annotations

import html
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.site import words

THIN, SPACE, MINUS = "\u202f", "\u00a0", "\u2212"


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (None, 1, "not measured"),
        (0, 1, "0.0"),
        (7, 0, "7"),
        (82.04, 1, "82.0"),
        (82.05000001, 1, "82.1"),
        (99.96, 1, "100.0"),
        (-0.0, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (-0.06, 1, f"{MINUS}0.1"),
        (-12.34, 1, f"{MINUS}12.3"),
        (999.94, 1, "999.9"),
        (999.96, 1, f"1{THIN}000.0"),
        (1234567.0, 0, f"1{THIN}234{THIN}567"),
        (-1234.5, 1, f"{MINUS}1{THIN}234.5"),
        (0.6667, 3, "0.667"),
    ],
)
def test_a_number_has_fixed_digits_thin_thousands_and_a_real_minus(value: float | None, digits: int, said: str) -> None:
    assert words.number(value, digits) == said


def test_an_absent_number_can_be_said_in_other_words() -> None:
    assert words.number(None, absent="–") == "–"


@given(st.floats(-1e9, 1e9), st.integers(0, 4))
def test_a_number_reads_back_as_itself_rounded_and_zero_never_has_a_sign(value: float, digits: int) -> None:
    said = words.number(value, digits)
    read = float(said.replace(THIN, "").replace(MINUS, "-"))
    assert abs(read - value) <= 0.5 * 10**-digits * (1 + 1e-6) + 1e-6
    assert read != 0 or MINUS not in said


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (None, None, ""),
        (0.0, 0.0, ""),
        (58.12, 62.37, "[58.1–62.4]"),
        (0.0, 3.7, "[0.0–3.7]"),
        (60.01, 60.04, "[60.01–60.04]"),
        (16.7, 16.700001, "[16.700000–16.700001]"),
        (-0.4, 1.94, f"[{MINUS}0.4 to 1.9]"),
    ],
)
def test_an_interval_is_its_two_ends_and_never_without_width(low: float | None, high: float | None, said: str) -> None:
    assert words.interval(low, high) == said


def test_the_ends_of_a_difference_have_signs() -> None:
    assert words.interval(-0.4, 1.94, signs=True) == f"[{MINUS}0.4 to +1.9]"
    assert words.interval(0.41, 1.94, signs=True) == "[+0.4 to +1.9]"


@given(st.floats(-100, 100).map(lambda x: round(x, 6)), st.floats(1e-6, 100).map(lambda x: round(x, 6)))
def test_the_two_ends_of_an_interval_never_read_alike(low: float, width: float) -> None:
    low_end, high_end = words.interval(low, round(low + width, 6)).strip("[]").replace(" to ", "–").split("–")
    assert low_end != high_end


@pytest.mark.parametrize(
    ("share", "said"),
    [(None, "not measured"), (0.0, f"0.0{SPACE}%"), (1.0, f"100.0{SPACE}%"), (1 / 3, f"33.3{SPACE}%")],
)
def test_a_share_is_said_in_percent(share: float | None, said: str) -> None:
    assert words.percent(share) == said


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [
        (None, "not measured"),
        (0.004, f"4{SPACE}µs"),
        (0.872, f"872{SPACE}µs"),
        (0.9994, f"999{SPACE}µs"),
        (0.9996, f"1.0{SPACE}ms"),
        (1.0, f"1.0{SPACE}ms"),
        (12.34, f"12.3{SPACE}ms"),
        (99.94, f"99.9{SPACE}ms"),
        (99.96, f"100{SPACE}ms"),
        (999.4, f"999{SPACE}ms"),
        (999.6, f"1.0{SPACE}s"),
        (1000.0, f"1.0{SPACE}s"),
        (61_250.0, f"61.2{SPACE}s"),
        (1_234_567.0, f"1{THIN}234.6{SPACE}s"),
    ],
)
def test_a_time_is_said_in_the_unit_that_reads_best(milliseconds: float | None, said: str) -> None:
    assert words.milliseconds(milliseconds) == said


@given(st.floats(0.0006, 1e7))
def test_a_time_is_never_a_thousand_of_a_smaller_unit_and_never_zero(milliseconds: float) -> None:
    said, unit = words.milliseconds(milliseconds).split(SPACE)
    number = float(said.replace(THIN, ""))
    assert number > 0
    assert unit == "s" or number < 1000


@pytest.mark.parametrize(
    ("rank", "low", "high", "said"), [(1, 1, 1, "1"), (2, 1, 3, "1–3"), (None, None, None, "–"), (2, None, None, "2?")]
)
def test_a_rank_is_a_range_unless_it_is_certain(rank: int | None, low: int | None, high: int | None, said: str) -> None:
    assert words.rank_range(rank, low, high) == said


@pytest.mark.parametrize(("count", "said"), [(0, "0 items"), (1, "1 item"), (2, "2 items")])
def test_nouns_agree_with_their_numbers(count: int, said: str) -> None:
    assert words.plural(count, "item") == said


@pytest.mark.parametrize(
    ("given_words", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists_read_as_sentences_do(given_words: list[str], said: str) -> None:
    assert words.listed(given_words) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "$0.00"),
        (0.00001, "< $0.0001"),
        (0.00005, "$0.0001"),
        (0.0123, "$0.0123"),
        (0.99, "$0.9900"),
        (0.999, "$1.00"),
        (1.234, "$1.23"),
        (12345.678, "$12 345.68"),
    ],
)
def test_a_cost_has_as_many_digits_as_say_something(value: float, said: str) -> None:
    assert words.dollars(value) == said.replace(" 345", "\N{NARROW NO-BREAK SPACE}345")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt-x-2026", "gpt-x-2026"),
        ("two\n\nlines\tand  blanks", "two��lines�and blanks"),
        ("\x1b[31m\x00\x02\u202e\u200b", "�[31m����"),
        ("x" * 81, "x" * 79 + "…"),
    ],
)
def test_a_name_that_an_endpoint_gave_stays_on_its_line(name: str, said: str) -> None:
    assert words.foreign(name) == said


@given(st.text())
def test_no_name_that_an_endpoint_gave_holds_a_control_character(name: str) -> None:
    said = words.foreign(name)
    assert len(said.splitlines()) <= 1
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in said)


def test_a_part_is_said_of_its_whole() -> None:
    assert words.of(23, 24) == "23 of 24"


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Small board", "Small board"),
        ("  two\n\tlines ", "two lines"),
        ("</title><script>", "‹/title›‹script›"),
        ('" onmouseover="alert(1)', "” onmouseover=”alert(1)"),
        ("R&amp;D", "R＆amp;D"),
        ("Bücher 🏆 書", "Bücher 🏆 書"),
    ],
)
def test_a_title_for_a_tab_keeps_its_words_and_loses_its_markup(title: str, plain: str) -> None:
    assert words.plain_title(title) == plain


@given(st.text())
def test_a_title_for_a_tab_is_the_same_as_text_as_an_attribute_and_as_markup(title: str) -> None:
    plain = words.plain_title(title)
    assert html.escape(plain, quote=True).replace("&#x27;", "'") == plain
    assert html.unescape(plain) == plain
    assert "\n" not in plain


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.236, "+0.24"),
        (-0.236, "\u22120.24"),
        (0.0, "0.00"),
        (0.004, "0.00"),
        (-0.004, "0.00"),
        (None, "not measured"),
    ],
)
def test_a_difference_has_its_sign_unless_it_is_too_small_to_show(value: float | None, said: str) -> None:
    assert words.signed(value) == said


def test_an_interval_of_a_difference_that_does_not_hold_0_does_not_read_as_if_it_did() -> None:
    assert words.interval(0.03, 1.5, signs=True) == "[+0.03 to +1.50]"
    assert words.interval(-1.5, -0.004, signs=True) == "[\N{MINUS SIGN}1.500 to \N{MINUS SIGN}0.004]"
    assert words.interval(0.0, 1.5, signs=True) == "[0.0 to +1.5]"
    assert words.interval(0.03, 1.5) == "[0.0–1.5]"
