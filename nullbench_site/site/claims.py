"""Choose the comparative sentence that figures allow. Nothing else says that one contestant is better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from nullbench_site.packaged import data_parts, word_pairs
from nullbench_site.site import words
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.measure import Robustness
from nullbench_site.stats.trust import plain_error

Claim: TypeAlias = Literal["leads", "higher", "ahead", "ahead with one judge", "highest", "none"]
"""leads: significant, robust to the panel, large enough, and with a complete reporting minimum. higher: significant and
robust to the panel, but without the rest. ahead: significant, but not robust to the panel. ahead with one judge:
significant, and there is no other judge. highest: a higher score that cannot be distinguished from others. none: scores
and intervals, and no verb of winning."""

Significance: TypeAlias = Literal["significant", "insignificant", "unknown", "equal", "same"]
"""How a difference of two scores came out in the simultaneous comparison of its slice. unknown: it has no interval.
equal: the two scores are; same: those on every item are."""

SILENT_FROM = 3
"""From how many trust marks that are low or not measured on there is no comparative claim."""
MARKS = 5
_NAMED = 3
"""How many contestants a sentence names."""


RULES = {words: rule.format(silent=SILENT_FROM) for words, rule in word_pairs("claims").items()}
"""What is said, and only if: for readers."""


def named(model: ModelFile) -> str:
    """Return the title of a contestant, with its status if it is provisional or retired, for sentences too."""
    title = words.isolated(model.title)
    return title if model.mark is None else f"{title} ({model.status})"


def too_small(difference: float, *scores: tuple[float | None, int]) -> str:
    """Say why a difference is too small for a claim; empty if it is large enough, or if that is not defined.

    difference: in points of 0..100. scores: of the contestants, each with its number of items; None if a score is not
    on that scale. A claim takes more than twice the larger plain error of the scores.
    Source: the mathematical treatment of LLM evaluation, section 9 (reporting), and section 2 for the error.
    """
    errors = [error for score, n in scores if score is not None and (error := plain_error(score, n)) is not None]
    if not errors or abs(difference) > 2 * max(errors):
        return ""
    own, least = words.number(abs(difference), 2), words.number(2 * max(errors), 2)
    return f"the difference of {own} points is not above {least}, two plain errors of a score"


def claim(difference: Significance, *, robust: Robustness, silence: str, lacks: str = "") -> Claim:
    """Return the strongest claim that a difference allows.

    silence: why none is allowed; empty if one is. lacks: what a winner lacks though the difference is significant: a
    part of the reporting minimum, or points; empty if nothing.
    Source: a decision of ours; the silence from three low marks on, the reporting minimum and the smallest difference
    are those of the mathematical treatment of LLM evaluation, section 9 (Exhibit 7, Five-Dimension Trust Matrix).
    """
    if silence:
        return "none"
    if difference != "significant":
        return "highest"
    if robust == "one judge":
        return "ahead with one judge"
    if robust not in ("holds", "no judge"):
        return "ahead"
    return "higher" if lacks else "leads"


@dataclass(frozen=True)
class Scored:
    """A contestant with its score and the ends of the interval of that. digits: after the decimal point."""

    title: str
    score: float
    low: float | None = None
    high: float | None = None
    digits: int = 1

    @property
    def in_words(self) -> str:
        return words.estimate(self.score, self.low, self.high, self.digits)


# One of many.


@dataclass(frozen=True)
class Lead:
    """What is known about the first of a slice and all others.

    difference: to the next; significant only if it is significant to all others. silence: why no comparative claim is
    allowed; empty if one is. lacks: what a winner lacks; empty if nothing. alike: the titles of the contestants that
    cannot be distinguished from the first, if they can be named. unsure: why a difference has no interval. unit: the
    words after a score; empty for its own unit. where: what scores hold for where nothing is claimed, as `With this
    panel`. may_be_best: how many contestants no other beats significantly, and how many are ranked; None if not known.
    """

    ranked: Sequence[Scored]
    difference: Significance
    robust: Robustness
    silence: str = ""
    lacks: str = ""
    alike: Sequence[str] = ()
    unsure: str = ""
    unit: str = " points"
    lower_is_better: bool = False
    where: str = ""
    may_be_best: tuple[int, int] | None = None

    @property
    def claim(self) -> Claim:
        return claim(self.difference, robust=self.robust, silence=self.silence, lacks=self.lacks)


def first(lead: Lead) -> str:
    """Return the sentence on the highest score of a slice, and how many may be best where none leads."""
    top, *rest = lead.ranked
    if not rest:
        return f"{top.title} scores {top.in_words}; no other contestant is ranked."
    gap = f"{words.number(abs(top.score - rest[0].score), top.digits)}{lead.unit}"
    side = f"{'below' if lead.lower_is_better else 'above'} {rest[0].title}"
    best, other = ("lowest", "more") if lead.lower_is_better else ("highest", "less")
    match lead.claim:
        case "leads":
            return f"{top.title} leads with {top.in_words}, {gap} {side}."
        case "higher":
            return f"{top.title} has the {best} score, {top.in_words}, {gap} {side}{_may_be_best(lead)}."
        case "ahead":
            return f"{top.title} is ahead with this panel, at {top.in_words}; other judges could differ."
        case "ahead with one judge":
            return f"{top.title} is ahead with this judge, at {top.in_words}; no other judge was asked."
    sharing = [one.title for one in rest if one.score == top.score]
    if lead.claim == "none":
        where = f"{lead.where}, " if lead.where else ""
        who, score = (some([top.title, *sharing]), "score") if sharing else (top.title, "scores")
        return f"{where}{who} {score} {best}, {top.in_words}{_may_be_best(lead)}."
    has = f"shares the {best} score, {top.in_words}, with {some(sharing)}" if sharing else ""
    has = f"{top.title} {has or f'has the {best} score, {top.in_words}'}"
    if lead.difference == "unknown":
        return f"{has}; the uncertainty of the difference is {words.ABSENT}: {lead.unsure}."
    return f"{has}; it cannot be distinguished from {some(lead.alike) if lead.alike else f'some that score {other}'}."


def _may_be_best(lead: Lead) -> str:
    """Say how many contestants may be best; empty if that is not part of the sentence."""
    if lead.may_be_best is None:
        return ""
    return f"; {words.of(*lead.may_be_best)} may be best" if lead.may_be_best[0] else ""


def why(lead: Lead) -> str:
    """Return the sentence on why no winner is named; empty if one is, or if there is nobody to win against."""
    if len(lead.ranked) < 2 or lead.claim not in ("none", "higher"):
        return ""
    return silent(lead.silence or lead.lacks)


def leading(lead: Lead) -> str:
    """Return the sentence on the highest score of a slice, and why no winner is named."""
    return " ".join(filter(None, (first(lead), why(lead))))


def on_these_items(lead: Lead) -> str:
    """Return the sentence on the highest score of a bare table of scores, which has no trust marks."""
    said = leading(lead)
    if lead.claim == "leads":
        said = said.replace(" leads with ", " is first with ", 1)
    return f"{said} Only these items were tested, and trust was not checked."


@dataclass(frozen=True)
class Opening:
    """What a board, or a part of it, says first. sentences: the most important first."""

    sentences: Sequence[str]

    @property
    def short(self) -> str:
        """The first sentence; empty if there is none."""
        return self.sentences[0] if self.sentences else ""

    @property
    def long(self) -> str:
        """All sentences. It begins with the short form, word for word."""
        return " ".join(self.sentences)


def standing(place: str, *, first: Claim | None, alike: Sequence[str], silence: str, lacks: str = "") -> str:
    """Return the sentence on one contestant. place: its ranks in words. first: the claim if it is listed first."""
    if silence:
        return f"{silent(silence)} {place}."
    match first:
        case "leads":
            return f"{place}: it leads."
        case "higher":
            return f"{place}: it has the highest score. {silent(lacks)}"
        case "ahead":
            return f"{place}: it is ahead with this panel; other judges could differ."
        case "ahead with one judge":
            return f"{place}: it is ahead with this judge; no other judge was asked."
    return f"{place}; it cannot be distinguished from {some(alike)}." if alike else f"{place}."


def silent(reason: str) -> str:
    """Return the sentence that says why nothing is claimed."""
    return f"We name no winner yet: {reason}."


def some(titles: Iterable[str], most: int = _NAMED) -> str:
    """List the first few of `titles` and count the others."""
    return words.listed(words.some_of([*titles], most))


# One of two. The browser, where readers choose the two, has the same phrases by the same keys.


@dataclass(frozen=True)
class Phrases:
    """The phrases about two contestants, with places for values in braces.

    sentence: `a` has the higher score and `b` the lower; `by` is the difference, `on` the number of items, `silence`
    the reason why no claim is made, `lacks` what a winner lacks. higher, lower: in a table, for a contestant with a
    higher or lower score than the other; `by` is the difference without a sign, `signed` with one. group: for `a` and
    `b` in the `listed` parts of the board; empty without a phrase about parts.
    """

    sentence: str
    higher: str
    lower: str
    group: str = ""


def phrases(difference: Significance, *, robust: Robustness, silence: str, lacks: str = "") -> Phrases:
    """Return the phrases for two contestants. silence: why nothing is claimed. lacks: what a winner lacks."""
    which: str = claim(difference, robust=robust, silence=silence, lacks=lacks)
    if which == "highest" and difference in ("same", "equal", "unknown"):
        which = difference
    return Phrases(*data_parts("phrases.txt")[which].splitlines())


def table() -> dict[str, Phrases]:
    """Return every result of `phrases` by `<difference> <robust>`; `lacking` for those that only lack what a winner
    takes, and `silent` for all others."""
    every = {
        f"{difference} {robust}": phrases(difference, robust=robust, silence="")
        for difference in get_args(Significance)
        for robust in get_args(Robustness)
    }
    lacking = phrases("significant", robust="holds", silence="", lacks="lacking")
    return every | {"lacking": lacking, "silent": phrases("unknown", robust="unknown", silence="silent")}
