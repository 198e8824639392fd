"""The tables of a board's results beside its rows: floor, ceiling, controls, variants, bridges, differences, errors,
biases.

The units are those of `results`. `absent` says why a number is absent.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from nullbench_site.specs.types import Damage
from nullbench_site.stats.measure import DiagramShape, JointTest, Robustness


class Floor(msgspec.Struct, kw_only=True):
    """The best null model of the board, with its score and its 95 % interval. low, high: None without an interval."""

    model: str
    overall: float
    low: float | None = None
    high: float | None = None


class Ceiling(msgspec.Struct, kw_only=True):
    """The score of the reference answers, which are known to be right, with its 95 % interval.

    n_items: the number of items whose reference answer was judged.
    """

    n_items: int
    overall: float
    low: float | None
    high: float | None


class ControlRow(msgspec.Struct, kw_only=True):
    """The effect of one kind and dose of damage on the score of reference answers, by one judge alone or by the panel.

    control: the id of the control. damage, dose: as in the specs. judge: None for the panel. n_items: the number of
    items on which both have a score. damaged, reference: the mean score of damaged and of undamaged answers on these
    items. drop: how much lower damaged answers score, paired by item, with se and a 95 % interval from low to high.
    seen: whether that interval is above 0. ordered: whether scores fall with every dose, on the items that have all
    doses, and the highest dose is seen. absent: why there is no interval, or none to rely on.
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
    """The best of the ranked models of one family.

    variants: all of them, highest first; n_variants: how many. overall: the score of the best. corrected: that score
    minus what choosing the highest adds on average, with a 95 % interval from low to high. absent: why one of these
    numbers is absent.
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


class ScreeningRow(msgspec.Struct, kw_only=True):
    """What screening finds in the answers of a contestant. It changes no score.

    n_responses: its answers. n_read: those whose texts are known; n_hashed: those with only a sha256, which shows exact
    repeats; of the others, to private items, neither is published. n_with_flags: how many of n_read have a flag.
    flags: the kinds found; counts: how many answers have each; examples: their first items. n_compared: the answers
    that were compared with others; n_repeated: those that repeat, or nearly repeat, one to another item. constant:
    whether these are most of its answers. is_flagged: whether it is constant, or its flags are more than false alarms.
    """

    model: str
    n_responses: int
    n_read: int
    n_hashed: int
    n_with_flags: int
    flags: list[str] = []
    counts: dict[str, int] = {}
    examples: dict[str, list[str]] = {}
    n_compared: int
    n_repeated: int
    constant: bool
    is_flagged: bool


class BridgeRow(msgspec.Struct, kw_only=True):
    """A judge compared with the judge that it is to replace, on the same answers, without those of null models.

    mark: the name of a score in the protocol, in its unit; or the score of an answer by one judge alone, 0-100.
    n_items, n_answers: how many have a mark by both. before, after: the mean of the marks of the old and of the new
    judge, over the groups of the board as in its score. shift: how much higher the new judge marks, paired by item,
    with se and a 95 % interval from low to high. absent: why there is no interval.
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
    """The rank of a contestant on the items of a bridge, by the panel as it is and with the new judge."""

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


class CalibrationRow(msgspec.Struct, kw_only=True):
    """How one kind of confidence of a contestant agrees with whether its answers meet their keys.

    confidence_kind: `confidence` (by token probabilities) or `stated_confidence`. part: all answers, or those of one
    format. n_answers: how many have such a confidence; n_invalid of them have no valid answer and count as not right.
    n_clipped: how many confidences are clipped to 0.0001-0.9999 before a logarithm. mean_confidence, share_right:
    their means, and confidence_gap: the first minus the second. All are 0-1, except nll in nats.

    ece, mce: in ten bins of one width; their `_chance_` columns are what 95 of 100 perfectly calibrated models with
    these confidences show. shape: of the reliability diagram. fitted_temperature: fitted on the n_fitted answers to a
    random half of the sources; the columns `_before` and `_after` are of the n_held_out other answers.
    Columns `_low` and `_high` are the ends of 95 % intervals. absent: why numbers or their intervals are absent.
    """

    model: str
    confidence_kind: str
    part: str
    n_answers: int
    n_invalid: int = 0
    n_clipped: int = 0
    mean_confidence: float | None = None
    share_right: float | None = None
    confidence_gap: float | None = None
    confidence_gap_low: float | None = None
    confidence_gap_high: float | None = None
    brier: float | None = None
    brier_low: float | None = None
    brier_high: float | None = None
    nll: float | None = None
    nll_low: float | None = None
    nll_high: float | None = None
    ece: float | None = None
    ece_low: float | None = None
    ece_high: float | None = None
    ece_chance_low: float | None = None
    ece_chance_high: float | None = None
    mce: float | None = None
    mce_chance_low: float | None = None
    mce_chance_high: float | None = None
    shape: DiagramShape | None = None
    fitted_temperature: float | None = None
    fitted_temperature_low: float | None = None
    fitted_temperature_high: float | None = None
    n_fitted: int = 0
    n_held_out: int = 0
    brier_before: float | None = None
    brier_after: float | None = None
    nll_before: float | None = None
    nll_after: float | None = None
    ece_before: float | None = None
    ece_after: float | None = None
    absent: dict[str, str]


