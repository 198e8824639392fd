"""How much scores depend on the judges of the panel, and leads on single items and judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, pairwise
from typing import Any, get_args

import numpy as np

from nullbench_site.scoring.board_tables import Component, Difference, DrawnAgain, ErrorKind, ScoreError
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.ranking import SCALE, Strata, Tested, few_items
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.specs.types import RECORDED
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import LEVEL, Means, difference_ends, differences_of, interval, quantile
from nullbench_site.stats.judges import mean_of_known
from nullbench_site.stats.measure import LEAST_CLUSTERS, Measure, PanelKind, Robustness
from nullbench_site.stats.panel import (
    NO_SAMPLE,
    ONE_JUDGE,
    SAME_OF_ALL,
    Study,
    crossed_study,
    jackknife_variance,
    panel_errors,
    severity_adjustment,
)
from nullbench_site.stats.ranking import TIE_DECIMALS
from nullbench_site.stats.robustness import (
    Fragility,
    fewest_items,
    robustness,
)
from nullbench_site.stats.sequential import NO_BOUND

EVERY_PAIR = 32
"""The most ranked contestants for which results contain all pairs.

With more contestants, or with too many items for one array, they contain the pairs of neighbours only.
"""
_CELLS = 4_000_000
"""The most numbers in an array at a time."""
NO_JUDGE = "no judge scores on this board"
FEW_IN_COMMON = "fewer than two judges score both"
NO_JUDGE_COUNTS = "no judge of the panel counts in the score"
POOLED = "the score of an item is one of all its samples"
ONE_WORDING = "one wording of the prompt"
OVER_WORDINGS = "the score of an item is a mean over wordings"
_ERRORS: tuple[ErrorKind, ...] = get_args(ErrorKind)
_OVER: tuple[DrawnAgain, ...] = get_args(DrawnAgain)
SAME_BELOW = 10.0**-TIE_DECIMALS
"""In points: a smaller standard error for the choice of judges is 0 up to rounding."""


def panel_kind(scorer: Scorer[Any, Any, Any]) -> PanelKind:
    """Return the kind of a board's panel. Judges in several wordings, or with recorded verdicts, are mixed."""
    judges = [scorer.benchmark.judges[judge] for judge in scorer.judges]
    if len(judges) < 2:
        return "one" if judges else "none"
    wordings = {getattr(judge, "template", None) for judge in judges}
    other = any(judge.is_program or judge.backend == RECORDED for judge in judges)
    return "mixed" if other or len(wordings) > 1 else "models"


@dataclass(frozen=True)
class ByJudge:
    """The scores of a contestant by parts of the panel, 0-100; NaN where those judges gave none.

    judges: (judges,) whether each may judge the contestant and did. alone: (judges, items, draws) by one judge alone.
    without: (judges, items) by the panel without one judge; the score by the whole panel if that judge does not judge
    the contestant.
    """

    judges: Bools
    alone: Floats
    without: Floats

    @classmethod
    def of(cls, scorer: Scorer[Any, Any, Any], observations: Observations, contestant: Contestant) -> ByJudge | None:
        """Return None for a contestant without an answer to some item, which has no rank."""
        everybody, items = frozenset(scorer.judges), len(scorer.layout.placed)
        if not observations.present.reshape(items, -1).any(axis=1).all():
            return None
        if not everybody:
            return cls(np.zeros(0, np.bool_), np.empty((0, items, 1)), np.empty((0, items)))

        @cache  # of two judges what one says alone is what the panel says without the other
        def by(judges: frozenset[str]) -> Floats:
            return scorer.scores_by(observations, contestant, judges)

        alone = np.array([by(frozenset({judge})) for judge in scorer.judges])
        judged: Bools = ~np.isnan(alone).all(axis=(1, 2))
        left = [everybody - {judge} if has else everybody for judge, has in zip(scorer.judges, judged, strict=True)]
        without = np.array([mean_of_known(by(judges), axis=-1) for judges in left])
        return cls(judged, alone, without)

    @cached_property
    def alone_by_item(self) -> Floats:
        """(judges, items) the same as `alone`, averaged over draws."""
        return mean_of_known(self.alone, axis=-1)


@dataclass(frozen=True)
class OtherJudges:
    """Differences by other panels than the whole one; each field is (k,).

    common: how many judges score both. same_sign: under how many of these, alone, the difference has its sign. low,
    high: the ends of the panel's interval, as `robustness` takes them. robust: whether the difference is robust to the
    panel.
    """

    common: Ints
    same_sign: Ints
    low: Floats
    high: Floats
    robust: list[Robustness]


