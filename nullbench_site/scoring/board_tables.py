"""What is found of a board beside its rows: floor and ceiling, controls, variants, bridges, differences, errors.

In the units of `results`; `absent` says why a number is not there.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from nullbench_site.specs.types import Damage
from nullbench_site.stats.measure import Robustness


class Floor(msgspec.Struct, kw_only=True):
    """The best null model of the board, its score, and its own 95 % interval; low, high: None where it has none."""

    model: str
    overall: float
    low: float | None = None
    high: float | None = None


class Ceiling(msgspec.Struct, kw_only=True):
    """What the panel gives to reference answers, which are known to be right, with its 95 % interval.

    n_items: those that have one on which it was asked.
    """

    n_items: int
    overall: float
    low: float | None
    high: float | None


class ControlRow(msgspec.Struct, kw_only=True):
    """What one damage to the reference answers takes from their score, by one judge alone or by the panel.

    control: its id. damage, dose: as the specs name them. judge: None for the panel. n_items: those on which both have
    a score. damaged, reference: the means of the damaged and of the whole answers on these. drop: how much lower the
    damaged are, paired by item, with se and a 95 % interval from low to high. seen: whether that interval is above 0.
    ordered: whether the scores fall from dose to dose, on the items that have all, and the last is seen. absent: why
    there is no interval, or none to rely on.
    """

    control: str
    damage: Damage
    dose: float
    judge: str | None
    n_items: int
    damaged: float | None
    reference: float | None
    drop: float | None
    se: float | None
    low: float | None
    high: float | None
    seen: bool | None
    ordered: bool | None
    absent: str | None


class VariantRow(msgspec.Struct, kw_only=True):
    """The best of the ranked models of one family, `n_variants` of them, highest first.

    overall: its score. corrected: without what choosing the highest adds on average, with a 95 % interval from low to
    high. absent: why one of them is not there.
    """

    family: str
    variants: list[str]
    n_variants: int
    best: str
    overall: float
    corrected: float | None
    low: float | None
    high: float | None
    absent: str | None


class BridgeRow(msgspec.Struct, kw_only=True):
    """How a judge that is to succeed another marks the answers that the other marked, those of null models aside.

    mark: a score as the protocol names it, in its unit, or the score of an answer by one judge alone, 0-100.
    n_items, n_answers: on which both gave one. before, after: the means that the other and the new one gave, over
    the groups of the board as in its score. shift: how much higher the new one marks, paired by item, with se and a
    95 % interval from low to high. absent: why there is none.
    """

    judge: str
    other: str
    mark: str
    n_items: int
    n_answers: int
    before: float | None
    after: float | None
    shift: float | None
    se: float | None
    low: float | None
    high: float | None
    absent: str | None


class BridgeRank(msgspec.Struct, kw_only=True):
    """A contestant on the items of a bridge, by the panel as it is and with the new judge in the place of the other."""

    judge: str
    other: str
    model: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    overall: float | None
    rank_after: int | None
    rank_low_after: int | None
    rank_high_after: int | None
    overall_after: float | None


class AgreementBounds(msgspec.Struct, kw_only=True):
    """How sure the alpha on scored answers of the whole board is, and what it hangs on.

    low, high: its 95 % interval, on items like these. least, most: the lowest and the highest alpha with one of the
    contestants left out, and whom. absent: why any of these is not there.
    """

    low: float | None = None
    high: float | None = None
    least: float | None = None
    least_without: str | None = None
    most: float | None = None
    most_without: str | None = None
    absent: dict[str, str]


class Difference(msgspec.Struct, kw_only=True):
    """Two contestants or null models on the items of the board, paired by item: the score of a less that of b.

    se, df, low, high: of the difference on items like these, its 95 % interval on its own. significant: in the
    comparisons that make the ranks, which keep 5 % together. judges: those of the panel that judge both. judges_alone:
    under how many of them, each alone, the difference has the same sign; a count, not significance. panel_low,
    panel_high: if the results' panel_kind is "models", the second 95 % interval, on items and judges like these; if it
    is "mixed", the least and the greatest difference with one judge left out. robustness: to the panel. fragile_items:
    the fewest items without which a leads no more, n_fragile of them.
    """

    a: str
    b: str
    value: float | None
    se: float | None
    df: float | None
    low: float | None
    high: float | None
    significant: bool | None = None
    judges: int | None = None
    judges_alone: int | None = None
    panel_low: float | None = None
    panel_high: float | None = None
    robustness: Robustness = "unknown"
    n_fragile: int | None = None
    fragile_items: list[str] = []
    absent: dict[str, str]


class Detectable(msgspec.Struct, kw_only=True):
    """The smallest true differences that the board detects with power 0.8, beside all its other differences, in points.

    low, median, high: over the pairs of neighbours in its order that have a standard error, n_pairs of them. absent:
    why there is none.
    """

    n_pairs: int = 0
    low: float | None = None
    median: float | None = None
    high: float | None = None
    absent: str | None = None


class Separation(msgspec.Struct, kw_only=True):
    """How many of the `pairs` of ranked contestants, and of the `neighbours` in their order, differ.

    together: significantly, all pairs of the board tested at 5 % together. alone: each pair tested at 5 % by itself.
    """

    pairs: int
    together: int
    alone: int
    neighbours: int
    neighbours_together: int
    neighbours_alone: int


class LeadFragility(msgspec.Struct, kw_only=True):
    """The fewest items without which the first of the board leads no more, and who then has caught up with it.

    lead: what is left of the lead then, <= 0. other and lead are None and items empty where that takes more than
    `beyond` items.
    """

    leader: str
    other: str | None = None
    items: list[str] = []
    lead: float | None = None
    beyond: int


class Component(msgspec.Struct, kw_only=True):
    """A component of the variance of one judge's score for one answer, in points squared. sd: its root, in points."""

    component: str
    variance: float | None
    sd: float | None
    absent: str | None


class ScoreError(msgspec.Struct, kw_only=True):
    """A standard error of the scores of the board, in points, from the crossed study.

    error: absolute, of a score by itself; relative, of a score in a comparison, where what moves all contestants alike
    cancels. The difference of two scores has sqrt(2) times the relative one. over: whether with other items and these
    judges, or with other items and other judges like these.
    """

    error: Literal["absolute", "relative"]
    over: Literal["items", "items and judges"]
    error_points: float | None
    absent: str | None
