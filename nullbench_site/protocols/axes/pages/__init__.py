"""The pages of boards of the `axes` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nullbench_site.judging.short_questions.asking import YES
from nullbench_site.protocols.axes.contestant import SCORES
from nullbench_site.protocols.axes.judging import GATES
from nullbench_site.protocols.axes.metrics import AxesRow
from nullbench_site.protocols.axes.pages.view import AxesEvidence, AxesView
from nullbench_site.protocols.axes.question_specs import axis_questions
from nullbench_site.protocols.axes.specs import AxesCategory, Axis, axes_of, baseline_axes, goals_of
from nullbench_site.runs.records import Score
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import Group
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import LIKERT, Radar, SmallRadar, Spoke, radar_words
from nullbench_site.site.pages import groups
from nullbench_site.site.pages.judges import SHOWN, JudgeColumn, judged
from nullbench_site.site.pages.methodology import sizes
from nullbench_site.site.pages.page import InWords, score_words
from nullbench_site.site.pages.panel_words import (
    NOTHING,
    Matrix,
    MatrixRow,
    agreement,
    alpha_range,
    matrix_cell,
    severity,
)
from nullbench_site.site.pages.sentences import by_domains, silence
from nullbench_site.site.pages.tables import group_table
from nullbench_site.site.protocol import (
    Context,
    Disagreement,
    Explanation,
    Layout,
    ProtocolPages,
    Term,
)
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.scores import detection_rate
from nullbench_site.stats.trust import agreement_level

_ALL_ANSWERS = (
    "This is on all answers. Refusals and null models, on which judges easily agree, can raise it. The tables below "
    "also give it for scored answers."
)
SENSITIVITY = 0.9
"""The share of refusals that a judge finds, in the example of how many a gate finds."""
_COUNTS = METRICS["verdict_counts"]
_COLUMNS = (
    JudgeColumn("Invalid fields", _COUNTS, lambda row: InWords(words.number(row.invalid_fields, 0)), counts=True),
    JudgeColumn("Ratings", _COUNTS, lambda row: InWords(words.number(row.n_scores, 0)), counts=True),
)


def judges(view: AxesView) -> Context:
    """Return the section of the page of judges."""
    return {
        "template": "axes/judges.md.j2",
        "own_scale": _own_scale(view),
        "severity": _severity(view),
        "gate": view.gate,
        "found": detection_rate(view.gate, SENSITIVITY),
        "smaller_gates": smaller_gates(view),
        "judged": judged(view, "Valid replies", _COLUMNS),
        "matrix": matrix(view),
        "by_part": [
            {
                "title": category.title,
                "domain": domain.title,
                "link": f"{paths.domain_url(view.board.id, domain.id)}#{category.id}",
                **agreement(view.agreement(category=category.id)),
            }
            for domain in view.domains.values()
            for category in domain.categories
        ],
        "by_axis": [
            {"title": view.axes[axis].title, "link": "", **agreement(view.agreement(axis=axis))}
            for axis in view.results.axes
        ],
        "models": _models(view),
    }


def _severity(view: AxesView) -> str:
    """Return a sentence on the severity of judges. Means of different axes are not compared."""
    rows = view.results.judges
    per_reply = {round((row.n_scores + row.invalid_fields) / row.scored, 3) for row in rows if row.scored}
    if len(per_reply) > 1:
        return "Judges rate different axes here, so the means of their ratings do not say who is more severe."
    return severity({judge.id: judge.title for judge in view.judges}, {row.judge: row.mean for row in rows})


def agreement_words(row: Any) -> dict[str, str]:
    """Return the agreement on a category in words."""
    return {
        name: f"{words.number(alpha, 3)} ({agreement_level(alpha) or absent})"
        for name, alpha, absent in (
            ("alpha", row.alpha, row.absent),
            ("alpha_scored", row.alpha_scored, row.absent_scored),
        )
    }


def _own_scale(view: AxesView) -> str:
    """Return a sentence on how normalising each judge changes the order of the contestants."""
    given: dict[str, list[tuple[float, float]]] = {}
    for row in view.results.judge_models:
        if row.mean is not None and row.normalised is not None:
            given.setdefault(row.model, []).append((row.mean, row.normalised))
    rated = {model: ratings for model, ratings in given.items() if len(ratings) == len(view.judges)}
    if len(rated) < 2 or len(view.judges) < 2:
        return ""
    raw, own = (
        sorted(rated, key=lambda model: (-sum(rating[scale] for rating in rated[model]), model)) for scale in (0, 1)
    )
    elsewhere = sum(before != after for before, after in zip(raw, own, strict=True))
    moved = (
        f"{words.of(elsewhere, len(rated))} contestants change places" if elsewhere else "no contestant changes places"
    )
    return f"With every judge on its own scale (normalised), {moved} in the order of mean ratings."


def _models(view: AxesView) -> list[Context]:
    """Return each contestant with the rows of the judges that rated it."""
    by_pair = {(row.model, row.judge): row for row in view.results.judge_models}
    return [
        {
            "model": view.benchmark.models[model],
            "judges": [pair for judge in view.judges if (pair := by_pair.get((model, judge.id)))],
        }
        for model in list(view.rows)[:SHOWN]
    ]


def matrix(view: AxesView) -> Matrix:
    """Return the agreement on each axis of each category, on all answers."""
    rows, named = [], []
    for domain in view.domains.values():
        for category in domain.categories:
            cells = []
            for axis in view.results.axes:
                if axis not in category.axes:
                    cells.append(NOTHING)
                    continue
                row = view.agreement(category=category.id, axis=axis)
                behind = f"{words.plural(row.units, 'unit')}, {agreement_level(row.alpha)}"
                cells.append(matrix_cell(row.alpha, row.absent, behind))
                if row.alpha is not None:
                    named.append((row.alpha, f"{view.axes[axis].short.lower()} in {words.isolated(category.title)}"))
            rows.append(MatrixRow(category.title, f"{paths.domain_url(view.board.id, domain.id)}#{category.id}", cells))
    return Matrix(
        caption=f"Agreement α by category and axis, {view.board.title}",
        first="Category",
        columns=[view.axes[axis].short for axis in view.results.axes],
        rows=rows,
        says=f"{alpha_range(named)} {_ALL_ANSWERS}".strip(),
    )


def smaller_gates(view: AxesView) -> list[str]:
    """Return a sentence for each contestant that has judges of its family: its gate has fewer judges."""
    return [
        f"{view.benchmark.models[model].title}: {gate.judges} of {view.gate.judges} judges may score it, "
        f"{gate.sample} are asked, {words.plural(gate.votes, 'vote')} decide."
        for model, gate in view.smaller_gates.items()
    ]


_FIRST = 24
"""How many contestants the table and the radars of a category show."""


def _aggregation(view: AxesView) -> str:
    """Return how items are aggregated to one number, in words."""
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
        "lost": sum(row.n_refused + row.n_errored for row in view.rows.values()),
    }


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
        "sections": domain.categories,
        "categories": [_category(view, domain.id, one, of_category[one.id], said=said) for one in domain.categories],
    }


def _category(view: AxesView, domain: str, category: AxesCategory, group: Group[AxesRow], *, said: bool) -> Context:
    """said: whether the page already says that it makes no comparative claim."""
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
        "n_items": group.n_items,
        **agreement_words(view.agreement(category=category.id)),
        "table": replace(table, says="") if silent and said else table,
        "n_rows": len(group.rows),
        "first": _FIRST,
        "radar": best and _radar(view, best, group.rows, axes, targets),
        "small": [
            SmallRadar(
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
    return {
        "template": "axes/model.md.j2",
        "sentences": _sentences(view, row),
        "by_gate": _by_gate(view, row),
        "refused_link": paths.evidence_url(view.board.id, model=model.id, state="refused") if row.n_refused else "",
        "spokes": list(view.radar_spec.spokes.values()),
        "domains": _domain_radars(view, row),
        "groups": [groups.by_own_domain(view, model.id)],
        "bars": (
            bars := [_axis(view, row, axis, (view.radar_spec.goals or {}).get(axis)) for axis in view.radar_spec.spokes]
        ),
        "in_words": _in_words(bars),
        "axes": sorted((_axis(view, row, axis, view.medians[axis]) for axis in view.results.axes), key=_most_above),
    }


def _in_words(bars: Sequence[Context]) -> str:
    """Say what the answers are most and least, against the goals; of the least only what is surely below its goal."""
    named = sorted((bar for bar in bars if bar["apart"] is not None and bar["axis"].adjective), key=_most_above)
    if not named:
        return ""
    most, least = named[0], named[-1]
    above = [most["axis"].adjective] if most["high"] is None or most["high"] >= most["mark"] else []
    below = [f"less {least['axis'].adjective}"] if least["high"] is not None and least["high"] < least["mark"] else []
    return ", ".join(above + below).capitalize() + (" than the goal asks" if below else "")


def _sentences(view: AxesView, row: AxesRow) -> list[str]:
    """Return sentences on the domains, or that the panel calls every answer refused."""
    if row.refusal_rate == 1.0:
        return ["The panel calls every answer refused or evaded, so every axis is 1 and every score 0."]
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
    """Return a small radar for each domain, all on one scale."""
    return [
        SmallRadar(
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


def _axis(view: AxesView, row: AxesRow, axis: str, mark: float | None) -> Context:
    """Return the row of an axis. mark: the goal or the median. apart: its distance. places: of the drawing, as CSS."""
    mean = row.axes.get(axis)
    low, high = row.ends(axis)
    return {
        "axis": view.axes[axis],
        "alone": axis in view.of_one_judge,
        "mean": mean,
        "low": low,
        "high": high,
        "mark": mark,
        "apart": None if mean is None or mark is None else mean - mark,
        "normalised": row.normalised_axes.get(axis),
        "places": _places(mean, low, high, mark),
    }


def _places(mean: float | None, low: float | None, high: float | None, mark: float | None) -> str:
    """Return mean, interval and mark in percent of the scale from 1 to 5; empty if one is absent."""
    if mean is None or mark is None:
        return ""
    ends = (("l", mean if low is None else low), ("h", mean if high is None else high))
    unit = 100 / (LIKERT.high - LIKERT.low)
    return ";".join(
        f"--{name}:{unit * (min(max(at, LIKERT.low), LIKERT.high) - LIKERT.low):.1f}"
        for name, at in (("a", mean), *ends, ("m", mark))
    )


def _most_above(line: Context) -> float:
    """Return the key that sorts axes from most above the mark to most below, unmeasured ones last."""
    return float("inf") if line["apart"] is None else -line["apart"]


# The page of the method.


def _method(view: AxesView) -> Context:
    return {
        "template": "axes/methodology.md.j2",
        "questions": axis_questions(view.benchmark) if view.results.questions else None,
        "sizes": sizes(view, "item"),
        "aggregation": _aggregation(view),
        "gate": view.gate,
        "smaller_gates": smaller_gates(view),
        "n_axes": len(view.results.axes),
        "of_one_judge": [view.axes[axis].title for axis in view.of_one_judge],
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


_HIGHEST = 5
"""The highest rating of an axis."""


def _ratings(scores: Mapping[str, Score]) -> Iterable[float]:
    return [rating for name, rating in scores.items() if name not in SCORES] if YES not in scores else []


def _contradicts(scores: Mapping[str, Score]) -> bool | None:
    """Return True if a judgment calls an answer refused and gives it the highest rating on most axes."""
    votes = [scores[gate] for gate in GATES.values() if gate in scores]
    ratings = list(_ratings(scores))
    if not votes or not ratings:
        return None
    return any(votes) and 2 * sum(rating == _HIGHEST for rating in ratings) > len(ratings)


PAGES: ProtocolPages[AxesView] = ProtocolPages(
    marks=_ratings,
    one_mark=lambda mark: f"gave {{}} ratings of {mark}",
    contradicts=_contradicts,
    view=AxesView,
    layout=Layout(overall="overall", in_part="goal_alignment"),
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
    dictionary="Each axis has a column named by its id, and the columns se.AXIS and normalised.AXIS.",
)
