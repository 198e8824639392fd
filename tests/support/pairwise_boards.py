"""Small `pairwise` boards made in memory, and games scored on them. A test says what each judge gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from support.boards import BOARD, assembled, response, scored_as, verdict

from nullbench_site.protocols.pairwise.judging import meetings, template
from nullbench_site.protocols.pairwise.results import PairwiseResults, PairwiseRow
from nullbench_site.protocols.pairwise.specs import (
    PairwiseBoardFile,
    PairwiseCategory,
    PairwiseDomainFile,
    PairwiseItem,
)
from nullbench_site.runs.records import CheckResult, Judgment, Record, Response, Score
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
        **BOARD, protocol="pairwise", panel="panel", domains=("things",), contestants=tuple(sorted(models)),
        baseline=baseline, **board,
    )  # fmt: skip
    return assembled(board_file, [domain], models, judges)


def answer(
    item: str, model: str = "m", *, length: int = 10, state: Literal["answered", "errored"] = "answered", **style: int
) -> Response:
    flags = (f"length {length}", *(f"{name} {count}" for name, count in style.items()))
    checks = () if state == "errored" else (CheckResult("style", "", "not-applicable", flags),)
    return response(item, model, state=state, text="x" * length, template="verbatim", checks=checks)


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
    **more: Score,
) -> Judgment:
    """A verdict in the order shown; None for a reply that could not be read. drawn: of a board with one order."""
    task = template(against, None if drawn or position is None else position)
    place: dict[str, Any] = {"judge_template": task, "position": position}
    if value is None:
        return verdict(judge, item, model, {}, state="unparsed", invalid={name: "no"}, **place)
    return verdict(judge, item, model, {name: value, **more}, **place)


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
