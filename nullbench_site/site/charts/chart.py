"""A chart is a kind and its data. Altair builds the Vega-Lite spec of a kind once; data is put in, vl-convert draws it.

The site has one file a kind with its spec, a page the data alone; a reader's browser puts them together when asked.
Radars are no charts of this kind: a page's template draws them, as there is one for every contestant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nullbench_site.runs.storage import made_once
from nullbench_site.site.charts import by_contestant, tradeoff
from nullbench_site.site.charts.style import Axis, ChartTable, across, below, drawable, themed
from nullbench_site.specs.digest import canonical_json, sha256

Datasets: TypeAlias = Mapping[str, list[dict[str, Any]]]

_TABLES: Mapping[str, Callable[[Datasets], ChartTable]] = {
    "intervals": by_contestant.intervals_table,
    "quartiles": by_contestant.quartiles_table,
    "outcomes": by_contestant.outcomes_table,
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
    across: tuple[Axis, str] | None = None
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
