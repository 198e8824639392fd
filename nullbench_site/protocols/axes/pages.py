"""What the site shows of boards of the `axes` protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nullbench_site.protocols.axes.judge_pages import agreement_words, judges, smaller_gates
from nullbench_site.protocols.axes.results import AxesRow
from nullbench_site.protocols.axes.specs import AxesCategory, Axis, axes_of, baseline_axes, goals_of
from nullbench_site.protocols.axes.view import AxesEvidence, AxesView
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import Group
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import LIKERT, Radar, SmallRadar, Spoke, radar_words, small_radar
from nullbench_site.site.pages import figures, groups
from nullbench_site.site.pages.methodology import sizes
from nullbench_site.site.pages.page import metrics, score_words
from nullbench_site.site.pages.sentences import by_domains, silence
from nullbench_site.site.pages.tables import group_table
from nullbench_site.site.protocol import (
    BEHAVIOUR,
    SCORE,
    SCORED,
    Column,
    Context,
    Disagreement,
    Explanation,
    Layout,
    ProtocolPages,
    Term,
)
from nullbench_site.specs import templates
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import ModelFile

_FIRST = 24
"""How many contestants stand in a category's own table and radars; a board may have a thousand."""


def _aggregation(view: AxesView) -> str:
    """How a board comes from items to one number."""
    aggregation = view.board.aggregation
    of = "domains" if aggregation.groups == "domain" else "categories"
    if not aggregation.construct_weights:
        return f"the mean over {of} of the mean in each"
    weights = [f"{name} {weight:g}" for name, weight in sorted(aggregation.construct_weights.items())]
    return f"the mean in each construct over {of} of the mean in each, constructs weighted: {words.listed(weights)}"


# The page of a board.


def _board(view: AxesView) -> Context:
    return {
        "template": "axes/board.md.j2",
        "aggregation": _aggregation(view),
        "domains": [
            {
                "title": view.domains[group.id].title,
                "link": paths.domain_url(view.board.id, group.id),
                "scores": _spread(view, group),
            }
            for group in view.results.domains
        ],
    }


def _spread(view: AxesView, group: Group[AxesRow]) -> str:
    """From where to where the scores in a domain reach, of the contestants that lack nothing."""
    whole = [
        row.goal_alignment
        for row in group.rows
        if row.n_items == group.n_items
        and not view.is_null(row.model)
        and not view.lacking(view.rows[row.model])
        and row.goal_alignment is not None
    ]
    if not whole:
        return f"{words.ABSENT}, no contestant has every answer and verdict yet"
    return f"{words.number(min(whole))} to {words.number(max(whole))}"


# The page of a domain.


def _domain(view: AxesView, group: Group[AxesRow]) -> Context:
    domain = view.domains[group.id]
    of_category = {category.id: category for category in view.results.categories}
    said = bool(silence(view, group))
    return {
        "template": "axes/domain.md.j2",
        "table_name": domain.title,
        "all": "contestants" if len(domain.categories) < 2 else "categories",
        "data": f"data/v1/boards/{view.board.id}.json",
        "axis": METRICS["axis"],
        "sections": domain.categories,
        "categories": [_category(view, domain.id, one, of_category[one.id], said=said) for one in domain.categories],
    }


