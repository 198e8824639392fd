"""Words that every room needs; how pages show numbers is in tests/site/test_words.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.text import did_you_mean, escaped, fitted, nearest, one_line, plural, quoted, shortened, usd


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0.0, "0"), (0.00001, "< 0.0001"), (0.0123, "0.0123"), (1.005, "1.00"), (1234.5, "1,234.50")],
)
def test_what_was_spent_is_never_rounded_to_nothing(amount: float, said: str) -> None:
    assert usd(amount) == said


def test_one_is_singular_and_thousands_are_parted() -> None:
    assert [plural(n, "item") for n in (0, 1, 2)] == ["0 items", "1 item", "2 items"]
    assert plural(12272, "category", "categories") == "12\N{NARROW NO-BREAK SPACE}272 categories"
    assert plural(1204, "word", thousands=",") == "1,204 words"


@given(st.text())
def test_no_text_can_command_a_terminal_or_begin_a_line(text: str) -> None:
    for shown in (escaped(text), one_line(text), quoted(text)):
        assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)
        assert len(shown.splitlines()) <= 1
        assert shown.encode().decode() == shown, "no halves of characters"


def test_what_prints_is_shown_as_it_is_and_the_rest_written_out() -> None:
    assert escaped("Zürich – 東京 🎉 [bold] \\n") == "Zürich – 東京 🎉 [bold] \\n"
    assert escaped("up\x1b[2J\rand\n\u202edone") == "up\\x1b[2J\\rand\\n\\u202edone"


def test_a_line_keeps_the_joiners_of_scripts_and_emoji_and_nothing_that_turns_the_reading() -> None:
    assert one_line(" a\u202eb\u2066\n\tc\u200b\ud800 d ") == "a b c d"
    assert (
        one_line("\U0001f469\u200d\U0001f4bb \u0645\u06cc\u200c\u062e")
        == "\U0001f469\u200d\U0001f4bb \u0645\u06cc\u200c\u062e"
    )
    assert one_line("a\x1bb", "?") == "a?b"


def test_what_is_cut_says_so_and_fits() -> None:
    assert shortened("four words are here", 19) == "four words are here"
    assert shortened("four words are here", 12) == "four words…"
    assert fitted("wide", 3, lambda _, __: 1) == "wi…"
    assert fitted("wide", 0.5, lambda _, __: 1) == ""
    assert quoted("a" * 90) == f"'{'a' * 56}..."


def test_a_mistyped_name_is_answered_with_the_nearest() -> None:
    assert nearest("Scince", ["science", "history"]) == "science"
    assert nearest("xyz", ["science"]) is None
    assert did_you_mean("scince", ["science", "art"]) == "did you mean 'science'? known: art, science"
    assert did_you_mean("b", "acdef", limit=2) == "known: a, c and 3 more"
    assert did_you_mean("b", []) == "none is defined"
