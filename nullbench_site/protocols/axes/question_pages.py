"""The short questions about a response of an `axes` board in the explorer, with their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any

import msgspec
import numpy as np

from nullbench_site.judging.short_questions.asking import PREFIX, YES, is_question
from nullbench_site.judging.short_questions.sentences import AskedSentence
from nullbench_site.protocols.axes.questions_asked import (
    SENTENCE,
    number_of,
    question_text,
    sentences_of,
)
from nullbench_site.protocols.axes.specs import AxesPlacedItem
from nullbench_site.scoring.question_tables import QuestionRow
from nullbench_site.scoring.short_questions import values_of
from nullbench_site.site.evidence import Verdict
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import QuestionValue
from nullbench_site.stats.checklist import weighted_mean


class AxesQuestionAnswered(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A short question about a response, as a judge answered it.

    question: its name in records without the prefix. kind: `sentence`, `gate`, or as in the results. text: of the
    sentence, the fact or the rule. yes: the probability of yes; None if it is not valid. value: 0-1; None if the
    question counts for no contestant, and for gates. empty: the probability of yes for the empty response.
    """

    question: str
    kind: str
    text: str
    yes: float | None
    value: float | None
    empty: float | None
    state: str = "scored"


class AxesAnswersOfJudge(msgspec.Struct, kw_only=True):
    """The answers of one judge about a response. sentences, facts: P and R, 0-1; None if a value is missing."""

    judge: str
    sentences: float | None
    facts: float | None
    questions: list[AxesQuestionAnswered]


def answered(
    benchmark: Benchmark,
    placed: AxesPlacedItem,
    response: str,
    rows: Mapping[tuple[str, str], QuestionRow],
    verdicts: Mapping[str | None, Sequence[Verdict]],
) -> dict[str, Any]:
    """Return the answers of each judge, the sentences that no judge is asked about, and how many were not drawn.

    rows: by judge and question. verdicts: by wording. Empty without a judge of short questions.
    """
    of_judge: dict[str, dict[str, Verdict]] = {}
    for wording, given in verdicts.items():
        for verdict in given if is_question(wording) else ():
            of_judge.setdefault(verdict.judge, {})[str(wording)] = verdict
    if not of_judge:
        return {}
    parts = sentences_of(placed, response)
    answers = [
        _Judge(judge, benchmark.judges[judge].question_value, placed, parts.asked, rows).answers(of_judge[judge])
        for judge in sorted(of_judge)
    ]
    return {"answers": answers, "left_out": parts.left_out, "not_drawn": parts.not_drawn}


class _Judge(msgspec.Struct, frozen=True):
    """A judge of one response. sentences: that it is asked about."""

    id: str
    value: QuestionValue
    placed: AxesPlacedItem
    sentences: Sequence[AskedSentence]
    rows: Mapping[tuple[str, str], QuestionRow]

    def answers(self, given: Mapping[str, Verdict]) -> AxesAnswersOfJudge:
        questions = sorted((self._question(*each) for each in given.items()), key=_order)
        facts = [each.value for each in questions if each.question.startswith("fact-") and self._counts(each)]
        sentences = [each.value for each in questions if each.kind == "sentence"]
        whole = len(sentences) == len(self.sentences)
        p = _mean(sentences, [float(each.words) for each in self.sentences]) if sentences and whole else None
        return AxesAnswersOfJudge(
            judge=self.id,
            sentences=p if self.sentences else 0.0,
            facts=_mean(facts, [1.0] * len(facts)),
            questions=questions,
        )

    def _counts(self, each: AxesQuestionAnswered) -> bool:
        row = self.rows.get((self.id, f"{PREFIX}{each.question}"))
        return row is not None and row.counts

    def _question(self, name: str, verdict: Verdict) -> AxesQuestionAnswered:
        yes, row = float(verdict.scores.get(YES, nan)), self.rows.get((self.id, name))
        number = number_of(name, SENTENCE)
        empty = nan if row is None or row.yes_to_empty is None else row.yes_to_empty
        raw = row is None or row.kind == "prohibition"
        value = float(values_of(self.value, np.array([yes]), np.array([empty]), np.array([raw]))[0])
        counts = number is not None if row is None else row.counts
        of_sentence = [each.text for each in self.sentences[(number or 1) - 1 : number]]
        return AxesQuestionAnswered(
            question=name.removeprefix(PREFIX),
            kind="sentence" if number is not None else "gate" if row is None else row.kind,
            text=question_text(self.placed, name) if number is None else "".join(of_sentence),
            yes=_known(yes),
            value=_known(value) if counts else None,
            empty=_known(empty),
            state=verdict.state,
        )


def _order(each: AxesQuestionAnswered) -> tuple[int, str, int]:
    what, _, number = each.question.rpartition("-")
    places = {"gate": 0, "sentence": 1, "fact": 2, "rule": 3}
    return places.get(what, 4), "" if number.isdigit() else number, int(number) if number.isdigit() else 0


def _mean(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return _known(float(weighted_mean(np.array([known]), np.array([weights]))[0]))


def _known(value: float) -> float | None:
    return None if isnan(value) else round(value, 6)
