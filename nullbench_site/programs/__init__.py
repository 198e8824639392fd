"""Contestants and judges without a model: functions of their inputs, for demonstrations and null floors.

None is a stand-in for a language model. Contestants extract, copy, refuse or ignore the request; judges are heuristics
whose descriptions say what they can and cannot see. Each is registered by an entry point of `nullbench_site.programs`,
and none is imported before one is asked for: their patterns take 0.1 s to compile, and most commands need none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from nullbench_site.errors import UsageError
from nullbench_site.extensions import load_all, origin
from nullbench_site.programs.program import NoParams, Program, Prompt, Role, TaskAndSource, contestant, judge

__all__ = [
    "NoParams",
    "Program",
    "Prompt",
    "TaskAndSource",
    "all_programs",
    "contestant",
    "contestants_reading",
    "judge",
    "judges_reading",
    "names",
    "reply",
]


@cache
def all_programs() -> Mapping[str, Program]:
    """Every program by its name. Raises UsageError for what is registered as a program and is none."""
    programs = load_all("programs")
    for name, program in programs.items():
        if not isinstance(program, Program):
            raise UsageError(f"{origin('programs', name)} registers {name!r} among programs, but it is no Program")
    return programs


def names(role: Role) -> frozenset[str]:
    """The names of all contestants, or of all judges."""
    return frozenset(name for name, program in all_programs().items() if program.role == role)


def contestants_reading(fields: Collection[str]) -> frozenset[str]:
    """The names of the contestants that can answer a request with these fields."""
    return frozenset(name for name in names("contestant") if all_programs()[name].reads_from(fields))


def judges_reading(fields: Collection[str]) -> frozenset[str]:
    """The names of the judges that can score by a request with these fields."""
    return frozenset(name for name in names("judge") if all_programs()[name].reads_from(fields))


def reply(name: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """The answer or verdict of a program. ValueError for a wrong name, param or field."""
    if name not in all_programs():
        raise ValueError(f"unknown offline program {name!r}; known: {', '.join(sorted(all_programs()))}")
    return all_programs()[name].reply(params, fields)
