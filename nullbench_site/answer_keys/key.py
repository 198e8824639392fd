"""The base of answer keys: the text of a response outside its thinking, and the mark that a key gives it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct

from nullbench_site.checks.reading import CodeBlock, lines_of, plain, split_fences
from nullbench_site.packaged import data_parts

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTE_ORDER_MARK = "\ufeff"
_OTHER_DIGITS = re.compile(r"[^\D0-9]")
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e\u2189]")
_ENCLOSED = re.compile("[\u249c-\u24e9\U0001f110-\U0001f169]")
_NOT_A_TIMES = re.compile(r"\*\*|__|`|(?<![0-9) ])\*|\*(?![0-9( ])")
_LATEX = (
    # Small spaces within a number: 12\,345. 12{,}345 is already recognised as one.
    (re.compile(r"(?<=[0-9])\\[,!] ?(?=[0-9]{3})"), ""),
    (re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mathsf|mbox) ?\{([^{}\n]{0,200})\}"), r"\1"),
    (re.compile(r"\\[dt]?frac ?\{([^{}\n]{1,40})\} ?\{([^{}\n]{1,40})\}"), r"\1/\2"),
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "\u00d7"),
    (re.compile(r"\\approx(?![A-Za-z])"), "\u2248"),
    (re.compile(r"\^ ?\{?\\circ\}?"), "\u00b0"),
    (re.compile(r"\\([%&#_])"), r"\1"),
    # Last, because commands end at these.
    (re.compile(r"\\[,;:! ()\[\]]|\\(?:left|right|displaystyle|quad)(?![A-Za-z])"), " "),
)


class Visible(msgspec.Struct, frozen=True, dict=True):
    """The text of a response. Each reading of it is made when a key first needs it.

    asked: the text of the item's question as the contestant was shown it, without the template. languages: those whose
    phrases are tried; all if empty. stopped: True if the token limit ended the response.
    """

    text: str
    asked: str = ""
    languages: tuple[str, ...] = ()
    stopped: bool = False

    @cached_property
    def _kept(self) -> tuple[str, bool]:
        return _without_thinking(_SURROGATE.sub("\ufffd", self.text))

    @property
    def raw(self) -> str:
        """Return the text outside the thinking, with halves of characters replaced so that it can be encoded."""
        return self._kept[0]

    @property
    def cut_off(self) -> bool:
        """Return True if the thinking never ends."""
        return self._kept[1]

    @cached_property
    def empty(self) -> bool:
        """Return True if there are only white space, control and invisible characters."""
        return not plain(self.raw).strip()

    @cached_property
    def lines(self) -> Sequence[str]:
        """Return the lines with text, without emphasis, headings, Markdown quotation marks and LaTeX commands.

        Letters and digits of other fonts become plain ones, dashes and the minus sign become hyphens.
        """
        bare = (line.strip(" \t") for line in without_markup(self.raw).split("\n"))
        lines = (line.lstrip("#> \t").rstrip() for line in bare if not line.startswith(("```", "~~~")))
        return [line for line in lines if line]

    @cached_property
    def fences(self) -> Sequence[CodeBlock]:
        """Return the fenced code blocks."""
        return split_fences(lines_of(self.raw))[1]

    @cached_property
    def json_text(self) -> str:
        """Return `raw` without white space around it."""
        return self.raw.removeprefix(_BYTE_ORDER_MARK).strip()


def without_markup(text: str) -> str:
    """Return `text` in one spelling, without emphasis and LaTeX commands. A key's words go through it too."""
    text = _VULGAR.sub(lambda match: f" {unicodedata.normalize('NFKC', match[0])}", "\n".join(lines_of(text)))
    text = _ENCLOSED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = _OTHER_DIGITS.sub(_digit, plain(text)).replace("\u2044", "/")
    if "\\" in text:
        for pattern, by in _LATEX:
            text = pattern.sub(by, text)
    return _NOT_A_TIMES.sub("", text.replace("$", ""))


def _digit(match: re.Match[str]) -> str:
    value = unicodedata.decimal(match[0], None)
    return match[0] if value is None else str(value)


def _without_thinking(text: str) -> tuple[str, bool]:
    """Return the text outside the tags, and True if the last tag is open.

    Text before a closing tag without an opening one is thinking too: chat templates omit the opening tag.
    """
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _TAG.finditer(text):
        if tag[1]:
            if not thinking:
                kept.clear()
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    if not thinking:
        kept.append(text[start:])
    return "\n".join(kept), thinking


_SPACES = re.compile(r"\s+")
_BEYOND = re.compile(
    r"[.!?]\s|;\s|\s-\s|\s\((?!or\b)|,?\s(?:because|since|as|which|so|due to|not|rather than)\b|</", re.IGNORECASE
)
_AROUND = " \t\n\"'"


def spelled(text: str, *, case_sensitive: bool = False) -> str:
    """Return `text` without markup, quotation marks and final punctuation, in lower case by default."""
    bare = _SPACES.sub(" ", without_markup(text)).strip(_AROUND).rstrip(".,;:" + _AROUND).lstrip(":" + _AROUND)
    return bare if case_sensitive else bare.casefold()


def cut(text: str) -> str:
    """Return the beginning of a statement, up to the end of its sentence, or to a reason or a remark."""
    return _BEYOND.split(text, maxsplit=1)[0]


KeyOutcome = Literal["correct", "wrong", "invalid"]
Cause = Literal["cut", "no answer", "several answers", "other form"]
"""Why a response is invalid: cut by its token limit, no answer, several, or one in a form that is not read."""
Line = Annotated[str, Meta(min_length=1, max_length=500)]
_SHOWN = 200


class Marked(msgspec.Struct, frozen=True):
    """The mark of a response. `invalid`: no answer can be read, or several different ones; this is not `wrong`.

    answer: the read answer, at most 200 characters, or None. why: a sentence without words of the response. cause: why
    the response is invalid, or None if it is not.
    """

    outcome: KeyOutcome
    answer: str | None
    why: str
    cause: Cause | None = None


def correct(answer: str, why: str) -> Marked:
    """Return the mark of a right answer."""
    return Marked("correct", _shown(answer), why)


def wrong(answer: str, why: str) -> Marked:
    """Return the mark of a wrong answer."""
    return Marked("wrong", _shown(answer), why)


def invalid(why: str, cause: Cause) -> Marked:
    """Return the mark of a response without a readable answer."""
    return Marked("invalid", None, why, cause)


def _shown(answer: str) -> str:
    return answer if len(answer) <= _SHOWN else answer[: _SHOWN - 1] + "\u2026"


def about(name: str) -> list[str]:
    """Return the texts of data/answer_keys.txt about a type of key: its title, what it sees, what it cannot see."""
    return data_parts("answer_keys.txt")[name].splitlines()


class Key(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, tag_field="type"):
    """The base of the answer keys; the id of the type is its tag.

    title, looks_at and cannot_see are for the methodology page.
    """

    title: ClassVar[str]
    looks_at: ClassVar[str]
    cannot_see: ClassVar[str]

    def mark(self, visible: Visible) -> Marked:
        """Return the mark of a response with some text outside its thinking; takes time linear in it."""
        raise NotImplementedError
