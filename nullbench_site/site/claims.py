"""Which comparative sentence figures bear. Nothing else says that one contestant does better than another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from nullbench_site.packaged import data_parts, word_pairs
from nullbench_site.site import words
from nullbench_site.specs.types import ModelFile

Claim: TypeAlias = Literal["leads", "ahead", "highest", "none"]
"""leads: significant whatever the panel. ahead: with this panel alone. highest: a higher score, not told from others.
none: scores and intervals, and no verb of winning."""

Significance: TypeAlias = Literal["significant", "insignificant", "unknown", "equal", "same"]
"""How a difference of two scores came out, beside all others of its slice. unknown: it has no interval. equal: the two
scores are; same: those on every item are."""

SILENT_FROM = 3
"""From how many trust marks that are low or not measured on there is no comparative claim."""
MARKS = 5
NOBODY_TRIED = "how it is with other judges is not measured"
"""Of parts of a board, whose differences are told with the whole panel alone."""
_NAMED = 3
"""How many contestants a sentence names."""


RULES = {words: rule.format(silent=SILENT_FROM) for words, rule in word_pairs("claims").items()}
"""What is said, and only if: for readers."""


def named(model: ModelFile) -> str:
    """What a contestant is called wherever something is said of it: of one whose place may not stay, that it is so."""
    return model.title if model.mark is None else f"{model.title} ({model.status})"


def claim(difference: Significance, *, robust: bool | None, low_marks: int) -> Claim:
    """The strongest that may be said of a difference.

    robust: whether it holds whoever judges; None: nobody tried. low_marks: of the contestant that has more of them.
    Source: a decision of ours; the silence from three marks on is that of the mathematical treatment of LLM evaluation,
    section 9, Exhibit 7 (Five-Dimension Trust Matrix).
    """
    if low_marks >= SILENT_FROM:
        return "none"
    if difference != "significant":
        return "highest"
    return "leads" if robust else "ahead"


@dataclass(frozen=True)
class Scored:
    """A contestant with its score and the ends of the interval of that, 0-100."""

    title: str
    score: float
    low: float | None = None
    high: float | None = None

    @property
    def in_words(self) -> str:
        return f"{words.number(self.score)} {words.interval(self.low, self.high)}".rstrip()


# One of many.


@dataclass(frozen=True)
class Lead:
    """What is known of the first of a slice against all others of it.

    difference: to the next; significant only where it is to all others. untold: the titles of those from whom the first
    cannot be told, as far as they can be named. unsure: why a difference has no interval.
    """

    ranked: Sequence[Scored]
    difference: Significance
    robust: bool | None
    low_marks: int
    untold: Sequence[str] = ()
    unsure: str = ""

    @property
    def claim(self) -> Claim:
        return claim(self.difference, robust=self.robust, low_marks=self.low_marks)


def leading(lead: Lead) -> str:
    """The sentence on who stands first, of at least one contestant."""
    first, *rest = lead.ranked
    if not rest:
        return f"{first.title} scores {first.in_words}; nobody else is ranked."
    match lead.claim:
        case "none":
            shown = [f"{first.title} scores {first.in_words}", *(f"{one.title} {one.in_words}" for one in rest)]
            return f"{some(shown)}. {silence(lead.low_marks)}"
        case "leads":
            gap = words.number(first.score - rest[0].score)
            return f"{first.title} leads with {first.in_words}, {gap} points above {rest[0].title}."
        case "ahead":
            others = NOBODY_TRIED if lead.robust is None else "other judges could differ"
            return f"{first.title} is ahead with this panel, at {first.in_words}; {others}."
    sharing = [one.title for one in rest if one.score == first.score]
    has = f"shares the highest score, {first.in_words}, with {some(sharing)}" if sharing else ""
    has = f"{first.title} {has or f'has the highest score, {first.in_words}'}"
    if lead.difference == "unknown":
        return f"{has}; how sure that is cannot be said: {lead.unsure}."
    return f"{has}; it cannot be told from {some(lead.untold) if lead.untold else 'some that score less'}."


def briefly(lead: Lead) -> str:
    """The same without figures, for where the scores stand below it; empty where there is nobody to compare with."""
    first, *rest = lead.ranked
    if not rest:
        return ""
    if lead.claim == "none":
        return silence(lead.low_marks)
    if lead.claim == "leads":
        return f"{first.title} leads."
    if lead.claim == "ahead":
        return f"{first.title} is ahead with this panel; other judges could differ."
    return f"{first.title} cannot be told from {some(lead.untold)}." if lead.untold else "Nobody is shown to lead."


def standing(place: str, *, first: Claim | None, untold: Sequence[str], low_marks: int) -> str:
    """Where one contestant stands. place: its ranks in words. first: what may be said of it where it stands first."""
    if low_marks >= SILENT_FROM:
        return f"{place}. {silence(low_marks)}"
    if first == "leads":
        return f"{place}: it leads."
    if first == "ahead":
        return f"{place}: it is ahead with this panel, and other judges could differ."
    return f"{place}; it cannot be told from {some(untold)}." if untold else f"{place}."


def against_the_median(
    above: Sequence[str], below: Sequence[str], *, what: tuple[str, str], tried: int, low_marks: int
) -> list[str]:
    """What is said of a contestant against the median of its board; nothing where nothing comparative is said.

    above, below: the scales on which its interval lies there, in words, of the `tried`, of which `what` is one and
    several, as in `domain`, `domains`.
    """
    if low_marks >= SILENT_FROM:
        return []
    among = f", without correction for choosing among {tried} {what[1]}" if tried > 1 else ""
    sides = (("above", above), ("below", below))
    lines = [f"Its interval lies {side} the board's median on {words.listed(on)}{among}." for side, on in sides if on]
    return lines or [f"On no {what[0]} can it be told from the board's median."]


def silence(low_marks: int) -> str:
    """Why nothing is claimed."""
    return f"No comparative claim: {low_marks} of {MARKS} trust marks are low or not measured."


def some(titles: Iterable[str], most: int = _NAMED) -> str:
    """The first few of `titles` and how many more there are."""
    return words.listed(words.some_of([*titles], most))


# One of two. The browser, where readers choose the two, has the same phrases by the same keys.


@dataclass(frozen=True)
class Phrases:
    """What is said of two contestants, with names of what stands in braces.

    sentence: of `a`, which has the higher score, and `b`: their scores, the difference `by` which they are apart and
    `on` how many items, and the `marks` that are low. higher, lower: in a table, of a contestant whose score is higher,
    or lower, than that of the one it is held against, with the difference without a sign, `by`, or `signed`.
    group: of `a` against `b` in parts of the board, which are `listed`; empty where nothing is said of parts.
    """

    sentence: str
    higher: str
    lower: str
    group: str = ""


def phrases(difference: Significance, *, robust: bool | None, low_marks: int) -> Phrases:
    """What may be said of two contestants. low_marks: of the one that has more of them."""
    which: str = claim(difference, robust=robust, low_marks=low_marks)
    if difference == "same" or (which == "highest" and difference in ("equal", "unknown")):
        which = difference
    return Phrases(*data_parts("phrases.txt")[which].replace("{untried}", NOBODY_TRIED).splitlines())


def table() -> dict[str, Phrases]:
    """Every answer of `phrases`: `<difference> <robust or not> <silent or not>`, as in `significant true false`."""
    differences: tuple[Significance, ...] = ("significant", "insignificant", "unknown", "equal", "same")
    return {
        f"{difference} {str(robust).lower()} {str(silent).lower()}": phrases(
            difference, robust=robust, low_marks=SILENT_FROM if silent else 0
        )
        for difference in differences
        for robust in (True, False)
        for silent in (True, False)
    }
