"""Charts: Altair builds the Vega-Lite spec of each kind once, a page adds its data, vl-convert draws the SVG.

Radars are drawn by a template instead, as each contestant has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nullbench_site.runs.storage import made_once
from nullbench_site.site import words
from nullbench_site.site.charts.style import ChartAxis, ChartTable, across, below, drawable, themed
from nullbench_site.specs.digest import canonical_json, sha256

# Charts with one contestant a row and scores from 0 to 100 across.


ROW_HEIGHT = 24


def told(rows: Iterable[Mapping[str, Any]], *scores: str) -> list[dict[str, Any]]:
    """Add scores in words to rows: Vega would round differently."""
    return [{**row, **{f"{score}_told": words.number(row[score]) for score in scores}} for row in rows]


# The interval plot of a board: scores with their 95 % intervals, and the null floor as a line.


ENDS = ("score", "low", "high")
OUTER = ("panel_low", "panel_high")
"""The ends of the panel's interval; None without one."""


def intervals_data(
    rows: list[dict[str, Any]],
    floor: float | None,
    ceiling: Mapping[str, float | None] | None,
    floor_ends: tuple[float | None, float | None],
) -> dict[str, list[dict[str, Any]]]:
    """Return the datasets of an interval plot.

    rows: {title, score, low, high, panel_low, panel_high, colour, shape} in the order of the board. floor: the null
    floor, None without null models. floor_ends: of its interval. ceiling: {score, low, high} of the reference answers,
    None without controls or if it is beyond the axis.
    """
    ceilings = [] if ceiling is None else told([ceiling], *ENDS)
    floors = [] if floor is None else [{"floor": floor, "low": floor_ends[0], "high": floor_ends[1]}]
    return {"rows": told(rows, *ENDS, *OUTER), "floor": floors, "ceiling": ceilings}


def intervals_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """Return the table of an interval plot."""
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


# The spread of the scores of single items: quartiles, and the 10th and 90th percentile.


NUMBERS = ("p10", "q1", "median", "q3", "p90")


def quartiles_data(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the datasets of a plot of quartiles.

    rows: {title, p10, q1, median, q3, p90, items, colour, shape} in the order of the board, scores from 0 to 100.
    """
    return {"rows": told(rows, *NUMBERS)}


def quartiles_table(datasets: Mapping[str, list[dict[str, Any]]]) -> ChartTable:
    """Return the table of a plot of quartiles."""
    return ChartTable(
        "Spread of the scores of single items",
        ["Contestant", "10 % below", "25 % below", "Median", "75 % below", "90 % below", "Items"],
        [
            [row["title"], *(row[f"{name}_told"] for name in NUMBERS), words.number(row["items"], 0)]
            for row in datasets["rows"]
        ],
    )


# How many answers to items with a key are right, wrong, invalid or failed.


OUTCOMES = ("right", "wrong", "invalid", "failed")
_LEGIBLE = 9.0
"""The least width of a bar, in percent, that has a label."""


def outcomes_data(contestants: Sequence[tuple[str, Sequence[int]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the datasets of a chart of outcomes. contestants: title and answers by `OUTCOMES`, in order."""
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
    """Return the table of a chart of outcomes."""
    rows: list[list[str]] = []
    for place, row in enumerate(datasets["rows"]):
        if place % len(OUTCOMES) == 0:
            rows.append([row["title"]])
        rows[-1].append(words.number(row["answers"], 0))
    return ChartTable("Answers by what became of them", ["Contestant", *(o.capitalize() for o in OUTCOMES)], rows)


Datasets: TypeAlias = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Chart:
    """A chart: its kind and data. datasets: those of the kind's spec, which `vega` makes. numbers: return them as
    a table. height: if it depends on the number of rows.

    across: the axis of scores and its title, if the kind has one. metric: the id of the metric that explains its
    numbers; empty if the page does.
    """

    kind: str
    datasets: Datasets
    numbers: Callable[[Datasets], ChartTable]
    height: int | None = None
    across: tuple[ChartAxis, str] | None = None
    metric: str = ""

    @cached_property
    def shown(self) -> Datasets:
        """Return the datasets without characters that SVG does not allow."""
        return {
            name: [
                {field: drawable(value) if isinstance(value, str) else value for field, value in row.items()}
                for row in rows
            ]
            for name, rows in self.datasets.items()
        }

    @property
    def data(self) -> dict[str, Any]:
        """Return the part of the spec that differs from chart to chart."""
        sizes = self.datasets.get("size")
        height = sizes[0]["height"] if sizes else self.height
        scale: dict[str, Any] = {}
        if self.across:
            axis, title = self.across
            scale = {"params": across(axis), "title": below(title)}
        return {"datasets": self.shown, **scale} | ({} if height is None else {"height": height})

    @property
    def table(self) -> ChartTable:
        """Return the numbers of the chart as a table."""
        return self.numbers(self.shown)


@dataclass(frozen=True)
class Rest:
    """How many contestants a chart shows, in words, and the file that has all of them."""

    text: str
    data: str


@dataclass(frozen=True)
class ChartFigure:
    """A chart with its texts.

    reading: how to read it. says: what it shows here. key: what its marks mean. rest: None if it shows everyone.
    """

    id: str
    title: str
    reading: str
    says: str
    alt: str
    chart: Chart
    key: Sequence[Mapping[str, str]] = ()
    rest: Rest | None = None


def chart_spec(chart: Chart, cache_folder: Path | None) -> dict[str, Any]:
    """Return the whole Vega-Lite spec of a chart. cache_folder: None writes nothing."""
    template = msgspec.json.decode(_built(chart.kind)) if cache_folder is None else _template(chart.kind, cache_folder)
    return {**template, **chart.data}


@cache
def _template(kind: str, cache_folder: Path) -> dict[str, Any]:
    """Return the cached spec of a kind, without data."""
    kept = cache_folder / "charts" / f"{kind}-altair-{version('altair')}-{_digest_of_program()[:16]}.json"
    spec: dict[str, Any] = msgspec.json.decode(made_once(kept, partial(_built, kind)))
    return spec


@cache
def _built(kind: str) -> bytes:
    from nullbench_site.site.charts.vega import TEMPLATES  # noqa: PLC0415 - Altair costs more than a warm render

    return msgspec.json.encode(TEMPLATES[kind]())


@cache
def _digest_of_program() -> str:
    """Return the digest of the modules that make specs."""
    return sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))


