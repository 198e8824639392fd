"""The biases of the judges of a board, as a table, and its scores corrected for the length of answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import msgspec
import numpy as np

from nullbench_site.judging.style import Marks
from nullbench_site.scoring.board_tables import BiasKind, BiasRow, LengthCorrected
from nullbench_site.scoring.observations import NO_TEXTS, Observations
from nullbench_site.scoring.panel import PanelStudy
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import ItemRow
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.specs.types import RECORDED
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.bias import (
    Scored,
    Slopes,
    corrected_items,
    none_of,
    self_preference,
    severity,
    within_slopes,
)
from nullbench_site.stats.estimate import Estimate, estimate_of
from nullbench_site.stats.judges import mean_of_known

KINDS: tuple[BiasKind, ...] = get_args(BiasKind)
FORM: tuple[BiasKind, ...] = ("verbosity", *Marks._fields)  # type: ignore[assignment]  # three of the kinds
"""The kinds that are slopes on features of answers, in the order of the features."""
ONE_AT_A_TIME = "does not apply: judges see one answer at a time"
OTHER_OPPONENTS = "contestants meet different opponents, so a score of one answer depends on whom it met"
NO_FAMILY = "does not apply: no contestant on the board is of its family"
UNKNOWN_FAMILY = "the data do not say which contestants are of its family"
EXCLUDED = "does not apply: it judges no contestant of its family"
ALL_OF_FAMILY = "every contestant that it judges is of its family"
NO_LENGTHS = "the lengths of answers are not in the data"
OFF_THE_SCALE = "the answers to an item differ too little in length: the slope would be more than the whole scale"
FAR_FROM_OTHERS = "its answers are less than half as long as any other contestant's, or more than twice as long"


def bias_row(kind: BiasKind, judge: str | None, found: Estimate, family: str | None = None) -> BiasRow:
    """Return the row of an estimate; it has an interval only if that can be relied on."""
    low, high = (None, None) if found.reason is not None else (found.low, found.high)
    value = None if found.value is None else found.value or 0.0  # no minus zero
    return BiasRow(
        kind=kind, judge=judge, family=family, value=value, low=low, high=high, n_answers=found.n, absent=found.reason
    )


def item_form(scorer: Scorer[Any, Any, Any], observations: Observations, contestant: Contestant) -> Floats:
    """Return (features, items) log2 of the length of an answer, and the share of answers with each mark of form.

    Averages over the draws of an item; NaN where they are not known. An empty answer counts as one character, whose
    logarithm is 0. A contestant without any length has no texts in the data.
    """
    form = scorer.form(observations, contestant)
    length, counts = form[:, :1], form[:, 1:]
    logs = np.log2(np.maximum(length, 1)) if (length > 0).any() else np.full(length.shape, np.nan)
    features = np.hstack([logs, np.where(np.isnan(counts), np.nan, counts > 0)])
    features[np.isnan(logs[:, 0])] = np.nan
    return mean_of_known(features.reshape(len(scorer.layout.placed), -1, features.shape[1]), axis=1).T


@dataclass(frozen=True)
class BiasStudy:
    """What the scores of a board owe to its judges.

    study: of the panel. forms: `item_form` by contestant. rows: of items. ranked: the contestants that are ranked, best
    first, without null models.
    """

    study: PanelStudy
    forms: Mapping[str, Floats]
    rows: Sequence[ItemRow]
    ranked: Sequence[str]

    @cached_property
    def models(self) -> list[str]:
        """The ranked contestants whose scores are their own, not what others are compared with."""
        fixed = self.study.scorer.compared_with
        return [model for model in self.ranked if model in self.study.by_judge and model not in fixed]

    @cached_property
    def _scored(self) -> Floats:
        """(contestants, items) 0 where the answer was scored, NaN where it was refused, failed or not read."""
        scored = np.full((len(self.models), len(self.study.items)), np.nan)
        place = {model: at for at, model in enumerate(self.models)}
        number = {item: at for at, item in enumerate(self.study.items)}
        for row in self.rows:
            if row.model in place and row.ended == "scored":
                scored[place[row.model], number[row.item]] = 0.0
        return scored

    @cached_property
    def _by_judge(self) -> Floats:
        """(judges, contestants, items) the scores of scored answers by each judge alone."""
        alone = np.array([self.study.by_judge[model].alone_by_item for model in self.models])
        return np.moveaxis(alone, 0, 1) + self._scored

    @cached_property
    def _panel(self) -> Floats:
        """(contestants, items) the same by the whole panel."""
        return np.array([self.study.scores[model] for model in self.models]) + self._scored

    @cached_property
    def _features(self) -> Floats:
        """(features, contestants, items) the length and the marks of form."""
        return np.moveaxis(np.array([self.forms[model] for model in self.models]), 0, 1)

    def _slopes(self, scores: Floats, features: Floats) -> Slopes:
        return within_slopes(scores, features, self.study.strata.clusters)

    @cached_property
    def _panel_slope(self) -> Slopes:
        """That of length alone, over all answers; the marks of form rest on those whose texts are known."""
        return self._slopes(self._panel, self._features[:1])

    @cached_property
    def _panel_verbosity(self) -> Estimate:
        return _with_a_usable_slope(self._panel_slope.estimate(0, self.study.strata.clusters))

    def biases(self, of_order: Iterable[BiasRow]) -> list[BiasRow]:
        """Return all rows by kind, judge and family; the panel comes first. of_order: those of the protocol."""
        rows = [*of_order]
        if not rows:
            rows = [bias_row(kind, None, none_of(ONE_AT_A_TIME)) for kind in ("position", "flips")]
        rows += [*self._of_form(), *self._of_families(), *self._severities()]
        return sorted(rows, key=lambda row: (KINDS.index(row.kind), row.judge or "", row.family or ""))

    def _of_form(self) -> Iterator[BiasRow]:
        why = self._no_slopes
        tables: dict[str | None, Floats] = {None: self._panel} if why is None else {}
        if why is None and len(self.study.judges) > 1:
            tables |= dict(zip(self.study.judges, self._by_judge, strict=True))
        for kind in FORM if why is not None else ():
            yield bias_row(kind, None, none_of(why or ""))
        no_texts = np.isnan(self._features[1:]).all() if tables else True
        for judge, scores in tables.items():
            alone = self._slopes(scores, self._features[:1]).estimate(0, self.study.strata.clusters)
            yield bias_row("verbosity", judge, _with_a_usable_slope(alone))
            beside = None if no_texts else self._slopes(scores, self._features)
            for place, kind in enumerate(FORM[1:], start=1):
                found = none_of(NO_TEXTS) if beside is None else beside.estimate(place, self.study.strata.clusters)
                yield bias_row(kind, judge, found)

    @cached_property
    def _no_slopes(self) -> str | None:
        """Why the scores of answers cannot be compared with their form; None if they can."""
        if self.study.scorer.together:
            return OTHER_OPPONENTS
        if len(self.models) < 2:
            return "fewer than two contestants are ranked"
        return NO_LENGTHS if np.isnan(self._features[0]).all() else None

    def _of_families(self) -> Iterator[BiasRow]:
        benchmark, strata = self.study.scorer.benchmark, self.study.strata
        judges = [benchmark.judges[judge] for judge in self.study.judges]
        families = np.array([benchmark.answerer(model).family for model in self.models])
        of_judges = sorted({judge.family for judge in judges} & set(families.tolist()))
        scored = Scored(self._by_judge, strata.groups, strata.clusters, strata.weights) if self.models else None
        for place, judge in enumerate(judges):
            if judge.family not in of_judges or scored is None:
                unknown = judge.backend == RECORDED and judge.family == judge.id
                why = UNKNOWN_FAMILY if unknown else NO_FAMILY
                yield bias_row("self-preference", judge.id, none_of(why), judge.family)
                continue
            judged = ~np.isnan(scored.scores[place]).all(axis=1)
            for family in of_judges:
                own = families == family
                if not (own & judged).any():
                    found = none_of(EXCLUDED) if family == judge.family else None
                elif not (~own & judged).any():
                    found = none_of(ALL_OF_FAMILY)
                else:
                    found = self_preference(scored, place, own)
                if found is not None:
                    yield bias_row("self-preference", judge.id, found, family)

    def _severities(self) -> Iterator[BiasRow]:
        strata, why = self.study.strata, self.study.scorer.SEVERITY
        if why is not None:
            yield bias_row("severity", None, none_of(f"does not apply: {why}"))
            return
        scored = Scored(self._by_judge, strata.groups, strata.clusters, strata.weights) if self.models else None
        for place, judge in enumerate(self.study.judges):
            found = none_of("no contestant is ranked") if scored is None else severity(scored, place)
            yield bias_row("severity", judge, found)

    def corrected(self) -> list[LengthCorrected]:
        """Return the score of each of `models`, corrected for length by the panel's slope."""
        if (why := self._no_slopes or self._panel_slope.reasons[0] or self._panel_verbosity.reason) is not None:
            return [_uncorrected(model, why) for model in self.models]
        lengths = self._features[0]
        scores = np.where(np.isnan(lengths), np.nan, self._panel)
        lengths = np.where(np.isnan(scores), np.nan, lengths)
        slope = self._panel_slope.items[0]
        flat, moved = (corrected_items(scores, lengths, each) for each in (np.full(slope.size, slope.mean()), slope))
        averaged = [self.study.strata.means(table) for table in (scores, flat, moved)]
        raw, value = averaged[0].value, averaged[1].value
        longer = mean_of_known(lengths - mean_of_known(lengths, axis=0), axis=1)
        rows = []
        for at, (model, each) in enumerate(zip(self.models, estimate_of(averaged[2], None, value), strict=True)):
            others = np.delete(longer, at)
            if each.value is None or not each.n:
                rows.append(_uncorrected(model, each.reason))
                continue
            row = LengthCorrected(
                model=model,
                n_items=each.n,
                length=float(2 ** longer[at]),
                overall=float(raw[at]),
                corrected=_on_scale(each.value),
                low=None if each.reason else _on_scale(each.low),
                high=None if each.reason else _on_scale(each.high),
                absent=each.reason,
            )
            if not np.nanmin(others) - 1 <= longer[at] <= np.nanmax(others) + 1:
                row = msgspec.structs.replace(row, corrected=None, low=None, high=None, absent=FAR_FROM_OTHERS)
            rows.append(row)
        return rows


def _uncorrected(model: str, why: str | None) -> LengthCorrected:
    return LengthCorrected(
        model=model, n_items=0, length=None, overall=None, corrected=None, low=None, high=None, absent=why
    )


def _with_a_usable_slope(found: Estimate) -> Estimate:
    """Return the estimate of a slope on length, without numbers if it is steeper than the scale is long."""
    return none_of(OFF_THE_SCALE) if found.value is not None and abs(found.value) > SCALE[1] else found


def _on_scale(value: float | None) -> float | None:
    return None if value is None else float(np.clip(value, *SCALE))
