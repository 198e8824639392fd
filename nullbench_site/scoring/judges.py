"""What the judges did: agreement, each judge's scale, normalised averages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nullbench_site.protocols.votes import Ints
from nullbench_site.scoring.layout import Layout
from nullbench_site.scoring.results import AgreementRow, JudgeModelRow, JudgeRow
from nullbench_site.scoring.shard import JudgeTally, ShardSummary
from nullbench_site.stats.agreement import agreement_label, ordinal_alpha_of_patterns
from nullbench_site.stats.normalisation import JudgeMoments, JudgeSums, judge_moments, judge_z


def agreement_rows(summaries: Iterable[ShardSummary], layout: Layout) -> list[AgreementRow]:
    """Alpha of the board and of each category, over all axes and per axis, on units (contestant, item, axis)."""
    table = _merged(np.concatenate([np.zeros((0, 8), dtype=np.int64), *(summary.agreement for summary in summaries)]))
    names, rows = layout.categories.names, []
    for category in (None, *layout.categories.in_order):
        of_category = table if category is None else table[table[:, 0] == names.index(category)]
        for axis in (None, *layout.axes):
            chosen = of_category if axis is None else of_category[of_category[:, 1] == layout.axes.index(axis)]
            if len(chosen):
                rows.append(_alpha_row(category, axis, chosen))
    return rows


def _merged(table: Ints) -> Ints:
    """Rows alike but for their last column, how often they occurred, as one row each."""
    if not len(table):
        return table
    keys = table[:, :-1]
    numbers = np.ravel_multi_index(tuple(keys.T), tuple(keys.max(axis=0) + 1))
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    return np.column_stack([keys[first], np.bincount(which, table[:, -1]).astype(np.int64)])


def _alpha_row(category: str | None, axis: str | None, table: Ints) -> AgreementRow:
    alpha = ordinal_alpha_of_patterns(table[:, 2:-1], table[:, -1])
    return AgreementRow(
        category=category,
        axis=axis,
        units=int(table[:, -1].sum()),
        alpha=alpha.value,
        label=agreement_label(alpha.value),
        absent=alpha.reason,
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
