"""Boards of the protocol `scores`: tables in, results and pages out."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.score_boards import MODELS, N_ITEMS, import_small, table_text, write_table

from nullbench_site import api
from nullbench_site.cli.app import app
from nullbench_site.errors import NullbenchError, SpecError
from nullbench_site.interop.score_boards import BoardRequest, import_table
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.repository import Repository
from nullbench_site.scoring.ranked_table import rank_table
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.load import load_benchmark

PACKS = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the small table as its only board."""
    folder = tmp_path_factory.mktemp("scores")
    import_small(folder, folder / "made")
    return folder / "made"


@pytest.fixture(scope="module")
def site(small: Path) -> Path:
    return api.render(Repository(small))


def runs_of(root: Path) -> list[Path]:
    return sorted(path for path in (root / "runs").iterdir() if path.is_dir())


def results_of(root: Path, board: str = "small") -> Any:
    (run,) = runs_of(root)
    return read_results(run, board)


def test_rank_and_the_board_give_equal_digits(small: Path, tmp_path: Path) -> None:
    table = read_table(str(write_table(tmp_path / "table.csv")), Chosen(group="topic", cluster="source"))
    ranked = {row.model: row for row in rank_table(table, scale=(0, 100)).leaderboard}
    results = results_of(small)
    board = {row.model: row for row in results.leaderboard if row.rank is not None}
    assert len(board) == len(MODELS) - 1
    for model, row in ranked.items():
        own = board[model.lower().replace(", ", "-").replace(" ", "-")]
        assert (own.rank, own.rank_low, own.rank_high, own.tie_group) == (
            row.rank, row.rank_low, row.rank_high, row.tie_group,
        )  # fmt: skip
        assert (own.overall, own.se, own.ci_low, own.ci_high) == (row.score, row.se, row.ci_low, row.ci_high)
    separation = rank_table(table, scale=(0, 100)).separation
    assert results.separation == separation


def test_a_contestant_without_all_items_is_listed_without_a_rank(small: Path) -> None:
    results = results_of(small)
    (row,) = results.incomplete
    assert (row.model, row.n_items, row.of_items, row.n_common) == ("gamma", N_ITEMS - 1, N_ITEMS, N_ITEMS - 1)
    assert row.difference is not None
    assert row.difference < 0
    assert results.row("gamma").rank is None
    assert results.row("gamma").absent["rank"] == "scores on 11 of 12 items only"


def test_no_call_is_planned_and_a_build_changes_nothing(small: Path) -> None:
    report = api.build(Repository(small), render_site=False)
    assert (report.calls.planned, report.calls.made, report.calls.left) == (0, 0, 0)
    assert len(runs_of(small)) == 1
    assert api.verify(Repository(small), None).problems == []


def test_the_leaderboard_file_has_the_columns_that_others_rely_on(small: Path) -> None:
    (run,) = runs_of(small)
    text = (run / "results" / "small" / "leaderboard.csv").read_text("utf-8")
    header, *rows = csv.reader(text.splitlines())
    assert header[:4] == ["rank", "rank_low", "rank_high", "model"]
    assert {"overall", "se", "score", "cost_per_item", "above_null_floor"} <= set(header)
    costs = {row[3]: float(row[header.index("cost_per_item")]) for row in rows}
    assert (costs["alpha"], costs["beta"]) == (0.01, 0.03)


def test_pages_use_no_words_about_judges(site: Path) -> None:
    pages = {path: path.read_text("utf-8") for path in site.rglob("index.html")}
    assert not (site / "judges").exists()
    explaining = {"glossary", "methodology", "data", "evidence", "audit", "trust"}
    texts = [text for path, text in pages.items() if not explaining & set(path.relative_to(site).parts)]
    shown = " ".join(
        re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL) for text in texts
    )
    assert re.findall(r".{40}(?:\bpanel|\bjudge).{30}", shown) == []
    assert "The scores come from a table; no model was run here" in shown
    assert "11 of 12 items" in shown
    assert ">None<" not in shown
    assert not any("null model" in pages[site / page] for page in ("index.html", "boards/small/index.html"))


def test_costs_make_a_chart_and_domains_make_cuts(site: Path) -> None:
    board = (site / "boards" / "small" / "index.html").read_text("utf-8")
    assert "Which is good and cheap?" in board
    assert "By domain" in board
    assert "By difficulty" in board


