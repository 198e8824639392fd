"""Judges of two responses to a prompt: the rule sets of `ideal_judges`, held against each other.

Each gives the answers their values by its own measure, 0-1, and says how likely the second is the better one by how far
they are apart. None has a regard for the order: in the other one it says the opposite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from nullbench_site.programs import ideal_judges
from nullbench_site.programs.ideal_case import IdealCase, IdealEvidence
from nullbench_site.programs.program import compact, judge

SURE = 8.0  # how fast a difference of values makes it sure: one of 0.25 gives odds of 7 to 1
TIE, MUCH = 0.02, 0.35  # differences of values below which answers are as good, and from which one is much better
Measure = Callable[[IdealEvidence], tuple[float, str]]


class Pair(Struct, frozen=True):
    """Two responses to judge, the one shown first as `first`. judging: `preference` or `verdicts`."""

    prompt: str
    reference: str
    first: str
    second: str
    judging: Literal["preference", "verdicts"]


def _reply(pair: Pair, measure: Measure) -> str:
    """{"preference": 1-2, "rationale": str}, or {"rationale": str, "verdict": "A>B"}.

    rationale: figures of both; a reply never repeats a response.
    """
    values, notes = [], []
    for response in (pair.first, pair.second):
        evidence = IdealEvidence(IdealCase(pair.prompt, pair.reference, response))
        value, note = measure(evidence)
        values.append(value * evidence.standing)
        notes.append(note if evidence.standing else "no answer to this prompt")
    ahead = values[1] - values[0]
    rationale = f"First: {notes[0]}. Second: {notes[1]}."
    if pair.judging == "preference":
        return compact({"preference": round(1 + 1 / (1 + math.exp(-SURE * ahead)), 6), "rationale": rationale})
    verdict = "A=B" if abs(ahead) < TIE else (">>" if abs(ahead) >= MUCH else ">").join("BA" if ahead > 0 else "AB")
    return compact({"rationale": rationale, "verdict": verdict})


@judge(Pair)
def coverage_of_two(pair: Pair) -> str:
    """Which says more of the reference answer, and less otherwise? Sees and misses what `coverage` does.

    Without a reference answer both are as good to it.
    """
    if not pair.reference.strip():
        return _reply(pair, lambda evidence: (0.5, "there is no reference answer to compare with"))
    return _reply(pair, ideal_judges.coverage_value)


@judge(Pair, abstains=lambda pair: ideal_judges.unchecked(IdealCase(pair.prompt, pair.reference, "")))
def compliance_of_two(pair: Pair) -> str:
    """Which keeps more of the limits and signs that the prompt states? Sees and misses what `compliance` does, and
    abstains where it does."""
    return _reply(pair, ideal_judges.compliance_value)


@judge(Pair)
def substance_of_two(pair: Pair) -> str:
    """In which is more, said once and in few words? Sees and misses what `substance` does."""
    return _reply(pair, ideal_judges.substance_value)
