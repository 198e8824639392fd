"""A chart is a kind and its data. Altair builds the Vega-Lite spec of a kind once; data is put in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from nullbench_site.runs.storage import write_atomically
from nullbench_site.site.charts import intervals, radar
from nullbench_site.specs.digest import sha256

_KINDS: Mapping[str, tuple[ModuleType, Callable[[], dict[str, Any]]]] = {
    "intervals": (intervals, intervals.template),
    "radar": (radar, partial(radar.template, goals=False)),
    "goal-radar": (radar, partial(radar.template, goals=True)),
}

# XML has no way to write these, and vl-convert ends the whole process at one of them.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Chart:
    """What to draw. datasets: those that the kind's template names. height: where it depends on the data."""

    kind: str
    datasets: Mapping[str, list[dict[str, Any]]]
    height: int | None = None


def chart_spec(chart: Chart, cache_folder: Path) -> dict[str, Any]:
    """The whole Vega-Lite spec of a chart. Characters that no SVG can hold are written out, as <U+001B>."""
    datasets = {
        name: [{field: _drawable(value) for field, value in row.items()} for row in rows]
        for name, rows in chart.datasets.items()
    }
    spec = {**_template(chart.kind, cache_folder), "datasets": datasets}
    return spec if chart.height is None else {**spec, "height": chart.height}


def _drawable(value: Any) -> Any:
    return _NOT_XML.sub(lambda found: f"<U+{ord(found[0]):04X}>", value) if isinstance(value, str) else value


@cache
def _template(kind: str, cache_folder: Path) -> dict[str, Any]:
    """The spec of a kind, without its data. Importing Altair costs more than a warm render, so it is kept."""
    module, build = _KINDS[kind]
    source = Path(str(module.__file__)).read_bytes()
    kept = cache_folder / "charts" / f"{kind}-altair-{version('altair')}-{sha256(source)[:16]}.json"
    if not kept.is_file():
        write_atomically(kept, msgspec.json.encode(build()))
    spec: dict[str, Any] = msgspec.json.decode(kept.read_bytes())
    return spec
