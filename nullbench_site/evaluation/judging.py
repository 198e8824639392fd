"""One judgment: the judge's reply, read by the protocol, and one more turn where the reply is not valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, cast

import msgspec

from nullbench_site.evaluation.asking import Asked, Askers
from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.plan import JudgeCall
from nullbench_site.protocols.base import JudgingProtocol, Reply
from nullbench_site.protocols.quoting import neutralised
from nullbench_site.protocols.replies import repair_message
from nullbench_site.protocols.request import Message, Request
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.types import Axis

NumberT = TypeVar("NumberT", int, float)
_MOST_SHOWN = 20_000
"""Characters of an invalid reply that the judge is shown again."""


async def judge(
    askers: Askers, call: JudgeCall, protocol: JudgingProtocol, axes: Sequence[Axis], place: dict[str, Any]
) -> Judgment:
    """The judgment of one judge, errored if it gave no reply at all. place: what the record is about.

    Raises UnavailableError where the judge may not be asked.
    """
    asked = await askers.ask(call.judge, call.request)
    if asked.answer is None:
        return _judgment(call, place, [asked], Reply({}, {}, ""))
    reply = protocol.read_reply(asked.answer.text, axes, gates=call.gates)
    # A reply that was cut off or withheld would be so again; a program says the same again.
    if not reply.invalid or not call.request.messages or asked.answer.ended != "stop":
        return _judgment(call, place, [asked], reply)
    try:
        second = await askers.ask(call.judge, _repair_turn(call.request, asked.answer.text, reply))
    except UnavailableError:
        return _judgment(call, place, [asked], reply)  # the first reply is paid for
    if second.answer is None:
        return _judgment(call, place, [asked], reply)
    mended = protocol.read_reply(second.answer.text, axes, gates=call.gates)
    if len(mended.invalid) > len(reply.invalid):
        return _judgment(call, place, [second, asked], reply)
    return _judgment(call, place, [asked, second], mended, repaired=_reasons(reply))


def _repair_turn(request: Request, text: str, reply: Reply) -> Request:
    # Its own words can hold what it read: they come back to it as harmless as they were shown.
    said = Message("assistant", neutralised(text[:_MOST_SHOWN]) if text.strip() else "(no text)")
    messages = (*request.messages, said, Message("user", repair_message(reply)))
    return msgspec.structs.replace(request, messages=messages)


def _judgment(
    call: JudgeCall, place: dict[str, Any], turns: Sequence[Asked], reply: Reply, *, repaired: str | None = None
) -> Judgment:
    """turns: the one whose reply counts is the last; tokens, cost and seconds are those of all."""
    counts = turns[-1]
    answer = counts.answer
    answers = [turn.answer for turn in turns if turn.answer is not None]
    return Judgment(
        key=call.request.key(),
        **place,
        judge_template=None,
        position=None,
        state="errored" if answer is None else "scored" if reply.parsed else "unparsed",
        scores=dict(reply.scores),
        invalid=dict(reply.invalid),
        rationale=reply.rationale,
        raw=answer.text if answer and reply.invalid else None,
        error=counts.error,
        started_at=turns[0].started_at,
        seconds=round(sum(turn.seconds for turn in turns), 6),
        input_tokens=_sum(answer.input_tokens for answer in answers),
        cached_input_tokens=_sum(answer.cached_input_tokens for answer in answers),
        output_tokens=_sum(answer.output_tokens for answer in answers),
        cost_usd=_sum(turn.cost_usd for turn in turns),
        ended=answer.ended if answer else "stop",
        reasoning=answer.reasoning if answer else "",
        served_model=answer.served_model if answer else None,
        repaired=repaired,
    )


def _reasons(reply: Reply) -> str:
    return "; ".join(f"{name}: {why}" for name, why in reply.invalid.items())


def _sum(values: Iterable[NumberT | None]) -> NumberT | None:
    """The sum; None where one is unknown."""
    total: Any = 0
    for value in values:
        if value is None:
            return None
        total += value
    return cast(NumberT, total)
