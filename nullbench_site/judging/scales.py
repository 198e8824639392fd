"""The scales on which judges state verdicts, and the values that a few words state: `4`, `4/5`, `four`, `A>B`, `Yes`.

A value is read only if the words state exactly one of the scale. The words may go on with reasons.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from nullbench_site.runs.records import Score

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = rf"[0-9]{{1,15}}(?:\.[0-9]{{1,15}})?|{'|'.join(_WORDS)}"
_UNIT = r"(?:\s{0,3}-?\s{0,3}(?:points?|stars?|pts?|marks?)\b)?"
_MARK = re.compile(
    rf"(?P<number>[+-]?(?:{_NUMBER}))\b(?P<percent>\s{{0,3}}(?:%|percent\b))?{_UNIT}"
    rf"(?:\s{{0,3}}(?:/|out\s{{1,3}}of|of|from)\s{{0,3}}(?:a\s(?:maximum|total|possible)\s(?:of\s)?)?(?P<of>{_NUMBER})\b)?{_UNIT}",
    re.IGNORECASE,
)
_OF = re.compile(
    rf"[(\[,]?\s{{0,3}}(?:out of|of|max(?:imum)?(?: of)?|/)\s{{0,3}}(?P<of>{_NUMBER})\s{{0,3}}[)\]]?[.,;!]?",
    re.IGNORECASE,
)
_SHARE = re.compile(r"\(?=?\s{0,3}([0-9]{1,3}(?:\.[0-9]{1,6})?)\s?%\)?[.,;]?")
_RANGE = re.compile(
    r"[(\[,]?\s{0,3}(?:(?:on|in|using)\s)?(?:(?:a|the)\s)?(?:(?:scale|range)\s)?(?:(?:of|from)\s)?"
    r"(?P<low>[0-9]{1,3})\s{0,3}(?:-|\u2013|to)\s{0,3}(?P<high>[0-9]{1,3})(?:\sscale)?\s{0,3}[)\]]?[.,;!]?",
    re.IGNORECASE,
)
_DASH = "\u2013\u2014"
_REASONS = re.compile(
    rf"(?:\s{{0,3}}[-{_DASH}:;,(|.!]|\s(?=because\b|since\b|as\b|for\b|due\b))\s{{0,3}}[^\W\d]", re.IGNORECASE
)
_UNSURE = re.compile(
    r"\b(?:or|to|maybe|perhaps|possibly|originally|initially|revised?|changed?|wait|actually|instead|rather|"
    r"(?:could|should|would|might) be|hmm|unless|if|no(?:pe)?|not|correction|then)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?<![\w/.])[0-9]{1,2}\s?[:=]\s")
"""Another mark of a list with what each means."""
_DIGIT = re.compile(rf"[0-9]|\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"<[^<>]{0,100}>|\.{2,}|\u2026|[XNxn?_]{1,3}|int(?:eger)?|number|float|score|mark|rating|(?:your|the|a|an)\s.{0,60}|"
    r"(?:yes|true|A)\s?[/|]\s?(?:no|false|B).{0,20}|.{0,40}[|].{0,40}",
    re.IGNORECASE,
)
_SPAN = re.compile(r"<?\s{0,3}([0-9]{1,3})\s{0,3}(?:-|\u2013|to|\.\.)\s{0,3}([0-9]{1,3})\s{0,3}>?")
_BOXED = re.compile(r"\$?\\{1,2}boxed\{(?:\\text\{)?([^{}]{1,40})\}{1,2}\$?[.,]?")
_WRAPPING = {
    "[": "]",
    "(": ")",
    "<": ">",
    '"': '"',
    "'": "'",
    "\u201c": "\u201d",
    "\u2018": "\u2019",
    "$": "$",
    "{": "}",
}
_MARKUP = re.compile(r"\*+|`+|__+|~~|&nbsp;|\\(?=[_*#\[\]])")
_LONGEST = 400
"""The most characters in which a value is looked for."""


class Value(NamedTuple):
    """What a few words state. value: of the scale; None if they state none of it. why: why not; empty for no verdict.

    of: True if the words name the highest mark, as 4/5 does.
    """

    value: Score | None
    why: str = ""
    of: bool = False


NONE = Value(None)


def plain(words: str, most: int = _LONGEST) -> str:
    """Return words without markup of Markdown. most: the characters that are read."""
    return _MARKUP.sub("", words[:most]).strip(" \t\r\n\ufeff\u200b\xa0")


def bare(words: str) -> str:
    """Return words without markup, and without the brackets and quotes around them."""
    words = plain(words)
    for _ in range(6):
        boxed = _BOXED.fullmatch(words)
        if boxed:
            words = boxed[1].strip()
        elif len(words) > 2 and _WRAPPING.get(words[0]) == words[-1]:
            words = words[1:-1].strip()
        else:
            break
    return words


class Marks(msgspec.Struct, frozen=True):
    """Marks from `lowest` to `highest`. whole: only whole ones. percent: they may have a sign of percent.

    labels: a pattern of the names before a mark in words. keys: the names of its member in an object.
    """

    lowest: int
    highest: int
    whole: bool = True
    percent: bool = False

    labels: str = r"score|mark|rating|grade|verdict|judge?ment|evaluation|overall|points"
    keys: tuple[str, ...] = ("score", "mark", "rating", "grade", "overall", "verdict")

    def problem(self, shown: str) -> str:
        """Return why a value is no mark."""
        return (
            f"{shown[:40]!r} is not {'an integer' if self.whole else 'a number'} from {self.lowest} to {self.highest}"
        )

    def read(self, words: str, *, reasons: bool = True) -> Value:
        """Return the mark that words state. reasons: whether they may go on with reasons."""
        text = bare(words)
        span = _SPAN.fullmatch(text)
        if span is not None and (int(span[1]), int(span[2])) == (self.lowest, self.highest):
            return NONE
        match = _MARK.match(text)
        if match is None:
            return Value(None, self.problem(text)) if _DIGIT.search(text) and not _TEMPLATE.fullmatch(text) else NONE
        of, rest = match["of"], text[match.end() :].strip()
        rest = rest.strip("\u2b50\u2605\u2606\u2705")
        share = _SHARE.fullmatch(rest)
        if share is not None and of is not None and _number(of) * float(share[1]) == 100 * _number(match["number"]):
            rest = ""
        after, scale = _OF.fullmatch(rest), _RANGE.fullmatch(rest)
        if after is not None and of is None:
            of, rest = after["of"], ""
        elif scale is not None:
            if (int(scale["low"]), int(scale["high"])) != (self.lowest, self.highest):
                return Value(None, self.problem(text))
            rest = ""
        if rest.strip(" .,;!") and not (reasons and self._goes_on(text, match.end())):
            return Value(None, self.problem(text))
        if (of is not None and _number(of) != self.highest) or (match["percent"] and not self.percent):
            return Value(None, self.problem(text))
        value = _number(match["number"])
        if not self.lowest <= value <= self.highest or (self.whole and not isinstance(value, int)):
            return Value(None, self.problem(text))
        return Value(value, of=of is not None)

    def _goes_on(self, text: str, end: int) -> bool:
        """Return True if words after a mark are its reasons, and leave it as it is."""
        rest = text[end:]
        if _REASONS.match(rest) is None:
            return False
        if _LISTED.search(rest[:200]):
            return False
        unsure = _UNSURE.search(rest[:60])
        return unsure is None or _DIGIT.search(rest[:80]) is None

    def begins_another(self, digits: str) -> bool:
        """Return True if more digits after these would make another mark of the scale."""
        if not self.whole:
            return True
        return any(
            mark != digits and mark.startswith(digits) for mark in map(str, range(self.lowest, self.highest + 1))
        )


def _number(words: str) -> int | float:
    """Return a number that is written in digits or as a word; 4.0 is 4."""
    if words.lower().lstrip("+-") in _WORDS:
        return _WORDS.index(words.lower().lstrip("+-")) * (-1 if words.startswith("-") else 1)
    value = float(words)
    return int(value) if value.is_integer() else value


class Choices(msgspec.Struct, frozen=True):
    """A few values, each with the spellings that state it. labels, keys: as in Marks.

    cased: capitals count. asked: the spellings that the prompt asks for; empty for all.
    """

    spellings: Mapping[str, Score]
    cased: bool = False
    asked: tuple[str, ...] = ()
    labels: str = r"verdict|answer|judge?ment|decision|conclusion|result|evaluation|choice|winner|preference"
    keys: tuple[str, ...] = ("verdict", "answer", "judgment", "judgement", "decision", "result", "winner", "choice")

    def problem(self, shown: str) -> str:
        """Return why words are none of the values."""
        return f"{shown[:40]!r} is none of {', '.join(self.asked or self.spellings)}"

    def read(self, words: str, *, reasons: bool = True) -> Value:
        """Return the value that words state. reasons: whether they may go on with reasons."""
        text = self._folded(bare(words))
        known = {self._folded(spelling): value for spelling, value in self.spellings.items()}
        whole = known.get(bare(text.rstrip(" .,;!")))
        if whole is not None:
            return Value(whole)
        start = max((spelling for spelling in known if text.startswith(spelling)), key=len, default=None)
        if start is None or not reasons:
            return NONE
        rest = text[len(start) :]
        if not _REASONS.match(rest):
            return Value(None, self.problem(text)) if _MIXED.match(rest) else NONE
        others = "|".join(re.escape(each) for each, value in known.items() if value != known[start])
        turn = r"actually|wait|instead|rather|or|so|but|now|is"
        turned = rf"\A\W{{0,3}}(?:(?:and|or|but)\W{{1,3}})?(?:{others})\b|\b(?:{turn})\W{{1,3}}(?:{others})(?!\w)"
        if re.search(turned, rest[:200]):
            return Value(None, self.problem(text))
        return Value(known[start])

    def _folded(self, text: str) -> str:
        """Return text as it is compared: without spaces around signs, and in lower case unless capitals count."""
        text = _SIGNS.sub(lambda match: match[1], text)
        return text if self.cased else text.lower()


_SIGNS = re.compile(r"\s{0,3}([<>=]{1,3})\s{0,3}")
_MIXED = re.compile(r"\W{0,3}(?:and|or|to|but)\b|\W{0,2}/", re.IGNORECASE)

YES_NO = Choices(
    {"yes": True, "no": False}, labels=r"verdict|answer|judge?ment|decision|conclusion|result|evaluation|right|correct"
)
"""Yes and no, in any case."""

Scale: TypeAlias = Marks | Choices
