"""The list of contestants, and the fingerprint page of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import BoardRow, GroupRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.radar import Spoke, radar_data
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.site.pages.page import (
    Page,
    interval_cell,
    margin,
    metrics,
    panel_words,
    radar_words,
    small_radar,
    so_far,
)
from nullbench_site.site.pages.usage import usage_words
from nullbench_site.specs.types import ModelFile

_KINDS = {"model": "model", "baseline": "baseline", "null": "null model"}
_SHOWN = 2
"""How many strengths and weaknesses are put into words."""
_SERVERS = 5
"""How many models that answered for another are named."""


def pages(site: SiteData) -> Iterator[Page]:
    """The list and a page for each contestant."""
    shown = {row.model for view in site.views for row in view.results.leaderboard}
    models = [model for model in site.benchmark.models.values() if model.id in shown]
    yield Page(
        url=paths.MODELS,
        title="Fingerprints",
        template="models.md.j2",
        context={"boards": [_overview(view) for view in site.views]},
        description="The profile of every contestant over axes and domains.",
    )
    for model in models:
        views = [view for view in site.views if model.id in view.rows]
        used = site.entry.manifest.usage.contestants.get(model.id)
        yield Page(
            url=paths.model_url(model.id),
            title=model.title,
            template="model.md.j2",
            context={
                "model": model,
                "about": about(model),
                "usage": used and usage_words(used),
                "metrics_all": METRICS,
                "boards": [_fingerprint(view, model, view.rows[model.id]) for view in views],
            },
            description=model.description,
        )


def about(model: ModelFile) -> str:
    """What a contestant is, in one line."""
    parts = [
        _KINDS[model.kind],
        model.vendor,
        None if model.open_weights is None else "open weights" if model.open_weights else "closed weights",
        None if model.parameters_b is None else f"{model.parameters_b:g}B",
        model.released and f"released {model.released}",
        # Of a model at an endpoint a reader wants to know which, not by what protocol it is reached.
        f"asked for as {model.model}" if model.backend == "openai" else f"backend {model.backend}",
        model.license,
    ]
    return " · ".join(part for part in parts if part)


def _overview(view: BoardView) -> dict[str, Any]:
    goals = view.baseline_goals
    baseline = view.benchmark.baseline_axes
    return {
        "title": view.board.title,
        "panel": panel_words(view),
        "axes": [view.benchmark.axes[axis].short for axis in baseline],
        "radars": [
            small_radar(
                view.benchmark.models[row.model].title,
                words.number(row.overall),
                paths.model_url(row.model),
                [row.axes.get(axis) for axis in baseline],
                [goals[axis] for axis in baseline],
            )
            for row in view.results.leaderboard
        ],
    }


def _fingerprint(view: BoardView, model: ModelFile, row: BoardRow) -> dict[str, Any]:
    rows = view.results.leaderboard
    baseline = view.benchmark.baseline_axes
    spokes = [
        Spoke(
            view.benchmark.axes[axis].short, row.axes.get(axis), view.baseline_goals[axis], view.median_axis(rows, axis)
        )
        for axis in baseline
    ]
    contrasts = _contrasts(view, row)
    floor = view.results.floor
    return {
        "board": view.board,
        "board_link": paths.board_url(view.board.id, is_first=view.is_first),
        "evidence_link": f"{paths.EVIDENCE}#board={view.board.id}&model={model.id}",
        "panel": panel_words(view),
        "rank": words.rank_range(row.rank, row.rank_low, row.rank_high),
        "contestants": len(rows),
        "radar": {
            "name": model.title,
            "chart": Chart("radar", radar_data(spokes, model.title)),
            "alt": radar_words(model.title, spokes),
            "spokes": spokes,
        },
        "sentences": _sentences(view, model, row, contrasts),
        "facts": _facts(view, model, row, floor.overall if floor else None),
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


def _contrasts(view: BoardView, row: BoardRow) -> list[tuple[str, float, float]]:
    """Axis, distance from the board's median, half of the 95 % interval of the mean: only where it clears 0."""
    found = []
    for axis in view.results.axes:
        mean, middle = row.axes.get(axis), view.median_axis(view.results.leaderboard, axis)
        half = margin(row.axes_se.get(axis))
        if mean is not None and middle is not None and half is not None and abs(mean - middle) > half:
            found.append((axis, mean - middle, half))
    return sorted(found, key=lambda contrast: -contrast[1])


