"""Make the charts of a board, each with its sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from msgspec import UNSET

from nullbench_site.runs.manifest import Usage
from nullbench_site.site import claims, words
from nullbench_site.site.charts.chart import (
    ROW_HEIGHT,
    Chart,
    ChartFigure,
    Rest,
    intervals_data,
    intervals_table,
    quartiles_data,
    quartiles_table,
)
from nullbench_site.site.charts.style import NULL, WHOLE, ChartAxis, extent, mark, of_scores
from nullbench_site.site.charts.tradeoff import AMOUNTS, Point, tradeoff_data, tradeoff_table
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import panel_line
from nullbench_site.site.pages.panel_words import THIN_LINE
from nullbench_site.site.pages.sentences import lead, ranked_contestants, silence
from nullbench_site.site.pages.tables import layout_of
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.trust import controls
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.stats.comparison import frontier
from nullbench_site.stats.telemetry import percentile

ROWS = 40
"""How many contestants stand in a chart with a row for each."""
SPREADS = 30
POINTS = 60
"""How many stand in a chart of points."""
_NAMED = 6
"""How many contestants a sentence names."""


@dataclass(frozen=True)
class BoardCharts:
    """The charts of a board. unmeasured: sentences on what has no chart."""

    scores: Sequence[ChartFigure]
    tradeoffs: Sequence[ChartFigure]
    unmeasured: Sequence[str]


def board_charts(site: SiteData, view: BoardView) -> BoardCharts:
    """Return the charts of a board."""
    by_item = pages_of(view.board.protocol).by_item or _quartiles
    scored = [figure for figure in (_intervals(site, view), by_item(site, view)) if figure]
    tradeoffs, unmeasured = [], []
    stated = bool(pages_of(view.board.protocol).not_asked) or view.board.imported is not None
    for amount in _stated() if stated else _amounts(site, view):
        figure = _tradeoff(site, view, amount)
        if figure:
            tradeoffs.append(figure)
        elif not stated:
            unmeasured.append(f"{amount.name.capitalize()} is {words.ABSENT}: {amount.missing}.")
    return BoardCharts(scored, tradeoffs, unmeasured)


def _mark(site: SiteData, view: BoardView, model: str) -> dict[str, str]:
    return mark(site.looks[model], is_null=view.is_null(model))


def rest_of(view: BoardView, shown: int, of: int, which: str = "by rank") -> Rest | None:
    """Return the note on contestants that a figure leaves out. which: those that it shows."""
    if shown == of:
        return None
    return Rest(
        f"The chart shows {words.of(shown, of)} contestants, the first {which}.", f"{ROOT}/boards/{view.board.id}.csv"
    )


def _intervals(site: SiteData, view: BoardView) -> ChartFigure | None:
    rows: list[dict[str, Any]] = [
        {
            "title": view.title(row.model),
            "score": row.overall,
            "low": row.ci_low,
            "high": row.ci_high,
            **_outer(view, row),
        }
        | _mark(site, view, row.model)
        for row in view.rows.values()
        if row.overall is not None
    ]
    if not rows:
        return None
    shown = rows[:ROWS]
    drawn = [row[name] for row in shown for name in ("score", "high", "panel_high") if row[name] is not None]
    axis = of_scores(drawn if view.floor is None else [*drawn, view.floor])
    lines = _zoom(axis)
    if any(row["panel_low"] is not None for row in shown):
        lines = f" {THIN_LINE[view.results.panel_kind]}{lines}"
    if view.floor is not None:
        lines += " The dashed line is the null floor."
    ceiling = _ceiling(view)
    if ceiling:
        what = controls.ceiling_meaning(view)
        beyond = (ceiling["score"] or 0.0) > axis.high
        told = f" The ceiling, {words.number(ceiling['score'])}, is beyond the axis: {what}."
        lines += told if beyond else f" The dotted line is the ceiling: {what}."
        ceiling = None if beyond else ceiling
    metric, floor = layout_of(view).interval, view.results.floor
    without = " A score has no interval if it is not measurable, or fixed by definition."
    without = without if any(row["low"] is None for row in shown) else ""
    data = intervals_data(shown, view.floor, ceiling, (floor.low, floor.high) if floor else (None, None))
    return ChartFigure(
        id="chart-intervals",
        title="Scores and how sure they are.",
        reading=f"The mark is a score, the thick line its 95 % interval: {view.thick_line}.{without}{lines}",
        says=told_from_the_first(view),
        alt=f"Scores on {view.board.title} with their 95 % intervals: "
        + alternatives(
            f"{row['title']} {words.number(row['score'])} {words.interval(row['low'], row['high'])}".rstrip()
            for row in shown
        ),
        chart=Chart(
            "intervals",
            data,
            intervals_table,
            ROW_HEIGHT * len(shown),
            (axis, f"score, {extent(axis.high)}"),
            metric=metric,
        ),
        rest=rest_of(view, len(shown), len(rows)),
    )


def _zoom(axis: ChartAxis) -> str:
    """Return the note on an axis that ends before 100."""
    return "" if axis.high == WHOLE else f" The axis is zoomed: it ends at {axis.high:g} of 100."


def _ceiling(view: BoardView) -> dict[str, float | None] | None:
    ceiling = view.results.ceiling
    return None if ceiling is UNSET else {"score": ceiling.overall, "low": ceiling.low, "high": ceiling.high}


def _outer(view: BoardView, row: AnyRow) -> dict[str, float | None]:
    low, high = panel_line(row, view.results.panel_kind) or (None, None)
    return {"panel_low": low, "panel_high": high}


def alternatives(parts: Iterable[str]) -> str:
    """Join the figures of a chart for its text alternative."""
    return f"{'; '.join(parts)}."


def _quartiles(site: SiteData, view: BoardView) -> ChartFigure | None:
    scores = _item_scores(view, list(view.rows)[:SPREADS])
    rows: list[dict[str, Any]] = [
        {"title": view.title(model), **_spread(values), "items": len(values)} | _mark(site, view, model)
        for model, values in scores.items()
        if values
    ]
    if not rows:
        return None
    axis = of_scores(row["p90"] for row in rows)
    return ChartFigure(
        id="chart-items",
        title="How even each contestant is over the items.",
        reading="The mark is the median item. The thick line holds the middle half of the items, the thin line the "
        f"middle eight tenths.{_zoom(axis)}",
        says=most_and_least_even([row for row in rows if row["colour"] != NULL]),
        alt=f"Spread of the scores of single items on {view.board.title}: "
        + alternatives(
            f"{row['title']} median {words.number(row['median'])}, middle half {words.number(row['q1'])} to "
            f"{words.number(row['q3'])}"
            for row in rows
        ),
        chart=Chart(
            "quartiles",
            quartiles_data(rows),
            quartiles_table,
            ROW_HEIGHT * len(rows),
            (axis, f"score of an item, {extent(axis.high)}"),
            metric="item_spread",
        ),
        rest=rest_of(view, len(rows), len(rows) + len(view.rows) - len(scores)),
    )


def _item_scores(view: BoardView, models: Sequence[str]) -> dict[str, list[float]]:
    """Return the scores of each contestant on single items, 0-100."""
    scores: dict[str, list[float]] = {model: [] for model in models}
    for row in view.results.items:
        score = row.score
        if row.model in scores and score is not None:
            scores[row.model].append(score)
    return scores


def _spread(values: Sequence[float]) -> dict[str, float]:
    names = {"p10": 10, "q1": 25, "median": 50, "q3": 75, "p90": 90}
    return {name: percentile(values, q) or 0.0 for name, q in names.items()}


@dataclass(frozen=True)
class _Amount:
    """A cost of an answer. of: its value in a row, None if not measured. good: what less of it is, as "fast"."""

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


def _amounts(site: SiteData, view: BoardView) -> Iterator[_Amount]:
    """Yield the costs of an answer; not the time where only programs answer."""
    used = site.entry.manifest.usage.contestants
    if not view.of_programs:
        yield _latency(view)
    yield _Amount(
        "tokens", lambda row: _tokens(used.get(row.model)), partial(words.number, digits=0), "short",
        "Which is good and short?", "endpoints counted the tokens of fewer than two contestants", "tokens_per_answer",
        " Tokens are those of the answers, over all boards of the run.",
    )  # fmt: skip
    yield _Amount(
        "cost", lambda row: _cost(used.get(row.model)), _money, "cheap", "Which is good and cheap?",
        "prices are known of fewer than two contestants", "cost_per_answer",
        " Cost is at the prices of the specs, over all boards of the run.",
    )  # fmt: skip


def _latency(view: BoardView) -> _Amount:
    """Return the time of an answer. Times of a busy host are left out; without a model's, those of programs are too."""
    busy = [view.title(model) for model in view.rows if model in view.under_load]
    idle = not busy or any(
        view.benchmark.models[row.model].backend != PROGRAMS
        and row.model not in view.under_load
        and row.median_response_time_ms is not None
        for row in view.rows.values()
    )
    left = f" Left out, as other calls to their host ran meanwhile: {claims.some(busy)}." if busy else ""
    missing = "fewer than two contestants answered with a time"
    if not idle:
        missing = "other calls to the host of the models ran while they were timed"
    return _Amount(
        "latency",
        lambda row: row.median_response_time_ms if idle and row.model not in view.under_load else None,
        _time,
        "fast",
        "Which is good and fast?",
        missing,
        "median_response_time_ms",
        left,
    )


