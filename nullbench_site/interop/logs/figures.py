"""The figures that a log states: apply its reducer to the samples of an item, and compare its means with ours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb, isclose
from statistics import fmean, median

from nullbench_site.interop.logs.log import Log, Sample
from nullbench_site.text import plural, quoted

MEAN = "mean"
_OF_K = re.compile(r"(at_least|pass_at)_([1-9][0-9]{0,3})")
_SAME = {"mean_score": "mean", "avg": "mean", "max_score": "max", "median_score": "median", "mode_score": "mode"}
_RELATIVE, _ABSOLUTE = 1e-3, 1e-4
"""Stated figures are often rounded to four digits; a larger difference is named."""


def reduced(values: Sequence[float], reducer: str) -> float | None:
    """Return the score of an item from those of its samples; None for a reducer that is not known.

    pass_at_k is the unbiased estimate of Chen et al. (2021), "Evaluating large language models trained on code", 2.1;
    a sample passes with a score of 1.
    """
    name = _SAME.get(reducer, reducer)
    simple: dict[str, Callable[[Sequence[float]], float]] = {
        "mean": fmean, "max": max, "min": min, "median": median, "mode": _mode,
    }  # fmt: skip
    if name in simple:
        return float(simple[name](values))
    if (of_k := _OF_K.fullmatch(name)) is None:
        return None
    passed, wanted = sum(value >= 1 for value in values), int(of_k[2])
    if of_k[1] == "at_least":
        return float(passed >= wanted)
    failed, drawn = len(values) - passed, min(wanted, len(values))
    return 1 - comb(failed, drawn) / comb(len(values), drawn)


def _mode(values: Sequence[float]) -> float:
    return Counter(values).most_common(1)[0][0]


def reducer_of(log: Log, metric: str) -> str:
    """Return the reducer that a log states for a metric if it states a single known one, else the mean."""
    stated = {_SAME.get(each, each) for each in log.reducers.get(metric, ())}
    if len(stated) == 1 and reduced([0.0], name := stated.pop()) is not None:
        return name
    return MEAN


def scores(log: Log, metric: str) -> Mapping[str, float | None]:
    """Return the score of each item of a log in a metric; None for an item without a scored sample."""
    found: dict[str, list[float]] = {}
    for sample in log.samples:
        of_item = found.setdefault(sample.item, [])
        if metric in sample.scores:
            of_item.append(sample.scores[metric])
    reducer = reducer_of(log, metric)
    return {item: reduced(values, reducer) if values else None for item, values in found.items()}


def notes(log: Log, metric: str) -> Iterator[str]:
    """Yield a sentence for each difference between what a log states of a metric and what its samples give."""
    if log.means:
        return
    reducer, several = reducer_of(log, metric), _repeated(log.samples, metric)
    stated_reducers = list(dict.fromkeys(_SAME.get(each, each) for each in log.reducers.get(metric, ())))
    if several and reducer != MEAN:
        yield f"{log.file}: the score of an item is the {reducer} of its samples, as the log states."
    elif several and stated_reducers not in ([], [MEAN]):
        names = " and ".join(map(quoted, stated_reducers))
        noun = "reducer" if len(stated_reducers) == 1 else "reducers"
        yield f"{log.file}: the log states the {noun} {names}; here the score of an item is the mean of its samples."
    values = [value for value in scores(log, metric).values() if value is not None]
    stated = log.stated.get(metric)
    if stated is None or not values:
        return
    mean, over = fmean(values), f"over {plural(len(values), 'item')}"
    if stated.value is not None and not isclose(mean, stated.value, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
        where = f" over {plural(stated.items, 'item')}" if stated.items is not None else ""
        yield (
            f"{log.file}: the log states {quoted(metric)} = {stated.value:.4g}{where}; its samples give {mean:.4g} "
            f"{over}. The scores here are those of the samples."
        )
    elif stated.items is not None and stated.items != len(values):
        yield (
            f"{log.file}: the log states {quoted(metric)} over {plural(stated.items, 'item')}; its samples give it "
            f"{over}."
        )


def _repeated(samples: Sequence[Sample], metric: str) -> bool:
    """Return True if an item has several samples with a score."""
    items = [sample.item for sample in samples if metric in sample.scores]
    return len(set(items)) < len(items)