def _category(view: AxesView, domain: str, category: AxesCategory, group: Group[AxesRow], *, said: bool) -> Context:
    """said: whether the page says already that it makes no comparative claim."""
    goal = goals_of(view.benchmark)[category.goal]
    axes = [view.axes[axis] for axis in category.axes]
    targets = [float(goal.alignment_target[axis.id]) for axis in axes]
    silent = silence(view, group)
    table = group_table(view, group, category.title, domain, first=_FIRST)
    best = None if silent else next((row for row in group.rows if not view.is_null(row.model)), None)
    return {
        "spec": category,
        "goal": goal,
        "axes": [
            {"axis": axis, "target": goal.alignment_target[axis.id], "alone": axis.id in view.of_one_judge}
            for axis in axes
        ],
        "n_items": words.plural(group.n_items, "item"),
        **agreement_words(view.agreement(category=category.id)),
        "table": replace(table, says="") if silent and said else table,
        "cut": f"The first {words.of(_FIRST, len(group.rows))} contestants" if len(group.rows) > _FIRST else "",
        "radar": best and _radar(view, best, group.rows, axes, targets),
        "small": [
            small_radar(
                view.title(row.model),
                words.number(row.goal_alignment),
                paths.model_url(row.model),
                [row.axes.get(axis.id) for axis in axes],
                targets,
                against="goal",
                scale=LIKERT,
            )
            for row in group.rows[:_FIRST]
        ],
    }


def _radar(
    view: AxesView, best: AxesRow, rows: Sequence[AxesRow], axes: Sequence[Axis], targets: Sequence[float]
) -> Context:
    name = view.title(best.model)
    spokes = [
        Spoke(axis.short, best.axes.get(axis.id), target, view.median_axis(rows, axis.id))
        for axis, target in zip(axes, targets, strict=True)
    ]
    return {
        "name": name,
        "chart": Radar(name, spokes, LIKERT, "axis"),
        "alt": radar_words(name, spokes, LIKERT),
    }


# The page of a contestant.


def _fingerprint(view: AxesView, model: ModelFile) -> Context:
    row = view.rows[model.id]
    by_gate = _by_gate(view, row)
    refused = f"{words.percent(row.refusal_rate)} ({words.of(row.n_refused, row.n_responses)})"
    refused_by = ("refused_by", words.plural(row.n_refused, "answer") if row.n_refused else "none", by_gate)
    lost = [("refused or evaded", row.n_refused)]
    return {
        "template": "axes/model.md.j2",
        "sentences": _sentences(view, row),
        "facts": [
            ("quality", words.number(row.quality), ""),
            ("refusal_rate", refused, by_gate),
        ],
        "answers": list(figures.answers(view, model, row, lost=lost, behaviour=[refused_by])),
        "refused_link": paths.evidence_url(view.board.id, model=model.id, state="refused") if row.n_refused else "",
        "telemetry": [
            ("qpr", words.number(row.qpr), row.absent.get("qpr", "")),
            ("model_disk_gb", words.number(row.model_disk_gb), row.absent.get("model_disk_gb", "")),
        ],
        "spokes": list(view.radar_spec.spokes.values()),
        "domains": _domain_radars(view, row),
        "groups": [groups.by_own_domain(view, model.id)],
        "axes": sorted((_axis(view, row, axis) for axis in view.results.axes), key=_most_above),
        "metrics": metrics("axis", "normalised"),
    }


def _sentences(view: AxesView, row: AxesRow) -> list[str]:
    """What the panel refuses throughout, or the domains that are unlike the others."""
    if row.refusal_rate == 1.0:
        return ["The panel calls every answer refused or evaded, so every axis stands at 1 and every score at 0."]
    return by_domains(view, row.model)


def _by_gate(view: AxesView, row: AxesRow) -> str:
    parts = []
    if row.n_refused:
        parts.append(f"{row.refused_answer} refused, {row.refused_prompt} evaded")
        both = row.refused_answer + row.refused_prompt - row.n_refused
        if both > 0:
            parts.append(f"{both} of them both")
    if smaller := view.smaller_gates.get(row.model):
        parts.append(f"of {smaller.judges} judges of other families {words.plural(smaller.votes, 'vote')} decide")
    return "; ".join(parts)


def _domain_radars(view: AxesView, row: AxesRow) -> list[SmallRadar]:
    """A small radar for each domain, all on one scale."""
    return [
        small_radar(
            view.domains[domain].title,
            score_words(own),
            paths.domain_url(view.board.id, domain),
            [own.axes.get(axis) for axis in view.radar_spec.spokes],
            [view.domain_goals[domain][axis] for axis in view.radar_spec.spokes],
            against="goal",
            scale=LIKERT,
        )
        for domain, rows in view.in_domains.items()
        if (own := rows.get(row.model))
    ]


