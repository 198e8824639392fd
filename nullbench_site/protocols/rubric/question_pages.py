"""The short questions about a response in the explorer, with their values and the mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

import msgspec
import numpy as np

from nullbench_site.judging.short_questions.asking import PREFIX, YES, is_question
from nullbench_site.scoring.question_tables import QuestionRow
from nullbench_site.scoring.short_questions import values_of
from nullbench_site.site.evidence import Verdict
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.checklist import item_value, mark_of


class QuestionAnswered(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A short question about a response, as a judge answered it.

    question: its name in records without the prefix. yes: the probability of yes; None if it is not valid. value: 0-1;
    None if the question counts for no contestant. empty: the probability of yes for the empty response.
    """

    question: str
    kind: str
    yes: float | None
    value: float | None
    empty: float | None
    state: str = "scored"


class AnswersOfJudge(msgspec.Struct, kw_only=True):
    """The answers of one judge about a response. mark: 1-5; None if one that counts is not valid."""

    judge: str
    mark: float | None
    questions: list[QuestionAnswered]


def answers_of_judges(
    benchmark: Benchmark,
    rows: Mapping[tuple[str, str], QuestionRow],
    verdicts: Mapping[str | None, Sequence[Verdict]],
) -> list[AnswersOfJudge]:
    """Return the answers of each judge about one response. rows: by judge and question. verdicts: by wording."""
    of_judge: dict[str, list[tuple[QuestionRow, Verdict]]] = {}
    for wording, given in verdicts.items():
        for verdict in given if is_question(wording) else ():
            if (row := rows.get((verdict.judge, str(wording)))) is not None:
                of_judge.setdefault(verdict.judge, []).append((row, verdict))
    order = {key: place for place, key in enumerate(rows)}
    for answered in of_judge.values():
        answered.sort(key=lambda each: order[each[0].judge, each[0].question])
    return [_answers(benchmark, judge, answered) for judge, answered in sorted(of_judge.items())]


def _answers(benchmark: Benchmark, judge: str, answered: list[tuple[QuestionRow, Verdict]]) -> AnswersOfJudge:
    yes = np.array([float(verdict.scores.get(YES, nan)) for _, verdict in answered])
    empty = np.array([nan if row.yes_to_empty is None else row.yes_to_empty for row, _ in answered])
    prohibited = np.array([row.kind == "prohibition" for row, _ in answered], np.bool_)
    counts = np.array([row.counts for row, _ in answered], np.bool_)
    values = values_of(benchmark.judges[judge].question_value, yes, empty, prohibited)
    valid = not np.isnan(values[counts]).any()
    mark = float(mark_of(item_value(np.where(counts, values, nan)[np.newaxis], prohibited))[0]) if valid else nan
    return AnswersOfJudge(
        judge=judge,
        mark=_known(mark),
        questions=[
            QuestionAnswered(
                question=row.question.removeprefix(PREFIX),
                kind=row.kind,
                yes=_known(yes[place]),
                value=_known(values[place]) if row.counts else None,
                empty=row.yes_to_empty,
                state=verdict.state,
            )
            for place, (row, verdict) in enumerate(answered)
        ],
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
