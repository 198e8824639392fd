"""The format `scores`: a table of scores as a board."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from nullbench_site.interop.importer import ImportReport, TableImporter

_HELP = """Import a table of scores as a board, or as a newer table of a board.

FILE is a table, a log of another tool, or a folder of logs, as for `nullbench-site rank`. DIR becomes a benchmark
repository with specs and a sealed run. No model or judge is called. If DIR is a repository, the tables of the board
are replaced and a new run is added; older runs stay.

\b
Examples:
  nullbench-site import scores table.csv --groups categories.json --means --into livebench
  nullbench-site import scores scores.csv --models models.csv --category platform --into code
"""


def _make(file: str, options: Mapping[str, Any]) -> ImportReport:
    # Scoring takes 0.5 s to import, and `import --help` does not need it.
    from nullbench_site.interop.score_boards import BoardRequest, import_table  # noqa: PLC0415
    from nullbench_site.interop.score_table import Chosen, read_table  # noqa: PLC0415

    roles, about = (
        {name: options[name] for name in kind.__struct_fields__ if name in options} for kind in (Chosen, BoardRequest)
    )
    command = f"nullbench-site import scores {shlex.quote(file)} --into {shlex.quote(str(options['into']))}"
    return import_table(read_table(file, Chosen(**roles, command=command)), BoardRequest(**about))


IMPORTER = TableImporter(_HELP, _make)
