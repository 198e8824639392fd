"""The base of answer keys: the text of a response outside its thinking, and the mark that a key gives it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct

from nullbench_site.answer_keys.cues import Cues, cues
from nullbench_site.checks.reading import CodeBlock, lines_of, plain, split_fences
from nullbench_site.packaged import data_parts
from nullbench_site.thinking import Split, split_thinking

_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTE_ORDER_MARK = "\ufeff"
_OTHER_DIGITS = re.compile(r"[^\D0-9]")
_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e\u2189]")
_ENCLOSED = re.compile("[\u249c-\u24e9\U0001f110-\U0001f169]")
_NOT_A_TIMES = re.compile(r"\*\*|__|`|(?<![0-9) ])\*|\*(?![0-9( ])")
_UNSPACED = "\u0e00-\u0eff\u1100-\u11ff\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af"
# Scripts without spaces: between their letters and others.
_SCRIPT_CHANGE = re.compile(rf"(?<=[{_UNSPACED}])(?=[A-Za-z0-9(\\[.+-])|(?<=[A-Za-z0-9)\]%\u00b0])(?=[{_UNSPACED}])")
_BLANKS = re.compile(r"(?<=[,.;:!?]) {2,}")
_COMPOSED = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]{1,256}")
_OTHER_MARKS = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFF01, 0xFF5F), *range(0xFE59, 0xFE6C))},
    **dict.fromkeys(range(8192, 8203), " "),
    **dict.fromkeys(map(ord, "\u00a0\u1680\u202f\u205f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u02d7\u2796\u2e3a\u2e3b\ufe58\ufe63\uff0d\ufe31\ufe32"), "-"),
    **dict.fromkeys(map(ord, "\uff0c\u3001\u060c\uff64\ufe50\ufe51"), ", "),
    **dict.fromkeys(map(ord, "\u3002\uff61\u06d4\u0964\u0965\u1362\ufe52"), ". "),
    **dict.fromkeys(map(ord, "\uff01\ufe57"), "! "),
    **dict.fromkeys(map(ord, "\uff1f\u061f\ufe56\u037e"), "? "),
    **dict.fromkeys(map(ord, "\uff1b\u061b\ufe54"), "; "),
    **dict.fromkeys(map(ord, "\uff1a\ufe55\u2236"), ": "),
    **dict.fromkeys(map(ord, "\u201e\u201a\u00ab\u00bb\u2039\u203a\u300c\u300d\u300e\u300f\u301d\u301e\u301f"), '"'),
    0x2044: "/",
    0x066A: "%",
    0x066B: ".",
    0x066C: ",",
    0xFFE5: "\u00a5",
}
_WIDE_THOUSANDS = re.compile("(?<=[0-9\uff10-\uff19])\uff0c(?=[0-9\uff10-\uff19]{3}(?![0-9\uff10-\uff19]))")
_STRUCK = re.compile(
    r"~~(?![~\s])[^~\n]{1,400}~~(?!~)|<(?:s|del|strike)>[^<\n]{1,400}</(?:s|del|strike)>", re.IGNORECASE
)
_HTML = re.compile(
    r"</?(b|i|em|strong|u|p|br|span|code|mark|sup|sub|div|li|ul|ol|td|tr)(?: [^<>\n]{0,100})?/?>", re.IGNORECASE
)
_TAGS = {"br": "\n", "p": "\n", "div": "\n", "li": "\n", "tr": "\n", "td": " ", "sup": "^"}
# With the letters of a country: US$, R$.
_DOLLAR = re.compile(r"(?:(?<![^\W_])(?:US|CA?|AU?|HK|NZ|SG?|NT|R|MX))?\\?\$")
_ITALIC = re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]{1,200})(?<=\S)_(?![\w_])")
_LATEX = (
    (re.compile(r"\\(?:cancel|sout|xcancel|bcancel) ?\{[^{}\n]{0,200}\}"), " "),
    (re.compile(r"&(?==)|\\\\(?=\s|$)|\\(?:begin|end) ?\{[a-z*]{1,20}\}"), " "),
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


# A line of a table or of a rule.
_RULE = re.compile(r"[-=|: ]{3,}")
_LONGEST_SIDE = 2000
FINISHED = tuple(".!?;:)]}*`$\"'\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964\u201d\u2019\u300d")
"""The marks with which a finished text ends."""


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
    def _split(self) -> Split:
        return split_thinking(_SURROGATE.sub("\ufffd", self.text))

    @property
    def raw(self) -> str:
        """Return the text outside the thinking, with halves of characters replaced so that it can be encoded."""
        return self._split.answer

    @property
    def cut_off(self) -> bool:
        """Return True if the thinking never ends."""
        return self._split.cut

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
        lines: list[str] = []
        for line in (line.lstrip("#> \t").rstrip() for line in bare if not line.startswith(("```", "~~~"))):
            goes_on = lines and line.startswith(("=", "\u2248")) and line.strip("= ")
            if goes_on and len(lines[-1]) < _LONGEST_SIDE:
                lines[-1] = f"{lines[-1]} {line}"
            elif line.startswith("|") and line.endswith("|") and not _RULE.fullmatch(line):
                lines.append(" | ".join(cell.strip() for cell in line.strip("|").split("|")))
            elif line and not _RULE.fullmatch(line):
                lines.append(line)
        return lines

    @cached_property
    def cues(self) -> Cues:
        """Return the phrases of the languages that the response or its question may be in."""
        return cues(f"{self.raw}\n{self.asked}", self.languages)

    @cached_property
    def unfinished(self) -> bool:
        """Return True if the token limit ended the response within a sentence."""
        return self.stopped and not self.raw.rstrip().endswith(FINISHED)

    @cached_property
    def fences(self) -> Sequence[CodeBlock]:
        """Return the fenced code blocks."""
        return split_fences(lines_of(self.raw))[1]

    @cached_property
    def json_text(self) -> str:
        """Return `raw` without white space around it."""
        return self.raw.removeprefix(_BYTE_ORDER_MARK).strip()


def without_markup(text: str) -> str:
    """Return `text` in one spelling, without emphasis and LaTeX commands. A key's words go through it too.

    Characters are composed (NFC), full-width ones become usual ones, and the marks of other scripts that end or part
    sentences become Latin ones. What is struck out is left out.
    """
    text = _VULGAR.sub(lambda match: f" {unicodedata.normalize('NFKC', match[0])}", "\n".join(lines_of(text)))
    text = _ENCLOSED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    text = composed(plain(text)) if not text.isascii() else plain(text)
    text = _OTHER_DIGITS.sub(_digit, _WIDE_THOUSANDS.sub(",", text).translate(_OTHER_MARKS))
    if "~~" in text or "<" in text:
        text = _STRUCK.sub("", text)
        text = _HTML.sub(lambda match: _TAGS.get(match[1].casefold(), ""), text)
    if "\\" in text:
        for pattern, by in _LATEX:
            text = pattern.sub(by, text)
    if not text.isascii():
        text = _BLANKS.sub(" ", _SCRIPT_CHANGE.sub(" ", text))
    text = _DOLLAR.sub("", text) if "$" in text else text
    text = _NOT_A_TIMES.sub("", text) if "*" in text or "`" in text or "__" in text else text
    return _ITALIC.sub("\\1", text) if "_" in text else text


def composed(text: str) -> str:
    """Return the text with accents joined to their letters (NFC).

    Part by part, because normalizing a long run of accents takes quadratic time.
    """
    return text if text.isascii() else _COMPOSED.sub(lambda match: unicodedata.normalize("NFC", match[0]), text)


def _digit(match: re.Match[str]) -> str:
    value = unicodedata.decimal(match[0], None)
    return match[0] if value is None else str(value)


_SPACES = re.compile(r"\s+")
_REMARK = r"\s\((?!or\b)|,?\s(?:because|since|as|which|so|due to|not|rather than)\b|,\sbut\b|</"
_BEYOND = re.compile(rf"[.!?]\s|;\s|\s-\s|{_REMARK}", re.IGNORECASE)
_BEYOND_TERMS = re.compile(rf"[.!?]\s|;\s|{_REMARK}", re.IGNORECASE)
_AROUND = " \t\n\"'\u300a\u300b\u3008\u3009`"
_CLOSING = ".,;:!?\u2026\u00a1\u00bf"


def spelled(text: str, *, case_sensitive: bool = False) -> str:
    """Return `text` without markup, quotation marks and final punctuation, in lower case by default."""
    whole = _SPACES.sub(" ", without_markup(text)).strip(_AROUND)
    bare = whole.rstrip(_CLOSING + _AROUND).lstrip(":\u00a1\u00bf" + _AROUND) or whole.rstrip(".,;: ")
    return bare if case_sensitive else bare.casefold()


_ARTICLES = re.compile(
    r"^(?:(?:sir|dr\.?|mrs?\.?|ms\.?|professor|prof\.?|president|king|queen|saint|st\.|captain|general|lord|lady|pope|emperor|"
    r"the|an?|der|die|das|ein|eine|le|la|les|un|une|el|los|las|una|il|lo|gli|o|os|as|um|uma) |l'|l\u2019)(?=.)",
    re.IGNORECASE,
)


def unarticled(text: str) -> str:
    """Return `text` without an article, a title such as "Dr" and quotation marks before it."""
    return _ARTICLES.sub("", text).strip("\"'")


def cut(text: str, *, dashes: bool = True) -> str:
    """Return the beginning of a statement, up to the end of its sentence, or to a reason or a remark.

    dashes: False: a dash between spaces may be a minus, and does not end it.
    """
    return (_BEYOND if dashes else _BEYOND_TERMS).split(text, maxsplit=1)[0]


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
