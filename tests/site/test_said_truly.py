"""Sentences that a statistician found untrue stand on no page, and what stands in their place is true of the run."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import PurePosixPath

import msgspec
import pytest
from support.sites import Site

from nullbench_site.site import words
from nullbench_site.site.pages.page import panel_words

_UNTRUE = re.compile(
    r"moves no score|no score is taken off|every judge gives the lowest|lowest rating from every judge"
    r"|without doing what is asked|can see: |is the most even|keeps the highest score|which has the highest score in"
    r"|No other contestant has a higher score|agree on real ones"
)


@pytest.mark.parametrize("made", ["history", "rubric_site", "mixed_site"])
def test_no_page_says_what_is_untrue(made: str, request: pytest.FixtureRequest) -> None:
    site: Site = request.getfixturevalue(made)
    pages = sorted(path for path in site.folder.rglob("*") if path.suffix in (".html", ".txt", ".xml"))
    assert len(pages) > 5
    said = {(path.name, hit[0]) for path in pages for hit in _UNTRUE.finditer(path.read_text("utf-8"))}
    assert said == set()


def test_who_answered_is_counted_alike_wherever_it_is(history: Site) -> None:
    view = history.data.views[0]
    nulls = len(view.rows) - len(view.contestants)
    assert nulls
    said = f"{len(view.contestants)} contestants and {nulls} null model"
    assert said.removeprefix(f"{len(view.contestants)} ") in history.content(history.board).text
    assert said in history.below("methodology/").text
    files = history.data.entry.manifest.files
    kinds = Counter(
        history.data.benchmark.models[PurePosixPath(name).stem].kind for name in files if name[:4] == "resp"
    )
    who = words.entrants(kinds.total() - kinds["null"], kinds["null"])
    assert f"{who}, " in (history.folder / "feed.xml").read_text("utf-8")


def test_where_all_contestants_are_programs_the_board_says_so_and_nowhere_else(history: Site) -> None:
    view = history.data.views[0]
    said = "No language model answered either: all contestants are programs."
    assert said in history.content(history.board).text
    assert said in (history.folder / "llms.txt").read_text("utf-8").replace("\\", "")
    first = view.contestants[0].model
    models = {**view.benchmark.models, first: msgspec.structs.replace(view.benchmark.models[first], backend="openai")}
    mixed = replace(view, benchmark=replace(view.benchmark, models=models))
    assert "No language model answered" not in panel_words(mixed)
