"""The types that the parameters of checks are made of. In a spec they stand beside `type`, the check's id.

A parameter that is missing, misspelt or of a wrong kind is refused when the spec is read, before any response
is checked.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from nullbench_site.checks.reading.patterns import pattern

Line = Annotated[str, Meta(min_length=1, max_length=500)]
Prose = Annotated[str, Meta(min_length=1, max_length=20_000)]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Whole = Annotated[int, Meta(ge=0, le=100_000)]
Share = Annotated[float, Meta(gt=0, le=1)]
Pattern = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="Words in order, in one sentence; `..` stands for up to five words, `a|b` for either word, and a "
        "`*` at a word's end for any ending. Case, hyphens and emphasis do not matter.",
    ),
]
Patterns = Annotated[tuple[Pattern, ...], Meta(max_length=100)]
SomePatterns = Annotated[tuple[Pattern, ...], Meta(min_length=1, max_length=100)]


class Params(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, tag_field="type"):
    """The base of the parameters of a check; the check's id is its tag."""


def readable(*groups: tuple[str, ...]) -> None:
    """Raise ValueError for the first text that is not a pattern."""
    for group in groups:
        for text in group:
            pattern(text)


def at_least_one(**given: object) -> None:
    """Raise ValueError if all of them are absent: a check that looks at nothing is a mistake in the spec."""
    if not any(value not in (None, (), False) for value in given.values()):
        raise ValueError(f"needs at least one of {', '.join(given)}")
