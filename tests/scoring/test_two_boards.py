"""Two boards in one run: neither disturbs the other, in whatever order their calls were made."""

from __future__ import annotations

from pathlib import Path

from support.benchmarks import edit, write_benchmark

from nullbench_site import api
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.scoring.tables import read_results


def two_boards(folder: Path) -> Repository:
    specs = write_benchmark(folder)
    text = (specs / "boards" / "small.yaml").read_text("utf-8")
    canary = next(line for line in text.splitlines() if line.startswith("canary:"))
    text = text.replace(canary, 'canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000ff"')
    (specs / "boards" / "other.yaml").write_text(text.replace("id: small", "id: other"), "utf-8")
    edit(specs, "boards/other.yaml", "[gardens, rivers]", "[gardens]")
    return Repository(folder)


def test_a_contestant_with_records_of_another_board_alone_does_not_stop_scoring(tmp_path: Path) -> None:
    """Its summary has no row of agreement, and a table without rows comes back from the cache without columns."""
    repository = two_boards(tmp_path)
    edit(repository.specs, "boards/small.yaml", "[gardens, rivers]", "[rivers]")
    api.build(repository, BuildOptions(Selection(boards=["small"], models=["lead-2"])), render_site=False)
    api.build(repository, BuildOptions(Selection(boards=["other"], models=["textrank-2"])), render_site=False)
    run = api.find_run(repository, None)
    assert run.manifest.state == "open"
    assert [row.model for row in read_results(run.path, "small").leaderboard] == ["lead-2"]
    assert [row.model for row in read_results(run.path, "other").leaderboard] == ["textrank-2"]


def test_boards_built_one_after_the_other_are_the_boards_built_at_once(tmp_path: Path) -> None:
    apart, together = two_boards(tmp_path / "apart"), two_boards(tmp_path / "together")
    for board in ("other", "small"):
        api.build(apart, BuildOptions(Selection(boards=[board])), render_site=False)
    api.build(together, render_site=False)
    for board in ("other", "small"):
        one, other = (read_results(api.find_run(r, None).path, board) for r in (apart, together))
        assert [(row.model, row.overall, row.se) for row in one.leaderboard] == [
            (row.model, row.overall, row.se) for row in other.leaderboard
        ]
        assert one.agreement == other.agreement
