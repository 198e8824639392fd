"""Wordings of the task: Jinja templates in a sandbox, given the item's task and source and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

_VARIABLES = frozenset({"task", "source"})


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)


def problems(text: str) -> Iterator[tuple[int, str]]:
    """What is wrong with a template: a line and words for each."""
    try:
        tree = _environment().parse(text)
        used = find_undeclared_variables(tree)
    except TemplateSyntaxError as error:
        yield error.lineno, f"the template cannot be read: {error.message}"
        return
    known = ", ".join(sorted(_VARIABLES))
    for name in sorted(used - _VARIABLES):
        line = next(node.lineno for node in tree.find_all(nodes.Name) if node.name == name)
        yield line, f"the template uses {name!r}, which nothing gives it; it may use {known}"
    for name in sorted(_VARIABLES - used):
        yield 1, f"the template never uses {name!r}; a prompt holds both {known}"
    if used == _VARIABLES:
        try:
            prompt(text, task="task", source="source")
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            yield 1, f"the template cannot be filled in: {error}"


def wording(template: str) -> str:
    """The template as a reader wants it: without its comments, one of which is the canary."""
    return re.sub(r"\{#.*?#\}", "", template, flags=re.DOTALL).strip()


def prompt(template: str, *, task: str, source: str) -> str:
    """The one user message a contestant gets: zero context, the task and the source alone."""
    return _compiled(template).render(task=task, source=source).strip()
