"""Does the random marker around each text that judges see help? `python -m benchmarks.fence`

Every question to a judge has it: lines of digits that occur in none of its texts. This asks the judge of two audits
again without these lines, all else the same, and compares with the recorded verdicts. It needs the server of
`nullbench-site model`; a second start continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from unittest.mock import patch

from benchmarks.measure import ROOT
from nullbench_site.audit.search_walk import verdict
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.evaluate import evaluate
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.judging.quoting import Fence, neutralised
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.load import load_benchmark
from nullbench_site.stats.measure import wilson

ITEMS = 10
BASELINE = "ask-back"
"""All answers are compared with its answers."""
ASKED = {
    "2.8.0-577987be-4e3fd037": ("attack-structured-pairwise-letter", "attack-constant-instruction", "control-ideal"),
    "2.8.0-577987be-3b191497": ("attack-searched",),
}
"""Audit -> attacks, and the reference answers, which are honest."""
Won = dict[str, dict[int | None, float]]
"""Item -> place -> the probability, by the judge, that the answer wins."""


def _unfenced(_: Fence, text: str, label: str) -> str:
    return neutralised(text)


def compared(audit: Path, models: tuple[str, ...]) -> Iterator[str]:
    """Yield a line for each contestant with what it got with and without the marker."""
    builder = RequestBuilder(load_benchmark(audit / "specs", backends=backend_names()), backends())
    runs = ROOT / ".nullbench" / "fence" / audit.name
    with patch.object(Fence, "around", _unfenced):
        options = BuildOptions(selection=Selection(models=(*models, BASELINE), limit=ITEMS))
        evaluation = evaluate(builder, audit / "specs", runs, options)
    recorded = RunFolder(audit, read_manifest(audit))
    for model in models:
        without = _won(builder, evaluation.folder, model)
        known = _won(builder, recorded, model)
        moved = fmean(abs(known[item][at] - won) for item, places in without.items() for at, won in places.items())
        with_it = _rate({item: known[item] for item in without})
        yield f"{model}: with {with_it}; without {_rate(without)}; P of a verdict moves by {moved:.3f} on average"


def _won(builder: RequestBuilder, folder: RunFolder, model: str) -> Won:
    (board,) = builder.benchmark.boards.values()
    won: Won = {}
    for judgment in folder.records(Judgment, model):
        each = verdict(board, judgment)
        if each is not None and each.won is not None:
            won.setdefault(each.item, {})[each.order] = each.won
    return won


def _rate(won: Won) -> str:
    both = sum(min(places.values()) > 0.5 for places in won.values())
    low, high = wilson(both, len(won))
    share = fmean(fmean(places.values()) for places in won.values())
    return f"{both} of {len(won)} in both orders [{100 * low:.0f}-{100 * high:.0f} %], mean P {share:.3f}"


if __name__ == "__main__":
    for name, asked in ASKED.items():
        for line in compared(ROOT / "audits" / name, asked):
            print(line, flush=True)
