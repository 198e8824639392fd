"""What the site shows of a board: one implementation per protocol, found here by the board's view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.axes.pages import AxesPages
from nullbench_site.site.pages.oracle.pages import OraclePages
from nullbench_site.site.pages.page import Section
from nullbench_site.site.pages.panel import panel_words
from nullbench_site.site.pages.rubric.pages import RubricPages
from nullbench_site.site.views import AxesView, BoardView, OracleView, RubricView
from nullbench_site.specs.types import DomainFile, ModelFile


class ProtocolPages(Protocol):
    """The parts of pages that differ by protocol: each a context, with the `template` that places it."""

    def board(self) -> dict[str, Any]:
        """The page of the board."""
        ...

    def domains(self) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
        """The page of each domain."""
        ...

    def overview(self) -> dict[str, Any]:
        """The section of the page of domains."""
        ...

    def fingerprints(self) -> dict[str, Any]:
        """The section of the page of contestants."""
        ...

    def fingerprint(self, model: ModelFile) -> dict[str, Any]:
        """The section of the page of a contestant of the board."""
        ...

    def judges(self) -> dict[str, Any]:
        """The section of the page of judges."""
        ...

    def method(self) -> dict[str, Any]:
        """The section of the page of the method."""
        ...


def pages_of(view: BoardView) -> ProtocolPages:
    """What a board's protocol shows of it."""
    match view:
        case AxesView():
            return AxesPages(view)
        case RubricView():
            return RubricPages(view)
        case OracleView():
            return OraclePages(view)
    raise NotImplementedError(view.board.protocol)


def sections(site: SiteData, part: Callable[[ProtocolPages], dict[str, Any]]) -> list[Section]:
    """A section for each board of the site, in the order of the specs."""
    return [section(view, part(pages_of(view))) for view in site.views]


def section(view: BoardView, part: dict[str, Any]) -> Section:
    """A part with what is said of a board wherever it stands."""
    return {"board": view.board, "link": view.url, "panel": panel_words(view), **part}
