r"""The numbers in a text, with their units.

They are in the styles of models: 1,234.5, 1.2e3, 1.2 \u00d7 10^3, 3/4, 1 1/2, 75 %, -5, 3 million, twelve. No library
in use reads numbers in prose: babel and decimal parse one number in one format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite

import msgspec

from nullbench_site.answer_keys.number_words import in_figures
from nullbench_site.answer_keys.phrases import UNSPACED
from nullbench_site.answer_keys.units import Scale, Units
from nullbench_site.checks.reading import listed, number

FLOATS = 1e-12
"""The relative error of floats: 10.3 is within 0.3 of 10."""
_LONGEST = 40
# Greek and other letters are word characters as well: 2\u03c0 is not 2.
_GOES_ON = r"(?:[0-9]|[.,_'](?=[0-9])|(?<![0-9]{4}) (?=[0-9]{3}(?![0-9/.,])))"
# A number that could continue does not match, so none is matched in part.
_FIGURE = rf"(?:[0-9]{_GOES_ON}*(?!{_GOES_ON})|\.[0-9]+(?![0-9]))"
_AMOUNT = re.compile(
    rf"(?P<sign>(?:(?<![\w)%])[-+]|\b(?:minus|negative)\b) ?(?:[\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9] ?)?)?(?<![\w.])"
    rf"(?:(?P<whole>[0-9]{{1,9}}) (?=[0-9]{{1,9}}/[0-9]))?"
    rf"(?P<figure>{_FIGURE})"
    r"(?:[eE](?P<e>[-+]?[0-9]{1,4})(?!\w|\.[0-9])"
    r"|\^ ?[({]?(?P<power>[-+]?[0-9]{1,4})[)}]?"
    r"| ?[\u00d7\u00b7\u22c5x*] ?10(?: ?\^ ?[({]?(?P<ten>[-+]?[0-9]{1,4})[)}]?"
    r"|(?P<raised>[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]{1,4})))?"
    rf"(?: ?/ ?(?P<below>{_FIGURE})(?!/))?"
    r"(?P<percent> ?%| per ?cent\b)?"
    r"(?: (?P<big>(?:thousand|million|billion|trillion|tausend|millionen|milliarden)\b"
    r"|[\u4e07\u842c\u4ebf\u5104\ub9cc\uc5b5])|(?P<kilo>k)(?!\w))?",
    re.IGNORECASE,
)
_RAISED = str.maketrans("\u207a\u207b\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079", "+-2310456789")
_BIG = {
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "tausend": 1e3,
    "millionen": 1e6,
    "milliarden": 1e9,
    "\u4e07": 1e4,
    "\u842c": 1e4,
    "\ub9cc": 1e4,
    "\u4ebf": 1e8,
    "\u5104": 1e8,
    "\uc5b5": 1e8,
}
_SPELLED = re.compile(r"[a-z]{3,9}")
_AFTER = re.compile(r" ?([^\W\d_]+|[\u00b0%\u2032\u2033])")
# A continuation that makes it something else: a date, a time, a version, a range, a sum, a product.
_TIED = re.compile(
    r"[0-9^]|! ?[-+*/=\u00d7\u00f7\u00b7\u22c5(\w]|[-.:,][0-9]| - [0-9]| ?[+*/\u00d7\u00f7\u00b7\u22c5] ?[\w(]"
)
# Words that may follow a number without being its unit.
_CONNECTING = frozenset(
    listed(
        "and are as at because by for from if in is of on or since so that to was when which with und oder et ou y o e "
        "est ist es \u3067\u3059 \uc785\ub2c8\ub2e4 \u3067\u3042\u308b \u306b\u306a\u308a\u307e\u3059 \u0438 "
        "\u0438\u043b\u0438 \u0623\u0648"
    )
)
_PART_OF_ONE = re.compile(r"\b(?:half|halves|thirds?|quarters?|fourths?|fifths?|tenths?)\b")
_UNREAD = re.compile(
    r"\b(?:thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|dozen)\b|[\u221a]|\\[a-z]"
    r"|\b(?:cos|exp|ln|log|sin|sqrt|tan)\b",
    re.IGNORECASE,
)
# English words that are units as well, and no units before another word: "12 in total".
_WORDS_TOO = frozenset(listed("in us d ora as"))
_CURRENCIES = frozenset(listed("USD EUR GBP CHF JPY INR CNY RMB CAD AUD BRL RUB KRW"))
_MONEY = re.compile(rf"(?<![^\W_])({'|'.join(sorted(_CURRENCIES))}|Rs\.?)(?=[0-9])")
# The calculator's notes in GSM8K: 16 - 9 = <<16-9=7>>7.
_CALCULATED = re.compile(r"<<[^<>\n]{1,200}>>")
_NO_CENTS = re.compile(r"(?<=[0-9])[.,]-{1,2}(?![0-9])")
# Spaces between groups of three and a decimal comma, in a text that has nothing else but a currency.
_SPACED = re.compile(
    r"(?P<before>[^\w]*(?:[A-Z]{3} )?)(?P<whole>[0-9]{1,3}(?: [0-9]{3})+)(?P<fraction>[.,][0-9]{1,2})"
    r"(?P<after>(?: ?(?:[\u20ac\u00a3\u00a5\u20b9\u20bd%]|[^\W\d_]{1,12}))?[^\w]*)"
)
_SPACED_MONEY = re.compile(
    r"(?<![\w.,])(?<![0-9] )([0-9]{1,3}(?: [0-9]{3})+)([.,][0-9]{1,2})"
    r"(?= ?(?:[\u20ac\u00a3\u00a5\u20b9\u20bd]|euros?\b|EUR\b|CHF\b|PLN\b"
    r"|SEK\b|NOK\b))",
    re.IGNORECASE,
)
# "Step 3", "question 5": the number of a thing.
_ITEM = re.compile(r" ?(?:\(?[0-9]{1,2}\)|[0-9]{1,2}\.) (?=[^\W\d_])")
_NUMBERED = re.compile(
    r"(?:\b(?:step|part|question|problem|example|case|option|figure|table|equation|section|chapter|schritt|frage|"
    r"\u00e9tape|paso|\u7b2c|\u6b65\u9aa4) ?#?[0-9]{1,3}\b(?! ?[=+*/]))[:.)]?",
    re.IGNORECASE,
)


class Amount(msgspec.Struct, frozen=True):
    """A number in a text, from start to end with its unit. value: in the key's unit, None if it cannot be read.

    written: the number as written, without a conversion. own: False if it has another unit than the key's.
    """

    value: float | None
    start: int
    end: int
    written: float | None = None
    own: bool = True
    scale: Scale | None = None


def prepared(text: str, *, in_list: bool = True) -> str:
    """Return the text without what looks like a number and is none: "Step 3", the cents of "5,-".

    Numbers of several words become figures. in_list: also leave out the number of an item: "1. ".
    """
    text = _SPACED_MONEY.sub(lambda match: match[1].replace(" ", "") + match[2], in_figures(text))
    if spaced := _SPACED.fullmatch(text):
        text = f"{spaced['before']}{spaced['whole'].replace(' ', '')}{spaced['fraction']}{spaced['after']}"
    if in_list and (item := _ITEM.match(text)):
        text = text[item.end() :]
    return _NUMBERED.sub("", _CALCULATED.sub("", _NO_CENTS.sub("", _MONEY.sub(r"\1 ", text))))


def amounts(text: str, units: Units) -> list[Amount]:
    """Return the numbers of a text in order; figures, or without any, words from zero to twenty.

    A percentage is a hundredth, unless % or percent is one of the units. With units, a number has one of them or none;
    one in another unit of the same kind is converted. "2 h 30 min" is one amount.
    """
    found: list[Amount] = []
    for match in _AMOUNT.finditer(text):
        # The 2 of "cm^2" is part of the unit.
        if not found or match.start() >= found[-1].end:
            found.append(_amount(text, match, units))
    if found:
        return list(_joined(found, text))
    folded = text.casefold()
    for match in _SPELLED.finditer(folded):
        value = number(match[0])
        if value is not None:
            sign = -1 if re.search(r"\b(?:minus|negative) $", folded[max(0, match.start() - 10) : match.start()]) else 1
            known = _PART_OF_ONE.search(folded) is None and _UNREAD.search(folded) is None
            unit = _unit(text, match.end(), units)
            known = known and unit is not None
            width, scale = unit or (0, None)
            read = sign * value if known else None
            found.append(
                Amount(
                    _converted(read, scale, units),
                    match.start(),
                    match.end() + width,
                    read,
                    scale in (None, units.own),
                    scale,
                )
            )
    return found


def _amount(text: str, match: re.Match[str], units: Units) -> Amount:
    unit = _unit(text, match.end(), units)
    if unit is None:
        return Amount(None, match.start(), match.end(), _value(match, units))
    width, scale = unit
    value = _value(match, units)
    return Amount(
        _converted(value, scale, units), match.start(), match.end() + width, value, scale in (None, units.own), scale
    )


def _converted(value: float | None, scale: Scale | None, units: Units) -> float | None:
    if value is None or scale is None or units.own is None:
        return value
    return scale.convert(value, units.own)


def _joined(found: list[Amount], text: str) -> Iterator[Amount]:
    """Yield the amounts, with those that are one, as "2 hours and 30 minutes", added up."""
    before: Amount | None = None
    for each in found:
        if before and _continues(before, each, text[before.end : each.start]):
            first, second = before.value or 0.0, each.value or 0.0
            before = Amount(
                first + (second if first >= 0 else -second), before.start, each.end, None, False, each.scale
            )
        else:
            if before:
                yield before
            before = each
    if before:
        yield before


def _continues(one: Amount, other: Amount, between: str) -> bool:
    if one.scale is None or other.scale is None or one.value is None or other.value is None:
        return False
    if (
        one.scale.shift
        or other.scale.factor >= one.scale.factor
        or not re.fullmatch(r",? ?(?:and |und |et |y |e )?", between)
    ):
        return False
    return other.written is not None and 0 <= other.written * other.scale.factor < one.scale.factor


def _unit(text: str, end: int, units: Units) -> tuple[int, Scale | None] | None:
    """Return the length and the scale of the unit after a number; None if the number goes on or has another unit."""
    rest = text[end : end + 60]
    for name, scale in units.names.items():
        for candidate in (name, f" {name}"):
            same = rest.startswith(candidate) or (len(name) > 3 and rest.casefold().startswith(candidate.casefold()))
            behind = rest[len(candidate) :]
            goes_on = re.match(r"[\w/^*\u00d7\u00b2\u00b3]", behind) and not UNSPACED.match(name[-1])
            if not same or goes_on:
                continue
            if name not in _WORDS_TOO or not re.match(r" [^\W\d_]", behind):
                return len(candidate), scale
    if _TIED.match(rest):
        return None
    after = _AFTER.match(rest)
    if after is None or after[1].casefold() in _CONNECTING:
        return 0, None
    if units.names:
        return None
    return (0, None) if after[0].startswith((" ", "\u00b0")) or after[1] in _CURRENCIES else None


def _value(match: re.Match[str], units: Units) -> float | None:
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
    if match["percent"] and not units.percent:
        value /= 100
    if match["kilo"]:
        value *= 1000
    if match["big"]:
        value *= _BIG[match["big"].casefold()]
    if (match["sign"] or "").casefold().startswith(("-", "minus", "negative")):
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
