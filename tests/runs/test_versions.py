"""A run of the first version that made one, as it was then: it reads, verifies, is scored anew and renders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from nullbench_site import api
from nullbench_site.errors import RunError
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.folder import file_digests
from nullbench_site.runs.manifest import TOOL, read_manifest, write_manifest
from nullbench_site.site.history import read_standings

FIRST = Path(__file__).parent / "first_version" / "runs"
RUN = "0.1.0-23e12073"


@pytest.fixture
def first(tmp_path: Path) -> Repository:
    shutil.copytree(FIRST, tmp_path / "runs")
    return Repository(tmp_path)


def test_it_verifies_and_says_what_was_worked_out_otherwise_then(first: Repository) -> None:
    entry, problems, notes = api.verify(first, None)
    assert (entry.path.name, problems) == (RUN, [])
    assert len(notes) == 3
    assert "as an earlier version of the program counts; their files are as they were sealed" in notes[0]
    assert "board main: the scores of all 2 contestants follow from the records; intervals and ranks" in notes[1]
    assert "the keys of its records cannot be recomputed" in notes[2]


def test_its_leaderboard_reads_as_it_stands(first: Repository) -> None:
    standings = read_standings(list_runs(first.runs)[0], "main")
    assert list(standings) == ["lead-2", "null-constant"]
    assert standings["lead-2"].overall == pytest.approx(68.5)


def test_it_is_scored_anew_and_renders(first: Repository) -> None:
    with pytest.raises(RunError, match=f"recompute them with: nullbench-site score {RUN}"):
        api.render(first)
    before = read_standings(list_runs(first.runs)[0], "main")
    api.score(first, RUN)
    after = read_standings(list_runs(first.runs)[0], "main")
    assert {m: s.overall for m, s in before.items()} == pytest.approx({m: s.overall for m, s in after.items()})
    assert read_manifest(first.runs / RUN).scored_by == TOOL
    assert api.verify(first, RUN).problems == []
    assert "lead-2" in (api.render(first) / "index.html").read_text("utf-8")


@pytest.mark.parametrize(("old", "new"), [("lead-2", "lead-3"), (",68.5", ",69.5")])
def test_a_score_that_does_not_follow_is_a_problem_whoever_worked_it_out(first: Repository, old: str, new: str) -> None:
    table = first.runs / RUN / "results" / "main" / "leaderboard.csv"
    text = table.read_text()
    assert old in text
    table.write_text(text.replace(old, new, 1))
    manifest = read_manifest(first.runs / RUN)
    write_manifest(first.runs / RUN, replace(manifest, files=file_digests(first.runs / RUN)))
    (problem,) = api.verify(first, RUN).problems
    assert "leaderboard.csv: the records give other scores to lead-" in problem
