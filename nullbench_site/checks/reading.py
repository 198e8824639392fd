"""Read the text of a response: code blocks, lists and tables of Markdown, and words, sentences and numbers.

Texts that look alike get one spelling. Responses often deviate from CommonMark, and flags depend on the exact rules for
lists and tables, so no Markdown library does this.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from string import ascii_lowercase

import msgspec

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)")
_MARK = re.compile(
    r"([ \t]*)(?:#{1,6}[ \t]+)?(?:\*\*)?(?:([-*+\u2022\u2023\u25aa\u25cf\u00b7])|[0-9]{1,3}\\?[.)])[ \t]+(?=\S)"
)
_RULE_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")


class CodeBlock(msgspec.Struct, frozen=True):
    """A fenced code block: the first word after the fence in lower case, and the code without the fence's indent."""

    label: str
    code: str


class Listing(msgspec.Struct, frozen=True):
    """The first level of a list, its marks removed, and the texts around it."""

    items: tuple[str, ...]
    before: str
    after: str


class MarkdownTable(msgspec.Struct, frozen=True):
    """The cells of a Markdown table, header first; rows may have other numbers of cells than the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def lines_of(text: str) -> list[str]:
    """Return the lines of `text`, for any kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split_fences(lines: Sequence[str]) -> tuple[list[int | None], list[CodeBlock]]:
    """Return the numbers of the lines outside code blocks, with None for each block; and the blocks.

    A block that is never closed extends to the end.
    """
    outside: list[int | None] = []
    fences: list[CodeBlock] = []
    opening: re.Match[str] | None = None
    code: list[str] = []
    for at, line in enumerate(lines):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening is None:
            if mark:
                opening, code = mark, []
                outside.append(None)
            else:
                outside.append(at)
        elif mark and _closes(mark, opening):
            fences.append(_fence(opening, code))
            opening = None
        else:
            code.append(line)
    if opening is not None:
        fences.append(_fence(opening, code))
    return outside, fences


def _closes(mark: re.Match[str], opening: re.Match[str]) -> bool:
    return not mark.group(3).strip() and mark.group(2).startswith(opening.group(2))


def _fence(opening: re.Match[str], code: Sequence[str]) -> CodeBlock:
    indent = len(opening.group(1))
    label = opening.group(3).strip("{}. \t").split(maxsplit=1)
    body = [line[:indent].lstrip() + line[indent:] for line in code] if indent else code
    return CodeBlock(label[0].casefold() if label else "", "\n".join(body))


def list_mark(line: str) -> re.Match[str] | None:
    """Return the bullet or number that `line` opens with; group 2 is the bullet, None for a number."""
    return _MARK.match(line)


def listing(lines: Sequence[str]) -> Listing | None:
    """Return the list in `lines`, or None if no line has a mark.

    Deeper lists and following lines belong to their items.
    Bullets under numbers without indent belong to the numbers, and the reverse: the first mark decides.
    """
    marks = [list_mark(line) for line in lines]
    levels = [_level(mark) for mark in marks if mark]
    if not levels:
        return None
    top = min(levels)
    topmost = [(at, mark) for at, mark in enumerate(marks) if mark and _level(mark) == top]
    numbered = topmost[0][1].group(2) is None
    starts = [(at, mark.end()) for at, mark in topmost if (mark.group(2) is None) == numbered]
    last = _end_of_item(lines, starts[-1][0])
    ends = [at for at, _ in starts[1:]] + [last]
    items = tuple(
        "\n".join([lines[start][mark:], *lines[start + 1 : end]]).strip()
        for (start, mark), end in zip(starts, ends, strict=True)
    )
    return Listing(items, "\n".join(lines[: starts[0][0]]).strip(), "\n".join(lines[last:]).strip())


def _level(mark: re.Match[str]) -> int:
    """Return the level of a mark; a single extra space does not count."""
    return len(mark.group(1).expandtabs(4)) // 2


def _end_of_item(lines: Sequence[str], start: int) -> int:
    """Return the line after the item that begins at `start`. A line without indent after an empty one ends the item."""
    for at in range(start + 1, len(lines)):
        if lines[at][:1].strip() and not lines[at - 1].strip():
            return at
    return len(lines)


