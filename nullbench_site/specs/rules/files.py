"""Spec files with the documents they came from, so that every rule can name a place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.document import Document

SpecT_co = TypeVar("SpecT_co", bound=types.Spec, covariant=True)
Steps = Sequence[str | int]


@dataclass(frozen=True)
class BackendNames:
    """What the backends can run: names of contestants and of judges by backend, and what is wrong with parameters.

    Names are None of a backend that asks endpoints: it takes any, and only its models have endpoints and prices.
    params_problem: of a backend, a name and its parameters; None where nothing is wrong.
    """

    contestants: Mapping[str, frozenset[str] | None]
    judges: Mapping[str, frozenset[str] | None]
    params_problem: Callable[[str, str, Mapping[str, types.Parameter]], str | None] = lambda backend, model, params: (
        None
    )


@dataclass(frozen=True)
class Source(Generic[SpecT_co]):
    """A spec and the document it came from; items of a JSONL file have documents of their own."""

    spec: SpecT_co
    document: Document
    item_documents: Mapping[tuple[int, int], Document] = field(default_factory=dict)

    def item_problem(self, category: int, item: int, steps: Steps, message: str) -> Problem:
        own = self.item_documents.get((category, item))
        if own is not None:
            return own.problem(steps, message)
        return self.document.problem(["categories", category, "items", item, *steps], message)


@dataclass(frozen=True)
class SpecFiles:
    """Every spec file of a benchmark, each well-formed by itself."""

    about: Source[types.BenchmarkFile]
    axes: Source[types.AxesFile]
    judges: Source[types.JudgesFile]
    goals: Sequence[Source[types.GoalsFile]]
    domains: Sequence[Source[types.DomainFile]]
    models: Sequence[Source[types.ModelFile]]
    boards: Sequence[Source[types.BoardFile]]
    templates: Mapping[str, str]
    endpoints: Source[types.EndpointsFile] | None = None

    @property
    def all(self) -> tuple[Source[types.Spec], ...]:
        endpoints = () if self.endpoints is None else (self.endpoints,)
        several = (*self.goals, *self.domains, *self.models, *self.boards)
        return (self.about, self.axes, self.judges, *endpoints, *several)


def each_item(
    domains: Sequence[Source[types.DomainFile]],
) -> Iterator[tuple[types.Category, types.Item, Callable[[Steps, str], Problem]]]:
    """Every item with its category and a way to name a place in it."""
    for source in domains:
        for c, category in enumerate(source.spec.categories):
            for i, item in enumerate(category.items):

                def problem(
                    steps: Steps, message: str, source: Source[types.DomainFile] = source, c: int = c, i: int = i
                ) -> Problem:
                    return source.item_problem(c, i, steps, message)

                yield category, item, problem
