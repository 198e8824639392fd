"""A board that may make no comparative claim makes none, in any output of its site; one that may makes it."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
from support.boards import benchmark, category, domain, judged, model
from support.boards import view as view_in_memory
from support.commits import commit, git
from support.controls import with_ladders
from support.oracle_boards import keyed
from support.repositories import edit
from support.sites import Site, each_of
from support.winning import COMPARING, DEFINING, NEUTRAL, found_in, outputs, reading

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.review.rendering import markdown, text
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.sentences import by_domains, rank_head, silence
from nullbench_site.site.pages.tables import board_table

silent = each_of("small", "mixed")
"""Sites whose every board has three or more marks that are low or not measured."""


def _told(site: Site, below: tuple[str, ...] = ("",)) -> set[tuple[str, str]]:
    return found_in(site, (each for each in outputs(site, below) if not DEFINING.match(each[0])))


def test_no_output_of_a_silent_board_has_a_word_of_winning(silent: Site) -> None:
    assert all(silence(view) for view in silent.data.views)
    assert _told(silent) == set()


def test_no_output_of_the_shipped_site_has_a_word_of_winning_but_those_about_the_board_that_may(
    shipped_site: Site,
) -> None:
    claiming = {view.board.id for view in shipped_site.data.views if not silence(view)}
    assert claiming == {"facts", "livecodebench"}
    of_silent = [f"boards/{view.board.id}/" for view in shipped_site.data.views if silence(view)]
    assert _told(shipped_site, tuple(of_silent)) == set()


def test_the_same_search_finds_the_claims_of_a_board_that_may_make_them(claims_site: Site) -> None:
    (view,) = claims_site.data.views
    assert silence(view) == rank_head(view) == board_table(view).rank_head == ""
    where = {name.split(" ")[0] for name, _ in _told(claims_site)}
    assert where >= {"", "models/copy/", "llms.txt", "feed.xml", "assets/cards/boards/keys.png"}
    assert f"leads with {view.rows['copy'].overall:.1f}" in opening(view).short
    (said,) = by_domains(view, "copy")
    assert said.startswith("It scores higher in Counting (")
    assert " and lower in Naming (" in said
    assert said in claims_site.content("models/copy/").text


# --- reasons ------------------------------------------------------------------------------------------------------


def test_a_judge_that_silences_a_board_silences_all_of_it() -> None:
    view = keyed({"high": 180, "low": 60})
    assert COMPARING.search(" ".join(reading(view)))
    why = "the judge 'j' chose the answer shown second in 28 of 28 decided games (limit 75 %)"
    quiet = replace(view, results=msgspec.structs.replace(view.results, silenced=[why]))
    assert COMPARING.search(NEUTRAL.sub("", " ".join(reading(quiet)))) is None
    assert why.replace("the judge", "The judge") in opening(quiet).short
    assert board_table(quiet).rank_head == "on these items"


def test_a_panel_that_fails_its_controls_silences_the_board_however_few_marks_are_low() -> None:
    """500 items on which the judges agree but for a few, so that contamination alone is low beside validity."""
    items = [f"q{number:03}" for number in range(500)]
    board = benchmark(domain("law", category("courts", *items)), models=("m", "n", model("null-x", "null")))
    marks = {item: 60 + 2 * (number % 20) for number, item in enumerate(items)}
    records = [
        *judged(marks),
        *judged({item: mark // 2 for item, mark in marks.items()}, "n"),
        *judged(dict.fromkeys(items, 1), "null-x"),
    ]
    view = view_in_memory(board, records)
    whole = msgspec.structs.replace(view.results.agreement[0], alpha_scored=0.9)
    view = replace(view, results=msgspec.structs.replace(view.results, agreement=[whole]))
    fit, unfit = (with_ladders(view, negation=True, number=ordered) for ordered in (True, False))
    assert (silence(fit), rank_head(fit)) == ("", "")
    assert "fails its controls (number)" in silence(unfit)
    assert rank_head(unfit) == "with this panel"
    judge, said = view.judges[0], "gave 2 invalid verdicts of 5 (limit 20 %)"
    told = replace(fit, results=msgspec.structs.replace(fit.results, silenced=[f"the judge {judge.id!r} {said}"]))
    assert silence(told) == f"the judge “{judge.title}” {said}"


# --- diff -----------------------------------------------------------------------------------------------------------


def _diff(site: Site, tmp_path: Path, change: tuple[str, str, str]) -> str:
    """What `diff` prints, as text and as Markdown, where a spec of the site's benchmark is changed."""
    repository = Repository(tmp_path / "changed")
    shutil.copytree(site.repository.root, repository.root)
    git(repository, "init", "-q", "-b", "base")
    commit(repository)
    edit(repository.specs / change[0], *change[1:])
    found = api.diff(repository, "base")
    assert found.boards
    assert found.boards[0].not_measured is None
    return f"{text(found)}\n{markdown(found)}"


def test_a_diff_has_no_word_of_winning_where_both_sides_are_silent(small_site: Site, tmp_path: Path) -> None:
    told = _diff(small_site, tmp_path, ("boards/small.yaml", "null-constant, null-empty]", "null-constant]"))
    assert "with this panel" in told
    assert found_in(small_site, [("diff", told)]) == set()


def test_a_diff_says_what_a_board_may_claim(claims_site: Site, tmp_path: Path) -> None:
    told = _diff(claims_site, tmp_path, ("boards/keys.yaml", "domains: [counting, naming]", "domains: [counting]"))
    for side, score in (("before", 72.3), ("after", 94.5)):
        assert re.search(rf"claim for keys {side}: Echo leads with {score} \[[^]]+\], {score} points above First", told)
