"""Wordings of the task: Jinja templates in a sandbox, given the item's task and source and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

MAX_TEMPLATE = 20_000
"""Characters."""
_VARIABLES = frozenset({"task", "source"})
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_PLAIN_VARIABLE = re.compile(r"\{\{ (task|source) \}\}")
_TAG = re.compile(r"\{[{%#]|[#%}]\}")
_EXAMPLE = {"task": "task", "source": "source"}


def problems(text: str, fillings: Iterable[Mapping[str, str]] = (_EXAMPLE,)) -> Iterator[tuple[int, str]]:
    """What is wrong with a template: a line and words for each. fillings: the tasks and sources it is to be used on."""
    if len(text) > MAX_TEMPLATE:
        yield 1, f"the template has {len(text):,} characters; at most {MAX_TEMPLATE:,} are allowed"
    elif not _is_plain(text):
        from nullbench_site.specs.sandboxed import template_problems  # noqa: PLC0415 - Jinja, which takes 30 ms to import

        yield from template_problems(text, _VARIABLES, fillings)


def _is_plain(text: str) -> bool:
    """Whether a template is nothing but text, comments and both variables, as most are; Jinja takes long to import."""
    bare = _COMMENT.sub("", text)
    return sorted(_PLAIN_VARIABLE.findall(bare)) == sorted(_VARIABLES) and not _TAG.search(
        _PLAIN_VARIABLE.sub("", bare)
    )


def wording(template: str) -> str:
    """The template as a reader wants it: without its comments, one of which is the canary."""
    return _COMMENT.sub("", template).strip()


def prompt(template: str, *, task: str, source: str) -> str:
    """The one user message a contestant gets: zero context, the task and the source alone."""
    from nullbench_site.specs.sandboxed import filled_in  # noqa: PLC0415 - as above

    return filled_in(template, {"task": task, "source": source})
