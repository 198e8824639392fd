"""A head that brings a contestant with its evidence: where it stands, and whether the evidence is what is known."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from support.commands import nullbench
from support.commits import commit, git
from support.repositories import ITEMS, JUDGES, add_model, build, edit, run_dir

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.review.rendering import first_line, markdown, text
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest, write_manifest
from nullbench_site.runs.records import Judgment, encode_lines, read_records


@pytest.fixture
def submitted(board: Repository) -> Repository:
    """The board with a contestant more, and the sealed run that has its evidence."""
    add_model(board, "lead-9", "lead", "{k: 1}")
    build(board)
    return board


def _forge(run: Path, model: str, change: Callable[[Judgment], Judgment]) -> Judgment:
    """Change the first verdict on a contestant and seal the run again, as whoever submits it can; the verdict."""
    shard = run / "judgments" / f"{model}.jsonl"
    first, *rest = read_records(shard, Judgment)
    shard.write_bytes(encode_lines([change(first), *rest]))
    manifest = read_manifest(run)
    write_manifest(run, msgspec.structs.replace(manifest, state="open"))
    repository = Repository(run.parent.parent)
    api.score(repository, run.name)
    RunFolder(run, read_manifest(run)).seal(manifest.sealed_at or "")
    assert api.verify(repository, run.name)[1] == [], "the bytes and the arithmetic of a forged run hold"
    return first


def _flipped(verdict: Judgment) -> Judgment:
    scores = {**verdict.scores, "goal_alignment": 100 - float(verdict.scores["goal_alignment"]) or 1}
    return msgspec.structs.replace(verdict, scores=scores)


def test_a_submission_has_its_score_difference_and_smallest_detectable_difference(submitted: Repository) -> None:
    diff = api.diff(submitted, "base")
    (one,) = diff.submissions
    assert (one.board, one.contestant, one.provenance, one.not_measured) == ("main", "lead-9", None, None)
    assert one.place.rank is not None
    assert (one.place.ci_low or 0) < (one.place.overall or 0) < (one.place.ci_high or 0)
    results = {row.model: row for row in _rows(submitted)}
    other = results[one.gap.other].overall
    assert one.gap.value == pytest.approx((one.place.overall or 0) - other)
    assert (one.gap.low or 0) < one.gap.value < (one.gap.high or 0)
    assert one.gap.smallest > 0
    assert one.gap.sentence
    assert "submits lead-9 to main (no claimed provenance): score " in text(diff)
    assert f"smallest detectable difference {one.gap.smallest:.1f} points" in text(diff)
    assert (diff.altered.repeated, diff.altered.of, diff.altered.all) == (ITEMS * (1 + JUDGES), ITEMS * (1 + JUDGES), 0)


def _rows(repository: Repository):  # type: ignore[no-untyped-def]
    from nullbench_site.scoring.tables import read_results

    return read_results(run_dir(repository), "main").leaderboard


def test_a_flipped_verdict_on_a_submission_is_found_by_the_program(submitted: Repository) -> None:
    verdict = _forge(run_dir(submitted), "lead-9", _flipped)
    diff = api.diff(submitted, "base")
    (record,) = diff.altered.records
    assert (record.contestant, record.item, record.judge, record.by) == (
        "lead-9",
        verdict.item,
        verdict.judge,
        "program",
    )
    assert record.known == verdict.scores
    assert record.found == _flipped(verdict).scores
    assert first_line(diff).endswith("; 1 record of HEAD fails the record check")
    assert nullbench(submitted.root, "diff", "base").code == 2
    line = next(line for line in text(diff).splitlines() if "record check: the verdict" in line)
    for named in (verdict.judge, "lead-9", verdict.item, "goal_alignment"):
        assert named in line
        assert f"`{named}`" in markdown(diff)


def test_a_flipped_verdict_on_a_known_contestant_is_found_by_the_earlier_run(submitted: Repository) -> None:
    verdict = _forge(run_dir(submitted), "lead-2", _flipped)
    diff = api.diff(submitted, "base")
    (record,) = diff.altered.records
    assert (record.contestant, record.item, record.by) == ("lead-2", verdict.item, "record")
    assert (record.known, record.found) == (verdict.scores, _flipped(verdict).scores)
    assert any(change.contestant == "lead-2" for change in diff.ranks)


def test_a_submission_without_a_run_waits_for_its_verdicts(board: Repository) -> None:
    add_model(board, "lead-9", "lead", "{k: 1}")
    diff = api.diff(board, "base")
    (one,) = diff.submissions
    assert (one.place, one.gap, one.not_measured) == (None, None, "its answers are not judged yet")
    assert diff.altered is None
    assert "its place is not measured: its answers are not judged yet" in text(diff)


def test_a_submission_that_gives_one_answer_to_every_item_is_flagged(board: Repository) -> None:
    add_model(board, "refuse-9", "refuse")
    add_model(board, "lead-9", "lead", "{k: 1}")
    build(board)
    diff = api.diff(board, "base")
    found = {one.contestant: one.screening for one in diff.submissions}
    assert found["refuse-9"].startswith(
        f"{ITEMS} of {ITEMS} answers repeat, exactly or nearly, the answer to another item"
    )
    assert found["lead-9"] == ""
    assert f"screening flags refuse-9 on main: {ITEMS} of {ITEMS} answers repeat" in text(diff)
    assert "screening flags lead-9" not in text(diff)


def test_a_run_that_does_not_match_its_seal_is_one_line_without_ranks(submitted: Repository) -> None:
    run = run_dir(submitted)
    shard = run / "judgments" / "lead-9.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"state":"scored"', b'"state":"scored" ', 1))
    done = nullbench(submitted.root, "diff", "base")
    diff = api.diff(submitted, "base")
    (line,) = diff.evidence
    assert line.startswith(f"the run {run.name} of HEAD does not match its seal: runs/{run.name}/judgments/lead-9")
    assert diff.head_run is None
    (one,) = diff.submissions
    assert (one.place, one.not_measured) == (None, "its run does not match its seal")
    assert (done.code, "; 1 line below reports edits\n" in done.out) == (2, True)


def test_the_records_of_an_open_run_are_checked(
    submitted: Repository,
) -> None:
    run = run_dir(submitted)
    for model in ("lead-9", "lead-2"):
        _forge(run, model, _flipped)
    write_manifest(run, msgspec.structs.replace(read_manifest(run), state="open"))
    shard = run / "judgments" / "lead-2.jsonl"
    shard.write_bytes(b'{"key":"no record"}\n' + shard.read_bytes() + b'{"key":"torn')
    done = nullbench(submitted.root, "diff", "base")
    assert done.code == 2
    for model, whose in (("lead-9", "the program itself"), ("lead-2", "an earlier run")):
        (line,) = [line for line in done.out.splitlines() if f" on {model} on " in line]
        assert f"differs from {whose}: " in line


def test_a_link_in_an_open_run_is_not_read(submitted: Repository, tmp_path: Path) -> None:
    run = run_dir(submitted)
    write_manifest(run, msgspec.structs.replace(read_manifest(run), state="open"))
    (tmp_path / "secret").write_text("a secret of the machine", "utf-8")
    (run / "judgments" / "lead-2.jsonl").unlink()
    (run / "judgments" / "lead-2.jsonl").symlink_to(tmp_path / "secret")
    done = nullbench(submitted.root, "diff", "base")
    assert (done.code, "secret" in done.out + done.err) == (2, False)
    assert f"the run {run.name} of HEAD does not match its seal: runs/{run.name}/judgments/lead-2.jsonl" in done.out


def test_an_open_run_of_the_head_ranks_nobody(submitted: Repository) -> None:
    run = run_dir(submitted)
    write_manifest(run, msgspec.structs.replace(read_manifest(run), state="open"))
    diff = api.diff(submitted, "base")
    assert diff.head_run is None
    assert (diff.calls.brought, diff.calls.asked) == (ITEMS * (1 + JUDGES), ITEMS * (1 + JUDGES))
    assert (diff.altered.repeated, diff.altered.all) == (ITEMS * (1 + JUDGES), 0)
    assert f"adds the run {run.name} (192 records); open, the next build continues it" in text(diff)


def test_a_copy_of_a_run_does_not_pass_for_another(board: Repository) -> None:
    run = run_dir(board)
    shutil.copytree(run, board.runs / "9.0.0-0badcafe")
    told = f"the manifest belongs to the run {run.name}"
    (copy,) = api.diff(board, "base", verify=True).runs
    assert (copy.run, copy.problems) == ("9.0.0-0badcafe", (told,))
    unverified = api.diff(board, "base")
    assert unverified.evidence == (f"the run 9.0.0-0badcafe of HEAD does not match its seal: {told}",)
    assert unverified.head_run is None


def test_a_fork_that_edits_or_removes_an_old_run_is_one_line(board: Repository) -> None:
    run = run_dir(board).name
    shard = board.runs / run / "judgments" / "lead-2.jsonl"
    edit(shard, '"state":"scored"', '"state":"scored" ')
    commit(board, branch="edited")
    git(board, "checkout", "-q", "base")
    (edited,) = api.diff(board, "base", "edited").runs
    assert (edited.run, edited.what) == (run, "changed")
    git(board, "checkout", "-q", "-b", "gone")
    git(board, "rm", "-rq", "runs")
    commit(board, staged=True)
    git(board, "checkout", "-q", "base")
    gone = api.diff(board, "base", "gone")
    assert [(each.run, each.what) for each in gone.runs] == [(run, "removed")]
    assert f"removes the run {run}" in text(gone)
