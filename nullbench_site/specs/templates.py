"""Wordings of the task: Jinja templates in a sandbox, given the item's task and source and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

_VARIABLES = frozenset({"task", "source"})
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_PLAIN_VARIABLE = re.compile(r"\{\{ (task|source) \}\}")
_TAG = re.compile(r"\{[{%#]|[#%}]\}")


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)


def problems(text: str) -> Iterator[tuple[int, str]]:
    """What is wrong with a template: a line and words for each."""
    if _is_plain(text):
        return
    from jinja2 import TemplateError, TemplateSyntaxError, nodes
    from jinja2.meta import find_undeclared_variables

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


def _is_plain(text: str) -> bool:
    """Whether a template is nothing but text, comments and both variables, as most are; Jinja takes long to import."""
    bare = _COMMENT.sub("", text)
    return set(_PLAIN_VARIABLE.findall(bare)) == _VARIABLES and not _TAG.search(_PLAIN_VARIABLE.sub("", bare))


def wording(template: str) -> str:
    """The template as a reader wants it: without its comments, one of which is the canary."""
    return _COMMENT.sub("", template).strip()


def prompt(template: str, *, task: str, source: str) -> str:
    """The one user message a contestant gets: zero context, the task and the source alone."""
    return _compiled(template).render(task=task, source=source).strip()
