"""English text: its sentences, words, figures and names, and the words that judges look for.

Every function takes time linear in the text. Patterns read normalised text and have no nested repeats. The word lists
are short and of plain English; judges do not see other words. The answers of programs depend on every detail here, so
no library of linguistics replaces it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator
from functools import lru_cache

from nullbench_site.checks.reading import listed
from nullbench_site.packaged import word_lines, word_list, word_pairs

STOP_WORDS = word_list("stop")

_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014", "''\"\"----")
_SPELLINGS = (
    ("can't", "cannot"),
    ("won't", "will not"),
    ("n't", " not"),
    ("i'm ", "i am "),
    (" per cent", "%"),
    (" percent", "%"),
)
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022\u2023\u25aa\u00b7]|[0-9]{1,3}[.)])[ \t]+(?=\S)")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_FIGURE = re.compile(
    r"[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)*(?P<percent>\s?%|\s?per\s?cent(?:age)?\b)?", re.IGNORECASE
)
_TERM = re.compile(f"{_WORD.pattern}|{_FIGURE.pattern}", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
_RANGE = re.compile(r"\s?(?:to|and|or|vs\.?|versus|against|-)\s?", re.IGNORECASE)

_CLOSERS = "\"')]}*_"
_OPENERS = "\"'([{*_"
# Never the end of a sentence; the end only before a capital; an abbreviation only before a figure.
_JOINING = frozenset(listed("dr mr mrs ms prof st gen sen rep gov hon rev e.g i.e cf vs approx ca fig eq"))
_CLOSING = frozenset(listed("a.m p.m etc al inc ltd co corp jr sr u.s u.k u.n e.u ph.d"))
_COUNTING = frozenset(listed("no nos vol p pp sec art ch jan feb mar apr jun jul aug sep sept oct nov dec"))

_UNITS = listed("zero one two three four five six seven eight nine")
_TEENS = listed("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_SMALL = {word: value for value, word in enumerate(_UNITS + _TEENS)}
_TENS = {
    word: 10 * n for n, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
NUMBER_WORDS = {**_SMALL, **_TENS}
_SPELLED = re.compile(rf"\b(?:(?:{'|'.join(_TENS)})-(?:{'|'.join(_SMALL)})|{'|'.join(NUMBER_WORDS)})\b")


def _straight(text: str) -> str:
    """Return the text with straight quotes and plain hyphens."""
    return text if text.isascii() else text.translate(_STRAIGHT)


def normalise(text: str) -> str:
    """Return lower case, straight quotes, plain hyphens and single spaces; "n't" and "per cent" in one spelling.

    Both sides of every comparison pass through here, so that "didn't" finds "did not" and "6 percent" finds "6%".
    """
    plain = " ".join(_straight(text).casefold().split())
    for variant, spelling in _SPELLINGS:
        plain = plain.replace(variant, spelling)
    return plain


def bullets(text: str) -> list[str]:
    """Return the text of each line that opens with a bullet mark or a list number."""
    marks = ((line, _BULLET.match(line)) for line in text.splitlines())
    return [line[mark.end() :].strip() for line, mark in marks if mark]


def sentences(text: str) -> list[str]:
    """Return the sentences in order, with single spaces and without bullet marks.

    A blank line or a bullet ends a sentence, a single line break does not: answers may be wrapped. A full stop ends one
    unless it belongs to a decimal, an initial or a known abbreviation.
    """
    return [sentence for block in _blocks(text) for sentence in _split(block)]


def _blocks(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in text.splitlines():
        mark = _BULLET.match(line)
        if mark or not line.strip():
            yield " ".join(lines)
            lines = []
        lines.append(line[mark.end() :] if mark else line)
    yield " ".join(lines)


def _split(block: str) -> Iterator[str]:
    tokens = block.split()
    start = 0
    for at, token in enumerate(tokens, 1):
        if at == len(tokens) or (not token[-1].isalnum() and _ends(token, tokens[at])):
            yield " ".join(tokens[start:at])
            start = at


def _ends(token: str, following: str) -> bool:
    core = token.rstrip(_CLOSERS)
    if not core or core[-1] not in ".!?\u2026":
        return False
    opening = following.lstrip(_OPENERS)[:1]
    if core[-1] != "." or core.endswith("..") or core != token:
        return not opening.islower()  # '"Why now?" asked the mayor' goes on
    word = core[:-1].lstrip(_OPENERS)
    stem = word.casefold()
    if stem in _JOINING or (len(word) == 1 and word.isupper() and word != "I"):
        return False
    if stem in _COUNTING:
        return not opening.isdigit()
    return not (stem in _CLOSING and not opening.isupper())


def words(text: str) -> list[str]:
    """Return runs of letters in lower case, with inner apostrophes; hyphens and figures separate words."""
    return [match.group().casefold() for match in _WORD.finditer(_straight(text))]


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Return a crude stem of a word in lower case, the same for "reduced" and "reduces", "clinics" and "clinic"."""
    word = word.removesuffix("'s")
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    for suffix in ("ing", "ed", "es", "ly", "s"):
        if word.endswith(suffix) and not word.endswith("ss") and len(word) - len(suffix) >= 4:
            word = word.removesuffix(suffix)
            break
    return word.removesuffix("e") if len(word) > 4 else word


def content_words(text: str) -> list[str]:
    """Return the stems of the words that are not stop words, in order, with repeats."""
    return [stem(word) for word in words(text) if len(word) > 1 and word not in STOP_WORDS]


