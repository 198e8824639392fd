"""The library: its frames have the numbers of the files, and its comparisons are those of the site."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import pandas as pd
import pytest
from support.commands import ROOT
from support.repositories import run_dir
from support.sites import Site

import nullbench_site as nb
from nullbench_site.repository import Repository
from nullbench_site.site.charts.style import LIGHT
from nullbench_site.site.differences import paired, to_next
from nullbench_site.site.pages.sentences import of_two
from nullbench_site.site.score_vectors import score_vectors

BOARDS = {path.name: path for path in sorted((run_dir(Repository(ROOT)) / "results").iterdir())}
"""The results of the boards of the shipped run."""


@cache
def shipped() -> nb.Run:
    """The shipped run, which takes two seconds to open: tests that do not want it are collected without it."""
    return nb.open_run(ROOT)


def _as_written(value: Any) -> Any:
    """A cell as a CSV file has it; numbers stay numbers."""
    if pd.isna(value):
        return ""
    return str(bool(value)).lower() if isinstance(value, bool) or type(value).__name__ == "bool" else value


def _is(cell: str, value: Any) -> bool:
    found = _as_written(value)
    return cell == found if isinstance(found, str) else float(cell) == found


@pytest.mark.parametrize("board", BOARDS)
def test_every_frame_of_results_equals_the_file_of_its_name_digit_for_digit(board: str) -> None:
    assert set(shipped().boards) == set(BOARDS)
    _equal_their_files(shipped(), board)


def test_frames_of_marked_answers_equal_their_files_too(oracle_site: Site) -> None:
    run = nb.open_run(oracle_site.repository.root)
    for board in run.boards:
        _equal_their_files(run, board)


def _equal_their_files(run: nb.Run, board: str) -> None:
    files = sorted((run.path / "results" / board).glob("*.csv"))
    assert {file.stem for file in files} < set(run.tables(board=board))
    for file in files:
        head, *rows = csv.reader(io.StringIO(file.read_text("utf-8")))
        frame = run.frame(file.stem, board=board)
        if rows:
            names = list(frame)
            assert names in (head, [*head, "absent"]), file
            assert len(frame) == len(rows)
            for number, name in enumerate(head):
                pairs = zip((row[number] for row in rows), frame[name], strict=True)
                assert all(_is(cell, value) for cell, value in pairs), (file, name)


@pytest.mark.parametrize("board", BOARDS)
def test_the_last_column_has_the_reasons_of_the_results(board: str) -> None:
    results = json.loads((BOARDS[board] / "results.json").read_bytes())
    for table, groups in (("leaderboard", [{"rows": results["leaderboard"]}]), ("domains", results["domains"])):
        reasons = [row["absent"] for group in groups for row in group["rows"]]
        assert list(shipped().frame(table, board=board)["absent"]) == reasons
    assert any(shipped().frame("leaderboard", board=board)["absent"])


def test_columns_keep_their_type_where_numbers_are_absent() -> None:
    frame = shipped().frame("leaderboard", board="nullbench")
    kinds = {name: str(frame[name].dtype) for name in ("rank", "n_items", "overall", "above_null_floor", "model")}
    assert kinds == {
        "rank": "Int64", "n_items": "int64", "overall": "float64", "above_null_floor": "boolean", "model": "string",
    }  # fmt: skip
    assert frame["rank"].isna().sum() == sum("rank" in absent for absent in frame["absent"])


def test_a_table_without_rows_has_its_columns() -> None:
    frame = shipped().frame("divergence", board="practical")
    assert list(frame) == ["judge", "n", "difference", "distance", "correlation"]
    assert len(frame) == 0


@pytest.mark.parametrize("kind", ["responses", "judgments"])
def test_frames_of_records_have_every_record_of_the_board(kind: str, rubric_site: Site) -> None:
    run = nb.open_run(rubric_site.repository.root)
    shards = sorted((run.path / kind).glob("*.jsonl"))
    records = [json.loads(line) for shard in shards for line in shard.read_text("utf-8").splitlines()]
    frame = run.frame(kind)
    assert list(frame["key"]) == [record["key"] for record in records]
    private = frame["hidden"].notna()
    assert private.any()
    if kind == "responses":
        assert set(frame["text"][private]) == {""}
    else:
        scores = [record["scores"].get("score") for record in records]
        assert frame["scores.score"].astype(object).where(frame["scores.score"].notna(), None).tolist() == scores


@pytest.mark.parametrize("board", BOARDS)
def test_a_comparison_has_the_digits_of_the_results_either_way_round(board: str) -> None:
    found = json.loads((BOARDS[board] / "results.json").read_bytes())["differences"]
    for row in found[::7]:
        pair, turned = (shipped().compare(*two, board=board) for two in ((row["a"], row["b"]), (row["b"], row["a"])))
        same = ("value", "se", "df", "low", "high", "panel_low", "panel_high", "significant", "robustness", "absent")
        assert {name: getattr(pair, name) for name in same} == {name: row[name] for name in same}
        assert (turned.value, turned.low, turned.panel_high) == tuple(
            None if row[name] is None else -row[name] for name in ("value", "high", "panel_low")
        )
        assert str(pair) == pair.sentence
        assert (pair.sentence == turned.sentence) is (row["value"] != 0)


@pytest.mark.parametrize("board", ["nullbench", "practical", "two-turns"])
def test_a_difference_that_the_results_do_not_have_is_computed_as_they_compute_it(board: str) -> None:
    """As on boards of many contestants, whose results have neighbours only."""
    (view,) = (view for view in shipped()._site.views if view.board.id == board)
    bare = type(view)(view.benchmark, view.board, msgspec.structs.replace(view.results, differences=[]))
    for a, b in list(combinations(view.rows, 2))[::5]:
        known, computed = paired(view, a, b), paired(bare, a, b)
        for name in ("value", "se", "df", "low", "high"):
            one, other = getattr(computed.difference, name), getattr(known.difference, name)
            assert one == other or one == pytest.approx(other, abs=2e-6, rel=1e-6), (a, b, name)
        assert bool(computed.difference.significant) is bool(known.difference.significant)
        assert (computed.n_items, computed.score_a) == (known.n_items, pytest.approx(known.score_a, abs=2e-6))


def test_contestants_without_all_items_are_compared_on_those_that_both_have() -> None:
    (view,) = (view for view in shipped()._site.views if view.board.id == "practical")
    essays = [row.item for row in view.results.items if row.model == "essay"]

    def on(kept: list[str]) -> Any:
        items = [row for row in view.results.items if row.model != "essay" or row.item in kept]
        results = msgspec.structs.replace(view.results, differences=[], items=items)
        return type(view)(view.benchmark, view.board, results)

    some = on(essays[:50])
    pair = paired(some, "essay", "paraphrase")
    assert pair.n_items == 50
    assert "on 50 shared items" in of_two(some, pair)
    none = on([])
    assert of_two(none, paired(none, "essay", "paraphrase")).startswith("No item has a score of both ")


def test_neighbours_in_a_domain_are_apart_by_the_mean_over_the_items_that_both_have() -> None:
    """With missing answers, so that pairs share different items, on a board whose score is a mean over categories."""
    (whole,) = (view for view in shipped()._site.views if view.board.id == "nullbench")
    items = [row for place, row in enumerate(whole.results.items) if row.model != "lead-3" or place % 5]
    by_category = msgspec.structs.replace(whole.board.aggregation, groups="category")
    board = msgspec.structs.replace(whole.board, aggregation=by_category)
    view = type(whole)(whole.benchmark, board, msgspec.structs.replace(whole.results, items=items))
    vectors = score_vectors(view)
    for group in view.results.domains:
        found = {a: following.difference for a, following in to_next(view, group.id).items()}
        listed = [row.model for row in group.rows if row.score is not None and not view.is_null(row.model)]
        assert [*found] == listed[:-1]
        for a, b in pairwise(listed):
            scores = zip(vectors.items.items, vectors.parts[a], vectors.parts[b], strict=True)
            apart = [x - y for item, x, y in scores if item.domain == group.id and x is not None and y is not None]
            assert (found[a].b, found[a].value) == (b, pytest.approx(fmean(apart), abs=1e-6))


def test_the_significance_of_a_pair_with_missing_answers_comes_from_its_own_items() -> None:
    """It is that of the same pair if nobody answered the items that one of the two did not."""
    (whole,) = (view for view in shipped()._site.views if view.board.id == "nullbench")
    missing = {row.item for place, row in enumerate(whole.results.items) if row.model == "lead-3" and place % 5 == 0}
    some, fewer = (
        type(whole)(whole.benchmark, whole.board, msgspec.structs.replace(whole.results, items=items))
        for items in (
            [row for row in whole.results.items if row.item not in missing or row.model != "lead-3"],
            [row for row in whole.results.items if row.item not in missing],
        )
    )
    pairs = [
        (following.difference, to_next(fewer, group.id)[a].difference)
        for group in whole.results.domains
        for a, following in to_next(some, group.id).items()
        if "lead-3" in (a, following.difference.b)
    ]
    assert all(own == alike for own, alike in pairs)
    assert {own.significant for own, _ in pairs} == {False, True}


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda: nb.open_run("nowhere"), nb.UsageError, "nowhere: there is no such folder"),
        (lambda: nb.open_run(ROOT / "docs"), nb.UsageError, "has neither runs/ nor manifest.json"),
        (lambda: shipped().frame("leaderboard"), nb.UsageError, "name a board; known: "),
        (lambda: shipped().frame("items", board="nulbench"), nb.UsageError, "did you mean 'nullbench'?"),
        (lambda: shipped().frame("leaderbord", board="practical"), nb.UsageError, "did you mean 'leaderboard'?"),
        (lambda: shipped().compare("essay", "esay", board="practical"), nb.UsageError, "did you mean 'essay'?"),
        (lambda: shipped().compare("essay", "essay", board="practical"), nb.UsageError, "compared with itself"),
        (lambda: shipped().chart("pie", board="practical"), nb.UsageError, "no chart 'pie'; known: intervals"),
    ],
    ids=["folder", "other folder", "no board", "board", "table", "contestant", "same twice", "chart"],
)
def test_a_wrong_name_gets_one_message_with_those_that_exist(
    act: Callable[[], object], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind) as caught:
        act()
    assert said in str(caught.value)
    assert isinstance(caught.value, nb.NullbenchError)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: (run / "results/tasks/items.csv").write_text("model\n"), "items.csv: the file was changed"),
        (lambda run: (run / "responses/clear.jsonl").unlink(), "clear.jsonl: the file is missing"),
        (lambda run: (run / "results/tasks/new.csv").write_text(""), "new.csv: the file was added"),
        (lambda run: (run / "manifest.json").write_text("{"), "manifest.json"),
        (shutil.rmtree, "there is no run yet"),
        (lambda run: run.rename(run.with_name("9.9.9-00000000")), "contains the run"),
    ],
    ids=["results", "missing", "added", "manifest", "no run", "name"],
)
def test_a_run_that_is_not_what_was_sealed_is_refused(
    rubric_site: Site, tmp_path: Path, change: Callable[[Path], object], said: str
) -> None:
    for name in ("specs", "runs"):
        shutil.copytree(rubric_site.repository.root / name, tmp_path / name)
    change(tmp_path / "runs" / rubric_site.entry.path.name)
    with pytest.raises(nb.RunError) as caught:
        nb.open_run(tmp_path)
    assert said in str(caught.value)


def test_a_folder_of_one_run_is_opened_without_its_repository_and_nothing_is_written(
    rubric_site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    shutil.copytree(rubric_site.entry.path, folder)
    before = sorted(tmp_path.rglob("*"))
    run = nb.open_run(folder)
    for table in run.tables():
        run.frame(table)
    run.chart("intervals")
    assert sorted(tmp_path.rglob("*")) == before
    assert run.boards == ("tasks",)


def test_a_chart_has_the_colours_of_a_light_page() -> None:
    css = (ROOT / "site_templates" / "assets" / "css" / "base.css").read_text("utf-8").partition("@media")[0]
    assert all(f"{variable}: {colour};" in css for variable, colour in LIGHT.items())
    spec = shipped().chart("intervals", board="practical").to_json()
    assert "#0000" not in spec
    assert LIGHT["--nb-rust"] in spec


def test_the_public_names_are_there_documented_and_loaded_when_they_are_used() -> None:
    assert sorted(nb.__all__) == list(nb.__all__)
    assert all(getattr(nb, name).__doc__ for name in nb.__all__)
    assert set(nb.__all__) <= set(dir(nb))
    with pytest.raises(AttributeError, match="no attribute 'rnak'"):
        nb.rnak  # noqa: B018
    code = "import sys, nullbench_site; print(*({'numpy', 'pandas', 'scipy', 'msgspec'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "\n"


@pytest.mark.sweep
def test_a_typed_script_of_a_user_passes_mypy(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import nullbench_site as nb\n"
        "def gap(folder: str) -> float:\n"
        "    pair: nb.Comparison = nb.open_run(folder).compare('a', 'b', board='main')\n"
        "    return 0.0 if pair.value is None else pair.value\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Success"), done.stdout
