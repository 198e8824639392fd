r"""The explicit answers of a response.

"The answer is X", "Answer: X", \boxed{X}, <answer>X</answer>, "I choose X", "X is the correct answer", and an X beneath
a heading "Answer". A supposition ("if the answer is X") or a question is not a statement.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice

import msgspec

from nullbench_site.answer_keys.key import Visible

LONGEST = 400
"""The characters of a statement that are read."""
_MOST = 200
"""The statements that are read, from the end."""
_NEAR = 40
_IS = r"(?:is|are|was|would be|should be|must be|will be|has to be)"
_LINK = rf" *(?:[:=]|- |\b{_IS}\b(?! not\b|n't\b)) *:?"
_STRONG = re.compile(
    r"\b(?:answers?|ans|(?:correct|right|best|final|my) (?:option|choice|selection|letter))"
    r"(?: (?:choice|option|letter))?"
    rf"(?: (?:to|for|of) [^.:=?!]{{1,60}}?)?{_LINK}"
    r"|\bi(?:'d| would|'ll| will| therefore)? (?:choose|pick|select|go with|answer|opt for)\b:?"
    r"|<answer>|\\boxed *\{|\\fbox *\{",
    re.IGNORECASE,
)
_WEAK = re.compile(rf"\b(?:correct|right|best|final|most [a-z-]{{1,20}}) [a-z]{{1,20}}{_LINK}", re.IGNORECASE)
_REVERSED = re.compile(
    r"(?:(?<![\w'])(?:option|choice|answer|statement) )?(?<![\w'])[(\[]?([A-Za-z])[)\]]?(?:[.:)] [^.\n]{1,80}?)? "
    r"is (?:therefore |thus |clearly )?(?:the|my|our) (?:(?:most )?(?:correct|right|best|final) )?"
    r"(?:answer|option|choice|one|statement)\b"
    r"|\b(?:option|choice|answer|statement) ([A-Za-z]) is (?:therefore |thus |clearly )?(?:the )?(?:correct|right|best)"
    r"(?= *(?:[.,;:!]|$|because|since))",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\W*(?:(?:the|my|final|correct|right|best) )*(?:answer|choice|option)(?: (?:choice|option))?\W*", re.IGNORECASE
)
_SUPPOSED = re.compile(
    r"\b(?:if|whether|suppose|supposing|assume|assuming|unless|imagine|not|isn't|could|might)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"\W*(?:(?:the|so|my|final|correct|therefore|thus|hence)\W+)*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)")


class StatedAnswer(msgspec.Struct, frozen=True):
    """One statement: the text with the answer, its line, and whether the line begins with the statement."""

    text: str
    line: int
    leads: bool
    boxed: bool


def statements(visible: Visible, *, letters: bool = False) -> Iterator[Sequence[str]]:
    """Yield the texts of the statements, the last first; those of equal rank come together and should agree.

    Boxes in one line have equal rank, and so have statements that begin neighbouring lines. "The right value is X" is
    weaker than a statement about an answer, and comes last. letters: also find "B is the correct answer", where the
    answer comes first.
    """
    for cue in (_STRONG, _WEAK):
        group: list[StatedAnswer] = []
        for statement in islice(_backwards(visible.lines, cue, letters and cue is _STRONG), _MOST):
            if group and not _equal(statement, group[-1]):
                yield [each.text for each in group]
                group = []
            group.append(statement)
        if group:
            yield [each.text for each in group]


def _equal(earlier: StatedAnswer, later: StatedAnswer) -> bool:
    if earlier.boxed and later.boxed:
        return earlier.line == later.line
    return earlier.leads and later.leads and later.line - earlier.line == 1


def _backwards(lines: Sequence[str], cue: re.Pattern[str], letters: bool) -> Iterator[StatedAnswer]:
    """Yield the statements from the end of the lines."""
    following = ""
    for at in reversed(range(len(lines))):
        line = lines[at]
        if cue is _STRONG and len(line) < _NEAR and _HEADING.fullmatch(line):
            yield StatedAnswer(following[:LONGEST], at + 1, True, False)
        else:
            read = [(match.start(), _read(match, at, following)) for match in deque(cue.finditer(line), _MOST)]
            if letters:
                read += [(match.start(), _reversed(match, at)) for match in deque(_REVERSED.finditer(line), _MOST)]
                read.sort(key=lambda pair: pair[0])
            yield from (statement for _, statement in reversed(read) if statement)
        following = line


def _read(match: re.Match[str], at: int, following: str) -> StatedAnswer | None:
    line, start, end = match.string, match.start(), match.end()
    leads = _LEAD.fullmatch(line, max(0, start - _NEAR), start) is not None
    if match[0].endswith("{"):
        return StatedAnswer(_box(line, end), at, leads, True)
    if _supposed(line, start):
        return None
    text = line[end : end + LONGEST].split("</answer>")[0]
    if not re.search(r"\w", text):
        return StatedAnswer(following[:LONGEST], at + 1, leads, False)
    # A box is a statement of its own, and comes later.
    if "\\boxed" in text or "\\fbox" in text:
        return None
    sentence = _SENTENCE_END.search(text)
    asked = sentence is not None and sentence[0] == "?" and not match[0].rstrip().endswith((":", "=", ">"))
    return None if asked else StatedAnswer(text, at, leads, False)


def _reversed(match: re.Match[str], at: int) -> StatedAnswer | None:
    if _supposed(match.string, match.start()):
        return None
    return StatedAnswer(match[1] or match[2], at, False, False)


def _supposed(line: str, start: int) -> bool:
    before = line[max(0, start - _NEAR) : start]
    return _SUPPOSED.search(_SENTENCE_END.split(before)[-1]) is not None


def _box(line: str, start: int) -> str:
    """Return the text between the brace before `start` and the one that closes it."""
    depth = 1
    for at in range(start, min(len(line), start + LONGEST)):
        depth += {"{": 1, "}": -1}.get(line[at], 0)
        if depth == 0:
            return line[start:at]
    return line[start : start + LONGEST]


_PLEASANTRY = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|great question|good question|hope (?:this|that|it) helps|"
    r"i hope (?:this|that|it) helps|let me know if|thank you|thanks|here is (?:my|the) answer|"
    r"here's (?:my|the) answer)\b"
    r"[^.!:]{0,60}[.!:]*",
    re.IGNORECASE,
)


def ends(lines: Sequence[str]) -> Sequence[str]:
    """Return the last and the first line that are not pleasantries, or nothing if all are."""

    def polite(line: str) -> bool:
        return _PLEASANTRY.fullmatch(line) is not None

    last = next(dropwhile(polite, reversed(lines)), None)
    return [] if last is None else [last, next(dropwhile(polite, lines))]


_DECLINES = re.compile(
    r"\W*(?:(?:i'm |i am )?(?:sorry|unable|not (?:sure|able|certain))|i (?:can't|can ?not|won't|will not|don't|do not)|"
    r"as an ai|unfortunately)\b",
    re.IGNORECASE,
)


def declines(line: str) -> bool:
    """Return True if a response that begins with `line` declines to answer."""
    return _DECLINES.match(line) is not None
