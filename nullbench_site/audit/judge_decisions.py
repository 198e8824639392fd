"""The screening of judges: which judge passes, by which prompt or by short questions, on the half that reports.

Each candidate is a judge with a prompt, or with short questions. All candidates are tested together, with one
correction for their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from nullbench_site.audit.judged_cases import Judged, rates_of
from nullbench_site.audit.study_data import HALF, ORDER, QUESTIONS, RIGHT, WORSE, WRONG, protocol_studies, study
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.types import FLOOR, FloorKind, ScreeningLimits
from nullbench_site.specs.types import PREFIX as CONTROL
from nullbench_site.stats.judge_screening import (
    Tested,
    all_pass,
    correlation_within_item,
    mean_correlation,
    mean_share,
)
from nullbench_site.stats.measure import Bounded
from nullbench_site.stats.multiple_tests import holm

ALPHA = 0.025
"""The chance of a one-sided error: the lower end of a 95 % interval is above the limit."""
Skill = Literal["accuracy", "rank correlation"]


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate on the half that reports, before the correction.

    name: of the prompt with its form of reply, or `questions.` with the kind of value. skill: accuracy or rank
    correlation within items. valid: the share of responses with valid replies. position: None if it does not apply.
    floors: control -> the share of items on which the right response is above it, by raw values. unanswerable: the
    share of questions to which the judge says yes about the empty response; None if it is asked none. failures: the
    limits that it misses, in words. p: of all its tests together.
    """

    name: str
    measured: Skill
    skill: Bounded
    valid: float | None
    position: Bounded | None
    floors: Mapping[FloorKind, Bounded]
    unanswerable: float | None
    failures: tuple[str, ...]
    p: float


class Screened(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate with the decision. adjusted: p after the correction. tests: how many candidates it is for."""

    judge: str
    protocol: str
    tried: Tried
    adjusted: float
    tests: int

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it fails; empty if it passes."""
        if self.tried.failures or self.adjusted <= ALPHA:
            return self.tried.failures
        return (f"p is {self.adjusted:.3f} after the correction for {self.tests} candidates, above {ALPHA}",)

    @property
    def passed(self) -> bool:
        return not self.reasons


def tried(
    protocol: str,
    name: str,
    judged: Judged,
    limits: ScreeningLimits,
    *,
    raw: Judged | None = None,
    asked: tuple[int, int] | None = None,
) -> Tried:
    """Return the tests of a candidate.

    raw: what a judge gave by short questions as raw values. asked: how many questions it was asked on the half that
    reports, and to how many it says yes about the empty response.
    """
    records = [each for each in judged.records if not study().selects(each.item)]
    items = [item for item in judged.right_above_wrong() if not study().selects(item)]
    measured, skill = _skill(protocol, name, judged, items, limits.skill)
    floors = dict(_floors(judged if raw is None else raw, items, limits.floor_low, questions=raw is not None))
    rates = rates_of(protocol, records)
    position = rates.position if judged.pairs else None
    unanswerable = None if not asked or not asked[0] else asked[1] / asked[0]
    made = Tried(
        name=name,
        measured=measured,
        skill=skill.figure,
        valid=_valid(records),
        position=position,
        floors={kind: floor.figure for kind, floor in floors.items()},
        unanswerable=unanswerable,
        failures=(),
        p=all_pass([skill.p, *(floor.p for floor in floors.values())]),
    )
    return msgspec.structs.replace(made, failures=tuple(_failures(made, limits)))


def _skill(protocol: str, name: str, judged: Judged, items: Sequence[str], limit: float) -> tuple[Skill, Tested]:
    """Return the accuracy of pairs and of yes or no, and the rank correlation within items of all other values."""
    threshold = protocol_studies()[protocol].yes_from
    if judged.pairs:
        return "accuracy", mean_share([judged.above(WRONG, item) for item in items], limit)
    if threshold is not None and name.endswith(".yes-no") and not name.startswith(f"{QUESTIONS}."):
        return "accuracy", mean_share([_accuracy(judged, item, threshold) for item in items], limit)
    found = (
        correlation_within_item({case: judged.values[case, item] for case in _cases(judged, item)}, ORDER)
        for item in items
    )
    return "rank correlation", mean_correlation([each for each in found if each is not None], limit)


def _cases(judged: Judged, item: str) -> list[str]:
    return [case for case in (RIGHT, HALF, WRONG, WORSE) if (case, item) in judged.values]


def _accuracy(judged: Judged, item: str, threshold: float) -> float:
    """Return the share of the right and the wrong response that is told right."""
    right, wrong = (judged.values.get((case, item)) for case in (RIGHT, WRONG))
    return ((right is not None and right >= threshold) + (wrong is not None and wrong < threshold)) / 2


def _floors(
    judged: Judged, items: Sequence[str], limit: float, *, questions: bool
) -> Iterator[tuple[FloorKind, Tested]]:
    for kind in FLOOR:
        case = f"{CONTROL}{kind}" if questions else kind
        above = [float(judged.above(case, item) == 1) for item in items if (case, item) in judged.values]
        yield kind, mean_share(above, limit)


def _valid(records: Iterable[Judgment]) -> float | None:
    """Return the share of responses of which each reply is valid."""
    of_response: dict[tuple[str, str], bool] = {}
    for each in records:
        response = each.model, each.item
        of_response[response] = of_response.get(response, True) and each.state == "scored" and not each.invalid
    return sum(of_response.values()) / len(of_response) if of_response else None


def _failures(made: Tried, limits: ScreeningLimits) -> Iterator[str]:
    """Yield the limits that a candidate misses, each with the figure."""
    if made.skill.low is None:
        yield f"{made.measured}: not measured, {made.skill.reason}"
    elif made.skill.low <= limits.skill:
        yield f"{made.measured} {_shown(made.skill)}: the lower end is not above {limits.skill:g}"
    if made.valid is None or made.valid < limits.valid:
        shown = "no reply" if made.valid is None else f"valid replies for {made.valid:.0%} of responses"
        yield f"{shown}, less than {limits.valid:.0%}"
    if made.position is not None and (made.position.value is None or made.position.value > limits.position):
        shown = made.position.reason or f"takes one position in {made.position.value or 0:.0%} of decided pairs"
        yield shown if made.position.value is None else f"{shown}, more than {limits.position:.0%}"
    missed = [
        f"{FLOOR[kind][0].lower()} {floor.reason if floor.value is None else _shown(floor)}"
        for kind, floor in made.floors.items()
        if floor.value is None or floor.low is None or floor.value < limits.floor or floor.low <= limits.floor_low
    ]
    if missed:
        least = f"{limits.floor:.0%} of items, with a lower end above {limits.floor_low:g}"
        yield f"the right response is not above these controls on at least {least}: {', '.join(missed)}"
    if made.unanswerable is not None and made.unanswerable > limits.unanswerable:
        shown = f"says yes about the empty response to {made.unanswerable:.0%} of questions"
        yield f"{shown}, more than {limits.unanswerable:.0%}"


def _shown(value: Bounded) -> str:
    return f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def decided(candidates: Mapping[tuple[str, str], Sequence[Tried]]) -> list[Screened]:
    """Return the decisions on all candidates together, by judge and protocol, with one correction for their number."""
    every = {(judge, protocol, each.name): each for (judge, protocol), tests in candidates.items() for each in tests}
    adjusted = holm({key: each.p for key, each in every.items()})
    return [
        Screened(judge=judge, protocol=protocol, tried=each, adjusted=adjusted[judge, protocol, name], tests=len(every))
        for (judge, protocol, name), each in every.items()
    ]
