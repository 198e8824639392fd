"""Import of AlpacaEval 2.0 (github.com/tatsu-lab/alpaca_eval): the preferences that its judge gave."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.importer import Import, Importer

_HELP = """Import annotations of AlpacaEval 2.0 and score them anew: win rates, raw and length-controlled.

SRC holds items.jsonl and annotations/MODEL.jsonl; instruction_difficulty.csv and gamed_baseline_rows.csv, where they
are there, give the length-controlled win rates the difficulties and regularising rows they were published with. DIR
becomes a benchmark repository with specs and a sealed run, which builds a site at once and asks nobody; it appears
whole or not at all. --lenient leaves out the models whose rows are broken.

\b
Examples:
  nullbench-site import alpacaeval ../alpacaeval2 --into alpaca
  nullbench-site import alpacaeval ../alpacaeval2 --into alpaca --lenient --json
"""


def _make(source: Path, into: Path, lenient: bool) -> Import:
    from nullbench_site.interop.alpacaeval.games import import_alpacaeval  # scores: it takes long to import

    return import_alpacaeval(source, into, lenient=lenient)


IMPORTER = Importer(_HELP, _make)