def _stated() -> Iterator[_Amount]:
    """Yield what imported scores may state themselves: the cost and the time of an item."""
    yield _Amount(
        "cost", lambda row: _thousand(getattr(row, "cost_per_item", None)), _money, "cheap",
        "Which is good and cheap?", "", "cost_per_item", " Cost is as the source of the scores states it.",
    )  # fmt: skip
    yield _Amount(
        "latency", lambda row: row.median_response_time_ms, _time, "fast", "Which is good and fast?", "",
        "seconds_per_item", " Times are as the source of the scores states them.",
    )  # fmt: skip


def _thousand(cost: float | None) -> float | None:
    return None if cost is None else 1000 * cost


def _time(milliseconds: float) -> str:
    return words.milliseconds(milliseconds).replace(".0\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")


def _money(dollars: float) -> str:
    """Format a sum to the cent, or with more digits if it has them."""
    whole, _, cents = words.dollars(dollars).partition(".")
    return f"{whole}.{cents[:2]}{cents[2:].rstrip('0')}"


def _tokens(usage: Usage | None) -> float | None:
    counted = 0 if usage is None else usage.calls - usage.uncounted
    return usage.output_tokens / counted if usage and counted else None


def _cost(usage: Usage | None) -> float | None:
    """Return the cost of 1,000 answers."""
    priced = 0 if usage is None else usage.calls - usage.unpriced
    return 1000 * usage.cost_usd / priced if usage and priced else None


