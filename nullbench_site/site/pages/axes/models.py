"""What the page of a contestant shows of an `axes` board: its fingerprint."""

from __future__ import annotations

from typing import Any

from nullbench_site.scoring.axes.results import BoardRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import LIKERT, Spoke, radar_data
from nullbench_site.site.pages import figures
from nullbench_site.site.pages.axes.rows import group_floor
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.radars import radar_words, small_radar
from nullbench_site.site.pages.rows import interval_cell, margin, n_responses, so_far, sureness
from nullbench_site.site.pages.sentences import against_the_median, contrast, domain_contrast
from nullbench_site.site.views import AxesView
from nullbench_site.specs.types import ModelFile


def overview(view: AxesView) -> dict[str, Any]:
    """The small radars of all contestants over the baseline axes."""
    goals = view.baseline_goals
    baseline = view.benchmark.baseline_axes
    return {
        "template": "axes/models.md.j2",
        "axes": [view.benchmark.axes[axis].short for axis in baseline],
        "radars": [
            small_radar(
                view.title(row.model),
                words.number(row.overall),
                paths.model_url(row.model),
                [row.axes.get(axis) for axis in baseline],
                [goals[axis] for axis in baseline],
                against="goal",
                scale=LIKERT,
            )
            for row in view.results.leaderboard
        ],
    }


def context(view: AxesView, model: ModelFile) -> dict[str, Any]:
    """What the page of a contestant shows of this board."""
    row = view.rows[model.id]
    rows = view.results.leaderboard
    baseline = view.benchmark.baseline_axes
    spokes = [
        Spoke(
            view.benchmark.axes[axis].short, row.axes.get(axis), view.baseline_goals[axis], view.median_axis(rows, axis)
        )
        for axis in baseline
    ]
    return {
        "template": "axes/model.md.j2",
        "radar": {
            "name": model.title,
            "chart": Chart("goal-radar", radar_data(spokes, model.title, LIKERT)),
            "alt": radar_words(model.title, spokes, LIKERT),
            "spokes": spokes,
        },
        "sentences": _sentences(view, model, row),
        "facts": _facts(view, model, row),
        "domains": _domains(view, row),
        "axes": [
            {
                "axis": view.benchmark.axes[axis],
                "mean": words.number(row.axes.get(axis), 2),
                "plus_minus": words.plus_minus(margin(row.axes_se.get(axis)), 2),
                "normalised": words.number(row.normalised_axes.get(axis), 2),
                "median": words.number(view.median_axis(rows, axis), 2),
            }
            for axis in view.results.axes
        ],
        "metrics": metrics("goal_alignment", "ci", "quality", "scored", "axis", "normalised", "refusal_rate"),
    }


def _sentences(view: AxesView, model: ModelFile, row: BoardRow) -> list[str]:
    """Strengths and weaknesses in words, each with its interval."""
    if row.rank is None:
        return [f"{model.title} is not ranked: {so_far(view, row)}."]
    if row.refusal_rate == 1.0:
        return ["The panel calls every answer a refusal, so every axis stands at 1 and every score at 0."]
    contrasts = [
        contrast(
            view.benchmark.axes[axis].short.lower(),
            row.axes.get(axis),
            row.axes_se.get(axis),
            view.median_axis(view.results.leaderboard, axis),
        )
        for axis in view.results.axes
    ]
    domains = [
        (view.domains[domain].title, own.goal_alignment, sureness(own))
        for domain, rows in view.in_domains.items()
        if (own := rows.get(row.model)) and own.goal_alignment is not None
    ]
    return [*against_the_median(contrasts, "axis"), *domain_contrast(domains)]


def _facts(view: AxesView, model: ModelFile, row: BoardRow) -> list[figures.Line]:
    refused = f"{words.percent(row.refusal_rate)} ({words.of(row.n_refused, n_responses(row))})"
    by_gate = f"{row.refused_answer} by the answer alone, {row.refused_prompt} beside its task" if row.n_refused else ""
    return [
        ("overall", *figures.overall(view, row)),
        ("quality", words.number(row.quality), ""),
        ("scored", words.of(row.n_scored, view.n_wanted), _lost(row)),
        ("refusal_rate", refused, by_gate),
        figures.failures(row),
        *figures.ends(model, row),
        figures.verdicts(row),
        *figures.speed(row),
        ("qpr", words.number(row.qpr), row.absent.get("qpr", "")),
        ("model_disk_gb", words.number(row.model_disk_gb), row.absent.get("model_disk_gb", "")),
    ]


def _lost(row: BoardRow) -> str:
    lost = [("refused", row.n_refused), ("failed", row.n_errored), ("without a readable verdict", row.n_unparsed)]
    return ", ".join(f"{count} {name}" for name, count in lost if count)


def _domains(view: AxesView, row: BoardRow) -> list[dict[str, Any]]:
    """A small radar and a line of figures for each domain, all on one scale."""
    found = []
    for group in view.results.domains:
        own = view.in_domains[group.id].get(row.model)
        if own is None:
            continue
        domain = view.domains[group.id]
        axes = [axis for axis in view.results.axes if axis in own.axes]
        goals = view.domain_goals[group.id]
        title, score = domain.title, words.number(own.goal_alignment)
        link = paths.domain_url(view.board.id, group.id)
        baseline = view.benchmark.baseline_axes
        found.append(
            {
                "radar": small_radar(
                    title,
                    score,
                    link,
                    [own.axes[a] for a in baseline],
                    [goals[a] for a in baseline],
                    against="goal",
                    scale=LIKERT,
                ),
                "title": title,
                "link": link,
                "score": score,
                "plus_minus": words.plus_minus(margin(own.se)),
                "interval": interval_cell(own, own.goal_alignment, group_floor(view, group.rows)),
                "quality": words.number(own.quality),
                "scored": words.of(own.n_scored, n_responses(own)),
                "special": [
                    {"title": view.benchmark.axes[axis].short, "mean": words.number(own.axes[axis], 1)}
                    for axis in axes
                    if axis not in baseline
                ],
                "evidence": f"{paths.EVIDENCE}#board={view.board.id}&model={row.model}&domain={group.id}",
            }
        )
    return found
