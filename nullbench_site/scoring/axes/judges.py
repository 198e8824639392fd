"""What the judges did: agreement, each judge's scale, normalised averages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from nullbench_site.scoring.axes.layout import Layout
from nullbench_site.scoring.axes.results import AgreementRow, JudgeModelRow, JudgeRow
from nullbench_site.scoring.axes.shard import JudgeTally, ShardSummary
from nullbench_site.stats.agreement import agreement_label, ordinal_alpha_of_patterns
from nullbench_site.stats.arrays import Ints
from nullbench_site.stats.normalisation import JudgeMoments, JudgeSums, judge_moments, judge_z


def agreement_rows(
    summaries: Iterable[ShardSummary], layout: Layout, null_models: Collection[str]
) -> list[AgreementRow]:
    """Alpha of the board and of each category, over all axes and per axis, on units (contestant, item, axis).

    Each twice: on all answers, as the source defines it, and on the scored answers of contestants that are no
    `null_models`. Refusals and null models get the lowest rating from every judge, which raises the first figure.
    """
    summaries = list(summaries)
    every = _merged([summary.agreement for summary in summaries])
    answers = [_where(_merged([s.agreement]), {_SCORED: 1}) for s in summaries if s.model not in null_models]
    scored = _merged(answers)
    names, rows = layout.categories.names, []
    for category in (None, *layout.categories.in_order):
        for axis in (None, *layout.axes):
            wanted = {
                place: of.index(name)
                for place, of, name in ((_CATEGORY, names, category), (_AXIS, layout.axes, axis))
                if name is not None
            }
            if len(chosen := _where(every, wanted)):
                rows.append(_alpha_row(category, axis, chosen, _where(scored, wanted)))
    return rows


_CATEGORY, _AXIS, _SCORED, _COUNTS = range(4)
"""Columns of ShardSummary.agreement; the counts go on to the last but one."""


def _where(table: Ints, wanted: Mapping[int, int]) -> Ints:
    """The rows of `table` that have these values in these columns."""
    for column, value in wanted.items():
        table = table[table[:, column] == value]
    return table


def _merged(tables: Sequence[Ints]) -> Ints:
    """Rows alike but for their last column, how often they occurred, as one row each."""
    # A table without rows has lost its columns where it was kept as JSON.
    table = np.concatenate([np.zeros((0, 9), dtype=np.int64), *(table.reshape(-1, 9) for table in tables)])
    if not len(table):
        return table
    keys = table[:, :-1]
    numbers = np.ravel_multi_index(tuple(keys.T), tuple(keys.max(axis=0) + 1))
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    return np.column_stack([keys[first], np.bincount(which, table[:, -1]).astype(np.int64)])


def _alpha_row(category: str | None, axis: str | None, every: Ints, scored: Ints) -> AgreementRow:
    alpha, alpha_scored = (ordinal_alpha_of_patterns(table[:, _COUNTS:-1], table[:, -1]) for table in (every, scored))
    return AgreementRow(
        category=category,
        axis=axis,
        units=int(every[:, -1].sum()),
        alpha=alpha.value,
        label=agreement_label(alpha.value),
        absent=alpha.reason,
        units_scored=int(scored[:, -1].sum()),
        alpha_scored=alpha_scored.value,
        label_scored=agreement_label(alpha_scored.value),
        absent_scored=alpha_scored.reason,
    )


def board_moments(summaries: Iterable[ShardSummary], judges: Sequence[str]) -> dict[str, JudgeMoments | None]:
    """Each judge's mean and spread over the whole board: the scale its z-scores are on."""
    totals = dict.fromkeys(judges, JudgeSums())
    for summary in summaries:
        for judge in judges:
            totals[judge] = sum(summary.judges[judge].sums.values(), totals[judge])
    return {judge: judge_moments(total) for judge, total in totals.items()}


def judge_rows(
    summaries: Sequence[ShardSummary], judges: Sequence[str], moments: Mapping[str, JudgeMoments | None]
) -> list[JudgeRow]:
    """A row a judge, in the panel's order."""

    def total(judge: str, field: str) -> int:
        return sum(getattr(summary.judges[judge], field) for summary in summaries)

    rows = []
    for judge in judges:
        scale = moments[judge]
        rows.append(
            JudgeRow(
                judge=judge,
                scored=total(judge, "scored"),
                unparsed=total(judge, "unparsed"),
                errored=total(judge, "errored"),
                missing=total(judge, "missing"),
                repaired=total(judge, "repaired"),
                invalid_fields=total(judge, "invalid_fields"),
                n_scores=scale.n if scale else 0,
                mean=scale.mean if scale else None,
                sd=scale.sd if scale else None,
            )
        )
    return rows


def judge_model_rows(
    summaries: Iterable[ShardSummary], judges: Sequence[str], moments: Mapping[str, JudgeMoments | None]
) -> list[JudgeModelRow]:
    """What each judge gave each contestant on average, raw and on the judge's own scale."""
    rows = []
    for summary in summaries:
        for judge in judges:
            scale = moments[judge]
            own = judge_moments(sum(summary.judges[judge].sums.values(), JudgeSums()))
            normalised = judge_z(own.mean, scale) if own and scale else None
            mean = own.mean if own else None
            rows.append(JudgeModelRow(judge=judge, model=summary.model, mean=mean, normalised=normalised))
    return rows


def normalised_axes(
    tallies: Mapping[str, JudgeTally], axes: Sequence[str], moments: Mapping[str, JudgeMoments | None]
) -> dict[str, float | None]:
    """A contestant's judge-normalised average per axis: the mean of 3 + z over all its judges' scores.

    3 + z is linear in the score, so the mean over a judge's scores is that of the judge's mean.
    """
    result: dict[str, float | None] = {}
    for axis in axes:
        weighted, n = 0.0, 0
        for judge, tally in sorted(tallies.items()):
            scale, own = moments[judge], judge_moments(tally.sums.get(axis, JudgeSums()))
            if own is not None and scale is not None:
                weighted += own.n * judge_z(own.mean, scale)
                n += own.n
        result[axis] = weighted / n if n else None
    return result
