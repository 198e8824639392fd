"""A chart is a kind and its data. Altair builds the Vega-Lite spec of a kind once; data is put in, vl-convert draws it.

The site has one file a kind with its spec, a page the data alone; a reader's browser puts them together when asked.
Radars are no charts of this kind: a page's template draws them, as there is one for every contestant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nullbench_site.runs.storage import made_once
from nullbench_site.site import words
from nullbench_site.site.charts import tradeoff
from nullbench_site.site.charts.style import ChartAxis, ChartTable, across, below, drawable, themed
from nullbench_site.specs.digest import canonical_json, sha256

# What charts with a contestant a row and scores from 0 to 100 across have in common.


ROW_HEIGHT = 24


def told(rows: Iterable[Mapping[str, Any]], *scores: str) -> list[dict[str, Any]]:
    """`rows` with these of their scores in words beside them: the charts' own library would round a half up."""
    return [{**row, **{f"{score}_told": words.number(row[score]) for score in scores}} for row in rows]


# The interval plot of a board: each contestant's score with its 95 % interval, and the null floor as a line.


ENDS = ("score", "low", "high")
OUTER = ("panel_low", "panel_high")
"""The ends of the panel's interval, None without one."""


def intervals_data(
    rows: list[dict[str, Any]],
    floor: float | None,
    ceiling: Mapping[str, float | None] | None,
    floor_ends: tuple[float | None, float | None],
) -> dict[str, list[dict[str, Any]]]:
    """The datasets of an interval plot.

    rows: {title, score, low, high, panel_low, panel_high, colour, shape} in the order of the board. floor: the null
    floor, None without null models; floor_ends: of its interval. ceiling: {score, low, high} of the reference answers,
    None without controls, and where the axis ends before it.
    """
    ceilings = [] if ceiling is None else told([ceiling], *ENDS)
    floors = [] if floor is None else [{"floor": floor, "low": floor_ends[0], "high": floor_ends[1]}]
    return {"rows": told(rows, *ENDS, *OUTER), "floor": floors, "ceiling": ceilings}


def intervals_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """The numbers behind an interval plot."""
    outer = OUTER if any(row["panel_low"] is not None for row in datasets["rows"]) else ()
    none = ["–"] * len(outer)
    rows = [[row["title"], *(row[f"{name}_told"] for name in (*ENDS, *outer))] for row in datasets["rows"]]
    floor = [
        ["Null floor", *(words.number(row[name], absent="–") for name in ("floor", "low", "high")), *none]
        for row in datasets["floor"]
    ]
    ceiling = [["Ceiling", *(row[f"{name}_told"] for name in ENDS), *none] for row in datasets["ceiling"]]
    heads = ["Contestant", "Score", "From", "To", *("Panel, from", "Panel, to")[: len(outer)]]
    return ChartTable("Scores with their 95 % intervals", heads, [*rows, *floor, *ceiling])


# How the scores of single items are spread: per contestant the middle half, and the tenths beyond it.


NUMBERS = ("p10", "q1", "median", "q3", "p90")