# SVGs, cached by the digest of their specs.


REVISION = 4
"""Raised when the same spec is drawn or cleaned differently."""

# Only tags are cleaned: titles may contain the same texts.
_TAG = re.compile(r'<[^<>"]*(?:"[^"]*"[^<>"]*)*>')
# A mark that says its values does so in a title, which browsers show on hover.
_SAID = re.compile(r' aria-label="([^"]*)"')
# Vega labels every other mark for screen readers too. The figure has one text alternative instead.
_NOISE = re.compile(r' (?:aria-[a-z]+|role|class|xmlns:xlink|version|pointer-events)="[^"]*"')
_EMPTY = re.compile(r'<path d="(?:M0,0h[\d.]+v[\d.]+h-[\d.]+Z)?"(?: display="none")?/>')
_SIZE = re.compile(r'<svg xmlns="([^"]+)" width="([^"]+)" height="([^"]+)"')
_FONT = re.compile(r' font-family="[^"]*"')


def chart_svg(spec: dict[str, Any], cache_folder: Path) -> str:
    """Return a chart as an SVG with the colours and font of the page."""
    kept = cache_folder / "charts" / f"{sha256(canonical_json([REVISION, spec]))}.svg"
    return made_once(kept, partial(_drawn, spec)).decode()


def _drawn(spec: dict[str, Any]) -> bytes:
    import vl_convert

    return cleaned(vl_convert.vegalite_to_svg(spec)).encode()


def cleaned(svg: str) -> str:
    """Remove from an SVG what a page does not need."""
    svg = _TAG.sub(lambda tag: themed(_FONT.sub("", _cleaned_tag(tag[0]))), svg)
    return _SIZE.sub(
        r'<svg xmlns="\1" width="\2" height="\3" aria-hidden="true" focusable="false"', _EMPTY.sub("", svg)
    )


def _cleaned_tag(tag: str) -> str:
    said = _SAID.search(tag) if tag.endswith("/>") else None
    bare = _NOISE.sub("", tag)
    return f"{bare[:-2]}><title>{said[1]}</title></{bare[1:].split()[0]}>" if said else bare
