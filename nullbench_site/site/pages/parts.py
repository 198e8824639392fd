"""The parts of pages that differ by protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from nullbench_site.site.pages.tables import Layout
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import DomainFile, ModelFile

ViewT = TypeVar("ViewT", bound=BoardView)


@dataclass(frozen=True)
class Parts(Generic[ViewT]):
    """What a protocol shows of a board: each part a context, with the `template` that places it.

    board: its page. domains: the page of each domain. fingerprints, judges, method: its section of the page of
    contestants, of judges, of the method. fingerprint: its section of a contestant's page. table: the columns of its
    tables of contestants.
    """

    board: Callable[[ViewT], dict[str, Any]]
    domains: Callable[[ViewT], Iterator[tuple[DomainFile, dict[str, Any]]]]
    fingerprints: Callable[[ViewT], dict[str, Any]]
    fingerprint: Callable[[ViewT, ModelFile], dict[str, Any]]
    judges: Callable[[ViewT], dict[str, Any]]
    method: Callable[[ViewT], dict[str, Any]]
    table: Layout[ViewT, Any]
