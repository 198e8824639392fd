"""Contestants and judges without a model: functions of their inputs, for demonstrations and null floors.

They do not replace a language model. Contestants extract, copy, refuse or ignore the request; judges are heuristics
whose descriptions say what they can and cannot see. Entry points of `nullbench_site.programs` register them. They are
imported when needed, because their patterns take 0.1 s to compile.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from nullbench_site.errors import UsageError
from nullbench_site.extensions import load_all, origin
from nullbench_site.packaged import data_text
from nullbench_site.programs.program import (
    BarePrompt,
    NoParams,
    Program,
    Role,
    SourcedPrompt,
    TaskAndSource,
    contestant,
    judge,
)

__all__ = [
    "BarePrompt",
    "NoParams",
    "Program",
    "SourcedPrompt",
    "TaskAndSource",
    "all_programs",
    "contestant",
    "judge",
    "names",
    "reading",
    "reply",
]


@cache
def all_programs() -> Mapping[str, Program]:
    """Return every program by its name. Raises UsageError for an entry point that is not a program."""
    programs = load_all("programs")
    for name, program in programs.items():
        if not isinstance(program, Program):
            raise UsageError(f"{origin('programs', name)} registers {name!r} among programs, but it is not a Program")
    return programs


def names(role: Role) -> frozenset[str]:
    """Return the names of all contestants, or of all judges."""
    return frozenset(name for name, program in all_programs().items() if program.role == role)


def reading(role: Role, fields: Collection[str]) -> frozenset[str]:
    """Return the names of the contestants, or judges, that need no other fields of a request than these."""
    return frozenset(name for name in names(role) if all_programs()[name].reads_from(fields))


def reply(name: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """Return the answer or verdict of a program. Raises ValueError for a wrong name, param or field."""
    if name not in all_programs():
        raise ValueError(f"unknown offline program {name!r}; known: {', '.join(sorted(all_programs()))}")
    return all_programs()[name].reply(params, fields)


Value = Annotated[float, Meta(ge=-1, le=1)]


class ValidityFigure(Struct, frozen=True, forbid_unknown_fields=True):
    """Correlations with the mean mark of the other judges, each with the ends of its 95 % interval."""

    by_response: tuple[Value, Value, Value]
    by_response_ranked: tuple[Value, Value, Value]
    within_prompts: tuple[Value, Value, Value]
    by_model: tuple[Value, Value, Value]
    by_model_ranked: tuple[Value, Value, Value]


class ProgramValidity(Struct, frozen=True, forbid_unknown_fields=True):
    """One measurement. programs: their revision. figures: by program, and of their mean under `mean`.

    prompts: the number of prompts. developed_on: the number of other prompts on which the programs were developed.
    """

    programs: str
    date: str
    source: str
    judges: tuple[str, ...]
    models: int
    prompts: int
    developed_on: int
    answers: int
    figures: dict[str, ValidityFigure]


@cache
def measured() -> ProgramValidity:
    """Return the figures that ship with the programs."""
    return msgspec.yaml.decode(data_text("validity.yaml"), type=ProgramValidity)


def figures_of(judges: frozenset[str], revision: str | None) -> ProgramValidity | None:
    """Return the figures of a panel of exactly these programs in this revision, or None if they were not measured."""
    known = measured()
    return known if revision == known.programs and judges == known.figures.keys() - {"mean"} else None
