"""The boards of every sealed run: what a page and a data file of each say, from its own files and without a record."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import msgspec
import pytest
from support.histories import HOSTILE
from support.sites import Site

from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.scoring.tables import read_results
from nullbench_site.site import words
from nullbench_site.site.pages import runs as module
from nullbench_site.site.pages.runs import run_boards
from nullbench_site.site.run_changes import run_changes


@pytest.fixture
def entries(history: Site) -> list[CatalogEntry]:
    return list_runs(history.repository.runs)


@pytest.fixture
def copy(history: Site, tmp_path: Path) -> Repository:
    """The runs without caches, to change."""
    shutil.copytree(history.repository.runs, tmp_path / "copy" / "runs")
    return Repository(tmp_path / "copy")


def test_every_sealed_run_has_a_page_with_its_own_leaderboards(history: Site, entries: list[CatalogEntry]) -> None:
    for entry in entries:
        tables = history.content(f"runs/{entry.path.name}/").all("table")
        # Boards stand in the order of the specs, or by id; in both that is small first.
        for table, board in zip(tables, ("small", "waters"), strict=True):
            for cells, row in zip(table.rows(), read_results(entry.path, board).leaderboard, strict=True):
                assert cells[0] == words.rank_range(row.rank, row.rank_low, row.rank_high)
                score = f"{words.number(row.overall)} {words.interval(row.ci_low, row.ci_high)}".rstrip()
                assert cells[2] == score
                assert cells[3] == (words.interval(row.ci_low, row.ci_high) or "not measured")


def test_names_are_those_of_the_run_and_ids_where_its_specs_cannot_be_read(history: Site) -> None:
    oldest, second, third, newest = (entry.path.name for entry in list_runs(history.repository.runs))
    said = {name: history.content(f"runs/{name}/").text for name in (oldest, second, third, newest)}
    assert "textrank-2" in said[oldest]
    assert f"The specs of run {oldest} are in a form that this version cannot read." in said[oldest]
    assert "TextRank-2" in said[second]
    assert "Lead-2" in said[second]
    assert " ".join(HOSTILE.split()) in said[third]
    assert "Waters of the world" in said[newest]
    assert "Waters of the world" not in said[third]
    assert "This site shows this run" in said[newest]
    assert "the rest of the site shows another run" in said[third]


def test_a_run_leads_to_its_neighbours_and_the_page_of_runs_to_all(history: Site, entries: list[CatalogEntry]) -> None:
    names = [entry.path.name for entry in entries]
    for place, name in enumerate(names):
        links = {link.attributes["href"] for link in history.content(f"runs/{name}/").all("a")}
        beside = {names[other] for other in (place - 1, place + 1) if 0 <= other < len(names)}
        assert {f"../{other}/" for other in beside} <= links
        assert not {f"../{other}/" for other in set(names) - beside} & links
    links = {link.attributes["href"] for link in history.content("runs/").all("a")}
    assert {f"{name}/" for name in names} <= links
    assert "compare/" in links
    links = {link.attributes["href"] for link in history.content("runs/compare/").all("a")}
    assert {f"../{name}/" for name in names} <= links


def test_a_site_of_one_run_has_its_page_and_nothing_to_compare(small_site: Site) -> None:
    (name,) = (entry.path.name for entry in list_runs(small_site.repository.runs))
    assert "compare it" not in small_site.content(f"runs/{name}/").text
    assert not (small_site.folder / "runs" / "compare").exists()


def test_the_data_file_of_a_run_keeps_to_its_schema_and_says_what_its_leaderboard_does(
    history: Site, entries: list[CatalogEntry]
) -> None:
    folder = history.folder / "data" / "v1" / "runs"
    schema = json.loads((folder / "run.schema.json").read_bytes())
    for entry in entries:
        data = json.loads((folder / f"{entry.path.name}.json").read_bytes())
        jsonschema.validate(data, schema)
        assert (data["manifest_digest"], data["version"]) == (entry.manifest.digest, entry.manifest.version)
        for board in data["boards"]:
            told = [(row["model"], row["rank"], row["overall"], row["ci_low"]) for row in board["rows"]]
            rows = read_results(entry.path, board["id"]).leaderboard
            assert told == [(row.model, row.rank, row.overall, row.ci_low) for row in rows]


def test_no_page_of_runs_needs_a_record(copy: Repository) -> None:
    before = run_boards(list_runs(copy.runs), copy.cache)
    changed = run_changes(list_runs(copy.runs), copy.cache)
    shutil.rmtree(copy.cache)
    (copy.root / "specs").mkdir()
    for part in ("responses", "judgments"):
        for folder in copy.runs.glob(f"*/{part}"):
            shutil.rmtree(folder)
    entries = list_runs(copy.runs)
    after = run_boards(entries, copy.cache)
    assert {name: run.boards for name, run in after.items()} == {name: run.boards for name, run in before.items()}
    assert run_changes(entries, copy.cache) == changed


def test_damaged_results_are_a_sentence_and_the_other_board_stands(copy: Repository) -> None:
    entry = list_runs(copy.runs)[1]
    (entry.path / "results" / "waters" / "leaderboard.csv").write_text("rank\n1\n")
    found = run_boards([entry], copy.cache)[entry.path.name]
    assert found.problems == (
        "the results of board waters cannot be shown: the results were changed after the run was sealed",
    )
    assert {board.id: bool(board.rows) for board in found.boards} == {"small": True, "waters": False}


def test_an_open_run_and_one_whose_name_leads_elsewhere_have_no_page(
    entries: list[CatalogEntry], tmp_path: Path
) -> None:
    unsealed = CatalogEntry(entries[0].path, msgspec.structs.replace(entries[0].manifest, state="open"))
    strange = CatalogEntry(tmp_path / "a#b c", entries[1].manifest)
    assert list(run_boards([unsealed, strange, entries[2]], tmp_path)) == [entries[2].path.name]


def test_the_boards_of_a_sealed_run_are_read_once(
    entries: list[CatalogEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run_boards(entries[1:], tmp_path)

    def refused(*_: object) -> None:
        raise AssertionError("the specs were read again")

    monkeypatch.setattr(module, "specs_of_run", refused)
    assert run_boards(entries[1:], tmp_path) == found