def tables(lines: Sequence[str]) -> tuple[list[MarkdownTable], list[str]]:
    """Return the tables in `lines`, and the lines outside them."""
    inside: list[MarkdownTable] = []
    outside: list[str] = []
    at = 0
    while at < len(lines):
        if at + 1 < len(lines) and "|" in lines[at] and _is_rule(lines[at + 1]):
            end = at + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            inside.append(MarkdownTable(_cells(lines[at]), tuple(map(_cells, lines[at + 2 : end]))))
            at = end
        else:
            outside.append(lines[at])
            at += 1
    return inside, outside


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and all(_RULE_CELL.fullmatch(cell) for cell in _cells(line))


def _cells(line: str) -> tuple[str, ...]:
    bare = line.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return tuple(cell.strip() for cell in _parted(bare))


def _parted(bare: str) -> Iterator[str]:
    if "\\" not in bare and "`" not in bare:
        yield from bare.split("|")
        return
    start, in_code, escaped = 0, False, False
    for at, char in enumerate(bare):
        if char == "|" and not escaped and not in_code:
            yield bare[start:at]
            start = at + 1
        elif char == "`" and not escaped:
            in_code = not in_code
        escaped = char == "\\" and not escaped
    yield bare[start:]


_STRAIGHT = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201f"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
}
_KEPT_CONTROLS = "\t\n\r"
_SPACED_THOUSANDS = re.compile(r"(?<=[0-9])[\u00a0\u2009\u202f](?=[0-9]{3}(?![0-9]))")
_UNUSUAL = re.compile(r"[^\t\n\r -~]+")
_LATEX_COMMA = "{,}"
_FULL_WIDTH = frozenset(map(chr, range(0xFF01, 0xFF5F)))
# A letter and its accents, or the parts of a Korean syllable. A short run, because ordering accents is quadratic.
_COMPOSED = re.compile("[^\\W\\d_][\u0300-\u036f\u3099\u309a]{1,4}|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?")
_SHORT_FORMS = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'re ", " are "),
    ("'ve ", " have "),
    ("i'm ", "i am "),
    ("it's ", "it is "),
    ("that's ", "that is "),
    ("there's ", "there is "),
)


@lru_cache(maxsize=20_000)
def _folded(char: str) -> str | None:
    """Return the usual spelling of a character, or None if it is invisible."""
    if ord(char) in _STRAIGHT:
        return _STRAIGHT[ord(char)]
    category = unicodedata.category(char)
    if category == "Cf":  # zero-width and direction marks
        return None
    if category in ("Cc", "Cs"):
        return char if char in _KEPT_CONTROLS else " "
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if char in _FULL_WIDTH:
        return unicodedata.normalize("NFKC", char)
    # Letters only: if superscript digits became plain, ten to the sixth would read as 106.
    return unicodedata.normalize("NFKC", char) if category.startswith("L") else char


def plain(text: str) -> str:
    """Return text in usual characters, of which 1 234 is 1234.

    Straight quotes, plain hyphens, letters, digits and punctuation of usual width, accents in one form (NFC), nothing
    invisible.
    """
    unusual = set("".join(_UNUSUAL.findall(text)))
    if unusual:
        text = _COMPOSED.sub(lambda letter: unicodedata.normalize("NFKC", letter[0]), text)
        unusual = set("".join(_UNUSUAL.findall(text)))
        text = _SPACED_THOUSANDS.sub("", text).translate({ord(char): _folded(char) for char in unusual})
    return text.replace(_LATEX_COMMA, ",")


def fold(text: str) -> str:
    """Return `plain` text in lower case, with short forms written out: "Don't" is "do not"."""
    return fold_plain(plain(text))


