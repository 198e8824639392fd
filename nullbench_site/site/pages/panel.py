"""Who judged, said wherever scores stand, and of which profile of the specs that is."""

from __future__ import annotations

from nullbench_site.site import words
from nullbench_site.site.views import BoardView, RubricView
from nullbench_site.specs.types import Panel

NOBODY = "No judge: a program marks each answer by its key."
"""What is said of a board without a panel."""


def panel_words(view: BoardView) -> str:
    """The panel of a board and, where there is one, its G-Eval judge; or that there is nobody."""
    profile = f" Profile “{view.benchmark.profile}”." if view.benchmark.profile else ""
    who = NOBODY if view.panel is None else _panel(view, view.panel)
    return f"{who}{profile}"


def _panel(view: BoardView, panel: Panel) -> str:
    judges = words.listed([judge.title for judge in view.judges])
    geval = view.geval_judge if isinstance(view, RubricView) else None
    asked = f" G-Eval asks {geval.title}." if geval else ""
    if all(judge.backend == "offline" for judge in view.judges):
        what = "which is a program" if len(view.judges) == 1 else "which are programs"
        nobody = " No language model judged." if view.rule_based else ""
        return f"Rule-based panel: {judges}, {what}.{asked}{nobody}"
    title = "" if view.panel is None else f"Panel “{view.panel.title}”: "
    return f"{title}{judges}.{asked}"
