"""A chart is a kind and its data. Altair builds the Vega-Lite spec of a kind once; data is put in.

The site has one file a kind with its spec, a page the data alone; a reader's browser puts them together when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nullbench_site.runs.storage import write_atomically
from nullbench_site.site.charts import intervals, outcomes, quartiles, radar, tradeoff
from nullbench_site.site.charts.labels import drawable
from nullbench_site.site.charts.table import Table
from nullbench_site.specs.digest import sha256

Datasets: TypeAlias = Mapping[str, list[dict[str, Any]]]

_KINDS: Mapping[str, tuple[Callable[[], dict[str, Any]], Callable[[Datasets], Table]]] = {
    "intervals": (intervals.template, intervals.table),
    "quartiles": (quartiles.template, quartiles.table),
    "outcomes": (outcomes.template, outcomes.table),
    "radar": (partial(radar.template, goals=False), radar.table),
    "goal-radar": (partial(radar.template, goals=True), radar.table),
    **tradeoff.KINDS,
}
_BY_TEMPLATE = frozenset({"radar", "goal-radar"})
"""The kinds that the page's template draws: there is one for every contestant, and vl-convert takes 30 ms for each."""


@dataclass(frozen=True)
class Chart:
    """What to draw. datasets: those that the kind's spec names. height: where it depends on the number of rows.

    metric: the entry of the metric registry that says how its numbers are made; empty where the page says it.
    """

    kind: str
    datasets: Datasets
    height: int | None = None
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
        return {"datasets": self.shown} | ({} if height is None else {"height": height})

    @property
    def table(self) -> Table:
        """The numbers behind the chart."""
        return _KINDS[self.kind][1](self.shown)

    @property
    def picture(self) -> radar.Picture | None:
        """What a template draws; None for a kind that vl-convert does."""
        return radar.picture(self.shown) if self.kind in _BY_TEMPLATE else None


def chart_spec(chart: Chart, cache_folder: Path) -> dict[str, Any]:
    """The whole Vega-Lite spec of a chart."""
    return {**_template(chart.kind, cache_folder), **chart.data}


def template_files(cache_folder: Path) -> Iterator[tuple[str, bytes]]:
    """The spec of each kind without its data, by path below the site's root."""
    for kind in _KINDS:
        yield f"assets/charts/{kind}.json", msgspec.json.encode(_template(kind, cache_folder))


@cache
def _template(kind: str, cache_folder: Path) -> dict[str, Any]:
    """The spec of a kind, without its data. Importing Altair costs more than a warm render, so it is kept."""
    kept = cache_folder / "charts" / f"{kind}-altair-{version('altair')}-{_digest_of_program()[:16]}.json"
    if not kept.is_file():
        write_atomically(kept, _built(kind))
    spec: dict[str, Any] = msgspec.json.decode(kept.read_bytes())
    return spec


@cache
def _built(kind: str) -> bytes:
    return msgspec.json.encode(_KINDS[kind][0]())


@cache
def _digest_of_program() -> str:
    """The digest of the modules that specs are made by."""
    return sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
