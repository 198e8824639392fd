r"""A key for a number.

It reads the styles of models: 1,234.5, 1.2e3, 1.2 \u00d7 10^3, 3/4, 1 1/2, 75 %, -5, 3 million, twelve. No library in
use reads numbers in prose: babel and decimal parse one number in one format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Annotated

import msgspec
from msgspec import Meta

from nullbench_site.answer_keys.key import Key, Marked, Visible, about, correct, cut, invalid, without_markup, wrong
from nullbench_site.answer_keys.statements import LONGEST, declines, ends, statements
from nullbench_site.checks.reading import listed, number

_LONGEST = 40
# Greek and other letters are word characters as well: 2\u03c0 is not 2.
_GOES_ON = r"(?:[0-9]|[.,_'](?=[0-9])|(?<![0-9]{4}) (?=[0-9]{3}(?![0-9/.,])))"
# A number that could continue does not match, so none is matched in part.
_FIGURE = rf"(?:[0-9]{_GOES_ON}*(?!{_GOES_ON})|\.[0-9]+(?![0-9]))"
_AMOUNT = re.compile(
    rf"(?P<sign>(?:(?<![\w)])[-+]|\b(?:minus|negative)\b) ?)?(?<![\w.])"
    rf"(?:(?P<whole>[0-9]{{1,9}}) (?=[0-9]{{1,9}}/[0-9]))?"
    rf"(?P<figure>{_FIGURE})"
    r"(?:[eE](?P<e>[-+]?[0-9]{1,4})(?!\w|\.[0-9])"
    r"|\^ ?[({]?(?P<power>[-+]?[0-9]{1,4})[)}]?"
    r"| ?[\u00d7\u00b7\u22c5x*] ?10(?: ?\^ ?[({]?(?P<ten>[-+]?[0-9]{1,4})[)}]?"
    r"|(?P<raised>[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]{1,4})))?"
    rf"(?: ?/ ?(?P<below>{_FIGURE})(?!/))?"
    r"(?P<percent> ?%| per ?cent\b)?"
    r"(?: (?P<big>thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)
_RAISED = str.maketrans("\u207a\u207b\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079", "+-2310456789")
_BIG = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SPELLED = re.compile(r"[a-z]{3,9}")
_AFTER = re.compile(r" ?([^\W\d_]+|[\u00b0%\u2032\u2033])")
# A continuation that makes it something else: a date, a time, a version, a range, a sum, a product.
_TIED = re.compile(r"[0-9^!]|[-.:,][0-9]| - [0-9]| ?[+*/\u00d7\u00f7\u00b7\u22c5] ?[\w(]")
# Words that may follow a number without being its unit.
_CONNECTING = frozenset(
    listed("and are as at because by for from if in is of on or since so that to was when which with")
)
_PARTS = re.compile(r", |;|\band\b|\bor\b|\bto\b")
# Signs of something else: a formula, a bound, a number in words that are not read.
_OTHERWISE = re.compile(
    r"[\u221a<>\u2264\u2265]|\\[a-z]|\b(?:cos|exp|ln|log|sin|sqrt|tan|(?:more|less|fewer|greater) than|"
    r"at least|at most|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|dozen)\b",
    re.IGNORECASE,
)
_PART_OF_ONE = re.compile(r"\b(?:half|halves|thirds?|quarters?|fourths?|fifths?|tenths?)\b")
_MARGIN = re.compile(r"(?:\u00b1|\+/-).*", re.DOTALL)
_ASSIGNED = re.compile(r"(?<![\w.])([^\W\d_]{1,3}) ?[=\u2248]", re.IGNORECASE)


class Amounts(msgspec.Struct, frozen=True):
    """The different numbers of a text. unreadable: one cannot be read, or its unit is not allowed."""

    values: Sequence[float]
    unreadable: bool = False
    bare: bool = False
    """True if the text has little else."""


def amounts(text: str, units: Sequence[str]) -> Amounts:
    r"""Return the numbers of a short text: of an equation its last side, without a margin (\u00b1).

    A percentage is a hundredth, unless % or percent is one of `units`. With units, a number has one of them or none.
    """
    values: dict[float, None] = {}
    words = 0
    unreadable = len(set(_ASSIGNED.findall(text.casefold()))) > 1
    for part in _PARTS.split(_MARGIN.sub("", text)):
        side = re.split(r"[=\u2248]", part)[-1]
        unreadable |= _OTHERWISE.search(side) is not None
        rest = side
        for value, written in _read(side, units):
            rest = rest.replace(written, " ", 1)
            if value is None:
                unreadable = True
            else:
                values[value] = None
        words += len(re.findall(r"[^\W\d_]{2,}", rest))
    return Amounts(tuple(values), unreadable, words <= 1 and "=" not in text)


def _read(side: str, units: Sequence[str]) -> Iterator[tuple[float | None, str]]:
    """Yield each number and its text; None for one that cannot be read."""
    figures = list(_AMOUNT.finditer(side))
    for match in figures:
        unit = _unit(side, match, units)
        value = None if unit is None else _value(match, units)
        yield value, match[0] + (unit or "")
    if not figures:
        for match in _SPELLED.finditer(side.casefold()):
            spelled = number(match[0])
            if spelled is not None:
                sign = -1 if re.search(r"\b(?:minus|negative) $", side[: match.start()].casefold()) else 1
                known = _PART_OF_ONE.search(side.casefold()) is None
                yield sign * spelled if known else None, side[match.start() : match.end()]


def _unit(side: str, match: re.Match[str], units: Sequence[str]) -> str | None:
    """Return the unit after a number, "" if there is none; None if the number goes on or has another unit."""
    rest = side[match.end() : match.end() + 60]
    for unit in sorted(units, key=len, reverse=True):
        for candidate in (unit, f" {unit}"):
            same = rest.startswith(candidate) or (len(unit) > 3 and rest.casefold().startswith(candidate.casefold()))
            if same and not re.match(r"[\w/^*\u00d7\u00b2\u00b3]", rest[len(candidate) :]):
                return rest[: len(candidate)]
    if _TIED.match(rest):
        return None
    after = _AFTER.match(rest)
    if after is None or after[1].casefold() in _CONNECTING:
        return ""
    if units or not after[0].startswith(" "):
        return None
    return ""


def _value(match: re.Match[str], units: Sequence[str]) -> float | None:
    value = _figure(match["figure"])
    below = _figure(match["below"]) if match["below"] else 1.0
    if value is None or not below:
        return None
    try:
        if match["power"]:
            value = float(value ** int(match["power"]))
        exponent = match["e"] or match["ten"] or (match["raised"] or "").translate(_RAISED)
        if exponent:
            value = float(f"{value!r}e{int(exponent)}") if "e" not in repr(value) else value * 10.0 ** int(exponent)
    except (OverflowError, ZeroDivisionError, ValueError):
        return None
    value = float(match["whole"] or 0) + value / below
    if match["percent"] and not any(unit.casefold() in ("%", "percent", "per cent") for unit in units):
        value /= 100
    if match["big"]:
        value *= _BIG[match["big"].casefold()]
    if (match["sign"] or "").strip().casefold() in ("-", "minus", "negative"):
        value = -value
    return value if isfinite(value) else None


def _figure(text: str) -> float | None:
    """Return the value of digits with thousands separators and a decimal point or comma; None if they are neither."""
    if len(text) > _LONGEST:
        return None
    bare = re.sub("[_' ]", "", text)
    if "," in bare and "." in bare:
        decimal = max(".,", key=bare.rfind)
        thousands = "," if decimal == "." else "."
        whole, _, fraction = bare.partition(decimal)
        if decimal in fraction or thousands in fraction or not _grouped(whole, thousands):
            return None
        return float(f"{whole.replace(thousands, '')}.{fraction}")
    if _grouped(bare, ","):
        return float(bare.replace(",", ""))
    if bare.count(".") > 1:
        return float(bare.replace(".", "")) if _grouped(bare, ".") else None
    # A comma that does not separate thousands is a decimal comma.
    return float(bare.replace(",", ".")) if bare.count(",") <= 1 else None


def _grouped(digits: str, by: str) -> bool:
    """Return True if `by` separates groups of three digits, or of two before the last three as in India."""
    return (
        re.fullmatch(rf"[1-9][0-9]{{0,2}}(?:\{by}[0-9]{{3}})+|[1-9][0-9]?(?:\{by}[0-9]{{2}})+\{by}[0-9]{{3}}", digits)
        is not None
    )


Unit = Annotated[str, Meta(min_length=1, max_length=50)]
# The error of floats: 10.3 is within 0.3 of 10.
_FLOATS = 1e-12


class Numeric(Key, frozen=True, tag="numeric"):
    """The right number, and the allowed error."""

    title, looks_at, cannot_see = about("numeric")

    value: Annotated[float, Meta(description="The right number, in the requested unit.")]
    tolerance: Annotated[float, Meta(ge=0, description="The largest allowed error, in the unit of the value.")] = 0.0
    relative_tolerance: Annotated[
        float,
        Meta(ge=0, lt=1, description="The largest allowed error as a share of the value; the wider of the two counts."),
    ] = 0.0
    unit: Annotated[
        tuple[Unit, ...],
        Meta(
            max_length=50,
            description="The words and signs that may follow the number; another unit makes an answer invalid. Without "
            "any, a word behind the number is not looked at. With % or percent, 75 % is 75, else 0.75.",
        ),
    ] = ()

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and isfinite(self.tolerance)):
            raise ValueError("value and tolerance must be finite numbers")
        if any(not without_markup(unit).strip() or unit[0].isdigit() for unit in self.unit):
            raise ValueError("a unit must be a word or a sign and not begin with a digit")

    def mark(self, visible: Visible) -> Marked:
        """Right if the answer differs from the value by at most the wider tolerance."""
        given = next(_given(visible, self), None)
        if given is None:
            return invalid("states no number, and its last line holds none", "no answer")
        if len(given.values) != 1 or given.unreadable:
            allowed = f" (units: {', '.join(self.unit)})" if self.unit else ""
            return invalid(
                f"gives numbers that differ, or one that cannot be read{allowed}",
                "several answers" if len(given.values) > 1 else "other form",
            )
        value = given.values[0]
        width = max(self.tolerance, self.relative_tolerance * abs(self.value)) + _FLOATS * max(
            abs(value), abs(self.value)
        )
        if abs(value - self.value) <= width:
            return correct(f"{value:.15g}", f"is {self.value:.15g} within the tolerance")
        return wrong(f"{value:.15g}", f"is not {self.value:.15g} within the tolerance")


def _given(visible: Visible, key: Numeric) -> Iterator[Amounts]:
    """Yield the numbers of the response, the most reliable reading first."""
    units = tuple(without_markup(unit).strip() for unit in key.unit)

    def read(text: str) -> Amounts:
        return amounts(cut(text[:LONGEST]), units)

    for group in statements(visible):
        yield from _together(map(read, group))
    lines = visible.lines
    if not lines or declines(lines[0]):
        return
    edges = [read(line) for line in dict.fromkeys(ends(lines))]
    yield from _together(edge for edge in edges if edge.bare)
    yield from _together(edges[:1])


def _together(several: Iterable[Amounts]) -> Iterator[Amounts]:
    """Yield all numbers as one reading, if there is any number."""
    some = [each for each in several if each.values or each.unreadable]
    if some:
        values = tuple(dict.fromkeys(value for each in some for value in each.values))
        yield Amounts(values, any(each.unreadable for each in some))