class ReliabilityRow(msgspec.Struct, kw_only=True):
    """One bar of a reliability diagram: the answers of a contestant with a confidence above bin_low, up to bin_high.

    model, confidence_kind, part: as in `CalibrationRow`. mean_confidence, share_right: their means, 0-1.
    share_right_low, share_right_high: the ends of its 95 % interval; absent: why there is none. chance_gap: how far a
    calibrated model's bar may be from the diagonal, all bars together at 5 %.
    """

    model: str
    confidence_kind: str
    part: str
    bin_low: float
    bin_high: float
    n_answers: int
    mean_confidence: float
    share_right: float | None
    share_right_low: float | None
    share_right_high: float | None
    chance_gap: float
    absent: str | None


class AgreementBounds(msgspec.Struct, kw_only=True):
    """The uncertainty of the alpha on scored answers of the whole board.

    low, high: its 95 % interval, for items like these. least, most: the lowest and the highest alpha with one
    contestant left out; least_without, most_without: that contestant. absent: why any of these is absent.
    """

    low: float | None = None
    high: float | None = None
    least: float | None = None
    least_without: str | None = None
    most: float | None = None
    most_without: str | None = None
    absent: dict[str, str]


class RaterAgreementRow(msgspec.Struct, kw_only=True):
    """The agreement of judges by one coefficient, on answers of contestants other than null models.

    what: what the judges say about an answer: "mark", "grade" or "game" for a verdict, else the name of a refusal gate.
    coefficient: "alpha" for Krippendorff's, "fleiss" or "cohen" for a kappa. level: what its ratings are taken for;
    "quadratic" for a kappa weighted by squared distance. judge, other: the two judges of Cohen's kappa; None for the
    whole panel. items: "all", or "borderline" for those whose mean rating is in the middle half of the scale. n: how
    many answers have enough ratings. low, high: the ends of its 95 % interval, for items like these. landis_koch,
    krippendorff: the label of the value. absent: why the value or its interval is absent.
    """

    what: str
    coefficient: Literal["alpha", "fleiss", "cohen"]
    level: Literal["nominal", "ordinal", "interval", "ratio", "quadratic"]
    judge: str | None = None
    other: str | None = None
    items: Literal["all", "borderline"]
    n: int
    value: float | None
    low: float | None
    high: float | None
    landis_koch: str | None
    krippendorff: str | None
    absent: str | None


class CorrelationRow(msgspec.Struct, kw_only=True):
    """A correlation of tasks over the language models of a board.

    kind: the mean over pairs of tasks "within" one group, the mean "across" groups, or "within minus across". group:
    only pairs with a task of this group; None for all pairs. n_pairs: of tasks. n_models, n_families: of models with a
    score in every task. value, low, high: the correlation with its 95 % interval, which takes families as clusters.
    rest, rest_low, rest_high: the same without the first factor, what all tasks share. absent: why a number is absent.
    """

    kind: Literal["within", "across", "within minus across"]
    group: str | None
    n_pairs: int
    n_models: int
    n_families: int
    value: float | None
    low: float | None
    high: float | None
    rest: float | None
    rest_low: float | None
    rest_high: float | None
    absent: str | None


class Difference(msgspec.Struct, kw_only=True):
    """The difference of two contestants or null models, paired by item: the score of a minus that of b.

    se, df, low, high: of the difference on items like these; low and high are the ends of its own 95 % interval.
    significant: in the comparisons that make the ranks, at 5 % for all of them together. judges: how many judges of
    the panel judge both. judges_alone: under how many of these judges, each alone, the difference has the same sign;
    this is a count, not significance. panel_low, panel_high: if the results' panel_kind is "models", the second 95 %
    interval, on items and judges like these; if it is "mixed", the lowest and the highest difference with one judge
    left out. robustness: to the panel. fragile_items: the fewest items without which a no longer leads; n_fragile: how
    many these are.
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
    """The smallest true differences that the board detects with power 0.8, all pairs tested together, in points.

    low, median, high: over the pairs of neighbours in the order of the board that have a standard error. n_pairs: how
    many pairs these are. absent: why there is no such difference.
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


