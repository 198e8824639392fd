"""What has to hold before a build pays for anything or writes down a private word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nullbench_site.checks.sandbox import SandboxUnavailableError, sandbox_problem
from nullbench_site.errors import RunError, UsageError
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.judging import deepeval
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE
from nullbench_site.runs.verify import private_problems
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.private import left_to_git
from nullbench_site.specs.types import BoardFile, Decoding, Judge, ModelFile, PrivateText


def check_needs(builder: RequestBuilder, selection: Selection) -> None:
    """Raises UsageError before anything is paid for, where answers could not be checked or measured."""
    if has_geval(builder, selection) and (advice := deepeval.missing()):
        raise UsageError(advice)
    if not any(_executes(builder, board) for board in _boards(builder, selection)):
        return
    if problem := sandbox_problem():
        raise SandboxUnavailableError(f"{problem}; or take `run` out of the checks, to look at the syntax only")


def has_geval(builder: RequestBuilder, selection: Selection) -> bool:
    """Whether DeepEval is to measure answers."""
    return any(judging(board.protocol).measured(board) for board in _boards(builder, selection))


def _boards(builder: RequestBuilder, selection: Selection) -> Iterator[BoardFile]:
    return (
        board for name, board in builder.benchmark.boards.items() if not selection.boards or name in selection.boards
    )


def _executes(builder: RequestBuilder, board: BoardFile) -> bool:
    protocol = judging(board.protocol)
    return any(protocol.executes(placed) for placed in builder.benchmark.items(board))


def check_bounded(builder: RequestBuilder, selection: Selection, specs: Path) -> None:
    """Raises UsageError naming everybody at an endpoint whose calls could cost nobody knows how much."""
    problems = []
    for who, decoding in _asked_at_endpoints(builder, selection):
        if who.prices is None:
            problems.append(
                f"{place_of(specs, who)}: --max-cost needs to know the prices of {who.id!r}; add prices here"
            )
        elif decoding.max_tokens is None:
            problem = f"--max-cost needs a limit on the output of {who.id!r}; add max_tokens to its decoding"
            problems.append(f"{place_of(specs, who)}: {problem}")
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))


def _asked_at_endpoints(builder: RequestBuilder, selection: Selection) -> Iterator[tuple[ModelFile | Judge, Decoding]]:
    for board, model in builder.contestants(selection):
        if builder.backends[model.backend].chats:
            yield model, model.decoding or board.decoding
        for task in builder.every_task(board, model):
            if builder.backends[task.judge.backend].chats:
                yield task.judge, task.judge.decoding


def check_private(builder: RequestBuilder, runs_dir: Path, entries: Sequence[CatalogEntry]) -> None:
    """Raises UsageError where git would take what is written of private items, RunError where the private part of an
    earlier run is not what was sealed: a copy of it would be sealed as if it were right."""
    if builder.benchmark.private and left_to_git(runs_dir.parent, [runs_dir / "any" / PRIVATE / "responses"]):
        advice = f"add the line /{runs_dir.name}/*/{PRIVATE}/ to .gitignore"
        raise UsageError(f"{runs_dir}: git would publish what a run keeps of private items; {advice}")
    sealed = (entry for entry in entries if entry.manifest.sealed)
    problems = [problem for entry in sealed for problem in private_problems(entry.path)]
    if problems:
        raise RunError("\n".join([*problems, f"or take the folder {PRIVATE} of that run away, and build again"]))


def texts_by_domain(benchmark: Benchmark) -> Mapping[str, Sequence[PrivateText]]:
    """The private texts that are here, by the domain of their item, in the order of the specs."""
    texts: dict[str, list[PrivateText]] = {}
    for domain, item in benchmark.every_item:
        if item.id in benchmark.private:
            texts.setdefault(domain.id, []).append(benchmark.private[item.id])
    return texts
