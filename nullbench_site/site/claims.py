"""Choose the comparative sentence that figures allow. Nothing else says that one contestant is better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from nullbench_site.packaged import data_parts, word_pairs
from nullbench_site.site import words
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.measure import Robustness

Claim: TypeAlias = Literal["leads", "ahead", "ahead with one judge", "highest", "none"]
"""leads: significant and robust to the panel. ahead: significant, but not robust to the panel. ahead with one judge:
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


def claim(difference: Significance, *, robust: Robustness, silence: str) -> Claim:
    """Return the strongest claim that a difference allows. silence: why none is allowed; empty if one is.

    Source: a decision of ours; the silence from three low marks on is that of the mathematical treatment of LLM
    evaluation, section 9, Exhibit 7 (Five-Dimension Trust Matrix).
    """
    if silence:
        return "none"
    if difference != "significant":
        return "highest"
    if robust == "one judge":
        return "ahead with one judge"
    return "leads" if robust in ("holds", "no judge") else "ahead"


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
    allowed; empty if one is. alike: the titles of the contestants that cannot be distinguished from the first, if they
    can be named. unsure: why a difference has no interval. unit: the words after a score; empty for its own unit.
    """

    ranked: Sequence[Scored]
    difference: Significance
    robust: Robustness
    silence: str = ""
    alike: Sequence[str] = ()
    unsure: str = ""
    unit: str = " points"
    lower_is_better: bool = False

    @property
    def claim(self) -> Claim:
        return claim(self.difference, robust=self.robust, silence=self.silence)


def leading(lead: Lead) -> str:
    """Return the sentence on the highest score of a slice."""
    first, *rest = lead.ranked
    if not rest:
        return f"{first.title} scores {first.in_words}; no other contestant is ranked."
    match lead.claim:
        case "none":
            shown = [f"{first.title} scores {first.in_words}", *(f"{one.title} {one.in_words}" for one in rest)]
            return f"{silent(lead.silence)} {some(shown)}."
        case "leads":
            gap = f"{words.number(abs(first.score - rest[0].score), first.digits)}{lead.unit}"
            side = "below" if lead.lower_is_better else "above"
            return f"{first.title} leads with {first.in_words}, {gap} {side} {rest[0].title}."
        case "ahead":
            return f"{first.title} is ahead with this panel, at {first.in_words}; other judges could differ."
        case "ahead with one judge":
            return f"{first.title} is ahead with this judge, at {first.in_words}; no other judge was asked."
    sharing = [one.title for one in rest if one.score == first.score]
    best, other = ("lowest", "more") if lead.lower_is_better else ("highest", "less")
    has = f"shares the {best} score, {first.in_words}, with {some(sharing)}" if sharing else ""
    has = f"{first.title} {has or f'has the {best} score, {first.in_words}'}"
    if lead.difference == "unknown":
        return f"{has}; the uncertainty of the difference is {words.ABSENT}: {lead.unsure}."
    return f"{has}; it cannot be distinguished from {some(lead.alike) if lead.alike else f'some that score {other}'}."


def answer(lead: Lead, said: str, floor: str, order: str) -> str:
    """Return the paragraph that answers a board's question: the first, the floor, and if the order is settled.

    said: the sentence on the first. If no claim is allowed, the paragraph gives only its score.
    """
    if lead.claim == "none" and len(lead.ranked) > 1:
        said, order = f"{lead.ranked[0].title} scores {lead.ranked[0].in_words}.", silent(lead.silence)
    return " ".join(filter(None, (said, floor, order)))


def on_these_items(lead: Lead) -> str:
    """Return the sentence on the highest score of a bare table of scores, which has no trust marks."""
    said = leading(lead)[:-1]
    if lead.unsure:
        said = said.replace(f": {lead.unsure}", f" ({lead.unsure})")
    return f"{said}, on these items; trust not assessed."


def briefly(lead: Lead) -> str:
    """Return the sentence without figures, for cards that show the scores; empty for a single contestant."""
    first, *rest = lead.ranked
    if not rest:
        return ""
    match lead.claim:
        case "none":
            return silent(lead.silence)
        case "leads":
            return f"{first.title} leads."
        case "ahead":
            return f"{first.title} is ahead with this panel; other judges could differ."
        case "ahead with one judge":
            return f"{first.title} is ahead with this judge; no other judge was asked."
    return f"{first.title} cannot be distinguished from {some(lead.alike)}." if lead.alike else "No contestant leads."


def standing(place: str, *, first: Claim | None, alike: Sequence[str], silence: str) -> str:
    """Return the sentence on one contestant. place: its ranks in words. first: the claim if it is listed first."""
    if silence:
        return f"{silent(silence)} {place}."
    match first:
        case "leads":
            return f"{place}: it leads."
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
    the reason why no claim is made. higher, lower: in a table, for a contestant with a higher or lower score than the
    other; `by` is the difference without a sign, `signed` with one. group: for `a` and `b` in the `listed` parts of the
    board; empty without a phrase about parts.
    """

    sentence: str
    higher: str
    lower: str
    group: str = ""


def phrases(difference: Significance, *, robust: Robustness, silence: str) -> Phrases:
    """Return the phrases for two contestants. silence: why nothing is claimed; empty if something is."""
    which: str = claim(difference, robust=robust, silence=silence)
    if which == "highest" and difference in ("same", "equal", "unknown"):
        which = difference
    return Phrases(*data_parts("phrases.txt")[which].splitlines())


def table() -> dict[str, Phrases]:
    """Return every result of `phrases` by `<difference> <robust>`, and `silent` for all others."""
    every = {
        f"{difference} {robust}": phrases(difference, robust=robust, silence="")
        for difference in get_args(Significance)
        for robust in get_args(Robustness)
    }
    return every | {"silent": phrases("unknown", robust="unknown", silence="silent")}
