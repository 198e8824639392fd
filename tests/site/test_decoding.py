"""How each contestant was asked, on the page of the method and on its own: by its spec, or else by the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec
import pytest
from support.rubric_sites import BOARD
from support.sites import Site

from nullbench_site.site.pages import methodology, models
from nullbench_site.site.pages.usage import decoding_words, decodings
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import Decoding

COLD, SHORT, BARE = Decoding(), Decoding(temperature=0.7, max_tokens=100), Decoding(temperature=None, max_tokens=1)


def asked(site: Site, board: Decoding = COLD, *, programs: int = 0, **own: Decoding) -> BoardView:
    """The view of the board where `board` is its decoding, `own` that of some contestants, the last ones programs."""
    benchmark, (view,) = site.data.benchmark, site.data.views
    made = {
        name: msgspec.structs.replace(
            model,
            decoding=own.get(name),
            backend="offline" if number >= len(benchmark.models) - programs else model.backend,
        )
        for number, (name, model) in enumerate(benchmark.models.items())
    }
    decoded = msgspec.structs.replace(benchmark.boards[BOARD], decoding=board)
    return replace(view, board=decoded, benchmark=replace(benchmark, models=made, boards={BOARD: decoded}))


@pytest.mark.parametrize(
    ("decoding", "expected"),
    [
        (COLD, "at temperature 0"), (SHORT, "at temperature 0.7, for at most 100 tokens"),
        (BARE, "without a temperature, for at most 1 token"), (Decoding(temperature=None), "without a temperature"),
    ],
)  # fmt: skip
def test_a_contestant_is_asked_as_its_own_spec_says_or_else_as_the_board_does(
    rubric_site: Site, decoding: Decoding, expected: str
) -> None:
    for view in (asked(rubric_site, decoding), asked(rubric_site, clear=decoding)):
        assert decoding_words(view, view.benchmark.models["clear"]) == expected


@pytest.mark.parametrize(
    ("own", "programs", "expected"),
    [
        ({}, 0, "All are asked at temperature 0."),
        ({}, 4, "All are programs, which decode nothing."),
        (
            {"wordy": BARE}, 0,
            "They are asked at temperature 0: Clear, Hasty and Null: silence; "
            "without a temperature, for at most 1 token: Wordy.",
        ),
        (
            {"clear": SHORT}, 3,
            "They are asked at temperature 0.7, for at most 100 tokens: Clear; "
            "as programs, which decode nothing: Wordy, Hasty and Null: silence.",
        ),
    ],
)  # fmt: skip
def test_the_method_says_how_each_contestant_is_asked(
    rubric_site: Site, own: Mapping[str, Decoding], programs: int, expected: str
) -> None:
    view = asked(rubric_site, programs=programs, **own)
    data = replace(rubric_site.data, benchmark=view.benchmark)
    page = next(page for page in methodology.pages(data) if "board" in page.context)
    assert page.context["board"]["decoding"] == decodings(view) == expected
    shown = {page.url: page.context for page in models.pages(data)}
    wordy = shown["models/wordy/"]["boards"][0]["decoding"]
    assert wordy == ("" if programs else decoding_words(view, view.benchmark.models["wordy"]))


def test_the_pages_of_the_site_say_it(rubric_site: Site) -> None:
    assert "All are asked at temperature 0." in rubric_site.below("methodology/").text
    assert "Asked at temperature 0." in rubric_site.content("models/clear/").text