def _axis(view: AxesView, row: AxesRow, axis: str) -> Context:
    """A contestant on one axis. apart: from the board's median, positive above it. places: of its drawing, as CSS."""
    mean, median = row.axes.get(axis), view.medians[axis]
    low, high = row.ends(axis)
    apart = None if mean is None or median is None else mean - median
    return {
        "axis": view.axes[axis],
        "alone": axis in view.of_one_judge,
        "mean": words.number(mean, 2),
        "sureness": words.interval(low, high, 2),
        "median": words.number(median, 2),
        "difference": words.signed(apart, 2),
        "normalised": words.number(row.normalised_axes.get(axis), 2),
        "apart": apart,
        "places": _places(mean, low, high, median),
    }


def _places(mean: float | None, low: float | None, high: float | None, median: float | None) -> str:
    """Mean, ends of the interval and median in hundredths of the width, from 1 to 5; empty where one is absent."""
    if mean is None or median is None:
        return ""
    ends = (("l", mean if low is None else low), ("h", mean if high is None else high))
    unit = 100 / (LIKERT.high - LIKERT.low)
    return ";".join(
        f"--{name}:{unit * (min(max(at, LIKERT.low), LIKERT.high) - LIKERT.low):.1f}"
        for name, at in (("a", mean), *ends, ("m", median))
    )


def _most_above(line: Context) -> float:
    """From most above the median to most below; what is not measured comes last."""
    return float("inf") if line["apart"] is None else -line["apart"]


# The page of the method.


def _method(view: AxesView) -> Context:
    return {
        "template": "axes/methodology.md.j2",
        "sizes": sizes(view, "item"),
        "wording": templates.wording(view.benchmark.templates[view.board.template]),
        "aggregation": _aggregation(view),
        "gate": view.gate,
        "votes": words.plural(view.gate.votes, "vote"),
        "smaller_gates": smaller_gates(view),
        "of_one_judge": {
            "n": words.of(len(view.of_one_judge), len(view.results.axes)),
            "titles": words.listed([view.axes[axis].title for axis in view.of_one_judge]),
        },
        "special": {
            category.id: [view.axes[axis].title for axis in category.axes if axis not in view.radar_spec.spokes]
            for domain in view.domains.values()
            for category in domain.categories
        },
    }


def _explanation(benchmark: Benchmark) -> Explanation:
    axes = list(axes_of(benchmark).values())
    return Explanation(
        template="axes/axes.md.j2",
        context={"axes": axes, "baseline": baseline_axes(benchmark)},
        anchors=(("axes", "Axes"), ("goals", "Goals"), ("refusals", "Refusals and failures")),
        terms=[Term(f"axis-{axis.id}", axis.title, axis.measures) for axis in axes],
    )


PAGES: ProtocolPages[AxesView] = ProtocolPages(
    view=AxesView,
    layout=Layout(
        overall="overall",
        in_part="goal_alignment",
        columns=(
            Column("quality", SCORE, "number", lambda view, row: row.quality),
            Column("refusal_rate", BEHAVIOUR, "percent", AxesView.refused),
            SCORED,
        ),
    ),
    board=_board,
    domain=_domain,
    fingerprints=lambda view: {"template": "axes/models.md.j2"},
    fingerprint=_fingerprint,
    judges=judges,
    method=_method,
    explanation=_explanation,
    disagreement=Disagreement("spread", "points of 100", 1),
    evidence=AxesEvidence,
    holds="its domains, categories, items, judges and agreement",
    board_schema="boards/board.schema.json",
    dictionary="An axis stands under its own id; se.AXIS and normalised.AXIS belong to it.",
)