@dataclass(frozen=True)
class PanelStudy:
    """The contestants of a board by parts of its panel, and the differences of any two of them.

    scores: (items,) by the whole panel, for each contestant. by_judge: the same by parts of the panel. Both contain
    every contestant with an answer to each item, including null models. null_models: those of the board. reach: as in
    `Ranking`.
    """

    scorer: Scorer[Any, Any, Any]
    scores: Mapping[str, Floats]
    by_judge: Mapping[str, ByJudge]
    null_models: Collection[str]
    reach: Mapping[str, float]

    @property
    def judges(self) -> Sequence[str]:
        return self.scorer.judges

    @property
    def strata(self) -> Strata:
        return self.scorer.strata

    @cached_property
    def kind(self) -> PanelKind:
        return panel_kind(self.scorer)

    @cached_property
    def items(self) -> list[str]:
        """The ids of the items, by number."""
        return [placed.id for placed in self.scorer.layout.placed]

    def put_intervals(self, rows: Collection[Row]) -> None:
        """Put the panel's interval into the rows of the whole board.

        Judges that are a sample give the second interval, on items and judges like these. Others give the range of the
        scores with one judge left out.
        """
        if not self.judges:
            return
        measured: list[Row] = []
        for row in rows:
            row.panel_se = row.panel_low = row.panel_high = None
            if (why := self._no_panel_interval(row)) is None:
                measured.append(row)
            else:
                row.absent |= dict.fromkeys(("panel_se", "panel_low"), why)
        if not measured:
            return
        judged = [self.by_judge[row.model] for row in measured]
        theta = self.strata.means(np.concatenate([each.without for each in judged])).value.reshape(len(measured), -1)
        theta[~np.array([each.judges for each in judged])] = np.nan
        if self.kind == "mixed":
            ends = np.round([np.nanmin(theta, axis=1), np.nanmax(theta, axis=1)], TIE_DECIMALS)
            for row, low, high in zip(measured, *ends.tolist(), strict=True):
                row.panel_low, row.panel_high, row.absent["panel_se"] = low, high, NO_SAMPLE
            return
        variances = jackknife_variance(theta)
        score, se, df = np.array([(row.score, row.se, row.df) for row in measured], dtype=np.float64).T
        errors, half = panel_errors(se, df, variances, np.array([each.judges.sum() for each in judged]))
        # The interval takes the error that gives this width at the degrees of freedom of items.
        clusters = np.full(len(measured), np.unique(self.strata.clusters).size)
        low, high = interval(score, half / quantile(LEVEL, df), df, clusters, SCALE)
        columns = zip(measured, variances.tolist(), errors.tolist(), low.tolist(), high.tolist(), strict=True)
        for row, variance, error, least, most in columns:
            if variance**0.5 < SAME_BELOW:
                row.absent |= dict.fromkeys(("panel_se", "panel_low"), SAME_OF_ALL)
                continue
            row.panel_se = error
            if row.ci_low is None:
                row.absent["panel_low"] = row.absent["ci_low"]
            else:
                row.panel_low, row.panel_high = least, most

    def _no_panel_interval(self, row: Row) -> str | None:
        if not row.compared:
            return row.absent["rank"]
        if self.kind == "models" and row.se is None:
            return row.absent["se"]
        return self._too_few(row.model)

    def _too_few(self, *models: str) -> str | None:
        """Return why these contestants have no interval for other judges; None if they have one."""
        judges = min(int(self.by_judge[model].judges.sum()) for model in models)
        return None if judges > 1 else ONE_JUDGE if judges else NO_JUDGE_COUNTS

    def robustness(self, pairs: Sequence[tuple[str, str]]) -> list[Robustness]:
        """Return whether the difference of each pair is robust to the panel. Both contestants are in `by_judge`."""
        chunks = (self._others(chunk, self._apart(chunk)) for chunk in self._chunks(pairs))
        return [robust for chunk in chunks for robust in chunk.robust]

    def _others(self, pairs: Sequence[tuple[str, str]], averages: Means) -> OtherJudges:
        """Compute the differences of pairs by other panels. averages: those by the whole panel."""
        k, judges = len(pairs), len(self.judges)
        both = [(self.by_judge[a], self.by_judge[b]) for a, b in pairs]
        means = self.strata.means
        alone, left_out = (
            means(np.concatenate([getattr(a, part) - getattr(b, part) for a, b in both])).value.reshape(k, judges)
            if judges
            else np.empty((k, 0))
            for part in ("alone_by_item", "without")
        )
        score_both = np.array([a.judges & b.judges for a, b in both])
        score_one = np.array([a.judges | b.judges for a, b in both])
        alone[~score_both], left_out[~score_one] = np.nan, np.nan
        low, high = np.full((2, k), np.nan)
        told = score_both.sum(axis=1) > 1
        if self.kind == "mixed":
            low[told], high[told] = np.nanmin(left_out[told], axis=1), np.nanmax(left_out[told], axis=1)
        elif self.kind == "models":
            told &= ~np.isnan(averages.se) & (averages.clusters >= LEAST_CLUSTERS)
            variance = jackknife_variance(left_out[told])
            half = np.full(k, np.nan)
            _, half[told] = panel_errors(averages.se[told], averages.df[told], variance, score_one[told].sum(axis=1))
            low, high = difference_ends(averages, half, SCALE[1] - SCALE[0])
        common = score_both.sum(axis=1)
        same_sign = (_signs(alone) == _signs(averages.value)[:, np.newaxis]).sum(axis=1)
        return OtherJudges(common, same_sign, low, high, robustness(self.kind, low, high, alone, common))

    def alone(self, models: Sequence[str]) -> Floats:
        """Return (models, judges) the scores of contestants by each judge alone; NaN if it does not judge them."""
        cells = self.strata.means(np.concatenate([self.by_judge[model].alone_by_item for model in models])).value
        return cells.reshape(len(models), -1)

    def put_adjusted(self, rows: Collection[Row]) -> None:
        """Put severity-adjusted scores into the rows of a board whose contestants have different judges.

        Rows of other boards get none. Severities are estimated from contestants that are not null models.
        """
        ranked = [row for row in rows if row.compared and row.model in self.by_judge]
        judged = np.array([self.by_judge[row.model].judges for row in ranked]).reshape(len(ranked), len(self.judges))
        if not ranked or (judged == judged[0]).all():
            return
        cells = self.alone([row.model for row in ranked])
        of_models = np.array([row.model not in self.null_models for row in ranked])
        gain = severity_adjustment(cells, of_models)
        for row in rows:
            row.overall_adjusted = None
            if row not in ranked:
                row.absent["overall_adjusted"] = row.absent.get("rank", "not ranked")
            elif isinstance(gain, str):
                row.absent["overall_adjusted"] = gain
            elif row.score is not None:
                row.overall_adjusted = float(np.clip(row.score + gain[ranked.index(row)], *SCALE))

    def crossed(self, ranked: Sequence[str]) -> dict[str, list[Component] | list[ScoreError]]:
        """Return the study of the contestants that are not null models, as fields of the results; empty without judges.

        Judges that are not a sample give no error for other judges.
        """
        models = [model for model in ranked if model not in self.null_models]
        if not self.judges or not models:
            return {}
        table = self._over_wordings(np.array([self.by_judge[model].alone for model in models]))
        study = crossed_study(table, self.strata.groups, self.strata.clusters, self.strata.weights)
        pooled = {"sample": POOLED, "sample x judge": POOLED} if self.scorer.board.samples > table.shape[3] else {}
        one_wording = len(self.scorer.board.wordings) == 1
        components = [
            Component(
                component=name,
                variance=measure.value,
                sd=None if measure.value is None else measure.value**0.5,
                absent=pooled.get(name, measure.reason),
            )
            for name, measure in study.components.items()
        ] + [
            Component(
                component="template", variance=None, sd=None, absent=ONE_WORDING if one_wording else OVER_WORDINGS
            )
        ]
        errors = [
            self._score_error(error, over, study, at, place)
            for at, error in enumerate(_ERRORS)
            for place, over in enumerate(_OVER)
        ]
        return {"components": components, "score_errors": errors}

    def _over_wordings(self, alone: Floats) -> Floats:
        """Return scores of (contestants, judges, items, draws) averaged over wordings, so that draws are samples."""
        board = self.scorer.board
        if len(board.wordings) == 1 or alone.shape[3] < board.draws:
            return alone
        return mean_of_known(np.moveaxis(alone.reshape(*alone.shape[:3], -1, board.samples), 3, 4), axis=-1)

    def _score_error(self, error: ErrorKind, over: DrawnAgain, study: Study, at: int, place: int) -> ScoreError:
        """Return a row of `Study`: the error at a place, and what one more item or judge would make of it.

        Judges that are not a sample give no error for other judges, and one more of them need not be like these.
        """
        no_sample = Measure.undefined(NO_SAMPLE)
        own, item, judge = (of[at][place] for of in (study.errors, study.one_more_item, study.one_more_judge))
        if self.kind == "mixed":
            judge = no_sample
            own, item = (no_sample, no_sample) if over == "items and judges" else (own, item)
        return ScoreError(
            error=error, over=over, error_points=own.value, one_more_item=item.value, one_more_judge=judge.value,
            absent=own.reason,
        )  # fmt: skip

    def pairs(self, ranked: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs that the results contain. ranked: best first."""
        every = len(ranked) <= EVERY_PAIR and len(ranked) * (len(ranked) - 1) // 2 <= self._pairs_at_a_time
        return list(combinations(ranked, 2) if every else pairwise(ranked))

    def of_the_first(self, ranked: Sequence[str]) -> list[tuple[str, str]]:
        """Return the pairs of the first contestant that is not a null model with each other one. ranked: best first."""
        models = [model for model in ranked if model not in self.null_models]
        return [(models[0], other) for other in models[1:]]

    def differences(
        self, pairs: Sequence[tuple[str, str]], tested: Tested, *, whole: bool = True, repeated: bool = False
    ) -> list[Difference]:
        """Return the differences of pairs, the first contestant minus the second, in the order of `pairs`.

        whole: whether to compute the fewest items that undo each difference, too. repeated: whether intervals are
        repeated ones, which hold together wherever a build stops, by the critical value of `tested`.
        Source: Jennison & Turnbull (1989), Interim analyses: the repeated confidence interval approach, JRSS B 51.
        """
        level = 1 - (tested.alpha or 0.0) if repeated else LEVEL
        return [
            row for some in self._chunks(pairs) for row in self._differences(some, tested, whole=whole, level=level)
        ]

    def _chunks(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
        at_a_time = self._pairs_at_a_time
        return (pairs[start : start + at_a_time] for start in range(0, len(pairs), at_a_time))

    def _apart(self, pairs: Sequence[tuple[str, str]]) -> Means:
        """Return the differences of pairs by the whole panel."""
        each = np.array([self.scores[a] - self.scores[b] for a, b in pairs])
        return self.strata.means(each).beyond(np.hypot(*np.array([[self.reach[a], self.reach[b]] for a, b in pairs]).T))

    def _differences(
        self, pairs: Sequence[tuple[str, str]], tested: Tested, *, whole: bool, level: float
    ) -> Iterator[Difference]:
        averages = self._apart(pairs)
        others = self._others(pairs, averages)
        apart = differences_of(averages, SCALE, level if level < 1 else LEVEL)
        each = np.array([self.scores[a] - self.scores[b] for a, b in pairs])
        fewest = self._fewest(each, few_items(len(self.items))) if whole else None
        for place, ((a, b), estimate) in enumerate(zip(pairs, apart, strict=True)):
            # Sums of equal scores may differ in the last bit.
            value = None if estimate.value is None else round(estimate.value, TIE_DECIMALS) or 0.0
            row = Difference(
                a=a, b=b, value=value, se=estimate.se, df=estimate.df, low=estimate.low, high=estimate.high,
                significant=tested.significant(a, b), robustness=others.robust[place], absent={},
            )  # fmt: skip
            if estimate.reason is not None:
                row.absent["low"] = estimate.reason
            elif level >= 1:
                row.low, row.high, row.absent["low"] = None, None, NO_BOUND
            if tested.found.reason is not None:
                row.absent["significant"] = tested.found.reason
            self._put_others(row, others, place)
            if fewest is not None:
                self._put_fragile(row, fewest[place])
            yield row

    def _put_others(self, row: Difference, others: OtherJudges, place: int) -> None:
        """Put in the number of judges under which, alone, the difference has its sign, and the panel's interval."""
        if not self.judges:
            row.absent |= dict.fromkeys(("judges", "panel_low"), NO_JUDGE)
            return
        row.judges, row.judges_alone = int(others.common[place]), int(others.same_sign[place])
        low, high = float(others.low[place]), float(others.high[place])
        if not np.isnan(low):
            row.panel_low, row.panel_high = (round(end, TIE_DECIMALS) or 0.0 for end in (low, high))
        else:
            few = FEW_IN_COMMON if row.judges < 2 else row.absent.get("low", "no standard error")
            row.absent["panel_low"] = self._too_few(row.a, row.b) or few

    def _fewest(self, differences: Floats, limit: int) -> list[Fragility | None]:
        return fewest_items(differences, self.strata.groups, limit=limit, weights=self.strata.weights)

    def _put_fragile(self, row: Difference, fewest: Fragility | None) -> None:
        """Put in the fewest items without which the first no longer leads."""
        if fewest is None:
            few = few_items(len(self.items))
            row.absent["fragile_items"] = f"more than {few} items" if few < len(self.items) else "no choice of items"
        else:
            row.n_fragile, row.fragile_items = len(fewest.items), [self.items[place] for place in fewest.items]

    @property
    def _pairs_at_a_time(self) -> int:
        return max(1, _CELLS // (len(self.items) * (1 + 2 * len(self.judges))))


def _signs(values: Floats) -> Floats:
    """Return the signs of differences; 0 for those that are equal up to rounding."""
    signs: Floats = np.sign(np.round(values, TIE_DECIMALS))
    return signs
