"""Rule-based judges of two responses to a prompt, with the measures of `ideal_judges`.

Each measures both answers from 0 to 1. The difference gives the probability that the second is better. If the order is
reversed, so is the reply.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from nullbench_site.programs import ideal_judges
from nullbench_site.programs.ideal_case import IdealCase, IdealEvidence
from nullbench_site.programs.program import compact, judge

SURE = 8.0  # a difference of 0.25 gives odds of 7 to 1
TIE, MUCH = 0.02, 0.35  # below the first difference answers tie, from the second on one is much better
Measure = Callable[[IdealEvidence], tuple[float, str]]


class Pair(Struct, frozen=True):
    """Two responses to judge; `first` is shown first. judging: `preference` or `verdicts`."""

    prompt: str
    reference: str
    first: str
    second: str
    judging: Literal["preference", "verdicts"]


def _reply(pair: Pair, measure: Measure) -> str:
    """Return {"preference": 1-2, "rationale": str}, or {"rationale": str, "verdict": "A>B"}.

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
    """Compare how well the responses cover the reference answer, as `coverage` does. Without one they tie."""
    if not pair.reference.strip():
        return _reply(pair, lambda evidence: (0.5, "there is no reference answer to compare with"))
    return _reply(pair, ideal_judges.coverage_value)


@judge(Pair, abstains=lambda pair: ideal_judges.unchecked(IdealCase(pair.prompt, pair.reference, "")))
def compliance_of_two(pair: Pair) -> str:
    """Compare how well the responses comply with the prompt, as `compliance` does. Abstains if that does."""
    return _reply(pair, ideal_judges.compliance_value)


@judge(Pair)
def substance_of_two(pair: Pair) -> str:
    """Compare how much the responses say in how few words, as `substance` does."""
    return _reply(pair, ideal_judges.substance_value)
