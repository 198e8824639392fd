"""Import of MT-Bench (github.com/lm-sys/FastChat): the grades that a judge gave to single answers, turn by turn."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.importer import Import, Importer

_HELP = """Import single-answer grades of MT-Bench and score them anew: of each turn and of both.

SRC holds *.jsonl with a judgment a line: question_id, category, model, turn, judge, judgment (the judge's words) and
score (-1 where the words hold none). A row that stands twice counts twice, as it does in the source. DIR becomes a
benchmark repository with specs and a sealed run, which builds a site at once and asks nobody; it appears whole or not
at all. --lenient leaves out the models whose rows are broken.

\b
Examples:
  nullbench-site import mt-bench ../mt-bench --into grades
  nullbench-site import mt-bench ../mt-bench --into grades --lenient --json
"""


def _make(source: Path, into: Path, lenient: bool) -> Import:
    from nullbench_site.interop.mt_bench.grades import import_mt_bench  # scores: it takes long to import

    return import_mt_bench(source, into, lenient=lenient)


IMPORTER = Importer(_HELP, _make)
