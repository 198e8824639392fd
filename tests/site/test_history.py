"""Where contestants stood over runs: read from the leaderboards of run folders alone, whatever state they are in."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.sites import Site

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import FileDigest, write_manifest
from nullbench_site.site import history as history_module
from nullbench_site.site.gather import SiteData
from nullbench_site.site.history import BoardRun, Standing, comparable, history, read_standings, timeline
from nullbench_site.site.pages import models
from nullbench_site.site.views import BoardView
from nullbench_site.specs.digest import sha256

BOARD, LEAD = "small", "lead-2"
_FILE = f"results/{BOARD}/leaderboard.csv"

Add = Callable[..., CatalogEntry]


def _rows(small_site: Site) -> list[dict[str, str]]:
    text = (small_site.entry.path / _FILE).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def _leaderboard(rows: list[dict[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


@pytest.fixture
def add(small_site: Site, tmp_path: Path) -> Add:
    """Makes an earlier run that has nothing but a leaderboard, with some of the lead's figures changed."""

    def made(
        name: str, lead: Mapping[str, str] | None = None, leaderboard: bytes | None = None, **manifest: Any
    ) -> CatalogEntry:
        rows = [{**row, **(lead or {})} if row["model"] == LEAD else row for row in _rows(small_site)]
        content = _leaderboard(rows) if leaderboard is None else leaderboard
        path = tmp_path / name
        (path / _FILE).parent.mkdir(parents=True)
        (path / _FILE).write_bytes(content)
        fields = {"created_at": "2026-01-01T00:00:00Z", "sealed_at": "2026-01-02T00:00:00Z", "run": name, **manifest}
        files = {_FILE: FileDigest(sha256(content), len(content))}
        shown = small_site.entry.manifest
        return CatalogEntry(path, write_manifest(path, msgspec.structs.replace(shown, files=files, **fields)))

    return made


def _site(small_site: Site, *earlier: CatalogEntry) -> SiteData:
    data = small_site.data
    return SiteData(data.benchmark, data.entry, [*earlier, data.entry], data.boards)


def _view(site: SiteData) -> BoardView:
    return next(view for view in site.views if view.board.id == BOARD)


def _runs(small_site: Site, *earlier: CatalogEntry) -> tuple[BoardRun, ...]:
    site = _site(small_site, *earlier)
    return history(site, _view(site))


def test_the_first_run_has_no_history_and_says_so(small_site: Site) -> None:
    said = timeline(_runs(small_site), LEAD, "Board")
    assert (said["sentences"], said["entries"], said["spark"]) == (["First run: no history yet."], [], None)
    assert "First run: no history yet." in small_site.content(f"models/{LEAD}/").text


def test_runs_stand_newest_first_with_their_date_rank_and_score(small_site: Site, add: Add) -> None:
    before = {"rank": "2", "rank_low": "1", "rank_high": "3", "overall": "61.25", "se": "2", "ci_low": "57.33",
              "ci_high": "65.17"}  # fmt: skip
    runs = _runs(small_site, add("1.0.0-00000001", before))
    shown, earlier = timeline(runs, LEAD, "Board")["entries"]
    assert (earlier.run.date, earlier.run.entry.path.name, earlier.run.n_ranked) == ("2026-01-02", "1.0.0-00000001", 2)
    assert earlier.standing == Standing(2, 1, 3, 61.25, 2, 57.33, 65.17)
    row = small_site.results(BOARD).row(LEAD)
    assert (shown.run.entry, shown.standing.overall) == (small_site.entry, row.overall)


def test_the_runs_of_the_csv_are_read_as_they_were_written(small_site: Site) -> None:
    found = read_standings(small_site.entry, BOARD)
    rows = small_site.results(BOARD).leaderboard
    assert list(found) == [row.model for row in rows]
    for row in rows:
        standing = found[row.model]
        assert (standing.rank, standing.rank_low, standing.overall, standing.ci_high) == (
            row.rank, row.rank_low, row.overall, row.ci_high,
        )  # fmt: skip


def test_a_line_joins_runs_that_asked_and_judged_the_same_and_no_others(small_site: Site, add: Add) -> None:
    other = {"version": "9.0.0", "spec_digest": "f" * 64}
    runs = _runs(small_site, add("a", **other), add("b", **other), add("c"))
    found = timeline(runs, LEAD, "Board")
    assert ["other questions or judges" in entry.changed for entry in found["entries"]] == [False, True, False, False]
    assert len(found["spark"]["changes"]) == sum(bool(entry.changed) for entry in found["entries"])
    assert len(found["spark"]["dots"]) == 4
    assert [line.count(",") for line in found["spark"]["lines"]] == [2, 2]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"version": "9.0.0"}, True),
        ({"spec_digest": "f" * 64}, True),
        ({"spec_digest": "f" * 64, "version": "9.0.0"}, False),
        ({"spec_digest": "f" * 64, "profile": "live"}, False),
        ({"benchmark": "another"}, False),
    ],
)
def test_the_same_specs_or_version_and_profile_make_runs_comparable(
    change: dict[str, str], same: bool, small_site: Site
) -> None:
    shown = small_site.entry.manifest
    assert comparable(shown, msgspec.structs.replace(shown, **change)) is same


