"""Estimate the tokens and US dollars of calls to make, each as a range, and their time. These are not bounds.

They do not include attempts after errors, nor second turns of judges whose reply was invalid.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from statistics import fmean
from typing import Any

import msgspec

from nullbench_site.evaluation.targets import Who
from nullbench_site.judging.calls import Request
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.records import Hidden, Seconds
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.types import Prices

_CHARACTERS_A_TOKEN = 5
"""The most characters a token of common prose has; four is usual for English."""
_BYTES_A_TOKEN = 3
"""The fewest bytes per token: numbers, names and code take more tokens than prose; a CJK character has three bytes."""
_USUAL_CHARACTERS_A_TOKEN = 4
_FRAME = (3, 16)
"""Tokens that a chat template adds to a message, and to a conversation."""
_PROGRAM_TOKENS = 500
"""A program copies its prompt or writes a few sentences: at most its prompt, or this number of tokens if smaller."""
_ENOUGH = 10
"""The fewest answers that give a range."""
_MILLION = 1_000_000


class Range(msgspec.Struct, frozen=True, array_like=True):
    """A range from low to high. high: None if there is no upper bound."""

    low: float
    high: float | None

    def __add__(self, other: Range) -> Range:
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(self.low + other.low, high)

    def at_most(self, bound: float | None) -> Range:
        """Return the range cut at `bound`."""
        if bound is None:
            return self
        return Range(min(self.low, bound), bound if self.high is None else min(self.high, bound))


NOTHING = Range(0, 0)
_MEASUREMENT = Range(480, 900)
"""Tokens that G-Eval adds to the texts: steps, and the form of the reply."""


class Estimate(msgspec.Struct, frozen=True):
    """Sums over calls. cost_usd: None if there is no price. seconds: of calls one after another; None if not known."""

    input_tokens: Range = NOTHING
    output_tokens: Range = NOTHING
    cost_usd: Range | None = NOTHING
    seconds: float | None = 0.0

    @property
    def total_tokens(self) -> Range:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd,
            None if self.seconds is None or other.seconds is None else self.seconds + other.seconds,
        )


def estimate(
    prices: Prices | None, input_tokens: Range, output_tokens: Range, seconds: float | None = None
) -> Estimate:
    """Estimate one call. The low end of its cost assumes that the endpoint has cached the whole input."""
    if prices is None:
        return Estimate(input_tokens, output_tokens, None, seconds)
    cached = prices.input if prices.cached_input is None else prices.cached_input
    low = input_tokens.low * min(cached, prices.input) + output_tokens.low * prices.output
    of_input, of_output = _times(input_tokens.high, prices.input), _times(output_tokens.high, prices.output)
    high = None if of_input is None or of_output is None else (of_input + of_output) / _MILLION
    return Estimate(input_tokens, output_tokens, Range(low / _MILLION, high), seconds)


def _times(tokens: float | None, price: float) -> float | None:
    """Return the cost of tokens; free tokens cost nothing even if their number has no bound."""
    return 0.0 if price == 0 else None if tokens is None else tokens * price


def text_tokens(text: str) -> Range:
    """Return the tokens of a text with an unknown tokenizer."""
    return Range(
        math.ceil(len(text) / _CHARACTERS_A_TOKEN), math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_A_TOKEN)
    )


def prompt_tokens(request: Request) -> Range:
    """Return the tokens of a request. Not every endpoint counts the reply schema, so only the high end includes it."""
    low, high = _FRAME
    total = Range(low, high)
    for message in request.messages:
        total += text_tokens(message.content) + Range(low, high)
    if not request.messages:  # deepeval writes the prompt when the call is made
        total += sum((text_tokens(str(text)) for text in request.fields.values()), _MEASUREMENT)
    schema = msgspec.json.encode(request.reply_schema).decode() if request.reply_schema else ""
    return total + Range(0, text_tokens(schema).high)


def answer_tokens(known: Range | None, max_tokens: int | None) -> Range:
    """Return the tokens of an answer. known: of earlier answers; None gives one token to the limit."""
    return (known or Range(1, None)).at_most(max_tokens)


def program_tokens(known: Range | None, prompt: str) -> Range:
    """Return the tokens of the answer of a program, as a later prompt shows it."""
    return known or Range(0, max(text_tokens(prompt).high or 0, _PROGRAM_TOKENS))


class _Answer(msgspec.Struct):
    """The fields of a record with the length and the time of an answer."""

    board: str
    model: str
    state: str
    judge: str | None = None
    text: str = ""
    rationale: str = ""
    scores: dict[str, Any] = {}
    raw: str | None = None
    reasoning: str = ""
    output_tokens: int | None = None
    seconds: Seconds | None = None
    hidden: Hidden | None = None

    @property
    def tokens(self) -> int:
        """Return the endpoint's count, or the usual number for such a text."""
        if self.output_tokens is not None:
            return self.output_tokens
        shown = len(self.text) + len(self.reasoning) + len(self.raw or self.rationale)
        characters = shown if self.hidden is None else self.hidden.runes
        votes = len(msgspec.json.encode(self.scores)) if self.scores and not self.raw else 0
        return math.ceil((characters + votes) / _USUAL_CHARACTERS_A_TOKEN)


