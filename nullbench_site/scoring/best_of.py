"""What the judges of a board pick of several answers to an item, where the keys of another board tell the truth."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response
from nullbench_site.scoring.best_of_tables import BestOfFitRow, BestOfRow
from nullbench_site.scoring.observations import Observations, ShardReader, observe
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, JudgedBoardFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.best_of_n import ONE_CURVE, BestOfN, best_of_n, kl_bound


def keys_of(benchmark: Benchmark, board: BoardFile) -> BoardFile | None:
    """Return a board without judges whose keys mark the items of this board; None without one."""
    others = (other for other in benchmark.boards.values() if not isinstance(other, JudgedBoardFile))
    return next((other for other in others if set(board.domains) <= set(other.domains)), None)


def best_of_tables(
    benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None
) -> dict[str, list[Any]]:
    """Return the tables of a judged board with several samples and one wording; {} for others, and without keys.

    Items count if a contestant has a score and a mark of each of its answers. Private items do not: their marks could
    not be recomputed elsewhere. Null models do not: what they answer is no sample of a model's answers.
    """
    if not isinstance(board, JudgedBoardFile) or board.samples < 2 or board.draws != board.samples:
        return {}
    keys = keys_of(benchmark, board)
    if keys is None:
        return {}
    scorer, one = (scorer_of(benchmark, each) for each in (board, msgspec.structs.replace(board, samples=1)))
    null = {model.id for model in benchmark.contestants(board) if model.kind == "null"}
    tables: dict[str, list[Any]] = {"best_of": [], "best_of_fits": []}
    for observed in observe(ShardReader(scorer), folder, cache):
        if observed.model in null or scorer.n_draws(observed.model) != board.samples:
            continue
        marks = _marks(benchmark, board, keys, folder, observed.model)
        for judge in (*([None] if len(scorer.judges) > 1 else []), *scorer.judges):
            scores = _scores(one, observed, board.samples, scorer.judges if judge is None else [judge])
            if not np.isnan(scores + marks).any(axis=1).all():
                rows, fit = _rows(scorer, observed.model, judge, scores, marks)
                tables["best_of"] += rows
                tables["best_of_fits"].append(fit)
    return tables if tables["best_of"] else {}


def _scores(one: Scorer[Any, Any, Any], observed: Observations, samples: int, judges: Collection[str]) -> Floats:
    """Return (items, samples) the score of each answer by some judges. one: the scorer of the board with one sample."""
    units = np.arange(observed.present.size).reshape(-1, samples)
    columns = []
    for own in units.T:
        each = observed.at(own)
        columns.append(one.scores_by(each, one.reduce(each), judges)[:, 0])
    return np.stack(columns, axis=1)


def _marks(benchmark: Benchmark, board: BoardFile, keys: BoardFile, folder: RunFolder, model: str) -> Floats:
    """Return (items, samples) the mark of each answer of a contestant by the keys of another board, 0-100."""
    same = {name: getattr(board, name) for name in ("id", "domains", "templates", "contestants")}
    of_keys = msgspec.structs.replace(keys, **same, first_template_only=(), samples=1)
    scorer = scorer_of(benchmark, of_keys)
    reader, protocol = ShardReader(scorer), judging(keys.protocol)
    placed = {each.id: each for each in scorer.layout.placed if not each.private}
    answers: list[list[Response]] = [[] for _ in range(board.samples)]
    for response in folder.records(Response, model):
        if response.board == board.id and response.item in placed and 0 <= response.sample < board.samples:
            checked = protocol.checked(placed[response.item], response, execute=False)
            answers[response.sample].append(msgspec.structs.replace(checked, sample=0))
    marked = [scorer.item_scores(scorer.reduce(reader.observe_records(model, own, ()))) for own in answers]
    return np.stack(marked, axis=1)


def _rows(
    scorer: Scorer[Any, Any, Any], model: str, judge: str | None, scores: Floats, marks: Floats
) -> tuple[list[BestOfRow], BestOfFitRow]:
    items = np.flatnonzero(~np.isnan(scores + marks).any(axis=1))
    scores, marks, strata = scores[items], marks[items], scorer.strata.of(items)
    seed = scorer.board.bootstrap.seed
    found = best_of_n(scores, marks, strata.groups, strata.clusters, seed, weights=strata.weights)
    rows = []
    for n, (proxy, gold) in enumerate(zip(found.proxy, found.gold, strict=True), start=1):
        columns: dict[str, Any] = {}
        for name, of in (("proxy", proxy), ("gold", gold)):
            columns |= {name: of.value, f"{name}_low": of.low, f"{name}_high": of.high}
        rows.append(BestOfRow(model=model, judge=judge, n_picked_of=n, kl_bound=float(kl_bound(n)), **columns))
    fit = BestOfFitRow(
        model=model,
        judge=judge,
        n_samples=marks.shape[1],
        n_items=len(items),
        n_clusters=found.gold[0].clusters,
        no_choice=float((np.ptp(scores, axis=1) < 1e-9).mean()),
        absent={},
    )
    for name, value in _fitted(found):
        setattr(fit, name, value.value)
        setattr(fit, f"{name}_low", value.low)
        setattr(fit, f"{name}_high", value.high)
        if value.reason is not None:
            fit.absent[name] = value.reason
    for name, form in (("fit", "square"), ("log", "log")):
        if form in found.fits:
            setattr(fit, f"{name}_error", found.fits[form].error)
        else:
            fit.absent[f"{name}_alpha"] = ONE_CURVE
    return rows, fit


def _fitted(found: BestOfN) -> Iterator[tuple[str, Any]]:
    """Yield each number of a fit that has an interval, by the name of its column."""
    yield "gain", found.gain
    yield "peak_n", found.peak
    yield "proxy_gold", found.correlation
    for name, form in (("fit", "square"), ("log", "log")):
        if form in found.fits:
            yield f"{name}_alpha", found.fits[form].alpha
            yield f"{name}_beta", found.fits[form].beta
