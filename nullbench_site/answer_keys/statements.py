r"""The explicit answers of a response.

"The answer is X", "Answer: X", \boxed{X}, <answer>X</answer>, "I choose X", "X is the correct answer", an X beneath a
heading "Answer", and "Wait, it is X". These claim nothing: a supposition ("if the answer is X"), a question, and a
letter that is called wrong ("a wrong answer is X"). answer_keys/cues.py has the phrases.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain, dropwhile, islice, pairwise

import msgspec

from nullbench_site.answer_keys.cues import Cues
from nullbench_site.answer_keys.key import Visible

LONGEST = 400
"""The characters of a statement that are read."""
RETRACTED = "\0"
"""The text of a statement that takes back the one before it, and claims no other."""
_MOST = 200
"""The statements that are read, from the end."""
_FIRST, _LAST = 4_000, 20_000
"""The characters at the beginning and at the end of a response in which statements are searched."""
_NEAR = 60
_LEAD = re.compile(
    r"\W*(?:(?:the|so|my|final|correct|therefore|thus|hence|la|die|le|el|\u6240\u4ee5)\W+)*", re.IGNORECASE
)
SENTENCE_END = re.compile(
    r"(?<!\bvs)(?<!\bca)(?<!approx)(?<!\bNo)(?<!\bRs)(?<!\be\.g)(?<!\bi\.e)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)[.!?;](?=\s|$)"
)
"""The end of a sentence; 3.5, "approx. 3" and "Dr. No" have none."""
_TOGETHER = re.compile(
    r"(?<![\w'])[(\[]?[A-Z][)\]]?(?:, [(\[]?[A-Z][)\]]?)*,? (?:and|or|und|oder|et|ou|y|o|e|\u0438|&) [(\[]?$"
)
_OPENS = re.compile(r"(?:^|[.!?] )\W*(?:(?:the|so|my|our|final|thus|therefore|hence)[, ]+)*$", re.IGNORECASE)
_LONGEST_CORRECTION = 6


def sentences(line: str) -> Sequence[str]:
    """Return the sentences of a line with their marks, without spaces around them."""
    ends_at = [end.end() for end in SENTENCE_END.finditer(line)]
    parts = (line[start:end].strip() for start, end in pairwise([0, *ends_at, len(line)]))
    return [part for part in parts if part]


class StatedAnswer(msgspec.Struct, frozen=True):
    """One statement: the text with the answer, its line, and whether the line begins with the statement.

    final: True if it is called the final one.
    """

    text: str
    line: int
    leads: bool
    boxed: bool
    final: bool = False


def statements(visible: Visible, *, letters: bool = False) -> Iterator[Sequence[str]]:
    """Yield the texts of the statements, the last first; those of equal rank come together and should agree.

    Boxes in one line have equal rank, and so have statements that begin neighbouring lines. "The right value is X" and
    "Result: X" are weaker than a statement about an answer, and come last. letters: also find "B is the correct
    answer", where the answer comes first.
    """
    phrases, lines = visible.cues, _searched(visible.lines)
    for strong in (True, False):
        group: list[StatedAnswer] = []
        for statement in islice(_backwards(lines, phrases, strong, letters and strong), _MOST):
            if group and not _equal(statement, group[-1]):
                yield [each.text for each in group]
                group = []
            group.append(statement)
        if group:
            yield [each.text for each in group]


def _searched(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines in which statements are searched: of a long response its beginning and its end."""
    if sum(map(len, lines)) <= _FIRST + _LAST:
        return lines
    text = "\n".join(lines)
    return [*text[:_FIRST].split("\n"), *text[-_LAST:].split("\n")]


def _equal(earlier: StatedAnswer, later: StatedAnswer) -> bool:
    if earlier.boxed and later.boxed:
        return earlier.line == later.line
    more_final = later.final and not earlier.final
    return earlier.leads and later.leads and later.line - earlier.line == 1 and not more_final


def _backwards(lines: Sequence[str], phrases: Cues, strong: bool, letters: bool) -> Iterator[StatedAnswer]:
    """Yield the statements from the end of the lines."""
    following = ""
    cue = phrases.strong if strong else phrases.weak
    for at in reversed(range(len(lines))):
        line = lines[at]
        if strong and len(line) < _NEAR and phrases.heading.fullmatch(line) and not phrases.wrong.search(line):
            yield StatedAnswer(following[:LONGEST], at + 1, True, False)
        else:
            read = [(match.start(), _read(match, at, following, phrases)) for match in deque(cue.finditer(line), _MOST)]
            if not strong:  # "The result is what they wanted" within a line names no answer.
                read = [
                    (start, each)
                    for start, each in read
                    if each
                    and (
                        _opens(line, start) or not phrases.results.match(line, start) or ":" in line[start : start + 30]
                    )
                ]
            if strong:
                read += _corrections(line, at, phrases, letters)
            if letters:
                read += [
                    (match.start(), _reversed(match, at, phrases))
                    for match in deque(phrases.reversed.finditer(line), _MOST)
                ]
            read.sort(key=lambda pair: pair[0])
            yield from (statement for _, statement in reversed(read) if statement)
        following = line


