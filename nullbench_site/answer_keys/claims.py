"""What a sentence claims in the words of its question: "The capital of Portugal is Lisbon" claims "Lisbon".

A sentence claims a text if the rest of its words are words of the question, small words, or phrases such as "I think".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from nullbench_site.answer_keys.cues import Cues
from nullbench_site.answer_keys.key import without_markup
from nullbench_site.answer_keys.phrases import LETTERS, UNSPACED, irregular
from nullbench_site.answer_keys.statements import LONGEST, sentences

_TOKEN = re.compile(rf"[{LETTERS}]|[^\W_{LETTERS}]+(?:[\u2019.-][^\W_{LETTERS}]+)*")
_CLAUSE = re.compile(
    r"(?P<contrast>,? (?:but|though|aber|sondern|mais|pero|sino|mas|ma|\u043d\u043e) )|; | - | \u2013 |: |"
    r", (?:which|who|whose|where|when) |"
    r", (?=(?:not|nicht|pas|no|non|n\u00e3o|\u043d\u0435|\u0648\u0644\u064a\u0633\u062a?) )|"
    r",? (?:while|whereas|although|w\u00e4hrend|tandis que|mientras|enquanto|mentre) |"
    r", (?=(?:so|thus|therefore|hence) )|, (?:and|und|et|y|e|also|donc|daher|quindi|\u0438|\u0430) ",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(rf"{_CLAUSE.pattern}| (?:and|but|und|aber|et|y|e|\u0438) |, ", re.IGNORECASE)
_OPTION = re.compile(r"^\W*\(?[A-Z][).:\]]\s", re.MULTILINE)
_PREPOSITION = re.compile(r"\b(in|at|on|from|for|with|during|since|after|near|to|about|into|before)\W+$", re.IGNORECASE)
_ENDING = re.compile("(?<=..)(?:ing|ed|es|e|s)$")
_STEM = 5
_SHORTEST_STEM = 4
_MOST_SENTENCES = 20
_MORE_WORDS = 3
_UNKNOWN = 2
"""The words that are neither the question's nor small, which a sentence with a known text may have."""
_SHORT = 20
"""The words of a sentence whose only known text is its answer."""
_CORRECTS = 99
"""The rank of "but it is X", above that of any number of words."""
_ASKED = 2000


class Claim(msgspec.Struct, frozen=True):
    """What a clause claims, as written. asked: the weight of its words of the question."""

    text: str
    asked: int


def stem(word: str) -> str:
    """Return the beginning of a word; of an irregular English form, that of its base."""
    folded = word.casefold()
    base = irregular().get(folded, folded)
    return (_ENDING.sub("", base) if base.isascii() else base)[:_STEM]


class _Question(NamedTuple):
    """A question without markup, its words, and without its lines of options the stems and that of the last word."""

    text: str
    words: Sequence[str]
    stems: frozenset[str]
    last: str


@lru_cache(maxsize=512)
def _read(question: str) -> _Question:
    text = without_markup(question[:_ASKED])
    options = _OPTION.search(text)
    stems = list(map(stem, _TOKEN.findall(text[: options.start()] if options and options.start() else text)))
    words = [word.casefold() for word in _TOKEN.findall(text)]
    return _Question(text, words, frozenset(stems), stems[-1] if stems else "")


def _is_statement(sentence: str) -> bool:
    return not sentence.endswith("?")


def _is_long(word: str) -> bool:
    return len(word) >= _SHORTEST_STEM or not word.isascii()


def nearest(clauses: Sequence[str], question: str) -> str | None:
    """Return the clause with most words of the question, the last of several; None if none has any.

    The last word counts more: it is the verb of "In which year did the ship sink?".
    """
    asked = _read(question)
    best, most = None, 0
    for clause in clauses:
        stems = set(map(stem, _TOKEN.findall(clause)))
        count = sum(map(_is_long, stems & asked.stems)) + 2 * (asked.last in stems)
        if count and count >= most:
            best, most = clause, count
    return best


def clauses(sentence: str) -> Sequence[str]:
    """Return the parts of a sentence between conjunctions and commas."""
    parts, start = [], 0
    for match in _CONJUNCTION.finditer(sentence):
        parts.append(sentence[start : match.start()])
        start = match.end()
    return [part for part in [*parts, sentence[start:]] if part.strip()]