def may_lead(view: BoardView, row: AnyRow) -> bool:
    """Return True if a contestant can be on the frontier: it is above the floor, or there is none."""
    return view.floor is None or bool(row.above_null_floor)


def _tradeoff(site: SiteData, view: BoardView, amount: _Amount) -> ChartFigure | None:
    measured = [
        (row, row.overall, taken)
        for row in view.contestants
        if row.overall is not None and (taken := amount.of(row)) is not None
        if view.benchmark.models[row.model].retired is None
    ]
    if len(measured) < 2:
        return None
    silent = bool(silence(view))
    eligible = [each for each in measured if not silent and may_lead(view, each[0])]
    best = {eligible[place][0].model for place in frontier([(taken, score) for _, score, taken in eligible])}
    points = [
        Point(view.title(row.model), score, taken, _mark(site, view, row.model), row.model in best)
        for row, score, taken in measured
    ]
    on_it = [point.title for point in points if point.on_frontier]
    shown = sorted(points, key=lambda point: not point.on_frontier)[:POINTS]
    dashed = "" if view.floor is None else " The dashed line is the null floor. Null models are left out."
    among = "contestant" if view.floor is None else "eligible contestant"
    line = (
        f" The line joins the best trade-offs: no other contestant has both a higher score and a {amount.good}er "
        "answer."
    )
    if silent:
        line = ""
    elif view.floor is not None:
        dashed += " Only contestants above the floor can be on the line."
    if any(view.benchmark.models[row.model].retired is not None for row in view.contestants):
        dashed += " Retired contestants are left out."
    return ChartFigure(
        id=f"chart-{amount.kind}",
        title=amount.title,
        reading=f"Up is a higher score, left is {amount.good}er.{line}{amount.note}{dashed}",
        says="" if silent else on_the_frontier(on_it, len(eligible) - len(on_it), amount.good, among),
        alt=f"Score against {amount.name} on {view.board.title}: "
        + alternatives(
            f"{point.title} {words.number(point.score)} at {amount.in_words(point.amount)}"
            f"{', on the frontier' if point.on_frontier else ''}"
            for point in shown
        ),
        chart=Chart(
            amount.kind,
            tradeoff_data(shown, view.floor, amount.name, amount.in_words),
            partial(tradeoff_table, amount.name),
            metric=amount.metric,
        ),
        rest=rest_of(view, len(shown), len(points), "those on the line" if on_it else "by rank"),
    )  # fmt: skip


