"""Scripts of others that a page loads when a reader asks: Vega makes charts interactive, DataTables boards."""

from __future__ import annotations

from functools import cache
from importlib.metadata import distribution, version
from pathlib import Path

from nullbench_site.runs.storage import made_once


def datatables_bundle() -> bytes:
    """An ES module whose default export is DataTables. To import the package itself takes a second."""
    return Path(str(distribution("itables").locate_file("itables/html/dt_bundle.js"))).read_bytes()


def vega_bundle(cache_folder: Path) -> bytes:
    """Vega, Vega-Lite and Vega-Embed as one script, from vl-convert; made once a version."""
    kept = cache_folder / f"vega-embed-{version('vl-convert-python')}.js"
    return made_once(kept, _vega)


@cache
def _vega() -> bytes:
    """The bundle anew; it takes seconds, and one process may render several sites."""
    import vl_convert

    return bytes(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode())
