"""The judges: who they are, how far they agree, each one's scale, and what of their replies was valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.packaged import word_pairs
from nullbench_site.programs import figures_of
from nullbench_site.scoring.metrics import Metric
from nullbench_site.site import controls, paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.bridges import bridges, retiring
from nullbench_site.site.pages.page import InWords, Page, Section, metrics, score_words, section
from nullbench_site.site.pages.panel_words import (
    PANEL_METRICS,
    agreed,
    agreement,
    hangs_on,
    replied,
    severity,
    spread,
    tally,
    with_other_judges,
)
from nullbench_site.site.pages.usage import usage_words
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import PROGRAMS, RECORDED, Judge

SHOWN = 50
"""How many contestants the tables of what each judge gave have; the best."""


def pages(site: SiteData) -> Iterator[Page]:
    """The one page about judges."""
    yield Page(
        url=paths.JUDGES,
        title="Judges",
        template="judges.md.j2",
        context={
            "judged": any(view.panel for view in site.views),
            "unjudged": pages_of(site.views[0].board.protocol).unjudged,
            "brought": any(judge.backend == RECORDED for view in site.views for judge in view.judges),
            "boards": [_section(view, site.entry.manifest.backends) for view in site.views],
            "usage": [
                {"title": site.benchmark.judges[judge].title, **usage_words(used)}
                for judge, used in site.entry.manifest.usage.judges.items()
                if judge in site.benchmark.judges
            ],
        },
        description="How far the judges agree, on what scale each rates, and how many of their replies were valid.",
    )


def _section(view: BoardView, revisions: Mapping[str, str]) -> Section:
    part = pages_of(view.board.protocol).judges(view)
    if view.panel is None:
        return section(
            view,
            {
                "template": "_no_judges.md.j2",
                "sentences": [],
                "crossed": None,
                "controls": None,
                "bridges": [],
                "against_models": None,
                "n_items": len(view.items),
                **part,
            },
        )
    titles = {judge.id: judge.title for judge in view.judges}
    rows = view.judge_rows
    parts = part.get("by_part") or by_domain(view)
    bounds = view.results.agreement_bounds
    shared = {
        "template": "_judges.md.j2",
        "sentences": [
            *agreed(view.agreement(), len(view.judges)),
            hangs_on(view),
            part["severity"] if "severity" in part else severity(titles, {row.judge: row.mean for row in rows}),
            part.get("own_scale", ""),
            replied(rows),
            retiring(view),
        ],
        "who": who(view),
        "judged": judged(view),
        "missing": any(row.missing for row in rows),
        "overall": agreement(view.agreement()),
        "units": "",
        "alpha_interval": "" if bounds is UNSET else words.interval(bounds.low, bounds.high, 3),
        "by_part": parts,
        "tally": tally(parts),
        "matrix": None,
        "against_models": against_models(view.judges, revisions),
        "shown": words.of(SHOWN, len(view.rows)) if len(view.rows) > SHOWN else "",
        "metrics": metrics("alpha", "alpha_scored", "judge_scale", "verdict_counts"),
        "crossed": crossed(view),
        "controls": damages(view),
        "bridges": bridges(view),
    }
    own = {
        "of_alpha": metrics("alpha_bounds"),
        "of_bridges": metrics("bridge_shift", "rank", "overall"),
        "of_models": metrics("against_models"),
    }
    return section(view, {**shared, **part, **own, **_OF_CONTROLS})


_OF_CONTROLS = {"of_controls": metrics("control_drop", "control_ladder", "ceiling")}


def damages(view: BoardView) -> dict[str, Any]:
    """What the controls of a board say of its panel: every drop, and what nobody sees."""
    return {
        "sentences": controls.panel_sentences(view),
        "ceiling": controls.ceiling_words(view),
        "judges": [judge.title for judge in view.judges],
        "lines": controls.table(view),
    }


def crossed(view: BoardView) -> dict[str, Any] | None:
    """The study of contestants, items and judges, and the panel's interval of the first; None where it was not made."""
    results = view.results
    if not results.components:
        return None
    panel = PANEL_METRICS.get(results.panel_kind)
    columns = {"items": "Other items, these judges", "items and judges": "Other items and judges like these"}
    points = {(row.error, row.over): row.error_points for row in results.score_errors}
    shown = [over for over in columns if any(points.get((error, over)) is not None for error in _ERRORS)]
    return {
        "says": other_judges(view),
        "panel": metrics(panel)[panel] if panel else None,
        "metrics": metrics("component", "score_error"),
        "components": [
            {
                "name": word_pairs("components").get(row.component, row.component),
                "sd": words.number(row.sd, 2),
                "absent": row.absent or "",
            }
            for row in results.components
        ],
        "columns": [columns[over] for over in shown],
        "errors": [
            {"name": name, "points": [words.number(points[error, over], 2) for over in shown]}
            for error, name in _ERRORS.items()
            if shown
        ],
    }


