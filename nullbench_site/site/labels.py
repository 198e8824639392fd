"""The judges of a board compared with labels, and scores corrected by them, on the page of judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.scoring.label_tables import AltTestRow, CorrectedScoreRow, JudgeLabelRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView
from nullbench_site.site.wording import known
from nullbench_site.specs.types import Labels
from nullbench_site.stats.labels import AT_CHANCE, FEW_LABELS, LEAST_LABELS

USUAL = "0.60 to 0.80"
"""Spearman's correlation of GPT-4's scores with those of people: the mathematics of LLM evaluation, section 5."""


@dataclass(frozen=True)
class LabelsShown:
    """The part of the page of judges. few: the titles of contestants with fewer than 100 labels by every judge.

    corrected: the rows of the other contestants. titles: of judges by id; the panel's is None.
    """

    labels: Labels
    sentences: Sequence[str]
    compared: Sequence[JudgeLabelRow]
    corrected: Sequence[CorrectedScoreRow]
    few: Sequence[str]
    alt_tests: Sequence[AltTestRow]
    titles: Mapping[str | None, str]


def shown_labels(view: BoardView) -> LabelsShown | None:
    """Return the part of a board; None for a board without labels, and for a run scored before they were compared."""
    labels: Any = getattr(view.board, "labels", None)
    compared, rows = known(view.results.judge_labels), known(view.results.corrected_scores)
    if labels is None or not compared:
        return None
    titles: dict[str | None, str] = {None: "All judges", **{judge.id: judge.title for judge in view.judges}}
    enough = {row.model for row in rows if row.n_labels >= LEAST_LABELS}
    models = [model for model in view.rows if any(row.model == model for row in rows)]
    return LabelsShown(
        labels=labels,
        sentences=list(_sentences(view, labels, compared, titles)),
        compared=compared,
        corrected=[row for model in models if model in enough for row in rows if row.model == model],
        few=[view.title(model) for model in models if model not in enough],
        alt_tests=known(view.results.alt_tests),
        titles=titles,
    )


def _sentences(
    view: BoardView, labels: Labels, compared: Sequence[JudgeLabelRow], titles: Mapping[str | None, str]
) -> Iterator[str]:
    origin = "the file of labels"
    if labels.board is not None:
        origin = f"the keys of the board “{view.benchmark.boards[labels.board].title}”"
    most = max(compared, key=lambda row: row.n_labels if row.answers == "contestants" else -1)
    yield (
        f"The labels come from {origin}: {words.plural(most.n_labels, 'answer')} of contestants to "
        f"{words.plural(most.n_items, 'item')}. An answer is right, or accepted, from "
        f"{words.number(labels.right_from, 0)} of 100 points."
    )
    if not most.n_labels:
        yield "No answer with a label has a score of a judge, so nothing is compared."
    elif most.n_items < LEAST_LABELS:
        yield (
            f"Trust in the judges takes labels of at least {LEAST_LABELS} items, and these are of "
            f"{words.number(most.n_items, 0)}."
        )
    chance = [
        titles[row.judge]
        for row in compared
        if row.answers == "contestants"
        and row.sensitivity is not None
        and row.specificity is not None
        and row.sensitivity + row.specificity <= 1
    ]
    if chance:
        yield f"{words.listed(chance)}: {AT_CHANCE}."
    yield f"For comparison, the correlation of GPT-4 with people is about {USUAL}."


def few_words(part: LabelsShown) -> str:
    """Say which contestants have no corrected score, and why."""
    if not part.few:
        return ""
    names = words.listed(words.some_of([words.foreign(name) for name in part.few], 5))
    return (
        f"{names}: {FEW_LABELS}. Their scores are not corrected, because the error rates of a judge on the answers of "
        "one contestant do not carry over to those of another."
    )