def test_the_drawing_holds_every_interval_and_puts_a_higher_score_higher(small_site: Site, add: Add) -> None:
    low = {"overall": "3", "ci_low": "0", "ci_high": "9"}
    high = {"overall": "97", "ci_low": "91", "ci_high": "100"}
    spark = timeline(_runs(small_site, add("a", low), add("b", high)), LEAD, "Board")["spark"]
    first, second, _ = spark["dots"]
    assert first.x < second.x
    assert first.y > second.y
    assert all(0 <= dot.high <= dot.y <= dot.low <= spark["height"] for dot in spark["dots"])
    assert (spark["bottom"], spark["top"]) == (0, 100)


def test_scores_that_hardly_differ_are_drawn_on_a_scale_of_ten_points(small_site: Site, add: Add) -> None:
    row = small_site.results(BOARD).row(LEAD)
    near = {"overall": str(row.overall), "ci_low": str(row.overall), "ci_high": str(row.overall)}
    runs = [run for run in _runs(small_site, add("a", near), add("b", near)) if run.entry.path.name in "ab"]
    spark = timeline(runs, LEAD, "Board")["spark"]
    assert spark["top"] - spark["bottom"] >= 10


_WRONG = {
    "changed": "the results were changed after the run was sealed",
    "missing": "the results that were sealed are missing",
    "rubbish": "the results are damaged",
    "not a number": "the results are damaged",
    "out of range": "the results are damaged",
    "a column less": "the results are damaged",
    "cut off": "the results are damaged",
}


@pytest.mark.parametrize("wrong", _WRONG)
def test_damaged_results_of_an_old_run_are_a_sentence_and_stop_nothing(wrong: str, small_site: Site, add: Add) -> None:
    good = _leaderboard(_rows(small_site))
    contents = {
        "rubbish": b"\xff\x00,\n\xfe",
        "not a number": _leaderboard([{**row, "overall": "nan"} for row in _rows(small_site)]),
        "out of range": _leaderboard([{**row, "overall": "1e9"} for row in _rows(small_site)]),
        "a column less": good.replace(b"ci_low", b"other"),
        "cut off": good[: good.rindex(b",lead-2,") + 12] if good.count(b",lead-2,") else good[:-40],
    }
    entry = add("1.0.0-00000001", leaderboard=contents.get(wrong, good))
    if wrong == "changed":
        (entry.path / _FILE).write_bytes(good.replace(b"lead-2", b"lead-3"))
    if wrong == "missing":
        (entry.path / _FILE).unlink()
    site = _site(small_site, entry)
    page = next(page for page in models.pages(site) if page.url == f"models/{LEAD}/")
    assert page.context["boards"][0]["history"]["sentences"] == [
        "First run: no history yet.",
        f"Run 1.0.0-00000001 is left out: {_WRONG[wrong]}.",
    ]


def test_a_run_of_a_benchmark_without_the_board_is_left_out_in_silence(small_site: Site, add: Add) -> None:
    entry = add("1.0.0-00000001")
    (entry.path / _FILE).unlink()
    bare = CatalogEntry(entry.path, msgspec.structs.replace(entry.manifest, files={}))
    assert [run.entry for run in _runs(small_site, bare)] == [small_site.entry]


def test_a_contestant_that_is_new_on_the_board_is_said_to_be(small_site: Site, add: Add) -> None:
    others = [row for row in _rows(small_site) if row["model"] != LEAD]
    found = timeline(_runs(small_site, add("a", leaderboard=_leaderboard(others))), LEAD, "Board")
    assert found["sentences"] == ["It stands on this board for the first time: there is no history yet."]


def test_each_leaderboard_is_read_once_for_all_contestants(
    small_site: Site, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, str]] = []
    inner = history_module.read_standings

    def counted(entry: CatalogEntry, board: str) -> Any:
        read.append((entry.path.name, board))
        return inner(entry, board)

    monkeypatch.setattr(history_module, "read_standings", counted)
    site = _site(small_site, add("a"), add("b"))
    assert len(list(models.pages(site))) > 3
    assert sorted(read) == [(run, view.board.id) for run in "ab" for view in site.views]
