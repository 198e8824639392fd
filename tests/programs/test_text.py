"""Reading text: sentences, words, figures, names."""

from collections.abc import Callable

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
    ("read", "text", "expected"),
    [
        (sentences, "It rose. It fell.", ["It rose.", "It fell."]),
        (sentences, "It rose to 3.5 percent. It fell.", ["It rose to 3.5 percent.", "It fell."]),
        (sentences, "Dr. Vance and Mr. Oak agreed. They left.", ["Dr. Vance and Mr. Oak agreed.", "They left."]),
        (sentences, "Some devices, e.g. Pumps, failed.", ["Some devices, e.g. Pumps, failed."]),
        (sentences, "J. K. Marsh wrote it. It sold.", ["J. K. Marsh wrote it.", "It sold."]),
        (sentences, "They met at 5 p.m. on Monday.", ["They met at 5 p.m. on Monday."]),
        (sentences, "They met at 5 p.m. The vote followed.", ["They met at 5 p.m.", "The vote followed."]),
        (sentences, "See No. 5 for more.", ["See No. 5 for more."]),
        (sentences, "Was it safe? No. It failed.", ["Was it safe?", "No.", "It failed."]),
        (sentences, '"Why now?" asked the mayor.', ['"Why now?" asked the mayor.']),
        (sentences, 'He said "it works." Nobody agreed.', ['He said "it works."', "Nobody agreed."]),
        (sentences, "It was... odd. Yes!", ["It was... odd.", "Yes!"]),
        (sentences, "It rose (by 4.). Then it fell.", ["It rose (by 4.).", "Then it fell."]),
        (sentences, "all in lower case. still two.", ["all in lower case.", "still two."]),
        (sentences, "A line\nthat wraps. Two.", ["A line that wraps.", "Two."]),
        (sentences, "A headline\n\nA sentence.", ["A headline", "A sentence."]),
        (sentences, "- one\n- two\n* three\n4. four", ["one", "two", "three", "four"]),
        (sentences, "no full stop", ["no full stop"]),
        (sentences, " \n\t ", []),
        (sentences, "", []),
        (figures, "412 adults at 14 clinics", ["412", "14"]),
        (figures, "1,204 of 12,000,000", ["1204", "12000000"]),
        (figures, "3.50 and 3.5", ["3.5", "3.5"]),
        (figures, "15% or 6 percent or 7 per cent", ["15%", "6%", "7%"]),
        (figures, "from 12 to 15%", ["12%", "15%"]),
        (figures, "12\u201315%", ["12%", "15%"]),
        (figures, "412 adults, 15% of them", ["412", "15%"]),
        (figures, "15 per century", ["15"]),
        (figures, "version 2.4.10", ["2.4.10"]),
        (figures, "It was 2022. 60 came.", ["2022", "60"]),
        (figures, "none", []),
        (spelled_figures, "Fourteen of twenty-one, or two in three", ["14", "21", "2", "3"]),
        # Names are capitals inside sentences; a headline in capitals names nobody.
        (names, "Auditors from Rhosmoor met Vance's team. Suppliers left. The Court Service won.",
         ["Rhosmoor", "Vance", "Court", "Service"]),
        (names, "Trial Finds App Did Not Help", []),
        (bullets, "Three points:\n1. first\n  - second\n-third\n* fourth", ["first", "second", "fourth"]),
        (word_count, "- one two - three", 3),
    ],
)  # fmt: skip
def test_text_is_read_as_a_reader_reads_it(read: Callable[[str], object], text: str, expected: object) -> None:
    assert read(text) == expected


@given(st.text(alphabet=st.sampled_from(list("aB3.?! \"'")), max_size=80).map("So ".__add__))
def test_splitting_a_line_loses_and_reorders_no_word(text: str) -> None:
    """A line that opens with "3. " is an entry of a list and loses its number; one that opens with a word is not."""
    assert " ".join(sentences(text)).split() == text.split()


@given(st.text(alphabet=st.characters()))
def test_any_unicode_can_be_read(text: str) -> None:
    for read in (sentences, bullets, content_words, figures, spelled_figures, names, normalise, word_count):
        read(text)


def test_both_spellings_of_a_denial_and_of_a_percentage_read_alike() -> None:
    assert normalise("Scores didn\u2019t  change, by 6 percent") == normalise("scores did not change, by 6%")


def test_stems_meet_across_inflections() -> None:
    assert stem("reduced") == stem("reduces") == stem("reducing")
    assert stem("studies") == stem("study")
    assert stem("clinic's") == stem("clinics") == "clinic"
    assert stem("process") == "process"


def test_what_is_quoted_from_a_response_is_short_and_printable() -> None:
    assert printable("a\x00\ud800b" + "c" * 99, 6) == "abcc"
