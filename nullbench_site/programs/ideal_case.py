"""Evidence for judges by an ideal answer: the words of prompt, ideal and response, and the covered share.

A sentence with most of the words of a sentence of the ideal makes the same statement. If it also has other words,
denies something else, or has another order of words, the statement is altered. A statement in entirely different words
is not recognised.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nullbench_site.checks.reading import list_mark, listed
from nullbench_site.packaged import word_list
from nullbench_site.programs.baselines import TaskLimits, read_limits
from nullbench_site.programs.english import (
    ADDRESSED,
    BRIEF,
    CLOSING,
    DENIALS,
    EMPTY,
    FAULTS,
    GRADING,
    REVISION,
    STOP_WORDS,
    content_words,
    disorder,
    figures,
    normalise,
    sentences,
    spelled_figures,
    stem,
    words,
)
from nullbench_site.programs.program import ramp

ALIKE = 0.75  # share of the words of both sentences; below it they may be two statements
SMALLEST = 6  # the fewest words of a statement that can be altered
ORDERED = 0.5  # the share of kept neighbours below which the order is another
REACH = 3  # the words after a denial in which the denied word is searched
ADDED = 2  # the most extra content words next to a whole statement: "so", "in short"

_CLAIMS = frozenset(
    listed("because due owing thanks since according says said")
)  # a cause or a speaker is an additional claim
# Small words whose exchange changes the meaning.
_TELLING = _CLAIMS | word_list("telling")
_TOKEN = re.compile(r"[0-9]+(?:[.,:][0-9]+)*%?|[^\W\d_]+")


class Wording(msgspec.Struct, frozen=True, dict=True):
    """A sentence as a list of words and figures, in lower case."""

    tokens: tuple[str, ...]

    @classmethod
    def of(cls, sentence: str) -> Wording:
        return cls(tuple(_TOKEN.findall(normalise(sentence))))

    @cached_property
    def counted(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.tokens))

    @cached_property
    def denied(self) -> frozenset[str]:
        """Return the stem of the first content word after each denial, within reach."""
        stems = set()
        for at, word in enumerate(self.tokens):
            if DENIALS.fullmatch(word):
                behind = self.tokens[at + 1 : at + 1 + REACH]
                stems.update([stem(word) for word in behind if word not in STOP_WORDS][:1])
        return frozenset(stems)

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        return frozenset(zip(self.tokens, self.tokens[1:], strict=False))


def altered(answer: Wording, reference: Wording) -> bool:
    """Return True if `answer` has the words of `reference` but another meaning.

    That is a denial more or less, an exchanged word, words added to all of it, or another order. A part of it alone is
    not altered.
    """
    new, gone = answer.counted - reference.counted, reference.counted - answer.counted
    if answer.denied & reference.stems != reference.denied & answer.stems:
        return True
    other = [word for word in new if stem(word) not in reference.stems and (word in _TELLING or word not in STOP_WORDS)]
    if other and gone and len(answer.tokens) + ADDED >= len(reference.tokens):
        return True
    if len(other) > ADDED or not _CLAIMS.isdisjoint(other):
        return True
    shared = [pair for pair in answer.neighbours if pair[0] in reference.counted and pair[1] in reference.counted]
    return bool(shared) and sum(pair in reference.neighbours for pair in shared) < ORDERED * len(shared)


def compared(answer: Sequence[str], reference: Sequence[str]) -> list[bool | None]:
    """Return for each sentence of `reference` whether `answer` has it unchanged (True), altered (False) or not (None).

    A sentence of the answer belongs to the most similar one, by the Dice coefficient of their words. If both forms
    occur, it counts as unchanged.
    """
    known = [Wording.of(sentence) for sentence in reference]
    where: dict[str, list[int]] = {}
    for at, statement in enumerate(known):
        for word in statement.counted:
            if word not in STOP_WORDS:
                where.setdefault(word, []).append(at)
    kept: list[bool | None] = [None] * len(known)
    for sentence in dict.fromkeys(answer):
        own = Wording.of(sentence)
        candidates = {at for word in own.counted for at in where.get(word, ())}
        best = max(((_dice(own, known[at]), -at) for at in candidates), default=(0.0, 0))
        at = -best[1]
        if best[0] >= ALIKE and len(known[at].tokens) >= SMALLEST:
            kept[at] = kept[at] or not altered(own, known[at])
    return kept


def _dice(one: Wording, other: Wording) -> float:
    if not one.tokens or not other.tokens:
        return 0.0
    if not 1 / 3 <= len(one.tokens) / len(other.tokens) <= 3:  # it cannot reach ALIKE
        return 0.0
    shared = sum(min(count, other.counted[word]) for word, count in one.counted.items())
    return 2 * shared / (len(one.tokens) + len(other.tokens))


class IdealCase(Struct, frozen=True):
    """One response to judge.

    checks: the types of the item's checks. flags: their findings, each "id: sentence". highest: the highest mark.
    """

    prompt: str
    ideal: str
    response: str
    criteria: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    highest: int = 5


# The share of the response's terms that prompt or ideal have: up to the first it is about something else, from the
# second on about their subject, because full answers add many words.
OFF_TOPIC, ON_TOPIC = 0.01, 0.03
SHARED_TERMS = 3  # the terms of prompt or ideal in an answer: one may be chance
OWN_TERMS = 8  # the terms beyond the prompt's that make an answer more than an echo
LIMITED = 0.15  # of these for each word of a limit; one if the prompt asks only for a word or a number
BRIEF_ROOM = 10  # the words around a single word or number

FIGURE_WEIGHT = 2.0  # a figure is rarer than a word and seldom chance
PRIOR_WEIGHT = 4.0  # terms added to every ideal, so that the share stays nearer to the usual one
PRIOR = 0.4
GRAM = 5  # characters: long enough for a stem and its neighbours, short enough for other endings
ECHO = 0.7  # the share of a sentence's terms from the prompt from which it only repeats it
SHORTER = 0.9  # the share of a prompt's length from which a text of its words is a copy, not a rewording
UNTOLD, TAKEN_IN = 0.08, 0.15  # the share of an ideal covered by chance, and by the weakest answers
KNOWN = 5  # the terms of a prompt with a subject; "make it faster" has none
PROSE = 0.1  # the share of small words below which text is a list of words
SHORT = 20  # words; a shorter list is an answer
ORDER, JUMBLE = 0.06, 0.16  # the disorder up to which text is prose, and from which its words are in random order

_FINAL = re.compile(r"\b(?:correct |final |right )?answers?(?: is| are)?: ?\$?(?P<told>[^.;\n]{0,40}(?:\.[0-9]+)?)")
_LEADING = re.compile(r"\$?(?P<told>[0-9]+(?:[.,][0-9]+)*%?)(?=[ ,;:(]|\.? |\.?$)")
_DECIDED = re.compile(r"(?:yes|no)\b")
_ASIDE = re.compile(r"\([^()]*\)")
_FIRST = re.compile(r"[^\W_]+")
_FENCED = re.compile(r"```[^`]*```")


class IdealEvidence(msgspec.Struct, frozen=True, dict=True):
    """A case and the evidence in it, computed once."""

    case: IdealCase

    @cached_property
    def prompt(self) -> frozenset[str]:
        """Return the terms of the prompt: stems of content words, and figures."""
        return terms(self.case.prompt)

    @cached_property
    def statements(self) -> list[str]:
        """Return the sentences of the ideal that describe a good answer; all of them if each one names a fault."""
        every = sentences(self.case.ideal)
        return [sentence for sentence in every if not FAULTS.search(normalise(sentence))] or every

    @cached_property
    def given(self) -> str:
        """Return the part of an answer that the prompt gives and that earns nothing; empty for a task to reword it."""
        return "" if self.revision else self.case.prompt

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Return the terms of these sentences that are not given, without usual words of ideals, and the final answer.

        If nothing is left, the first word of the ideal at the beginning.
        """
        beyond = terms(" ".join(self.statements)) - terms(self.given) - GRADING
        return beyond | self.final or opening(self.case.ideal)

    @cached_property
    def final(self) -> frozenset[str]:
        """Return the figures of the final answer, if the ideal states one or begins with one.

        Examples: "Answer: 6", "98, and nothing else".
        If the ideal begins with yes or no, that word at the beginning.
        """
        ideal = normalise(self.case.ideal)
        if _DECIDED.match(ideal):
            return opening(ideal)
        match = _FINAL.search(ideal) or _LEADING.match(ideal)
        return frozenset(figures(match["told"])) if match else frozenset()

    @cached_property
    def text(self) -> str:
        """Return the response as it is read: up to the end of its own section, without sentences for a judge."""
        kept: list[str] = []
        for line in self.case.response.splitlines():
            plain = normalise(line)
            if CLOSING.fullmatch(plain):
                break
            kept.append(_unaddressed(line) if ADDRESSED.search(plain) else line)
        return "\n".join(kept)

    @cached_property
    def response(self) -> frozenset[str]:
        """Return the terms of the response as it is read, and its first word at the beginning."""
        return terms(self.text) | opening(self.text)

    @cached_property
    def matter(self) -> frozenset[str]:
        """Return the terms of prompt and ideal: the subject."""
        return (self.prompt | self.wanted) - EMPTY

    @cached_property
    def own(self) -> frozenset[str]:
        """Return the terms that the response adds: wanted ones, and those in sentences about the subject.

        Words of answers to any prompt are left out. A sentence without a term of the subject would fit any prompt, and
        one that is mostly the prompt's repeats it: their words do not count.
        """
        added: set[str] = set()
        echo = 1.0 if self.revision else ECHO
        for sentence in sentences(self.text):
            in_sentence = terms(sentence)
            known = len(self.prompt) < KNOWN or not in_sentence.isdisjoint(self.matter)
            if known and len(in_sentence & self.prompt) < echo * len(in_sentence):
                added |= in_sentence
        wanted = self.response & self.wanted
        shorter = len(self.text) < SHORTER * len(self.case.prompt)
        kept = wanted if self.revision and shorter else wanted - self.prompt
        return frozenset(added) - EMPTY - self.prompt | kept | wanted & self.final

    @cached_property
    def told(self) -> float:
        """Return how much of the ideal is covered, 0-1.

        It is the share of its terms, and for a third the share of its letter sequences.
        Letter sequences find other endings and neighbouring words. A figure counts as two terms. An ideal of few terms
        decides little: some terms are added, unless only a word or a number is requested.
        """
        covered, whole = _weight(self.wanted & self.response), _weight(self.wanted)
        share = covered / whole if whole else 0.0
        prompt = normalise(self.given)
        sequences = {gram for gram in _grams(normalise(" ".join(self.statements))) if gram not in prompt}
        if self.brief or not sequences:
            return share
        kept = len(sequences.intersection(_grams(normalise(self.text)))) / len(sequences)
        return ((2 * share + kept) / 3 * whole + PRIOR * PRIOR_WEIGHT) / (whole + PRIOR_WEIGHT)

    @cached_property
    def altered(self) -> float:
        """Return the share of the sentences of the ideal that the response has altered."""
        kept = compared(sentences(self.text), sentences(self.case.ideal))
        return kept.count(False) / len(kept) if kept else 0.0

    @cached_property
    def brief(self) -> bool:
        """Return True if the prompt asks only for a word or a number."""
        return bool(BRIEF.search(normalise(self.case.prompt)))

    @cached_property
    def revision(self) -> bool:
        """Return True if the prompt asks to rewrite a text in it, so that most words of an answer are the prompt's."""
        return bool(REVISION.search(normalise(self.case.prompt)))

    @cached_property
    def limits(self) -> TaskLimits:
        """Return the limits in the prompt. Text in parentheses in a list limits only that part."""
        lines = self.case.prompt.splitlines()
        stated = read_limits("\n".join(_ASIDE.sub("", line) if list_mark(line) else line for line in lines))
        return replace(stated, words=BRIEF_ROOM) if self.brief and stated.words is None else stated

    @cached_property
    def standing(self) -> float:
        """Return 1 for an answer to this prompt, 0 for silence, an echo, another subject or words in disorder.

        It is linear between. Every judge multiplies by it. Nothing that the response says about itself or to its judge
        raises it.
        """
        own = self.response - EMPTY
        shared = len(own & self.matter) + len(self.response & opening(self.case.ideal) & self.wanted)
        if not shared or not self.own:
            return 0.0
        room = math.inf if self.limits.words is None else max(1.0, LIMITED * self.limits.words)
        few = 1.0 if self.brief or self.revision else room
        return (
            ramp(shared / len(own), OFF_TOPIC, ON_TOPIC)
            * ramp(shared, 0, min(SHARED_TERMS, few, max(1, len(self.matter))))
            * ramp(len(self.own), 0, min(OWN_TERMS, few))
            * (1.0 if self.brief else ramp(self.told, UNTOLD, TAKEN_IN))
            * _prose(self.text)
        )