class JointCheck(msgspec.Struct, kw_only=True):
    """How often a joint test of a board told equal contestants apart, made of the residuals of the ranked ones.

    error: the share of `draws`, 0-1, with its 95 % interval; the largest of that of all ranked contestants and those of
    tie groups. draws_dealt: whether residuals were dealt to other contestants instead of drawn again. holds: whether
    the test may be used.
    """

    test: JointTest
    error: float
    low: float
    high: float
    draws: int
    draws_dealt: bool
    holds: bool


class StoppedAt(msgspec.Struct, kw_only=True):
    """The look at which a build stopped a board, counted from 1, of how many, and how many items the board has."""

    look: int
    looks: int
    n_items: int


class LeadFragility(msgspec.Struct, kw_only=True):
    """The fewest items without which the first contestant of the board no longer leads.

    other: the contestant that then has caught up. lead: the lead that is left then, <= 0. If it takes more than
    `beyond` items, other and lead are None and items is empty.
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


ErrorKind: TypeAlias = Literal["absolute", "relative"]
DrawnAgain: TypeAlias = Literal["items", "items and judges"]


class ScoreError(msgspec.Struct, kw_only=True):
    """A standard error of the scores of the board, in points, from the crossed study.

    error: absolute is the error of a score by itself. relative is that of a score in a comparison, where what moves all
    contestants alike cancels out; the difference of two scores has sqrt(2) times it. over: what is drawn again: items
    with these judges, or items and other judges like these. one_more_item, one_more_judge: what the error would be with
    one item or one judge more, of the same kind; None where that is not known, and not written in older runs.
    """

    error: ErrorKind
    over: DrawnAgain
    error_points: float | None
    one_more_item: float | msgspec.UnsetType | None = msgspec.UNSET
    one_more_judge: float | msgspec.UnsetType | None = msgspec.UNSET
    absent: str | None


BiasKind: TypeAlias = Literal[
    "position", "flips", "verbosity", "headers", "lists", "bold", "self-preference", "severity"
]
"""A bias of judges.

position: the share of the points of a game that an answer gets when shown first, less that when shown second, in
points. flips: the share of games in both orders that went to the same place twice, 0-100. verbosity: points for twice
the length, whatever marks the answers have. headers, lists, bold: points for an answer with such a mark, at the same
length, from the answers whose texts are known. self-preference: points that a judge gives more to answers of a family
than other judges do, less the same for other families. severity: points that it gives more than the others do to the
same answers. The slopes are within contestants and items.
"""


class BiasRow(msgspec.Struct, kw_only=True):
    """A bias of one judge, with its 95 % interval.

    judge: None for the score by the whole panel, and for a bias that no judge of the board can have. family: of
    contestants, for self-preference. n_answers: how many answers it rests on; for position, games; for flips,
    pairs of games.
    absent: why there is no value, or no interval to rely on.
    """

    kind: BiasKind
    judge: str | None
    family: str | None = None
    value: float | None
    low: float | None
    high: float | None
    n_answers: int
    absent: str | None


class LengthCorrected(msgspec.Struct, kw_only=True):
    """The score of a ranked contestant corrected for the length of its answers, with its 95 % interval.

    n_items: the items whose answers have a score and a known length. length: how many times as long its answers are as
    those of all ranked contestants to the same items, by geometric means. overall: the mean score of these answers.
    corrected: that score less the panel's slope times log2 of `length`. absent: why a number is absent.
    """

    model: str
    n_items: int
    length: float | None
    overall: float | None
    corrected: float | None
    low: float | None
    high: float | None
    absent: str | None


Choice: TypeAlias = Literal[
    "judge alone", "without judge", "wording alone", "length controlled", "items before", "items from"
]
"""What an analysis changes; everything else is as on the board."""


class AnalysisRow(msgspec.Struct, kw_only=True):
    """A contestant in an analysis: its score, 0-100, with its 95 % interval and its range of ranks, as in `Row`."""

    model: str
    overall: float
    ci_low: float | None
    ci_high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None


class Analysis(msgspec.Struct, kw_only=True):
    """The board under another choice. Its contestants are those with a score on every item under that choice.

    of: the judge, the wording or the date that the choice is about; empty for length control. n_items: how many items
    it uses. rows: highest score first, null models included; these have no rank.
    """

    choice: Choice
    of: str
    n_items: int
    rows: list[AnalysisRow]


class ResampledRanks(msgspec.Struct, kw_only=True):
    """How often the first contestants of a board have each of its first ranks when items are drawn again.

    shares: for each of `models`, in the order of the board, the share of the draws in which it has rank 1, 2, ...
    """

    draws: int
    models: list[str]
    shares: list[list[float]]
