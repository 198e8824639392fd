"""One call: its request, the key that covers all that can change the answer, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec

from nullbench_site.runs.records import Ended, Score
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import Decoding, Judge, Parameter


class Message(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: str
    content: str


class Request(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A request to a backend. Programs read `fields`; models read `messages`, made from the same fields.

    backend: its name and revision, `offline@1`. salt: of a private item, so that nobody can test guesses of the text
    against its published key; it is never sent. top_logprobs: the number of likeliest first tokens whose log
    probabilities are requested.
    """

    backend: str
    model: str
    params: dict[str, Parameter]
    messages: tuple[Message, ...]
    fields: dict[str, Any]
    decoding: Decoding
    sample: int
    reply_schema: dict[str, Any] | None = None
    salt: str | msgspec.UnsetType = msgspec.UNSET
    top_logprobs: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def private(self) -> bool:
        """Return True if the request, and replies to it, must not be published."""
        return self.salt is not msgspec.UNSET

    def key(self) -> str:
        """Return the sha256, in hex, of the request. It does not cover the URL or the time."""
        return self._key

    @cached_property
    def _key(self) -> str:
        return sha256(canonical_json(self))


class Reply(msgspec.Struct, frozen=True):
    """A parsed reply of a judge: the valid scores, why others are invalid, and the rationale.

    forms: how the scores are written, if not as plain JSON. stated: groups of texts that state them; the reply is a
    quotation if all texts of a group are in one text that the judge was shown. Without forms, its JSON decides.
    """

    scores: Mapping[str, Score]
    invalid: Mapping[str, str]
    rationale: str
    forms: tuple[str, ...] = ()
    stated: tuple[tuple[str, ...], ...] = ()

    @property
    def parsed(self) -> bool:
        return bool(self.scores)


class Prompt(msgspec.Struct, frozen=True):
    """The prompt of a contestant: the user message, and the fields that programs read instead."""

    text: str
    fields: Mapping[str, str]

    @classmethod
    def about(cls, source: str, prompt: str) -> Prompt:
        """Return a prompt about a source text; without one, the prompt alone."""
        if not source:
            return cls(prompt, {"prompt": prompt})
        return cls(f"{source}\n\n{prompt}", {"prompt": prompt, "source": source})


class Reference(msgspec.Struct, frozen=True):
    """A right answer to an item, and its source, if there is one."""

    text: str
    source: str = ""


class JudgeTask(msgspec.Struct, frozen=True):
    """A judge of a response and the wording of its question; a judge may have several tasks.

    opponent: the contestant whose answer to the same item is compared; None if the judge sees one answer. position: of
    the contestant's own answer, 0 first, 1 second; None if that differs from item to item.
    """

    judge: Judge
    template: str | None = None
    opponent: str | None = None
    position: int | None = None


class Question(Protocol):
    """A question to a judge about a response. `hasattr` tests its kind, because isinstance on a Protocol is slow."""

    @property
    def task(self) -> JudgeTask: ...

    def fields(self) -> dict[str, Any]:
        """Return everything that the judge may see."""
        ...

    def reply_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the reply; None if the reply is not JSON."""
        ...


@runtime_checkable
class WordedQuestion(Question, Protocol):
    """A question that the protocol writes, and whose reply it parses."""

    def messages(self) -> tuple[Message, ...]:
        """Return the fields as messages, for judges that are models."""
        ...

    def read(self, text: str) -> Reply: ...


class TokenQuestion(WordedQuestion, Protocol):
    """A question whose reply is one token. Log probabilities are requested, and used if the endpoint returns them."""

    @property
    def top_logprobs(self) -> int: ...

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        """Return the reply. logprobs: likeliest first token -> natural log of its probability."""
        ...


class Comparison(WordedQuestion, Protocol):
    """A question about two answers. Its scores are in the order in which the answers are shown."""

    @property
    def position(self) -> int:
        """Return the position of the contestant's own answer: 0 first, 1 second."""
        ...

    def settled(self) -> Reply | None:
        """Return the reply that is known without a call, if there is one."""
        ...


class MeasuredQuestion(Question, Protocol):
    """A question of G-Eval, which deepeval writes and scores. Its fields make the key of the call."""

    @property
    def metric(self) -> str: ...

    @property
    def texts(self) -> Mapping[str, str]:
        """Return the prompt, the ideal answer and the response, by these names."""
        ...


AnyQuestion: TypeAlias = WordedQuestion | MeasuredQuestion


class JudgeCall(msgspec.Struct, frozen=True, dict=True):
    """A judgment to make: the question, and how to write its request."""

    question: AnyQuestion
    write: Callable[[AnyQuestion], Request]

    @cached_property
    def request(self) -> Request:
        """Return the request, written when it is first needed."""
        return self.write(self.question)

    @property
    def judge(self) -> Judge:
        return self.question.task.judge

    @property
    def template(self) -> str | None:
        """Return the wording of the question, if there are several."""
        return self.question.task.template

    @property
    def position(self) -> int | None:
        """Return the position of the contestant's answer of two; None if it is shown alone."""
        return self.question.position if hasattr(self.question, "position") else None

    @property
    def settled(self) -> Reply | None:
        """Return the reply that is known without a call; None if the judge is called."""
        return self.question.settled() if hasattr(self.question, "settled") else None

    @property
    def dimensions(self) -> dict[str, Any]:
        """Return the fields of the judgment's record that the response's record does not have."""
        return {"judge": self.judge.id, "judge_template": self.template, "position": self.position}


class Answer(msgspec.Struct, frozen=True):
    """The text of an answer. Token counts are None if the backend does not count.

    seconds: of the answered attempt, without waiting; None: use the runner's clock; NaN: not measured. finish_reason:
    the endpoint's own word for the end, if its meaning is not known. reasoning: the thinking of a model, which is no
    part of the answer, if the endpoint returns it. served_model: if another model answered. logprobs: of the
    likeliest first tokens, if requested and returned. confidence: the geometric mean of the probabilities of the
    answer's tokens, 0-1; None if the endpoint returns none. failed_usd: the cost of earlier attempts, as far as known.
    uncounted: earlier attempts that may be charged, but whose tokens the endpoint did not count.
    """

    text: str
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    ended: Ended = "stop"
    finish_reason: str = ""
    reasoning: str = ""
    served_model: str | None = None
    logprobs: Mapping[str, float] | None = None
    confidence: float | None = None
    failed_usd: float = 0.0
    uncounted: int = 0


class CallResult(msgspec.Struct, frozen=True):
    """The result of one request: an answer or an error, with its start, duration and cost.

    seconds: None if not measured. failed_usd: the cost of attempts without an answer. uncounted: as in Answer.
    """

    answer: Answer | None
    error: str | None
    started_at: str
    seconds: float | None
    cost_usd: float | None
    failed_usd: float = 0.0
    uncounted: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        """Return the fields of a record of any kind that follow from the result."""
        answer = self.answer or Answer("")
        return {
            "error": self.error,
            "started_at": self.started_at,
            "seconds": self.seconds,
            "input_tokens": answer.input_tokens,
            "cached_input_tokens": answer.cached_input_tokens,
            "output_tokens": answer.output_tokens,
            "cost_usd": self.cost_usd,
            "failed_usd": self.failed_usd or None,
            "uncounted": self.uncounted,
            "ended": answer.ended,
            "finish_reason": answer.finish_reason,
            "reasoning": answer.reasoning,
            "served_model": answer.served_model,
        }