def quartiles_data(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart.

    rows: {title, p10, q1, median, q3, p90, items, colour, shape} in the order of the board, the first five 0-100.
    """
    return {"rows": told(rows, *NUMBERS)}


def quartiles_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """The numbers behind the chart."""
    return ChartTable(
        "Spread of the scores of single items",
        ["Contestant", "10 % below", "25 % below", "Median", "75 % below", "90 % below", "Items"],
        [
            [row["title"], *(row[f"{name}_told"] for name in NUMBERS), words.number(row["items"], 0)]
            for row in datasets["rows"]
        ],
    )


# What became of a contestant's answers to items with a key: how many are right, wrong, invalid, failed.


OUTCOMES = ("right", "wrong", "invalid", "failed")
_LEGIBLE = 9.0
"""From how many hundredths on a part says its number."""


def outcomes_data(contestants: Sequence[tuple[str, Sequence[int]]]) -> dict[str, list[dict[str, Any]]]:
    """The datasets of the chart. contestants: title and answers by `OUTCOMES`, in the order of the board."""
    rows = []
    for title, counts in contestants:
        start, answers = 0.0, sum(counts)
        for outcome, count in zip(OUTCOMES, counts, strict=True):
            end = start + 100 * count / answers if answers else start
            label = str(count) if end - start >= _LEGIBLE else ""
            rows.append(
                {
                    "title": title, "outcome": outcome, "answers": count, "start": round(start, 4),
                    "end": round(end, 4), "middle": round((start + end) / 2, 4), "told": label,
                }
            )  # fmt: skip
            start = end
    return {"rows": rows}


def outcomes_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """The numbers behind the chart."""
    rows: list[list[str]] = []
    for place, row in enumerate(datasets["rows"]):
        if place % len(OUTCOMES) == 0:
            rows.append([row["title"]])
        rows[-1].append(words.number(row["answers"], 0))
    return ChartTable("Answers by what became of them", ["Contestant", *(o.capitalize() for o in OUTCOMES)], rows)


Datasets: TypeAlias = Mapping[str, list[dict[str, Any]]]

_TABLES: Mapping[str, Callable[[Datasets], ChartTable]] = {
    "intervals": intervals_table,
    "quartiles": quartiles_table,
    "outcomes": outcomes_table,
    **tradeoff.TABLES,
}


@dataclass(frozen=True)
class Chart:
    """What to draw. datasets: those that the kind's spec names. height: where it depends on the number of rows.

    across: the axis of scores and its title, where the kind has one. metric: the entry of the metric registry that says
    how its numbers are made; empty where the page says it.
    """

    kind: str
    datasets: Datasets
    height: int | None = None
    across: tuple[ChartAxis, str] | None = None
    metric: str = ""

    @cached_property
    def shown(self) -> Datasets:
        """The datasets with what no SVG can hold written out in their texts."""
        return {
            name: [
                {field: drawable(value) if isinstance(value, str) else value for field, value in row.items()}
                for row in rows
            ]
            for name, rows in self.datasets.items()
        }

    @property
    def data(self) -> dict[str, Any]:
        """What a page holds of the chart: put over the spec of its kind it makes a whole one."""
        sizes = self.datasets.get("size")
        height = sizes[0]["height"] if sizes else self.height
        scale: dict[str, Any] = {}
        if self.across:
            axis, title = self.across
            scale = {"params": across(axis), "title": below(title)}
        return {"datasets": self.shown, **scale} | ({} if height is None else {"height": height})

    @property
    def table(self) -> ChartTable:
        """The numbers behind the chart."""
        return _TABLES[self.kind](self.shown)


@dataclass(frozen=True)
class Rest:
    """How many of the contestants a chart shows, in words, and the file of the site in which all stand."""

    text: str
    data: str


@dataclass(frozen=True)
class ChartFigure:
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


def chart_spec(chart: Chart, cache_folder: Path) -> dict[str, Any]:
    """The whole Vega-Lite spec of a chart."""
    return {**_template(chart.kind, cache_folder), **chart.data}


def template_files(cache_folder: Path) -> Iterator[tuple[str, bytes]]:
    """The spec of each kind without its data, by path below the site's root."""
    for kind in _TABLES:
        yield f"assets/charts/{kind}.json", msgspec.json.encode(_template(kind, cache_folder))


@cache
def _template(kind: str, cache_folder: Path) -> dict[str, Any]:
    """The spec of a kind, without its data, kept."""
    kept = cache_folder / "charts" / f"{kind}-altair-{version('altair')}-{_digest_of_program()[:16]}.json"
    spec: dict[str, Any] = msgspec.json.decode(made_once(kept, partial(_built, kind)))
    return spec


@cache
def _built(kind: str) -> bytes:
    from nullbench_site.site.charts.vega import TEMPLATES  # noqa: PLC0415 - Altair costs more than a warm render

    return msgspec.json.encode(TEMPLATES[kind]())


@cache
def _digest_of_program() -> str:
    """The digest of the modules that specs are made by."""
    return sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))


# Vega-Lite specs -> SVG for a page, each drawn once and kept by the digest of its spec.


REVISION = 3
"""Raised when the same spec would be drawn or cleaned differently."""

# Only tags are cleaned: a title of a spec may hold all that is taken away here.
_TAG = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
# Vega labels every mark for screen readers ("x: 0; y: 0.25"); the figure has one text alternative instead.
_NOISE = re.compile(r' (?:aria-[a-z]+|role|class|xmlns:xlink|version|pointer-events)="[^"]*"')
_EMPTY = re.compile(r'<path d="(?:M0,0h[\d.]+v[\d.]+h-[\d.]+Z)?"(?: display="none")?/>')
_SIZE = re.compile(r'<svg xmlns="([^"]+)" width="([^"]+)" height="([^"]+)"')
_FONT = re.compile(r' font-family="[^"]*"')


def chart_svg(spec: dict[str, Any], cache_folder: Path) -> str:
    """The chart as an SVG that takes its colours and font from the page."""
    kept = cache_folder / "charts" / f"{sha256(canonical_json([REVISION, spec]))}.svg"
    return made_once(kept, partial(_drawn, spec)).decode()


def _drawn(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return cleaned(vl_convert.vegalite_to_svg(spec)).encode()


def cleaned(svg: str) -> str:
    """`svg` without what a page does not need."""
    svg = _TAG.sub(lambda tag: themed(_FONT.sub("", _NOISE.sub("", tag[0]))), svg)
    return _SIZE.sub(
        r'<svg xmlns="\1" width="\2" height="\3" aria-hidden="true" focusable="false"', _EMPTY.sub("", svg)
    )
