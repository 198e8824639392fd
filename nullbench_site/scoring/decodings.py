"""The scores of one model under other seeds and temperatures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

import msgspec
import numpy as np

from nullbench_site.scoring.ranking import SCALE, Strata
from nullbench_site.scoring.wording_tables import DecodingEffect
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import PROGRAMS, RECORDED, BoardFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import LEVEL
from nullbench_site.stats.wording import variance_factor


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
