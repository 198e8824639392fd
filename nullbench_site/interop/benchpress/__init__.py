"""Import of BenchPress (github.com/markstent/BenchPress)."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.importer import Importer, ImportReport

_HELP = """Import a checkout of BenchPress with its recorded answers, verdicts and G-Eval scores.

SRC contains evals/general.json and results/*.json. DIR becomes a benchmark repository with specs and a sealed run,
whose scores are computed from the recorded verdicts. `build` then makes its site without calling a model. If a file is
broken, nothing is written; --lenient leaves out the broken parts.

\b
Examples:
  nullbench-site import benchpress ../BenchPress --into practical
  nullbench-site import benchpress ../BenchPress --into practical --lenient --json
"""


def _make(source: Path, into: Path, lenient: bool) -> ImportReport:
    # Scoring takes 0.5 s to import, and `import --help` does not need it.
    from nullbench_site.interop.benchpress.importing import import_benchpress  # noqa: PLC0415

    return import_benchpress(source, into, lenient=lenient)


IMPORTER = Importer(_HELP, _make)