def _corrections(line: str, at: int, phrases: Cues, letters: bool) -> Iterator[tuple[int, StatedAnswer]]:
    """Yield the short answers behind "wait, it is", and what takes an answer back."""
    cue = phrases.corrected_letters if letters else phrases.corrected
    for match in deque(cue.finditer(line), _MOST):
        text = line[match.end() : match.end() + LONGEST]
        sentence = SENTENCE_END.split(text)[0]
        short = len(re.split(r"[,(]", sentence)[0].split()) <= _LONGEST_CORRECTION
        if short and not text[len(sentence) :].startswith("?") and not _supposed(line, match.start(), phrases):
            yield match.start(), StatedAnswer(text, at, False, False)
    if letters:
        for match in deque(chain(phrases.contrasted.finditer(line), phrases.corrected_directly.finditer(line)), _MOST):
            if not _supposed(line, match.start(), phrases):
                yield match.start(), StatedAnswer(line[match.end() : match.end() + LONGEST], at, False, False)
    if "?" in line:
        for match in deque(phrases.asked_and_denied.finditer(line), _MOST):
            text = line[match.end() : match.end() + LONGEST]
            if len(SENTENCE_END.split(text)[0].split()) <= _LONGEST_CORRECTION:
                yield match.start(), StatedAnswer(text, at, False, False)
    for match in deque(phrases.retracted.finditer(line), _MOST):
        yield match.start(), StatedAnswer(RETRACTED, at, False, False)


def _read(match: re.Match[str], at: int, following: str, phrases: Cues) -> StatedAnswer | None:
    line, start, end = match.string, match.start(), match.end()
    leads = _LEAD.fullmatch(line, max(0, start - _NEAR), start) is not None
    if match[0].endswith("{"):
        return StatedAnswer(_box(line, end), at, leads, True)
    before = line[max(0, start - _NEAR) : start]
    if _supposed(line, start, phrases) or phrases.wrong.search(match[0]) or phrases.wrong_before.search(before):
        return None
    text = line[end : end + LONGEST].split("</answer>")[0]
    if not re.search(r"\w", text):
        return StatedAnswer(following[:LONGEST], at + 1, leads, False)
    # A box is a statement of its own, and comes later.
    if "\\boxed" in text or "\\fbox" in text:
        return None
    quoted = re.match(r' ?"([^"\n]{1,300})"', text)
    if quoted and not re.match(rf" ?(?:{phrases.any_of('or', 'and')}|/)", text[quoted.end() :], re.IGNORECASE):
        return StatedAnswer(quoted[1], at, leads, False)
    # A field of JSON, with others after it.
    text = re.split(r',? "[A-Za-z_ ]{1,40}" ?:', text)[0] if line[:start].endswith(('"', "_")) else text
    sentence = SENTENCE_END.search(text)
    asked = sentence is not None and sentence[0] == "?" and not match[0].rstrip().endswith((":", "=", ">", "|"))
    final = "final" in line[max(0, start - _NEAR) : end].casefold()
    return None if asked else StatedAnswer(text, at, leads, False, final)


def _reversed(match: re.Match[str], at: int, phrases: Cues) -> StatedAnswer | None:
    line, end = match.string, match.end()
    if _supposed(line, match.start(), phrases) or phrases.wrong.search(match[0]):
        return None
    if phrases.wrong.match(line[end:].lstrip()) or phrases.denies.match(line[end:].lstrip()):
        return None
    # "a is right" is about a thing.
    if match[1] and match[1].islower() and not re.search(r"[(\[ ]?(?:option|answer|choice)|[)\]]", match[0][:12]):
        return None
    if re.match(r"[^.!?\n]{0,60}\?", line[end : end + _NEAR]):
        return None
    named = next(filter(None, match.groups()))
    together = _TOGETHER.search(line, max(0, start - _NEAR), start) if (start := match.start(1)) > 0 else None
    return StatedAnswer(f"{together[0]}{named}" if together else named, at, False, False)


def _supposed(line: str, start: int, phrases: Cues) -> bool:
    before = line[max(0, start - _NEAR) : start]
    return phrases.supposed.search(SENTENCE_END.split(before)[-1]) is not None


def _opens(line: str, start: int) -> bool:
    """Return True if the sentence begins at `start`, but for words such as "so the"."""
    return _OPENS.search(line[max(0, start - _NEAR) : start]) is not None


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


def polite(text: str) -> bool:
    """Return True for a pleasantry: "Sure!", "Thank you"."""
    return _PLEASANTRY.fullmatch(text) is not None


def ends(visible: Visible) -> Sequence[str]:
    """Return the last and the first line that are not pleasantries, or nothing if all are.

    Without the last line of several if the token limit ended it within a sentence.
    """

    lines = visible.lines[:-1] if visible.unfinished and len(visible.lines) > 1 else visible.lines
    last = next(dropwhile(polite, reversed(lines)), None)
    if last is None:
        return []
    first = next(dropwhile(polite, lines))
    return [first] if visible.unfinished else [last, first]


_DECLINES = re.compile(
    r"\W*(?:(?:i'm |i am )?(?:sorry|unable|not (?:sure|able|certain))|i (?:can't|can ?not|won't|will not|don't|do not)|"
    r"as an ai|unfortunately)\b",
    re.IGNORECASE,
)


def declines(line: str, phrases: Cues) -> bool:
    """Return True if a response that begins with `line` declines to answer."""
    return _DECLINES.match(line) is not None or phrases.declines.match(line.lstrip(" -*\"'")) is not None
