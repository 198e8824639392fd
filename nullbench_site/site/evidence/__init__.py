"""The evidence behind each score, as files the explorer loads one at a time.

A shard holds one contestant's answers in one domain, so its size does not grow with the board; what all contestants
share (the items as they were asked) stands once a domain. Shards are made contestant by contestant, from the records.

    files    which files there are, on boards of every protocol
    calls    what is told of a call to a contestant or a judge
    axes, rubric, oracle    what the evidence of a board of that protocol says
"""

from nullbench_site.site.evidence.calls import MOST_REASONING
from nullbench_site.site.evidence.files import evidence_files

__all__ = ["MOST_REASONING", "evidence_files"]
