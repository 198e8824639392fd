"""Prompt templates: only the variables of a protocol, such as `{{ task }}`, are replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

MAX_TEMPLATE = 20_000
"""In characters."""
MAX_USES = 9
"""Uses of variables. The longest text of an item has 20,000 characters, and the longest prompt 200,000."""
_CANARY = re.compile(r"\A(?:#|\{#) ?nullbench-canary:.*\n?")
_WHOLE_CANARY = re.compile(r"nullbench-canary:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_VARIABLE = re.compile(r"\{\{ *(\w+) *\}\}")
_BRACES = re.compile(r"\{\{|\}\}")


def problems(template: str, variables: Mapping[str, bool]) -> Iterator[tuple[int, str]]:
    """Yield the line number and the message of each problem of a template.

    variables: the variables that it can use, and whether it must.
    """
    if len(template) > MAX_TEMPLATE:
        yield 1, f"the template has {len(template):,} characters; at most {MAX_TEMPLATE:,} are allowed"
        return
    used, known = list[str](), _listed(variables)
    for number, line in enumerate(_without_canary(template, keep_line=True).split("\n"), 1):
        names = _VARIABLE.findall(line)
        used += names
        for name in dict.fromkeys(names):
            if name not in variables:
                yield number, f"unknown variable {name!r}; a template can use {known}"
        if braces := _BRACES.search(_VARIABLE.sub("", line)):
            yield number, f"unexpected {braces[0]!r}; only {known} are replaced"
    required = [name for name, must in variables.items() if must]
    for name in sorted({*required}.difference(used)):
        yield 1, f"the template does not use {name!r}; it must contain {_listed(required)}"
    if len(used) > MAX_USES:
        yield 1, f"the template uses variables {len(used)} times, which makes prompts too long; use each variable once"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"'{{{{ {name} }}}}'" for name in sorted(names))


def used(template: str) -> list[str]:
    """Return the variables of a template, each as often as it is used."""
    return _VARIABLE.findall(_without_canary(template))


def wording(template: str) -> str:
    """Return the template without its canary, as readers see it."""
    return _without_canary(template).strip()


def canary(template: str) -> str:
    """Return the canary in the first line of a template; empty if it has none."""
    line = _CANARY.match(template)
    whole = _WHOLE_CANARY.search(line[0]) if line else None
    return whole[0] if whole else ""


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return the user message to a contestant: the template with its variables replaced; missing ones are empty."""
    return _VARIABLE.sub(lambda variable: values.get(variable[1], ""), _without_canary(template)).strip()


def _without_canary(template: str, *, keep_line: bool = False) -> str:
    """Return the template without its first line, the canary.

    It is `# nullbench-canary:...`, or `{# ... #}` in runs made before version 0.1.0.
    """
    return _CANARY.sub("\n" if keep_line else "", template)
