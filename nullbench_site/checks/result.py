"""What a check returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nullbench_site.text import plural

Outcome = Literal["passed", "failed", "not-applicable"]


@dataclass(frozen=True)
class Flag:
    """One thing found: a short id for programs and a sentence for people and judges.

    The sentence holds figures and words of the spec, never words of the response: a judge reads it, and a response must
    not speak to the judge through it.
    """

    id: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.id}: {self.sentence}"


@dataclass(frozen=True)
class Result:
    """`failed` and `not-applicable` come with at least one flag that says why, `passed` with none."""

    outcome: Outcome
    flags: tuple[Flag, ...] = ()


def verdict(*flags: Flag | None) -> Result:
    """Failed if there is a flag, else passed."""
    found = tuple(flag for flag in flags if flag is not None)
    return Result("failed" if found else "passed", found)


def not_applicable(flag: Flag) -> Result:
    """The check has nothing to look at, or finds nothing either way."""
    return Result("not-applicable", (flag,))


def counted(number: int, noun: str) -> str:
    """`1 word`, `1,204 words`."""
    return plural(number, noun, thousands=",")