def _sentences(
    view: BoardView, model: ModelFile, row: BoardRow, contrasts: Sequence[tuple[str, float, float]]
) -> list[str]:
    """Strengths and weaknesses in words, each with its interval."""

    def named(axis: str, half: float) -> str:
        mean = words.number(row.axes[axis], 1)
        return f"{view.benchmark.axes[axis].short.lower()} {mean} {words.plus_minus(half)}"

    if row.rank is None:
        return [f"{model.title} is not ranked: {so_far(view, row)}."]
    if row.refusal_rate == 1.0:
        return ["The panel calls every answer a refusal, so every axis stands at 1 and every score at 0."]
    above = [named(axis, half) for axis, distance, half in contrasts[:_SHOWN] if distance > 0]
    below = [named(axis, half) for axis, distance, half in contrasts[::-1][:_SHOWN] if distance < 0]
    said = []
    if above:
        said.append(f"Above the board's median on {words.listed(above)}.")
    if below:
        said.append(f"Below the median on {words.listed(below)}.")
    if not said:
        said.append("On no axis can it be told from the board's median.")
    groups = [
        (view.benchmark.domains[g.id].title, own)
        for g in view.results.domains
        if (own := view.group_row(view.results.domains, g.id, row.model)) and own.goal_alignment is not None
    ]
    if len(groups) > 1:
        ordered = sorted(groups, key=lambda pair: -(pair[1].goal_alignment or 0))
        (best, high), (worst, low) = ordered[0], ordered[-1]
        said.append(
            f"Its best domain is {best} ({words.number(high.goal_alignment)} {words.plus_minus(margin(high.se))}), "
            f"its weakest {worst} ({words.number(low.goal_alignment)} {words.plus_minus(margin(low.se))})."
        )
    return said


def _facts(view: BoardView, model: ModelFile, row: BoardRow, floor: float | None) -> list[tuple[str, str, str]]:
    """Name, value, and what is said beside it; a name is that of the registry."""
    score = f"{words.number(row.overall)} {words.plus_minus(margin(row.se))}".strip()
    above = ""
    if floor is not None and row.overall is not None and row.rank is not None:
        above = f"{words.number(row.overall - floor)} above the null floor"
    refused = f"{words.percent(row.refusal_rate)} ({words.of(row.n_refused, row.n_responses)})"
    by_gate = f"{row.refused_answer} by the answer alone, {row.refused_prompt} beside its task" if row.n_refused else ""
    times = ", ".join(
        f"{name} {words.milliseconds(value)}"
        for name, value in (
            ("median", row.median_response_time_ms),
            ("p95", row.p95_response_time_ms),
            ("longest", row.max_response_time_ms),
        )
    )
    return [
        ("overall", score, above),
        ("quality", words.number(row.quality), ""),
        ("scored", words.of(row.n_scored, view.results.n_items * view.board.samples), _lost(row)),
        ("refusal_rate", refused, by_gate),
        ("error_rate", words.percent(row.error_rate), _failed(row)),
        *_cut_short(row),
        *_served(model, row),
        ("judge_calls", words.of(_read_verdicts(row), row.judge_calls), _lost_verdicts(row)),
        ("median_response_time_ms", words.ABSENT if row.median_response_time_ms is None else times, ""),
        ("stability", words.number(row.stability, 2), row.absent.get("stability", "")),
        ("throughput_rps", *_throughput(row)),
        ("median_response_length", _runes(row.median_response_length, "runes"), ""),
        ("qpr", words.number(row.qpr), row.absent.get("qpr", "")),
        ("model_disk_gb", words.number(row.model_disk_gb), row.absent.get("model_disk_gb", "")),
    ]


def _throughput(row: BoardRow) -> tuple[str, str]:
    if row.throughput_rps is None:
        return words.ABSENT, row.absent.get("throughput_rps", "")
    tokens = "as the endpoint counted" if row.tokens_exact else "at 4 runes a token"
    return _runes(row.throughput_rps, "runes/s"), f"{words.number(row.throughput_tps, 0)} tokens/s, {tokens}"


def _runes(count: float | None, unit: str) -> str:
    return words.ABSENT if count is None else f"{words.number(count, 0)} {unit}"


