"""The value of a sum written in digits."""

import re
from fractions import Fraction

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
