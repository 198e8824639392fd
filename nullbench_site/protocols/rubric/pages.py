"""What the site shows of boards of the `rubric` protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from nullbench_site.checks import Check
from nullbench_site.checks.registry import AUTOMATIC, CHECKS, JUDGED
from nullbench_site.judging.geval import METRICS as GEVAL_METRICS
from nullbench_site.protocols.rubric.judge_pages import given_by_judges, given_to, judges
from nullbench_site.protocols.rubric.results import Parts, RubricRow
from nullbench_site.protocols.rubric.specs import RubricItem
from nullbench_site.protocols.rubric.view import (
    RubricEvidence,
    RubricView,
    check_types,
    geval_title,
    hundredths,
    points,
)
from nullbench_site.site import words
from nullbench_site.site.pages import figures
from nullbench_site.site.pages.page import in_words, metrics
from nullbench_site.site.protocol import (
    BEHAVIOUR,
    SCORE,
    SCORED,
    SPEED,
    Column,
    Context,
    Kind,
    Layout,
    ProtocolPages,
    failed_words,
)
from nullbench_site.site.views import is_private
from nullbench_site.specs.types import ModelFile

_PARTS: dict[Parts, str] = {"judge+geval": "", "judge": "judges only", "geval": "G-Eval only"}


# How a board comes from marks to one number, and what its tables say.


def composite_words(view: RubricView) -> str:
    """What the composite of an answer is on this board."""
    judge, geval = view.results.weights["judge"], view.results.weights["geval"]
    if not view.has_geval:
        return "the mean mark of the judges, put from 1-5 on 0-100"
    how = "the mean" if judge == geval else f"the mean, weighted {judge:g} to {geval:g},"
    return f"{how} of the judges' mean mark, put from 1-5 on 0-100, and the G-Eval mean"


def remarks(view: RubricView, row: Any, whole_board: bool) -> Iterator[str]:
    """What keeps a contestant from a rank, which of its answers failed, and who did not judge all of the others."""
    if lacking := view.lacking(row):
        yield lacking
    if not whole_board:
        return
    if failed := failed_words(row):
        yield failed
    for judge, marks in sorted(row.incomplete_judges.items()):
        title = view.benchmark.judges[judge].title
        given = view.given.get((judge, row.model))
        due = None if given is None else given.n_due
        yield f"{title} left out: {words.of(marks, view.n_wanted - row.n_errored if due is None else due)} marks"
    if lacking := geval_coverage(row):
        yield lacking


def _parts(scores: RubricRow) -> str:
    """What alone a composite is made of; empty where it has both parts, or is absent."""
    return "" if scores.composite_of is None else _PARTS[scores.composite_of]


def geval_coverage(row: RubricRow) -> str:
    """How many answers G-Eval scored, where it counts and some have no score."""
    answers = row.n_scored + row.n_unparsed
    if row.geval_mean is None or row.n_geval is UNSET or row.n_geval == answers:
        return ""
    return f"G-Eval scored {words.of(row.n_geval, answers)} answers"


def _flagged(row: RubricRow) -> float | None:
    """The share of answers that have an automatic check in which one failed; None without such an answer."""
    return row.n_flagged / row.n_checked if row.n_checked else None


def _of_board(
    metric: str, kind: Kind, group: str, value: Callable[[RubricRow], float | None], digits: int = 1
) -> Column[RubricView]:
    return Column(metric, group, kind, lambda view, row: value(row), digits, whole_board=True)


LAYOUT: Layout[RubricView] = Layout(
    overall="rubric_overall",
    in_part="rubric_overall",
    columns=(
        Column("judge_mean", SCORE, "number", lambda view, row: row.judge_mean, digits=2),
        Column(
            "geval_mean", SCORE, "number", lambda view, row: hundredths(row.geval_mean),
            beside=geval_coverage, shown=lambda view: view.has_geval,
        ),
        _of_board("n_flagged", "percent", BEHAVIOUR, _flagged),
        _of_board("error_rate", "percent", BEHAVIOUR, lambda row: row.error_rate),
        Column(
            "efficiency", SPEED, "number", lambda view, row: row.efficiency, digits=3,
            beside=lambda row: "" if row.tokens_exact else "by an estimate of tokens", whole_board=True,
        ),
        SCORED,
    ),
    remarks=remarks,
    note=lambda view, row: _parts(row) if view.has_geval else "",
)  # fmt: skip


# The pages of a board and of its domains.


def _board(view: RubricView) -> Context:
    return {
        "template": "rubric/board.md.j2",
        "metrics": metrics("geval_mean", "divergence"),
        "composite": composite_words(view),
        "geval": view.has_geval,
        "given": given_by_judges(view),
    }


def _checks_of(item: RubricItem) -> str:
    return "hidden" if is_private(item) else ", ".join(CHECKS[check].title for check in check_types(item))


# The page of a contestant.


def _fingerprint(view: RubricView, model: ModelFile) -> Context:
    row = view.rows[model.id]
    coverage = geval_coverage(row)
    return {
        "template": "rubric/model.md.j2",
        "facts": [
            ("judge_mean", words.number(row.judge_mean, 2), row.absent.get("judge_mean", "from 1 to 5")),
            ("geval_mean", points(row.geval_mean), row.absent.get("geval_mean", coverage or "from 0 to 100")),
            ("composite", words.number(row.composite, 4), row.absent.get("composite", _parts(row))),
            ("efficiency", words.number(row.efficiency, 3), row.absent.get("efficiency", _tokens(row))),
            ("divergence", words.number(row.divergence, 3), row.absent.get("divergence", "")),
        ],
        "answers": list(_answers(view, model, row)),
        "judges": given_to(view, model),
        "geval": view.has_geval,
        "geval_metrics": [
            {"title": geval_title(metric), "mean": in_words(points(row.geval.get(metric)), row, "geval_mean")}
            for metric in view.results.geval_metrics
        ],
        "geval_judge": view.geval_judge.title if view.geval_judge else "",
        "geval_coverage": coverage,
    }


def _answers(view: RubricView, model: ModelFile, row: RubricRow) -> Iterator[figures.Line]:
    which = f"answers to {'public ' if view.n_private else ''}prompts with an automatic check"
    flagged = f"{words.of(row.n_flagged, row.n_checked)} {which}" if row.n_checked else ""
    checks = [("n_flagged", words.percent(_flagged(row)), flagged)]
    refusals = [figures.refusals(row)]
    return figures.answers(view, model, row, unread="without a readable mark", behaviour=refusals, checks=checks)


def _tokens(row: RubricRow) -> str:
    counted = "" if row.tokens_exact else ", estimated at 4 runes a token"
    return f"at {words.number(row.mean_output_tokens, 0)} tokens an answer{counted}"


# The page of the method.


def _method(view: RubricView) -> Context:
    geval = view.board.geval
    return {
        "template": "rubric/methodology.md.j2",
        "composite": composite_words(view),
        "decimals": view.board.composite.judge_decimals,
        "geval": view.geval_judge and {
            "judge": view.geval_judge.title,
            "coverage": f"{100 * geval.coverage:.6g} %" if geval else "",
            "metrics": [GEVAL_METRICS[metric] for metric in view.results.geval_metrics if metric in GEVAL_METRICS],
        },
        "automatic": _checks(view, AUTOMATIC),
        "to_judges": _checks(view, JUDGED),
    }  # fmt: skip


def _checks(view: RubricView, kinds: Mapping[str, type[Check]]) -> list[dict[str, Any]]:
    """The types of checks that stand on public prompts: on how many first, and on how many more."""
    types = [check_types(placed.item) for placed in view.items]
    first = Counter(own[0] for own in types if own)
    further = Counter(name for own in types for name in set(own[1:]) - set(own[:1]))
    return [
        {"check": check, "first": first[name], "further": further[name]}
        for name, check in kinds.items()
        if first[name] + further[name]
    ]


PAGES: ProtocolPages[RubricView] = ProtocolPages(
    view=RubricView,
    layout=LAYOUT,
    board=_board,
    domain=lambda view, group: {"notes": {"Checks": _checks_of}},
    fingerprint=_fingerprint,
    judges=judges,
    method=_method,
    evidence=RubricEvidence,
    holds="its domains, categories, difficulties, items, judges, their agreement, and checks",
)
