"""Prompt templates: only `{{ task }}` and `{{ source }}` in the text are replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_TEMPLATE = 20_000
"""In characters."""
MAX_PROMPT = 200_000
"""In characters; the longest task and source have 20,000 each."""
_VARIABLES = frozenset({"source", "task"})
_KNOWN = " and ".join(f"'{{{{ {name} }}}}'" for name in sorted(_VARIABLES))
_CANARY = re.compile(r"\A(?:#|\{#) ?nullbench-canary:.*\n?")
_VARIABLE = re.compile(r"\{\{ *(\w+) *\}\}")
_BRACES = re.compile(r"\{\{|\}\}")


def problems(template: str, longest: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the line number and the message of each problem of a template.

    longest: characters of the longest text that replaces a variable.
    """
    if len(template) > MAX_TEMPLATE:
        yield 1, f"the template has {len(template):,} characters; at most {MAX_TEMPLATE:,} are allowed"
        return
    used = []
    for number, line in enumerate(_without_canary(template, keep_line=True).split("\n"), 1):
        names = _VARIABLE.findall(line)
        used += names
        for name in dict.fromkeys(names):
            if name not in _VARIABLES:
                yield number, f"unknown variable {name!r}; a template can use {_KNOWN}"
        if braces := _BRACES.search(_VARIABLE.sub("", line)):
            yield number, f"unexpected {braces[0]!r}; only {_KNOWN} are replaced"
    for name in sorted(_VARIABLES.difference(used)):
        yield 1, f"the template does not use {name!r}; it must contain {_KNOWN}"
    if len(template) + len(used) * longest > MAX_PROMPT:
        yield 1, f"the prompt of some item would have more than {MAX_PROMPT:,} characters; use each variable once"


def wording(template: str) -> str:
    """Return the template without its canary, as readers see it."""
    return _without_canary(template).strip()


def prompt(template: str, *, task: str, source: str) -> str:
    """Return the single user message to a contestant: the template with its variables replaced."""
    values = {"task": task, "source": source}
    return _VARIABLE.sub(lambda variable: values[variable[1]], _without_canary(template)).strip()


def _without_canary(template: str, *, keep_line: bool = False) -> str:
    """Return the template without its first line, the canary.

    It is `# nullbench-canary:...`, or `{# ... #}` in runs made before version 0.1.0.
    """
    return _CANARY.sub("\n" if keep_line else "", template)
