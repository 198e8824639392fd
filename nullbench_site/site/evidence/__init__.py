"""The evidence behind each score, as files the explorer loads as a reader asks for them.

No file grows with the board, and the texts of one contestant are in memory at a time.

    files    which files there are, on boards of every protocol
    scores   what a list of answers is filtered by: items times contestants, cut into tiles
    parts    items, and the answers of a contestant, cut into files
    protocol what the evidence of a board of any protocol says
    calls    what is told of a call to a contestant or a judge
    axes, rubric, oracle    what the evidence of a board of that protocol says
"""

from nullbench_site.site.evidence.calls import MOST_REASONING
from nullbench_site.site.evidence.files import evidence_files

__all__ = ["MOST_REASONING", "evidence_files"]
