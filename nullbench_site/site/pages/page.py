"""A page before it is written, and the pieces several pages share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.scoring.results import BoardRow, GroupRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import Spoke, position
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.normal import half_width


@dataclass(frozen=True)
class Page:
    """A page at `url`, made by `template` from `context`."""

    url: str
    title: str
    template: str
    context: Mapping[str, Any]
    description: str = ""
    searchable: bool = True


@dataclass(frozen=True)
class IntervalCell:
    """A score with its interval and the null floor, in hundredths of the width."""

    at: float
    low: float
    high: float
    floor: float | None


@dataclass(frozen=True)
class SmallRadar:
    """A radar drawn by a template: points of polygons on a circle of radius 1, y downwards."""

    label: str
    score: str
    link: str
    rings: Sequence[str]
    goal: str
    profile: str


@dataclass(frozen=True)
class Row:
    """A contestant in a table of scores."""

    model: ModelFile
    link: str
    rank: str
    score: str
    plus_minus: str
    interval: IntervalCell | None
    quality: str
    refused: str
    time: str
    scored: str
    band: str
    so_far: str = ""
    failed: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def interval_cell(row: GroupRow, score: float | None, floor: float | None) -> IntervalCell | None:
    """The drawing of a row's interval; None where there is none to draw."""
    if score is None or row.ci_low is None or row.ci_high is None:
        return None
    return IntervalCell(score, row.ci_low, row.ci_high, floor)


def margin(se: float | None) -> float | None:
    """Half of the 95 % interval before it was cut at the ends of the scale; None without a standard error."""
    return None if se is None else half_width(se)


def board_rows(view: BoardView) -> list[Row]:
    """The rows of a whole board. Groups of ties share a band, and two such groups in a row have two shades."""
    floor = view.results.floor.overall if view.results.floor else None
    sizes = Counter(row.tie_group for row in view.results.leaderboard if row.tie_group is not None)
    tied = [group for group, size in sorted(sizes.items()) if size > 1]
    shades = {group: ("nb-tie", "nb-tie-other")[place % 2] for place, group in enumerate(tied)}
    return [_board_row(view, row, floor, shades.get(row.tie_group or 0, "")) for row in view.results.leaderboard]


def _board_row(view: BoardView, row: BoardRow, floor: float | None, band: str) -> Row:
    return Row(
        model=view.benchmark.models[row.model],
        link=paths.model_url(row.model),
        rank=words.rank_range(row.rank, row.rank_low, row.rank_high),
        score=words.number(row.overall),
        plus_minus=words.plus_minus(margin(row.se)),
        interval=interval_cell(row, row.overall, floor),
        quality=words.number(row.quality),
        refused=words.percent(row.refusal_rate),
        time=words.milliseconds(row.median_response_time_ms),
        scored=words.of(row.n_scored, view.results.n_items * view.board.samples),
        band=band,
        so_far=so_far(view, row),
        failed=f"{words.plural(row.n_errored, 'answer')} failed" if row.n_errored else "",
        notes=row.absent,
    )


def so_far(view: BoardView, row: BoardRow) -> str:
    """What a contestant still lacks to be ranked; empty where it lacks nothing."""
    wanted = view.results.n_items * view.board.samples
    if row.judge_missing:
        return f"judged by {words.of(row.judge_calls - row.judge_missing, row.judge_calls)} calls so far"
    if row.n_unjudged:
        return f"{words.plural(row.n_unjudged, 'answer')} without any verdict"
    return f"{words.of(row.n_responses, wanted)} answers so far" if row.n_responses < wanted else ""


def group_rows(view: BoardView, rows: Sequence[GroupRow]) -> list[Row]:
    """The rows of a domain or category, best first; ranked are those that the board ranks."""
    ranked = [row for row in rows if view.rows[row.model].rank is not None]
    nulls = [r.goal_alignment or 0.0 for r in rows if view.benchmark.models[r.model].kind == "null"]
    floor = max(nulls, default=None)
    return [
        Row(
            model=view.benchmark.models[row.model],
            link=paths.model_url(row.model),
            rank=_rank_in_group(row, ranked),
            score=words.number(row.goal_alignment),
            plus_minus=words.plus_minus(margin(row.se)),
            interval=interval_cell(row, row.goal_alignment, floor),
            quality=words.number(row.quality),
            refused=words.percent(row.n_refused / row.n_responses if row.n_responses else None),
            time=words.milliseconds(None if row.mean_time_s is None else 1000 * row.mean_time_s),
            scored=words.of(row.n_scored, row.n_responses),
            band="",
            so_far=so_far(view, view.rows[row.model]),
            notes=row.absent,
        )
        for row in rows
    ]


def _rank_in_group(row: GroupRow, ranked: Sequence[GroupRow]) -> str:
    if all(other.model != row.model for other in ranked):
        return words.rank_range(None, None, None)
    return str(1 + sum((other.goal_alignment or 0) > (row.goal_alignment or 0) for other in ranked))


def small_radar(
    label: str, score: str, link: str, values: Sequence[float | None], goals: Sequence[float]
) -> SmallRadar:
    """A small radar; a profile with an absent axis is not drawn at all rather than through the middle."""
    n = len(goals)
    known = [value for value in values if value is not None]
    return SmallRadar(
        label=label,
        score=score,
        link=link,
        rings=[_polygon([ring] * n) for ring in (2.0, 3.0, 4.0, 5.0)],
        goal=_polygon(goals),
        profile=_polygon(known) if len(known) == n else "",
    )


def _polygon(values: Sequence[float]) -> str:
    corners = (position(value, place, len(values)) for place, value in enumerate(values))
    return " ".join(f"{x:.3f},{-y:.3f}" for x, y in corners)


def radar_words(name: str, spokes: Sequence[Spoke]) -> str:
    """The text alternative of a radar: every number in it."""
    parts = [
        f"{s.label} {words.number(s.value, 1)} (goal {words.number(s.goal, 1)}, median {words.number(s.median, 1)})"
        for s in spokes
    ]
    return f"Radar of {name} on a scale from 1 to 5: {'; '.join(parts)}."


def metrics(*ids: str) -> dict[str, Metric]:
    """The registry's entries for a table's headers."""
    return {metric_id: METRICS[metric_id] for metric_id in ids}


def panel_words(view: BoardView) -> str:
    """Who judged, said wherever scores stand, and of which profile of the specs that is."""
    judges = words.listed([judge.title for judge in view.judges])
    profile = f" Profile “{view.benchmark.profile}”." if view.benchmark.profile else ""
    if view.rule_based:
        what = "which is a program" if len(view.judges) == 1 else "which are programs"
        return f"Rule-based panel: {judges}, {what}. No language model judged.{profile}"
    return f"Panel “{view.benchmark.panels[view.board.panel].title}”: {judges}.{profile}"


def aggregation_words(view: BoardView) -> str:
    """How a board comes from items to one number."""
    aggregation = view.board.aggregation
    groups = "domains" if aggregation.groups == "domain" else "categories"
    if not aggregation.construct_weights:
        return f"the mean over {groups} of the mean in each"
    weights = [f"{name} {weight:g}" for name, weight in sorted(aggregation.construct_weights.items())]
    return f"the mean in each construct over {groups} of the mean in each, constructs weighted: {words.listed(weights)}"


def site_facts(site: SiteData) -> dict[str, str]:
    """What the foot of every page says of the run it shows."""
    manifest = site.entry.manifest
    return {
        "run": manifest.run,
        "date": (manifest.sealed_at or manifest.created_at)[:10],
        "digest": manifest.digest[:12],
        "state": manifest.state,
    }
