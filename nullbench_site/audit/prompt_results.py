"""The results of a study of judging prompts, computed from its records alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from math import fsum
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from nullbench_site.audit.prompt_study import (
    RIGHT,
    UNRELATED,
    WRONG,
    StudiedBoard,
    StudiedPrompt,
    judge_id,
    prompt_id,
    protocol_studies,
    study,
)
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.judging_prompts import FULL, prompts_of
from nullbench_site.specs.listing import SCREENING
from nullbench_site.stats.measure import Bounded
from nullbench_site.stats.prompt_choice import Candidate, Choice, Rates, choose, mean_with_interval, put_above

Half = Literal["selection", "report"]


class Judged(msgspec.Struct, frozen=True):
    """What a prompt gave one response. value: higher for better, None if it cannot be read. replies: its records."""

    value: float | None
    replies: tuple[Judgment, ...]


class PromptResult(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt with a form of reply, measured. Shares are of items, 0-1.

    selection, report: how often the right response is above the wrong one, in each half. attacks: attack -> the share
    of its items on which it is not below the right response. longer: of decided pairs or unequal values, the share in
    which the longer response wins. contradictions: verdicts that say "refused" or "evaded" and give the highest
    rating on every axis. tokens_in, tokens_out, seconds: a reply, on average.
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


class BoardResult(msgspec.Struct, frozen=True, kw_only=True):
    """The study of one board. choice: of the selection half; None if it has no item."""

    board: str
    protocol: str
    run: str
    n_items: int
    n_selection: int
    choice: Choice | None
    prompts: tuple[PromptResult, ...]


def results_of(studied: StudiedBoard, run: RunFolder) -> BoardResult:
    """Return what the records of a run say about each prompt. Raises RunError for damaged records."""
    prompts = protocol_studies()[studied.protocol].candidates
    lengths = _lengths(run)
    records: dict[str, list[Judgment]] = {judge_id(studied.judge, each): [] for each in prompts}
    for model in run.models():
        for judgment in run.records(Judgment, model):
            if judgment.judge in records:
                records[judgment.judge].append(judgment)
    measured = [_measured(studied, each, records[judge_id(studied.judge, each)], lengths) for each in prompts]
    items = sorted({item for _, values in measured for item in values})
    candidates = [
        Candidate(
            prompt_id(result.prompt, result.reply),
            {item: value for item, value in values.items() if study().selects(item)},
            result.tokens_beyond,
            result.defences,
        )
        for result, values in measured
    ]
    chosen = [item for item in items if study().selects(item)]
    return BoardResult(
        board=studied.board,
        protocol=studied.protocol,
        run=run.manifest.run,
        n_items=len(items),
        n_selection=len(chosen),
        choice=choose(candidates, protocol_studies()[studied.protocol].most_tokens) if chosen else None,
        prompts=tuple(result for result, _ in measured),
    )


def _measured(
    studied: StudiedBoard, prompt: StudiedPrompt, records: Sequence[Judgment], lengths: Mapping[tuple[str, str], int]
) -> tuple[PromptResult, dict[str, float]]:
    """Return the result of a prompt, and item -> how far the right response is above the wrong one, 0-1."""
    given = _judged(studied.protocol, records)
    pairs = any(each.position is not None for each in records)
    own_judging = judging(studied.protocol)

    def above(case: str, item: str) -> float:
        """Return 1 if the right response is above that of a case, 1/2 for a tie, 0 otherwise."""
        other = given.get((case, item), _NONE).value
        if pairs:
            return put_above(None if other is None else 1 - other, other)
        return put_above(given.get((RIGHT, item), _NONE).value, other)

    items = {item: above(WRONG, item) for case, item in given if case == WRONG}
    halves: dict[Half, list[float]] = {"selection": [], "report": []}
    for item, value in items.items():
        halves["selection" if study().selects(item) else "report"].append(value)
    attacks = {
        case: mean_with_interval([float(above(case, item) < 1) for one, item in given if one == case])
        for case in (*study().attacks, UNRELATED)
    }
    own = None if prompt.prompt == FULL else prompts_of(studied.protocol)[prompt.prompt]
    result = PromptResult(
        prompt=prompt.prompt,
        reply=prompt.reply,
        defences=len(prompt.defences if own is None else own.defences),
        tokens_beyond=prompt.tokens,
        selection=mean_with_interval(halves["selection"]),
        report=mean_with_interval(halves["report"]),
        rates=_rates(studied.protocol, records),
        attacks=attacks,
        longer=_longer(given, lengths, pairs=pairs),
        contradictions=sum(own_judging.contradicts(each) for each in records),
        tokens_in=_mean(each.input_tokens for each in records),
        tokens_out=_mean(each.output_tokens for each in records),
        seconds=_mean(each.seconds for each in records),
    )
    return result, items


_NONE = Judged(None, ())


def _judged(protocol: str, records: Iterable[Judgment]) -> dict[tuple[str, str], Judged]:
    """Return case and item -> what a prompt gave: of pairs, how far the case is preferred to the right response, 0-1.

    A pair counts as read if both orders are.
    """
    of_case: dict[tuple[str, str], list[Judgment]] = {}
    for judgment in records:
        of_case.setdefault((judgment.model, judgment.item), []).append(judgment)
    return {case: Judged(_value(protocol, own), tuple(own)) for case, own in of_case.items()}


def _value(protocol: str, records: Sequence[Judgment]) -> float | None:
    values = [_of_reply(protocol, each) for each in records]
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known and len(known) == len(values) else None


def _of_reply(protocol: str, judgment: Judgment) -> float | None:
    return judging(protocol).value(judgment) if judgment.state == "scored" else None


def _rates(protocol: str, records: Sequence[Judgment]) -> Rates:
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


def _longer(given: Mapping[tuple[str, str], Judged], lengths: Mapping[tuple[str, str], int], *, pairs: bool) -> Bounded:
    """Return how often the longer of right and wrong has the higher value, of those that differ in both."""
    won = []
    for (case, item), judged in given.items():
        right = 0.5 if pairs else given.get((RIGHT, item), _NONE).value
        shorter = lengths.get((case, item), 0) - lengths.get((RIGHT, item), 0)
        if case == WRONG and judged.value is not None and right is not None and shorter and judged.value != right:
            won.append(float((judged.value > right) == (shorter > 0)))
    return mean_with_interval(won)


def _lengths(run: RunFolder) -> dict[tuple[str, str], int]:
    return {
        (response.model, response.item): len(response.text)
        for model in run.models()
        for response in run.records(Response, model)
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fsum(known) / len(known), 3) if known else None


def table(results: Iterable[BoardResult]) -> Iterator[list[str]]:
    """Yield a heading and a row for each prompt."""
    yield ["board", "prompt", "reply", "right above wrong", "invalid", "cut", "first", "tokens", "seconds", "chosen"]
    for result in results:
        for each in result.prompts:
            position = each.rates.position
            name = prompt_id(each.prompt, each.reply)
            chosen = result.choice is not None and result.choice.name == name
            yield [
                result.board, each.prompt, each.reply, shown(each.report),
                f"{each.rates.n_invalid} of {each.rates.n_replies}", str(each.rates.n_cut),
                "" if position.value is None else f"{position.value:.2f}",
                "" if each.tokens_in is None else f"{each.tokens_in + (each.tokens_out or 0):.0f}",
                "" if each.seconds is None else f"{each.seconds:.1f}", "chosen" if chosen else "",
            ]  # fmt: skip


def shown(value: Bounded) -> str:
    """Return a value with its interval."""
    if value.value is None:
        return value.reason or ""
    return f"{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def written(judge: str, model: str, results: Sequence[BoardResult], day: date) -> bytes:
    """Return the file specs/screening/JUDGE.yaml: the choice for each protocol, with its figures and its run."""
    content = {
        "judge": judge,
        "model": model,
        "study": study().version,
        "date": day.isoformat(),
        "boards": [_plain(result) for result in results],
    }
    head = "# Written by `nullbench-site screen-judges --prompts`. The records are in audits/.\n"
    return (head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)).encode()


def _plain(result: BoardResult) -> dict[str, Any]:
    prompts = []
    for each in result.prompts:
        own = {
            name: _number(getattr(each, name)) for name in each.__struct_fields__ if name not in ("rates", "attacks")
        }
        prompts.append({
            **own,
            "replies": msgspec.to_builtins(each.rates),
            "position": _number(each.rates.position),
            "attacks": {name: _number(value) for name, value in each.attacks.items()},
        })  # fmt: skip
    choice = None if result.choice is None else msgspec.to_builtins(result.choice)
    return {
        "board": result.board, "protocol": result.protocol, "run": result.run, "items": result.n_items,
        "items_of_selection": result.n_selection, "choice": choice, "prompts": prompts,
    }  # fmt: skip


def _number(value: Any) -> Any:
    if not isinstance(value, Bounded):
        return value
    if value.value is None:
        return value.reason
    return [round(each, 4) for each in (value.value, value.low, value.high) if each is not None]


def screening_file(specs: Path, judge: str) -> Path:
    """Return the place of the results of a judge."""
    return specs / SCREENING / f"{judge}.yaml"
