"""What a judge gave the responses of a study of judging prompts, from its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

import msgspec

from nullbench_site.audit.study_data import RIGHT, WRONG
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.records import Judgment
from nullbench_site.stats.prompt_choice import Rates, put_above


class Judged(msgspec.Struct, frozen=True):
    """What a judge gave the responses of a study by one prompt, or by short questions.

    values: case and item -> a value, higher for better; of pairs how far the case is preferred to the right response,
    0-1; None if it cannot be read. records: its replies.
    """

    values: Mapping[tuple[str, str], float | None]
    records: Sequence[Judgment]

    @property
    def pairs(self) -> bool:
        return any(each.position is not None for each in self.records)

    def above(self, case: str, item: str) -> float:
        """Return 1 if the right response is above that of a case, 1/2 for a tie, 0 otherwise."""
        other = self.values.get((case, item))
        if self.pairs:
            return put_above(None if other is None else 1 - other, other)
        return put_above(self.values.get((RIGHT, item)), other)

    def right_above_wrong(self) -> dict[str, float]:
        """Return item -> how far the right response is above the wrong one, 0-1."""
        return {item: self.above(WRONG, item) for case, item in self.values if case == WRONG}


def values_of_verdicts(protocol: str, records: Iterable[Judgment]) -> dict[tuple[str, str], float | None]:
    """Return case and item -> the value that a prompt gave. A pair counts as read if both orders are."""
    of_case: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in records:
        of_case.setdefault((judgment.model, judgment.item), []).append(judgment)
    return {case: _value(protocol, own) for case, own in of_case.items()}


def _value(protocol: str, records: Sequence[Judgment]) -> float | None:
    values = [_of_reply(protocol, each) for each in records]
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known and len(known) == len(values) else None


def _of_reply(protocol: str, judgment: Judgment) -> float | None:
    return judging(protocol).value(judgment) if judgment.state == "scored" else None


def rates_of(protocol: str, records: Sequence[Judgment]) -> Rates:
    """Return the counts of invalid and cut replies, and of the place that wins in decided pairs."""
    decided = first = 0
    for each in records:
        share = _of_reply(protocol, each) if each.position is not None else None
        if share is not None and share != 0.5:
            decided += 1
            first += (share > 0.5) == (each.position == 0)
    return Rates(
        len(records),
        sum(each.state != "scored" or bool(each.invalid) for each in records),
        sum(each.ended == "length" and each.state != "scored" for each in records),
        decided,
        first,
    )
