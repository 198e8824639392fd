"""Vega-Lite specs -> SVG for a page, each drawn once and kept by the digest of its spec."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nullbench_site.runs.storage import write_atomically
from nullbench_site.site.charts.palette import themed
from nullbench_site.specs.digest import canonical_json, sha256

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
    if kept.is_file():
        return kept.read_text("utf-8")
    import vl_convert

    svg = cleaned(vl_convert.vegalite_to_svg(spec))
    write_atomically(kept, svg.encode())
    return svg


def cleaned(svg: str) -> str:
    """`svg` without what a page does not need."""
    svg = _TAG.sub(lambda tag: themed(_FONT.sub("", _NOISE.sub("", tag[0]))), svg)
    return _SIZE.sub(
        r'<svg xmlns="\1" width="\2" height="\3" aria-hidden="true" focusable="false"', _EMPTY.sub("", svg)
    )


def vega_bundle(cache_folder: Path) -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, from vl-convert; made once a version."""
    kept = cache_folder / f"vega-embed-{version('vl-convert-python')}.js"
    if not kept.is_file():
        write_atomically(kept, _vega())
    return kept.read_bytes()


@cache
def _vega() -> bytes:
    """The bundle anew; it takes seconds, and one process may render several sites."""
    import vl_convert

    return bytes(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode())