_ERRORS = {"absolute": "A score by itself: absolute error", "relative": "A score in a comparison: relative error"}


def other_judges(view: BoardView) -> str:
    """What other judges could make of the first score, as far as this kind of panel tells."""
    row = next((row for row in view.results.leaderboard if row.rank is not None), None)
    if row is None or row.overall is None or row.panel_low is UNSET:
        return ""
    if row.panel_low is None:
        return (
            f"How far other judges could move the scores is not measured: {row.absent.get('panel_low', words.ABSENT)}."
        )
    kind = view.results.panel_kind
    said = with_other_judges(kind, row.panel_low, row.panel_high)
    more = "" if kind == "models" else " These judges are not a sample, so this says nothing about other judges."
    return f"{view.title(row.model)} scores {score_words(row)} with this panel, and {said}.{more}"


@dataclass(frozen=True)
class JudgeColumn:
    """What a protocol tells of a judge beside what is told of every judge: the head, its metric, and words of a row.

    counts: whether it is a count, which stands after those of replies; else it stands after mean and deviation.
    """

    title: str
    metric: Metric
    cell: Callable[[Any], InWords]
    counts: bool = False


def judged(view: BoardView, replies: str = "Replies", columns: Sequence[JudgeColumn] = ()) -> dict[str, Any]:
    """The table of judges. replies: the head over valid ones. Their scale stands in it where they give marks."""
    return {
        "replies": replies,
        "columns": columns,
        "scaled": any("mean" in row.__struct_fields__ for row in view.judge_rows),
        "rows": [_judge(view, row, columns) for row in view.judge_rows],
    }


def _judge(view: BoardView, row: Any, columns: Sequence[JudgeColumn]) -> dict[str, Any]:
    return {
        "title": view.benchmark.judges[row.judge].title,
        "valid": words.of(row.scored, row.scored + row.unparsed + row.errored),
        **{name: words.number(getattr(row, name), 0) for name in ("unparsed", "errored", "missing")},
        "asked_again": _asked_again(row),
        "mean": words.number(row.mean, 2),
        "sd": words.number(row.sd, 2),
        "spread": spread(row.mean, row.sd),
        "cells": {column.title: column.cell(row) for column in columns},
    }


def _asked_again(row: Any) -> str:
    """How many replies were asked again, and how many of them are valid now."""
    again = words.number(row.asked_again, 0)
    return (
        f"{again}: {row.repaired} valid now, {row.asked_again - row.repaired} still invalid"
        if row.asked_again
        else again
    )


def against_models(judges: Sequence[Judge], revisions: Mapping[str, str]) -> dict[str, Any] | None:
    """How far a panel of programs goes with judges that are models, as far as that was measured; None for other panels.

    revisions: of what judged in the run. A figure holds for the revision that it was measured with.
    """
    if not judges or not all(judge.is_program for judge in judges):
        return None
    titles = {judge.model: judge.title for judge in judges}
    measured = figures_of(frozenset(titles), revisions.get(PROGRAMS))
    if measured is None:
        return {"rows": []}
    return {
        "rows": [
            {
                "title": titles.get(name, "the panel's mean"),
                **{which: _correlation(getattr(figure, which)) for which in figure.__struct_fields__},
            }
            for name, figure in measured.figures.items()
        ],
        "source": measured.source,
        "date": measured.date,
        "judges": words.listed(measured.judges),
        "answers": words.plural(measured.answers, "answer"),
        "models": words.plural(measured.models, "model"),
        "prompts": words.plural(measured.prompts, "prompt"),
        "developed_on": words.number(measured.developed_on, 0),
    }


def _correlation(figure: tuple[float, float, float]) -> str:
    value, low, high = (words.number(number, 2) for number in figure)
    return f"{value} ({low} to {high})"


def by_domain(view: BoardView) -> list[dict[str, Any]]:
    """The agreement of the panel in each domain; nothing where it is worked out for other parts, or for the whole."""
    rows = view.agreements or ()
    if any(row.category or row.axis for row in rows) or (rows and not any(row.domain for row in rows)):
        return []
    return [
        {"title": spec.title, "link": paths.domain_url(view.board.id, name), **agreement(view.agreement(domain=name))}
        for name, spec in view.domains.items()
    ]


def who(view: BoardView) -> list[dict[str, str]]:
    """Each judge of the panel, in its order: what it is and what it looks at."""
    return [
        {"title": judge.title, "what": _kind(view, judge), "family": judge.family, "looks_at": judge.description}
        for judge in view.judges
    ]


def _kind(view: BoardView, judge: Judge) -> str:
    if judge.is_program:
        return f"the program “{judge.model}”"
    if judge.backend == RECORDED:
        return f"“{judge.model}”, whose verdicts were brought from elsewhere"
    return f"the model “{judge.model}” at the endpoint {view.benchmark.endpoint_of(judge).id}"
