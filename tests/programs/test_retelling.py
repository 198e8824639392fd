"""Statements beside those of a reference: told, told altered, not told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.programs.english import disorder
from nullbench_site.programs.ideal_case import compared

REFERENCE = (
    "The pump of the northern plant failed twice before the autumn storms of 2019.",
    "Most residents reported lower bills after the meters had been replaced in June.",
)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        *((altered, False) for altered in (
            "The pump of the northern plant did not fail twice before the autumn storms of 2019.",
            "The pump of the southern plant failed twice before the autumn storms of 2019.",
            "The pump of the northern plant failed five times before the autumn storms of 2019.",
            "The pump of the northern plant failed twice after the autumn storms of 2019.",
            "The pump of the northern plant failed twice before the autumn storms of 2014.",
            "Because nobody oiled it, the pump of the northern plant failed twice before the autumn storms of 2019.",
            "Of storms the before twice plant the 2019 autumn failed northern pump the of.",
        )),
        *((kept, True) for kept in (
            REFERENCE[0],
            "So the pump of the northern plant failed twice before the autumn storms of 2019!",
            "the pumps of the northern plant failed twice before the autumn storm of 2019",
            "The pump of the northern plant failed twice before the storms.",
            "It was not age: the pump of the northern plant failed twice before the autumn storms of 2019.",
        )),
        ("Two breakdowns hit the north before autumn.", None),
    ],
)  # fmt: skip
def test_a_statement_is_told_or_told_altered_or_not_found(told: str, found: bool | None) -> None:
    assert compared([told], REFERENCE) == [found, None]


def test_what_is_told_both_ways_is_told() -> None:
    other = REFERENCE[0].replace("twice", "never")
    assert compared([other, REFERENCE[0]], REFERENCE) == compared([REFERENCE[0], other], REFERENCE) == [True, None]


@given(st.lists(st.sampled_from([*REFERENCE, "Tulips bloom in the harbour garden every single spring."])))
def test_a_reference_told_as_it_is_is_never_altered(told: list[str]) -> None:
    assert False not in compared(told, REFERENCE)


@given(st.lists(st.text(max_size=80), max_size=6), st.lists(st.text(max_size=80), max_size=6))
def test_there_is_one_finding_for_each_statement(answer: list[str], reference: list[str]) -> None:
    assert len(compared(answer, reference)) == len(reference)


def test_disorder_is_the_share_of_small_words_where_none_can_stand() -> None:
    """Of five small words three stand wrong: "the of", "of is" and "the." at an end; ten more are taken for granted."""
    assert disorder("the of is a pump to the") == pytest.approx(3 / 15)
    assert disorder(" ".join(REFERENCE)) == 0
    assert disorder("") == 0


@given(st.text(max_size=300))
def test_disorder_is_a_share(text: str) -> None:
    assert 0 <= disorder(text) < 1
