"""Make one judgment: call the judge, read the reply, and call once more if it is not valid."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from nullbench_site.judging.calls import Answer, CallResult, JudgeCall, Message, Reply, Request
from nullbench_site.judging.geval import Case, measured, worded
from nullbench_site.judging.quoting import neutralised
from nullbench_site.judging.replies import QUOTED, STILL_THINKING, quotes, repair_message, repeats
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.types import Judge
from nullbench_site.thinking import split_thinking

State: TypeAlias = Literal["scored", "unparsed", "errored"]
_MOST_SHOWN = 20_000
"""Characters of an invalid reply that the judge is shown again."""


class JudgmentMaker(msgspec.Struct, frozen=True):
    """Makes the judgment of one call.

    ask: sends a request to a judge. place: the place of the record. begin: writes a first turn to disk, and returns
    it with the cost of earlier attempts. retry: the number of the run's retry.
    """

    ask: Callable[[Judge, Request], Awaitable[CallResult]]
    call: JudgeCall
    place: Mapping[str, Any]
    begin: Callable[[Judgment], Awaitable[Judgment]]
    retry: int = 0

    @property
    def settled(self) -> Judgment | None:
        """Return the judgment that is known without a call, if there is one."""
        reply = self.call.settled
        return None if reply is None else self._judgment([CallResult(Answer(""), None, "", 0.0, 0.0)], reply)

    async def make(self, begun: Judgment | None) -> Judgment:
        """Call the judge, a second time if the reply is not valid. The judgment is errored if there is no reply.

        A reply that its token limit cut is not requested again, since the limit would be the same.

        begun: a judgment whose second turn is due; or an unparsed one, which stays if there is no reply now. Raises
        UnavailableError if the judge may not be called; a first reply is on disk by then.
        """
        request = self._worded()
        due = begun is not None and begun.repair_due
        asked = _turn_of(begun) if begun is not None and due else await self.ask(self.call.judge, request)
        if asked.answer is None:
            return self._judgment([asked], Reply({}, {}, "")) if begun is None else _with_failed(begun, asked)
        answer = asked.answer
        reply = self._parse(answer)
        # A program repeats its reply, and a single token leaves nothing to correct.
        is_last = not request.messages or hasattr(self.call.question, "weigh") or asked.answer.ended == "length"
        if not reply.invalid or is_last:
            return self._judgment([asked], reply)
        if not due:
            kept = await self.begin(msgspec.structs.replace(self._judgment([asked], reply), repair_due=True))
            asked = msgspec.structs.replace(asked, failed_usd=kept.failed_usd or 0.0, uncounted=kept.uncounted)
        correct = self.call.question.repair if hasattr(self.call.question, "repair") else repair_message
        second = await self.ask(self.call.judge, _second_turn(request, answer, correct(reply)))
        if second.answer is None:
            return _with_failed(self._judgment([asked], reply), second)
        mended = self._parse(second.answer)
        if len(mended.invalid) > len(reply.invalid):
            return self._judgment([second, asked], reply)
        return self._judgment([asked, second], mended, repaired=_reasons(reply))

    def _worded(self) -> Request:
        """Return the request as it is sent: deepeval writes the prompt of G-Eval."""
        question, request = self.call.question, self.call.request
        if hasattr(question, "messages"):
            return request
        message = Message("user", worded(question.metric, Case(**question.texts)))
        return msgspec.structs.replace(request, messages=(message,), fields={})

    def _parse(self, answer: Answer) -> Reply:
        question, text = self.call.question, answer.text
        if not question.task.judge.is_program:
            split = split_thinking(text)
            if not split.answer and (split.cut or answer.reasoning):
                return Reply({}, {"reply": STILL_THINKING}, "")
            text = split.answer
        first = not hasattr(question, "decided_by_first_token") or question.decided_by_first_token(answer)
        if answer.logprobs is not None and hasattr(question, "weigh") and first:
            weighed: Reply = question.weigh(answer.logprobs)
            return weighed
        if hasattr(question, "read"):
            texts, reply = question.fields(), question.read(text)
        else:
            texts, measurement = {**question.texts}, measured(question.metric, Case(**question.texts), text)
            if measurement.score is None:
                reply = Reply({}, {question.metric: measurement.problem or "unreadable"}, "")
            else:
                written = measurement.forms, measurement.stated
                reply = Reply({question.metric: measurement.score}, {}, measurement.reason, *written)
        shown = [neutralised(each) for each in texts.values() if isinstance(each, str)]
        if reply.forms:
            quoted = repeats(reply.stated, shown)
        else:
            quoted = (question.quoted if hasattr(question, "quoted") else quotes)(text, shown)
        quoted = quoted and reply.parsed and not question.task.judge.is_program
        return Reply({}, {"reply": QUOTED}, "") if quoted else reply

    def _judgment(self, turns: Sequence[CallResult], reply: Reply, *, repaired: str | None = None) -> Judgment:
        """Return the judgment. turns: the reply of the last one counts; tokens, cost and seconds are sums over all.

        Turns whose tokens the endpoint did not count are left out of the sums, and counted in `uncounted`.
        """
        answer = turns[-1].answer
        state: State = "errored" if answer is None else "scored" if reply.parsed else "unparsed"
        answers = [turn.answer for turn in turns if turn.answer is not None]
        missing = sum(each.input_tokens is None or each.output_tokens is None for each in answers)
        of_all = {
            "started_at": min(turn.started_at for turn in turns),
            "seconds": _whole_sum(turn.seconds for turn in turns),
            "input_tokens": _sum(answer.input_tokens for answer in answers),
            "cached_input_tokens": _sum(answer.cached_input_tokens for answer in answers),
            "output_tokens": _sum(answer.output_tokens for answer in answers),
            "cost_usd": _sum(turn.cost_usd for turn in turns),
            "failed_usd": sum(turn.failed_usd for turn in turns) or None,
            "uncounted": sum(turn.uncounted for turn in turns) + (missing if missing < len(answers) else 0),
        }
        return Judgment(
            key=self.call.request.key(),
            **self.place,
            state=state,
            scores=dict(reply.scores),
            invalid=dict(reply.invalid),
            rationale=reply.rationale,
            forms=reply.forms,
            raw=answer.text if answer and reply.invalid else None,
            **{**turns[-1].fields, **of_all},
            repaired=repaired,
            retry=self.retry if state == "unparsed" else 0,
        )


def _turn_of(begun: Judgment) -> CallResult:
    """Return the first turn of a recorded judgment."""
    answer = Answer(
        begun.raw or "",
        input_tokens=begun.input_tokens,
        cached_input_tokens=begun.cached_input_tokens,
        output_tokens=begun.output_tokens,
        ended=begun.ended,
        finish_reason=begun.finish_reason,
        reasoning=begun.reasoning,
        served_model=begun.served_model,
    )
    failed = begun.failed_usd or 0.0, begun.uncounted
    return CallResult(answer, None, begun.started_at, begun.seconds, begun.cost_usd, *failed)


def _with_failed(judgment: Judgment, failed: CallResult) -> Judgment:
    """Return a judgment with the cost of attempts at a further turn that got no reply."""
    failed_usd = (judgment.failed_usd or 0.0) + failed.failed_usd or None
    return msgspec.structs.replace(judgment, failed_usd=failed_usd, uncounted=judgment.uncounted + failed.uncounted)


def _second_turn(request: Request, answer: Answer, correction: str) -> Request:
    """Return the second request to a judge whose reply was not valid, by how the reply ended."""
    match answer.ended:
        case "content_filter" | "refusal":
            # There is nothing to correct, and the same request may succeed now.
            return request
        case _:
            # The reply can quote the texts of the judge's prompt, so it is neutralised like these.
            own = neutralised(answer.text[:_MOST_SHOWN]) if answer.text.strip() else "(no text)"
            messages = (*request.messages, Message("assistant", own), Message("user", correction))
    return msgspec.structs.replace(request, messages=messages)


def _reasons(reply: Reply) -> str:
    return "; ".join(f"{name}: {why}" for name, why in reply.invalid.items())


def _sum(values: Iterable[float | None]) -> float | None:
    """Return the sum of the known values; None if there are none."""
    known = [number for number in values if number is not None]
    return sum(known) if known else None


def _whole_sum(values: Iterable[float | None]) -> float | None:
    """Return the rounded sum; None if one value is unknown."""
    numbers = list(values)
    known = [number for number in numbers if number is not None]
    return round(sum(known), 6) if len(known) == len(numbers) else None
