"""The judges of a board compared with labels, and scores corrected by them, on the page of judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from nullbench_site.scoring.label_tables import (
    JudgeLabelRow,
    LabelRedrawRow,
    LabelWorthRow,
)
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.types import Labels
from nullbench_site.stats.labels import AT_CHANCE, FEW_LABELS, LEAST_LABELS
from nullbench_site.stats.trust import USUAL_CORRELATION

RowT = TypeVar("RowT", LabelRedrawRow, LabelWorthRow)
USUAL = f"{USUAL_CORRELATION[0]:.2f} to {USUAL_CORRELATION[1]:.2f}"


def shown_labels(view: BoardView) -> Mapping[str, Any] | None:
    """Return the part of a board; None for a board without labels, and for a run scored before they were compared.

    corrected: the rows of contestants with enough labels by a judge; few: which have no corrected score, and why.
    redraws: by contestant and judge, how often the interval of each corrected figure covers the truth. worth: likewise
    what labels are worth next to a judge, at rising numbers of labels. titles: of judges by id; the panel's is None.
    """
    labels: Any = getattr(view.board, "labels", None)
    compared, rows = known(view.results.judge_labels), known(view.results.corrected_scores)
    if labels is None or not compared:
        return None
    titles: dict[str | None, str] = {None: "All judges", **{judge.id: judge.title for judge in view.judges}}
    enough = {row.model for row in rows if row.n_labels >= LEAST_LABELS}
    models = [model for model in view.rows if any(row.model == model for row in rows)]
    redraws = _by_judge(known(view.results.label_redraws), models)
    return {
        "labels": labels,
        "sentences": list(_sentences(view, labels, compared, titles)),
        "compared": compared,
        "corrected": [row for model in models if model in enough for row in rows if row.model == model],
        "redraws": [(*of, {row.interval: row for row in own}) for of, own in redraws.items()],
        "worth": [(*of, own) for of, own in _by_judge(known(view.results.label_worth), models).items()],
        "few": _few_words([view.title(model) for model in models if model not in enough]),
        "alt_tests": known(view.results.alt_tests),
        "titles": titles,
    }


def _by_judge(rows: Sequence[RowT], models: Sequence[str]) -> dict[tuple[str, str | None], list[RowT]]:
    """Return the rows of each contestant and judge, in the order of the board."""
    of: dict[tuple[str, str | None], list[RowT]] = {}
    for row in sorted(rows, key=lambda row: models.index(row.model)):
        of.setdefault((row.model, row.judge), []).append(row)
    return of


def _sentences(
    view: BoardView, labels: Labels, compared: Sequence[JudgeLabelRow], titles: Mapping[str | None, str]
) -> Iterator[str]:
    origin = "the file of labels"
    if labels.board is not None:
        origin = f"the keys of the board “{words.isolated(view.benchmark.boards[labels.board].title)}”"
    most = max(compared, key=lambda row: row.n_labels if row.answers == "contestants" else -1)
    yield (
        f"The labels come from {origin}: {words.plural(most.n_labels, 'answer')} of contestants to "
        f"{words.plural(most.n_items, 'item')}. An answer is right, or accepted, from "
        f"{words.number(labels.right_from, 0)} of 100 points."
    )
    if not most.n_labels:
        yield "No answer with a label has a score of a judge, so nothing is compared."
    if (drawn := getattr(view.board, "judged", None)) is not None:
        named = [f"{n} of {view.title(model)}" for model, n in drawn.answers.items()]
        named.append(f"{drawn.null_models} of the null models together")
        yield (
            f"Judges saw a random sample of the answers: {words.listed(named)}. Figures over several contestants count "
            "an answer by the inverse of the probability with which it was drawn."
        )
    if most.n_labels and most.n_items < LEAST_LABELS:
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


def _few_words(titles: Sequence[str]) -> str:
    """Say which contestants have no corrected score, and why."""
    if not titles:
        return ""
    return (
        f"{words.listed(words.some_of(titles, 5))}: {FEW_LABELS}. Their scores are not corrected, because the error "
        "rates of a judge on the answers of one contestant do not carry over to those of another."
    )
