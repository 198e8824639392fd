"""Evidence for judges by an ideal answer: the words of prompt, ideal and response, and how much of the ideal is told.

A sentence with most of the words of a sentence of the ideal tells the same statement. If it also has other words,
denies something else, or has another order of words, it tells the statement altered, whatever kind of falsehood that
is. A statement in entirely different words is not recognised.
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
SMALLEST = 6  # words of a statement that can be told altered
ORDERED = 0.5  # share of neighbours kept below which the words are in another order
REACH = 3  # words behind a denial within which the word that it denies is looked for
ADDED = 2  # content words that may stand beside a whole statement: "so", "in short"

_CLAIMS = frozenset(
    listed("because due owing thanks since according says said")
)  # a cause or a speaker is a claim more
# Small words in whose place another says something else.
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
        """The stem of the first content word behind each denial, within reach."""
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
    """Return True if `answer` has the words of `reference` and says something else.

    A denial more or less, a word in the place of another, words added to the whole of it, or another order. Less than
    all of it is no alteration.
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
    """For each sentence of `reference` whether `answer` tells it as it is (True) or altered (False); None for neither.

    A sentence of the answer tells the one it is most alike, by the Dice coefficient of their words. What is told both
    ways is told.
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
    """One response to judge. checks: the types of the item's checks; flags: what these found, each "id: sentence".
    highest: of the marks to be given."""

    prompt: str
    ideal: str
    response: str
    criteria: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    highest: int = 5


# Share of the response's terms that prompt or ideal have: up to the first it is about another matter, from the second
# on about theirs, for answers in full bring many words of their own.
OFF_TOPIC, ON_TOPIC = 0.01, 0.03
SHARED_TERMS = 3  # terms of prompt or ideal that an answer takes up: one may be chance
OWN_TERMS = 8  # terms beyond the prompt's that make an answer more than an echo
LIMITED = 0.15  # of these for each word of a limit; one where the prompt asks for a word or a number alone
BRIEF_ROOM = 10  # words in which a word or a number may be given

FIGURE_WEIGHT = 2.0  # a figure is rarer than a word and seldom said by chance
PRIOR_WEIGHT = 4.0  # terms; the share stays nearer to what good answers tell of an ideal
PRIOR = 0.4
GRAM = 5  # characters: long enough for a stem and its neighbours, short enough for other endings
ECHO = 0.7  # share of a sentence's terms from the prompt from which on it only repeats it
SHORTER = 0.9  # share of the length of a prompt from which on a text of its words is a copy, not its text put anew
UNTOLD, TAKEN_IN = 0.08, 0.15  # how much any text tells of an ideal by chance, and the least that answers to it tell
KNOWN = 5  # terms of a prompt that says what it is about; "make it faster" does not
PROSE = 0.1  # share of small words below which text is a list of words
SHORT = 20  # words, up to which a list is an answer
ORDER, JUMBLE = 0.06, 0.16  # disorder up to which text is prose, and from which on its words stand in any order

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
        """Terms of the prompt: stems of content words, and figures."""
        return terms(self.case.prompt)

    @cached_property
    def statements(self) -> list[str]:
        """The sentences of the ideal that say what a good answer does; all of them where each one names a fault."""
        every = sentences(self.case.ideal)
        return [sentence for sentence in every if not FAULTS.search(normalise(sentence))] or every

    @cached_property
    def given(self) -> str:
        """What an answer has from the prompt, so that telling it is no merit; nothing where it is to be put anew."""
        return "" if self.revision else self.case.prompt

    @cached_property
    def wanted(self) -> frozenset[str]:
        """What these say beyond what is given, without the words in which ideals are put; the final answer in any case.

        Where that leaves nothing, the first word of the ideal at the beginning.
        """
        beyond = terms(" ".join(self.statements)) - terms(self.given) - GRADING
        return beyond | self.final or opening(self.case.ideal)

    @cached_property
    def final(self) -> frozenset[str]:
        """The figures of the final answer, where the ideal states one ("Answer: 6") or begins with it ("98, and nothing
        else"); yes or no at the beginning, where it begins so."""
        ideal = normalise(self.case.ideal)
        if _DECIDED.match(ideal):
            return opening(ideal)
        match = _FINAL.search(ideal) or _LEADING.match(ideal)
        return frozenset(figures(match["told"])) if match else frozenset()

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

        Words that fill any answer are left out. A sentence without a term of the matter would fit any prompt, and one
        that is mostly the prompt's repeats it: none of their words are counted.
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
        """How much of the ideal is told, 0-1: the share of its terms, and for a third that of its sequences of letters,
        which finds other endings and words that stand together.

        Of terms a figure counts twice. An ideal of few terms decides little: some are taken for granted, unless a word
        or a number alone is asked for.
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
        """Share of the sentences of the ideal that the response tells altered."""
        kept = compared(sentences(self.text), sentences(self.case.ideal))
        return kept.count(False) / len(kept) if kept else 0.0

    @cached_property
    def brief(self) -> bool:
        """Whether the prompt asks for a word or a number alone."""
        return bool(BRIEF.search(normalise(self.case.prompt)))

    @cached_property
    def revision(self) -> bool:
        """Whether the prompt asks for a text of its own in another form, of which most words are the prompt's."""
        return bool(REVISION.search(normalise(self.case.prompt)))

    @cached_property
    def limits(self) -> TaskLimits:
        """The limits the prompt states; what stands in parentheses in a list is of that part alone."""
        lines = self.case.prompt.splitlines()
        stated = read_limits("\n".join(_ASIDE.sub("", line) if list_mark(line) else line for line in lines))
        return replace(stated, words=BRIEF_ROOM) if self.brief and stated.words is None else stated

    @cached_property
    def standing(self) -> float:
        """1 for an answer to this prompt, 0 for silence, an echo, words about something else or in no order, linear
        between.

        Every judge multiplies by it. Nothing said about the response itself or to its judge raises it.
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
    """Return the first word of `text` as a term that only an opening has."""
    match = _FIRST.search(text)
    return frozenset([f"^{match.group().casefold()}"]) if match else frozenset()


def _unaddressed(line: str) -> str:
    return " ".join(sentence for sentence in sentences(line) if not ADDRESSED.search(normalise(sentence)))


def terms(text: str) -> frozenset[str]:
    """Stems of content words, and figures in digits or words."""
    return frozenset(content_words(text)).union(figures(text), spelled_figures(text))


def _weight(terms: Iterable[str]) -> float:
    return sum(FIGURE_WEIGHT if term[0].isdigit() else 1.0 for term in terms)


def _grams(text: str) -> Iterator[str]:
    return (text[at : at + GRAM] for at in range(len(text) - GRAM + 1))


def _prose(text: str) -> float:
    """Return 1 for text with the small words that make sentences, in an order that they can have; 0 for a list of
    words or words in any order. Code and short answers may be lists."""
    tokens = words(_FENCED.sub(" ", text))
    if len(tokens) <= SHORT:
        return 1.0
    small = sum(token in STOP_WORDS for token in tokens) / len(tokens)
    return ramp(small, 0, PROSE) * (1 - ramp(disorder(text), ORDER, JUMBLE))
