"""Read a corpus for the overlap with the items of a board: megabytes a second of CPU time, and peak memory.

`python -m benchmarks.overlap` reads 96 MB of text, 96 MB of JSON lines with gzip, and 12 MB with TF-IDF. A corpus of a
quarter of the size shows what the start takes, and that memory does not grow with the corpus.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import sys
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Outcome, python, report

FASTEST, MOST_MB = 5.0, 500.0
MB = 1_000_000
SIZES, SIMILAR = (24, 96), (3, 12)
"""In MB."""
_CODE = """
import sys
from itertools import accumulate
from pathlib import Path
from nullbench_site.interop.overlap import Comparison, compare
from nullbench_site.specs.load import load_benchmark
chosen = Comparison([Path(sys.argv[1])], similarity=sys.argv[2])
print(len(compare(load_benchmark(Path("specs")), "nullbench", chosen).items))
"""


def outcomes() -> list[Outcome]:
    """Measure text and JSON lines without similarity, and text with TF-IDF."""
    found = []
    with TemporaryDirectory() as folder:
        for name, sizes, similarity, limit in (
            ("corpus.txt", SIZES, "none", FASTEST),
            ("corpus.jsonl.gz", SIZES, "none", FASTEST),
            ("corpus.txt", SIMILAR, "tf-idf", -math.inf),
        ):
            runs = [python("-c", _CODE, str(_corpus(Path(folder) / name, size)), similarity) for size in sizes]
            seconds, megabytes = runs[1].cpu - runs[0].cpu, sizes[1] - sizes[0]
            peaks = [run.peak_gib * 1024**3 / MB for run in runs]
            label = f"overlap, {name}" + (f", {similarity}" if similarity != "none" else "")
            detail = f"{megabytes} MB in {seconds:.1f} s of CPU time"
            found.append(Outcome(label, megabytes / seconds, limit, detail, noun="MB/s", at_least=True))
            detail = f"{peaks[0]:.0f} MB for a corpus of {sizes[0]} MB, {peaks[1]:.0f} MB for {sizes[1]} MB"
            found.append(Outcome(f"{label}, memory", max(peaks), MOST_MB, detail, noun="MB"))
    return found


def _corpus(path: Path, megabytes: int) -> Path:
    """Write prose of this size, before it is compressed, with a vocabulary as large as that of the web."""
    draws = random.Random(7)  # noqa: S311
    known = ["".join(draws.choices("etaoinshrdlu", k=draws.randint(1, 9))) for _ in range(200_000)]
    weights = list(accumulate(1 / place for place in range(1, len(known) + 1)))
    block = [" ".join(draws.choices(known, cum_weights=weights, k=200)) + "." for _ in range(800)]  # about 1 MB
    lines = path.name.endswith(".jsonl.gz")
    with gzip.open(path, "wt", 1) if lines else path.open("w") as file:
        written = 0
        while written < megabytes * MB:
            text = draws.choice(block)
            written += file.write(json.dumps({"text": text}) + "\n" if lines else text + "\n")
    return path


if __name__ == "__main__":
    sys.exit(report(outcomes()))
