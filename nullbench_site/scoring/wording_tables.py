"""The tables of results about wordings, formats and decoding. Numbers are in points of 0..100.

`absent` says why a number is absent.
"""

from __future__ import annotations

import msgspec


class WordingRow(msgspec.Struct, kw_only=True):
    """The score of a contestant in one wording of the prompt, with its 95 % interval, as `Row`.

    template: the id of the wording. n_items: how many items have a score in it.
    """

    model: str
    template: str
    n_items: int
    overall: float | None = None
    se: float | None = None
    df: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    absent: dict[str, str]


class WordingEffect(msgspec.Struct, kw_only=True):
    """How far the score of a contestant varies over the wordings of the prompt, on the items of one format.

    format: how these items ask for an answer; None if the board has one format. sigma: the standard deviation over
    wordings, with a 95 % interval from low to high. ms_wording, ms_rest: the mean squares that it is computed from, in
    points squared. items_needed: how many items bring high to 1 point, with these wordings, if wordings have no effect.
    """

    model: str
    format: str | None
    n_items: int
    n_wordings: int
    sigma: float | None = None
    low: float | None = None
    high: float | None = None
    ms_wording: float | None = None
    ms_rest: float | None = None
    items_needed: int | None = None
    absent: str | None = None


class WordingRank(msgspec.Struct, kw_only=True):
    """The rank of a contestant by its answers to one wording, with its range, as in `Row`; programs have one answer.

    Only contestants that are ranked on the board and answer every wording, and programs.
    """

    template: str
    model: str
    overall: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    absent: str | None


class RankStability(msgspec.Struct, kw_only=True):
    """How far the order of contestants by score depends on the wording.

    pairs: how many pairs of the n_models contestants there are. reversed: how many do not have the same order in all
    wordings. tau_mean, tau_least: the mean and the lowest Kendall's tau-b over all pairs of wordings.
    """

    n_models: int
    n_wordings: int
    pairs: int
    reversed: int
    tau_mean: float | None = None
    tau_least: float | None = None
    absent: str | None = None


class FormatDifference(msgspec.Struct, kw_only=True):
    """A contestant on the questions that a board asks in two formats: the score in one minus that in the other.

    n_questions: how many questions have both formats. overall, overall_other: the mean scores in each on these.
    value: paired by question, with se and a 95 % interval from low to high.
    """

    model: str
    format: str
    other: str
    n_questions: int
    overall: float | None
    overall_other: float | None
    value: float | None
    se: float | None
    low: float | None
    high: float | None
    absent: str | None


class DecodingEffect(msgspec.Struct, kw_only=True):
    """Contestants that are one model at one temperature, which differ in the seed, on the first wording.

    least, most: the lowest and the highest of their scores. seed_sd: the standard deviation of these over seeds, with a
    95 % interval from seed_low to seed_high. base: the same model at base_temperature, the lowest of the board.
    value: their mean score minus the score of the base, paired by item, with se and a 95 % interval from low to high.
    same: the share of items, 0-1, with the same score for all seeds and the base.
    """

    base: str
    base_temperature: float
    temperature: float
    models: list[str]
    n_items: int
    overall_base: float | None
    overall: float | None
    least: float | None
    most: float | None
    seed_sd: float | None
    seed_low: float | None
    seed_high: float | None
    value: float | None
    se: float | None
    low: float | None
    high: float | None
    same: float | None
    absent: str | None
