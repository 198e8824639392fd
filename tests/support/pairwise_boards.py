"""Small `pairwise` boards made in memory, and games scored on them. A test says what each judge gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from support.boards import WHEN, key_of, model, scored_as

from nullbench_site.protocols.pairwise.judging import meetings, template
from nullbench_site.protocols.pairwise.results import PairwiseResults, PairwiseRow
from nullbench_site.protocols.pairwise.specs import (
    PairwiseBoardFile,
    PairwiseCategory,
    PairwiseDomainFile,
    PairwiseItem,
)
from nullbench_site.runs.records import CheckResult, Judgment, Record, Response, Score
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark


def benchmark(
    items: Iterable[str | PairwiseItem] = ("a", "b"),
    models: Iterable[str] = ("base", "m"),
    judges: Sequence[str] = ("anna",),
    *,
    baseline: Any = "base",
    **board: Any,
) -> Benchmark:
    """One board "main" over the items. board: further keys of it."""
    made = [PairwiseItem(id=each, difficulty="easy", prompt=each) if isinstance(each, str) else each for each in items]
    category = PairwiseCategory(id="all", title="All", description="", items=tuple(made))
    domain = PairwiseDomainFile(
        canary="", id="things", title="Things", description="", protocol="pairwise", categories=(category,)
    )
    board_file = PairwiseBoardFile(
        canary="", id="main", title="Main", question="?", description="", construct="capability", protocol="pairwise",
        panel="panel", domains=("things",), contestants=tuple(sorted(models)), baseline=baseline,
        bootstrap=types.Bootstrap(resamples=200, seed=1), **board,
    )  # fmt: skip
    return Benchmark(
        about=types.BenchmarkFile(canary="", id="small", title="", version="1.0.0", description="", license=""),
        domains={"things": domain},
        judges={
            name: types.Judge(id=name, title=name, description="", backend="offline", model=name, family=f"of-{name}")
            for name in judges
        },
        panels={"panel": types.Panel(id="panel", title="Panel", judges=tuple(judges))},
        models={name: model(name) for name in models},
        boards={"main": board_file},
        templates={},
    )


def answer(
    item: str, model: str = "m", *, length: int = 10, state: Literal["answered", "errored"] = "answered", **style: int
) -> Response:
    flags = (f"length {length}", *(f"{name} {count}" for name, count in style.items()))
    return Response(
        key=key_of("response", model, item), board="main", model=model, item=item, template="verbatim", sample=0,
        state=state, text="" if state == "errored" else "x" * length, error=None, started_at=WHEN, seconds=1.0,
        checks=() if state == "errored" else (CheckResult("style", "", "not-applicable", flags),),
    )  # fmt: skip


def game(
    item: str,
    value: Score | None,
    model: str = "m",
    against: str = "base",
    *,
    judge: str = "anna",
    position: int | None = 1,
    drawn: bool = False,
    name: str = "preference",
) -> Judgment:
    """A verdict in the order shown; None for a reply that could not be read. drawn: of a board with one order."""
    task = template(against, None if drawn or position is None else position)
    return Judgment(
        key=key_of(judge, task, model, item), board="main", model=model, item=item, template="verbatim", sample=0,
        judge=judge, judge_template=task, position=position, state="unparsed" if value is None else "scored",
        scores={} if value is None else {name: value}, invalid={} if value is not None else {name: "no"},
        rationale="", raw=None, error=None, started_at=WHEN, seconds=0.1,
    )  # fmt: skip


def scheduled_games(benchmark: Benchmark) -> list[tuple[str, str, str]]:
    """The item and the two contestants of each game of a board with a schedule, in the order of the ids."""
    board = benchmark.boards["main"]
    met = {model: meetings(benchmark, board, model) for model in sorted(benchmark.models)}
    return sorted(
        (item, model, other)
        for model, of_model in met.items()
        for other, items in of_model.items()
        for item in items
        if model < other
    )


def answers(items: Iterable[str], *models: str, **lengths: int) -> list[Record]:
    return [answer(item, each, length=lengths.get(each, 10)) for item in items for each in models]


def scored(benchmark: Benchmark, records: Iterable[Record]) -> PairwiseResults:
    """The results of the board."""
    return scored_as(PairwiseResults, benchmark, records)


def rows(results: PairwiseResults) -> Mapping[str, PairwiseRow]:
    return {row.model: row for row in results.leaderboard}
