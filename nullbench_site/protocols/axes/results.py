"""The results of an `axes` board. Axes are 1-5, 0 for a target that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, ItemRow, JudgeRow, ResultsOf, Row


class AxesRow(Row, kw_only=True):
    """A contestant on a slice of the board.

    goal_alignment is the unweighted mean over items, `overall` of the whole board that over groups. axes_low,
    axes_high: the ends of the 95 % interval of each axis mean.
    """

    n_scored: int
    n_refused: int
    n_errored: int
    n_unparsed: int
    goal_alignment: float | None
    quality: float | None
    axes: dict[str, float | None]
    mean_time_s: float | None
    qpr: float | None
    qpr_pct: float | None
    refused_answer: int = WHOLE_BOARD
    refused_prompt: int = WHOLE_BOARD
    axes_se: dict[str, float | None] = WHOLE_BOARD
    axes_low: dict[str, float | None] = WHOLE_BOARD
    axes_high: dict[str, float | None] = WHOLE_BOARD
    normalised_axes: dict[str, float | None] = WHOLE_BOARD
    model_disk_gb: float | None = WHOLE_BOARD

    def ends(self, axis: str) -> tuple[float | None, float | None]:
        """The ends of the interval of an axis mean; earlier results have none."""
        if self.axes_low is WHOLE_BOARD or self.axes_high is WHOLE_BOARD:
            return None, None
        return self.axes_low.get(axis), self.axes_high.get(axis)

    @property
    def score(self) -> float | None:
        return self.goal_alignment if self.overall is WHOLE_BOARD else self.overall

    @property
    def n_responses(self) -> int:
        return self.n_scored + self.n_refused + self.n_errored + self.n_unparsed


class AxesItemRow(ItemRow):
    """A contestant on one item, averaged over its samples."""

    state: str
    goal_alignment: float
    quality: float
    axes: dict[str, float | None]
    spread: float | None

    @property
    def ended(self) -> str:
        return self.state

    @property
    def score(self) -> float | None:
        return self.goal_alignment


class AxesJudgeRow(JudgeRow, kw_only=True):
    """mean and sd are of all its valid axis scores (1-5)."""

    invalid_fields: int
    n_scores: int
    mean: float | None
    sd: float | None


class JudgeModelRow(msgspec.Struct, kw_only=True):
    """A judge on one contestant: its mean axis score, raw and normalised (3 + z)."""

    judge: str
    model: str
    mean: float | None
    normalised: float | None


class AxesResults(ResultsOf[AxesRow, AxesItemRow], kw_only=True):
    """All results of one `axes` board of one run."""

    TABLES: ClassVar[tuple[str, ...]] = ("judges", "judge_models", "agreement")
    FIRST: ClassVar[tuple[str, ...]] = ("goal_alignment", "quality")
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "n_scored", "n_refused", "n_errored", "n_unparsed",
        "goal_alignment", "se", "df", "ci_low", "ci_high", "quality", "axes", "mean_time_s", "qpr", "qpr_pct",
        "tie_group", "refused_answer", "refused_prompt", "axes_se", "normalised_axes",
    )  # fmt: skip

    panel: str
    axes: list[str]
    judges: list[AxesJudgeRow]
    judge_models: list[JudgeModelRow]
    agreement: list[AgreementRow]

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """An axis stands under its id, its standard error under `se.<axis>`, its normalised mean under
        `normalised.<axis>`."""
        return {
            "axes": [(axis, axis) for axis in self.axes],
            "axes_se": [(axis, f"se.{axis}") for axis in self.axes],
            "normalised_axes": [(axis, f"normalised.{axis}") for axis in self.axes],
        }
