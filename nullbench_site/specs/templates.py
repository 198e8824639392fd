"""Wordings of the task: Jinja templates in a sandbox, given the item's task and source and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

_VARIABLES = frozenset({"task", "source"})


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)


def problems(text: str) -> Iterator[str]:
    """What is wrong with a template, in words."""
    try:
        used = find_undeclared_variables(_environment().parse(text))
    except TemplateError as error:
        yield f"the template cannot be read: {error}"
        return
    known = ", ".join(sorted(_VARIABLES))
    for name in sorted(used - _VARIABLES):
        yield f"the template uses {name!r}, which nothing gives it; it may use {known}"
    for name in sorted(_VARIABLES - used):
        yield f"the template never uses {name!r}; a prompt holds both {known}"


def prompt(template: str, *, task: str, source: str) -> str:
    """The one user message a contestant gets: zero context, the task and the source alone."""
    return _compiled(template).render(task=task, source=source).strip()
