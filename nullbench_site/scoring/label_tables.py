"""The tables of a board that compare its judges with labels.

Columns `_low` and `_high` are the ends of 95 % intervals. `absent` says why numbers or their intervals are absent.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class JudgeLabelRow(msgspec.Struct, kw_only=True):
    """How a judge agrees with the labels of answers, weighted by the probability with which each was drawn.

    judge: None for the score of the panel. answers: of null models, or of all others. n_labels: how many answers have a
    label and a score; n_right, n_wrong: of these, by the label. n_items: on how many items. sensitivity: the share of
    right answers that the judge accepts; specificity: the share of wrong ones that it rejects, 0-1. label_correlation:
    Spearman's correlation of its scores with the labels.
    """

    judge: str | None
    answers: Literal["contestants", "null models"]
    n_labels: int
    n_items: int
    n_right: int
    n_wrong: int
    sensitivity: float | None
    sensitivity_low: float | None
    sensitivity_high: float | None
    specificity: float | None
    specificity_low: float | None
    specificity_high: float | None
    label_correlation: float | None
    label_correlation_low: float | None
    label_correlation_high: float | None
    absent: dict[str, str]


class CorrectedScoreRow(msgspec.Struct, kw_only=True):
    """The score of a contestant by a judge, and the same corrected by the labels of its answers.

    judge: None for the panel. n_answers: with a score of the judge; n_labels: with a label too. raw_score: the mean
    score, 0-100; label_mean: the mean label, by draw probabilities. corrected_score: by `ppi_mean`. accepted: the share
    of answers that the judge accepts, 0-1; corrected_share: the share of right ones by `corrected_rate`, 0-1.
    probability: with which the judges saw an answer; None if they saw all. If only some keys are used, true_score and
    true_share: by all n_true keys.
    """

    model: str
    judge: str | None
    n_answers: int
    n_labels: int
    raw_score: float | None
    label_mean: float | None
    label_mean_low: float | None
    label_mean_high: float | None
    corrected_score: float | None
    corrected_score_low: float | None
    corrected_score_high: float | None
    accepted: float | None
    corrected_share: float | None
    corrected_share_low: float | None
    corrected_share_high: float | None
    absent: dict[str, str]
    probability: float | None = None
    n_true: int | None = None
    true_score: float | None = None
    true_share: float | None = None


class LabelRedrawRow(msgspec.Struct, kw_only=True):
    """How often an interval covers the known mean label of a contestant's judged answers.

    judge: None for the panel. interval: of which correction. n_redraws: how often clusters of answers were drawn with
    replacement, and labels from them; n_intervals: how many of these gave an interval. covered: the share of these
    intervals that contain the mean, 0-1. half_width: half their mean width, in the unit of the column.
    """

    model: str
    judge: str | None
    interval: Literal["corrected_score", "corrected_share"]
    n_redraws: int
    n_intervals: int
    covered: float | None
    half_width: float | None


class LabelWorthRow(msgspec.Struct, kw_only=True):
    """What labels of a contestant are worth next to the scores that a judge gave n_answers answers.

    judge: None for the panel. half_width_alone: half the width of the interval of the mean of n_labels labels, in
    points; half_width: of the corrected score. equal_to: how many labels alone would give the latter.
    """

    model: str
    judge: str | None
    n_labels: int
    n_answers: int
    half_width_alone: float
    half_width: float
    equal_to: float


class AltTestRow(msgspec.Struct, kw_only=True):
    """Whether a judge can replace a human rater, on answers other than those of null models.

    judge: None for the panel. n_raters: how many raters were compared. winning_rate: the share of them that the judge
    is shown to be as good as, less epsilon. advantage: how often it is at least as close to the other raters as a rater
    is. replaces: whether it wins against half of them or more. absent: why nothing was tested.
    """

    judge: str | None
    epsilon: float
    n_raters: int
    winning_rate: float | None
    advantage: float | None
    replaces: bool | None
    absent: str | None