def test_a_newer_table_keeps_the_older_run(tmp_path: Path) -> None:
    made = import_small(tmp_path, tmp_path / "made")
    newer = import_small(tmp_path, tmp_path / "made", table_text(models={**MODELS, "Epsilon": 1}))
    assert newer.run != made.run
    assert [path.name for path in runs_of(tmp_path / "made")] == sorted([made.run, newer.run])
    assert "1 model new: epsilon" in newer.changed
    assert import_small(tmp_path, tmp_path / "made", table_text(models={**MODELS, "Epsilon": 1})).run == newer.run


def test_columns_that_people_filled_in_stay(tmp_path: Path) -> None:
    import_small(tmp_path, tmp_path / "made")
    models = tmp_path / "made" / "specs" / "scores" / "small" / "models.csv"
    header, *rows = models.read_text("utf-8").splitlines()
    models.write_text("\n".join([f"{header},vendor", *(f"{row},Ours" for row in rows)]) + "\n", "utf-8")
    import_small(tmp_path, tmp_path / "made", table_text(shift=1))
    assert {row["vendor"] for row in csv.DictReader(models.read_text("utf-8").splitlines())} == {"Ours"}


def test_a_changed_score_is_reviewed_without_a_call(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "changed")
    table = tmp_path / "changed" / "specs" / "scores" / "small" / "scores.csv"
    table.write_text(table.read_text("utf-8").replace("alpha,60,", "alpha,10,"), "utf-8")
    diff = api.diff(Repository(tmp_path / "changed"), str(small))
    assert [(change.kind, change.place, change.fields) for change in diff.changes] == [("board", "small", ("table",))]
    (board,) = diff.boards
    assert (board.not_measured, board.items) == (None, N_ITEMS)


def test_rank_and_import_make_the_same_board_on_the_command_line(tmp_path: Path) -> None:
    table = str(write_table(tmp_path / "table.csv"))
    roles = ["--group", "topic", "--cluster", "source", "--scale", "0:100"]
    for command in (["rank"], ["import", "scores"]):
        into = tmp_path / command[0]
        done = CliRunner().invoke(app, [*command, table, *roles, "--into", str(into)], catch_exceptions=False)
        assert done.exit_code == 0
        assert "imported 4 models and 12 items as board table" in done.stderr
    one, other = (runs_of(tmp_path / name)[0] for name in ("rank", "import"))
    assert one.name == other.name
    files = [run / "results" / "table" / "leaderboard.csv" for run in (one, other)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_second_board_shares_models_and_has_items_of_its_own(tmp_path: Path) -> None:
    import_small(tmp_path, tmp_path / "made")
    other = table_text(models={"ALPHA": 0, "Beta": 2, "Zeta": 3})
    table = read_table(str(write_table(tmp_path / "other.csv", other)), Chosen(group="topic"))
    import_table(table, BoardRequest(into=tmp_path / "made", board="other"))
    benchmark = load_benchmark(tmp_path / "made" / "specs")
    assert {model.id: model.title for model in benchmark.contestants(benchmark.boards["other"])} == {
        "alpha": "Alpha", "beta": "Beta", "zeta": "Zeta",
    }  # fmt: skip
    assert {placed.id for placed in benchmark.items(benchmark.boards["other"])} == {f"other.q{n}" for n in range(12)}
    assert len(runs_of(tmp_path / "made")) == 2


HOSTILE = {
    "../../etc/passwd": 0,
    "<script>alert(1)</script>": 1,
    "=cmd|' /C calc'!A0": 2,
    "two\nlines": 3,
    "x" * 400: 4,
    "A b": 5,
    "a-b": 6,
    "control-ideal": 7,
    "数学": 8,
}


def test_hostile_names_become_ids_and_are_shown_escaped(tmp_path: Path) -> None:
    items = [f"<b>{number}</b>/../=1" for number in range(8)]
    rows = [
        ["model", "item", "score"],
        *([m, i, 50 + 3 * n - low] for m, low in HOSTILE.items() for n, i in enumerate(items)),
    ]
    with (tmp_path / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    table = read_table(str(tmp_path / "table.csv"), Chosen(scale=(0, 100)))
    import_table(table, BoardRequest(into=tmp_path / "made", board="hostile"))
    site = api.render(Repository(tmp_path / "made"))
    assert all(path.is_relative_to(site) for path in site.rglob("*"))
    home = (site / "index.html").read_text("utf-8")
    assert "<script>alert(1)" not in home
    assert "&lt;script&gt;alert(1)" in home
    ids = [path.name for path in (site / "models").iterdir() if path.is_dir()]
    assert len(ids) == len(HOSTILE)
    assert {"a-b", "a-b-2", "model-control-ideal", "model"} <= set(ids)


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        ("scores.csv", ("model,", "model,zzz,"), "scores.csv:2:1: found 13 cells; the header has 14"),
        ("scores.csv", ("alpha,", "alpha,n/a"), "found 'n/a"),
        ("scores.csv", ("alpha,60,", "alpha,160,"), "off the scale of 0 to 100"),
        ("scores.csv", ("alpha,", "omega,"), "models.csv:1:1: no row for contestant 'omega' of scores.csv; add one"),
        ("models.csv", ("id,title", "id,titel"), "unknown column 'titel'; did you mean 'title'?"),
        ("models.csv", ("alpha,Alpha", "alpha,Beta"), "duplicate title 'Beta'"),
        ("items.csv", ("2026-01-01", "January"), "items.csv:2:1: date: found 'January'; write a year, month or day"),
        ("items.csv", (",easy", ",trivial"), "difficulty: found 'trivial'; write easy, medium or hard"),
    ],
)
def test_a_mistake_in_a_table_is_named_at_its_place(
    small: Path, tmp_path: Path, file: str, change: tuple[str, str], problem: str
) -> None:
    old, new = change
    specs = tmp_path / "specs"
    shutil.copytree(small / "specs", specs)
    target = specs / "scores" / "small" / file
    text = target.read_text("utf-8")
    assert old in text
    target.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(SpecError) as caught:
        load_benchmark(specs)
    assert any(problem in str(each) for each in caught.value.problems)