def figures(text: str) -> list[str]:
    """Return numbers in digits, in order: "1,204" as 1204, "3.50" as 3.5, "15 per cent" as 15%, versions whole.

    In "12 to 15%" both are percentages. They stay text: a figure of a million digits is still one figure.
    """
    plain = _straight(text)
    numbers: list[str] = []
    end = 0
    for match in _FIGURE.finditer(plain):
        percent = match.group("percent") or ""
        number = match.group().removesuffix(percent).replace(",", "")
        if number.count(".") == 1:
            number = number.rstrip("0").rstrip(".")
        if percent and numbers and not numbers[-1].endswith("%") and _RANGE.fullmatch(plain, end, match.start()):
            numbers[-1] += "%"
        numbers.append(number + ("%" if percent else ""))
        end = match.end()
    return numbers


def lacking(text: str, known: Container[str]) -> list[tuple[int, int]]:
    """Return where words and figures are whose terms are not `known`: start and end in characters.

    A term is the number of a figure without its percent sign, or the stem of a content word; of a stop word it is "".
    """
    return [match.span() for match in _TERM.finditer(_straight(text)) if _term(match.group()) not in known]


@lru_cache(maxsize=1 << 14)
def _term(token: str) -> str:
    """Return the number of a figure without its percent sign, or the stem of a content word."""
    if found := figures(token):
        return found[0].removesuffix("%")
    word = token.casefold()
    return "" if word in STOP_WORDS or len(word) < 2 else stem(word)


def spelled_figures(text: str) -> list[str]:
    """Return the numbers from zero to ninety-nine written as words, in digits."""
    return [
        str(sum(NUMBER_WORDS[part] for part in match.group().split("-")))
        for match in _SPELLED.finditer(_straight(text).casefold())
    ]


def names(text: str) -> list[str]:
    """Return capitalised words inside sentences, in order, with repeats.

    The first word of a sentence is always capitalised, and so are all words of a headline: neither shows a name.
    """
    capitalised: list[str] = []
    for sentence in sentences(text):
        tokens = [match.group() for match in _WORD.finditer(_straight(sentence))]
        capitals = [token for token in tokens[1:] if token[0].isupper()]
        if 2 * len(capitals) <= len(tokens):
            capitalised.extend(token for token in capitals if len(token) > 1 and token.casefold() not in STOP_WORDS)
    return [name.removesuffix("'s") for name in capitalised]


def unquoted(text: str) -> str:
    """Return `text` with straight quotes, without text in double ones."""
    return _QUOTED.sub(" ", _straight(text))


_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
_DETERMINERS = frozenset(listed("the a an its their our your my every"))
_LINKS = frozenset(listed("of to for with from into between during without and or but than because"))
# Words that follow neither of them.
_NO_OBJECT = frozenset(listed("of and or but than is are was were has had does did will would could because"))
_NO_NOUN = _DETERMINERS | _LINKS | _NO_OBJECT | frozenset(listed("in at by on it he she they we you this that"))
_FEW = 10.0  # this many pairs in order are added, so that a short text is not out of order by chance


def disorder(text: str) -> float:
    """Return the share of misplaced determiners and links of `text`: "the of", "to is", "with." at an end.

    For prose it is some hundredths, for words in random order a fifth or more.
    """
    placed = wrong = 0
    for sentence in sentences(text):
        tokens = [match.group().casefold() for match in _TOKEN.finditer(_straight(sentence))]
        for word, following in zip(tokens, [*tokens[1:], ""], strict=False):
            if word in _DETERMINERS or word in _LINKS:
                placed += 1
                barred = _NO_NOUN if word in _DETERMINERS else _NO_OBJECT
                wrong += (not following or following in barred) and (word, following) != ("because", "of")
    return wrong / (placed + _FEW)


def printable(text: str, limit: int) -> str:
    """Return `text` without control characters and unpaired surrogates, cut to `limit` characters."""
    return "".join(char for char in text[:limit] if unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn"))


def _pattern(name: str, form: str = r"\b(?:{})\b") -> re.Pattern[str]:
    """Return a pattern for any expression of `data/words/<name>.txt`; by default, between word boundaries."""
    return re.compile(form.format("|".join(word_lines(name))))


HEDGES = _pattern("hedges")
CONDITIONS = _pattern("conditions")
BOOSTERS = _pattern("boosters")
CAUSES = _pattern("causal")
CAUSAL_CAUTION = _pattern("causal-caution")
DENIALS = _pattern("denials")
LOADED = _pattern("loaded")
JUDGING = _pattern("judging")
LEANING = _pattern("leaning", r"(?i:(?:{})\b)")
LINKS = _pattern("links")
QUALIFIED = _pattern("qualified")
DECLINING = _pattern("declining", "{}")

GRADING = frozenset(map(stem, word_list("grading")))
"""Words of ideal answers and praise, whatever the subject."""

GENERIC = frozenset(map(stem, word_list("generic")))
"""Words of answers to any prompt."""

EMPTY = GRADING | GENERIC | {"1"}  # "one" is rarely a figure

BRIEF = _pattern("brief", "{}")
REVISION = _pattern("revising", r"\b(?:{}) (?:this|these|the (?:following|\w+ below))\b")
FAULTS = _pattern("faults", "{}")

CLOSING = re.compile(r"(?:</response> ?|\[end of response\]|#* ?end of response)+")
"""A line that closes the section with the response in a judge's prompt. Text after it is not part of the response."""

ADDRESSED = _pattern("addressed", "{}")


SIGNS = tuple((re.compile(asked), re.compile(sign)) for asked, sign in word_pairs("signs").items())
