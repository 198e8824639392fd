"""A contestant that fills the form a prompt asks for with the prompt's own words: what the form alone is worth."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator

from nullbench_site.programs.arguments import Params, only
from nullbench_site.programs.prompted import topics
from nullbench_site.programs.task_aware import Limits, read_limits

SENTENCES, WORDS = 3, 36  # where the prompt sets no limit
MOST_WORDS, MOST_LINES = 2_000, 100  # whatever the prompt says
ROWS, COLUMNS = 3, 3
CELL = 2  # words of a table cell or a value
LINE = 8  # words of a bullet

_CODE = re.compile(
    r"\b(?:code|function|script|class|program|query|regex|decorator|unit tests?|pytest|implement\w*|refactor\w*)\b"
)
_LANGUAGES = ("python", "javascript", "typescript", "rust", "java", "sql", "bash", "go")
# What is to be given, not what the prompt speaks of: a job may read a table or log JSON.
_JSON = re.compile(r"\b(?:as|only|valid|raw|a|single) json\b|\bjson (?:object|array|only)\b")
_TABLE = re.compile(
    r"\b(?:as|in|into) an? (?:\w+ )?table\b|\b(?:markdown|comparison|summary) table\b"
    r"|\b(?:make|create|draw|write|give me|produce|build) an? (?:\w+ ){0,2}table\b"
)
_ROWS = re.compile(r"\b([0-9]{1,3}) (?:[a-z]+ )?rows?\b")
_COLUMNS = re.compile(r"\b([0-9]{1,2}) (?:[a-z]+ )?columns?\b")
_KEY = re.compile(r"[\"`]([A-Za-z_][A-Za-z0-9_]{0,39})[\"`]")
_LIST = re.compile(r"\b(?:bullet\w*|numbered list|checklist)\b")


def fill_form(params: Params, prompt: str) -> str:
    """JSON, a table, code, bullets or prose, as the prompt asks, as long as it asks; empty for a prompt of no words."""
    only(params, [])
    found = topics(prompt)
    if not found:
        return ""
    text, limits, supply = prompt.casefold(), read_limits(prompt), itertools.cycle(found)
    if _JSON.search(text):
        return _json(prompt, supply)
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


def _bullets(limits: Limits, supply: Iterator[str]) -> str:
    count = min(limits.bullets or SENTENCES, MOST_LINES)
    size = LINE if limits.words is None else max(1, min(LINE, limits.words // max(1, count)))
    return "\n".join(f"- {_sentence(size, supply)}" for _ in range(count))


def _prose(limits: Limits, supply: Iterator[str]) -> str:
    total = min(limits.words or WORDS, MOST_WORDS)
    count = min(limits.sentences or max(SENTENCES, total // LINE // 2), max(1, total))
    sizes = [total // count + (at < total % count) for at in range(count)]
    return " ".join(_sentence(size, supply) for size in sizes)


def _sentence(size: int, supply: Iterator[str]) -> str:
    return f"{_some(size, supply).capitalize()}."


def _some(count: int, supply: Iterator[str]) -> str:
    return " ".join(itertools.islice(supply, count))
