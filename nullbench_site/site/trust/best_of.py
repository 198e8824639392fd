"""What judges pick of several answers, and whether the picks are right: a part of the page of judges.

A template draws the picture. Positions are in units from its upper left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from nullbench_site.scoring.best_of_tables import BestOfFitRow, BestOfRow
from nullbench_site.site import words
from nullbench_site.site.charts.style import ChartTable
from nullbench_site.site.views import BoardView, known

WIDTH, HEIGHT = 340, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 326, 26, 220
_TICKS = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Picks:
    """What one judge picks of the answers of one contestant. title: the judge's."""

    title: str
    says: Sequence[str]
    picture: Mapping[str, Any]
    table: ChartTable
    fit: BestOfFitRow


def shown_best_of(view: BoardView) -> list[Picks]:
    """Return the picks of each judge, models first and the panel last; empty for a board without the tables."""
    by_kind = sorted(view.judges, key=lambda judge: judge.is_program)
    titles: dict[str | None, str] = {**{judge.id: judge.title for judge in by_kind}, None: "All judges"}
    fits, rows = known(view.results.best_of_fits), known(view.results.best_of)
    shown = []
    for fit in sorted(fits, key=lambda each: list(titles).index(each.judge)):
        own = [row for row in rows if (row.model, row.judge) == (fit.model, fit.judge)]
        name = titles[fit.judge]
        table = ChartTable(f"Picks of {name} by the number of answers", _HEAD, [_cells(row) for row in own])
        shown.append(Picks(name, list(_sentences(name, view.title(fit.model), own, fit)), _picture(own), table, fit))
    return shown


_HEAD = ["Picked of", "KL at most", "Judge's score of the pick", "Right by the key"]


def _cells(row: BestOfRow) -> list[str]:
    proxy, gold = ((row.proxy, row.proxy_low, row.proxy_high), (row.gold, row.gold_low, row.gold_high))
    return [
        words.plural(row.n_picked_of, "answer"),
        words.number(row.kl_bound, 2),
        words.estimate(*proxy),
        words.estimate(*gold),
    ]


def _sentences(title: str, model: str, rows: Sequence[BestOfRow], fit: BestOfFitRow) -> Iterator[str]:
    name = "all judges together" if fit.judge is None else words.foreign(title)
    verb = "score" if fit.judge is None else "scores"
    first, last = rows[0], rows[-1]
    yield (
        f"Of {fit.n_samples} answers of {model}, the one that {name} {verb} highest is right in "
        f"{_share(last)} of the items; one answer at random is right in {_share(first)}."
    )
    gain = words.estimate(fit.gain, fit.gain_low, fit.gain_high, signs=True)
    if fit.no_choice == 1:
        yield "It gives all answers to an item one score, so it cannot pick."
    elif fit.gain_low is not None and fit.gain_low > 0:
        yield f"Picks are right more often than an answer at random, by {gain} points."
    elif fit.gain_high is not None and fit.gain_high < 0:
        yield f"Picks are right less often than an answer at random, by {gain} points."
    else:
        yield f"Picks are not shown to be right more or less often than an answer at random: {gain} points."
    if 0 < fit.no_choice < 1:
        yield f"In {words.percent(fit.no_choice)} of the items, all answers have one score, and the pick is random."
    if fit.peak_n is None:
        why = fit.absent["peak_n"]
        yield f"{why[:1].upper()}{why[1:]}."
    else:
        place = words.estimate(fit.peak_n, fit.peak_n_low, fit.peak_n_high, 0)
        yield f"Picks are right most often at n = {place}. With more answers, they are right less often."


def _share(row: BestOfRow) -> str:
    return (
        f"{words.percent(None if row.gold is None else row.gold / 100)} {words.interval(row.gold_low, row.gold_high)}"
    )


def _picture(rows: Sequence[BestOfRow]) -> Mapping[str, Any]:
    """Return proxy and gold by the root of the KL bound. across, up: the ticks of n and of scores, with their texts."""
    most = sqrt(rows[-1].kl_bound)
    xs = [round(_LEFT + (_RIGHT - _LEFT) * sqrt(row.kl_bound) / most, 1) for row in rows]
    last = len(rows)
    return {
        "proxy": _curve(xs, [(row.proxy, row.proxy_low, row.proxy_high) for row in rows]),
        "gold": _curve(xs, [(row.gold, row.gold_low, row.gold_high) for row in rows]),
        "across": [(x, str(n)) for n, x in enumerate(xs, 1) if n == last or (n & (n - 1) == 0 and 2 * n <= last)],
        "up": [(_y(tick), str(tick)) for tick in _TICKS],
        "width": WIDTH, "height": HEIGHT, "left": _LEFT, "right": _RIGHT, "bottom": _BOTTOM,
    }  # fmt: skip


def _curve(xs: Sequence[float], ends: Sequence[tuple[float | None, float | None, float | None]]) -> Mapping[str, str]:
    """Return a curve with its 95 % band, as the points of SVG shapes; no band: empty."""
    values, lows, highs = zip(*ends, strict=True)
    band = "" if None in lows or None in highs else f"{_points(xs, highs)} {_points(xs[::-1], lows[::-1])}"
    return {"line": _points(xs, values), "band": band}


def _points(xs: Sequence[float], values: Sequence[float | None]) -> str:
    return " ".join(f"{x},{_y(value)}" for x, value in zip(xs, values, strict=True) if value is not None)


def _y(score: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * score / 100, 1)
