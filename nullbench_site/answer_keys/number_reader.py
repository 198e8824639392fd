"""How the number of a response is found.

The result of a sentence is what follows its last equals sign, or what ends it behind "is" and the like; else its only
number. Numbers of the question are set aside unless the key's is one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from math import factorial, isclose

import msgspec

from nullbench_site.answer_keys.amounts import FLOATS, Amount, amounts, prepared
from nullbench_site.answer_keys.claims import clauses, nearest
from nullbench_site.answer_keys.cues import Cues
from nullbench_site.answer_keys.key import FINISHED, Cause, Visible, cut, without_markup
from nullbench_site.answer_keys.statements import (
    LONGEST,
    RETRACTED,
    SENTENCE_END,
    declines,
    ends,
    sentences,
    statements,
)
from nullbench_site.answer_keys.stopped import in_progress, whole_sentences
from nullbench_site.answer_keys.units import Units
from nullbench_site.checks.reading import listed

# Two numbers in different units are one answer if they differ by no more: 12 km, or 7.5 miles.
_ROUNDED = 0.01
_EQUALS = re.compile(
    r"(?<![<>!=\u2264\u2265])={1,3}>?|[\u2248\u2245\u21d2\u2192\u27f9]|->|\\(?:Rightarrow|implies|to|rightarrow)"
    r"(?![A-Za-z])"
)
_MARGIN = re.compile(r"(?:\u00b1|\+/-).*", re.DOTALL)
_ASSIGNED = re.compile(r"(?<![\w.])([^\W\d_]{1,3}) ?[=\u2248]", re.IGNORECASE)
# Signs of something else: a formula, a bound, a number in words that are not read.
_OTHERWISE = re.compile(
    r"[\u221a<>\u2264\u2265]|\\[a-z]|\b(?:cos|exp|ln|log|sin|sqrt|tan|(?:more|less|fewer|greater) than|"
    r"at least|at most|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|dozen)\b",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"(?P<one>[-+]?[0-9][0-9.,]{0,30}) ?(?P<sign>[<>]) ?(?P<other>[-+]?[0-9][0-9.,]{0,30})(?![0-9])")
_IT_IS = re.compile(
    r"[;,.] ?(?:but |and |while )?([-+]?[0-9][0-9.,]{0,30}) (?:is|ist|est|es|does)[.! ]*$", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|nicht|kein|pas|no|non|n\u00e3o|\u043d\u0435)|n't|\u4e0d)(?: [^\W\d_]{1,12})?[ ,]{0,2}$",
    re.IGNORECASE,
)
_EXCLAIMED = re.compile(r"(?<![\w.,!])([0-9]{1,3})!(?=[^\w!]*$)")
_ASIDE = re.compile(r" \((?!or\b)[^()\n]{1,200}\)", re.IGNORECASE)
_OPERATED = re.compile(r"[0-9a-z)] ?[-+*/\u00d7\u00f7\u00b7] ?[0-9a-z(]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 6
_PART = 4
_BEFORE_REMARK = re.compile(r"(\W{0,3}[-+]?[0-9][0-9.,]{0,30}(?: ?[^\W\d_]{1,12})?) - (?=[^\W\d_]{2,})")
_AND = re.compile(r"\b(?:and|but|und|aber|et|mais|y|pero|e|ma|mas)$", re.IGNORECASE)
_OPEN = re.compile(r"[0-9)] ?[+*/\u00d7\u00f7\u00b7=]$")
"""The end of a calculation that was cut."""
_HAVING = re.compile(r"\b([^\W\d_]{4,20}) (?:of|is|are|was|equals|=) ([-+]?[0-9])", re.IGNORECASE)
_SMALL_NUMBER = re.compile(r"(?<![\w.,])[0-9]{1,2}(?:st|nd|rd|th)?(?![\w.,])")
_NO_CLAIM = re.compile(
    r"(?:suppose|assume|let|imagine|(?:to )?(?:double-)?(?:check|verify)|verification|checking|probe|verifica)\b",
    re.IGNORECASE,
)
_YEAR_LIKE = re.compile(r"-?[0-9]{3,4}")
_YEARS = re.compile(r"[0-9] ?years?\b", re.IGNORECASE)
_LARGEST_FACTORIAL = 20
_OF_QUESTIONS = frozenset(listed("many much what which when does that were have with"))
_FEW = 5
"""The most words of a line that is hardly more than a number."""
_AGAIN = 3
"""The lines without a number behind the last one with a number."""
_ASKED = 2000
"""The characters of a question whose numbers are read."""
_MOST_SENTENCES = 20


class Result(msgspec.Struct, frozen=True):
    """The number of a text. value: None if there is none that can be read, for the cause.

    formed: it follows "=" or "is". bare: the text has little else. last: it ends the text.
    """

    value: float | None
    cause: Cause = "other form"
    formed: bool = False
    bare: bool = False
    last: bool = False


_SEVERAL = Result(None, "several answers")
_OTHER = Result(None, "other form")


@lru_cache(maxsize=512)
def _numbers(asked: str, units: Units | None, languages: tuple[str, ...]) -> frozenset[float]:
    """Return the numbers of a question, as written."""
    text = prepared(without_markup(asked[:_ASKED]))
    plain = Units({})
    found = [each for line in text.split("\n") for sentence in line.split(",  ") for each in amounts(sentence, plain)]
    loose = (float(each) for each in re.findall(r"(?<![\w.])[0-9]{1,15}(?:\.[0-9]{1,15})?(?![\w.][0-9])", text))
    return frozenset({each.written for each in found if each.written is not None}.union(loose))


class NumberReader:
    """Reads one response for one key."""

    def __init__(self, visible: Visible, units: Units, meets: Callable[[float], bool]) -> None:
        self._visible, self._units, self._meets = visible, units, meets
        self._cues: Cues = visible.cues

    @cached_property
    def _asked(self) -> frozenset[float]:
        """Return the numbers of the question, or none if the key's value is one of them."""
        numbers = _numbers(self._visible.asked, None, self._visible.languages)
        return frozenset() if any(map(self._meets, numbers)) else numbers

    @cached_property
    def _wanted(self) -> int:
        """Return 1 if the question asks for the larger number, -1 for the smaller one, 0 if it asks for neither."""
        asked = without_markup(self._visible.asked[:_ASKED])
        return self._direction(asked)

    def _direction(self, text: str) -> int:
        up, down = self._cues.up.search(text), self._cues.down.search(text)
        return 0 if (up is None) == (down is None) else 1 if up else -1

    def results(self) -> Iterator[Result]:
        """Yield the numbers of the response, the most reliable reading first."""
        for group in statements(self._visible):
            if group[0] == RETRACTED:
                return
            if any(declines(text, self._cues) for text in group):
                return
            yield from self._together([self._stated(text[:LONGEST]) for text in group])
        lines = self._visible.lines
        if not lines or declines(lines[0], self._cues):
            return
        if _OPEN.search(lines[-1]) or self._breaks_off():
            return
        edges = list(dict.fromkeys(ends(self._visible)))
        bare = [line for line in edges if len(_WORD.findall(line)) <= _FEW and not self._is_no_claim(line)]
        whole = [self._sentence(self._prepared(self._exclaimed(line[-LONGEST:]))) for line in bare]
        own = [
            each if each is None or each.value not in self._asked or len(_WORD.findall(line)) <= 1 else None
            for line, each in zip(bare, whole, strict=True)
        ]
        yield from self._together([each for each in own if each is not None and each.bare])
        if self._visible.stopped:
            yield from self._claimed()
            if self._visible.unfinished and (len(lines) > 1 or SENTENCE_END.search(lines[0])):
                return
        for line in reversed(lines[-_AGAIN:]):
            if line is not lines[-1] and declines(line, self._cues):
                return
            found = self._line(line)
            claimed = found is not None and (found.formed or found.bare or self._echoes_at(line, found))
            if self._visible.unfinished and not claimed:
                return
            if found is not None:
                yield found
                return
            if self._cues.declines.search(line[:LONGEST]):
                return

    def _breaks_off(self) -> bool:
        """Return True if a worked solution of several lines ends within a sentence and not in a number."""
        text = self._visible.raw.rstrip()
        ended = text.endswith(FINISHED) or text[-1].isdigit() or len(self._visible.lines) == 1
        return not ended and len(self._visible.lines[-1].split()) > _FEW and in_progress(self._visible)

    def _claimed(self) -> Iterator[Result]:
        """Yield the answer that a whole sentence claims, before the text goes on and is cut."""
        if in_progress(self._visible):
            return
        others = []
        for sentence in whole_sentences(self._visible):
            if self._is_no_claim(sentence) or _EQUALS.search(sentence) or declines(sentence, self._cues):
                continue
            found = self._sentence(self._prepared(sentence[:LONGEST]))
            if found is None or found.value is None:
                continue
            claimed = msgspec.structs.replace(found, last=False)
            if self._echoes(sentence):
                yield claimed
                return
            if found.formed:
                others.append(claimed)
        yield from others[:1]

    def _exclaimed(self, text: str) -> str:
        """Return the text with an exclamation mark behind its last number as a full stop, or the factorial."""

        def read(match: re.Match[str]) -> str:
            value = factorial(int(match[1])) if int(match[1]) <= _LARGEST_FACTORIAL else 0
            return str(value) if self._meets(float(value)) else f"{match[1]}."

        return _EXCLAIMED.sub(read, text)

    def _echoes(self, sentence: str) -> bool:
        """Return True if a sentence has a quarter of the longer words of the question, as a direct answer to it has."""
        questions = [each for each in SENTENCE_END.split(self._visible.asked.strip().rstrip("?. ")) if each.strip()]
        asked = _stems(questions[-1]) if questions else frozenset()
        return bool(asked) and _PART * len(asked & _stems(sentence)) >= len(asked)

    def _echoes_at(self, line: str, found: Result) -> bool:
        """Return True if the part of a line that has the number echoes the question."""
        return any(
            read.value == found.value and self._echoes(part)
            for part in clauses(self._prepared(line))
            if (read := self._clause(part)) is not None
        )

    def _together(self, several: Iterable[Result | None]) -> Iterator[Result]:
        """Yield all results as one, if there is any."""
        some = list(dict.fromkeys(each for each in several if each is not None))
        if len({each.value for each in some}) == 1:
            yield some[0]
        elif some:
            yield _OTHER if any(each.value is None and each.cause == "other form" for each in some) else _SEVERAL

    def _line(self, line: str) -> Result | None:
        """Return the number of a line: that of its last sentence that has one by its form, else its only one."""
        said = sentences(self._prepared(line[-5 * LONGEST :]))[-_MOST_SENTENCES:]
        read = [(each, self._sentence(each)) for each in said if not self._is_no_claim(each)]
        for at, (_, result) in enumerate(reversed(read)):
            if result is not None and result.value is not None and (result.formed or (at == 0 and result.bare)):
                return result
        found = [result for _, result in read if result is not None]
        result = next(self._together(found), None)
        if result is None or result.value is not None:
            return result
        clear = {each: found for each, found in read if found is not None and found.value is not None}
        best = nearest([each for each in said if each in clear], self._visible.asked)
        unclear = any(found is not None and found.value is None for _, found in read)
        if best is not None and not unclear and self._echoes(best):
            return clear[best]
        return self._nearest([each for each, _ in read]) or result

    def _nearest(self, claims: Sequence[str]) -> Result | None:
        """Return the number of the clause with most words of the question; None if it has no single one."""
        finished = self._visible.raw.rstrip().endswith(FINISHED) or not in_progress(self._visible)
        if not finished or any(self._cues.undecided.search(each) for each in claims):
            return None
        parts = [part for each in claims for part in clauses(each)]
        numbered = [(part, read) for part in parts if (read := self._clause(part)) is not None]
        best = nearest([part for part, _ in numbered], self._visible.asked)
        result = next((read for part, read in numbered if part == best), None)
        return result if result is not None and result.value is not None else self._named(parts)

    def _named(self, parts: Sequence[str]) -> Result | None:
        """Return the number that a word of the question is said to have: "a remainder of 2"; None if several are."""
        asked = _stems(self._visible.asked[:_ASKED])
        found = [
            self._only(part[match.start(2) :].split(" and ")[0], claimed=True)
            for part in parts
            for match in _HAVING.finditer(part)
            if match[1].casefold()[:_STEM] in asked
        ]
        return found[0] if len(found) == 1 else None

    def _prepared(self, text: str, *, in_list: bool = True) -> str:
        """Return the text without what looks like a number and is none, and without days if a year is asked for."""
        return prepared(self._cues.day.sub(" ", text) if self._asks_year else text, in_list=in_list)

    def _clause(self, clause: str) -> Result | None:
        clause = _SMALL_NUMBER.sub(" ", clause) if self._asks_year else clause
        result = self._only(self._cleared(clause), claimed=True)
        if result is None or result.value is None:
            return result
        year = _YEAR_LIKE.fullmatch(f"{result.value:.15g}") and not _YEARS.search(clause)
        return None if self._asks_year and not year else result

    @cached_property
    def _asks_year(self) -> bool:
        """Return True if the question asks for a year."""
        return not self._units.names and self._cues.asks_year.search(self._visible.asked[:_ASKED]) is not None

    def _is_no_claim(self, sentence: str) -> bool:
        """Return True for a question and a supposition."""
        bare = sentence.strip()
        if bare.endswith("?"):
            return (
                len(bare.split()) > 3
                or re.match(r"(?:is|are|was|do|does|could|can|would)\b", bare, re.IGNORECASE) is not None
            )
        return _NO_CLAIM.match(bare) is not None

    def _stated(self, text: str) -> Result | None:
        """Return the number of the text behind "the answer is"."""
        text = self._prepared(self._exclaimed(text), in_list=False)
        sentence = SENTENCE_END.split(text, maxsplit=1)[0]
        head = self._before_reason(_MARGIN.sub("", sentence))
        equation = self._equation(head) if _EQUALS.search(head) else None
        if equation is not None:
            return equation
        short = self._cleared(cut(head) if not _OPERATED.search(cut(head, dashes=False)) else cut(head, dashes=False))
        result = self._only(short, claimed=True)
        if result is not None and result.value is not None:
            return result
        formed = self._formed(self._cleared(sentence)) or self._concluded(sentence, self._cues.remark)
        if formed is not None:
            return formed
        return self._compared(sentence) or result

    def _sentence(self, text: str) -> Result | None:
        """Return the number of a sentence without "answer"; None if it claims none."""
        text = _MARGIN.sub("", text)
        if head := _BEFORE_REMARK.match(text):
            return self._only(head[1], claimed=True)
        outside = _ASIDE.sub(" ", text)
        text = outside if amounts(outside, self._units) else text
        concluded = self._concluded(text, self._cues.conclusion)
        if concluded is not None:
            return concluded
        leading = self._cues.leading.match(text)
        rest = text[leading.end() :] if leading else text
        main = self._before_reason(rest if amounts(rest, self._units) else text)
        if _EQUALS.search(main):
            equation = self._equation(main)
            if equation is not None:
                return equation
        compared = self._compared(main)
        if compared is not None:
            return compared
        cleared = self._cleared(main)
        result = self._formed(cleared) or self._only(cleared, claimed=False)
        if result is not None and not any(each.own for each in amounts(cleared, self._units)):
            # "0 \u00b0C, which is 30 \u00b0F": the number in the key's unit counts.
            return self._concluded(text, self._cues.remark) or result
        if result is None or result.value is None:
            behind = text.rpartition(": ")
            named = self._sentence(behind[2]) if behind[1] and amounts(behind[2], self._units) else None
            return self._concluded(text, self._cues.remark) or named or result
        return result

    def _before_reason(self, text: str) -> str:
        """Return the text up to a reason, if it has a number before it."""
        for match in islice(self._cues.reason.finditer(text), _MOST_SENTENCES):
            before = text[: match.start()]
            if amounts(before, self._units) and not _AND.search(before):
                return before
        return text

    def _concluded(self, text: str, cue: re.Pattern[str]) -> Result | None:
        """Return the number behind the last "so", "leaving", or with a wider cue "which is"."""
        last = None
        for match in cue.finditer(text):
            digit = re.search(r"[0-9]", text[match.end() :])
            if (
                digit
                and match.start() > 0
                and not self._cues.comparing.search(text, match.end(), match.end() + digit.start())
            ):
                last = match
        if last is None:
            return None
        tail = self._before_reason(text[last.end() :])
        if _EQUALS.search(tail):
            return self._equation(tail)
        result = (
            self._formed(self._cleared(tail)) or self._compared(tail) or self._only(self._cleared(tail), claimed=True)
        )
        return (
            None if result is None or result.value is None else msgspec.structs.replace(result, formed=True, bare=False)
        )

    def _equation(self, text: str) -> Result | None:
        """Return the number behind the last equals sign."""
        assigned = {name.casefold() for name in _ASSIGNED.findall(text)}
        parts = _EQUALS.split(text)
        side = parts[-1]
        if len(assigned) > 1 and not self._cues.conclusion.search(text):
            return _SEVERAL
        given = re.findall(r"(?<![\w.+*/-])([^\W\d_]{1,3}) ?= ?([-+]?[0-9][0-9.,]*)(?! ?[-+*/0-9])", text)
        if len({value.rstrip(".,") for _, value in given}) > 1 and len(given) == len(parts) - 1:
            return _SEVERAL
        if not amounts(side, self._units) and len(parts) > 1:
            if _OTHERWISE.search(side):
                return _OTHER
            side = parts[-2] if re.search(r"[^\W\d_]", side) else side
        first = SENTENCE_END.split(side, maxsplit=1)[0]
        result = self._only(self._cleared(cut(first, dashes=False)), claimed=True)
        if result is None or result.value is None:
            return result
        return msgspec.structs.replace(result, formed=True, bare=False)

    def _cleared(self, text: str) -> str:
        """Return the text without numbers that it denies or compares with."""
        return self._cues.compared.sub(" ", self._cues.denied_number.sub(" ", text))

    def _compared(self, text: str) -> Result | None:
        """Return the subject of a comparison: 9.9 in "9.9 is larger than 9.11"; None without a comparison.

        If the question asks for the other direction, it is what the subject is compared with.
        """
        ordered = _ORDERED.search(text)
        if ordered and not _EQUALS.search(text):
            if self._wanted == 0 or len(_ORDERED.findall(text)) > 1:
                return _SEVERAL
            first = (ordered["sign"] == ">") == (self._wanted > 0)
            return self._only(ordered["one"] if first else ordered["other"], claimed=True)
        match = self._cues.compared.search(text)
        if match is None:
            return None
        before, direction = text[: match.start()], self._direction(match[0])
        elliptical = _IT_IS.search(text[match.end() :])
        if elliptical:
            return self._only(elliptical[1], claimed=True)
        if direction and _DENIED.search(before):
            found = amounts(match[0], self._units)
            if len(found) != 1 or self._wanted == 0 or self._asked:
                return _OTHER
            compared = match[0][found[0].start : found[0].end]
            return self._only(compared if direction == self._wanted else before, claimed=True)
        if direction and self._wanted and direction != self._wanted and not self._asked:
            objects = amounts(match[0], self._units)
            return None if len(objects) != 1 else self._only(match[0][objects[0].start : objects[0].end], claimed=True)
        if direction == 0 and self._is_about(before) and len(objects := amounts(match[0], self._units)) == 1:
            return self._only(match[0][objects[0].start : objects[0].end], claimed=True)
        rest = before + " " + text[match.end() :]
        formed = (
            self._formed(self._cues.denied_number.sub(" ", rest)) if amounts(text[match.end() :], self._units) else None
        )
        if formed is not None:
            return formed
        subject = self._only(self._cues.denied_number.sub(" ", before), claimed=True)
        if subject is not None and subject.value is not None:
            return msgspec.structs.replace(subject, formed=True, bare=False)
        return subject or _OTHER

    def _is_about(self, subject: str) -> bool:
        """Return True if the question names the subject, as in "Is 3.9 closer to 4 or to 3?"."""
        asked = without_markup(self._visible.asked[:_ASKED])
        match, found = self._cues.compared.search(asked), amounts(subject, self._units)
        if match is None or len(found) != 1:
            return False
        return any(each.written == found[0].written for each in amounts(asked[: match.start()], self._units))

    def _formed(self, text: str) -> Result | None:
        """Return the number that ends the sentence behind "is", "equals" and the like."""
        found = amounts(text, self._units)
        if not found or found[-1].value is None:
            return None
        formed = [each for each in found if self._follows_verb(text[max(0, each.start - 60) : each.start], each)]
        if not formed or formed[-1] is not found[-1] or _OTHERWISE.search(text[found[-1].start :]):
            return None
        others = {each.value for each in formed if each.value is not None and each.written not in self._asked}
        if len(others) > 1 and not self._cues.conclusion.search(text):
            return None
        tail = text[found[-1].end :].strip(" .!)]}\"'*")
        return Result(found[-1].value, formed=True, last=not tail)

    def _follows_verb(self, before: str, amount: Amount) -> bool:
        if amount.written in self._asked and self._cues.owning_verb.search(before):
            return False
        return self._cues.result_verb.search(before) is not None

    def _only(self, text: str, *, claimed: bool) -> Result | None:
        """Return the only number of a text, without those of the question if there are several."""
        found = amounts(text, self._units)
        if not found:
            unread = _OTHERWISE.search(text) if claimed else None
            return _OTHER if unread and re.search(r"[0-9]|[a-z]{3,}y\b|hundred", text) else None
        rest = text
        for each in found:
            rest = rest.replace(text[each.start : each.end], " ", 1)
        words = len(re.findall(r"[^\W\d_]{2,}", rest))
        spelled = not re.search(r"[0-9]", text)
        if spelled and not claimed and words > 1:
            found = [each for each in found if text[each.start : each.end].casefold().split()[0] != "one"]
        bare = words <= 1 and "=" not in text
        if not claimed and not bare:
            found = [each for each in found if each.written is None or each.written not in self._asked]
        elif len(found) > 1:
            found = [each for each in found if each.written is None or each.written not in self._asked] or found
        if not found:
            return None
        if _OTHERWISE.search(text) or any(each.value is None for each in found):
            return msgspec.structs.replace(_OTHER, bare=bare)
        one = _one(found)
        if one is None:
            return msgspec.structs.replace(_SEVERAL, bare=bare)
        tail = text[found[-1].end :].strip(" .!)]}\"'*")
        return Result(one, bare=bare, last=not tail)


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the longer words, but for those of most questions."""
    return frozenset(word[:_STEM] for word in _LONG_WORD.findall(text.casefold())) - _OF_QUESTIONS


def _one(found: Sequence[Amount]) -> float | None:
    """Return the one number of all; None if they differ. The same quantity in two units is one."""
    best = next((each for each in found if each.own), found[0])
    for each in found:
        nearness = FLOATS if each.own == best.own else _ROUNDED
        if each.value is None or best.value is None or not isclose(each.value, best.value, rel_tol=nearness):
            return None
    return best.value
