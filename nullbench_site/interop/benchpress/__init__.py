"""Import of BenchPress (github.com/markstent/BenchPress): its prompts, answers, verdicts and G-Eval scores."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.importer import Import, Importer

_HELP = """Import a checkout of BenchPress with its recorded answers, verdicts and G-Eval scores.

SRC holds evals/general.json and results/*.json. DIR becomes a benchmark repository with specs and a sealed run,
whose scores are worked out from those verdicts; it builds a site at once and asks nobody. DIR appears whole or not
at all.

\b
Examples:
  nullbench-site import benchpress ../BenchPress --into practical
  nullbench-site import benchpress ../BenchPress --into practical --lenient --json
"""


def _make(source: Path, into: Path, lenient: bool) -> Import:
    from nullbench_site.interop.benchpress.importing import import_benchpress  # noqa: PLC0415 - scores: it takes long to import

    return import_benchpress(source, into, lenient=lenient)


IMPORTER = Importer(_HELP, _make)
