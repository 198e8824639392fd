"""From the observations of a `rubric` board to its results.

All contestants are worked out at once: a cell is one group of items of one contestant, its number is
`contestant number * groups + group`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from math import nan
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.checks.registry import JUDGED
from nullbench_site.judging.geval import METRICS
from nullbench_site.protocols.rubric.contestant import (
    ERRORED,
    NOTHING_TO_SCORE,
    SCORED,
    STATES,
    UNJUDGED,
    UNPARSED_ANSWER,
    RubricContestant,
)
from nullbench_site.protocols.rubric.judging import GEVAL, HIGHEST, LOWEST, SCORE, geval_judge
from nullbench_site.protocols.rubric.panel import (
    PanelTables,
    answer_means,
    composites,
    item_scores,
    judge_means,
    of_composites,
)
from nullbench_site.protocols.rubric.results import CheckRow, RubricItemRow, RubricResults, RubricRow
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricPlacedItem
from nullbench_site.runs.records import CheckResult
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import ERRORED as ERRORED_VERDICT
from nullbench_site.scoring.observations import MISSING, NOT_DUE, UNPARSED, Observations
from nullbench_site.scoring.observations import SCORED as SCORED_VERDICT
from nullbench_site.scoring.rounding import known
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.composite import efficiency
from nullbench_site.stats.judges import mean_distance_to_geval, mean_of_known, spread_of_each
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import RUNES_PER_TOKEN

_MARK = Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]
_SHARE = Annotated[float, msgspec.Meta(ge=0, le=1)]
_WORST_FIRST = (ERRORED, UNJUDGED, UNPARSED_ANSWER, SCORED)


class RubricScorer(Scorer[RubricBoardFile, RubricContestant, RubricRow]):
    """Marks of 1-5 by the panel, scores of 0-1 by G-Eval, and the composite of both.

    Tasks are the judges by id, then G-Eval's judge, asked for one metric, and last, as some programs record it, for all
    of them at once.
    """

    results = RubricResults
    ROUNDS = True

    def __init__(self, benchmark: Benchmark, board: RubricBoardFile) -> None:
        super().__init__(benchmark, board)
        self.placed = [placed for placed in self.layout.placed if isinstance(placed, RubricPlacedItem)]
        self.metrics: tuple[str, ...] = () if board.geval is None else board.geval.metrics

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Those of the panel, by id; G-Eval's is none of them."""
        return tuple(sorted(self.benchmark.panels[self.board.panel].judges))

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        tasks: list[tuple[str, str | None]] = [(judge, None) for judge in self.judges]
        if self.board.geval is not None:
            tasks += ((self.board.geval.judge, f"{GEVAL}.{metric}") for metric in self.metrics)
            tasks.append((self.board.geval.judge, GEVAL))
        return tasks

    def wording(self, template: str | None) -> str | None:
        """One of G-Eval that names none of its metrics is of all of them."""
        what, _, metric = (template or "").partition(".")
        return GEVAL if what == GEVAL and metric not in METRICS else template

    def due(self, model: ModelFile) -> Sequence[bool]:
        may = {judge.id for judge in self.benchmark.judges_for(self.board, model)}
        geval = geval_judge(self.benchmark, self.board, model) is not None
        return [judge in may if template is None else geval for judge, template in self.tasks]

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        return {SCORE: _MARK, **dict.fromkeys(self.metrics, _SHARE)}

    def reduce(self, observations: Observations) -> RubricContestant:
        n, m = len(self.judges), len(self.metrics)
        values, ended = observations.values, observations.verdicts
        marks, marks_ended = _read(values[:, :n, 0], ended[:, :n])
        # A record of one metric and one of all of them stand apart: neither replaces the other.
        every, every_ended = _read(values[:, n + m :, 1:].reshape(len(values), m), ended[:, n + m :].repeat(m, axis=1))
        one, one_ended = _read(values[:, n + np.arange(m), 1 + np.arange(m)], ended[:, n : n + m])
        alone = (one_ended != NOT_DUE) & (one_ended != MISSING)
        geval, geval_ended = np.where(alone, one, every), np.where(alone, one_ended, every_ended)
        due = self.due(self.benchmark.answerer(observations.model))
        common = Contestant.common(observations)
        verdicts = np.bincount(np.column_stack([marks_ended, geval_ended]).ravel() + 1, minlength=5).tolist()[1:]
        public = {unit: results for unit, results in observations.checks.items() if self._is_public(unit)}
        lengths = observations.tokens if common["telemetry"]["tokens_exact"] else observations.runes / RUNES_PER_TOKEN
        tokens = lengths[observations.answered]
        state = _states(observations, *((marks, marks_ended) if any(due[:n]) else (geval, geval_ended)))
        return RubricContestant(
            **common
            | {
                "verdicts": dict(zip(common["verdicts"], verdicts, strict=True)),
                "unjudged": int((state == UNJUDGED).sum()),
            },
            board=self.board,
            n_items=len(self.placed),
            judges=self.judges,
            judges_due=np.array(due[:n], dtype=np.bool_),
            geval_due=any(due[n:]),
            state=state,
            marks=marks,
            marks_ended=marks_ended,
            geval=geval,
            geval_ended=geval_ended,
            mean_output_tokens=float(tokens.mean()) if tokens.size else None,
            outcomes=Counter((result.type, result.outcome) for results in public.values() for result in results),
            n_checked=sum(any(result.type not in JUDGED for result in results) for results in public.values()),
            failed=_failed(public),
        )

    def scores_by(self, observations: Observations, contestant: RubricContestant, judges: Collection[str]) -> Floats:
        return contestant.scores_by(np.isin(self.judges, list(judges)))

    def _is_public(self, unit: int) -> bool:
        return self.layout.public[unit // self.board.samples]

    def counts(self, contestant: RubricContestant) -> bool:
        return bool(contestant.counted.any())

    def rows(self, contestants: Sequence[RubricContestant], groups: Groups) -> Iterator[tuple[int, RubricRow]]:
        """Rounded as results are."""
        if not contestants:
            return
        n_groups, decimals = len(groups.names), self.board.composite.judge_decimals
        cells = n_groups * len(contestants)
        first = n_groups * np.arange(len(contestants))[:, np.newaxis]
        cell_of_unit = first + groups.of_item[contestants[0].item_of_unit]
        state = np.array([contestant.state for contestant in contestants])
        scored, errored, unparsed = (
            np.bincount(cell_of_unit[state == ended], minlength=cells) for ended in (SCORED, ERRORED, UNPARSED_ANSWER)
        )
        has_geval = np.array([contestant.has_geval for contestant in contestants])
        n_geval: Sequence[int | UnsetType] = [UNSET] * cells
        if self.metrics:
            n_geval = np.bincount(cell_of_unit[has_geval], minlength=cells).tolist()
        n_items, means = item_scores(contestants, first + groups.of_item, cells)
        judges, metrics, gevals = answer_means(contestants, cell_of_unit, cells)
        marks = judge_means(judges, decimals)
        merged = composites(contestants, marks, gevals)
        overall = means if decimals is None else of_composites(means, merged, scored + unparsed, errored)
        figures = np.column_stack([overall, marks, gevals, merged])
        counts = zip(n_items.tolist(), scored.tolist(), errored.tolist(), unparsed.tolist(), n_geval, strict=True)
        every = zip(counts, known(figures), known(judges), known(metrics), strict=True)
        for cell, ((n, n_scored, n_errored, n_unparsed, n_by_geval), numbers, of_judges, of_metrics) in enumerate(
            every
        ):
            if not n:
                continue
            contestant, group = contestants[cell // n_groups], cell % n_groups
            overall_there, mark, geval, composite_there = numbers
            absent = contestant.absent if n_scored + n_unparsed else contestant.absent_unscored
            row = RubricRow(
                model=contestant.model,
                n_items=n,
                n_scored=n_scored,
                n_errored=n_errored,
                n_unparsed=n_unparsed,
                n_geval=n_by_geval,
                overall=overall_there,
                judge_mean=mark,
                geval_mean=geval,
                composite=composite_there,
                composite_of=None if composite_there is None else contestant.composite_of,
                judges={} if mark is None else _there(self.judges, of_judges),
                geval={} if geval is None else _there(self.metrics, of_metrics),
                absent=absent | _reasons(contestant, overall_there),
            )
            yield group, row

    def finish(self, row: RubricRow, contestant: RubricContestant) -> None:
        row.error_rate = row.n_errored / row.n_responses
        row.mean_output_tokens = contestant.mean_output_tokens
        row.n_checked, row.n_flagged = contestant.n_checked, len(contestant.failed)
        row.incomplete_judges = contestant.incomplete
        if contestant.mean_output_tokens is None:
            row.absent["mean_output_tokens"] = NOTHING_TO_SCORE
        measures = {
            "efficiency": _efficiency(row, contestant.mean_output_tokens),
            "divergence": mean_distance_to_geval(contestant.mark_of_unit, contestant.geval_of_unit),
        }
        for name, measure in measures.items():
            setattr(row, name, measure.value)
            if measure.reason is not None:
                row.absent[name] = measure.reason

    def lacking(self, contestant: RubricContestant, row: RubricRow) -> str | None:
        """Every answer, every verdict of the panel, and a complete judge where it has a judge."""
        if contestant.counted.sum() < len(self.placed) * self.board.samples:
            return "answers are missing"
        if contestant.missing:
            return "verdicts are missing"
        if row.overall is None:
            return row.absent["overall"]
        return None if contestant.complete.any() or not contestant.incomplete else "no judge marked every answer"

    def item_scores(self, contestant: RubricContestant) -> Floats:
        return contestant.linearised_of_item

    def item_rows(self, contestants: Sequence[RubricContestant]) -> Iterator[RubricItemRow]:
        """An item's state is its samples' worst."""
        if not contestants:
            return
        n_items, samples = len(self.placed), self.board.samples

        def by_item(of_units: Iterable[Floats]) -> list[Any]:
            """The mean of each item of each contestant, one after the other."""
            units = np.concatenate(list(of_units))
            return known(mean_of_known(units.reshape(-1, samples, *units.shape[1:])))

        state = np.concatenate([contestant.state for contestant in contestants]).reshape(-1, samples)
        worst = np.argmax((state[:, :, np.newaxis] == _WORST_FIRST).any(axis=1), axis=1).tolist()
        overall = known(np.concatenate([contestant.overall_of_item for contestant in contestants]))
        marks = by_item(contestant.marks for contestant in contestants)
        mark = by_item(contestant.mark_of_unit for contestant in contestants)
        geval = by_item(contestant.geval_of_unit for contestant in contestants)
        spread = by_item(spread_of_each(contestant.marks) for contestant in contestants)
        for place in np.flatnonzero((state >= 0).any(axis=1)).tolist():
            number, contestant = place % n_items, contestants[place // n_items]
            failed = (contestant.failed.get(unit, ()) for unit in range(number * samples, (number + 1) * samples))
            yield RubricItemRow(
                model=contestant.model,
                **self.layout.row_fields[number],
                state=STATES[_WORST_FIRST[worst[place]]],
                overall=overall[place],
                judge_mean=mark[place],
                geval_mean=geval[place],
                spread=spread[place],
                marks=_there(self.judges, marks[place]),
                failed=sorted(set(chain.from_iterable(failed))),
            )

    def tables(self, contestants: Sequence[RubricContestant], null_models: frozenset[str]) -> Mapping[str, Any]:
        panel = PanelTables(self.judges, self.metrics, self.layout.domains, contestants)
        return {
            "panel": self.board.panel,
            "geval_judge": None if self.board.geval is None else self.board.geval.judge,
            "geval_metrics": list(self.metrics),
            "weights": {"judge": self.board.composite.judge, "geval": self.board.composite.geval},
            "judges": list(panel.rows()),
            "judge_models": list(panel.on_models()),
            "judge_pairs": list(panel.pairs()),
            "agreement": list(panel.agreement(null_models)),
            "agreement_bounds": panel.bounds(null_models),
            "divergence": list(panel.divergences()),
            "checks": self._check_rows(contestants),
        }

    def _check_rows(self, contestants: Sequence[RubricContestant]) -> list[CheckRow]:
        """A row a type of check, by type; of public items alone."""
        n_items = Counter(
            kind
            for item, public in zip(self.placed, self.layout.public, strict=True)
            for kind in ({check.type_id() for check in item.checks} if public else ())
        )
        total: Counter[tuple[str, str]] = sum((contestant.outcomes for contestant in contestants), Counter())
        return [
            CheckRow(
                type=kind,
                n_items=n_items[kind],
                passed=total[kind, "passed"],
                failed=total[kind, "failed"],
                not_applicable=total[kind, "not-applicable"],
            )
            for kind in sorted({*n_items, *(kind for kind, _ in total)})
        ]


def _read(values: Floats, ended: Ints) -> tuple[Floats, Ints]:
    """What was given, and how each verdict ended: a reply without a valid score is unparsed."""
    empty = (ended == SCORED_VERDICT) & np.isnan(values)
    return np.where(ended == SCORED_VERDICT, values, nan), np.where(empty, UNPARSED, ended)


def _states(observations: Observations, given: Floats, ended: Ints) -> Ints:
    """How each answer ended. given, ended: the panel's; G-Eval's where all of the panel are of the contestant's
    family."""
    replied = ((ended >= 0) & (ended < ERRORED_VERDICT)).any(axis=1)
    state = np.where(~np.isnan(given).all(axis=1), SCORED, np.where(replied, UNPARSED_ANSWER, UNJUDGED))
    state = np.where(observations.answered, state, ERRORED)
    return np.where(observations.present, state, NOT_DUE)


def _failed(checks: Mapping[int, tuple[CheckResult, ...]]) -> dict[int, list[str]]:
    failed = {unit: sorted({r.type for r in results if r.outcome == "failed"}) for unit, results in checks.items()}
    return {unit: types for unit, types in sorted(failed.items()) if types}


def _efficiency(row: RubricRow, mean_tokens: float | None) -> Measure:
    if row.judge_mean is None:
        return Measure.undefined(row.absent["judge_mean"])
    return Measure.undefined(NOTHING_TO_SCORE) if mean_tokens is None else efficiency(row.judge_mean, mean_tokens)


def _there(names: Sequence[str], values: Sequence[float | None]) -> dict[str, float]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _reasons(contestant: RubricContestant, overall: float | None) -> dict[str, str]:
    why = contestant.no_composite
    return {"overall": why, "se": why} if overall is None and why is not None else {}


SCORING = RubricScorer
