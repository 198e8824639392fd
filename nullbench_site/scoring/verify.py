"""Whether a run's results follow from its records, what programs recorded from the responses, and the scores of one run
from those of another of the same specs.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.protocols.base import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import Manifest
from nullbench_site.runs.records import CheckResult, Response, read_records
from nullbench_site.runs.verify import integrity_problems
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.score import run_benchmark, score_run
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest


def run_problems(run_dir: Path) -> list[str]:
    """A line for each file that is not what was sealed; where all are, for each result that the records do not give.

    Raises RunError where the manifest cannot be read, or a shard.
    """
    manifest, problems = integrity_problems(run_dir)
    return problems or recomputation_problems(run_dir, manifest)


def recomputation_problems(run_dir: Path, manifest: Manifest) -> list[str]:
    """A line for each result that the records do not give, and for specs that are not those of the run.

    And for each response of which a check or key finds something else than was recorded.
    """
    problems = []
    benchmark = run_benchmark(run_dir)
    digest = spec_digest(benchmark)
    if digest != manifest.spec_digest:
        made_from = manifest.spec_digest[:8]
        problems.append(
            f"{run_dir / 'specs'}: the specs have the digest {digest[:8]}, the run was made from {made_from}"
        )
    folder = RunFolder(run_dir, manifest)
    tally = folder.tally()
    if (tally.counts, tally.usage) != (manifest.counts, manifest.usage):
        problems.append(f"{run_dir}: the records add up to other counts, tokens or costs than the manifest says")
    problems += recheck_problems(benchmark, folder)
    for results in score_run(folder):
        for name, content in result_files(results).items():
            path = run_dir / "results" / results.board / name
            if not path.is_file() or path.read_bytes() != content:
                problems.append(f"{path}: the records give other numbers; score the run again, or find what changed")
    return problems


def recheck_problems(benchmark: Benchmark, folder: RunFolder) -> Iterator[str]:
    """A line for each public response in which a check or key finds something else now; all but code is run again.

    Looked at is what the same check or key found in the same revision; another one may decide otherwise, and is not
    wrong. Raises RunError for a damaged line.
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
                for one, other in _changed_results(response, protocol.checked(item, bare, execute=False)):
                    advice = "find out which was changed, the text or what was found in it"
                    yield (
                        f"{shard}: the answer to {response.item!r} is recorded as {_shown(one)}; "
                        f"by its text it is {_shown(other)}; {advice}"
                    )


def _changed_results(recorded: Response, checked: Response) -> Iterator[tuple[CheckResult, CheckResult]]:
    before = {(result.type, result.params): result for result in recorded.checks}
    for result in checked.checks:
        one = before.get((result.type, result.params), result)
        if one != result:
            yield one, result


def _shown(result: CheckResult) -> str:
    return " ".join([result.type, result.outcome, *(f"({flag})" for flag in result.flags)])


_OF_TIMES = frozenset(
    {
        "run",
        "stability",
        "stability_tail",
        "stability_extremes",
        "stability_jitter",
        "throughput_rps",
        "throughput_tps",
        "median_response_time_ms",
        "p95_response_time_ms",
        "max_response_time_ms",
        "absent",
    }
)
"""Fields of all results that depend on how fast the calls were answered; `absent` gives reasons for such fields."""


def score_differences(one: Results, other: Results) -> list[str]:
    """A line for each score in which the two differ; none if the board was reproduced.

    Times, and what is made of them, may differ.
    """
    of_times = _OF_TIMES.union(one.OF_TIMES)
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
