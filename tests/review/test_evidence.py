"""Records of a head that are not what is known of them: each way to forge one and to seal the run again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.commits import commit, git
from support.repositories import build, run_dir

from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.repository import Repository
from nullbench_site.review.calls import KnownAnswers
from nullbench_site.review.comment import parsed_diff
from nullbench_site.review.evidence import Altered, altered, draw
from nullbench_site.review.rendering import text
from nullbench_site.review.report import Diff
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.folder import shards_of
from nullbench_site.runs.manifest import FileDigest, read_manifest, write_manifest
from nullbench_site.runs.records import Hidden, Judgment, Record, Response, encode_lines, read_records
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.load import load_benchmark

Shards: TypeAlias = dict[str, list[Record]]
VERDICTS, OTHERS, ANSWERS = "judgments/lead-2.jsonl", "judgments/paraphrase.jsonl", "responses/lead-2.jsonl"


def _held(board: Repository, base: Sequence[CatalogEntry] = (), answers: KnownAnswers | None = None) -> Altered:
    """What of the newest run is not what is known. Its manifest has the digests of its files as they are now."""
    entry = list_runs(board.runs)[-1]
    files = {name: _digest(entry.path / name) for name in entry.manifest.files}
    run = CatalogEntry(entry.path, msgspec.structs.replace(entry.manifest, files=files))
    builder = RequestBuilder(load_benchmark(board.specs), backends(), execute=False)
    return altered(builder, [run], base, answers or KnownAnswers(), {})


def _digest(path: Path) -> FileDigest:
    return FileDigest(sha256(path.read_bytes()), path.stat().st_size)


def _forge(board: Repository, change: Callable[[Shards], None]) -> None:
    run = run_dir(board)
    shards = {path.relative_to(run).as_posix(): list(read_records(path, kind)) for kind, path in shards_of(run)}
    change(shards)
    for name, records in shards.items():
        (run / name).write_bytes(encode_lines(records))


def _set(shards: Shards, name: str, number: int = 0, **fields: object) -> None:
    shards[name][number] = msgspec.structs.replace(shards[name][number], **fields)


def _swap_items(shards: Shards) -> None:
    first = shards[VERDICTS][0]
    assert isinstance(first, Judgment)
    verdicts = (each for each in shards[VERDICTS] if isinstance(each, Judgment))
    other = next(n for n, each in enumerate(verdicts) if (each.judge, each.item != first.item) == (first.judge, True))
    item = shards[VERDICTS][other].item
    _set(shards, VERDICTS, other, item=first.item)
    _set(shards, VERDICTS, item=item)


def _flip(shards: Shards) -> None:
    verdict = shards[VERDICTS][0]
    assert isinstance(verdict, Judgment)
    scores = {**verdict.scores, "goal_alignment": 100 - float(verdict.scores["goal_alignment"]) or 1}
    _set(shards, VERDICTS, scores=scores)


def _of_another(shards: Shards) -> None:
    shards[OTHERS][0] = shards[VERDICTS][0]


FORGED: dict[str, tuple[Callable[[Shards], None], tuple[int, int, int]]] = {
    "nothing": (lambda shards: None, (0, 0, 0)),
    "a flipped verdict": (_flip, (1, 0, 0)),
    "a verdict under a key of its own": (lambda shards: _set(shards, VERDICTS, key="0" * 64), (0, 1, 0)),
    "verdicts in each other's place": (_swap_items, (0, 2, 0)),
    "a verdict on another contestant": (_of_another, (0, 1, 1)),
    "a verdict that is gone": (lambda shards: shards[VERDICTS].pop() and None, (0, 0, 1)),
    "a verdict twice": (lambda shards: shards[VERDICTS].append(shards[VERDICTS][0]), (0, 1, 0)),
    "another answer of a program": (lambda shards: _set(shards, ANSWERS, text="Nothing."), (1, 3, 0)),
}
"""What somebody does, and how many records are altered, misplaced and lacking then."""


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_record_is_found_without_a_base(built: Repository, case: str) -> None:
    change, found = FORGED[case]
    _forge(built, change)
    held = _held(built)
    assert (held.altered, held.misplaced, held.lacking) == found
    assert held.all == sum(found)


def test_the_repeated_calls_are_a_random_sample() -> None:
    def drawn() -> list[int]:
        sample: list[int] = []
        for number in range(1, 101):
            draw(sample, number, number, most=20)
        return sample

    samples = [drawn() for _ in range(400)]
    assert {len(set(sample)) for sample in samples} == {20}
    assert len({tuple(sample) for sample in samples}) > 1
    assert set().union(*samples) == set(range(1, 101)), "by chance one is missing once in 10^36 times"


def test_a_verdict_that_is_marked_as_failed_differs_from_the_base(built: Repository) -> None:
    base = list_runs(built.runs)
    known = {path.name: path.read_bytes() for path in base[0].path.glob("judgments/*")}
    copy = built.root / "base" / base[0].path.name
    (copy / "judgments").mkdir(parents=True)
    for name, content in known.items():
        (copy / "judgments" / name).write_bytes(content)
    _forge(built, lambda shards: _set(shards, VERDICTS, state="errored", scores={}, error="a timeout"))
    held = _held(built, [CatalogEntry(copy, base[0].manifest)])
    (record,) = held.records
    assert (record.contestant, record.by, record.found) == ("lead-2", "record", {})
    assert record.judge is not None
    assert record.known
    # The other shards are those of the base, byte for byte.
    assert held.compared == known["lead-2.jsonl"].count(b"\n")


def test_a_flipped_verdict_on_a_private_item_is_found_by_its_position(built: Repository) -> None:
    """Its key cannot be made here, and its record is no answer to any other call."""
    hidden = Hidden("sha256:0", 3)
    answers = KnownAnswers()

    def hide(shards: Shards) -> None:
        _set(shards, VERDICTS, hidden=hidden)
        verdict = shards[VERDICTS][0]
        assert isinstance(verdict, Judgment)
        answers.records[verdict.board, verdict.model][1].append(verdict)
        _flip(shards)

    _forge(built, hide)
    (record,) = _held(built, (), answers).records
    assert (record.contestant, record.by) == ("lead-2", "record")


def test_forged_names_and_numbers_are_bounded_in_the_report(built: Repository, tmp_path: Path) -> None:
    """Names and numbers of an open run, which nobody has sealed and no manifest vouches for."""
    names = {f"\x1b[2J{number}{'x' * 1000}": 5 for number in range(1000)}

    def write(shards: Shards) -> None:
        _set(shards, VERDICTS, 0, judge=shards[VERDICTS][0].judge, scores={"huge": 10**18, **names})  # type: ignore[union-attr]

    git(built, "init", "-q", "-b", "base")
    commit(built)
    forged = run_dir(built).with_name("0.1.0-00000000")
    shutil.copytree(run_dir(built), forged)
    manifest = read_manifest(forged)
    later = (datetime.fromisoformat(manifest.created_at) + timedelta(seconds=1)).isoformat()
    write_manifest(forged, msgspec.structs.replace(manifest, state="open", run=forged.name, created_at=later))
    _forge(built, write)
    done = nullbench(built.root, "diff", "base", "--format", "json")
    diff = parsed_diff(done.out.encode())
    assert isinstance(diff, Diff), diff
    (record,) = diff.altered.records
    assert (done.code, len(record.found), record.found["huge"]) == (2, 100, 10**9)
    assert all(name.isprintable() and len(name) <= 120 for name in record.found)
    assert text(diff).replace("\n", "").isprintable()


def test_forged_marks_and_orders_of_answers_are_found(tmp_path: Path) -> None:
    marked, beside = Repository(tmp_path / "oracle"), Repository(tmp_path / "beside")
    write_benchmark(marked.root, "oracle")
    write_benchmark(beside.root, "pairwise")
    for board in (marked, beside):
        build(board)
        held = _held(board)
        assert held.of > 0
        assert (held.altered, held.misplaced, held.lacking) == (0, 0, 0)

    def mark(shards: Shards) -> None:
        name, number = next(
            (name, n)
            for name, of in shards.items()
            for n, one in enumerate(of)
            if isinstance(one, Response) and one.checks
        )
        answer = shards[name][number]
        assert isinstance(answer, Response)
        (check,) = answer.checks
        other = "wrong" if check.outcome == "correct" else "correct"
        _set(shards, name, number, checks=(msgspec.structs.replace(check, outcome=other),))

    def turn(shards: Shards) -> None:
        name = next(name for name in shards if name.startswith("judgments/") and shards[name])
        verdict = shards[name][0]
        assert isinstance(verdict, Judgment)
        _set(shards, name, position=1 - verdict.position)

    _forge(marked, mark)
    _forge(beside, turn)
    assert (_held(marked).altered, _held(beside).misplaced) == (1, 1)
