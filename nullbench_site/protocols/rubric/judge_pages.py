"""What each judge of a `rubric` board gave, and what the page of judges shows of it beside what it shows of any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nullbench_site.checks.registry import CHECKS
from nullbench_site.protocols.rubric.results import CheckRow, JudgePair
from nullbench_site.protocols.rubric.view import RubricView, geval_title, points
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.pages.judges import SHOWN, JudgeColumn, judged
from nullbench_site.site.pages.page import InWords, in_words, metrics
from nullbench_site.site.pages.panel_words import NOTHING, Matrix, MatrixCell, MatrixRow, alpha_range, matrix_cell
from nullbench_site.site.protocol import Context
from nullbench_site.specs.types import Judge, ModelFile

_LENIENCY = JudgeColumn(
    "Leniency", METRICS["leniency"], lambda row: in_words(words.signed(row.leniency), row, "leniency")
)


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
            **_given_to(view, row.model),
            "geval_mean": in_words(points(row.geval_mean), row, "geval_mean"),
            "divergence": in_words(words.number(row.divergence, 3), row, "divergence"),
        }
        for row in view.results.leaderboard
    ]


def _given_to(view: RubricView, model: str) -> dict[str, Any]:
    spec = view.benchmark.models[model]
    return {"model": spec, "link": paths.model_url(model), "judges": given_to(view, spec)}


def given_to(view: RubricView, model: ModelFile) -> list[Given]:
    """What each judge of the panel gave a contestant."""
    asked = {judge.id for judge in view.judges_of(model)}
    return [_given(view, judge, model, asked=judge.id in asked) for judge in view.judges]


def _given(view: RubricView, judge: Judge, model: ModelFile, *, asked: bool) -> Given:
    if not asked:
        return Given(judge, "–", "–", False, "it never judges its own family")
    wanted = view.n_wanted - view.rows[model.id].n_errored
    given = view.given.get((judge.id, model.id))
    if given is None:
        return Given(judge, words.ABSENT, words.of(0, wanted), False, "it gave no mark")
    note = "" if given.complete else "some of its marks are missing, so it counts in no mean"
    due = wanted if given.n_due is None else given.n_due
    return Given(judge, words.number(given.mean, 2), words.of(given.n, due), given.complete, note)


def judges(view: RubricView) -> Context:
    """The section of the board."""
    results = view.results
    return {
        "template": "rubric/judges.md.j2",
        "judged": judged(view, "Marks", [_LENIENCY]),
        "matrix": matrix(view),
        "geval": view.geval_judge and {
            "judge": view.geval_judge,
            "metrics": words.listed([geval_title(metric).lower() for metric in results.geval_metrics]),
        },
        "models": [_given_to(view, model) for model in list(view.rows)[:SHOWN]],
        "complete": not any(row.incomplete_judges for row in view.rows.values()),
        "pairs": [_pair(view, pair) for pair in results.judge_pairs],
        "divergence": [
            {
                "judge": "the panel's mean" if row.judge is None else view.benchmark.judges[row.judge].title,
                "n": words.number(row.n, 0),
                "difference": in_words(words.signed(row.difference, 3), row, "difference"),
                "distance": in_words(words.number(row.distance, 3), row, "distance"),
                "correlation": in_words(words.number(row.correlation, 2), row, "correlation"),
            }
            for row in results.divergence
        ],
        "checks": _checked(view),
        "metrics": metrics(
            "alpha", "alpha_scored", "leniency", "divergence", "same_mark", "difference", "correlation", "judge_scale",
            "verdict_counts", "check_results",
        ),
    }  # fmt: skip


def _pair(view: RubricView, pair: JudgePair) -> dict[str, str | InWords]:
    return {
        "judge": view.benchmark.judges[pair.judge].title,
        "other": view.benchmark.judges[pair.other].title,
        "n": words.number(pair.n, 0),
        "exact": in_words(words.percent(pair.exact), pair, "exact"),
        "adjacent": in_words(words.percent(pair.adjacent), pair, "adjacent"),
        "difference": in_words(words.signed(pair.difference), pair, "difference"),
        "correlation": in_words(words.number(pair.correlation, 2), pair, "correlation"),
        "alpha": in_words(words.number(pair.alpha, 3), pair, "alpha"),
    }


def matrix(view: RubricView) -> Matrix | None:
    """The agreement of each two judges on the answers that both marked; None where no two judged."""
    pairs = {frozenset((pair.judge, pair.other)): pair for pair in view.results.judge_pairs}
    if not pairs:
        return None
    marking = [judge for judge in view.judges if any(judge.id in pair for pair in pairs)]
    named = [
        (pair.alpha, words.listed([view.benchmark.judges[judge].title for judge in (pair.judge, pair.other)]))
        for pair in view.results.judge_pairs
        if pair.alpha is not None
    ]
    return Matrix(
        caption=f"Agreement α of each two judges, {view.board.title}",
        first="Judge",
        columns=[judge.title for judge in marking],
        rows=[
            MatrixRow(judge.title, "", [_of_pair(pairs.get(frozenset((judge.id, other.id)))) for other in marking])
            for judge in marking
        ],
        says=alpha_range(named),
    )


def _of_pair(pair: JudgePair | None) -> MatrixCell:
    if pair is None:
        return NOTHING
    behind = f"{words.plural(pair.n, 'answer')}, {words.percent(pair.exact)} with the same mark"
    return matrix_cell(pair.alpha, pair.absent.get("alpha"), behind)


def _checked(view: RubricView) -> list[dict[str, str]]:
    """What programs found: a row a type of check that stands on public items, those that decided most often first."""
    rows = sorted(view.results.checks, key=lambda row: (-(row.passed + row.failed), row.type))
    return [_check(row) for row in rows if row.n_items]


def _check(row: CheckRow) -> dict[str, str]:
    decided = row.passed + row.failed
    return {
        "title": CHECKS[row.type].title if row.type in CHECKS else row.type,
        "n_items": words.number(row.n_items, 0),
        "passed": words.of(row.passed, decided) if decided else "–",
        "failed": words.of(row.failed, decided) if decided else "–",
        "not_applicable": words.number(row.not_applicable, 0),
    }
