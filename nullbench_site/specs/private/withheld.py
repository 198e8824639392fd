"""Private items whose text is not here: a clone of a benchmark has their hashes and scores alone."""

from __future__ import annotations

from nullbench_site.specs.benchmark import Benchmark


def withheld_words(benchmark: Benchmark) -> str | None:
    """How many there are and what to do where they are to be asked; None where every text is here."""
    hidden = [(domain.id, item.id) for domain, item in benchmark.hideable_items if item.visibility == "private"]
    absent = [(domain, item) for domain, item in hidden if item not in benchmark.private]
    if not absent:
        return None
    files = " and ".join(f"{domain}.jsonl" for domain in dict.fromkeys(domain for domain, _ in absent))
    has = "1 private item has" if len(absent) == 1 else f"{len(absent)} private items have"
    return f"{has} no text here; set NULLBENCH_PRIVATE to the folder that holds {files}"
