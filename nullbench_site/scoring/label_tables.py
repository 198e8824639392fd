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