class Claims:
    """Finds what sentences claim, for one question.

    texts: those looked for, without markup; an empty one is never found. case_sensitive: True: with their capitals.
    """

    def __init__(self, question: str, texts: Iterable[str], cues: Cues, *, case_sensitive: bool = False) -> None:
        asked = _read(question)
        self._asked, self._cues = asked.stems, cues
        self._question, self._words = " ".join(asked.words), frozenset(asked.words)
        self._denies = cues.denies.search(asked.text) is not None
        listed = sorted(filter(None, texts), key=len, reverse=True)
        any_of = "|".join(as_words(text, inflected=True) for text in listed) or "(?!)"
        self._any = re.compile(any_of, re.NOFLAG if case_sensitive else re.IGNORECASE)
        self._digits = any(re.search("[0-9]", text) for text in listed)
        self._names = all(text[:1].isupper() for text in listed)
        self._longest = max((len(_TOKEN.findall(text)) for text in listed), default=0)

    def best(self, lines: Iterable[str], *, others: bool) -> Claim | None:
        """Return the claim with most words of the question, the last of several; a correction takes earlier ones back.

        others: also claims of texts that are not looked for.
        """
        found: list[Claim] = []
        corrects = False
        denials: dict[str, int] = {}
        for line in lines:
            for sentence in filter(_is_statement, sentences(line)[-_MOST_SENTENCES:]):
                corrects = corrects or self._cues.corrects.match(sentence.lstrip(" *\"'")) is not None
                denied = False
                for contrast, part in self._parts(sentence):
                    clause = self._cues.supposition.sub("", part.strip(" .!,;:\"'"))
                    claim = self._claim(clause, others, contrast or corrects) or self._of_parts(clause)
                    if claim is None and denied and contrast and self._is_short(clause):
                        claim = Claim(next(iter(self._named(clause).values()), clause), _CORRECTS)
                    denied = self._cues.denies.search(clause) is not None
                    if denied and claim is None:
                        denials |= dict.fromkeys(self._named(clause), self._count(sentence)[0])
                    if claim is not None:
                        last = corrects or claim.asked == _CORRECTS or self._cues.concludes.search(clause)
                        found = [claim] if last else [*found, claim]
                        corrects = False
        most = max((claim.asked for claim in found), default=0)
        claim = next((claim for claim in reversed(found) if claim.asked == most), None)
        # A sentence that denies the text says more than one with fewer words of the question.
        return None if claim is None or claim.asked < denials.get(claim.text.casefold(), 0) else claim

    def _named(self, text: str) -> Mapping[str, str]:
        """Return the texts that are found, as written, by their form in lower case."""
        found = (match[match.lastindex or 0] for match in self._any.finditer(text))
        return {each.casefold(): each for each in found}

    def _claim(self, clause: str, others: bool, contrast: bool) -> Claim | None:
        cues = self._cues
        if self._unclear(clause) or (self._denies and self._affirms(clause)):
            return None
        named = list(self._named(clause).values())
        if len(named) > 1:
            return None
        it = cues.introduced.match(clause)
        if not named:
            if others and contrast and it and self._is_short(clause[it.end() :]):
                return Claim(clause[it.end() :].strip(), _CORRECTS)
            return self._other(re.split(r", | \(", clause, maxsplit=1)[0]) if others else None
        before, _, after = self._any.sub(" \0 ", clause).partition("\0")
        # "Since 1960, however, the capital has been Brasilia".
        asked, unknown = self._count(before.rpartition(", ")[2])
        if not asked:
            asked, unknown = self._count(before)
        if not asked:
            # "Mercury is the closest planet, at a distance of 58 million km": what follows is a remark.
            heads = after.split(", ")
            asked, more = self._count(heads[0] if heads[0].strip() or len(heads) == 1 else heads[1])
            unknown = [*unknown, *more]
        if len(unknown) > max(asked // 2, _UNKNOWN) or (not asked and unknown):
            return None
        if asked or it or self._cues.think.search(clause):
            return Claim(named[0], _CORRECTS if contrast and it and not asked else asked)
        return None

    def _unclear(self, clause: str) -> bool:
        """Return True if a clause repeats the question, denies, supposes or offers alternatives.

        "Not" answers a question with "not".
        """
        words = _TOKEN.findall(clause.casefold())
        if len(words) > 1 and " ".join(words) in self._question:
            return True
        unclear = self._cues.alternatives if self._denies else self._cues.undecided
        return any(
            cue.search(clause) for cue in (unclear, self._cues.wrong, *(() if self._denies else (self._cues.supposed,)))
        )

    def _affirms(self, clause: str) -> bool:
        """Return True if a clause says of something what the question denies: "An eagle can fly"."""
        return not self._cues.denies.search(clause) and self._count(clause)[0] > 0

    def _of_parts(self, clause: str) -> Claim | None:
        """Return the best claim of the parts of a clause with several of the texts, unless one stands alone."""
        named = [part for part in clauses(clause) if self._any.search(part)]
        if (
            len(named) < 2
            or self._unclear(clause)
            or any(not any(self._count(self._any.sub(" ", each))) for each in named)
        ):
            return None
        claims = [claim for each in named if (claim := self._claim(each, False, False)) is not None]
        most = max((claim.asked for claim in claims), default=0)
        best = {claim.text.casefold() for claim in claims if claim.asked == most}
        return claims[0] if len(best) == 1 and claims[0].asked == most else None

    def single(self, text: str) -> str | None:
        """Return the only text that a short sentence mentions; None if it denies it or mentions others."""
        named = list(self._named(text).values())
        if len(named) != 1 or len(_TOKEN.findall(text)) > _SHORT or self._unclear(text) or text.rstrip().endswith("?"):
            return None
        return named[0]

    def _parts(self, sentence: str) -> Iterator[tuple[bool, str]]:
        """Yield the clauses of a sentence, each with whether it corrects the one before it: "not X, Y", "but Y"."""
        contrast, start = False, 0
        bare = sentence[:LONGEST].strip(" *\"'")
        if self._cues.denial.match(bare) and bare.count(", ") == 1:
            head, _, tail = bare.partition(", ")
            yield from ((False, head), (True, tail))
            return
        for match in _CLAUSE.finditer(bare):
            yield contrast, bare[start : match.start()]
            contrast, start = match["contrast"] is not None, match.end()
        yield contrast, bare[start:]

    def _other(self, clause: str) -> Claim | None:
        """Return the claim of a text that is not looked for: the only run of words that the question has not."""
        asked, unknown = self._count(clause)
        if asked and not unknown and self._cues.concludes.search(clause):
            verbs = list(self._cues.verbs.finditer(clause))
            name = clause[verbs[-1].end() :].strip() if verbs else ""
            return Claim(name, asked) if self._is_short(name) and name[0].isupper() else None
        if not asked or not unknown:
            return None
        start, end = unknown[0].start(), unknown[-1].end()
        text = clause[start:end]
        before, after = self._count(clause[:start]), _TOKEN.findall(clause[end:])
        if len(_TOKEN.findall(text)) > self._longest + _MORE_WORDS or self._cues.filler.search(text):
            return None
        quoted = clause[max(0, start - 1) : start] == '"'
        preposition = _PREPOSITION.search(clause[:start])
        unasked = preposition is not None and preposition[1].casefold() not in self._words
        if (before[0] or before[1]) and ((after and not quoted) or unasked):
            return None
        if bool(re.search("[0-9]", text)) != self._digits or (self._names and text[0].islower()):
            return None
        return Claim(text, asked)

    def _is_short(self, text: str) -> bool:
        return 0 < len(_TOKEN.findall(text)) <= self._longest + 1

    def _count(self, text: str) -> tuple[int, Sequence[re.Match[str]]]:
        """Return the weight of the words of the question, and the words that are neither its nor small.

        A longer word counts twice.
        """
        asked, unknown = 0, []
        for match in _TOKEN.finditer(self._cues.filler.sub(lambda found: " " * len(found[0]), text)):
            begin, small = stem(match[0]), match[0].casefold() in self._cues.small
            named = self._names and match.start() > 0 and match[0][0].isupper()
            if begin in self._asked:
                asked += 2 if _is_long(begin) else not small
            elif named or not small:
                unknown.append(match)
        return asked, unknown


def as_words(text: str, *, inflected: bool = False) -> str:
    """Return the expression of a text as whole words, where its script has spaces; 3 is not in 3.1.

    inflected: also find a word of four letters or more with an English plural ending, and a name with "Mrs." before it.
    """
    before = "" if UNSPACED.match(text) else r"(?<![\w.,])"
    after = "" if UNSPACED.match(text[-1]) else r"(?!\w|[.,][0-9])"
    word = text.isascii() and text[-_SHORTEST_STEM:].isalpha() and len(text) >= _SHORTEST_STEM
    title = rf"(?:{before}(?:mrs?|ms|dr|prof|sir)\.? )?" if inflected and before else ""
    return f"{title}{before}({re.escape(text)}){'(?:e?s)?' if inflected and word else ''}{after}"
