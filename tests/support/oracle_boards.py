"""Small `oracle` boards made in memory, and records scored on them. A test says how each answer was marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
from support.boards import BOARD, assembled, model, response, scored_as, view

from nullbench_site.answer_keys import AnyKey
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.protocols.oracle.metrics import OracleItemRow, OracleResults, OracleRow
from nullbench_site.protocols.oracle.specs import OracleBoardFile, OracleCategory, OracleDomainFile, OracleItem
from nullbench_site.runs.records import CheckResult, Hidden, Record, Response
from nullbench_site.site.views import BoardView
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark

Outcome = Literal["correct", "wrong", "invalid", "errored", "unmarked"]
KEY = Exact(accepted=("yes",))


def prompt(
    id: str,
    bundle: str | None = None,
    difficulty: types.Difficulty = "easy",
    *,
    key: AnyKey = KEY,
    visibility: Literal["public", "private"] = "public",
    source: str | None = None,
) -> OracleItem:
    return OracleItem(
        id=id,
        difficulty=difficulty,
        bundle=bundle,
        visibility=visibility,
        prompt=f"Is it {id}?",
        key=key,
        source=source,
    )


def category(id: str, *prompts: str | OracleItem) -> OracleCategory:
    made = tuple(prompt(entry) if isinstance(entry, str) else entry for entry in prompts)
    return OracleCategory(id=id, title=id, description=id, items=made)


def domain(id: str, *categories: OracleCategory, sources: Mapping[str, str] | None = None) -> OracleDomainFile:
    return OracleDomainFile(
        canary="",
        id=id,
        title=id,
        description=id,
        protocol="oracle",
        categories=categories,
        sources=dict(sources or {}),
    )


def benchmark(
    *domains: OracleDomainFile, models: Iterable[str | types.ModelFile] = ("m",), samples: int = 1
) -> Benchmark:
    """One board "main" over `domains`; without any, items "a" and "b" in one category."""
    domains = domains or (domain("facts", category("dates", "a", "b")),)
    board = OracleBoardFile(**BOARD, protocol="oracle", domains=tuple(d.id for d in domains), samples=samples)
    return assembled(board, domains, models)


def of(*prompts: str | OracleItem, models: Iterable[str | types.ModelFile] = ("m",), samples: int = 1) -> Benchmark:
    """The same of one category with these items."""
    return benchmark(domain("facts", category("dates", *prompts)), models=models, samples=samples)


def answer(
    item: str = "a",
    outcome: Outcome = "correct",
    model: str = "m",
    *,
    sample: int = 0,
    why: str = "is an accepted answer",
    seconds: float = 1.0,
    hidden: Hidden | None = None,
) -> Response:
    """An answer and its mark; unmarked: it has none."""
    marks = () if outcome in ("errored", "unmarked") else (CheckResult("exact", "0", outcome, (why,)),)
    state: Any = "errored" if outcome == "errored" else "answered"
    return response(
        item, model, sample=sample, state=state, text="yes", seconds=seconds, template="verbatim", checks=marks,
        hidden=hidden,
    )  # fmt: skip


def marked(outcomes: Mapping[str, Outcome | Sequence[Outcome]], model: str = "m") -> list[Record]:
    """An answer a sample of each item, with these marks."""
    each = {item: [given] if isinstance(given, str) else given for item, given in outcomes.items()}
    return [
        answer(item, outcome, model, sample=sample)
        for item, given in each.items()
        for sample, outcome in enumerate(given)
    ]


def scored(benchmark: Benchmark, records: Iterable[Record], cache: Path | None = None) -> OracleResults:
    """The results of the board."""
    return scored_as(OracleResults, benchmark, records, cache=cache)


def item_row(results: OracleResults, item: str = "a", model: str = "m") -> OracleItemRow:
    return next(row for row in results.items if (row.item, row.model) == (item, model))


def group_row(results: OracleResults, group: str, model: str = "m") -> OracleRow:
    """The row of a contestant in the first of domains, categories, difficulties and types of key that has the id."""
    tables: Any = (*results.domains, *results.categories, *results.difficulties, *results.key_types)
    table = next(found for found in tables if found.id == group)
    return next(row for row in table.rows if row.model == model)


ITEMS = [f"q{number:03}" for number in range(200)]
"""As many as make the mark for their number medium."""


def keyed(rights: dict[str, int]) -> BoardView:
    """A board of 200 items with keys, so that marks are low for wording and contamination alone: how many are right."""
    board = benchmark(domain("facts", category("dates", *ITEMS)), models=[*rights, model("guess", "null")])
    outcomes: dict[str, dict[str, Any]] = {
        name: {item: "correct" if number < right else "wrong" for number, item in enumerate(ITEMS)}
        for name, right in {**rights, "guess": 0}.items()
    }
    records = [record for name, given in outcomes.items() for record in marked(given, name)]
    return view(board, records)


def marked_as(view: BoardView, **marks: str) -> BoardView:
    """The same with contestants that are `provisional` or `retired`, by id; ranks are as they were."""
    mark = types.Mark(since="2026-11-01", reason="It is so.")
    models = {
        name: msgspec.structs.replace(spec, **{marks[name]: mark}) if name in marks else spec
        for name, spec in view.benchmark.models.items()
    }
    return replace(view, benchmark=replace(view.benchmark, models=models))
