"""What is charted on the page of a board, with the words that belong to each chart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nullbench_site.protocols.oracle.results import OracleRow
from nullbench_site.runs.manifest import Usage
from nullbench_site.site import words
from nullbench_site.site.charts.boards import OUTCOMES, ROW_HEIGHT, intervals_data, outcomes_data, quartiles_data
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.style import NULL, mark
from nullbench_site.site.charts.tradeoff import AMOUNTS, Point, tradeoff_data
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import chart_sentences as sentences
from nullbench_site.site.views import BoardView, OracleView
from nullbench_site.site.views.board import AnyRow
from nullbench_site.stats.pareto import frontier
from nullbench_site.stats.telemetry import percentile

ROWS = 40
"""How many contestants stand in a chart with a row for each."""
SPREADS = 30
POINTS = 60
"""How many stand in a chart of points."""


@dataclass(frozen=True)
class Rest:
    """How many of the contestants a chart shows, in words, and the file of the site in which all stand."""

    text: str
    data: str


@dataclass(frozen=True)
class Figure:
    """A chart with its words.

    reading: how to read it. says: what it shows here. key: what its marks mean. rest: None where nobody is left out.
    """

    id: str
    title: str
    reading: str
    says: str
    alt: str
    chart: Chart
    key: Sequence[Mapping[str, str]] = ()
    rest: Rest | None = None


@dataclass(frozen=True)
class BoardCharts:
    """The charts of a board. unmeasured: sentences on what cannot be charted."""

    scores: Sequence[Figure]
    tradeoffs: Sequence[Figure]
    unmeasured: Sequence[str]


def board_charts(site: SiteData, view: BoardView) -> BoardCharts:
    """Everything that is charted on the page of a board."""
    scored = [figure for figure in (_intervals(site, view), _by_item(site, view)) if figure]
    tradeoffs, unmeasured = [], []
    for amount in _amounts(site):
        found = _tradeoff(site, view, amount)
        if found:
            tradeoffs.append(found)
        else:
            unmeasured.append(f"{amount.name.capitalize()} is {words.ABSENT}: {amount.missing}.")
    return BoardCharts(scored, tradeoffs, unmeasured)


def _mark(site: SiteData, view: BoardView, model: str) -> dict[str, str]:
    return mark(site.looks[model], is_null=view.is_null(model))


def _rest(view: BoardView, shown: int, of: int, which: str = "by rank") -> Rest | None:
    """What a figure says of the contestants that it leaves out. which: who come first."""
    if shown == of:
        return None
    return Rest(
        f"Shown are {words.of(shown, of)} contestants, the first {which}.", f"{ROOT}/boards/{view.board.id}.csv"
    )


def _intervals(site: SiteData, view: BoardView) -> Figure | None:
    rows: list[dict[str, Any]] = [
        {"title": view.title(row.model), "score": row.overall, "low": row.ci_low, "high": row.ci_high}
        | _mark(site, view, row.model)
        for row in view.rows.values()
        if row.overall is not None and row.ci_low is not None
    ]
    if not rows:
        return None
    contestants = [row for row in rows if row["colour"] != NULL]
    shown = rows[:ROWS]
    dashed = "" if view.floor is None else " The dashed line is the null floor."
    metric = "share_ci" if isinstance(view, OracleView) else "ci"
    return Figure(
        id="chart-intervals",
        title="Scores and how sure they are.",
        reading=f"A mark is a score, the band around it its 95 % interval.{dashed}",
        says=sentences.intervals(contestants),
        alt=f"Scores on {view.board.title} with their 95 % intervals: "
        + _listed(
            f"{row['title']} {words.number(row['score'])} ({words.number(row['low'])} to {words.number(row['high'])})"
            for row in shown
        ),
        chart=Chart("intervals", intervals_data(shown, view.floor), ROW_HEIGHT * len(shown), metric=metric),
        rest=_rest(view, len(shown), len(rows)),
    )


def _listed(parts: Iterable[str]) -> str:
    return f"{'; '.join(parts)}."


def _by_item(site: SiteData, view: BoardView) -> Figure | None:
    """How the scores of single items are spread; answers to keys are right or wrong, so those are counted."""
    rows = list(view.rows.values())
    return _outcomes(view, [row for row in rows if isinstance(row, OracleRow)]) or _quartiles(site, view)


def _quartiles(site: SiteData, view: BoardView) -> Figure | None:
    if isinstance(view, OracleView):
        return None
    scores = _item_scores(view, list(view.rows)[:SPREADS])
    rows: list[dict[str, Any]] = [
        {"title": view.title(model), **_spread(values), "items": len(values)} | _mark(site, view, model)
        for model, values in scores.items()
        if values
    ]
    if not rows:
        return None
    return Figure(
        id="chart-items",
        title="How even each contestant is over the items.",
        reading="A mark is the median item; the band holds the middle half of the items, the thin line the middle "
        "eight tenths.",
        says=sentences.quartiles([row for row in rows if row["colour"] != NULL]),
        alt=f"Spread of the scores of single items on {view.board.title}: "
        + _listed(
            f"{row['title']} median {words.number(row['median'])}, middle half {words.number(row['q1'])} to "
            f"{words.number(row['q3'])}"
            for row in rows
        ),
        chart=Chart("quartiles", quartiles_data(rows), ROW_HEIGHT * len(rows), metric="item_spread"),
        rest=_rest(view, len(rows), len(rows) + len(view.rows) - len(scores)),
    )


def _item_scores(view: BoardView, models: Sequence[str]) -> dict[str, list[float]]:
    """Contestant -> its score on each item that has one, 0-100."""
    found: dict[str, list[float]] = {model: [] for model in models}
    for item in view.results.items:
        if item.model in found:
            score = item.score
            if score is not None:
                found[item.model].append(score)
    return found


def _spread(values: Sequence[float]) -> dict[str, float]:
    names = {"p10": 10, "q1": 25, "median": 50, "q3": 75, "p90": 90}
    return {name: round(percentile(values, q) or 0.0, 2) for name, q in names.items()}


def _outcomes(view: BoardView, rows: Sequence[OracleRow]) -> Figure | None:
    if not rows:
        return None
    contestants = [
        (view.title(row.model), (row.n_correct, row.n_wrong, row.n_invalid, row.n_errored)) for row in rows[:ROWS]
    ]
    return Figure(
        id="chart-items",
        title="What became of the answers.",
        reading="Each bar is all answers of a contestant, from left to right: right, wrong, invalid, failed.",
        says=sentences.outcomes(
            [one for one, row in zip(contestants, rows, strict=False) if not view.is_null(row.model)]
        ),
        alt=f"Answers on {view.board.title} by what became of them: "
        + _listed(
            f"{title} {', '.join(f'{count} {name}' for name, count in zip(OUTCOMES, counts, strict=True))}"
            for title, counts in contestants
        ),
        chart=Chart("outcomes", outcomes_data(contestants), ROW_HEIGHT * len(contestants), metric="marked"),
        key=[{"mark": outcome, "text": outcome} for outcome in OUTCOMES],
        rest=_rest(view, len(contestants), len(rows)),
    )


@dataclass(frozen=True)
class _Amount:
    """What an answer takes. of: of a row, None where it is not measured. good: what less of it is."""

    kind: str
    of: Callable[[AnyRow], float | None]
    in_words: Callable[[float], str]
    good: str
    title: str
    missing: str
    metric: str
    note: str = ""

    @property
    def name(self) -> str:
        return AMOUNTS[self.kind]


def _amounts(site: SiteData) -> Iterator[_Amount]:
    used = site.entry.manifest.usage.contestants
    yield _Amount(
        "latency", lambda row: row.median_response_time_ms, _time, "fast", "Which is good and fast?",
        "fewer than two contestants answered with a time", "median_response_time_ms",
    )  # fmt: skip
    yield _Amount(
        "tokens", lambda row: _tokens(used.get(row.model)), partial(words.number, digits=0), "short",
        "Which is good and short?", "endpoints counted the tokens of fewer than two contestants", "tokens_per_answer",
        " Tokens are those of the answers, over all boards of the run.",
    )  # fmt: skip
    yield _Amount(
        "cost", lambda row: _cost(used.get(row.model)), words.dollars, "cheap", "Which is good and cheap?",
        "prices are known of fewer than two contestants", "cost_per_answer",
        " Cost is at the prices of the specs, over all boards of the run.",
    )  # fmt: skip


def _time(milliseconds: float) -> str:
    return words.milliseconds(milliseconds).replace(".0\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")


def _tokens(usage: Usage | None) -> float | None:
    counted = 0 if usage is None else usage.calls - usage.uncounted
    return usage.output_tokens / counted if usage and counted else None


def _cost(usage: Usage | None) -> float | None:
    """Of 1,000 answers."""
    priced = 0 if usage is None else usage.calls - usage.unpriced
    return 1000 * usage.cost_usd / priced if usage and priced else None


def _tradeoff(site: SiteData, view: BoardView, amount: _Amount) -> Figure | None:
    measured = [
        (row, row.overall, taken)
        for row in view.contestants
        if row.overall is not None and (taken := amount.of(row)) is not None
    ]
    if len(measured) < 2:
        return None
    best = set(frontier([(taken, score) for _, score, taken in measured]))
    points = [
        Point(view.title(row.model), score, taken, _mark(site, view, row.model), place in best)
        for place, (row, score, taken) in enumerate(measured)
    ]
    on_it = [point.title for point in points if point.on_frontier]
    shown = sorted(points, key=lambda point: not point.on_frontier)[:POINTS]
    dashed = "" if view.floor is None else " The dashed line is the null floor; null models are left out."
    return Figure(
        id=f"chart-{amount.kind}",
        title=amount.title,
        reading=f"Up is better, left is {amount.good}er. The line joins those that no other beats on both."
        f"{amount.note}{dashed}",
        says=sentences.frontier(on_it, len(points) - len(on_it), amount.good),
        alt=f"Score against {amount.name} on {view.board.title}: "
        + _listed(
            f"{point.title} {words.number(point.score)} at {amount.in_words(point.amount)}"
            f"{', on the frontier' if point.on_frontier else ''}"
            for point in shown
        ),
        chart=Chart(
            amount.kind, tradeoff_data(shown, view.floor, amount.name, amount.in_words), metric=amount.metric
        ),
        rest=_rest(view, len(shown), len(points), "those of the frontier"),
    )  # fmt: skip