def fold_plain(text: str) -> str:
    """Return `fold` of plain text."""
    folded = text.casefold()
    if "'" in folded or "cannot" in folded:
        for short, long in _SHORT_FORMS:
            folded = folded.replace(short, long)
    return folded


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a list written as text."""
    return tuple(text.split())


_NUMBER = r"[0-9]+(?:[.,][0-9]+)*(?:e-?[0-9]+)?(?![^\W_])"
_WORD = r"[^\W_]+(?:'[^\W_]+)*"
_MARKS = ".!?\u2026\u3002\u061f\uff01\uff1f"
# In a row of marks only the first is tried: if the row is not an end, no part of it is.
_END = rf"(?<![{_MARKS}])[{_MARKS}]+(?=[\"')\]*_]*(?:[\s\0]|$))"
_BREAK = "\0"
# Most words are plain letters, which the first alternative finds faster than the others.
_TOKEN = re.compile(rf"[a-z]+(?![^\W_]|')|{_NUMBER}|{_WORD}|{_END}|{_BREAK}")
_COUNTED = re.compile(r"[^\W_]")
# A search for a digit is fast, so conditions on the text before it come after it.
_THOUSANDS = re.compile(
    r"[0-9](?<![^\W_][0-9])(?<![0-9][.,][0-9])[0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![^\W_]|[.,][0-9])"
)
# Parts of a number, and a letter after it that makes it something else: 1.2.3x.
_PARTED = re.compile(r"[0-9](?<![0-9]{2})[0-9]*(?:[.,][0-9]+)+(?:e-?[0-9]+)?([^\W_])?")
_STOPS = f"{_MARKS}{_BREAK}"
_LETTERS = frozenset(ascii_lowercase)
_QUESTIONS = frozenset("?\u061f\uff1f")
_ABBREVIATIONS = frozenset(listed("al approx ca cf dr fig g jr mr mrs ms prof sr st vs"))


class Words(msgspec.Struct, frozen=True, dict=True):
    """The words in order.

    starts: the first word of each sentence, and the number of words at the end; questions: the sentences that ask.
    """

    words: Sequence[str]
    starts: Sequence[int]
    questions: frozenset[int]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Return the different words."""
        return frozenset(self.words)

    @cached_property
    def encoded(self) -> bytes:
        """Return the words as a text for RE2: a space before each, a line end after each sentence."""
        return "".join(f" {' '.join(self.sentence(number))}\n" for number in range(self.sentences)).encode()

    @property
    def sentences(self) -> int:
        return len(self.starts) - 1

    def sentence_of(self, at: int) -> int:
        """Return the sentence of the word at `at`."""
        return bisect_right(self.starts, at) - 1

    def sentence(self, number: int) -> Sequence[str]:
        return self.words[self.starts[number] : self.starts[number + 1]]

    def end_of(self, sentences: int) -> int:
        """Return the end of the first `sentences`."""
        return self.starts[min(sentences, self.sentences)]


def read_words(lines: Sequence[str]) -> Words:
    """Return the words of Markdown lines.

    An empty line, a bullet, a heading and a table row end a sentence; a line end does not. Numbers lose their commas:
    1,374 is 1374.
    """
    return read_folded(fold("\n".join(lines)))


def read_folded(text: str) -> Words:
    """Return `read_words` of folded lines that are one text."""
    text = _THOUSANDS.sub(lambda number: number.group().replace(",", ""), text)
    # Split here, because a search that restarts after each part would take quadratic time.
    text = _PARTED.sub(lambda parted: _apart(parted.group()) if parted.group(1) else parted.group(), text)
    pieces = _TOKEN.findall("".join(_blocks(text.split("\n"))))
    words: list[str] = []
    starts: list[int] = [0]
    questions: set[int] = set()
    begin = 0
    for at in [at for at, word in enumerate(pieces) if word[0] in _STOPS]:
        words += pieces[begin:at]
        begin = at + 1
        if len(words) > starts[-1] and (pieces[at] != "." or words[-1] not in _ABBREVIATIONS):
            if not _QUESTIONS.isdisjoint(pieces[at]):
                questions.add(len(starts) - 1)
            starts.append(len(words))
    words += pieces[begin:]
    if len(words) > starts[-1]:
        starts.append(len(words))
    return Words(words, starts, frozenset(questions))


def _apart(number: str) -> str:
    return number.replace(".", " ").replace(",", " ")


