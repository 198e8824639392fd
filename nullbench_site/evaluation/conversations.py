"""What is known of conversations: a target's own, turn by turn with the verdicts on it, and those of its opponents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Target
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Response


def known_records(builder: RequestBuilder, target: Target, known: KnownCalls) -> Iterator[Response | Judgment]:
    """What is known of a target, at its place: the answers turn by turn, and the verdicts on them."""
    turn: Target | None = target
    while turn is not None:
        answer = known.find(Response, builder.response_request(turn).key())
        if answer is None:
            return
        response = builder.checked(turn, msgspec.structs.replace(answer, **turn.dimensions))
        yield response
        for call in builder.judge_calls(turn, response, known_others(builder, turn, known)):
            if (judgment := known.answer(Judgment, call.request.key())) is not None:
                yield msgspec.structs.replace(judgment, **turn.dimensions, **call.dimensions)
        turn = turn.after(response)


def known_others(builder: RequestBuilder, target: Target, known: KnownCalls) -> dict[str, Sequence[Response]]:
    """What the opponents of a target answered, by contestant, as far as all of it is known."""

    def answer_to(turn: Target) -> Response | None:
        return known.find(Response, builder.response_request(turn).key())

    return said_by_others(builder, target, answer_to)


def said_by_others(
    builder: RequestBuilder, target: Target, response_to: Callable[[Target], Response | None]
) -> dict[str, Sequence[Response]]:
    """What the opponents of a target answered turn by turn up to its own, or to one that failed, by contestant."""
    others = ((first.model.id, _turns(first, target.placed.turn, response_to)) for first in builder.opponents(target))
    return {model: turns for model, turns in others if turns is not None}


def _turns(first: Target, last: int, response_to: Callable[[Target], Response | None]) -> Sequence[Response] | None:
    """The responses from a first turn to another, or to one that failed; None where one is not there."""
    turns: list[Response] = []
    turn: Target | None = first
    while turn is not None and len(turns) < last:
        response = response_to(turn)
        if response is None:
            return None
        turns.append(response)
        turn = turn.after(response)
    return turns
