"""How an answer in a cell is written: as a number, a percentage, a text, or in a way that may be two of these."""

from __future__ import annotations

import re
from math import isfinite
from typing import Literal

import msgspec

Written = Literal["plain", "padded", "decimal", "thousands", "decimal comma", "currency", "percent", "spaced"]
PERCENT = ("%", "percent", "per cent")
_SIGN = r"[-+\u2212\u2013]?"
_CURRENCIES = "$\u20ac\u00a3\u00a5\u20b9\u20a9\u20bd"
_LONGEST = 40
_MOST_DIGITS = 15
_PLAIN = re.compile(rf"{_SIGN}(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(rf"{_SIGN}(?:0|[1-9][0-9]*)?\.[0-9]+")
_PADDED = re.compile(rf"{_SIGN}0[0-9]+(?:[.,][0-9]+)?")
_SCIENTIFIC = re.compile(rf"{_SIGN}[0-9](?:\.[0-9]+)?[eE][-+]?[0-9]{{1,3}}")
_COMMAS = re.compile(rf"{_SIGN}[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?")
_LAKHS = re.compile(rf"{_SIGN}[1-9][0-9]?(?:,[0-9]{{2}})+,[0-9]{{3}}(?:\.[0-9]+)?")
_POINTS = re.compile(
    rf"{_SIGN}[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})+,[0-9]+|{_SIGN}[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{2,}}"
)
_SPACED = re.compile(
    rf"{_SIGN}[1-9][0-9]{{0,2}}(?:([ \u00a0\u202f\u2009'_])[0-9]{{3}})(?:\1[0-9]{{3}})*(?:[.,][0-9]+)?"
)
_COMMA = re.compile(rf"{_SIGN}(?:0|[1-9][0-9]*),[0-9]+")
_AROUND = re.compile(
    rf"(?P<sign>{_SIGN}) ?(?P<before>[{_CURRENCIES}]|US\$|(?:USD|EUR|GBP|CHF|INR|JPY)(?= ?[0-9.]))? ?"
    rf"(?P<number>[^%{_CURRENCIES}]*?)"
    rf" ?(?P<after>[{_CURRENCIES}]|%|percent|per cent|(?:USD|EUR|GBP|CHF|INR|JPY|dollars|euros?|pounds))?",
    re.IGNORECASE,
)


class Amount(msgspec.Struct, frozen=True):
    """A number as a cell writes it. one_group: a single separator before three digits, as in 1,234 or 1.234."""

    value: float | int
    written: Written
    one_group: bool = False

    @property
    def ambiguous(self) -> bool:
        """Return True for digits that a number does not need, as in 007 and 3.10: they may be a text."""
        return self.written == "padded"


def amount(text: str) -> Amount | None:
    """Return the number that a text consists of; None for another text. It takes time linear in the text."""
    text = text.strip()
    if not text or len(text) > _LONGEST or sum(map(str.isdigit, text)) > _MOST_DIGITS:
        return None
    if (found := _bare(text)) is not None:
        return found
    around = _AROUND.fullmatch(text)
    if around is None or not (around["before"] or around["after"]):
        return None
    inner = _bare(around["sign"] + around["number"].strip())
    if inner is None or (around["before"] and around["after"]):
        return None
    percent = (around["after"] or "").casefold() in PERCENT
    # In an amount of money or of per cent, zeros at the end say how exact it is.
    return Amount(inner.value, "percent" if percent else "currency", inner.one_group)


def _bare(text: str) -> Amount | None:
    if _PLAIN.fullmatch(text) or _PLAIN.fullmatch(text.removesuffix(".")):
        return _made(text.removesuffix("."), "plain")
    if _DECIMAL.fullmatch(text):
        one_group = re.fullmatch(rf"{_SIGN}[1-9][0-9]{{0,2}}\.[0-9]{{3}}", text) is not None
        return _made(text, "padded" if text.endswith("0") else "decimal", one_group)
    if _PADDED.fullmatch(text):
        return _made(text.replace(",", "."), "padded")
    if _SCIENTIFIC.fullmatch(text):
        return _made(text, "decimal")
    if _COMMAS.fullmatch(text) or _LAKHS.fullmatch(text):
        return _made(text.replace(",", ""), "thousands", text.count(",") == 1 and "." not in text)
    if _POINTS.fullmatch(text):
        return _made(text.replace(".", "").replace(",", "."), "thousands")
    if _SPACED.fullmatch(text):
        return _made(re.sub("[ \u00a0\u202f\u2009'_]", "", text).replace(",", "."), "spaced")
    if _COMMA.fullmatch(text):
        return _made(text.replace(",", "."), "decimal comma")
    return None


def _made(digits: str, written: Written, one_group: bool = False) -> Amount | None:
    value = float(re.sub("[\u2212\u2013]", "-", digits))
    if not isfinite(value):
        return None
    whole = value.is_integer() and abs(value) < 2**53
    return Amount(int(value) if whole else value, written, one_group)
