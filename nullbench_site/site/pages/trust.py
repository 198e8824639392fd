"""What speaks for and against trusting a contestant's score on a board: five marks in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nullbench_site.site import controls, words
from nullbench_site.site.pages.page import marked
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.stats.trust import (
    HIGH_ALPHA,
    HIGH_ERROR,
    HIGH_ITEMS,
    MEDIUM_ALPHA,
    MEDIUM_ERROR,
    MEDIUM_ITEMS,
    Level,
    agreement_level,
    sampling_level,
    validity_level,
)

Dimension: TypeAlias = Literal["sampling", "prompts", "contamination", "agreement", "validity"]


@dataclass(frozen=True)
class TrustMark:
    """One dimension of trust in a score; `trust_<dimension>` is its entry in the metric registry.

    why: one sentence with the figure, or with what is missing.
    """

    dimension: Dimension
    title: str
    level: Level
    why: str


_MANY = f"more than {words.number(HIGH_ITEMS, 0)} items"
_SAMPLING = {
    "high": f"that is {_MANY} with less than {HIGH_ERROR} points",
    "medium": f"high trust takes {_MANY} and less than {HIGH_ERROR} points",
    "low": f"medium trust takes {MEDIUM_ITEMS} items and at most {MEDIUM_ERROR:.0f} points",
    "absent": "a class takes both",
}
"""What the class of a number of items and a standard error asks for, or the next one above."""
_PROMPTS = TrustMark(
    "prompts",
    "Wording of the prompt",
    "absent",
    "Answers were asked for with one wording, and five or more would tell how far it matters; trust is low without.",
)
_CONTAMINATION = TrustMark(
    "contamination",
    "Contamination",
    "absent",
    "Nobody tested whether a contestant saw these items in training; trust is low without such a test.",
)


def trust(view: BoardView, row: AnyRow) -> tuple[TrustMark, ...]:
    """The marks of a contestant on the whole of a board, always five and in the order of `Dimension`.

    What is not measured is absent, though the matrix counts it as low: nobody knows that it would be.
    """
    return _sampling(row), _PROMPTS, _CONTAMINATION, _agreement(view, row), _validity(view, row)


def low_marks(view: BoardView, row: AnyRow, *parts: AnyRow) -> list[int]:
    """How many of the marks are low or not measured, on the board and on each of `parts`, whose items are fewer."""
    own, *others = trust(view, row)
    rest = sum(map(_is_low, others))
    return [rest + _is_low(own), *(rest + _is_low(_sampling(part)) for part in parts)]


def _is_low(mark: TrustMark) -> bool:
    return mark.level in ("low", "absent")


def _sampling(row: AnyRow) -> TrustMark:
    level = sampling_level(row.n_items, row.se)
    error = f"a standard error of {words.number(row.se, 2)} points"
    if row.se is None:
        error = f"no standard error ({row.absent.get('se', words.ABSENT)})"
    why = f"{words.plural(row.n_items, 'item')} and {error}; {_SAMPLING[level]}."
    return TrustMark("sampling", "Number of items", level, why)


def _agreement(view: BoardView, row: AnyRow) -> TrustMark:
    if view.panel is None:
        return TrustMark("agreement", "Marking", "high", f"A program marks every {marked(view)}, the same each time.")
    n_judges = len(view.judges_of(view.benchmark.models[row.model]))
    panel = view.agreement()
    level = agreement_level(n_judges, panel.alpha_scored)
    if n_judges < 2:
        why = f"{words.plural(n_judges, 'judge')} may mark its answers: agreement takes two."
    elif panel.alpha_scored is None:
        why = f"The agreement of the judges on scored answers is not measured: {panel.absent_scored}."
    else:
        alpha = words.number(panel.alpha_scored, 2)
        asked = f"medium trust takes {MEDIUM_ALPHA:.2f}, high {HIGH_ALPHA:.2f}"
        why = f"Alpha of the panel is {alpha} on scored answers; {asked}."
    return TrustMark("agreement", "Agreement of judges", level, why)


def _validity(view: BoardView, row: AnyRow) -> TrustMark:
    ladders = controls.ladders(view)
    in_order = True if view.panel is None else controls.in_order(ladders)
    missing = row.absent.get("above_null_floor", words.ABSENT)
    floor = {
        True: "The score is above the null floor.",
        False: "The score is not shown to be above that of a program that does not do what is asked.",
        None: f"Whether the score is above a null floor cannot be said: {missing}.",
    }[row.above_null_floor]
    panel = "" if view.panel is None else f" {controls.order_sentence(ladders)}"
    return TrustMark("validity", "Validity", validity_level(row.above_null_floor, in_order), f"{floor}{panel}")
