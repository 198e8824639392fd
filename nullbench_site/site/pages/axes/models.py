"""What the page of a contestant shows of an `axes` board: its fingerprint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nullbench_site.protocols.axes.results import BoardRow, GroupRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import LIKERT, SmallRadar, small_radar
from nullbench_site.site.pages import figures, groups
from nullbench_site.site.pages.page import metrics
from nullbench_site.site.pages.rows import Told, margin, n_responses, so_far
from nullbench_site.site.pages.sentences import Scored, against_the_median, contrast, domain_contrast
from nullbench_site.site.views import AxesView
from nullbench_site.specs.types import Axis, ModelFile

_COLUMNS = groups.Columns[GroupRow](
    score="goal_alignment",
    interval="ci",
    overall=lambda row: row.goal_alignment,
    absent="goal_alignment",
    cells={
        "quality": lambda row: Told(words.number(row.quality)),
        "refusal_rate": lambda row: Told(words.percent(row.n_refused / n_responses(row) if n_responses(row) else None)),
        "scored": lambda row: Told(words.of(row.n_scored, n_responses(row))),
    },
)


@dataclass(frozen=True)
class AxisLine:
    """A contestant on one axis. apart: from the board's median, positive above it. places: of its drawing, as CSS."""

    axis: Axis
    mean: str
    plus_minus: str
    median: str
    difference: str
    normalised: str
    apart: float | None
    places: str


def overview(view: AxesView) -> dict[str, Any]:
    """What the small radars of all contestants are over."""
    axes = view.benchmark.axes
    return {"template": "axes/models.md.j2", "axes": [axes[axis].short for axis in view.benchmark.baseline_axes]}


def context(view: AxesView, model: ModelFile) -> dict[str, Any]:
    """What the page of a contestant shows of this board."""
    row = view.rows[model.id]
    titles = {domain: spec.title for domain, spec in view.domains.items()}
    return {
        "template": "axes/model.md.j2",
        "sentences": _sentences(view, model, row),
        "facts": _facts(view, row),
        "answers": _answers(view, model, row),
        "telemetry": [
            *figures.telemetry(row),
            ("qpr", words.number(row.qpr), row.absent.get("qpr", "")),
            ("model_disk_gb", words.number(row.model_disk_gb), row.absent.get("model_disk_gb", "")),
        ],
        "spokes": [view.benchmark.axes[axis].short for axis in view.benchmark.baseline_axes],
        "domains": _domain_radars(view, row),
        "groups": [groups.table(view, model.id, "domain", view.in_domains, _COLUMNS, titles=titles)],
        "axes": sorted((_axis(view, row, axis) for axis in view.results.axes), key=_most_above),
        "metrics": metrics("axis", "normalised"),
    }


def _sentences(view: AxesView, model: ModelFile, row: BoardRow) -> list[str]:
    """Strengths and weaknesses in words, each with its interval."""
    if row.rank is None:
        return [f"{model.title} is not ranked: {so_far(view, row)}."]
    if row.refusal_rate == 1.0:
        return ["The panel calls every answer a refusal, so every axis stands at 1 and every score at 0."]
    contrasts = [
        contrast(
            view.benchmark.axes[axis].short.lower(), row.axes.get(axis), row.axes_se.get(axis), view.axis_medians[axis]
        )
        for axis in view.results.axes
    ]
    domains = [
        Scored(view.domains[domain].title, own, own.goal_alignment)
        for domain, rows in view.in_domains.items()
        if (own := rows.get(row.model)) and own.goal_alignment is not None
    ]
    return [*against_the_median(contrasts, "axis"), *domain_contrast(domains)]


def _facts(view: AxesView, row: BoardRow) -> list[figures.Line]:
    refused = f"{words.percent(row.refusal_rate)} ({words.of(row.n_refused, n_responses(row))})"
    return [
        ("overall", *figures.overall(view, row)),
        ("quality", words.number(row.quality), ""),
        ("refusal_rate", refused, _by_gate(row)),
        figures.time(row),
    ]


def _answers(view: AxesView, model: ModelFile, row: BoardRow) -> list[figures.Line]:
    return [
        ("scored", words.of(row.n_scored, view.n_wanted), _lost(row)),
        ("refused_by", words.plural(row.n_refused, "answer") if row.n_refused else "none", _by_gate(row)),
        figures.failures(row),
        *figures.ends(model, row),
        figures.verdicts(row),
    ]


def _by_gate(row: BoardRow) -> str:
    if not row.n_refused:
        return ""
    said = f"{row.refused_answer} by the answer alone, {row.refused_prompt} beside its task"
    both = row.refused_answer + row.refused_prompt - row.n_refused
    return f"{said}; {both} fell to both" if both > 0 else said


def _lost(row: BoardRow) -> str:
    lost = [("refused", row.n_refused), ("failed", row.n_errored), ("without a readable verdict", row.n_unparsed)]
    return ", ".join(f"{count} {name}" for name, count in lost if count)


def _domain_radars(view: AxesView, row: BoardRow) -> list[SmallRadar]:
    """A small radar for each domain, all on one scale."""
    baseline = view.benchmark.baseline_axes
    return [
        small_radar(
            view.domains[domain].title,
            f"{words.number(own.goal_alignment)} {words.plus_minus(margin(own.se))}".rstrip(),
            paths.domain_url(view.board.id, domain),
            [own.axes.get(axis) for axis in baseline],
            [view.domain_goals[domain][axis] for axis in baseline],
            against="goal",
            scale=LIKERT,
        )
        for domain, rows in view.in_domains.items()
        if (own := rows.get(row.model))
    ]


def _axis(view: AxesView, row: BoardRow, axis: str) -> AxisLine:
    mean, half, median = row.axes.get(axis), margin(row.axes_se.get(axis)), view.axis_medians[axis]
    apart = None if mean is None or median is None else mean - median
    return AxisLine(
        axis=view.benchmark.axes[axis],
        mean=words.number(mean, 2),
        plus_minus=words.plus_minus(half, 2),
        median=words.number(median, 2),
        difference=words.signed(apart, 2),
        normalised=words.number(row.normalised_axes.get(axis), 2),
        apart=apart,
        places=_places(mean, half or 0.0, median),
    )


def _places(mean: float | None, half: float, median: float | None) -> str:
    """Mean, ends of the interval and median in hundredths of the width, from 1 to 5; empty where one is absent."""
    if mean is None or median is None:
        return ""
    marks = (("a", mean), ("l", mean - half), ("h", mean + half), ("m", median))
    unit = 100 / (LIKERT.high - LIKERT.low)
    return ";".join(f"--{name}:{unit * (min(max(at, LIKERT.low), LIKERT.high) - LIKERT.low):.1f}" for name, at in marks)


def _most_above(line: AxisLine) -> float:
    """From most above the median to most below; what is not measured comes last."""
    return float("inf") if line.apart is None else -line.apart