def _lost(row: BoardRow) -> str:
    lost = [("refused", row.n_refused), ("failed", row.n_errored), ("without a readable verdict", row.n_unparsed)]
    return ", ".join(f"{count} {name}" for name, count in lost if count)


def _failed(row: BoardRow) -> str:
    if not row.n_errored:
        return ""
    return f"{words.of(row.n_errored, row.n_responses)} failed after all attempts and {_counts(row.n_errored)} as 0"


def _counts(number: int) -> str:
    return "counts" if number == 1 else "count"


def _cut_short(row: BoardRow) -> Iterator[tuple[str, str, str]]:
    """The answers that did not end by themselves, where there are any."""
    ends = (
        ("ended at the token limit", row.ended_length),
        ("withheld by a filter", row.ended_content_filter),
        ("marked as a refusal by the endpoint", row.ended_refusal),
        ("a call of a tool nobody offered", row.ended_tool_calls),
    )
    said = [f"{count} {how}" for how, count in ends if count]
    if said:
        yield "ended", words.plural(sum(count for _, count in ends), "answer"), ", ".join(said)


def _served(model: ModelFile, row: BoardRow) -> Iterator[tuple[str, str, str]]:
    """The models that answered in place of the one asked, the most frequent first, where there are any."""
    if row.served_by:
        by = sorted(row.served_by.items(), key=lambda served: (-served[1], served[0]))
        named = [f"{words.foreign(name)} ({count})" for name, count in by[:_SERVERS]]
        more = [f"{len(by) - _SERVERS} more"] if len(by) > _SERVERS else []
        beside = f"asked for {model.model}, answered by {words.listed([*named, *more])}"
        yield "served_by", words.plural(row.served_by_another, "answer"), beside


def _read_verdicts(row: BoardRow) -> int:
    return row.judge_calls - row.judge_errored - row.judge_unparsed - row.judge_missing


def _lost_verdicts(row: BoardRow) -> str:
    lost = (
        ("failed after all attempts", row.judge_errored),
        ("could not be read", row.judge_unparsed),
        ("not asked for yet", row.judge_missing),
    )
    said = [f"{count} {how}" for how, count in lost if count]
    if row.n_unjudged:
        said.append(f"{words.plural(row.n_unjudged, 'answer')} without any verdict and so without a score")
    return ", ".join(said)


def _domains(view: BoardView, row: BoardRow) -> list[dict[str, Any]]:
    """A small radar and a line of figures for each domain, all on one scale."""
    found = []
    for group in view.results.domains:
        own = view.group_row(view.results.domains, group.id, row.model)
        if own is None:
            continue
        domain = view.benchmark.domains[group.id]
        axes = [axis for axis in view.results.axes if axis in own.axes]
        goals = _domain_goals(view, group.id)
        title, score = domain.title, words.number(own.goal_alignment)
        link = paths.domain_url(view.board.id, group.id)
        baseline = view.benchmark.baseline_axes
        found.append(
            {
                "radar": small_radar(title, score, link, [own.axes[a] for a in baseline], [goals[a] for a in baseline]),
                "title": title,
                "link": link,
                "score": score,
                "plus_minus": words.plus_minus(margin(own.se)),
                "interval": interval_cell(own, own.goal_alignment, _floor_of(view, group.rows)),
                "quality": words.number(own.quality),
                "scored": words.of(own.n_scored, own.n_responses),
                "special": [
                    {"title": view.benchmark.axes[axis].short, "mean": words.number(own.axes[axis], 1)}
                    for axis in axes
                    if axis not in baseline
                ],
                "evidence": f"{paths.EVIDENCE}#board={view.board.id}&model={row.model}&domain={group.id}",
            }
        )
    return found


def _floor_of(view: BoardView, rows: Sequence[GroupRow]) -> float | None:
    return max((r.goal_alignment or 0.0 for r in rows if view.benchmark.models[r.model].kind == "null"), default=None)


def _domain_goals(view: BoardView, domain: str) -> dict[str, float]:
    targets: dict[str, list[int]] = {}
    for placed in view.benchmark.items(view.board):
        if placed.domain.id == domain:
            for axis in placed.category.axes:
                targets.setdefault(axis, []).append(placed.goal.alignment_target[axis])
    return {axis: sum(values) / len(values) for axis, values in targets.items()}
