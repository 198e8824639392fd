"""Recompute the results of a run from its folder, without a call, and report differences.

The checks: results follow from the records, checks and keys find in responses what is recorded, and two runs of the
same specs have the same scores.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Set
from concurrent.futures import Executor
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.audit.search_walk import search_problems, search_steps
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.item_dates import date_problems
from nullbench_site.runs.manifest import TOOL, Manifest, read_manifest
from nullbench_site.runs.records import CheckResult, Response, read_records
from nullbench_site.runs.verify import integrity_problems
from nullbench_site.scoring.attacks import attack_tables
from nullbench_site.scoring.best_of import best_of_tables
from nullbench_site.scoring.board import score_board
from nullbench_site.scoring.bridges import bridge_tables
from nullbench_site.scoring.contamination import canary_rows, probe_checks
from nullbench_site.scoring.item_dates import item_date_rows
from nullbench_site.scoring.labels import label_tables
from nullbench_site.scoring.looks import stop_problems
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import Results, rounded
from nullbench_site.scoring.screening import Screened, screened_boards
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import listed


def run_benchmark(run_dir: Path) -> Benchmark:
    """Return the specs of a run, with the items that were asked."""
    manifest = read_manifest(run_dir)
    return load_benchmark(run_dir / "specs", profile=manifest.profile).asking(manifest.asked)


def score_run(folder: RunFolder, *, cache: Path | None = None, executor: Executor | None = None) -> Iterator[Results]:
    """Yield the results of every board of a run.

    cache: a folder for observations of shards; None computes everything from the records.
    executor: as in `score_board`.
    """
    benchmark = run_benchmark(folder.path)
    boards = screened_boards(benchmark, folder)
    for board in benchmark.boards.values():
        results = score_board(benchmark, board, folder, cache, executor)
        rows, ranks = bridge_tables(benchmark, board, folder, cache)
        if rows:
            results = msgspec.structs.replace(results, bridges=rounded(rows), bridge_ranks=rounded(ranks))
        if canaries := canary_rows(benchmark, board, folder):
            results = msgspec.structs.replace(results, canaries=canaries)
        if dated := item_date_rows(benchmark, board, folder.manifest.item_dates):
            results = msgspec.structs.replace(results, item_dates=dated)
        screened = boards.get(board.id, Screened())
        if screened.rows:
            results = msgspec.structs.replace(results, screening=screened.rows)
        if checks := probe_checks(benchmark, board, results):
            results = msgspec.structs.replace(results, probe_checks=rounded(checks))
        if labels := label_tables(benchmark, board, folder, cache):
            results = msgspec.structs.replace(results, **rounded(labels))
        if picked := best_of_tables(benchmark, board, folder, cache):
            results = msgspec.structs.replace(results, **rounded(picked))
        if attacked := attack_tables(benchmark, board, folder, cache, screened.marked):
            results = msgspec.structs.replace(results, **rounded(attacked))
        if steps := search_steps(benchmark, board, folder):
            results = msgspec.structs.replace(results, search_steps=rounded(steps))
        yield results


_SAME = 1e-5
"""In points of 100. Early versions wrote six digits."""


def run_problems(run_dir: Path) -> list[str]:
    """Return a line for each file that differs from the sealed one; if none does, for each result that does not follow.

    Results that another version of the program scored, and that therefore cannot be compared, also get a line: any
    change of a run must be reported. Raises RunError if the manifest or a shard cannot be read.
    """
    manifest, problems = integrity_problems(run_dir)
    if problems:
        return problems
    outcome = recomputed(run_dir, manifest)
    return [*outcome.problems, *outcome.notes]


@dataclass
class Recomputation:
    """The outcome of recomputing a run. problems: a line for each. notes: a line for what cannot be compared."""

    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def recomputed(run_dir: Path, manifest: Manifest) -> Recomputation:
    """Check that the results follow from the records, the specs are those of the run, and checks find what is recorded.

    Results of another version of the program must have the same scores; their errors may have been computed otherwise.
    """
    outcome = Recomputation()
    benchmark = run_benchmark(run_dir)
    if wrong := list(stop_problems(benchmark, run_dir, manifest)):
        outcome.problems += wrong
        return outcome
    folder = RunFolder(run_dir, manifest)
    _compare_specs(outcome, run_dir, manifest, benchmark)
    outcome.problems += recheck_problems(benchmark, folder)
    outcome.problems += search_problems(benchmark, folder)
    for is_problem, line in date_problems(benchmark, run_dir, manifest):
        (outcome.problems if is_problem else outcome.notes).append(line)
    tally = folder.tally()
    recorded = tally.usage, tally.usage.cost_usd
    told = manifest.usage.of_endpoints, manifest.cost_usd
    if tally.counts != manifest.counts or (recorded != told and not manifest.is_early):
        outcome.problems.append(
            f"{run_dir}: the counts, tokens or costs in the manifest differ from those of the records"
        )
    for results in score_run(folder):
        _compare_results(outcome, run_dir, manifest, results)
        separation = results.separation
        if results.board in manifest.stops and (separation is None or separation.together < separation.pairs):
            outcome.problems.append(f"{run_dir}: board {results.board!r} stopped early, but some pair is not decided")
    return outcome


def _compare_specs(outcome: Recomputation, run_dir: Path, manifest: Manifest, benchmark: Benchmark) -> None:
    digest = spec_digest(benchmark)
    if digest == manifest.spec_digest:
        return
    line = f"the specs have the digest {digest[:8]}, the run was made from {manifest.spec_digest[:8]}"
    if manifest.is_early:
        outcome.notes.append(
            f"{line}, as an earlier version of the program counts; their files are as they were sealed"
        )
    else:
        outcome.problems.append(f"{run_dir / 'specs'}: {line}")


def _compare_results(outcome: Recomputation, run_dir: Path, manifest: Manifest, results: Results) -> None:
    folder, contents = run_dir / "results" / results.board, result_files(results)
    other = [
        folder / name
        for name, content in contents.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != content
    ]
    other += [table for table in sorted(folder.glob("*.csv")) if table.name not in contents]
    if not other:
        return
    if manifest.scored_by == TOOL:
        advice = "score the run again, or find the change"
        outcome.problems += [f"{path}: the records give other numbers; {advice}" for path in other]
    elif moved := sorted(_moved_scores(folder / "leaderboard.csv", results)):
        outcome.problems.append(f"{folder / 'leaderboard.csv'}: the records give other scores to {listed(moved)}")
    else:
        before = manifest.scored_by or "an earlier version of the program"
        outcome.notes.append(
            f"board {results.board}: the scores of all {len(results.leaderboard)} contestants follow from the records; "
            f"intervals and ranks are those of {before} (to recompute: nullbench-site score {manifest.run})"
        )


def _moved_scores(leaderboard: Path, results: Results) -> set[str]:
    """Yield the contestants whose score in a file is not that of the results, or that only one of the two has."""
    with leaderboard.open(encoding="utf-8", newline="") as file:
        sealed = {row.get("model") or "": row.get("overall") for row in csv.DictReader(file)}
    scores = {row.model: row.overall for row in results.leaderboard}

    def same(score: float | None, text: str | None) -> bool:
        return text == "" if score is None or not text else isclose(score, float(text), abs_tol=_SAME)

    return (sealed.keys() ^ scores.keys()) | {
        model for model, score in scores.items() if model in sealed and not same(score, sealed[model])
    }


def recheck_problems(benchmark: Benchmark, folder: RunFolder) -> Iterator[str]:
    """Yield a line for each public response in which a check or key finds something else now. Code is not run.

    Only results of the same revision of a check or key are compared; another revision may decide otherwise. Raises
    RunError for a damaged line.
    """
    placed = {
        (board.id, item.id): (judging(board.protocol), item)
        for board in benchmark.boards.values()
        for item in benchmark.items(board)
        if judging(board.protocol).has_checks(item)
    }
    for model in folder.models() if placed else ():
        shard = folder.shard(Response, model)
        if shard.is_file():
            for response in read_records(shard, Response):
                if (response.board, response.item) not in placed:
                    continue
                protocol, item = placed[response.board, response.item]
                bare = msgspec.structs.replace(response, checks=())
                checked = protocol.checked(item, bare, execute=False)
                changed = [(_shown(one), _shown(other)) for one, other in _changed_results(response, checked)]
                if (one := response.stated_confidence) != (other := checked.stated_confidence):
                    changed.append((f"stating the confidence {one}", f"stating {other}"))
                for recorded, found in changed:
                    advice = "find out whether the text or the result of its check was changed"
                    yield (
                        f"{shard}: the answer to {response.item!r} is recorded as {recorded}; "
                        f"by its text it is {found}; {advice}"
                    )


def _changed_results(recorded: Response, checked: Response) -> Iterator[tuple[CheckResult, CheckResult]]:
    before = {(result.type, result.params): result for result in recorded.checks}
    for result in checked.checks:
        one = before.get((result.type, result.params), result)
        if one != result:
            yield one, result


def _shown(result: CheckResult) -> str:
    return " ".join([result.type, result.outcome, *(f"({flag})" for flag in result.flags)])


def score_differences(one: Results, other: Results) -> list[str]:
    """Return a line for each score that differs; none if the board was reproduced.

    Columns that depend on response times may differ, and so may the reasons why they are absent.
    """
    timed = (metric for metric in METRICS.values() if metric.timed and one.protocol in metric.protocols)
    of_times = {"run", "absent", *(column for metric in timed for column in metric.columns or ())}
    return list(_differences(one.board, msgspec.to_builtins(one), msgspec.to_builtins(other), of_times))


def _differences(place: str, one: Any, other: Any, of_times: Set[str]) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other} - of_times):
            yield from _differences(f"{place}.{key}", one.get(key), other.get(key), of_times)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            name = a.get("model") or a.get("id") or number if isinstance(a, dict) else number
            yield from _differences(f"{place}[{name}]", a, b, of_times)
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"