class Lengths(msgspec.Struct):
    """Tokens of earlier answers: by contestant or judge, and by board for those at endpoints. Seconds: the latter's."""

    _own: dict[Who, Counter[int]] = {}
    _on_board: dict[Who, Counter[int]] = {}
    _seconds: dict[tuple[Who, str], list[float]] = {}

    @classmethod
    def of_runs(cls, runs: Iterable[CatalogEntry], at_endpoints: Collection[Who]) -> Lengths:
        """Read every valid record of runs; other code reports damaged lines."""
        lengths, decoder = cls(), msgspec.json.Decoder(_Answer)
        for run in runs:
            for path in sorted([*run.path.glob("responses/*.jsonl"), *run.path.glob("judgments/*.jsonl")]):
                with path.open("rb") as lines:
                    for line in lines:
                        try:
                            answer = decoder.decode(line)
                        except NOT_JSON:
                            continue
                        lengths._add(answer, at_endpoints)
        return lengths

    def _add(self, answer: _Answer, at_endpoints: Collection[Who]) -> None:
        if answer.state == "errored":
            return
        who = ("contestant", answer.model) if answer.judge is None else ("judge", answer.judge)
        self.add(who, answer.board, answer.tokens, likens=answer.output_tokens is not None or who in at_endpoints)
        if answer.seconds is not None and who in at_endpoints:
            self._seconds.setdefault((who, answer.board), []).append(answer.seconds)

    def add(self, who: Who, board: str, tokens: int, *, likens: bool) -> None:
        """Add an answer. likens: True if it is evidence about others on the board; answers of programs are not."""
        self._own.setdefault(who, Counter())[tokens] += 1
        if likens:
            self._on_board.setdefault((who[0], board), Counter())[tokens] += 1

    def of(self, who: Who, board: str) -> Range | None:
        """Return the tenth to the ninetieth percentile of their answers, or else of others on the board."""
        return _middle(self._own.get(who)) or _middle(self._on_board.get((who[0], board)))

    def seconds(self, who: Who, board: str) -> float | None:
        """Return the mean time of its answers on the board, or else on all boards; None if there is none."""
        here = self._seconds.get((who, board)) or [
            s for (one, _), own in self._seconds.items() if one == who for s in own
        ]
        return fmean(here) if here else None

    def of_program(self, who: Who) -> Range | None:
        return _middle(self._own.get(who))


def _middle(counted: Counter[int] | None) -> Range | None:
    """Return the tenth and the ninetieth percentile, by nearest rank; None if too few are known."""
    if counted is None or (total := counted.total()) < _ENOUGH:
        return None
    ranks = math.ceil(0.1 * total), math.ceil(0.9 * total)
    percentiles: list[int] = []
    below = 0
    for tokens in sorted(counted):
        below += counted[tokens]
        while len(percentiles) < len(ranks) and below >= ranks[len(percentiles)]:
            percentiles.append(tokens)
    return Range(*percentiles)
