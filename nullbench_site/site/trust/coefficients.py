"""What the page of trust shows of the judges' agreement: alphas and kappas with their labels, and what is usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import RaterAgreementRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known
from nullbench_site.stats.trust import PEOPLE_AGREE

_COEFFICIENTS = {"alpha": "Krippendorff's α", "fleiss": "Fleiss' κ", "cohen": "Cohen's κ"}
METRIC_OF = {"alpha": "alpha", "fleiss": "fleiss_kappa", "cohen": "cohen_kappa"}


@dataclass(frozen=True)
class Coefficient:
    """A coefficient in words. judges: the two of a pair; empty for the panel."""

    row: RaterAgreementRow
    title: str
    judges: str
    interval: str

    @property
    def metric(self) -> str:
        """The id of its entry in the registry."""
        return "agreement_borderline" if self.row.items == "borderline" else METRIC_OF[self.row.coefficient]


@dataclass(frozen=True)
class AgreementPart:
    """The agreement on what the judges of a board say. usual: what is usual for its kind of task, in a sentence."""

    usual: str
    absent: str
    tables: Sequence[tuple[str, Sequence[Coefficient]]]


def usual_agreement(view: BoardView) -> str:
    """Say how well people usually agree on tasks of the board's kind; empty if the board names none."""
    kind = view.board.task_kind
    if kind is None:
        return ""
    low, high = (words.number(end, 2) for end in PEOPLE_AGREE[kind])
    return f"For tasks of this kind ({kind}), reports of agreement range from about {low} to {high}."


def rater_agreement(view: BoardView) -> AgreementPart | None:
    """Return the agreement of a board's judges; None for a board without judges and without a kind of task."""
    usual, rows = usual_agreement(view), known(view.results.rater_agreement)
    if view.panel is None:
        return AgreementPart(usual, "", ()) if usual else None
    absent = ""
    if view.results.rater_agreement is UNSET:
        one = len(view.judges) < 2
        absent = "one judge scores, and agreement takes two" if one else "the run was scored before it was measured"
    titles = {judge.id: judge.title for judge in view.judges}
    tables: dict[str, list[Coefficient]] = {}
    for row in rows:
        tables.setdefault(row.what, []).append(_in_words(row, titles))
    return AgreementPart(usual, absent, [(what.replace("_", " "), each) for what, each in tables.items()])


def _in_words(row: RaterAgreementRow, titles: Any) -> Coefficient:
    judges = "" if row.judge is None else f"{titles.get(row.judge, row.judge)} and {titles.get(row.other, row.other)}"
    return Coefficient(
        row, f"{_COEFFICIENTS[row.coefficient]}, {row.level}", judges, words.interval(row.low, row.high, 2)
    )