def opening(text: str) -> frozenset[str]:
    """Return the first word of `text` as a term that only a beginning has."""
    match = _FIRST.search(text)
    return frozenset([f"^{match.group().casefold()}"]) if match else frozenset()


def _unaddressed(line: str) -> str:
    return " ".join(sentence for sentence in sentences(line) if not ADDRESSED.search(normalise(sentence)))


def terms(text: str) -> frozenset[str]:
    """Return the stems of content words, and figures in digits or words."""
    return frozenset(content_words(text)).union(figures(text), spelled_figures(text))


def _weight(terms: Iterable[str]) -> float:
    return sum(FIGURE_WEIGHT if term[0].isdigit() else 1.0 for term in terms)


def _grams(text: str) -> Iterator[str]:
    return (text[at : at + GRAM] for at in range(len(text) - GRAM + 1))


def _prose(text: str) -> float:
    """Return 1 for text with the small words of sentences in a possible order; 0 for a list or words in disorder.

    Code and short answers may be lists.
    """
    tokens = words(_FENCED.sub(" ", text))
    if len(tokens) <= SHORT:
        return 1.0
    small = sum(token in STOP_WORDS for token in tokens) / len(tokens)
    return ramp(small, 0, PROSE) * (1 - ramp(disorder(text), ORDER, JUMBLE))
