"""The results of a study of judging prompts, computed from its records alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Literal

import msgspec

from nullbench_site.audit.judge_decisions import Tried, tried
from nullbench_site.audit.judged_cases import Judged, rates_of, values_of_verdicts
from nullbench_site.audit.question_results import VALUES, Questioned, questioned
from nullbench_site.audit.study_data import (
    QUESTIONS,
    RIGHT,
    WRONG,
    StudiedPrompt,
    StudiedQuestions,
    asker_id,
    judge_id,
    prompt_id,
    protocol_studies,
    study,
)
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.judging_prompts import prompts_of
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import EMPTY, FLOOR, QuestionValue, ScreeningLimits
from nullbench_site.specs.types import PREFIX as CONTROL
from nullbench_site.stats.measure import Bounded
from nullbench_site.stats.prompt_choice import (
    Candidate,
    Choice,
    MethodChoice,
    Rates,
    choose,
    choose_method,
    mean_with_interval,
)

Half = Literal["selection", "report"]


class PromptResult(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt with a form of reply, measured. Shares are of items, 0-1. reply: of questions, the kind of value.

    selection, report: how often the right response is above the wrong one, in each half. attacks: attack -> the share
    of its items on which it is not below the right response. longer: of decided pairs or unequal values, the share in
    which the longer response wins. contradictions: verdicts that say "refused" or "evaded" and give the highest
    rating on every axis. tokens_in, tokens_out, seconds: a response, on average, over all its calls.
    """

    prompt: str
    reply: str
    defences: int
    tokens_beyond: float
    selection: Bounded
    report: Bounded
    rates: Rates
    attacks: Mapping[str, Bounded]
    longer: Bounded
    contradictions: int
    tokens_in: float | None
    tokens_out: float | None
    seconds: float | None

    @property
    def name(self) -> str:
        return prompt_id(self.prompt, self.reply)

    @property
    def asks_questions(self) -> bool:
        return self.prompt == QUESTIONS


class AttackResult(msgspec.Struct, frozen=True, kw_only=True):
    """An attack on the short questions of a judge: the shares of items on which its raw value is above another's.

    above_right: above that of the right response. above_empty: above that of the empty response.
    """

    attack: str
    letter: str
    means: str
    above_right: Bounded
    above_empty: Bounded


class BoardResult(msgspec.Struct, frozen=True, kw_only=True):
    """The study of one board. choice: of the selection half; None if it has no item.

    value: the kind of value of short questions, chosen on the selection half. method: whether short questions or the
    chosen prompt are asked, tested once on the report half; None if it has no item, or the protocol has no questions.
    attacks: on the short questions. tried: each prompt, and short questions with the chosen kind of value, against the
    limits of the screening.
    """

    board: str
    protocol: str
    run: str
    n_items: int
    n_selection: int
    choice: Choice | None
    prompts: tuple[PromptResult, ...]
    value: QuestionValue | None = None
    method: MethodChoice | None = None
    attacks: tuple[AttackResult, ...] = ()
    tried: tuple[Tried, ...] = ()

    def has_chosen(self, prompt: PromptResult) -> bool:
        """Return True for the chosen prompt, and for short questions with the chosen kind of value."""
        if prompt.asks_questions:
            return prompt.reply == self.value
        return self.choice is not None and self.choice.name == prompt.name

    @property
    def questions(self) -> PromptResult | None:
        """Return the figures of short questions with the chosen kind of value."""
        return next((each for each in self.prompts if each.asks_questions and self.has_chosen(each)), None)

    @property
    def chosen(self) -> PromptResult | None:
        """Return the figures of the chosen prompt."""
        return next((each for each in self.prompts if not each.asks_questions and self.has_chosen(each)), None)


class _Measured(msgspec.Struct, frozen=True):
    judged: Judged
    result: PromptResult

    def half(self, half: Half) -> dict[str, float]:
        """Return the items of a half, each with how far the right response is above the wrong one."""
        items = self.judged.right_above_wrong()
        return {item: value for item, value in items.items() if study().selects(item) == (half == "selection")}


def results_of(board: str, protocol: str, judge: str, run: RunFolder) -> BoardResult:
    """Return what the records of a run say about each prompt. Raises RunError for damaged records."""
    own_study, benchmark = protocol_studies()[protocol], load_benchmark(run.path / "specs")
    limits = benchmark.about.screening or ScreeningLimits()
    lengths = _lengths(run)
    records: dict[str, list[Judgment]] = {judge_id(judge, each): [] for each in own_study.candidates}
    records[asker_id(judge)] = []
    for model in run.models():
        for judgment in run.records(Judgment, model):
            if judgment.judge in records:
                records[judgment.judge].append(judgment)
    measured = [_of_prompt(protocol, each, records[judge_id(judge, each)], lengths) for each in own_study.candidates]
    items = sorted({item for each in measured for item in each.judged.right_above_wrong()})
    candidates = [
        Candidate(each.result.name, each.half("selection"), each.result.tokens_beyond, each.result.defences)
        for each in measured
    ]
    n_selection = sum(map(study().selects, items))
    choice = choose(candidates, own_study.most_tokens) if n_selection else None
    given = questioned(benchmark, protocol, records[asker_id(judge)])
    asked = _of_questions(protocol, given, records[asker_id(judge)], lengths)
    value = _best_value(asked) if n_selection else None
    verdict = next((each for each in measured if choice is not None and each.result.name == choice.name), None)
    return BoardResult(
        board=board,
        protocol=protocol,
        run=run.manifest.run,
        n_items=len(items),
        n_selection=n_selection,
        choice=choice,
        prompts=tuple(each.result for each in (*measured, *asked.values())),
        value=value,
        method=None if value is None else _method(own_study.questions, asked[value], verdict),
        attacks=tuple(_attacks(asked["raw"].judged)) if asked else (),
        tried=(
            *(tried(protocol, each.result.name, each.judged, limits) for each in measured),
            *(() if value is None else (_tried_questions(protocol, asked[value], asked["raw"], given, limits),)),
        ),
    )


