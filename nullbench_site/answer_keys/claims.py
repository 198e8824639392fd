"""What a sentence claims in the words of its question: "The capital of Portugal is Lisbon" claims "Lisbon".

A sentence claims a text if the rest of its words are words of the question, small words, or phrases such as "I think".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from nullbench_site.answer_keys.cues import Cues
from nullbench_site.answer_keys.key import without_markup
from nullbench_site.answer_keys.phrases import LETTERS, UNSPACED, irregular
from nullbench_site.answer_keys.statements import LONGEST, SENTENCE_END

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
    """What a clause claims. known: True if it is one of the texts looked for. asked: its words of the question."""

    text: str
    known: bool
    asked: int


def stem(word: str) -> str:
    """Return the beginning of a word; of an irregular English form, that of its base."""
    folded = word.casefold()
    base = irregular().get(folded, folded)
    return (_ENDING.sub("", base) if base.isascii() else base)[:_STEM]


@lru_cache(maxsize=512)
def _asked(question: str) -> tuple[frozenset[str], str]:
    """Return the stems of the words of a question, without its lines of options, and the stem of the last one."""
    text = without_markup(question[:_ASKED])
    options = _OPTION.search(text)
    stems = list(map(stem, _TOKEN.findall(text[: options.start()] if options and options.start() else text)))
    return frozenset(stems), stems[-1] if stems else ""


def _is_long(word: str) -> bool:
    return len(word) >= _SHORTEST_STEM or not word.isascii()


def nearest(clauses: Sequence[str], question: str) -> str | None:
    """Return the clause with most words of the question, the last of several; None if none has any.

    The last word counts more: it is the verb of "In which year did the ship sink?".
    """
    words, last = _asked(question)
    best, most = None, 0
    for clause in clauses:
        stems = set(map(stem, _TOKEN.findall(clause)))
        count = sum(map(_is_long, stems & words)) + 2 * (last in stems)
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

    texts: those looked for, without markup. The answer of a claim is in lower case if it is one of these.
    """

    def __init__(self, question: str, texts: Iterable[str], cues: Cues) -> None:
        self._asked, self._cues = _asked(question)[0], cues
        self._question = " ".join(_TOKEN.findall(without_markup(question[:_ASKED]).casefold()))
        self._denies = cues.denies.search(without_markup(question[:_ASKED])) is not None
        self._prepositions = frozenset(map(str.casefold, _TOKEN.findall(question[:_ASKED])))
        listed = sorted(texts, key=len, reverse=True)
        self._any = re.compile("|".join(as_words(text, plural=True) for text in listed), re.IGNORECASE)
        self._digits = any(re.search("[0-9]", text) for text in listed)
        self._names = all(text[:1].isupper() for text in listed)
        self._longest = max(len(_TOKEN.findall(text)) for text in listed)

    def best(self, lines: Iterable[str], *, others: bool) -> Claim | None:
        """Return the claim with most words of the question, the last of several; a correction takes earlier ones back.

        others: also claims of texts that are not looked for.
        """
        found: list[Claim] = []
        corrects = False
        denials: dict[str, int] = {}
        for line in lines:
            for sentence in _sentences(line):
                corrects = corrects or self._cues.corrects.match(sentence.lstrip(" *\"'")) is not None
                denied = False
                for contrast, part in self._parts(sentence):
                    clause = self._cues.supposition.sub("", part.strip(" .!,;:\"'"))
                    claim = self._claim(clause, others, contrast or corrects) or self._of_parts(clause)
                    if claim is None and denied and contrast and self._is_short(clause):
                        known = self._any.search(clause)
                        claim = Claim(
                            known[known.lastindex or 0].casefold() if known else clause, known is not None, _CORRECTS
                        )
                    denied = self._cues.denies.search(clause) is not None
                    if denied and claim is None:
                        named = {match[match.lastindex or 0].casefold() for match in self._any.finditer(clause)}
                        denials |= dict.fromkeys(named, self._count(sentence)[0])
                    if claim is not None:
                        last = corrects or claim.asked == _CORRECTS or self._cues.concludes.search(clause)
                        found = [claim] if last else [*found, claim]
                        corrects = False
        most = max((claim.asked for claim in found), default=0)
        claim = next((claim for claim in reversed(found) if claim.asked == most), None)
        # A sentence that denies the text says more than one with fewer words of the question.
        return None if claim is None or claim.asked < denials.get(claim.text, 0) else claim

    def _claim(self, clause: str, others: bool, contrast: bool) -> Claim | None:
        cues = self._cues
        if self._unclear(clause) or (self._denies and self._affirms(clause)):
            return None
        named = {(match[match.lastindex or 0]).casefold() for match in self._any.finditer(clause)}
        if len(named) > 1:
            return None
        it = cues.introduced.match(clause)
        if not named:
            if others and contrast and it and self._is_short(clause[it.end() :]):
                return Claim(clause[it.end() :].strip(), False, _CORRECTS)
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
            return Claim(named.pop(), True, _CORRECTS if contrast and it and not asked else asked)
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
        best = {claim.text for claim in claims if claim.asked == most}
        return claims[0] if len(best) == 1 and claims[0].asked == most else None

    def single(self, text: str) -> str | None:
        """Return the only text that a short sentence mentions; None if it denies it or mentions others."""
        named = {(match[match.lastindex or 0]).casefold() for match in self._any.finditer(text)}
        if len(named) != 1 or len(_TOKEN.findall(text)) > _SHORT or self._unclear(text) or text.rstrip().endswith("?"):
            return None
        return named.pop()

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
            return Claim(name, False, asked) if self._is_short(name) and name[0].isupper() else None
        if not asked or not unknown:
            return None
        start, end = unknown[0].start(), unknown[-1].end()
        text = clause[start:end]
        before, after = self._count(clause[:start]), _TOKEN.findall(clause[end:])
        if len(_TOKEN.findall(text)) > self._longest + _MORE_WORDS or self._cues.filler.search(text):
            return None
        quoted = clause[max(0, start - 1) : start] == '"'
        preposition = _PREPOSITION.search(clause[:start])
        unasked = preposition is not None and preposition[1].casefold() not in self._prepositions
        if (before[0] or before[1]) and ((after and not quoted) or unasked):
            return None
        if bool(re.search("[0-9]", text)) != self._digits or (self._names and text[0].islower()):
            return None
        return Claim(text, False, asked)

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


def _sentences(line: str) -> Sequence[str]:
    """Return the last sentences of a line that are no questions."""
    sentences, start = [], 0
    for end in SENTENCE_END.finditer(line):
        sentences.append(line[start : end.end()])
        start = end.end()
    whole = [*sentences, line[start:]][-_MOST_SENTENCES:]
    return [each for each in whole if each.strip() and not each.rstrip().endswith("?")]


def as_words(text: str, *, plural: bool = False) -> str:
    """Return the expression of a text as whole words, where its script has spaces; 3 is not in 3.1.

    plural: also find a word of four letters or more with an English plural ending, and a name with "Mrs." before it.
    """
    before = "" if UNSPACED.match(text) else r"(?<![\w.,])"
    after = "" if UNSPACED.match(text[-1]) else r"(?!\w|[.,][0-9])"
    word = text.isascii() and text[-_SHORTEST_STEM:].isalpha() and len(text) >= _SHORTEST_STEM
    title = rf"(?:{before}(?:mrs?|ms|dr|prof|sir)\.? )?" if plural and before else ""
    return f"{title}{before}({re.escape(text)}){'(?:e?s)?' if plural and word else ''}{after}"
