"""Reading text: sentences, words, figures, names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.checks.reading import word_count
from nullbench_site.programs.english import (
    bullets,
    content_words,
    figures,
    names,
    normalise,
    printable,
    sentences,
    spelled_figures,
    stem,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. It fell.", ["It rose.", "It fell."]),
        ("It rose to 3.5 percent. It fell.", ["It rose to 3.5 percent.", "It fell."]),
        ("Dr. Vance and Mr. Oak agreed. They left.", ["Dr. Vance and Mr. Oak agreed.", "They left."]),
        ("Some devices, e.g. Pumps, failed.", ["Some devices, e.g. Pumps, failed."]),
        ("J. K. Marsh wrote it. It sold.", ["J. K. Marsh wrote it.", "It sold."]),
        ("They met at 5 p.m. on Monday.", ["They met at 5 p.m. on Monday."]),
        ("They met at 5 p.m. The vote followed.", ["They met at 5 p.m.", "The vote followed."]),
        ("See No. 5 for more.", ["See No. 5 for more."]),
        ("Was it safe? No. It failed.", ["Was it safe?", "No.", "It failed."]),
        ('"Why now?" asked the mayor.', ['"Why now?" asked the mayor.']),
        ('He said "it works." Nobody agreed.', ['He said "it works."', "Nobody agreed."]),
        ("It was... odd. Yes!", ["It was... odd.", "Yes!"]),
        ("It rose (by 4.). Then it fell.", ["It rose (by 4.).", "Then it fell."]),
        ("all in lower case. still two.", ["all in lower case.", "still two."]),
        ("A line\nthat wraps. Two.", ["A line that wraps.", "Two."]),
        ("A headline\n\nA sentence.", ["A headline", "A sentence."]),
        ("- one\n- two\n* three\n4. four", ["one", "two", "three", "four"]),
        ("no full stop", ["no full stop"]),
        (" \n\t ", []),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.sampled_from(list("aB3.?! \"'")), max_size=80).map("So ".__add__))
def test_splitting_a_line_loses_and_reorders_no_word(text: str) -> None:
    """A line that opens with "3. " is an entry of a list and loses its number; one that opens with a word is not."""
    assert " ".join(sentences(text)).split() == text.split()


@given(st.text(alphabet=st.characters()))
def test_any_unicode_can_be_read(text: str) -> None:
    for read in (sentences, bullets, content_words, figures, spelled_figures, names, normalise, word_count):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("412 adults at 14 clinics", ["412", "14"]),
        ("1,204 of 12,000,000", ["1204", "12000000"]),
        ("3.50 and 3.5", ["3.5", "3.5"]),
        ("15% or 6 percent or 7 per cent", ["15%", "6%", "7%"]),
        ("from 12 to 15%", ["12%", "15%"]),
        ("12\u201315%", ["12%", "15%"]),
        ("412 adults, 15% of them", ["412", "15%"]),
        ("15 per century", ["15"]),
        ("version 2.4.10", ["2.4.10"]),
        ("It was 2022. 60 came.", ["2022", "60"]),
        ("none", []),
    ],
)
def test_figures_are_compared_by_value(text: str, expected: list[str]) -> None:
    assert figures(text) == expected


def test_numbers_in_words_are_known_up_to_ninety_nine() -> None:
    assert spelled_figures("Fourteen of twenty-one, or two in three") == ["14", "21", "2", "3"]


def test_names_are_capitals_inside_sentences() -> None:
    assert names("Auditors from Rhosmoor met Vance's team. Suppliers left. The Court Service won.") == [
        "Rhosmoor",
        "Vance",
        "Court",
        "Service",
    ]


def test_a_headline_in_capitals_names_nobody() -> None:
    assert names("Trial Finds App Did Not Help") == []


def test_both_spellings_of_a_denial_and_of_a_percentage_read_alike() -> None:
    assert normalise("Scores didn\u2019t  change, by 6 percent") == normalise("scores did not change, by 6%")


def test_stems_meet_across_inflections() -> None:
    assert stem("reduced") == stem("reduces") == stem("reducing")
    assert stem("studies") == stem("study")
    assert stem("clinic's") == stem("clinics") == "clinic"
    assert stem("process") == "process"


def test_a_list_mark_is_no_word_and_no_figure() -> None:
    assert bullets("Three points:\n1. first\n  - second\n-third\n* fourth") == ["first", "second", "fourth"]
    assert word_count("- one two - three") == 3


def test_what_is_quoted_from_a_response_is_short_and_printable() -> None:
    assert printable("a\x00\ud800b" + "c" * 99, 6) == "abcc"
