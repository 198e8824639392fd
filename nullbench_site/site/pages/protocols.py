"""What the site shows of a board: one set of parts per protocol, found here by the board's view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.axes import pages as axes
from nullbench_site.site.pages.judging import panel_words
from nullbench_site.site.pages.oracle import pages as oracle
from nullbench_site.site.pages.page import Section
from nullbench_site.site.pages.parts import Parts
from nullbench_site.site.pages.rubric import pages as rubric
from nullbench_site.site.views import AxesView, BoardView, OracleView, RubricView


def parts_of(view: BoardView) -> Parts[Any]:
    """What a board's protocol shows of it."""
    match view:
        case AxesView():
            return axes.PARTS
        case RubricView():
            return rubric.PARTS
        case OracleView():
            return oracle.PARTS
    raise NotImplementedError(view.board.protocol)


def sections(site: SiteData, part: Callable[[Parts[Any], BoardView], dict[str, Any]]) -> list[Section]:
    """A section for each board of the site, in the order of the specs."""
    return [section(view, part(parts_of(view), view)) for view in site.views]


def section(view: BoardView, part: dict[str, Any]) -> Section:
    """A part with what is said of a board wherever it stands."""
    return {"board": view.board, "link": view.url, "panel": panel_words(view), **part}
