"""Small `graded` boards made in memory, and records on them. A test says what each judge gave to each turn."""

from __future__ import annotations

from typing import Literal

from support.boards import BOARD, assembled, response, verdict

from nullbench_site.protocols.graded.specs import GradedBoardFile, GradedCategory, GradedDomainFile, GradedItem
from nullbench_site.runs.records import Judgment, Response, Score
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark

TWO, ONE = "talk", "word"
JUDGES = ("anna", "ben")


def two_turns(id: str) -> GradedItem:
    return GradedItem(id=id, difficulty="easy", turns=("Name a river.", "And its source?"))


def one_turn(id: str) -> GradedItem:
    return GradedItem(id=id, difficulty="hard", prompt="Name a hill.")


def category(id: str, *items: GradedItem) -> GradedCategory:
    return GradedCategory(id=id, title=id, description=id, items=items)


def domain(id: str, *categories: GradedCategory) -> GradedDomainFile:
    return GradedDomainFile(canary="", id=id, title=id, description=id, protocol="graded", categories=categories)


def benchmark(*models: types.ModelFile, domains: tuple[GradedDomainFile, ...] = (), samples: int = 1) -> Benchmark:
    """One board "main" over `domains`; without any, an item of two turns and one of one in one category."""
    domains = domains or (domain("d", category("c", two_turns(TWO), one_turn(ONE))),)
    board = GradedBoardFile(
        **BOARD, protocol="graded", domains=tuple(each.id for each in domains), panel="panel", samples=samples
    )
    return assembled(board, domains, models, JUDGES)


def answer(
    item: str,
    turn: int = 1,
    state: Literal["answered", "errored"] = "answered",
    model: str = "m",
    *,
    sample: int = 0,
) -> Response:
    return response(item, model, sample=sample, state=state, turn=turn, template="verbatim")


def graded(
    item: str,
    turn: int,
    judge: str,
    grade: Score | None,
    model: str = "m",
    *,
    state: Literal["scored", "unparsed", "errored"] = "scored",
    sample: int = 0,
) -> Judgment:
    """A judge's grade; None for a reply without one."""
    scores = {} if grade is None else {"score": grade}
    return verdict(
        judge, item, model, scores, state="unparsed" if state == "scored" and not scores else state, turn=turn,
        invalid={} if scores and state == "scored" else {"score": "missing"}, sample=sample,
        judge_template=f"turn-{turn}",
    )  # fmt: skip
