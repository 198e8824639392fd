"""A page before it is written, and what every page says of a board and of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.protocol import Term, pages_of
from nullbench_site.site.views import BoardView

Section: TypeAlias = Mapping[str, Any]
"""What a page that all boards share shows of one of them; `template` names what places it."""


@dataclass(frozen=True)
class Page:
    """A page at `url`, made by `template` from `context`.

    card: the picture that stands for it where it is linked, from the site's root. terms: what the search finds on it,
    beside the page itself.
    """

    url: str
    title: str
    template: str
    context: Mapping[str, Any]
    description: str = ""
    searchable: bool = True
    card: str = ""
    terms: Sequence[Term] = ()


def metrics(*ids: str) -> dict[str, Metric]:
    """The registry's entries for a table's headers."""
    return {metric_id: METRICS[metric_id] for metric_id in ids}


def site_facts(site: SiteData) -> dict[str, str]:
    """What the foot of every page says of the run it shows."""
    manifest = site.entry.manifest
    return {
        "run": manifest.run,
        "date": manifest.date,
        "digest": manifest.digest[:12],
        "state": manifest.state,
    }


def section(view: BoardView, part: Mapping[str, Any]) -> Section:
    """A part of a page with what is said of a board wherever it stands."""
    return {"board": view.board, "link": view.url, "panel": panel_words(view), **part}


def marked(view: BoardView) -> str:
    """What programs mark on a board without a panel, and how: `answer by its key`."""
    return f"answer {pages_of(view.board.protocol).marks_by}".rstrip()


def panel_words(view: BoardView) -> str:
    """The panel of a board and who is asked beside it, and the profile of the specs; or that there is nobody."""
    profile = f" Profile “{view.benchmark.profile}”." if view.benchmark.profile else ""
    if view.panel is None:
        nobody = " No language model answered: all contestants are programs." if view.of_programs else ""
        return f"No judge: a program marks each {marked(view)}.{nobody}{profile}"
    judges = words.listed([judge.title for judge in view.judges])
    beside = f" {view.asked_beside}" if view.asked_beside else ""
    if not all(judge.is_program for judge in view.judges):
        return f"Panel “{view.panel.title}”: {judges}.{beside}{profile}"
    what = "which is a program" if len(view.judges) == 1 else "which are programs"
    nobody = " No language model judged." if view.rule_based else ""
    if view.of_programs:
        either = " either" if nobody else ""
        nobody += f" No language model answered{either}: all contestants are programs."
    return f"Rule-based panel: {judges}, {what}.{beside}{nobody}{profile}"
