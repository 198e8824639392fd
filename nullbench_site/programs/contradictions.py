"""Compare statements with those of a reference: does each say what the reference says?

Every mark of a statement is looked up in the reference by the words around it. If the reference has another mark there,
or denies what is affirmed, the statement contradicts it. If a statement follows the reference word for word, an added,
exchanged or missing word is doubtful. Synonyms are neither, and a statement in entirely different words cannot be
checked. Takes time linear in the number of statements.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

import msgspec

from nullbench_site.checks.reading import listed
from nullbench_site.packaged import word_list
from nullbench_site.programs.english import names, stem
from nullbench_site.programs.marks import Statement, StatementMark, Token, denies, known_as, opposed, tokens
from nullbench_site.programs.program import ramp

CLOSEST = 3
"""Statements of the reference beside which one is laid."""
FOLLOWING = (0.4, 0.8)
"""Share of a statement's words that stand in the closest one in the same order: up to the first what is found counts
for nothing, from the second on in full. Who words a thing anew is not held to the words of the reference."""
VERBATIM = 0.7
"""The share from which single words put in, exchanged or left out are looked at."""

SUPPORTED = (0.1, 0.35)
"""Share of the stems of a statement that the reference has, from none supported to what honest rewording keeps."""
IN_ORDER, NEIGHBOURS = (0.12, 0.25), 8
"""Share of the neighbours in a statement that the reference has side by side too from which it is in order, and
how many of them tell. Of facts of the shipped items in words of their own one in a hundred has less than 0.3."""
SOME = 3
"""Stems from which a statement says something."""

CONTRADICTED, ADDED, DOUBTFUL = 0.9, 0.7, 0.3
"""What a finding takes off a statement's worth: it says otherwise; it says more; a word is another, or a limit."""
ALIKE = 1.2
"""The likeness of places from which a mark is expected to be the same: about two near neighbours of weight 1."""
OTHER_PLACE, CROSSED = 1.6, 1.25
"""How much more alike the place of another mark must be, and of two marks the places of each other."""
SAME_FRAME = 0.9
"""Likeness of two frames (twice what they share by the length of both) from which they are one."""
DENIALS = frozenset(("denial put in", "denial left out"))
FEW = 4
"""Tokens that can stand in each other's place."""
_SHORTEST = 5
_NEGATIVE = re.compile(r"(?:un|in|im|ir|dis|non|mis)(?=[a-z]{4})")
_RELATIONS = frozenset(listed("before after until since by from to for against with without"))
_CONDITIONS = frozenset(listed("unless except if provided"))
_LIMITS, _GROUNDS = word_list("limits"), word_list("grounds")


class Contradiction(msgspec.Struct, frozen=True):
    """What is wrong with a statement: its kind, what it takes off, 0-1, and the word at which it was found."""

    what: str
    cost: float
    word: str


def soundness(findings: Sequence[Contradiction]) -> float:
    """What the findings leave of a statement: the product of 1 less the cost of each."""
    return math.prod(1 - finding.cost for finding in findings)


def parts(sentences: Sequence[str]) -> list[str]:
    """Return the statements of sentences: what semicolons part."""
    return [part for sentence in sentences for part in sentence.split(";") if part.strip()]


