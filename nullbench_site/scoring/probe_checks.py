"""What the probes of contamination find of a program that has seen a known share of the items, and of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from nullbench_site.programs import all_programs
from nullbench_site.programs.seen import SeenShare
from nullbench_site.scoring.contamination_tables import ContaminationProbe, ProbeCheck
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.canaries import canaries_of
from nullbench_site.specs.item_texts import item_texts
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.inflation import WIDE_GAP, Inflation, inflation
from nullbench_site.stats.overlap import Overlap, words

DRAWS = 20
"""How often the share is drawn anew for contestants that have not seen it."""


def probe_checks(benchmark: Benchmark, board: BoardFile, results: Results) -> list[ProbeCheck]:
    """Return what each probe finds of each program of the kind `seen`; nothing for boards without one."""
    checks: list[ProbeCheck] = []
    for model in benchmark.contestants(board):
        share = all_programs()[model.model].read_params(model.params) if model.kind == "seen" else None
        if isinstance(share, SeenShare):
            checks += _of_canaries(benchmark, board, results, model.id, share)
            checks.append(_of_overlap(benchmark, board, model.id, share))
            checks += _of_gaps(benchmark, board, results, model.id, share)
    return checks


def _of_canaries(
    benchmark: Benchmark, board: BoardFile, results: Results, model: str, share: SeenShare
) -> Iterator[ProbeCheck]:
    for row in () if results.canaries is msgspec.UNSET else results.canaries:
        if row.model == model and row.n_answered == row.n_canaries:
            seen = {canary.file: share.has_seen(canary.file) for canary in canaries_of(benchmark, board)}
            yield _counted("canary", model, seen, {file: file in row.completed for file in seen})


def _of_overlap(benchmark: Benchmark, board: BoardFile, model: str, share: SeenShare) -> ProbeCheck:
    """Compare the items with a corpus of the seen ones."""
    texts = item_texts(board, benchmark.domains)
    overlap = Overlap([text.asked for text in texts])
    for text in texts:
        if share.has_seen(text.id):
            overlap.read(words(text.asked), starts=True)
    found = {text.id: bool(shared.shared) for text, shared in zip(texts, overlap.shared(), strict=True) if shared.n}
    return _counted("overlap", model, {item: share.has_seen(item) for item in found}, found)


def _counted(probe: ContaminationProbe, model: str, seen: Mapping[str, bool], found: Mapping[str, bool]) -> ProbeCheck:
    of_seen = [found[name] for name in seen if seen[name]]
    of_rest = [found[name] for name in seen if not seen[name]]
    return ProbeCheck(
        model=model, probe=probe, n_seen=len(of_seen), found_seen=sum(of_seen), n_rest=len(of_rest),
        found_rest=sum(of_rest),
    )  # fmt: skip


def _of_gaps(
    benchmark: Benchmark, board: BoardFile, results: Results, model: str, share: SeenShare
) -> Iterator[ProbeCheck]:
    """Compare the scores on seen and on other items: of the program, and of the others in further draws."""
    clusters = scorer_of(benchmark, board).strata.clusters
    items = [placed.id for placed in benchmark.items(board)]
    scores = _scores(items, results)
    own = scores.pop(model, None)
    if own is None:
        return

    def gap(values: Floats, draw: SeenShare) -> Inflation:
        return inflation(values, _drawn(items, draw), clusters)

    mine = gap(own, share).gap
    draws = [msgspec.structs.replace(share, seed=share.seed + place) for place in range(DRAWS)]
    others = [gap(values, draw).gap for values in scores.values() for draw in draws]
    limits: Mapping[ContaminationProbe, float] = {"gap": WIDE_GAP, "significant gap": 0.0}
    for probe, least in limits.items():
        end = "value" if probe == "gap" else "low"
        found = [value > least for each in (mine, *others) if (value := getattr(each, end)) is not None]
        has_own = getattr(mine, end) is not None
        yield ProbeCheck(
            model=model, probe=probe, n_seen=int(has_own), found_seen=int(has_own and found[0]),
            n_rest=len(found) - has_own, found_rest=sum(found[has_own:]),
            value=mine.value, low=mine.low, high=mine.high,
        )  # fmt: skip


def _drawn(items: list[str], share: SeenShare) -> Bools:
    return np.array([share.has_seen(item) for item in items], dtype=np.bool_)


def _scores(items: list[str], results: Results) -> dict[str, Floats]:
    """Return (items,) the scores of each contestant, 0-100; NaN where it has none."""
    place = {item: number for number, item in enumerate(items)}
    scores: dict[str, Any] = {}
    for row in results.items:
        if row.score is not None:
            scores.setdefault(row.model, np.full(len(items), np.nan))[place[row.item]] = row.score
    return scores
