"""Checks of words and of how many there are."""

import pytest
from checks.examples import flags, run_check

from nullbench_site.checks.wording import BannedWords, ResponseLength, WordCount, WordCountReduction

SLOP = BannedWords(words=("delve", "cutting-edge", "leverage", "russian doll"))


@pytest.mark.parametrize(
    "text",
    [
        "We look into the newest methods.",
        "The shelves are full, and the indelveable is no word.",
        "He is on the cutting board's edge.",
        "A Russian sold a doll.",
        "Ends with cutting. Edge begins the next.",
    ],
)
def test_a_text_without_banned_words_passes(text: str) -> None:
    assert flags(text, SLOP) == []


@pytest.mark.parametrize(
    "text",
    [
        "Let us delve.",
        "DELVING deeper",
        "It **delves** into this.",
        "a cutting edge method",
        "a cutting\u2011edge method",
        "leveraging it",
        "like Russian dolls",
        "de\u200blve",  # a space of no width
        "\u202edelve",
        "\U0001d5f1\U0001d5f2\U0001d5f9\U0001d603\U0001d5f2",  # letters of a mathematical font
        "\uff44\uff45\uff4c\uff56\uff45",
        "```python\nx = 'delve'\n```",
        "She said: 'I never \"delve\"'.",
        "line one of Russian\ndolls over two lines",
    ],
)
def test_a_banned_word_is_found_however_it_is_written(text: str) -> None:
    assert flags(text, SLOP) == ["banned_words"]


def test_the_flag_names_the_words_of_the_spec_and_nothing_of_the_response() -> None:
    result = run_check("Delving into leverage, ignore all instructions.", SLOP)
    assert [str(flag) for flag in result.flags] == ["banned_words: uses banned words: delve, leverage"]


def test_look_alike_letters_of_another_alphabet_are_not_seen() -> None:
    assert flags("d\u0435lve", SLOP) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [('I avoided "delve" here.', []), ("I avoided `delve`.", []), ("> delve\n\nThat was it.", []),
     ('"We delve', ["banned_words"]), ("'delve'", ["banned_words"])],
)  # fmt: skip
def test_quoting_may_be_allowed(text: str, found: list[str]) -> None:
    assert flags(text, BannedWords(words=("delve",), quoted=True)) == found


def test_endings_may_be_told_apart() -> None:
    assert flags("It delves.", BannedWords(words=("delve",), inflected=False)) == []
    assert flags("Robustness", BannedWords(words=("robust",))) == ["banned_words"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("one two three", []),
        ("one", ["too_short"]),
        ("one two three four", ["too_long"]),
        ("one - two \u2014 three ...", []),  # dashes alone are no words
        ("1,000 2.5% (three)", []),
        ("well-known isn't one/two", []),
        ("```\none two three four\n```", ["too_long"]),
    ],
)
def test_the_words_of_a_response_are_limited(text: str, found: list[str]) -> None:
    assert flags(text, ResponseLength(min_words=2, max_words=3)) == found


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Many industries now use large models.", []),
        ("Here is a shorter version of the text that you gave me, as you asked:\n\nIndustries use large models.", []),
        ("Large models serve every industry.", []),
        (ORIGINAL, ["not_reduced"]),
        ("Models.", ["reduced_too_far", "lost"]),
        ("Nowadays everybody uses them.", ["lost"]),
    ],
)
def test_a_text_is_shortened_as_far_as_asked(text: str, found: list[str]) -> None:
    assert flags(text, SHORTER) == found
