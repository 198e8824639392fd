"""Build a benchmark look by look, and stop the boards whose contestants are all told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from nullbench_site.errors import RunError, SpecError, UsageError
from nullbench_site.evaluation.evaluate import Evaluation
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import Stop
from nullbench_site.scoring.board import is_separated
from nullbench_site.scoring.looks import items_until
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark


def evaluate_by_looks(
    builder: RequestBuilder, options: BuildOptions, evaluate: Callable[[RequestBuilder], Evaluation]
) -> Evaluation:
    """Return the evaluation of the look at which each board stopped, or of all items.

    All contestants answer the items of a look before any of the next. A board goes on to its next look unless every
    pair of ranked contestants is decided. Items are never chosen by their answers. The manifest of the run gets the
    stops. evaluate: makes the calls of a builder. A call that cannot be made ends the build as it ends any other.
    """
    benchmark = builder.benchmark
    at = {board.id: 1 for board in options.boards_with_looks(benchmark)}
    found: list[Evaluation] = []
    while True:
        asked = {
            name: items_until(benchmark, benchmark.boards[name], look)
            for name, look in at.items()
            if look < len(benchmark.boards[name].looks or ())
        }
        narrowed = RequestBuilder(benchmark.asking(asked), builder.backends, builder.execute)
        found.append(evaluate(narrowed))
        folder = found[-1].folder
        if found[-1].sealed or found[-1].stops or found[-1].tally.left:
            break
        undecided = [name for name in asked if not is_separated(narrowed.benchmark, benchmark.boards[name], folder)]
        if not undecided:
            stops = {
                name: Stop(at[name], len(benchmark.boards[name].looks or ()), items) for name, items in asked.items()
            }
            folder.stop(stops)
            break
        at |= {name: at[name] + 1 for name in undecided}
    return _together(found)


def _together(found: Sequence[Evaluation]) -> Evaluation:
    """Return the last evaluation with the calls and the cost of all."""
    *before, last = found
    made = sum(each.tally.made for each in before)
    tally = msgspec.structs.replace(
        last.tally,
        made=last.tally.made + made,
        unparsed=sum(each.tally.unparsed for each in found),
        reused=max(last.tally.reused - made, 0),
    )
    known = [each.spent_usd for each in found if each.spent_usd is not None]
    most = [each.uncounted_usd for each in found]
    return msgspec.structs.replace(
        last,
        tally=tally,
        spent_usd=sum(known) if known else None,
        uncounted=sum(each.uncounted for each in found),
        uncounted_usd=None if None in most else sum(each or 0.0 for each in most),
    )


def check_looks(benchmark: Benchmark, specs: Path, entries: Sequence[CatalogEntry]) -> None:
    """Raises UsageError if an earlier run of this version of the benchmark has other looks for a board."""
    looks = {name: board.looks for name, board in benchmark.boards.items() if board.looks is not None}
    if not looks:
        return
    seen = set[str]()
    for entry in entries:
        manifest = entry.manifest
        if manifest.version != benchmark.about.version or manifest.spec_digest in seen:
            continue
        seen.add(manifest.spec_digest)
        with suppress(SpecError, RunError):
            _check_same(looks, load_benchmark(entry.path / "specs", profile=manifest.profile), specs, manifest.run)


def _check_same(looks: Mapping[str, tuple[float, ...] | None], before: Benchmark, specs: Path, run: str) -> None:
    for name, now in looks.items():
        then = before.boards[name].looks if name in before.boards else None
        if then is not None and then != now:
            place = specs / "boards" / f"{name}.yaml"
            raise UsageError(
                f"{place}: looks are {[*(now or ())]}, but run {run} has {[*then]}; looks cannot change after a run. "
                "Restore them, or raise the version of the benchmark"
            )
