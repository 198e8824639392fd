"""Read how a number is written in a cell: decimal marks, thousands, percent signs, margins and counts behind it."""

from __future__ import annotations

import re
from math import isnan, nan
from typing import Any, Literal, NamedTuple, TypeAlias

from nullbench_site.text import quoted

LARGEST = 1e100
"""The square of a larger score would be infinite, or near it."""
MISSING = frozenset(("", "nan", "na", "n/a", "n.a.", "#n/a", "null", "none", "-", "--", "–", "—"))
TRUTH = {"true": 1.0, "false": 0.0}
Kind: TypeAlias = Literal["plain", "percent", "truth", "word", "empty"]
Mark: TypeAlias = Literal["", ".", ",", "?"]
"""The decimal mark that a number shows: none, a point, a comma, or a comma that may also separate thousands."""

_DIGITS = r"[+-]?[0-9](?:[0-9.,' \u00a0\u2009\u202f]*[0-9])?(?:[eE][+-]?[0-9]+)?"
_PARTS = re.compile(
    rf"(?P<value>{_DIGITS}|[+-]?\.[0-9]+)\s*(?P<percent>%?)"
    rf"\s*(?:(?:±|\+/-|\+-)\s*(?P<margin>{_DIGITS}|\.[0-9]+)\s*%?)?"
    r"\s*(?:[(\[](?P<inside>[^()\[\]]{1,60})[)\]])?"
)
_COUNTS = re.compile(r"([0-9]{1,9})\s*/\s*([0-9]{1,9})")
_MARGIN = re.compile(rf"(?:±|\+/-|\+-)\s*(?P<margin>{_DIGITS}|\.[0-9]+)\s*%?")
_ENDS = re.compile(rf"[+-]?\s*(?:{_DIGITS})\s*%?\s*(?:/|,|;|-|to)\s*[+-]?\s*(?:{_DIGITS})\s*%?")
_LONGEST = 60
"""No number is longer; the patterns would take long on a long text of spaces."""
_SPACES = re.compile(r"[ \u00a0\u2009\u202f']")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:[ \u00a0\u2009\u202f'][0-9]{3})+(?![0-9])")
_DATE = re.compile(
    r"(?:[12][0-9]{3}[-/.][01]?[0-9](?:[-/.][0-3]?[0-9])?(?:[T ][0-9:.]{4,15}(?:Z|[+-][0-9:]{4,6})?)?"
    r"|[0-3]?[0-9][-/.][0-3]?[0-9][-/.][0-9]{2}(?:[0-9]{2})?|[0-9]{1,3}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"|[0-3]?[0-9]\.? [A-Z][a-z]{2,8}\.? [12][0-9]{3}|[A-Z][a-z]{2,8}\.? (?:[0-3]?[0-9],? )?[12][0-9]{3})"
)
_QUANTITY = re.compile(
    r"[~≈<>]?\s*[$€£¥]?\s*[0-9][0-9.,]{0,20}\s*(?:[A-Za-z/µ]{1,12}|[$€£¥])|[$€£¥]\s*[0-9][0-9.,]{0,20}"
)
_NUMBERLIKE = re.compile(r"[+-]?[~≈<>]?\s*[0-9][0-9.,]*(?:$|[^A-Za-z0-9_/:.,-]|-[^A-Za-z]|/[0-9])")


class Cell(NamedTuple):
    """What a cell says. margin: the number behind ±. correct, of: the counts behind a score, as in (7/8).

    more: it has other numbers in brackets, such as the ends of an interval.
    """

    value: float
    kind: Kind
    mark: Mark = ""
    margin: float = nan
    correct: float = nan
    of: float = nan
    more: bool = False


class NoNumberError(ValueError):
    """The problem of the text of a score, and its remedy."""


def plain_text(cell: str) -> str:
    """Return the text of a cell with a plain minus sign and without marks for bold or code."""
    text = cell.strip()
    for mark in ("**", "__", "*", "`"):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)].strip()
    return text.replace("\N{MINUS SIGN}", "-").replace("$\\pm$", "±").replace("\\pm", "±")


