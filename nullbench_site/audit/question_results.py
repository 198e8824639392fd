"""The values that a judge gave responses by short questions, in a study of judging prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import TypeAlias, get_args

import msgspec
import numpy as np

from nullbench_site.judging.protocol import judging
from nullbench_site.judging.short_questions.asking import YES
from nullbench_site.runs.records import Judgment
from nullbench_site.scoring.short_questions import values_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import EMPTY, QuestionValue
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.checklist import UNANSWERABLE, item_value

Response: TypeAlias = tuple[str, str]
"""A case, or a control of the board, and an item."""
VALUES: tuple[QuestionValue, ...] = ("relative", *(each for each in get_args(QuestionValue) if each != "relative"))
"""The kinds of value, the default first."""


class Questioned(msgspec.Struct, frozen=True):
    """What a judge said by short questions. values: kind -> response -> its value 0-1, None without a valid one.

    n_questions, n_unanswerable: of each item, those that are no prohibitions, and those to which the judge says yes
    about the empty response.
    """

    values: Mapping[QuestionValue, Mapping[Response, float | None]]
    n_questions: Mapping[str, int]
    n_unanswerable: Mapping[str, int]


def questioned(benchmark: Benchmark, protocol: str, records: Iterable[Judgment]) -> Questioned:
    """Return the values of each response. They are those of the boards, see scoring/short_questions.py."""
    own = judging(protocol)
    given: dict[Response, dict[str, float]] = {}
    for each in records:
        name = str(each.judge_template)
        if own.counts(name):
            yes = each.scores.get(YES, nan) if each.state == "scored" else nan
            given.setdefault((each.model, each.item), {})[name] = float(yes)
    names: dict[str, set[str]] = {}
    for (_, item), answers in given.items():
        names.setdefault(item, set()).update(answers)
    items = {item: _Item.of(benchmark, protocol, item, sorted(every), given) for item, every in names.items()}
    return Questioned(
        {
            kind: {(case, item): items[item].value(answers, kind) for (case, item), answers in given.items()}
            for kind in VALUES
        },
        {item: int((~each.prohibited).sum()) for item, each in items.items()},
        {item: int((each.empty > UNANSWERABLE)[~each.prohibited].sum()) for item, each in items.items()},
    )


class _Item(msgspec.Struct, frozen=True):
    """The questions about an item. empty: the probabilities of yes about the empty response, NaN for none."""

    names: Sequence[str]
    prohibited: Bools
    empty: Floats

    @classmethod
    def of(
        cls,
        benchmark: Benchmark,
        protocol: str,
        item: str,
        names: Sequence[str],
        given: Mapping[Response, Mapping[str, float]],
    ) -> _Item:
        empty = given.get((EMPTY, item), {})
        prohibited = [judging(protocol).prohibits(benchmark, item, name) for name in names]
        return cls(names, np.array(prohibited, np.bool_), np.array([empty.get(name, nan) for name in names]))

    def value(self, answers: Mapping[str, float], kind: QuestionValue) -> float | None:
        """Return the value of a response; None unless each question that counts has a valid value."""
        invalid = np.isnan(self.empty) & (kind == "relative")
        counted = self.prohibited | ~((self.empty > UNANSWERABLE) | invalid)
        yes = np.array([answers.get(name, nan) for name in self.names])
        values = values_of(kind, yes, self.empty, self.prohibited)[counted]
        if not (counted & ~self.prohibited).any() or np.isnan(values).any():
            return None
        return float(item_value(values[np.newaxis], self.prohibited[counted])[0])
