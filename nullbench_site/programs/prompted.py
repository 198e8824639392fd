"""Contestants for bare prompts: each shows which part of a score needs no understanding.

They see only the prompt. None knows a fact or sees an ideal answer, and each answers in time linear in the prompt. No
library does the sums: parentheses in prose are often unbalanced.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from nullbench_site.packaged import word_lines, word_list
from nullbench_site.programs.baselines import TaskLimits, read_limits
from nullbench_site.programs.english import STOP_WORDS, normalise, sentences, words
from nullbench_site.programs.program import BarePrompt, contestant

LONGEST = 40  # the most letters of a word
# The requested form, not the subject of the prompt.
ASKING = word_list("asking")


def topics(prompt: str) -> list[str]:
    """Return the different content words of `prompt`, in lower case, in order of first appearance."""
    return list(dict.fromkeys(_topics(prompt)))


def main_topic(prompt: str) -> str:
    """Return the most frequent content word of `prompt`, among equals the first; "this" for a prompt without any."""
    return max((counts := Counter(_topics(prompt))), key=counts.__getitem__, default="this")


def rarest(prompt: str, count: int) -> list[str]:
    """Return `count` content words of `prompt`, the longest first, among equals the earlier.

    Length replaces rarity: the more frequent a word, the shorter it tends to be (Zipf, 1935).
    """
    return sorted(topics(prompt), key=len, reverse=True)[:count]


def _topics(prompt: str) -> list[str]:
    return [
        word for word in words(prompt) if 1 < len(word) <= LONGEST and word not in STOP_WORDS and word not in ASKING
    ]


STATEMENTS = 3
LONGEST_STATEMENT = 60  # the most repeated words of a statement

_AGREEMENT = "Yes, you are absolutely right."
_FLATTERY = "I would not change a thing about how you see this."


@contestant(BarePrompt)
def agree(asked: BarePrompt) -> str:
    """Confirm the first statements of the prompt, and answer its question with yes: the value of flattery."""
    lines = sentences(asked.prompt)
    confirmed = [f"It is true, as you say: {_cut(line)}" for line in lines if _claims(line)][:STATEMENTS]
    granted = ["And the answer to your question is yes."] if any(line.endswith("?") for line in lines) else []
    return " ".join([_AGREEMENT, *confirmed, *granted, _FLATTERY])


def _claims(sentence: str) -> bool:
    """Return True if it neither asks nor commands."""
    return not sentence.endswith("?") and sentence.split(maxsplit=1)[0].strip("\"'(*_,.:").casefold() not in ASKING


def _cut(sentence: str) -> str:
    return " ".join(sentence.split()[:LONGEST_STATEMENT])


TERMS = 2


@contestant(BarePrompt)
def ask_back(asked: BarePrompt) -> str:
    """Ask back and answer nothing: right for a vague prompt, evasive for every other."""
    about = [f'- What exactly do you mean by "{word}" here?' for word in rarest(asked.prompt, TERMS)]
    first, *others = word_lines("asking-back")
    return "\n".join([first, *about, *others])


SIDES = 2


@contestant(BarePrompt)
def essay(asked: BarePrompt) -> str:
    """Write the same essay about words of any prompt: the value of tone, structure and length without substance."""
    topic = main_topic(asked.prompt)
    one, other = ([word for word in topics(asked.prompt) if word != topic] + ["the context", "the alternatives"])[
        :SIDES
    ]
    return "\n\n".join(word_lines("essay")).format(topic=topic, one=one, other=other)


DEFINED = 4


@contestant(BarePrompt)
def glossary(asked: BarePrompt) -> str:
    """Define each of the longest words of the prompt, correctly and emptily: the value of apparent expertise."""
    topic = main_topic(asked.prompt)
    lines = [
        f"- **{word.capitalize()}**: a term for what is called {word}, of importance wherever {topic} is at issue."
        for word in rarest(asked.prompt, DEFINED)
    ]
    return "\n".join(["The key terms are as follows.", *lines, f"Together they make up what matters about {topic}."])


SENTENCES, WORDS = 3, 36  # if the prompt sets no limit
MOST_WORDS, MOST_LINES = 2_000, 100  # even if the prompt asks for more
ROWS, COLUMNS = 3, 3
CELL = 2  # words of a table cell or a value
LINE = 8  # words of a bullet

_CODE = re.compile(
    r"\b(?:code|function|script|class|program|query|regex|decorator|unit tests?|pytest|implement\w*|refactor\w*)\b"
)
_LANGUAGES = ("python", "javascript", "typescript", "rust", "java", "sql", "bash", "go")
# The requested output, not the subject of the prompt: a job may read a table or log JSON.
_JSON = re.compile(r"\b(?:as|only|valid|raw|a|single) json\b|\bjson (?:object|array|only)\b")
_TABLE = re.compile(
    r"\b(?:as|in|into) an? (?:\w+ )?table\b|\b(?:markdown|comparison|summary) table\b"
    r"|\b(?:make|create|draw|write|give me|produce|build) an? (?:\w+ ){0,2}table\b"
)
_ROWS = re.compile(r"\b([0-9]{1,3}) (?:[a-z]+ )?rows?\b")
_COLUMNS = re.compile(r"\b([0-9]{1,2}) (?:[a-z]+ )?columns?\b")
_KEY = re.compile(r"[\"`]([A-Za-z_][A-Za-z0-9_]{0,39})[\"`]")
_LIST = re.compile(r"\b(?:bullet\w*|numbered list|checklist)\b")


@contestant(BarePrompt)
def fill_form(asked: BarePrompt) -> str:
    """Write JSON, a table, code, bullets or prose, as the prompt asks and as long, in its own words.

    This is the value of form alone. Empty for a prompt without words.
    """
    named = topics(asked.prompt)
    if not named:
        return ""
    text, limits, supply = asked.prompt.casefold(), read_limits(asked.prompt), itertools.cycle(named)
    if _JSON.search(text):
        return _json(asked.prompt, supply)
    if _TABLE.search(text):
        return _table(text, supply)
    if _CODE.search(text):
        return _code(text, supply)
    if limits.bullets or _LIST.search(text):
        return _bullets(limits, supply)
    return _prose(limits, supply)


def _json(prompt: str, supply: Iterator[str]) -> str:
    keys = list(dict.fromkeys(_KEY.findall(prompt)))[:MOST_LINES] or ["answer"]
    return json.dumps({key: _some(CELL, supply) for key in keys}, indent=2)


def _table(text: str, supply: Iterator[str]) -> str:
    rows, columns = _ROWS.search(text), _COLUMNS.search(text)
    width = max(1, int(columns[1])) if columns else COLUMNS
    height = min(MOST_LINES, int(rows[1])) if rows else ROWS
    lines = [" | ".join(_some(CELL, supply) for _ in range(width)) for _ in range(height + 1)]
    head, *body = (f"| {line} |" for line in lines)
    return "\n".join([head, "|" + " --- |" * width, *body])


def _code(text: str, supply: Iterator[str]) -> str:
    language = next((name for name in _LANGUAGES if name in text), "python")
    name, argument, result = (re.sub(r"\W", "_", next(supply)) for _ in range(3))
    return f"```{language}\ndef {name}({argument}_):\n    return {result!r}\n```"


def _bullets(limits: TaskLimits, supply: Iterator[str]) -> str:
    count = min(limits.bullets or SENTENCES, MOST_LINES)
    size = LINE if limits.words is None else max(1, min(LINE, limits.words // max(1, count)))
    return "\n".join(f"- {_sentence(size, supply)}" for _ in range(count))


def _prose(limits: TaskLimits, supply: Iterator[str]) -> str:
    total = min(limits.words or WORDS, MOST_WORDS)
    count = min(limits.sentences or max(SENTENCES, total // LINE // 2), max(1, total))
    sizes = [total // count + (at < total % count) for at in range(count)]
    return " ".join(_sentence(size, supply) for size in sizes)


def _sentence(size: int, supply: Iterator[str]) -> str:
    return f"{_some(size, supply).capitalize()}."


def _some(count: int, supply: Iterator[str]) -> str:
    return " ".join(itertools.islice(supply, count))


RESULTS = 20  # the most steps that are shown
_NOTHING = "There is no sum in this prompt that I can work out."
_NUMBER = r"[0-9]{1,15}(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]{1,15})?(?![0-9a-z])"
_OPEN, _CLOSE = r"[( ]{0,9}", r"[) ]{0,9}"
_SIGN = r"(?:[+*/\u00d7\u00f7] ?|(?<= )- )"  # a minus only between blanks: "2-3 lines" is a range
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


@contestant(BarePrompt)
def calculator(asked: BarePrompt) -> str:
    """Compute sums, percentages and a chain of steps ("start with 5, add 3"); the last result is the answer."""
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
    """Yield the steps after a start; "integer-divide" drops the rest. A division by zero ends the chain."""
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
    """Return a whole number without decimals, any other with four at most."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(round(number, 4)):.4f}".rstrip("0").rstrip(".")


_TOKEN = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?|[-+*/\u00d7\u00f7()]")
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}
_PLAIN = str.maketrans("\u00d7\u00f7", "*/")


def value(text: str) -> Fraction | None:
    """Return the exact value of an expression of + - * / and parentheses; None if it has none.

    It uses two stacks (Dijkstra, 1961), so that depth costs no recursion.
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
