"""Numbers as readers see them."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.site import words

THIN, SPACE, MINUS = "\u202f", "\u00a0", "\u2212"

NUMBERS = """
None 1 | not measured
0 1 | 0.0
7 0 | 7
82.04 1 | 82.0
82.05000001 1 | 82.1
99.96 1 | 100.0
-0.0 1 | 0.0
-0.04 1 | 0.0
-0.06 1 | −0.1
-12.34 1 | −12.3
999.94 1 | 999.9
999.96 1 | 1 000.0
1234567.0 0 | 1 234 567
-1234.5 1 | −1 234.5
0.6667 3 | 0.667
"""
SIGNED = """
0.236 | +0.24
-0.236 | −0.24
0.0 | 0.00
0.004 | 0.00
-0.004 | 0.00
None | not measured
"""
INTERVALS = """
None None |
0.0 0.0 |
58.12 62.37 | [58.1–62.4]
0.0 3.7 | [0.0–3.7]
0.03 1.5 | [0.0–1.5]
60.01 60.04 | [60.01–60.04]
16.7 16.700001 | [16.700000–16.700001]
-0.4 1.94 | [−0.4 to 1.9]
"""
DIFFERENCES = """
-0.4 1.94 | [−0.4 to +1.9]
0.41 1.94 | [+0.4 to +1.9]
0.03 1.5 | [+0.03 to +1.50]
-1.5 -0.004 | [−1.500 to −0.004]
0.0 1.5 | [0.0 to +1.5]
"""
ESTIMATES = """
60.21 58.1 62.4 | 60.2 [58.1–62.4]
60.21 None None | 60.2
None None None | not measured
"""
SHARES = """
None | not measured
0.0 | 0.0 %
1.0 | 100.0 %
0.33333 | 33.3 %
"""
TIMES = """
None | not measured
0.004 | 4 µs
0.872 | 872 µs
0.9994 | 999 µs
0.9996 | 1.0 ms
1.0 | 1.0 ms
12.34 | 12.3 ms
99.94 | 99.9 ms
99.96 | 100 ms
999.4 | 999 ms
999.6 | 1.0 s
1000.0 | 1.0 s
61250.0 | 61.2 s
1234567.0 | 1 234.6 s
"""
RANKS = """
1 1 1 | 1
2 1 3 | 1–3
None None None | –
2 None None | 2?
"""
COSTS = """
0.0 | $0.00
0.00001 | < $0.0001
0.00005 | $0.0001
0.0123 | $0.0123
0.99 | $0.9900
0.999 | $1.00
1.234 | $1.23
12345.678 | $12 345.68
"""


def _differences(low: float, high: float) -> str:
    return words.interval(low, high, signs=True)


@pytest.mark.parametrize(
    ("say", "given_values", "said"),
    [
        pytest.param(say, [None if each == "None" else float(each) for each in values.split()], said.strip(" "),
                     id=f"{name} {values}")
        for name, say, table in (
            ("number", lambda value, digits: words.number(value, int(digits)), NUMBERS),
            ("signed", words.signed, SIGNED),
            ("interval", words.interval, INTERVALS),
            ("difference", _differences, DIFFERENCES),
            ("estimate", words.estimate, ESTIMATES),
            ("percent", words.percent, SHARES),
            ("milliseconds", words.milliseconds, TIMES),
            ("rank_range", lambda *ranks: words.rank_range(*(rank and int(rank) for rank in ranks)), RANKS),
            ("dollars", words.dollars, COSTS),
        )
        for values, _, said in (line.partition("|") for line in table.strip("\n").split("\n"))
    ],
)  # fmt: skip
def test_numbers_in_words(say: Callable[..., str], given_values: list[float | None], said: str) -> None:
    assert say(*given_values) == said


def test_an_absent_number_can_be_said_in_other_words() -> None:
    assert words.number(None, absent="–") == "–"


def test_counts_in_words() -> None:
    assert [words.plural(count, "item") for count in range(3)] == ["0 items", "1 item", "2 items"]
    assert words.of(23, 24) == "23 of 24"
    assert [words.listed([*names]) for names in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]
    assert [words.yes_or_no(holds) for holds in (True, False, None)] == ["yes", "no", "not measured"]


@given(st.floats(-1e9, 1e9), st.integers(0, 4))
def test_a_number_reads_back_as_itself_rounded_and_zero_never_has_a_sign(value: float, digits: int) -> None:
    said = words.number(value, digits)
    read = float(said.replace(THIN, "").replace(MINUS, "-"))
    assert abs(read - value) <= 0.5 * 10**-digits * (1 + 1e-6) + 1e-6
    assert read != 0 or MINUS not in said


@given(st.floats(-100, 100).map(lambda x: round(x, 6)), st.floats(1e-6, 100).map(lambda x: round(x, 6)))
def test_the_two_ends_of_an_interval_never_read_alike(low: float, width: float) -> None:
    low_end, high_end = words.interval(low, round(low + width, 6)).strip("[]").replace(" to ", "–").split("–")
    assert low_end != high_end


@given(st.floats(0.0006, 1e7))
def test_a_time_is_never_a_thousand_of_a_smaller_unit_and_never_zero(milliseconds: float) -> None:
    said, unit = words.milliseconds(milliseconds).split(SPACE)
    number = float(said.replace(THIN, ""))
    assert number > 0
    assert unit == "s" or number < 1000


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


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("GPT-5.5 (extra-high effort)", "GPT-5.5 (extra-high effort)"),
        ("modèle \u66f8", "modèle \u66f8"),
        ("\u05de\u05d5\u05d3\u05dc 7", "\u2068\u05de\u05d5\u05d3\u05dc 7\u2069"),
        ("Jais \u062c\u064a\u0633", "\u2068Jais \u062c\u064a\u0633\u2069"),
    ],
)
def test_a_title_in_a_sentence_moves_no_number_after_it(title: str, said: str) -> None:
    assert words.isolated(title) == said


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
