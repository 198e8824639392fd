"""Split the thinking of a model off its answer, in all forms that models and servers use.

A mark of thinking counts by its position. A mark in a code block, in backticks or quotation marks, or in the middle of
a sentence is part of the answer, since the text is about the mark. All functions take linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

_NAMES = r"(?:longcat_)?(?:[a-z][a-z0-9]{0,15}:)?think(?:ing)?|thoughts?|reasoning(?:_content)?"
_MARK = re.compile(
    rf"""
    (?P<fence>^[ ]{{0,3}}(?:`{{3,}}|~{{3,}})[^\n]*$)
  | (?P<xml><[ ]?/?[ ]?(?:{_NAMES})(?:\s[^<>]{{0,500}})?/?>)
  | (?P<bracket>\[/?(?-i:THINK(?:ING)?)\])
  | (?P<triangle>\u25c1/?think(?:ing)?\u25b7)
  | (?P<begin><\|(?:begin|end)_of_thought\|>)
  | (?P<start><\|(?:START|END)_THINKING\|>)
  | (?P<inner><\|inner_(?:prefix|suffix)\|>)
  | (?P<bars><\|/?think(?:ing)?\|>)
  | (?P<unused><unused9[45]>)
  | (?P<channel><\|channel>thought\b|<channel\|>)
  | (?P<details><details[ ]type="reasoning"[^<>]{{0,500}}>|</details>)
  | (?P<escaped>&lt;/?think(?:ing)?&gt;)
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""The beginning and the end of thinking in each family of marks, and the lines of code fences."""
_END = re.compile(
    r"<[ ]?/|\[/|\u25c1/|<\|end_|<\|inner_suffix|<\|/|<unused95|<channel\||&lt;/",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"think|thought|reasoning|<\|inner_|<unused9|<\|?channel\||assistant\s{0,3}final|analysis", re.IGNORECASE
)
"""A text without this has no thinking."""
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
_TEMPLATE = re.compile(
    r"(?:\ufeff|\s|<[|\uff5c][^<>|\uff5c\n]{1,40}[|\uff5c]>|</?s>|\[/INST\]|assistant\b)*", re.IGNORECASE
)
"""Special tokens of chat templates, which may come before a mark."""
_SENTENCE_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f")
_OPENING_QUOTES = frozenset("\"'`(\u201c\u2018\u00ab\u201e\u201a\u300c")
_CLOSING_QUOTES = frozenset("\"'`)\u201d\u2019\u00bb\u201c\u2018\u300d")
BLANKS = " \t\r\n"
"""The white space around an answer after thinking."""
_BEFORE = 200
"""The characters before a mark that decide on its position."""

_CHANNEL = re.compile(r"<\|channel\|>([^<>\n]{0,100})(?:<\|constrain\|>[^<>\n]{0,50})?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_HARMONY = re.compile(r"[\ufeff\s]*(?:<\|start\|>assistant\s*)?<\|channel\|>")
_NEXT_CHANNEL = re.compile(r"<\|end\|>\s*<\|start\|>assistant\s*<\|channel\|>")
_STRIPPED = re.compile(r"[\ufeff\s]*(?:assistant)?(?:analysis|commentary)(?![a-z])")
_STRIPPED_FINAL = re.compile(r"assistant(?:\s{0,3}\n\s{0,3})?final(?!i[sz])(?:<\|message\|>)?")
_STRIPPED_CUT = re.compile(
    r"[\ufeff\s]*(?:assistant)?analysis(?:We|User|The user|The question|Let's|Let us|I need|Need to)\b"
)
"""Channels of harmony whose special tokens a server has removed: the text follows the channel without a space."""
_CHANNEL_NAME = re.compile(r"[\ufeff\s]*(?:assistant)?analysis")
_GRANITE = re.compile(r"[\ufeff\s]*Here(?:'s| is) my thought process:(.*?)Here(?:'s| is) my response:", re.DOTALL)
_WRAPPED = re.compile(
    r"<answer>(.*)</answer>\Z"
    r"|<\|(?:begin_of_solution|START_RESPONSE)\|>(.*?)(?:<\|(?:end_of_solution|END_RESPONSE)\|>)?\Z",
    re.DOTALL | re.IGNORECASE,
)
"""An answer in marks of its own, which come with those of thinking."""


class Split(NamedTuple):
    """An answer without its thinking.

    found: the text has marks of thinking. cut: the thinking never ends, so the answer after it is missing.
    """

    answer: str
    thinking: str = ""
    found: bool = False
    cut: bool = False


def split_thinking(text: str) -> Split:
    """Return the answer in a text, and the thinking that marks divide from it.

    Without such marks the answer is the text, unchanged. Text before a lone closing mark is thinking, since chat
    templates put the opening mark into the prompt. Thinking that never ends is no answer.
    """
    if not _HINT.search(text) or _is_json(text):
        return Split(text)
    return _of_harmony(text) or _of_phrases(text) or _Marks(text).split()


def without_thinking(text: str) -> str:
    """Return the answer in a text."""
    return split_thinking(text).answer


def bare_thinking(thoughts: str) -> str:
    """Return thinking that a server sent apart, without the marks that some leave around it."""
    split = split_thinking(thoughts)
    return split.thinking if split.found and not split.answer else thoughts


def joined(*thoughts: str) -> str:
    """Return several parts of the thinking as one text, each part once: servers may send it in two fields."""
    return "\n\n".join(dict.fromkeys(part for each in thoughts if (part := each.strip(BLANKS))))


class Content(NamedTuple):
    """The content of a message. text: None if there is none. refusal: the text of parts that refuse."""

    text: str | None
    thinking: str = ""
    refusal: str = ""


def content_of(content: Any) -> Content | None:
    """Return the texts of a message's content: a string, a part, or a list of parts; None if it has another form.

    Parts of type reasoning or thinking (OpenAI, Anthropic, Mistral, Gemini) are thinking.
    """
    if content is None or isinstance(content, str):
        return Content(content)
    parts = [content] if isinstance(content, dict) and "type" in content else content
    if not isinstance(parts, list):
        return None
    texts, thoughts, refusals = list[str](), list[str](), list[str]()
    known = not parts
    follows = False
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            if _is_thought(part):
                if follows:  # streams divide a thought into parts
                    thoughts[-1] += thoughts_in(part)
                else:
                    thoughts.append(thoughts_in(part))
            elif isinstance(part.get("refusal"), str):
                refusals.append(part["refusal"])
            elif isinstance(text := _text_of(part), str):
                texts.append(text)
            else:
                continue
        else:
            continue
        follows, known = isinstance(part, dict) and _is_thought(part), True
    return Content("".join(texts), joined(*thoughts), "".join(refusals)) if known else None


_THOUGHT_FIELDS = ("thinking", "reasoning", "text", "summary", "content", "thought")
_FIELDS = (
    "reasoning_content", "reasoning", "reasoning_text", "thinking", "reasoning_details", "thinking_blocks", "thoughts",
)  # fmt: skip
"""The fields of messages and deltas with thinking; each server uses one of them, or the same text in two."""
_DEPTH = 4


def _is_thought(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    named = isinstance(kind, str) and any(word in kind.lower() for word in ("reason", "think", "thought"))
    untyped = kind is None and "text" not in part and any(field in part for field in ("thinking", "reasoning"))
    return named or untyped or part.get("thought") is True


def _text_of(part: Mapping[str, Any]) -> Any:
    text = part.get("text")
    return text.get("value") if isinstance(text, dict) else text


def thoughts_in(value: Any, depth: int = _DEPTH) -> str:
    """Return the text of a thought: a string, or the parts in it. Encrypted thoughts have none."""
    if isinstance(value, str):
        return value
    if depth == 0:
        return ""
    if isinstance(value, list):
        return "".join(thoughts_in(each, depth - 1) for each in value)
    if not isinstance(value, dict):
        return ""
    fields = ("summary",) if value.get("redacted") is True else _THOUGHT_FIELDS
    return next((found for field in fields if (found := thoughts_in(value.get(field), depth - 1))), "")


def thinking_fields(message: Mapping[str, Any]) -> str:
    """Return the thinking in the fields of a message beside its content."""
    return joined(*(thoughts_in(message[field]) for field in _FIELDS if field in message))


# The forms in which thinking is marked within a text.


def _is_json(text: str) -> bool:
    start = text.lstrip("\ufeff" + BLANKS)
    if start[:1] not in ("{", "["):
        return False
    try:
        msgspec.json.decode(start, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def _made(kept: Sequence[str], thoughts: Sequence[str], *, cut: bool = False) -> Split:
    answer = "\n".join(part for each in kept if (part := each.strip(BLANKS)))
    wrapped = _WRAPPED.match(answer)
    if wrapped and "<answer>" not in (inner := (wrapped[1] or wrapped[2] or "").strip(BLANKS)).lower():
        answer = inner
    return Split(answer, joined(*thoughts), found=True, cut=cut)


def _of_harmony(text: str) -> Split | None:
    """Split the channels of gpt-oss: `final` has the answer."""
    starts = _HARMONY.match(text) is not None
    turn = None if starts else _NEXT_CHANNEL.search(text)
    if turn is not None and not _Marks(text).is_code(turn.start()) and text.count("```", 0, turn.start()) % 2 == 0:
        starts = True
    if starts:
        thoughts = [] if turn is None else [text[: turn.start()]]
        answers = list[str]()
        for channel in _CHANNEL.finditer(text, 0 if turn is None else turn.start()):
            end = _CHANNEL_END.search(text, channel.end())
            said = text[channel.end() : end.start() if end else len(text)]
            (answers if channel[1].strip().startswith("final") else thoughts).append(said)
        return _made(answers, thoughts, cut=not answers)
    if _STRIPPED.match(text) and (final := _STRIPPED_FINAL.search(text)):
        said = text[final.end() :]
        return _made([said], [_CHANNEL_NAME.sub("", text[: final.start()], count=1)])
    if _STRIPPED_CUT.match(text):
        return _made([], [_CHANNEL_NAME.sub("", text, count=1)], cut=True)
    return None


def _of_phrases(text: str) -> Split | None:
    """Split the sentences with which Granite divides thinking and answer."""
    found = _GRANITE.match(text)
    return _made([text[found.end() :]], [found[1]]) if found else None


class _Marks:
    """The marks in a text, and which of them count."""

    def __init__(self, text: str) -> None:
        self.text = text

    def is_code(self, place: int) -> bool:
        """Return True for a place in backticks."""
        before = bisect_right(self._code, (place, len(self.text))) - 1
        return before >= 0 and place < self._code[before][1]

    @cached_property
    def _code(self) -> list[tuple[int, int]]:
        return [match.span() for match in _CODE.finditer(self.text)]

    def split(self) -> Split:
        """Return the answer outside the marks that count."""
        text = self.text
        marks = list(_MARK.finditer(text))
        fences = [(mark.end(), mark[0].strip(BLANKS + "`~") == "") for mark in marks if mark.lastgroup == "fence"]
        last_end = {str(mark.lastgroup): mark.start() for mark in marks if _END.match(mark[0])}
        kept, thoughts = list[str](), list[str]()
        start, family, found, mentioned = 0, "", False, 0
        fence, in_fence = "", 0
        for mark in marks:
            kind, ends = str(mark.lastgroup), _END.match(mark[0]) is not None
            if family:
                if kind == family and ends and not self._is_quoted(mark):
                    thoughts.append(text[start : mark.start()])
                    start, family, fence, mentioned = mark.end(), "", "", 0
            elif kind == "fence":
                fence, in_fence = _next_fence(fence, mark[0]), 0
            elif fence and not (ends and not in_fence and self._is_alone(mark) and not _is_closed(fences, mark.end())):
                in_fence += -1 if ends else 1
            elif not fence and (self._is_quoted(mark) or self.is_code(mark.start())):
                continue
            elif ends:
                if kind == "details" or (mentioned and not self._is_alone(mark)) or not self._may_end(mark):
                    mentioned -= mentioned > 0
                    continue
                thoughts += [*kept, text[start : mark.start()]]
                kept.clear()
                start, fence, found, mentioned = mark.end(), "", True, 0
            elif not self._may_begin(mark, start, is_closed=last_end.get(kind, -1) > mark.start()):
                mentioned += 1
            else:
                if not _TEMPLATE.fullmatch(text, start, mark.start()):
                    kept.append(text[start : mark.start()])
                start, found = mark.end(), True
                family = "" if mark[0].endswith("/>") else kind
        if not found:
            return Split(text)
        (thoughts if family else kept).append(text[start:])
        return _made(kept, thoughts, cut=bool(family))

    def _around(self, mark: re.Match[str], start: int = 0) -> tuple[str, str]:
        """Return the text before the mark on its line, from `start`, and the two characters after it."""
        before = self.text[max(start, mark.start() - _BEFORE) : mark.start()]
        return before.rpartition("\n")[2], self.text[mark.end() : mark.end() + 2]

    def _is_quoted(self, mark: re.Match[str]) -> bool:
        before, after = self._around(mark)
        return before[-1:] in _OPENING_QUOTES and after[:1] in _CLOSING_QUOTES

    def _is_alone(self, mark: re.Match[str]) -> bool:
        """Return True if the mark is alone on its line."""
        before, after = self._around(mark)
        return not before.strip() and not after.partition("\n")[0].strip(BLANKS)

    def _may_end(self, mark: re.Match[str]) -> bool:
        """Return True if a lone closing mark is at the beginning or the end of a line, or attached to the thinking."""
        before, after = self._around(mark)
        if _is_indented(before):
            return False
        attached = before[-1:] not in _OPENING_QUOTES and not before[-1:].isspace() and after[:1] not in _CLOSING_QUOTES
        return attached or not before.strip() or not after.partition("\n")[0].strip(BLANKS)

    def _may_begin(self, mark: re.Match[str], start: int, *, is_closed: bool) -> bool:
        """Return True if an opening mark begins a line, or a sentence if its thinking ends.

        start: where the answer before it begins.
        """
        before, after = self._around(mark, start)
        if mark.start() and (after[:1] in (":", ",") or _is_indented(before)):
            return False
        if mark[0].endswith("/>"):
            return start == 0 and _TEMPLATE.fullmatch(self.text, 0, mark.start()) is not None
        if _TEMPLATE.fullmatch(before):
            return True
        return is_closed and before.rstrip()[-1:] in _SENTENCE_ENDS


def _is_indented(before: str) -> bool:
    """Return True for the beginning of a line of an indented code block."""
    return not before.strip() and before.expandtabs(4).startswith(" " * 4)


def _is_closed(fences: Sequence[tuple[int, bool]], place: int) -> bool:
    """Return True if the code block at a place ends. fences: where each line with a fence ends, and if it is bare."""
    following = bisect_right(fences, (place, True))
    return following < len(fences) and fences[following][1]


def _next_fence(fence: str, line: str) -> str:
    """Return the fence that is open after a line with a fence; empty for none."""
    bare = line.strip()
    signs = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    if not fence:
        return "" if "`" in bare[len(signs) :] else signs
    return "" if signs == bare and signs.startswith(fence) else fence
