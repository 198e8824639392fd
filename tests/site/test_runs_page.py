"""The page of runs: what changed between two of them, worked out here a second time from the run folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support.histories import HOSTILE
from support.pages import Element
from support.sites import Site

from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.manifest import Counts, write_manifest
from nullbench_site.scoring.tables import read_results
from nullbench_site.site import run_changes as module
from nullbench_site.site import words
from nullbench_site.site.gather import gather
from nullbench_site.site.history import Standing
from nullbench_site.site.pages import runs as page
from nullbench_site.site.run_changes import (
    BoardChange,
    Move,
    RunChange,
    moved_yardstick,
    ranks_sentence,
    run_changes,
    spec_lines,
    specs_sentence,
)
from nullbench_site.specs.changes import Change, FieldChange
from nullbench_site.specs.load import load_benchmark

TITLE = " ".join(HOSTILE.split())


@pytest.fixture
def entries(history: Site) -> list[CatalogEntry]:
    """The first whose specs can be read, and the two after it."""
    return list_runs(history.repository.runs)[1:]


@pytest.fixture
def copy(history: Site, tmp_path: Path) -> Repository:
    """The runs without caches, to change."""
    shutil.copytree(history.repository.runs, tmp_path / "copy" / "runs")
    return Repository(tmp_path / "copy")


def _section(site: Site, run: str) -> Element:
    sections = site.content("runs/").all("section", class_="nb-run")
    return next(section for section in sections if section.one("h2").attributes["id"] == run)


def _table(section: Element, caption: str) -> list[list[str]]:
    return next(table.rows() for table in section.all("table") if table.one("caption").text.startswith(caption))


# --- what the page says ---------------------------------------------------------------------------------------------


def test_runs_stand_newest_first_each_with_what_changed(history: Site, entries: list[CatalogEntry]) -> None:
    content = history.content("runs/")
    names = [entry.path.name for entry in reversed(list_runs(history.repository.runs))]
    assert len(names) == 4
    assert [section.one("h2").attributes["id"] for section in content.all("section", class_="nb-run")] == names
    table = next(table for table in content.all("table") if table.one("caption").text == "Runs")
    assert [(row[0].split()[0], row[-1]) for row in table.rows()] == [
        (names[0], "Specs: only words, addresses or prices changed, which move no score."),
        (names[1], "Specs: 1 board changed, 1 goal changed and 1 contestant added."),
        (names[2], "Specs not compared."),
        (names[3], "The first run."),
    ]


def test_the_first_run_has_nothing_to_compare_with(small_site: Site, history: Site) -> None:
    oldest = list_runs(history.repository.runs)[0].path.name
    assert "The first run; there is nothing to compare it with yet." in _section(history, oldest).text
    said = "The first run; there is nothing to compare it with yet. Change a spec and build again"
    assert said in small_site.content("runs/").text


def test_a_run_whose_specs_cannot_be_read_is_said_to_be_so_and_its_ranks_are_compared(
    history: Site, entries: list[CatalogEntry]
) -> None:
    oldest = list_runs(history.repository.runs)[0].path.name
    said = _section(history, entries[0].path.name).text
    assert f"Not compared: the specs of run {oldest} are in a form that this version cannot read." in said
    assert "Small: No rank moved, and every score is the same." in said


def test_changes_of_specs_are_told_by_name_and_by_whether_they_can_move_a_score(
    history: Site, entries: list[CatalogEntry]
) -> None:
    second, third = (_section(history, entry.path.name) for entry in entries[1:])
    assert _table(second, "Specs changed") == [
        ["1 board changed: bootstrap of the ranks, resamples 200 → 300, contestants", "Waters", "can move a score"],
        ["1 goal changed: target of reasoning 5 → 4", "Tell the count without explaining it away", "can move a score"],
        ["1 contestant changed: title", TITLE, "words only"],
        ["1 contestant added", "Task-aware extract", "can move a score"],
    ]
    assert _table(third, "Specs changed") == [
        ["benchmark.yaml changed: version", "Small", "words only"],
        ["1 board changed: title", "Waters of the world", "words only"],
    ]
    assert "The two runs measure different things" in second.text
    assert "measure different things" not in third.text


def test_the_pages_of_a_run_show_the_whole_digest_that_verify_can_be_given(
    history: Site, entries: list[CatalogEntry]
) -> None:
    for entry in entries:
        name, digest = entry.path.name, entry.manifest.digest
        assert digest in _section(history, name).text
        assert digest in history.content(f"runs/{name}/").text


def test_ranks_and_scores_are_those_of_the_two_leaderboards(history: Site, entries: list[CatalogEntry]) -> None:
    first, second = entries[:2]
    section = _section(history, second.path.name)
    before, after = (
        {row.model: row for row in read_results(entry.path, "waters").leaderboard} for entry in (first, second)
    )

    def rank(row: object) -> str:
        return words.rank_range(*(getattr(row, name) for name in ("rank", "rank_low", "rank_high")))

    moved = [model for model in after if model in before and rank(before[model]) != rank(after[model])]
    assert moved == ["textrank-2"]
    assert _table(section, "Ranks that moved on Waters") == [
        [
            "TextRank-2", rank(before[model]), rank(after[model]), words.number(before[model].overall),
            words.number(after[model].overall),
            words.signed((after[model].overall or 0) - (before[model].overall or 0), 1),
        ]
        for model in moved
    ]  # fmt: skip
    said = section.text
    assert "Waters of the world: 1 of 1 contestants has another rank." in said
    assert f"New: Task-aware extract, {TITLE} and Null: empty. Gone: Null: one sentence." in said
    assert "Small: No rank moved; scores moved by at most" in said
    assert "No rank moved, and every score is the same." in _section(history, entries[2].path.name).text


def test_every_word_that_needs_one_has_an_explanation_on_the_page(history: Site) -> None:
    content = history.content("runs/")
    terms = {
        e.attributes["id"]: e.one("dd").text
        for e in content.all("div")
        if e.attributes.get("id", "").startswith("term-")
    }
    linked = [link for link in content.all("a", class_="nb-head") if link.attributes["href"].startswith("#")]
    assert {link.attributes["href"].removeprefix("#") for link in linked} <= terms.keys()
    for link in linked:
        assert link.attributes["title"] == terms[link.attributes["href"].removeprefix("#")]


# --- what the sentences say -----------------------------------------------------------------------------------------


def _standing(rank: int | None, overall: float | None, low: int | None = None, high: int | None = None) -> Standing:
    return Standing(rank, low, high, overall)


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ([], "No rank moved, and every score is the same."),
        ([((1, 50.0), (1, 50.04))], "No rank moved, and no score by as much as 0.1 points."),
        ([((1, 50.0), (1, 48.0)), ((2, 40.0), (2, None))], "No rank moved; scores moved by at most 2.0 points."),
        ([((1, 50.0), (2, 50.0))], "1 of 3 contestants has another rank."),
        ([((1, 50.0), (2, 50.0)), ((2, 50.0), (None, 50.0))], "2 of 3 contestants have another rank."),
    ],
)
def test_a_sentence_sums_up_how_a_board_moved(
    moves: list[tuple[tuple[int, float], tuple[int | None, float | None]]], said: str
) -> None:
    told = tuple(Move(f"m{n}", _standing(*before), _standing(*after)) for n, (before, after) in enumerate(moves))
    assert ranks_sentence(BoardChange("b", told, (), (), n_both=3)) == said


def test_digests_that_differ_without_a_change_are_no_silence() -> None:
    assert "spec digests differ" in specs_sentence((), same_digest=False)
    assert specs_sentence((), same_digest=True) == "The specs are the same."


def test_a_rename_names_both_ids_and_moves_no_yardstick() -> None:
    renamed = Change("item", "pike-01", "pike-01", "renamed", scored=True, before="fish-01")
    (line,) = spec_lines([renamed])
    assert (line["what"], line["which"], line["scored"]) == ("1 item renamed", ["fish-01 → pike-01"], True)
    assert not moved_yardstick([renamed])
    assert moved_yardstick([msgspec.structs.replace(renamed, fields=(FieldChange(("task",), scored=True),))])


def test_a_long_list_of_moves_ends_with_how_many_more_there_are(history: Site) -> None:
    moves = tuple(Move(f"m{n}", _standing(n, 50.0), _standing(n + 1, 50.0)) for n in range(page._SHOWN + 7))
    board = BoardChange("small", moves, (), tuple(f"gone-{n}" for n in range(20)), n_both=len(moves))
    change = RunChange(before="earlier", specs=None, boards=(board,))
    (listed,) = page.pages(history.data, {history.entry.path.name: change})
    shown = history.fragment(f'{{% include "{listed.template}" %}}', **listed.context).text
    assert "And 7 contestants more; the leaderboards" in shown
    assert "Gone: gone-0, gone-1, gone-2, gone-3, gone-4, gone-5, gone-6, gone-7 and 12 more." in shown


def test_an_open_run_stands_with_the_records_it_has_so_far(small_copy: Repository) -> None:
    """The manifest of a run that was interrupted counts nothing yet."""
    (sealed,) = list_runs(small_copy.runs)
    path = sealed.path.with_name(f"{sealed.path.name}.r2")
    shutil.copytree(sealed.path, path)
    shutil.rmtree(path / "results")
    fields = {"run": path.name, "state": "open", "sealed_at": None, "counts": Counts(), "files": {}}
    write_manifest(path, msgspec.structs.replace(sealed.manifest, **fields))
    shard = next((path / "judgments").glob("*.jsonl"))
    kept = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join(kept[:-1]))
    counts = sealed.manifest.counts
    site = gather(load_benchmark(small_copy.specs), sealed, list_runs(small_copy.runs))
    (listed,) = page.pages(site, {})
    open_one, sealed_one = listed.context["runs"]
    assert sealed_one["judgments"] == counts.scored + counts.unparsed + counts.judge_errored
    assert open_one["judgments"] == sealed_one["judgments"] - 1
    assert open_one["responses"] == sealed_one["responses"] == counts.answered + counts.errored


# --- which runs are compared ----------------------------------------------------------------------------------------


def test_a_run_is_compared_with_the_newest_sealed_one_of_its_profile(
    entries: list[CatalogEntry], tmp_path: Path
) -> None:
    first, second, third = entries
    of_a_profile = replace(first, manifest=msgspec.structs.replace(first.manifest, profile="live"))
    unsealed = replace(second, manifest=msgspec.structs.replace(second.manifest, state="open"))

    def compared(*runs: CatalogEntry) -> dict[str, str]:
        return {name: change.before for name, change in run_changes(runs, tmp_path).items()}

    names = [entry.path.name for entry in entries]
    assert compared(*entries) == {names[1]: names[0], names[2]: names[1]}
    assert compared(first, unsealed, third) == {names[1]: names[0], names[2]: names[0]}
    assert compared(of_a_profile, second, third) == {names[1]: names[0], names[2]: names[1]}
    other = replace(second, manifest=msgspec.structs.replace(second.manifest, profile="live"))
    assert compared(first, other, third) == {names[1]: names[0], names[2]: names[0]}


# --- damage and cost ------------------------------------------------------------------------------------------------


def _gone(path: Path) -> None:
    path.unlink()


def _other(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize("damage", [_gone, _other])
@pytest.mark.parametrize(
    ("file", "what"), [("specs/goals/rivers.yaml", "specs"), ("results/waters/leaderboard.csv", "results")]
)
def test_what_cannot_be_read_of_a_run_is_said_and_the_rest_is_compared(
    entries: list[CatalogEntry], copy: Repository, damage: Callable[[Path], None], file: str, what: str
) -> None:
    first, second, third = (entry.path.name for entry in entries)
    damage(copy.runs / first / file)
    found = run_changes(list_runs(copy.runs)[1:], copy.cache)
    assert found[second].problems == (f"the {what} of run {first} are missing or damaged",)
    assert (found[second].specs is None, found[second].boards is None) == (what == "specs", what == "results")
    assert not found[third].problems


def test_two_sealed_runs_are_compared_once(
    entries: list[CatalogEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run_changes(entries, tmp_path)

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the specs were read again")

    monkeypatch.setattr(module, "load_benchmark", refused)
    assert run_changes(entries, tmp_path) == found
    for path in (tmp_path / "changes").iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(AssertionError, match="read again"):
        run_changes(entries, tmp_path)