def test_tables_without_a_board_are_refused(small: Path, tmp_path: Path) -> None:
    specs = tmp_path / "specs"
    shutil.copytree(small / "specs", specs)
    (specs / "scores" / "small").rename(specs / "scores" / "gone")
    with pytest.raises(SpecError, match="no board is called 'gone'"):
        load_benchmark(specs)


def test_lower_is_better_turns_the_scale_round(tmp_path: Path) -> None:
    import_small(tmp_path, tmp_path / "made", lower_is_better=True)
    results = results_of(tmp_path / "made")
    first = results.leaderboard[0]
    assert first.model == "delta-the-4th"
    assert first.mean == pytest.approx(100 - first.overall)


def test_a_scale_that_no_score_shows_has_to_be_given(tmp_path: Path) -> None:
    table = read_table(str(write_table(tmp_path / "table.csv", table_text(shift=200))))
    with pytest.raises(NullbenchError, match="--scale LOW:HIGH"):
        import_table(table, BoardRequest(into=tmp_path / "made"))


@pytest.mark.skipif(not PACKS.is_dir(), reason="the packs of published scores are not here")
@pytest.mark.parametrize(
    ("file", "chosen", "expected", "names"),
    [
        ("livecodebench/testgen.csv", Chosen(cluster="problem"), "livecodebench/testgen-expected.json", ("mean", "se")),
        ("swe-bench/bash-only.csv", Chosen(), "swe-bench/expected.json", ("mean", "se")),
        (
            "livebench/table_2026_01_08.csv", Chosen(groups=PACKS / "livebench" / "categories_2026_01_08.json"),
            "livebench/expected.json", ("overall", "se_over_tasks"),
        ),
    ],
)  # fmt: skip
def test_published_tables_give_the_expected_figures(
    tmp_path: Path, file: str, chosen: Chosen, expected: str, names: tuple[str, str]
) -> None:
    mean, se = names
    import_table(read_table(str(PACKS / file), chosen), BoardRequest(into=tmp_path / "made", board="published"))
    results = results_of(tmp_path / "made", "published")
    known = json.loads((PACKS / expected).read_text("utf-8"))
    rows = {row.model: row for row in results.leaderboard if row.rank is not None}
    for model, figures in known["models"].items():
        if figures[mean] is not None:
            row = rows[model.lower()]
            assert (row.overall, row.se) == (
                pytest.approx(figures[mean], abs=1e-6),
                pytest.approx(figures[se], abs=1e-6),
            )
    flips = known["pairs_separated_signflip_stepdown"]
    assert results.separation is not None
    assert 0.97 * flips <= results.separation.together <= results.separation.alone
