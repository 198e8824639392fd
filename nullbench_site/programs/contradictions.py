"""Compare statements with those of a reference, and find those that contradict it.

Every mark of a statement is looked up in the reference by the words around it. If the reference has another mark there,
or denies the affirmed, the statement contradicts it. If a statement follows the reference word for word, an added,
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
"""The number of statements of the reference that one is compared with."""
FOLLOWING = (0.4, 0.8)
"""The share of a statement's words that are in the closest one in the same order.

Up to the first, findings count for nothing; from the second on, in full. A reworded statement need not match the words
of the reference.
"""
VERBATIM = 0.7
"""The share from which single inserted, exchanged or omitted words are examined."""

SUPPORTED = (0.1, 0.35)
"""The share of a statement's stems in the reference: unsupported up to the first, honest rewording from the second."""
IN_ORDER, NEIGHBOURS = (0.12, 0.25), 8
"""Known neighbours in a statement: the share from which it is in order, and the fewest that are evidence.

A neighbour is known if it is also one in the reference. Of reworded facts of the shipped items, one in a hundred has
less than 0.3.
"""
SOME = 3
"""The fewest stems of a statement with content."""

CONTRADICTED, ADDED, DOUBTFUL = 0.9, 0.7, 0.3
"""The cost of a finding: a contradiction; an unsupported addition; an exchanged word, or a changed limit."""
ALIKE = 1.2
"""The likeness of places from which the marks should be equal: about two near neighbours of weight 1."""
OTHER_PLACE, CROSSED = 1.6, 1.25
"""How much more alike the place of another mark must be; and for two exchanged marks, each other's places."""
SAME_FRAME = 0.9
"""The likeness of two frames (twice their shared words by the length of both) from which they count as equal."""
DENIALS = frozenset(("denial put in", "denial left out"))
FEW = 4
"""The most tokens that can replace each other."""
_SHORTEST = 5
_NEGATIVE = re.compile(r"(?:un|in|im|ir|dis|non|mis)(?=[a-z]{4})")
_RELATIONS = frozenset(listed("before after until since by from to for against with without"))
_CONDITIONS = frozenset(listed("unless except if provided"))
_LIMITS, _GROUNDS = word_list("limits"), word_list("grounds")


class Contradiction(msgspec.Struct, frozen=True):
    """A fault of a statement: its kind, its cost, 0-1, and the word at which it was found."""

    what: str
    cost: float
    word: str


def soundness(findings: Sequence[Contradiction]) -> float:
    """Return the soundness of a statement: the product of 1 less the cost of each finding."""
    return math.prod(1 - finding.cost for finding in findings)


def parts(sentences: Sequence[str]) -> list[str]:
    """Return the statements of sentences: the parts between semicolons."""
    return [part for sentence in sentences for part in sentence.split(";") if part.strip()]


class ReferenceText(msgspec.Struct, frozen=True, dict=True):
    """Statements that are true. names: capitalised words inside them."""

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
        """Return the stems of all tokens, in every known form."""
        return frozenset[str]().union(*(known_as(statement.tokens) for statement in self.statements))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of neighbouring stems."""
        rows = [[token.stem for token in statement.tokens] for statement in self.statements]
        return frozenset(pair for row in rows for pair in pairwise(row))

    def familiar(self, statement: Statement) -> tuple[int, int]:
        """Return how many neighbours in a statement are also neighbours here, and how many could be.

        Those could be whose words are known here.
        """
        stems = [token.stem for token in statement.tokens]
        possible = [pair for pair in pairwise(stems) if self.stems.issuperset(pair)]
        return sum(pair in self.pairs for pair in possible), len(possible)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Return stem -> statement and position of each of its places."""
        places: dict[str, list[tuple[int, int]]] = {}
        for number, statement in enumerate(self.statements):
            for at in statement.content:
                places.setdefault(statement.tokens[at].stem, []).append((number, at))
        return places

    @cached_property
    def _weight(self) -> Mapping[str, float]:
        """Return stem -> its inverse document frequency over the statements, 1 if it is in a single one."""
        n = len(self.statements)
        spread = {stem: len({number for number, _ in places}) for stem, places in self._places.items()}
        return {stem: math.log(1 + n / of) / math.log(1 + n) for stem, of in spread.items()}

    @cached_property
    def _marks(self) -> Mapping[str | int, Sequence[tuple[int, StatementMark]]]:
        """Return scale -> the marks on it, each with its statement."""
        marks: dict[str | int, list[tuple[int, StatementMark]]] = {}
        for number, statement in enumerate(self.statements):
            for mark in statement.marks:
                marks.setdefault(mark.scale, []).append((number, mark))
        return marks

    def _closest(self, statement: Statement) -> Sequence[int]:
        """Return the statements with which a statement shares most of its weight, and two stems or more.

        Among equals, the first.
        """
        shared: dict[int, list[float]] = {}
        for each in statement.stems:
            for number in {number for number, _ in self._places.get(each, ())}:
                shared.setdefault(number, []).append(self._weight[each])
        near = [number for number, weights in shared.items() if len(weights) > 1]
        return sorted(near, key=lambda number: (-math.fsum(shared[number]), number))[:CLOSEST]

    def findings(self, statement: Statement) -> Sequence[Contradiction]:
        """Return the faults of a statement.

        If it shares fewer than two stems with each of these, only the share of its stems in the whole reference counts.
        """
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
        """Yield marks that the reference does not have, or that it replaces by another; at most one per token."""
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
        """Return True if a mark is at a place where the reference has the mark `other`.

        theirs: the places of that one.
        If the statement has both, they must be exchanged: the place of each is more like the other's than like its own.
        """
        here, there = self._likeness(mark, known.get(mark.side, ())), self._likeness(mark, known[other])
        if theirs is None:
            return there >= ALIKE and there > OTHER_PLACE * here
        straight = here + self._likeness(theirs, known[other])
        crossed = there + self._likeness(theirs, known.get(mark.side, ()))
        return mark.side in known and crossed >= 2 * ALIKE and crossed > CROSSED * straight

    def _likeness(self, mark: StatementMark, places: Sequence[StatementMark]) -> float:
        """Return the likeness of a mark's place to the most similar of these.

        It is the weight of shared stems, each by its nearness.
        """
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
        """Yield the first word that is denied here and always affirmed in the reference, or the reverse."""
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
    """A statement aligned with one of the reference: the tokens without punctuation, and the steps between them.

    share: of the shorter one's words, those that are in the other in the same order, 0-1.
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
        """Yield insertions, exchanges and omissions that reverse or widen the statement, or that are not `known`."""
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
        """Yield the first word that has exchanged its place with another word in the same frame.

        The frame is the function words, with other words between them: a change of order that keeps the meaning moves
        these too.
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