class ReferenceText(msgspec.Struct, frozen=True, dict=True):
    """Statements that are right. names: capitalised words inside them."""

    statements: Sequence[Statement]
    names: frozenset[str]

    @classmethod
    def of(cls, sentences: Sequence[str]) -> ReferenceText:
        known = frozenset(name.casefold() for name in names(" ".join(sentences)))
        return cls([Statement(tokens(sentence, known)) for sentence in sentences], known)

    def read(self, sentence: str) -> Statement:
        """Return a statement to compare with these."""
        return Statement(tokens(sentence, self.names))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Of all tokens, in every form they are known by."""
        return frozenset[str]().union(*(known_as(statement.tokens) for statement in self.statements))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Stems that stand side by side."""
        rows = [[token.stem for token in statement.tokens] for statement in self.statements]
        return frozenset(pair for row in rows for pair in pairwise(row))

    def familiar(self, statement: Statement) -> tuple[int, int]:
        """Return how many neighbours in a statement are neighbours here too, and how many could be: those known
        here."""
        stems = [token.stem for token in statement.tokens]
        possible = [pair for pair in pairwise(stems) if self.stems.issuperset(pair)]
        return sum(pair in self.pairs for pair in possible), len(possible)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Stem -> statement and position of each place where it stands."""
        places: dict[str, list[tuple[int, int]]] = {}
        for number, statement in enumerate(self.statements):
            for at in statement.content:
                places.setdefault(statement.tokens[at].stem, []).append((number, at))
        return places

    @cached_property
    def _weight(self) -> Mapping[str, float]:
        """Stem -> its inverse document frequency over the statements, 1 for one that stands in a single statement."""
        n = len(self.statements)
        spread = {stem: len({number for number, _ in places}) for stem, places in self._places.items()}
        return {stem: math.log(1 + n / of) / math.log(1 + n) for stem, of in spread.items()}

    @cached_property
    def _marks(self) -> Mapping[str | int, Sequence[tuple[int, StatementMark]]]:
        """Scale -> the marks on it, each with its statement."""
        marks: dict[str | int, list[tuple[int, StatementMark]]] = {}
        for number, statement in enumerate(self.statements):
            for mark in statement.marks:
                marks.setdefault(mark.scale, []).append((number, mark))
        return marks

    def _closest(self, statement: Statement) -> Sequence[int]:
        """Return the statements that share most of the weight of a statement, and two stems or more; of equals, the
        first."""
        shared: dict[int, list[float]] = {}
        for each in statement.stems:
            for number in {number for number, _ in self._places.get(each, ())}:
                shared.setdefault(number, []).append(self._weight[each])
        near = [number for number, weights in shared.items() if len(weights) > 1]
        return sorted(near, key=lambda number: (-math.fsum(shared[number]), number))[:CLOSEST]

    def findings(self, statement: Statement) -> Sequence[Contradiction]:
        """What is wrong with a statement. One that shares fewer than two stems with any of these is only looked at for
        how much of it the reference has anywhere."""
        known = len(statement.stems & self.stems) / max(1, len(statement.stems))
        strange = ADDED * (1 - ramp(known, *SUPPORTED)) if len(statement.stems) >= SOME else 0.0
        if strange:
            return [Contradiction("not of the source", strange, "")]
        familiar, possible = self.familiar(statement)
        mixed = CONTRADICTED * (1 - ramp(familiar / possible, *IN_ORDER)) if possible >= NEIGHBOURS else 0.0
        if mixed:
            return [Contradiction("words in disorder", mixed, "")]
        closest = self._closest(statement)
        if not closest:
            return []
        every = [Beside.of(statement, self.statements[number]) for number in closest]
        beside = max(every, key=lambda each: (each.share, -abs(len(each.own) - len(each.theirs))))
        certain = ramp(beside.share, *FOLLOWING)
        if not certain:
            return []
        denied = list(self._denied(statement, closest))
        findings = [*self._exchanged(statement, closest), *denied]
        if beside.share >= VERBATIM:
            reported = {finding.word for finding in findings}
            changes = [change for change in beside.changes(self.stems) if change.word not in reported]
            findings += [change for change in changes if not denied or change.what not in DENIALS]
        if not any(finding.what.endswith("exchanged") for finding in findings):
            findings += beside.swapped()
        return [Contradiction(each.what, each.cost * certain, each.word) for each in findings]

    def _exchanged(self, statement: Statement, closest: Sequence[int]) -> Iterator[Contradiction]:
        """Marks that the reference does not have, or has another of in their place; at most one of a token."""
        own: dict[str | int, dict[str | int, StatementMark]] = {}
        for mark in statement.marks:
            own.setdefault(mark.scale, {}).setdefault(mark.side, mark)
        reported: set[int] = set()
        for scale, sides in own.items():
            known: dict[str | int, list[StatementMark]] = {}
            for number, mark in self._marks.get(scale, ()):
                if number in closest:
                    known.setdefault(mark.side, []).append(mark)
            for side, mark in sides.items():
                if mark.at in reported:
                    continue
                what = scale if isinstance(scale, str) else "word"
                word = statement.tokens[mark.at]
                if isinstance(scale, str) and known_as([word]).isdisjoint(self.stems):
                    reported.add(mark.at)
                    yield Contradiction(f"{what} invented", CONTRADICTED, word.word)
                elif any(self._misplaced(mark, sides.get(other), known, other) for other in known if other != side):
                    reported.add(mark.at)
                    yield Contradiction(f"{what} exchanged", CONTRADICTED, word.word)

    def _misplaced(
        self,
        mark: StatementMark,
        theirs: StatementMark | None,
        known: Mapping[str | int, Sequence[StatementMark]],
        other: str | int,
    ) -> bool:
        """Return True if a mark stands where the reference has the mark `other`. theirs: where the statement has that
        one.

        Where it has both, they must have changed places: each stands more like the other than like itself.
        """
        here, there = self._likeness(mark, known.get(mark.side, ())), self._likeness(mark, known[other])
        if theirs is None:
            return there >= ALIKE and there > OTHER_PLACE * here
        straight = here + self._likeness(theirs, known[other])
        crossed = there + self._likeness(theirs, known.get(mark.side, ()))
        return mark.side in known and crossed >= 2 * ALIKE and crossed > CROSSED * straight

    def _likeness(self, mark: StatementMark, places: Sequence[StatementMark]) -> float:
        """Of the place of a mark to the most alike of these: the weight of shared stems, each by its nearness."""
        return max(
            (
                sum(
                    min(near, place.around[stem]) * self._weight.get(stem, 0.0)
                    for stem, near in mark.around.items()
                    if stem in place.around
                )
                for place in places
            ),
            default=0.0,
        )

    def _denied(self, statement: Statement, closest: Sequence[int]) -> Iterator[Contradiction]:
        """Yield the first word that is denied and in the reference always affirmed, or the other way."""
        for at, polarity in statement.polarity.items():
            token = statement.tokens[at]
            if polarity == "either" or token.kind != "word":
                continue
            known = self._polarities(token.stem, closest)
            if known == {"affirmed" if polarity == "denied" else "denied"}:
                yield Contradiction("denied" if polarity == "denied" else "no longer denied", CONTRADICTED, token.word)
                return
            root = stem(_NEGATIVE.sub("", token.word, count=1))
            made_negative = polarity == "affirmed" and not known and root != token.stem
            if made_negative and self._polarities(root, closest) == {"affirmed"}:
                yield Contradiction("denied", CONTRADICTED, token.word)
                return

    def _polarities(self, stem: str, closest: Sequence[int]) -> set[str]:
        places = self._places.get(stem, ())
        return {self.statements[number].polarity[at] for number, at in places if number in closest}


class Beside(msgspec.Struct, frozen=True):
    """A statement laid beside one of the reference: the tokens of both without punctuation, and the steps between them.

    share: of the shorter one's words that stand in the other in the same order, 0-1.
    """

    own: Sequence[Token]
    theirs: Sequence[Token]
    steps: Sequence[tuple[str, int, int, int, int]]
    share: float

    @classmethod
    def of(cls, statement: Statement, known: Statement) -> Beside:
        own, theirs = ([token for token in each.tokens if token.kind != "mark"] for each in (statement, known))
        matcher = SequenceMatcher(None, [each.stem for each in own], [each.stem for each in theirs], autojunk=False)
        matched = sum(block.size for block in matcher.get_matching_blocks())
        return cls(own, theirs, matcher.get_opcodes(), matched / max(1, min(len(own), max(len(theirs), _SHORTEST))))

    def changes(self, known: frozenset[str]) -> Iterator[Contradiction]:
        """What was put in, exchanged or left out and turns what is said, widens it, or is nothing that is `known`."""
        more, less = (sum(denies(each, at) for at in range(len(each))) for each in (self.own, self.theirs))
        for place, (kind, i, j, k, m) in enumerate(self.steps):
            if kind == "equal":
                continue
            new, gone = self.own[i:j], self.theirs[k:m]
            inside = 0 < place < len(self.steps) - 1
            brief = len(new) <= FEW and len(gone) <= FEW
            denying = [self.own[at].word for at in range(i, j) if denies(self.own, at)]
            denied = [self.theirs[at].word for at in range(k, m) if denies(self.theirs, at)]
            named, unnamed = ({each.word for each in part if each.kind == "name"} for part in (new, gone))
            turned = [each.word for each in new if any(opposed(each.word, other.word) for other in gone)]
            novel = [each.word for each in new if each.kind == "word" and each.stem not in known | _GROUNDS]
            limits, limited = ({each.word for each in part} & _LIMITS for part in (new, gone))
            if denying and not denied and more > less and brief:
                yield Contradiction("denial put in", CONTRADICTED, denying[0])
            elif denied and not denying and more < less and brief and (new or inside):
                yield Contradiction("denial left out", CONTRADICTED, denied[0])
            elif unnamed and named - unnamed and brief:
                yield Contradiction("name exchanged", CONTRADICTED, min(named - unnamed))
            elif turned:
                yield Contradiction("word exchanged", CONTRADICTED, turned[0])
            elif novel:
                more = len(novel) > 1 or any(each.word in _GROUNDS for each in new)
                yield Contradiction("words put in" if more else "another word", ADDED if more else DOUBTFUL, novel[0])
            elif len(new) == len(gone) == 1 and _RELATIONS.issuperset((new[0].word, gone[0].word)):
                yield Contradiction("another relation", DOUBTFUL, new[0].word)
            elif limits - limited and brief:
                yield Contradiction("limit put in", DOUBTFUL, min(limits - limited))
            elif limited and inside and brief and len(new) < 2:
                yield Contradiction("limit left out", DOUBTFUL, min(limited))
            elif gone and not new and gone[0].word in _CONDITIONS:
                yield Contradiction("condition left out", DOUBTFUL, gone[0].word)

    def swapped(self) -> Iterator[Contradiction]:
        """Yield the first word that stands where the other statement has one that stands elsewhere here, in the same
        frame.

        The frame is the function words, and that there is something between them: who puts a thing in another order
        moves those along.
        """
        one, other = ([each.stem * (each.kind == "function") for each in part] for part in (self.own, self.theirs))
        matcher = SequenceMatcher(None, one, other, autojunk=False)
        if matcher.ratio() < SAME_FRAME:
            return
        both = {each.stem for each in self.own} & {each.stem for each in self.theirs}
        for i, k, n in matcher.get_matching_blocks():
            for mine, theirs in zip(self.own[i : i + n], self.theirs[k : k + n], strict=True):
                if mine.stem != theirs.stem and {mine.stem, theirs.stem} <= both:
                    yield Contradiction("places exchanged", CONTRADICTED, mine.word)
                    return
