"""Stop a judge whose replies are mostly cut at its token limit, before all of them are paid for."""

from __future__ import annotations

import msgspec

from nullbench_site.evaluation.backends.base import BuildContext
from nullbench_site.evaluation.endpoints.asker import EndpointAsker
from nullbench_site.judging.calls import JudgeCall
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.types import Judge

FEWEST = 10
"""Replies of a judge in a build before it can be stopped."""
_MORE = 4
"""The proposed limit, as a multiple of one that cut most replies."""
_MOST_TOKENS = 100_000
"""The highest limit of the specs."""


class _Replies(msgspec.Struct):
    """The replies of one judge in this build. whole: output tokens of the longest that was not cut, None if unknown."""

    n: int = 0
    cut: int = 0
    thinking: int = 0
    whole: int | None = None


class CutReplies(msgspec.Struct):
    """Counts the cut replies of each judge in a build."""

    context: BuildContext
    _replies: dict[str, _Replies] = {}

    def add(self, call: JudgeCall, asker: object, made: Judgment) -> None:
        """Count a reply, and stop its judge if more than half of at least ten were cut and have no valid score.

        A reply of one token is whole by design. Batches are paid for already, so their replies are all read.
        """
        if not isinstance(asker, EndpointAsker) or made.state == "errored" or hasattr(call.question, "weigh"):
            return
        judge = call.judge
        replies = self._replies.setdefault(judge.id, _Replies())
        replies.n += 1
        if made.ended == "length" and made.invalid:
            replies.cut += 1
            replies.thinking += bool(made.reasoning) and not made.raw
        elif made.ended == "stop" and made.output_tokens is not None:
            replies.whole = max(replies.whole or 0, made.output_tokens)
        if replies.n >= FEWEST and 2 * replies.cut > replies.n:
            asker.stop(self._message(judge, replies))

    def _message(self, judge: Judge, replies: _Replies) -> str:
        most = judge.decoding.max_tokens
        place = place_of(self.context.specs, judge, "decoding")
        cut = f"{place}: judge {judge.id!r} stopped: {replies.cut} of its {replies.n} replies were cut"
        if most is None:
            limit, remedy = "by a limit of the server, since its decoding has no max_tokens", "set max_tokens"
        else:
            limit = f"by max_tokens {most} and have no valid score"
            remedy = f"raise max_tokens, for example to {min(_MORE * most, _MOST_TOKENS)}"
        if replies.whole is None:
            needed = "none was whole" if most is None else f"none was whole, so they need more than {most} tokens"
        else:
            needed = f"the longest whole reply had {replies.whole} tokens"
        if 2 * replies.thinking > replies.cut:
            remedy += ", or turn off its thinking in params"
        return f"{cut} {limit}; {needed}; {remedy}, and build again, which asks this judge about all answers again"