def sentence_count(text: str) -> int:
    """Return how many sentences `read_words` finds in plain text."""
    return read_folded(fold_plain(text)).sentences


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without their marks, with a break at the end of a block."""
    for line in lines:
        bare = line.lstrip(" \t>")
        if not bare:
            yield _BREAK
        elif bare[0] in _LETTERS:
            yield f" {bare}"
        elif bare[0] in "#|":
            yield f"{_BREAK}{bare}{_BREAK}"
        else:
            mark = list_mark(line)
            yield f"{_BREAK}{line[mark.end() :]}" if mark else f" {bare}"


def tokens(text: str) -> list[str]:
    """Return the words of one line, as `read_words` writes them."""
    return list(read_words([text]).words)


def word_count(text: str) -> int:
    """Count words as an editor does: runs between white space that have a letter or a digit."""
    return sum(_COUNTED.search(run) is not None for run in text.split())


_SPELLED = {
    word: float(value)
    for value, word in enumerate(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen twenty"
        )
    )
}
_TENS = {
    word: 10.0 * value for value, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), 2)
}
_POINTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_LONGEST = 40


def number(word: str) -> float | None:
    """Return the value of a word in digits, or of one from zero to twenty in letters.

    A single comma is a decimal comma: `read_words` has removed those between thousands.
    """
    if not word[0].isdigit():
        return _SPELLED.get(word)
    if len(word) > _LONGEST:
        return None
    if word.count(",") == 1:
        whole, _, fraction = word.partition(",")
        word = f"{whole.replace('.', '') if _POINTED.fullmatch(whole) else whole}.{fraction}"
    try:
        return float(word)
    except ValueError:
        return None  # a version, a date, 4th


def numbers(words: Iterable[str]) -> list[float]:
    """Return the numbers among `words`, in order and without signs."""
    likely = (word for word in words if word[0].isdigit() or word in _SPELLED)
    return [value for value in map(number, likely) if value is not None]


_MINUS = re.compile(r"(?<![\w)\].,%-])-(?=[$\u20ac\u00a3\u00a5]?\.?[0-9])")
_EQUALS = re.compile(r"[=\u2248]+(?:\s*-\s*(?=[0-9])|\s)?")
_POINT = re.compile(r"(?<![\w.,)])\.(?=[0-9])")
EQUALS = "equalsign"
"""The word for = in `with_signs`."""
_NEGATIVE = frozenset(listed("minus negative"))


def with_signs(folded: str) -> str:
    """Return folded text with a minus before a number, and =, written as words. A hyphen between words stays."""
    spelled = _EQUALS.sub(lambda sign: f" {EQUALS} {'minus ' if '-' in sign[0] else ''}", folded)
    return _POINT.sub("0.", _MINUS.sub(" minus ", spelled))


def signed_numbers(words: Sequence[str]) -> list[float]:
    """Return the numbers among words of `with_signs`, in order: of an equation what follows the last equals sign.

    Numbers in letters are read up to 999: "minus forty two" is -42. A number after "not" is left out if there are
    others.
    """
    last = max((at for at, word in enumerate(words) if word == EQUALS), default=-1)
    found = list(_signed(words, last + 1)) or list(_signed(words, 0))
    kept = [value for value, denied in found if not denied]
    return kept or [value for value, _ in found]


def _signed(words: Sequence[str], start: int) -> Iterator[tuple[float, bool]]:
    """Yield each number from `start`, and whether it is denied."""
    at, ended = start, -1
    while at < len(words):
        value, end = _number_at(words, at)
        if value is None:
            at += 1
            continue
        before = at - 1
        # In "7 minus 3" it is no sign.
        negative = before >= start and words[before] in _NEGATIVE and before != ended
        before -= negative
        yield (-value if negative else value), before >= start and words[before] == "not"
        at = ended = end


def _number_at(words: Sequence[str], at: int) -> tuple[float | None, int]:
    """Return the number that begins at `at`, and where it ends; "two hundred and five" is one number."""
    value, end = _below_hundred(words, at)
    if value is None or words[at][0].isdigit() or value >= 10 or words[end : end + 1] != ["hundred"]:
        return value, end
    rest = end + 2 if words[end + 1 : end + 2] == ["and"] else end + 1
    more, last = _below_hundred(words, rest) if rest < len(words) else (None, rest)
    if more is None or words[rest][0].isdigit() or words[last : last + 1] == ["hundred"]:
        return 100 * value, end + 1
    return 100 * value + more, last


def _below_hundred(words: Sequence[str], at: int) -> tuple[float | None, int]:
    """Return the number at `at` in digits, or in letters below 100, and where it ends."""
    tens, units = _TENS.get(words[at]), _SPELLED.get(words[at + 1], 0.0) if at + 1 < len(words) else 0.0
    if tens is None:
        return number(words[at]), at + 1
    return (tens + units, at + 2) if 1 <= units <= 9 else (tens, at + 1)


def same(one: float, other: float, tolerance: float = 0.0) -> bool:
    """Return True if two numbers differ by at most `tolerance` and the precision of floats."""
    return abs(one - other) <= tolerance + 1e-9 * max(abs(one), abs(other), 1.0)
