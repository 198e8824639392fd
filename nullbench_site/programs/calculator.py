"""A contestant that works out the arithmetic in the prompt, and does nothing else: how far sums alone carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from nullbench_site.programs.english import normalise
from nullbench_site.programs.program import Prompt, contestant

RESULTS = 20  # told at most
_NOTHING = "There is no sum in this prompt that I can work out."
_NUMBER = r"[0-9]{1,15}(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]{1,15})?(?![0-9a-z])"
_OPEN, _CLOSE = r"[( ]{0,9}", r"[) ]{0,9}"
_SIGN = r"(?:[+*/\u00d7\u00f7] ?|(?<= )- )"  # a minus between blanks only: "2-3 lines" is a range
_SUM = re.compile(rf"(?<![0-9.,a-z]){_OPEN}{_NUMBER}{_CLOSE}(?:{_SIGN}{_OPEN}{_NUMBER}{_CLOSE}){{1,40}}")
_SHARE = re.compile(rf"(?<![0-9.,])(?P<share>{_NUMBER}) ?% of \$?(?P<whole>{_NUMBER})")
_STEP = re.compile(
    rf"\b(?P<verb>start (?:with|from|at)|begin with|add|subtract|take away|multiply|divide|halve|double|remainder)\b"
    rf"(?:[^.\n0-9]{{0,60}}?(?P<number>{_NUMBER}))?"
)
_Step = Callable[[Fraction, Fraction], Fraction]
_STEPS: dict[str, _Step] = {
    "add": lambda now, number: now + number,
    "subtract": lambda now, number: now - number,
    "take away": lambda now, number: now - number,
    "multiply": lambda now, number: now * number,
    "divide": lambda now, number: now / number,
    "remainder": lambda now, number: now % number,
}
_ALONE = {"halve": Fraction(1, 2), "double": Fraction(2)}


@contestant(Prompt)
def calculator(asked: Prompt) -> str:
    """Sums, percentages and a chain of steps ("start with 5, add 3"), each with its result; the last is the answer."""
    results = [*_sums(normalise(asked.prompt)), *_chain(asked.prompt.casefold())][:RESULTS]
    if not results:
        return _NOTHING
    return "\n".join([*(f"{what} = {shown}" for what, shown in results), f"Answer: {results[-1][1]}"])


def _sums(text: str) -> Iterator[tuple[str, str]]:
    for match in _SHARE.finditer(text):
        share, whole = _number(match["share"]), _number(match["whole"])
        yield f"{match['share']}% of {match['whole']}", _shown(share * whole / 100)
    for match in _SUM.finditer(text):
        result = value(match.group())
        if result is not None:
            yield " ".join(match.group().split()), _shown(result)


def _chain(text: str) -> Iterator[tuple[str, str]]:
    """The steps after a start; "integer-divide" drops the rest. A division by zero ends the chain."""
    now: Fraction | None = None
    for match in _STEP.finditer(text):
        verb, digits = match["verb"], match["number"]
        if verb.startswith(("start", "begin")):
            now = _number(digits) if digits else None
        elif now is not None and verb in _ALONE:
            now *= _ALONE[verb]
            yield verb, _shown(now)
        elif now is not None and digits:
            number = _number(digits)
            if not number and verb in ("divide", "remainder"):
                return
            now = _STEPS[verb](now, number)
            if verb == "divide" and text[: match.start()].endswith(("integer-", "integer ")):
                now = Fraction(now.numerator // now.denominator)
            yield f"{verb} {digits}", _shown(now)


def _number(digits: str) -> Fraction:
    return Fraction(digits.replace(",", ""))


def _shown(number: Fraction) -> str:
    """A whole number as it is, any other with four decimals at most."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(round(number, 4)):.4f}".rstrip("0").rstrip(".")


_TOKEN = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?|[-+*/\u00d7\u00f7()]")
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}
_PLAIN = str.maketrans("\u00d7\u00f7", "*/")


def value(text: str) -> Fraction | None:
    """The value of an expression of + - * / and parentheses, exactly; None where it has none.

    By two stacks (Dijkstra, 1961), so that depth costs no recursion.
    """
    numbers: list[Fraction] = []
    waiting: list[str] = []
    for token in _TOKEN.findall(text.translate(_PLAIN)):
        if token[0].isdigit():
            numbers.append(Fraction(token.replace(",", "")))
        elif token == "(":  # noqa: S105
            waiting.append(token)
        else:
            while waiting and waiting[-1] != "(" and (token == ")" or _RANK[waiting[-1]] >= _RANK[token]):  # noqa: S105
                if not _apply(waiting.pop(), numbers):
                    return None
            if token != ")":  # noqa: S105
                waiting.append(token)
            elif waiting:
                waiting.pop()
    while waiting:
        sign = waiting.pop()
        if sign != "(" and not _apply(sign, numbers):
            return None
    return numbers[0] if len(numbers) == 1 else None


def _apply(sign: str, numbers: list[Fraction]) -> bool:
    if len(numbers) < 2 or (sign == "/" and not numbers[-1]):
        return False
    right, left = numbers.pop(), numbers.pop()
    numbers.append({"+": left + right, "-": left - right, "*": left * right}.get(sign, left / right if right else left))
    return True
