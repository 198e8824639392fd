"""What each judge gave each contestant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import told
from nullbench_site.site.pages.rubric.rows import points
from nullbench_site.site.views import RubricView
from nullbench_site.specs.types import Judge, ModelFile


@dataclass(frozen=True)
class Given:
    """A judge's mean mark of a contestant. note: why it counts in no mean; empty where it does."""

    judge: Judge
    mean: str
    marks: str
    counts: bool
    note: str


def given_by_judges(view: RubricView) -> list[dict[str, Any]]:
    """A row a contestant: each judge's mean mark, the G-Eval mean, and how far the two are apart."""
    return [
        {
            "model": view.benchmark.models[row.model],
            "link": paths.model_url(row.model),
            "judges": given_to(view, view.benchmark.models[row.model]),
            "geval_mean": told(points(row.geval_mean), row, "geval_mean"),
            "divergence": told(words.number(row.divergence, 3), row, "divergence"),
        }
        for row in view.results.leaderboard
    ]


def given_to(view: RubricView, model: ModelFile) -> list[Given]:
    """What each judge of the panel gave a contestant."""
    asked = {judge.id for judge in view.benchmark.judges_for(view.board, model)}
    return [_given(view, judge, model, asked=judge.id in asked) for judge in view.judges]


def _given(view: RubricView, judge: Judge, model: ModelFile, *, asked: bool) -> Given:
    if not asked:
        return Given(judge, "–", "–", False, "it never judges its own family")
    wanted = view.n_wanted - view.rows[model.id].n_errored
    found = view.given.get((judge.id, model.id))
    if found is None:
        return Given(judge, words.ABSENT, words.of(0, wanted), False, "it gave no mark")
    note = "" if found.complete else "some of its marks are missing, so it counts in no mean"
    return Given(judge, words.number(found.mean, 2), words.of(found.n, wanted), found.complete, note)