# What a chart shows in its data, in one plain sentence made from the figures.


def told_from_the_first(view: BoardView) -> str:
    """Say from how many others the first can be distinguished, by paired differences.

    Empty where no comparison is made, and where not every difference is known.
    """
    leader = lead(view)
    ranked = [row.model for row in ranked_contestants(view)]
    if leader is None or leader.claim == "none" or len(ranked) < 2:
        return ""
    first, *rest = ranked
    known = [view.differences[first, model] for model in rest if (first, model) in view.differences]
    if len(known) < len(rest) or any(difference.significant is None and difference.value for difference in known):
        return ""
    n_apart = sum(bool(difference.significant) for difference in known)
    others = "the one other contestant" if len(rest) == 1 else f"{words.of(n_apart, len(rest))} other contestants"
    if len(rest) == 1 and not n_apart:
        return f"{view.title(first)} cannot be distinguished from {others}, item by item."
    return f"{view.title(first)} can be distinguished from {others}, item by item."


def most_and_least_even(rows: Sequence[dict[str, Any]]) -> str:
    """Say who is most and who least even over the items. rows: {title, q1, q3}."""
    rows = [row for row in rows if row["q3"] > row["q1"]]
    if len(rows) < 2:
        return ""
    ordered = sorted(rows, key=lambda row: row["q3"] - row["q1"])
    least, most = ordered[0], ordered[-1]
    width = [words.number(row["q3"] - row["q1"]) for row in (least, most)]
    if width[0] == width[1]:
        return f"Where items differ at all, their middle half spans {width[0]} points."
    return (
        f"The middle half of the items spans from {width[0]} points ({least['title']}) to {width[1]} "
        f"({most['title']}); intervals of these spans are not measured."
    )


def on_the_frontier(titles: Sequence[str], others: int, good: str, among: str = "contestant") -> str:
    """Say who is on the frontier. titles: by rank. others: how many more are eligible. good: what less
    of the amount is, as "fast". among: what all of them are."""
    if not titles:
        return "There is no best trade-off: no contestant in this chart is shown to score above the null floor."
    named = words.listed(words.some_of(titles, _NAMED, thousands=""))
    if len(titles) == 1 and others:
        return f"Best trade-off by the scores alone, without their intervals: {titles[0]}, and no other."
    if len(titles) == 1:
        return f"{titles[0]} is the only {among}, so there is no trade-off to compare."
    on_it = f"Best trade-offs by the scores alone, without their intervals: {named}"
    if not others:
        return f"{on_it}. Not one is both better and {good}er than another."
    whom = f"the one other {among}" if others == 1 else f"each of the other {others} {among}s"
    return f"{on_it}. For {whom} one of these has no lower score and is no less {good}."
