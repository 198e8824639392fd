"""DataTables as one script, which makes boards interactive: from the itables package, loaded when a reader asks."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path


def datatables_bundle() -> bytes:
    """An ES module whose default export is DataTables. To import the package itself takes a second."""
    return Path(str(distribution("itables").locate_file("itables/html/dt_bundle.js"))).read_bytes()