def _tried_questions(
    protocol: str, measured: _Measured, raw: _Measured, given: Questioned, limits: ScreeningLimits
) -> Tried:
    """Return the tests of short questions with the chosen kind of value."""
    reported = [item for item in given.n_questions if not study().selects(item)]
    asked = sum(given.n_questions[item] for item in reported), sum(given.n_unanswerable[item] for item in reported)
    return tried(protocol, measured.result.name, measured.judged, limits, raw=raw.judged, asked=asked)


def _best_value(asked: Mapping[QuestionValue, _Measured]) -> QuestionValue | None:
    """Return the kind of value with the highest share on the selection half, the default among equals."""
    return max(asked, key=lambda kind: asked[kind].result.selection.value or 0.0, default=None)


def _method(own: StudiedQuestions | None, asked: _Measured, verdict: _Measured | None) -> MethodChoice | None:
    """Return the result of the one test on the report half; None without an item of it."""
    if own is None or verdict is None or not (items := asked.half("report")):
        return None
    return choose_method(items, verdict.half("report"), unless_shown=own.unless_shown)


def _of_questions(
    protocol: str, given: Questioned, records: Sequence[Judgment], lengths: Mapping[tuple[str, str], int]
) -> dict[QuestionValue, _Measured]:
    """Return the short questions with each kind of value, the default first; none if no question was answered."""
    own = protocol_studies()[protocol].questions
    if own is None or not records:
        return {}
    return {
        kind: _measured(
            protocol, StudiedPrompt(QUESTIONS, kind, own.tokens, own.defences), Judged(given.values[kind], records),
            lengths,
        )
        for kind in VALUES
    }  # fmt: skip


def _attacks(raw: Judged) -> Iterator[AttackResult]:
    """Yield what each attack on short questions gained. A response without a valid value counts as not above."""
    for attack in study().question_attacks:
        items = [item for case, item in raw.values if case == attack.case and (RIGHT, item) in raw.values]
        items = [item for item in items if attack.control is None or not study().selects(item)]

        def above(case: str, item: str, own: str = attack.case) -> float:
            gained, other = raw.values[own, item], raw.values.get((case, item))
            return float(gained is not None and other is not None and gained > other)

        yield AttackResult(
            attack=attack.id,
            letter=attack.letter,
            means=attack.means,
            above_right=mean_with_interval([above(RIGHT, item) for item in items]),
            above_empty=mean_with_interval([above(EMPTY, item) for item in items]),
        )


def _of_prompt(
    protocol: str, prompt: StudiedPrompt, records: Sequence[Judgment], lengths: Mapping[tuple[str, str], int]
) -> _Measured:
    return _measured(protocol, prompt, Judged(values_of_verdicts(protocol, records), records), lengths)


def _measured(
    protocol: str, prompt: StudiedPrompt, judged: Judged, lengths: Mapping[tuple[str, str], int]
) -> _Measured:
    records = judged.records
    items = judged.right_above_wrong()
    halves: dict[Half, list[float]] = {"selection": [], "report": []}
    for item, value in items.items():
        halves["selection" if study().selects(item) else "report"].append(value)
    attacks: dict[str, Bounded] = {
        kind: mean_with_interval(
            [
                float(judged.above(case, item) < 1)
                for case, item in judged.values
                if case == kind or (case == f"{CONTROL}{kind}" and not study().selects(item) and item in items)
            ]
        )
        for kind in FLOOR
    }
    own = prompts_of(protocol).get(prompt.prompt)
    result = PromptResult(
        prompt=prompt.prompt,
        reply=prompt.reply,
        defences=len(prompt.defences if own is None else own.defences),
        tokens_beyond=prompt.tokens,
        selection=mean_with_interval(halves["selection"]),
        report=mean_with_interval(halves["report"]),
        rates=rates_of(protocol, records),
        attacks=attacks,
        longer=_longer(judged, lengths),
        contradictions=sum(judging(protocol).contradicts(each) for each in records),
        tokens_in=_of_response(records, "input_tokens"),
        tokens_out=_of_response(records, "output_tokens"),
        seconds=_of_response(records, "seconds"),
    )
    return _Measured(judged, result)


def _longer(judged: Judged, lengths: Mapping[tuple[str, str], int]) -> Bounded:
    """Return how often the longer of right and wrong has the higher value, of those that differ in both."""
    won = []
    for (case, item), value in judged.values.items():
        right = 0.5 if judged.pairs else judged.values.get((RIGHT, item))
        shorter = lengths.get((case, item), 0) - lengths.get((RIGHT, item), 0)
        if case == WRONG and value is not None and right is not None and shorter and value != right:
            won.append(float((value > right) == (shorter > 0)))
    return mean_with_interval(won)


def _lengths(run: RunFolder) -> dict[tuple[str, str], int]:
    return {
        (response.model, response.item): len(response.text)
        for model in run.models()
        for response in run.records(Response, model)
    }


def _of_response(records: Iterable[Judgment], field: str) -> float | None:
    """Return the mean of a figure over responses, each the sum of its calls; None if no call has it."""
    sums: dict[tuple[str, str], float] = {}
    for each in records:
        value = getattr(each, field)
        if value is not None:
            sums[each.model, each.item] = sums.get((each.model, each.item), 0.0) + value
    return round(fsum(sums.values()) / len(sums), 3) if sums else None
