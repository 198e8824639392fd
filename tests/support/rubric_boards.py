"""Small `rubric` boards made in memory, and records scored on them. A test says what each judge gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from support.boards import BOARD, assembled, response, scored_as, verdict

from nullbench_site.checks.check import Reasoning
from nullbench_site.checks.registry import AnyCheck
from nullbench_site.protocols.rubric.metrics import RubricItemRow, RubricResults, RubricRow
from nullbench_site.protocols.rubric.specs import (
    Composite,
    GEval,
    GEvalMetric,
    RubricBoardFile,
    RubricCategory,
    RubricDomainFile,
    RubricItem,
)
from nullbench_site.runs.records import CheckResult, Judgment, Record, Response, Score
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark

JUDGES = ("anna", "ben", "cleo")
GEVAL = "gerd"
METRICS: tuple[GEvalMetric, ...] = ("correctness", "coherence", "instruction-following")


def prompt(
    id: str,
    difficulty: types.Difficulty = "easy",
    *,
    visibility: Literal["public", "private"] = "public",
    checks: Sequence[AnyCheck] = (Reasoning(),),
) -> RubricItem:
    return RubricItem(
        id=id, difficulty=difficulty, visibility=visibility, prompt=f"Say {id}.", ideal=id, criteria=("It is said.",),
        checks=tuple(checks),
    )  # fmt: skip


def category(id: str, *prompts: str | RubricItem) -> RubricCategory:
    made = tuple(prompt(entry) if isinstance(entry, str) else entry for entry in prompts)
    return RubricCategory(id=id, title=id, description=id, items=made)


def domain(id: str, *categories: RubricCategory) -> RubricDomainFile:
    return RubricDomainFile(canary="", id=id, title=id, description=id, protocol="rubric", categories=tuple(categories))


def benchmark(
    *domains: RubricDomainFile,
    models: Iterable[str | types.ModelFile] = ("m",),
    judges: Iterable[str] = JUDGES,
    geval: str | None = None,
    metrics: tuple[GEvalMetric, ...] = METRICS,
    coverage: float = 0.9,
    composite: Composite = Composite(),  # noqa: B008 - it is frozen
    samples: int = 1,
    same_family: bool = False,
) -> Benchmark:
    """One board "main" over `domains`; without any, items "a" and "b" in one category. geval: its judge, or None."""
    domains = domains or (domain("coding", category("bugs", "a", "b")),)
    board = RubricBoardFile(
        **BOARD, protocol="rubric", panel="panel", domains=tuple(d.id for d in domains), samples=samples,
        composite=composite, geval=None if geval is None else GEval(judge=geval, metrics=metrics, coverage=coverage),
    )  # fmt: skip
    return assembled(board, domains, models, judges, others=() if geval is None else [geval], same_family=same_family)


def answer(
    item: str = "a", model: str = "m", *, tokens: int | None = 100, checks: Sequence[CheckResult] = (), **more: Any
) -> Response:
    """more: what `boards.response` takes."""
    return response(item, model, tokens=tokens, checks=tuple(checks), template="verbatim", **more)


def mark(
    judge: str,
    value: Score | None = 3,
    item: str = "a",
    model: str = "m",
    *,
    state: Literal["scored", "unparsed", "errored"] = "scored",
    sample: int = 0,
    repaired: str | None = None,
) -> Judgment:
    """A panel judge's mark; None for a reply without one."""
    scores = {} if value is None else {"score": value}
    return verdict(judge, item, model, scores, state=state, sample=sample, repaired=repaired)


def geval(
    scores: Mapping[str, Score],
    item: str = "a",
    model: str = "m",
    *,
    judge: str = GEVAL,
    template: str = "geval",
    state: Literal["scored", "unparsed", "errored"] = "scored",
    sample: int = 0,
) -> Judgment:
    """What G-Eval gave, in one record of all metrics or, by its `template`, of one."""
    return verdict(judge, item, model, scores, state=state, sample=sample, judge_template=template)


def measured(score: float, item: str = "a", model: str = "m", *, sample: int = 0) -> list[Judgment]:
    """The same score on every metric, a record each."""
    return [geval({metric: score}, item, model, template=f"geval.{metric}", sample=sample) for metric in METRICS]


def marked(
    marks: Mapping[str, int | Sequence[int]], model: str = "m", *, judges: Sequence[str] = JUDGES
) -> list[Record]:
    """An answer an item and a mark a judge: one for all, or one each in the order of `judges`."""
    records: list[Record] = []
    for item, given in marks.items():
        each = [given] * len(judges) if isinstance(given, int) else given
        records.append(answer(item, model))
        records += [mark(judge, value, item, model) for judge, value in zip(judges, each, strict=True)]
    return records


def scored(benchmark: Benchmark, records: Iterable[Record], cache: Path | None = None) -> RubricResults:
    """The results of the board."""
    return scored_as(RubricResults, benchmark, records, cache=cache)


def item_row(results: RubricResults, item: str = "a", model: str = "m") -> RubricItemRow:
    return next(row for row in results.items if (row.item, row.model) == (item, model))


def group_row(results: RubricResults, group: str, model: str = "m") -> RubricRow:
    """The row of a contestant in the first of domains, categories and difficulties that has the id."""
    table = next(g for g in (*results.domains, *results.categories, *results.difficulties) if g.id == group)
    return next(row for row in table.rows if row.model == model)
