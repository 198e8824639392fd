"""Small `graded` boards made in memory, and records on them. A test says what each judge gave to each turn."""

from __future__ import annotations

from typing import Literal

from support.boards import WHEN, judge, key_of

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
        canary="", id="main", title="main", question="q", description="d", construct="capability", protocol="graded",
        domains=tuple(each.id for each in domains), panel="p", samples=samples,
        bootstrap=types.Bootstrap(resamples=200, seed=1),
    )  # fmt: skip
    about = types.BenchmarkFile(canary="", id="b", title="b", version="1.0.0", description="d", license="l")
    return Benchmark(
        about=about, domains={each.id: each for each in domains},
        judges={name: judge(name) for name in JUDGES}, panels={"p": types.Panel(id="p", title="p", judges=JUDGES)},
        models={each.id: each for each in models}, boards={"main": board}, templates={},
    )  # fmt: skip


def answer(
    item: str,
    turn: int = 1,
    state: Literal["answered", "errored"] = "answered",
    model: str = "m",
    *,
    sample: int = 0,
) -> Response:
    return Response(
        key=key_of("response", model, item, turn, sample), board="main", model=model, item=item, template="verbatim",
        sample=sample, state=state, text="An answer.", error=None, started_at=WHEN, seconds=1.0, turn=turn,
    )  # fmt: skip


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
    scores = {"score": grade} if state == "scored" and grade is not None else {}
    return Judgment(
        key=key_of(judge, model, item, turn, sample), board="main", model=model, item=item, template="verbatim",
        sample=sample, judge=judge, judge_template=f"turn-{turn}", position=None,
        state="unparsed" if state == "scored" and not scores else state, scores=scores,
        invalid={} if scores else {"score": "missing"}, rationale="", raw=None, error=None, started_at=WHEN,
        seconds=1.0, turn=turn,
    )  # fmt: skip
