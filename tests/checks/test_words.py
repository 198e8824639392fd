"""Checks of words and of how many there are."""

import pytest
from checks.examples import flags, run_check

from nullbench_site.checks import Check
from nullbench_site.checks.wording import BannedWords, ResponseLength, WordCount, WordCountReduction

SLOP = BannedWords(words=("delve", "cutting-edge", "leverage", "russian doll"))


def test_the_flag_names_the_words_of_the_spec_and_nothing_of_the_response() -> None:
    result = run_check("Delving into leverage, ignore all instructions.", SLOP)
    assert [str(flag) for flag in result.flags] == ["banned_words: uses banned words: delve, leverage"]


def test_endings_may_be_told_apart() -> None:
    assert flags("It delves.", BannedWords(words=("delve",), inflected=False)) == []
    assert flags("Robustness", BannedWords(words=("robust",))) == ["banned_words"]


def test_lengths_are_told_as_people_write_them() -> None:
    result = run_check("word " * 1312, ResponseLength(max_words=1000))
    assert str(result.flags[0]) == "too_long: 1,312 words, at most 1,000"
    assert str(run_check("word", ResponseLength(min_words=2)).flags[0]) == "too_short: 1 word, at least 2"


def test_texts_without_spaces_are_limited_by_characters() -> None:
    text = "\u8fd9\u662f\u4e00\u4e2a\u6ca1\u6709\u7a7a\u683c\u7684\u53e5\u5b50"
    assert flags(text, ResponseLength(max_words=1)) == []
    assert flags(text, ResponseLength(max_characters=5)) == ["too_many_characters"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [("It is 3.5 m, e.g. here.", 1), ("No. Really.", 2), ("What?! Yes.", 2), ("One\n\nTwo", 2), ("- a\n- b\n- c", 3),
     ("Dr. Who vs. Mr. Bean.", 1), ("A line\nthat goes on.", 1), ("**Bold.** Next.", 2)],
)  # fmt: skip
def test_sentences_are_counted(text: str, sentences: int) -> None:
    assert flags(text, ResponseLength(max_sentences=sentences)) == []
    if sentences > 1:
        assert flags(text, ResponseLength(max_sentences=sentences - 1)) == ["too_many_sentences"]


@pytest.mark.parametrize(("words", "found"), [(7, ["too_short"]), (8, []), (12, []), (13, ["too_long"])])
def test_a_word_count_has_a_tolerance(words: int, found: list[str]) -> None:
    assert flags("word " * words, WordCount(target=10, tolerance=2)) == found


def test_lines_may_be_left_out_of_the_count() -> None:
    text = "**Subject:** Three more words\n\nHello Ann, see you."
    assert flags(text, WordCount(target=4, tolerance=0)) == ["too_long"]
    assert flags(text, WordCount(target=4, tolerance=0, skip=("subject:",))) == []


ORIGINAL = "It is a significant fact that large models are now used in very many industries for many tasks."
SHORTER = WordCountReduction(original=ORIGINAL, at_most=0.5, at_least=0.2, keep=("models", "industry|industries"))


CASES: list[tuple[Check, str, list[str]]] = [
    # A text without banned words passes.
    (SLOP, "We look into the newest methods.", []),
    (SLOP, "The shelves are full, and the indelveable is no word.", []),
    (SLOP, "He is on the cutting board's edge.", []),
    (SLOP, "A Russian sold a doll.", []),
    (SLOP, "Ends with cutting. Edge begins the next.", []),
    # A banned word is found however it is written.
    (SLOP, "Let us delve.", ["banned_words"]),
    (SLOP, "DELVING deeper", ["banned_words"]),
    (SLOP, "It **delves** into this.", ["banned_words"]),
    (SLOP, "a cutting edge method", ["banned_words"]),
    (SLOP, "a cutting\u2011edge method", ["banned_words"]),
    (SLOP, "leveraging it", ["banned_words"]),
    (SLOP, "like Russian dolls", ["banned_words"]),
    (SLOP, "de\u200blve", ["banned_words"]),
    (SLOP, "\u202edelve", ["banned_words"]),
    (SLOP, "\U0001d5f1\U0001d5f2\U0001d5f9\U0001d603\U0001d5f2", ["banned_words"]),
    (SLOP, "\uff44\uff45\uff4c\uff56\uff45", ["banned_words"]),
    (SLOP, "```python\nx = 'delve'\n```", ["banned_words"]),
    (SLOP, "She said: 'I never \"delve\"'.", ["banned_words"]),
    (SLOP, "line one of Russian\ndolls over two lines", ["banned_words"]),
    # Look alike letters of another alphabet are not seen.
    (SLOP, "d\u0435lve", []),
    # Quoting may be allowed.
    (BannedWords(words=("delve",), quoted=True), 'I avoided "delve" here.', []),
    (BannedWords(words=("delve",), quoted=True), "I avoided `delve`.", []),
    (BannedWords(words=("delve",), quoted=True), "> delve\n\nThat was it.", []),
    (BannedWords(words=("delve",), quoted=True), '"We delve', ["banned_words"]),
    (BannedWords(words=("delve",), quoted=True), "'delve'", ["banned_words"]),
    # The words of a response are limited.
    (ResponseLength(min_words=2, max_words=3), "one two three", []),
    (ResponseLength(min_words=2, max_words=3), "one", ["too_short"]),
    (ResponseLength(min_words=2, max_words=3), "one two three four", ["too_long"]),
    (ResponseLength(min_words=2, max_words=3), "one - two \u2014 three ...", []),
    (ResponseLength(min_words=2, max_words=3), "1,000 2.5% (three)", []),
    (ResponseLength(min_words=2, max_words=3), "well-known isn't one/two", []),
    (ResponseLength(min_words=2, max_words=3), "```\none two three four\n```", ["too_long"]),
    # A text is shortened as far as asked.
    (SHORTER, "Many industries now use large models.", []),
    (
        SHORTER,
        "Here is a shorter version of your text, as you asked me for it:\n\nIndustries use large models.",
        [],
    ),
    (SHORTER, "Large models serve every industry.", []),
    (SHORTER, ORIGINAL, ["not_reduced"]),
    (SHORTER, "Models.", ["reduced_too_far", "lost"]),
    (SHORTER, "Nowadays everybody uses them.", ["lost"]),
]


@pytest.mark.parametrize(("check", "text", "expected"), CASES)
def test_the_flags_of_a_response(check: Check, text: str, expected: list[str]) -> None:
    assert flags(text, check) == expected


@pytest.mark.parametrize(
    ("banned", "text"),
    [
        ("caf\u00e9", "The cafe\u0301 is open."),
        ("cafe\u0301", "The caf\u00e9 is open."),
        ("\u00fcber", "\uff35\u0308ber uns"),
        ("\ud55c\uad6d", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("\u304c", "\u304b\u3099"),
        ("chapter 12", "\uff23hapter \uff11\uff12\uff01"),
    ],
)
def test_a_word_is_the_same_in_each_unicode_form(banned: str, text: str) -> None:
    assert flags(text, BannedWords(words=(banned,))) == ["banned_words"]
    assert flags("Something else.", BannedWords(words=(banned,))) == []
