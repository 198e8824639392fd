"""`verify` marks public answers again: a mark that its text does not bear is named, whatever was sealed with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support.benchmarks import write_benchmark
from support.boards import write_shards

from nullbench_site import api
from nullbench_site.checks.runnable_code import CodeRunnable
from nullbench_site.protocols.rubric.judging import checked
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import CheckResult, Hidden, Response, encode, read_records
from nullbench_site.scoring.recomputation import recheck_problems, score_run
from nullbench_site.scoring.tables import write_results
from nullbench_site.specs.load import load_benchmark


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("oracle")
    write_benchmark(folder, "oracle")
    api.build(Repository(folder), render_site=False)
    return Repository(folder)


def problems(repository: Repository, change: dict[str, object] | None = None, model: str = "first-option") -> list[str]:
    """What is found of the responses of a contestant, each changed so."""
    run = api.find_run(repository, None)
    shard = run.path / f"responses/{model}.jsonl"
    before = shard.read_bytes()
    changed = (msgspec.structs.replace(response, **change or {}) for response in read_records(shard, Response))
    shard.write_bytes(b"".join([encode(response) for response in changed]))
    try:
        return list(recheck_problems(load_benchmark(run.path / "specs"), RunFolder(run.path, run.manifest)))
    finally:
        shard.write_bytes(before)


def test_marks_that_follow_from_the_texts_are_no_problem(built: Repository) -> None:
    assert problems(built) == []
    assert api.verify(built, None)[1] == []


def test_a_text_that_was_changed_after_it_was_marked_is_named(built: Repository) -> None:
    found = problems(built, {"text": "Answer: B"})
    assert len(found) > 3
    said = (
        "first-option.jsonl: the answer to 'counting-01' is recorded as multiple-choice correct (chooses A); "
        "by its text it is multiple-choice wrong (chooses B; A is right)"
    )
    assert any(said in line for line in found)


def test_a_stated_confidence_that_the_text_does_not_have_is_named(built: Repository) -> None:
    found = problems(built, {"stated_confidence": 0.9})
    assert any("recorded as stating the confidence 0.9; by its text it is stating None" in line for line in found)


def test_a_text_that_is_not_here_is_not_marked_again(built: Repository) -> None:
    assert problems(built, {"text": "", "hidden": Hidden("sha256:0", 9)}) == []


def test_a_mark_by_another_revision_of_the_keys_is_left_as_it_is(built: Repository) -> None:
    assert problems(built, {"checks": (CheckResult("multiple-choice", "0" * 16, "correct"),)}) == []


def test_a_mark_changed_and_sealed_again_is_found(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "oracle")
    repository = Repository(tmp_path)
    api.build(repository, render_site=False)
    run = api.find_run(repository, None)
    shard = run.path / "responses/first-option.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"outcome":"wrong"', b'"outcome":"correct"'))
    folder = RunFolder(run.path, run.manifest)
    for results in score_run(folder):
        write_results(run.path, results)
    folder.seal("2026-01-01T00:00:00+00:00")
    entry, found, _ = api.verify(repository, None)
    assert len(found) == 7
    assert all("is recorded as" in line and str(entry.path) in line for line in found)


def test_checks_of_a_rubric_board_are_run_again_but_no_code_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nullbench_site.checks.runnable_code.execute", lambda *_, **__: pytest.fail("executed"))
    specs = write_benchmark(tmp_path, "rubric")
    benchmark = load_benchmark(specs)
    board = benchmark.boards["questions"]
    placed = next(item for item in benchmark.items(board) if item.id == "wording-02")
    response = Response(
        key="0", board="questions", model="copy", item=placed.id, template="verbatim", sample=0, state="answered",
        text="It is magic.", error=None, started_at="2026-01-01T00:00:00.000+00:00", seconds=1.0,
    )  # fmt: skip
    right = checked(response, placed.item.checks)
    forged = msgspec.structs.replace(
        right, checks=(msgspec.structs.replace(right.checks[0], outcome="passed", flags=()),)
    )
    ran = CodeRunnable(run=True)
    item = msgspec.structs.replace(placed.item, checks=(*placed.item.checks, ran))
    category = msgspec.structs.replace(placed.category, items=(item,))
    domain = msgspec.structs.replace(placed.domain, categories=(category,))
    changed = replace(benchmark, domains={**benchmark.domains, domain.id: domain})
    assert list(recheck_problems(changed, write_shards(tmp_path / "right", [right]))) == []
    (line,) = recheck_problems(changed, write_shards(tmp_path / "forged", [forged]))
    assert (
        "the answer to 'wording-02' is recorded as banned-words passed; by its text it is banned-words failed" in line
    )


def test_a_new_version_marks_the_recorded_answers_again_without_a_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When keys read answers differently. The old run stays as it was sealed, and `verify` accepts it."""
    specs = write_benchmark(tmp_path, "oracle")
    repository = Repository(tmp_path)
    monkeypatch.setattr("nullbench_site.protocols.oracle.judging.REVISION", 1)
    api.build(repository, render_site=False)
    old = api.find_run(repository, None).path
    monkeypatch.setattr("nullbench_site.protocols.oracle.judging.REVISION", 2)
    about = specs / "benchmark.yaml"
    about.write_text(about.read_text("utf-8").replace('version: "0.1.0"', 'version: "0.2.0"'), "utf-8")
    before = (old / "responses/first-option.jsonl").read_bytes()
    report = api.build(repository, render_site=False)
    assert (report.calls.made, report.calls.failed) == (0, 0)
    new = api.find_run(repository, None).path
    assert new != old
    assert (old / "responses/first-option.jsonl").read_bytes() == before
    for was, now in zip(
        *(read_records(run / "responses/first-option.jsonl", Response) for run in (old, new)), strict=True
    ):
        assert (was.key, was.text) == (now.key, now.text)
        assert was.checks[0].params != now.checks[0].params
    for run in (old.name, new.name):
        assert api.verify(repository, run)[1] == []
