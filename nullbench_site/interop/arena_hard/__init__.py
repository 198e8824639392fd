"""Import of Arena-Hard-Auto (github.com/lmarena/arena-hard-auto): the verdicts of its mirrored games."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.importer import Import, Importer

_HELP = """Import verdicts of Arena-Hard-Auto and score them anew: against the baseline, raw and style-controlled.

SRC holds judgments/MODEL.jsonl, a question a line: question_id, model, baseline, judge, the verdicts of both games (g1
with the baseline as A, g2 with the model as A) and, where it is known, the style of both answers. DIR becomes a
benchmark repository with specs and a sealed run, which builds a site at once and asks nobody; it appears whole or not
at all. --lenient leaves out the models whose rows are broken.

\b
Examples:
  nullbench-site import arena-hard ../arena-hard --into arena
  nullbench-site import arena-hard ../arena-hard --into arena --lenient --json
"""


def _make(source: Path, into: Path, lenient: bool) -> Import:
    from nullbench_site.interop.arena_hard.games import import_arena_hard  # scores: it takes long to import

    return import_arena_hard(source, into, lenient=lenient)


IMPORTER = Importer(_HELP, _make)
