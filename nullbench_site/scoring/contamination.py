"""What contestants know of the items of a board: canaries that they complete, their scores on items that a corpus has,
and what these probes find of a program that has seen a known share of the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from nullbench_site.programs import all_programs
from nullbench_site.programs.seen import SeenShare
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import ProbeAnswer
from nullbench_site.scoring.contamination_tables import CanaryRow, ContaminationProbe, OverlapRow, ProbeCheck
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.canaries import canaries_of
from nullbench_site.specs.item_texts import item_texts
from nullbench_site.specs.types import PROGRAMS, RECORDED, BoardFile, ModelFile, OverlapFile
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.contamination import joint_gaps
from nullbench_site.stats.inflation import NONE_CLEAN, WIDE_GAP, Inflation, inflation
from nullbench_site.stats.overlap import Overlap, words

NOT_TRAINED = "does not apply: a program is not trained"
IMPORTED = "not measurable here: its answers were imported, so it cannot be asked"
NOT_ASKED = "not asked in this run"


def canary_rows(benchmark: Benchmark, board: BoardFile, folder: RunFolder) -> list[CanaryRow]:
    """Return a row for each contestant of a board that asks for canaries; none for other boards."""
    if not board.ask_canaries:
        return []
    canaries = {canary.file: canary for canary in canaries_of(benchmark, board)}
    rows = []
    for model in benchmark.contestants(board):
        answers = [
            (canaries[each.item], each)
            for each in folder.records(ProbeAnswer, model.id)
            if each.board == board.id and each.item in canaries
        ]
        answered = [(canary, each.text) for canary, each in answers if each.state == "answered"]
        rows.append(
            CanaryRow(
                model=model.id,
                n_canaries=len(canaries),
                n_answered=len(answered),
                n_errored=len(answers) - len(answered),
                n_completed=sum(canary.is_completed_by(text) for canary, text in answered),
                completed=sorted(canary.file for canary, text in answered if canary.is_completed_by(text)),
                absent=None if answered else _absent(model, failed=bool(answers)),
            )
        )
    return rows


def _absent(model: ModelFile, *, failed: bool) -> str:
    """Return why a contestant has no answer."""
    if failed:
        return "every call failed"
    return {PROGRAMS: NOT_TRAINED, RECORDED: IMPORTED}.get(model.backend, NOT_ASKED)


def overlap_rows(
    scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats], found: OverlapFile
) -> Iterator[OverlapRow]:
    """Yield a row for each contestant. scores: (items,) of each, 0-100, NaN without an answer that counts."""
    states = {item.id: found.contaminated(item) for item in found.items}
    of_items = [states.get(placed.id) for placed in scorer.layout.placed]
    tested, contaminated = np.array([state is not None for state in of_items]), np.array([*map(bool, of_items)])
    strata = scorer.strata
    bounds = _gap_bounds(scorer, scores, tested, contaminated)
    for model, own in scores.items():
        testable = np.where(tested, own, np.nan)
        made = inflation(testable, contaminated, strata.clusters, SCALE)
        clean = strata.mean(np.where(contaminated, np.nan, testable), SCALE)
        unsure = clean.reason is not None
        reasons = {
            "p_mem": made.memorised.reason,
            "p_clean": made.clean.reason,
            "gap": made.gap.reason,
            "delta_c": made.inflation.reason,
            "clean": NONE_CLEAN if made.rate == 1 else clean.reason,
        }
        yield OverlapRow(
            model=model,
            n_tested=int((~np.isnan(testable)).sum()),
            n_contaminated=int((contaminated & ~np.isnan(testable)).sum()),
            rate=made.rate,
            p_mem=made.memorised.value,
            p_mem_low=made.memorised.low,
            p_mem_high=made.memorised.high,
            p_clean=made.clean.value,
            p_clean_low=made.clean.low,
            p_clean_high=made.clean.high,
            gap=made.gap.value,
            gap_low=made.gap.low,
            gap_high=made.gap.high,
            gap_bound=bounds.get(model, msgspec.UNSET),
            wide=None if made.gap.value is None else made.gap.value > WIDE_GAP,
            delta_c=made.inflation.value,
            delta_c_low=made.inflation.low,
            delta_c_high=made.inflation.high,
            clean=clean.value,
            clean_low=None if unsure else clean.low,
            clean_high=None if unsure else clean.high,
            absent={name: why for name, why in reasons.items() if why is not None},
        )


def _gap_bounds(
    scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats], tested: Bools, contaminated: Bools
) -> dict[str, float]:
    """Return the joint lower bound of the gap of each model that is tested. Programs are not trained, so none is."""
    models = [model for model in scores if scorer.benchmark.models[model].backend != PROGRAMS]
    if not models or not contaminated.any():
        return {}
    table = np.where(tested, np.array([scores[model] for model in models]), np.nan)
    found = joint_gaps(table, contaminated, scorer.strata.clusters)
    return {model: gap.low for model, gap in zip(models, found, strict=True) if gap.low is not None}


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