def read_cell(cell: Any, comma: Mark = "?") -> Cell:
    """Return the number in a cell.

    comma: what a comma is if that cannot be seen: "," for a decimal mark, "." for a mark of thousands. Raises
    NoNumberError.
    """
    if cell is None:
        return Cell(nan, "empty")
    if isinstance(cell, bool):
        return Cell(float(cell), "truth")
    if isinstance(cell, int) and abs(cell) > LARGEST:
        raise NoNumberError(f"the score {quoted(cell, 20)} is too large to compare; correct it")
    if isinstance(cell, int | float):
        value = float(cell)
        return Cell(value, "word" if isnan(value) else "plain", "." if isinstance(cell, float) else "")
    if not isinstance(cell, str):
        raise NoNumberError(f"a score is a number, not {quoted(cell)}; write one row per score")
    text = plain_text(cell)
    if cell.strip().casefold() in MISSING or text.casefold() in MISSING:
        return Cell(nan, "word" if cell.strip() else "empty")
    if text.casefold() in TRUTH:
        return Cell(TRUTH[text.casefold()], "truth")
    try:
        if "_" in text:
            raise ValueError
        return Cell(float(text), "plain", "." if "." in text else "")
    except ValueError:
        pass
    return _written(text, comma)


def _written(text: str, comma: Mark) -> Cell:
    if counts := _COUNTS.fullmatch(text):
        correct, of = map(float, counts.groups())
        if 0 <= correct <= of and of > 0:
            return Cell(correct / of, "plain", "", nan, correct, of)
    found = _PARTS.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise _no_number(text)
    value, mark = _number(found["value"], comma)
    margin, correct, of, inside = nan, nan, nan, (found["inside"] or "").strip()
    behind = found["margin"] or ((own := _MARGIN.fullmatch(inside)) and own["margin"])
    if behind:
        margin, of_margin = _number(behind, mark or comma)
        mark = mark or of_margin
    elif counts := _COUNTS.fullmatch(inside):
        correct, of = map(float, counts.groups())
    elif inside and not _ENDS.fullmatch(inside) and not re.fullmatch(_DIGITS, inside):
        raise _no_number(text)
    kind: Kind = "percent" if found["percent"] else "plain"
    return Cell(value, kind, mark, margin, correct, of, bool(inside) and isnan(margin) and isnan(of))


def _no_number(text: str) -> NoNumberError:
    return NoNumberError(f"the score {quoted(text)} is not a number; correct it, or leave the cell empty")


def _number(text: str, comma: Mark) -> tuple[float, Mark]:
    """Return a number and its decimal mark. Raises NoNumberError."""
    own = text
    if _SPACES.search(own):
        if not _GROUPED.match(own):
            raise _no_number(text)
        own = _SPACES.sub("", own)
    mark = _decimal_mark(own)
    if mark == "?":
        if comma == "?":
            both = f"{own.replace(',', '')} or {own.replace(',', '.')}"
            advice = "write a decimal point, and no separator between thousands"
            raise NoNumberError(f"the score {quoted(text)} has a comma and may be {both}; {advice}")
        mark = comma
    groups = "." if mark == "," else ","
    grouped = rf"[+-]?[0-9]{{1,3}}(?:[{groups}][0-9]{{3}})+(?:[{mark or '.'}][0-9]+)?"
    if groups in own and not re.fullmatch(grouped, own):
        raise _no_number(text)
    own = own.replace(groups, "").replace(",", ".")
    try:
        return float(own), mark
    except ValueError:
        raise _no_number(text) from None


def _decimal_mark(own: str) -> Mark:
    """Return the decimal mark of a number without spaces."""
    points, commas = own.count("."), own.count(",")
    if not commas:
        return "," if points > 1 else "." if points else ""
    if points:
        return "," if own.rindex(",") > own.rindex(".") else "."
    if commas > 1:
        return "."
    whole, _, decimals = own.lstrip("+-").partition(",")
    return "?" if len(decimals) == 3 and len(whole) <= 3 and not whole.startswith("0") else ","


def looks_like_a_date(text: str) -> bool:
    """Return True for a date or a time of day."""
    return len(text) <= _LONGEST and _DATE.fullmatch(text.strip()) is not None


def looks_like_a_quantity(text: str) -> bool:
    """Return True for a number with a unit, such as 7B, 128k, 3.5 s or $0.30."""
    return len(text) <= _LONGEST and _QUANTITY.fullmatch(text.strip()) is not None


def looks_like_a_number(text: str) -> bool:
    """Return True if a text begins with a number, so that it may be a score in a form that is not known."""
    return _NUMBERLIKE.match(plain_text(text)[:_LONGEST]) is not None
