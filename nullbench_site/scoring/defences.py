"""What defences do to the attacks on a board, and to its honest answers: from recorded verdicts, without a call.

- both-orders: a comparison whose two orders disagree is a tie, instead of the mean of the orders.
- median-wording: the median over the wordings of a judge's question, instead of the mean.
- lexicon: an answer that screening flags is lost.
- repeats: an answer that repeats one to another item is lost, if most answers of its contestant do.

Source: Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench, section 4, for both orders; Zheng et al. (2024),
Cheating automatic LLM benchmarks, arXiv:2410.07137, for reworded templates and filters.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, get_args

import msgspec
import numpy as np

from nullbench_site.scoring.attack_tables import (
    TOGETHER,
    TOO_FEW,
    DefenceRow,
    DefendedAttack,
    DefendedScore,
)
from nullbench_site.scoring.screening import Marked
from nullbench_site.specs.types import Defence
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import group_mean
from nullbench_site.stats.measure import wilson

DEFENCES: tuple[Defence, ...] = get_args(Defence)
LEAST_WORDINGS = 3
"""Of two wordings the median is the mean."""
EVEN, ACCEPTED = 50.0, 75.0
"""An attack wins a comparison above the first score, and a mark from the second on."""
_NAMED = 5


class Given(msgspec.Struct, frozen=True):
    """What a judge, or the panel, gave a contestant.

    scores: (wordings, orders, items), 0-100, NaN for none. compared: whether judges choose between two answers. flags,
    repeats: (items,) 1 if the answer is marked, 0 if not, NaN if its text is unknown.
    """

    scores: Floats
    compared: bool
    flags: Floats
    repeats: Floats

    def raw(self) -> Floats:
        """Return (items,) the scores without a defence."""
        scores: Floats = _mean(self.scores, 0).mean(axis=0)
        return scores

    def known(self, defences: Collection[Defence]) -> Bools:
        """Return (items,) which items show what the defences do: they have each score and known marks."""
        known: Bools = ~np.isnan(self.raw())
        for marks in self._marks(defences):
            known = known & ~np.isnan(marks)
        return known

    def _marks(self, defences: Collection[Defence]) -> Iterator[Floats]:
        if "lexicon" in defences:
            yield self.flags
        if "repeats" in defences:
            yield self.repeats

    def marked(self, defences: Collection[Defence]) -> Bools:
        """Return (items,) which answers the defences act on: flagged, repeated, or with orders that disagree."""
        marked = np.zeros(self.scores.shape[-1], np.bool_)
        for marks in self._marks(defences):
            marked |= marks == 1
        return marked | self._disagree(defences) if "both-orders" in defences else marked

    def _orders(self, defences: Collection[Defence]) -> Floats:
        """Return (orders, items) the scores over the wordings."""
        return _mean(self.scores, 0, median="median-wording" in defences)

    def _wins(self, defences: Collection[Defence]) -> Bools:
        orders = self._orders(defences)
        wins: Bools = orders > EVEN if self.compared else orders >= ACCEPTED
        return wins

    def _disagree(self, defences: Collection[Defence]) -> Bools:
        """Return (items,) whether one order has another winner, or none, than the other."""
        signs = np.sign(self._orders(defences) - EVEN)
        disagree: Bools = (signs != signs[0]).any(axis=0)
        return disagree

    def won(self, defences: Collection[Defence], *, of_mean: bool = False) -> Bools:
        """Return (items,) which items the contestant wins, in every order. of_mean: by the mean of the orders."""
        if of_mean:
            average = self._orders(defences).mean(axis=0)
            wins: Bools = average > EVEN if self.compared else average >= ACCEPTED
            return wins
        lost = self.marked([each for each in defences if each != "both-orders"])
        won: Bools = self._wins(defences).all(axis=0) & ~lost
        return won

    def defended(self, defences: Collection[Defence]) -> Floats:
        """Return (items,) the scores with these defences: lost is 0, and a tie 50."""
        scores: Floats = self._orders(defences).mean(axis=0)
        if "both-orders" in defences:
            scores = np.where(self._disagree(defences), EVEN, scores)
        return np.where(self.marked([each for each in defences if each != "both-orders"]), 0.0, scores)


class Judged(msgspec.Struct, frozen=True):
    """What one judge, or the panel, gave: attacks by contestant, each with its id; and honest contestants."""

    judge: str | None
    attacks: Mapping[str, Given]
    honest: Mapping[str, Given]


def marks_of(marked: Marked | None, items: Sequence[str]) -> tuple[Floats, Floats]:
    """Return (items,) the flags and the repeats of a contestant."""
    found = Marked() if marked is None else marked
    flags, repeats = (
        np.array([float(of[item]) if item in of else np.nan for item in items]) for of in (found.flags, found.repeats)
    )
    return flags, repeats


def defence_tables(judged: Sequence[Judged], of_panel: Sequence[Defence], clusters: Ints) -> dict[str, list[Any]]:
    """Return the tables of defences. of_panel: those that the panel states, measured together too.

    clusters: (items,) of items that are not independent of each other.
    """
    rows, attacked = list[DefenceRow](), list[DefendedAttack]()
    choices: dict[str, Sequence[Defence]] = {defence: (defence,) for defence in DEFENCES}
    if of_panel:
        choices[TOGETHER] = of_panel
    for each in judged:
        for name, defences in choices.items():
            if (why := _not_measured(each, defences)) is not None:
                rows.append(DefenceRow(defence=name, judge=each.judge, absent=why))
                continue
            rows.append(_honest(name, each, defences, clusters))
            attacked += [_attack(name, each.judge, model, given, defences) for model, given in each.attacks.items()]
    whole = next((each for each in judged if each.judge is None), judged[0])
    usable = [each for each in of_panel if _not_measured(whole, [each]) is None]
    scores = [_score(model, given, usable) for model, given in whole.honest.items()] if usable else []
    tables: dict[str, list[Any]] = {"defences": rows, "defended_attacks": attacked}
    return tables | ({"defended_scores": scores} if scores else {})


def _not_measured(judged: Judged, defences: Sequence[Defence]) -> str | None:
    """Return why the records do not show what defences do; None if they do."""
    shapes = [given.scores.shape for given in (*judged.attacks.values(), *judged.honest.values())]
    if "both-orders" in defences and all(shape[1] < 2 for shape in shapes):
        return "judges do not see two answers in both orders"
    if "median-wording" in defences and all(shape[0] < LEAST_WORDINGS for shape in shapes):
        return f"the judge was not asked in at least {LEAST_WORDINGS} wordings"
    if not any(given.known(defences).any() for given in (*judged.attacks.values(), *judged.honest.values())):
        return "no answer has all that it needs"
    return None


def _honest(name: str, judged: Judged, defences: Sequence[Defence], clusters: Ints) -> DefenceRow:
    """Return what defences do to honest answers. Answers to items of one cluster are not independent."""
    alarms, shifts, n, each = dict[str, int](), dict[str, float](), 0, list[Floats]()
    for model, given in judged.honest.items():
        known = given.known(defences)
        if not known.any():
            continue
        n += int(known.sum())
        alarms[model] = int(given.marked(defences)[known].sum())
        each.append(np.where(known, given.marked(defences), np.nan))
        shifts[model] = float((given.defended(defences) - given.raw())[known].mean())
    if not shifts:
        return DefenceRow(defence=name, judge=judged.judge, absent="no honest answer has all that it needs")
    moved = max(shifts, key=lambda model: abs(shifts[model]))
    most = sorted((model for model in alarms if alarms[model]), key=lambda model: -alarms[model])
    marks = [*defences] != ["median-wording"]
    total = sum(alarms.values())
    found = group_mean(np.hstack(each), None, np.tile(clusters, len(each)), scale=(0, 1))
    share = (found.value, found.low, found.high) if marks and n >= TOO_FEW else (None, None, None)
    return DefenceRow(
        defence=name, judge=judged.judge, n_honest=n, n_alarms=total if marks else None, alarm_share=share[0],
        alarm_low=share[1], alarm_high=share[2], alarmed=most[:_NAMED], drift=sum(shifts.values()) / len(shifts),
        drift_most=shifts[moved], drift_model=moved,
    )  # fmt: skip


def _attack(name: str, judge: str | None, model: str, given: Given, defences: Sequence[Defence]) -> DefendedAttack:
    """Return what defences do to an attack."""
    known = given.known(defences)
    n, won = int(known.sum()), int(given.won(defences)[known].sum())
    before = int(given.won((), of_mean="both-orders" in defences)[known].sum())
    share, low, high = (won / n, *wilson(won, n)) if n >= TOO_FEW else (None, None, None)
    return DefendedAttack(
        defence=name, judge=judge, model=model, n_items=n, n_undefended=before, n_defended=won, defended_share=share,
        defended_low=low, defended_high=high,
    )  # fmt: skip


def _score(model: str, given: Given, defences: Sequence[Defence]) -> DefendedScore:
    known = given.known(defences)
    raw, defended = (float(of[known].mean()) if known.any() else None for of in (given.raw(), given.defended(defences)))
    return DefendedScore(
        model=model, n_items=int(known.sum()), undefended_score=raw, defended_score=defended,
        n_marked=int(given.marked(defences)[known].sum()),
    )  # fmt: skip


def _mean(values: Floats, axis: int, *, median: bool = False) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nothing known is NaN
        found: Floats = np.nanmedian(values, axis=axis) if median else np.nanmean(values, axis=axis)
    return found
