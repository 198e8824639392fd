"""The scores and ranks of contestants by wording of the prompt, in two formats, and at other temperatures and seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby
from math import isnan, sqrt
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np

from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.ranking import SCALE, Ranking, Strata
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.scoring.wording_tables import (
    DecodingEffect,
    FormatDifference,
    RankStability,
    WordingEffect,
    WordingRank,
    WordingRow,
)
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import PROGRAMS, RECORDED, BoardFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import LEVEL, paired_difference
from nullbench_site.stats.trust import HIGH_SIGMA
from nullbench_site.stats.wording import items_needed, kendall_tau, mean_squares, sigma_prompt, variance_factor

OF_ALL_GAMES = "the games of all wordings make one score"


class Wordings:
    """A board with several wordings, as one board for each."""

    def __init__(self, scorer: Scorer[Any, Any, Any]) -> None:
        self.scorer = scorer
        self.board: BoardFile = scorer.board
        boards = {name: msgspec.structs.replace(self.board, templates=(name,)) for name in self.board.wordings}
        self.alone = {name: scorer_of(scorer.benchmark, board) for name, board in boards.items()}

    def answered(self, model: str) -> tuple[str, ...]:
        """Return the wordings that a contestant answers."""
        return self.board.wordings_for(self.scorer.benchmark.answerer(model))

    def scores(self, observations: Observations) -> Floats:
        """Return (wordings, items) the scores of a contestant in each wording that it answers, 0-100; NaN for none.

        All are NaN on a board whose scores depend on all contestants together.
        """
        n_items, answered = len(self.scorer.layout.placed), self.answered(observations.model)
        if self.scorer.together:
            return np.full((len(answered), n_items), np.nan)
        units = np.arange(n_items * self.board.draws).reshape(n_items, -1, self.board.samples)
        parts = (observations.at(units[:, place].ravel()) for place in range(len(answered)))
        each = zip(parts, (self.alone[name] for name in answered), strict=True)
        return np.array([alone.item_scores(alone.reduce(part)) for part, alone in each])

    def rows(self, scores: Mapping[str, Floats], rows: Mapping[str, Row]) -> Iterator[WordingRow]:
        """Yield a row for each contestant and wording. scores: by contestant; rows: of the whole board."""
        for model, row in rows.items():
            for template, of_items in zip(self.answered(model), scores[model], strict=True):
                n_items = int((~np.isnan(of_items)).sum())
                sure = self.scorer.strata.mean(of_items, SCALE)
                why = row.absent.get("se") or sure.reason
                if n_items < of_items.size:
                    why = OF_ALL_GAMES if self.scorer.together else f"{of_items.size - n_items} items have no score"
                    sure = replace(sure, value=None)
                made = WordingRow(model=model, template=template, n_items=n_items, overall=sure.value, absent={})
                if why is None:
                    made.se, made.df, made.ci_low, made.ci_high = sure.se, sure.df, sure.low, sure.high
                else:
                    made.absent["ci_low"] = why
                yield made

    def effects(self, scores: Mapping[str, Floats]) -> Iterator[WordingEffect]:
        """Yield a row for each contestant that answers several wordings, and each format. scores: as in `rows`."""
        formats = self.scorer.formats
        for model, by_wording in scores.items():
            if len(by_wording) > 1:
                for name in formats.in_order:
                    chosen = formats.of_item == formats.names.index(name)
                    yield self._effect(model, name if len(formats.names) > 1 else None, by_wording[:, chosen].T, chosen)

    def _effect(self, model: str, name: str | None, table: Floats, chosen: Bools) -> WordingEffect:
        n_items, n_wordings = table.shape
        made = WordingEffect(model=model, format=name, n_items=n_items, n_wordings=n_wordings)
        if self.scorer.together:
            made.absent = OF_ALL_GAMES
            return made
        strata = self.scorer.strata.of(chosen)
        found = sigma_prompt(table, strata.clusters, groups=strata.groups, weights=strata.weights)
        made.sigma, made.low, made.high, made.absent = found.value, found.low, found.high, found.reason
        if found.value is not None:
            squares = mean_squares(table, strata.clusters, groups=strata.groups, weights=strata.weights)
            made.ms_wording, made.ms_rest = squares.wording, squares.rest
            if not isnan(squares.rest) and found.high is not None:
                made.items_needed = items_needed(squares.rest, n_wordings, HIGH_SIGMA)
        return made

    def ranks(self, scores: Mapping[str, Floats], ranking: Ranking) -> list[WordingRank]:
        """Return the ranks in each wording; empty with fewer than two contestants to rank.

        scores: of the contestants that are compared on the board, null models included. A program has the same answers
        in each wording. Contestants that answer the first wording only are left out. ranking: of the whole board.
        """
        null_models = ranking.null_models
        models, k = self.scorer.benchmark.models, len(self.board.wordings)
        every = [model for model, of in scores.items() if len(of) == k or models[model].backend == PROGRAMS]
        if self.scorer.together or sum(model not in null_models for model in every) < 2:
            return []
        found = []
        for place, template in enumerate(self.board.wordings):
            here = {model: scores[model][place % len(scores[model])] for model in every}
            rows = ranking.ranked(here)
            found += [
                WordingRank(
                    template=template, model=model, overall=row.overall, rank=row.rank, rank_low=row.rank_low,
                    rank_high=row.rank_high, absent=row.absent.get("rank_low"),
                )
                for model, row in rows.items()
                if model not in null_models
            ]  # fmt: skip
        return found


def rank_stability(ranks: Sequence[WordingRank]) -> RankStability:
    """Return how far the order of contestants depends on the wording. ranks: as `Wordings.ranks` returns them."""
    table = np.array([[row.overall for row in rows] for _, rows in groupby(ranks, attrgetter("template"))], np.float64)
    n_wordings, n_models = table.shape
    first, second = np.triu_indices(n_models, 1)
    orders = np.sign(np.round(table[:, first] - table[:, second], 6))
    made = RankStability(
        n_models=n_models,
        n_wordings=n_wordings,
        pairs=first.size,
        reversed=int((orders != orders[0]).any(axis=0).sum()),
    )
    taus = [kendall_tau(one, other) for one, other in combinations(table, 2)]
    known = [tau.value for tau in taus if tau.value is not None]
    if len(known) < len(taus):
        made.absent = next(tau.reason for tau in taus if tau.reason is not None)
    else:
        made.tau_mean, made.tau_least = float(np.mean(known)), min(known)
    return made


def format_differences(scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats]) -> Iterator[FormatDifference]:
    """Yield a row for each two formats that have questions in common, and each contestant.

    scores: (items,) of each contestant, over its wordings and samples. Items of one question and format are averaged.
    """
    formats, (labels, of_item) = scorer.formats, np.unique(scorer.questions, return_inverse=True)
    for name, other in combinations(formats.in_order, 2):
        items = [np.flatnonzero(formats.of_item == formats.names.index(each)) for each in (name, other)]
        both = np.intersect1d(of_item[items[0]], of_item[items[1]])
        if not both.size:
            continue
        clusters = np.zeros(labels.size, np.int64)
        clusters[of_item] = scorer.strata.clusters
        for model, of in scores.items():
            ours, theirs = (_by_question(of[each], of_item[each], labels.size)[both] for each in items)
            apart = paired_difference(ours, theirs, None, clusters[both], scale=SCALE)
            known = ~np.isnan(ours - theirs)
            yield FormatDifference(
                model=model,
                format=name,
                other=other,
                n_questions=int(known.sum()),
                overall=float(ours[known].mean()) if known.any() else None,
                overall_other=float(theirs[known].mean()) if known.any() else None,
                value=apart.value,
                se=apart.se,
                low=apart.low if apart.reason is None else None,
                high=apart.high if apart.reason is None else None,
                absent=apart.reason,
            )


def _by_question(scores: Floats, question: Ints, n: int) -> Floats:
    """Return (n,) the mean score of the items of each question, NaN without an item or if one has no score."""
    with np.errstate(invalid="ignore"):
        mean: Floats = np.bincount(question, scores, n) / np.bincount(question, minlength=n)
    return mean


def decoding_effects(
    benchmark: Benchmark, board: BoardFile, scores: Mapping[str, Floats], strata: Strata
) -> Iterator[DecodingEffect]:
    """Yield a row for each model that a board has at several temperatures, and each temperature but the lowest.

    scores: (items,) of each contestant, in the first wording. Two contestants are one model if they differ in nothing
    but temperature and seed.
    """
    same: defaultdict[str, defaultdict[float, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in scores:
        model = benchmark.models[name]
        decoding = model.decoding or board.decoding
        if model.backend not in (PROGRAMS, RECORDED) and decoding.temperature is not None:
            params = {key: value for key, value in sorted(model.params.items()) if key != "seed"}
            rest = msgspec.structs.replace(decoding, temperature=None)
            same[repr((model.backend, model.endpoint, model.model, params, rest))][decoding.temperature].append(name)
    for by_temperature in same.values():
        (lowest, (base, *_)), *others = sorted(by_temperature.items())
        for temperature, models in others:
            yield _effect((lowest, temperature), [base, *models], scores, strata)


def _effect(
    temperatures: tuple[float, float], models: Sequence[str], scores: Mapping[str, Floats], strata: Strata
) -> DecodingEffect:
    """Return the row of some models. models: the first at the first temperature, the others at the second."""
    base, *models = models
    table = np.array([scores[model] for model in models])
    known = ~np.isnan(table).any(axis=0) & ~np.isnan(scores[base])
    apart = strata.difference(np.where(known, table.mean(axis=0), np.nan), scores[base], SCALE)
    one, *each = (strata.mean(np.where(known, of, np.nan), SCALE) for of in (scores[base], *table))
    values = [score.value for score in each if score.value is not None]
    made = DecodingEffect(
        base=base, base_temperature=temperatures[0], temperature=temperatures[1], models=models,
        n_items=int(known.sum()), overall_base=one.value, overall=float(np.mean(values)) if values else None,
        least=min(values, default=None), most=max(values, default=None), seed_sd=None, seed_low=None, seed_high=None,
        value=apart.value, se=apart.se, low=None, high=None, same=None, absent=apart.reason,
    )  # fmt: skip
    if apart.reason is None:
        made.low, made.high = apart.low, apart.high
    if values:
        made.same = float((table == scores[base]).all(axis=0)[known].mean())
    if len(values) > 1:
        made.seed_sd = float(np.std(values, ddof=1))
        tails = ((1 + LEVEL) / 2, (1 - LEVEL) / 2)
        made.seed_low, made.seed_high = (made.seed_sd * sqrt(variance_factor(tail, len(values) - 1)) for tail in tails)
    return made


def variation(
    ranking: Ranking,
    scorer: Scorer[Any, Any, Any],
    wordings: Wordings | None,
    by_wording: Mapping[str, Floats],
    rows: Mapping[str, Row],
) -> dict[str, Any]:
    """Return the tables of results over wordings, formats and decoding that this board has."""
    scores = ranking.scores
    tables: dict[str, Any] = {
        "format_differences": list(format_differences(scorer, scores)),
        "decoding_effects": list(
            decoding_effects(
                scorer.benchmark,
                scorer.board,
                {model: by_wording[model][0] if wordings else of for model, of in scores.items()},
                scorer.strata,
            )
        ),
    }
    if wordings is not None:
        of_rows = {model: by_wording[model] for model in rows}
        tables["wording_effects"] = list(wordings.effects(of_rows))
        compared = {model: of for model, of in of_rows.items() if rows[model].compared}
        if ranks := wordings.ranks(compared, ranking):
            tables |= {"wording_ranks": ranks, "rank_stability": rank_stability(ranks)}
    tables = {name: table for name, table in tables.items() if table}
    return tables if wordings is None else {**tables, "templates": list(wordings.rows(by_wording, rows))}
