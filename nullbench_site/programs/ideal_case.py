"""What the judges by an ideal answer share: the case, the words of prompt, ideal and response, and whether the response
is an answer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property

from msgspec import Struct

from nullbench_site.programs.english import content_words, figures, normalise, sentences, spelled_figures
from nullbench_site.programs.lexicon import ADDRESSED, CLOSING, EMPTY, GRADING
from nullbench_site.programs.program import ramp
from nullbench_site.programs.task_aware import Limits, read_limits


class IdealCase(Struct, frozen=True):
    """One response to judge. flags: what the checks found, each "id: sentence"."""

    prompt: str
    ideal: str
    criteria: tuple[str, ...]
    flags: tuple[str, ...]
    response: str


# Share of the response's terms that prompt or ideal have: up to the first it is about another matter, from the second
# on about theirs, for answers in full bring many words of their own.
OFF_TOPIC, ON_TOPIC = 0.02, 0.05
SHARED_TERMS = 3  # terms of prompt or ideal that an answer takes up: one may be chance
OWN_TERMS = 8  # terms beyond the prompt's that make an answer more than an echo
LIMITED = 0.15  # of these for each word of a limit; one where the prompt asks for a word or a number alone
BRIEF_ROOM = 10  # words in which a word or a number may be given

_BRIEF = re.compile(
    r"\byes or no\b|\bonly the (?:final |correct |right )?(?:number|result|answer|word|letter|name)\b"
    r"|\b(?:one|a single|single) (?:word|number|letter)\b|\bjust the (?:number|answer|result)\b"
)
_FIRST = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class IdealEvidence:
    """A case and what is taken from it, each made once."""

    case: IdealCase

    @cached_property
    def prompt(self) -> frozenset[str]:
        """Terms of the prompt: stems of content words, and figures."""
        return terms(self.case.prompt)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """What the ideal says beyond the prompt, without the words in which ideals are put.

        Where that leaves nothing ("No."), its first word at the beginning.
        """
        return terms(self.case.ideal) - self.prompt - GRADING or opening(self.case.ideal)

    @cached_property
    def text(self) -> str:
        """The response as it is read: up to where it closes its own section, without sentences for a judge."""
        kept: list[str] = []
        for line in self.case.response.splitlines():
            plain = normalise(line)
            if CLOSING.fullmatch(plain):
                break
            kept.append(_unaddressed(line) if ADDRESSED.search(plain) else line)
        return "\n".join(kept)

    @cached_property
    def response(self) -> frozenset[str]:
        """Terms of the response as it is read, and its first word at the beginning."""
        return terms(self.text) | opening(self.text)

    @cached_property
    def matter(self) -> frozenset[str]:
        """What prompt and ideal are about."""
        return (self.prompt | self.wanted) - EMPTY

    @cached_property
    def own(self) -> frozenset[str]:
        """Terms that the response adds to the prompt: what the ideal wants, and what is said along with some matter.

        Words that fill any answer are left out. A sentence without a term of the matter would fit any prompt, so
        none of its words are counted.
        """
        each = (terms(sentence) for sentence in sentences(self.text))
        added = frozenset().union(*(own for own in each if own & self.matter)) - self.prompt - EMPTY
        return added | (self.response & self.wanted)

    @cached_property
    def brief(self) -> bool:
        """Whether the prompt asks for a word or a number alone."""
        return bool(_BRIEF.search(normalise(self.case.prompt)))

    @cached_property
    def limits(self) -> Limits:
        """The limits the prompt states."""
        stated = read_limits(self.case.prompt)
        return replace(stated, words=BRIEF_ROOM) if self.brief and stated.words is None else stated

    @cached_property
    def standing(self) -> float:
        """1 for an answer to this prompt, 0 for silence, an echo or words about something else, linear between.

        Every judge multiplies by it. Nothing said about the response itself or to its judge raises it.
        """
        own = self.response - EMPTY
        shared = len(own & self.matter) + len(self.response & opening(self.case.ideal) & self.wanted)
        if not shared or not self.own:
            return 0.0
        room = math.inf if self.limits.words is None else max(1.0, LIMITED * self.limits.words)
        few = 1.0 if self.brief else room
        return (
            ramp(shared / len(own), OFF_TOPIC, ON_TOPIC)
            * ramp(shared, 0, min(SHARED_TERMS, few, max(1, len(self.matter))))
            * ramp(len(self.own), 0, min(OWN_TERMS, few))
        )


def opening(text: str) -> frozenset[str]:
    """The first word of `text` as a term that only an opening has."""
    match = _FIRST.search(text)
    return frozenset([f"^{match.group().casefold()}"]) if match else frozenset()


def _unaddressed(line: str) -> str:
    return " ".join(sentence for sentence in sentences(line) if not ADDRESSED.search(normalise(sentence)))


def terms(text: str) -> frozenset[str]:
    """Stems of content words, and figures in digits or words."""
    return frozenset(content_words(text)).union(figures(text), spelled_figures(text))
