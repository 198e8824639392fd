"""One call: what is asked, the key that covers all that can change the answer, and the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec

from nullbench_site.runs.records import Ended, Score
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import Decoding, Judge, Parameter


class Message(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: str
    content: str


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a backend. Programs read `fields`; models read `messages`, made from the same fields.

    backend: its name and revision, `offline@1`: a changed program is another answerer. salt: of a private item, so that
    its published key cannot be tried against guesses of the text; it is sent to nobody. top_logprobs: of how many of
    the likeliest first tokens the log probability is asked for.
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
        """Whether its words, and words about them, are for nobody else."""
        return self.salt is not msgspec.UNSET

    def key(self) -> str:
        """The sha256, in hex, of the whole request: not of an address, not of the time."""
        return sha256(canonical_json(self))


class Reply(msgspec.Struct, frozen=True):
    """A judge's reply as read: what was valid, why the rest was not, and its rationale."""

    scores: Mapping[str, Score]
    invalid: Mapping[str, str]
    rationale: str

    @property
    def parsed(self) -> bool:
        return bool(self.scores)


class Prompt(msgspec.Struct, frozen=True):
    """What a contestant is asked: the one user message, and the fields that programs read instead."""

    text: str
    fields: Mapping[str, str]


class Reference(msgspec.Struct, frozen=True):
    """An answer to an item that is known to be right, and the source it is about, where there is one."""

    text: str
    source: str = ""


class JudgeTask(msgspec.Struct, frozen=True):
    """A judge of a response, and for what: a judge may be asked more than once, by different wordings.

    opponent: the contestant whose answer to the same item the judge is shown beside; None where it is shown one answer.
    position: where the contestant's own then stands, 0 first, 1 second; None where that differs from item to item.
    """

    judge: Judge
    template: str | None = None
    opponent: str | None = None
    position: int | None = None


class Question(Protocol):
    """What one judge is asked about one response. Its kinds are told apart by what they have.

    With hasattr: isinstance takes 20 us to look up the members of a Protocol, eight times a judgment.
    """

    @property
    def task(self) -> JudgeTask: ...

    def fields(self) -> dict[str, Any]:
        """All that the judge may know."""
        ...

    def reply_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the reply; None where it is no JSON."""
        ...


@runtime_checkable
class WordedQuestion(Question, Protocol):
    """One that the protocol puts into words, and whose reply it reads."""

    def messages(self) -> tuple[Message, ...]:
        """The fields in words, for judges that are chatted with."""
        ...

    def read(self, text: str) -> Reply: ...


class TokenQuestion(WordedQuestion, Protocol):
    """One whose reply is a single token: how likely each was is asked for, and read where the endpoint tells."""

    @property
    def top_logprobs(self) -> int: ...

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        """logprobs: token -> natural log of its probability, of the likeliest first tokens."""
        ...


class Comparison(WordedQuestion, Protocol):
    """One about two answers. A verdict on them holds in the order in which they are shown, whoever gave them."""

    @property
    def position(self) -> int:
        """Where the contestant's own answer stands: 0 first, 1 second."""
        ...

    def settled(self) -> Reply | None:
        """The reply that follows without asking anybody, where one does."""
        ...


class MeasuredQuestion(Question, Protocol):
    """One that DeepEval words, and of whose reply it makes a score: G-Eval. Its fields make the call's key."""

    @property
    def metric(self) -> str: ...

    @property
    def texts(self) -> Mapping[str, str]:
        """The prompt, the ideal answer and the response, by these names."""
        ...


AnyQuestion: TypeAlias = WordedQuestion | MeasuredQuestion


class JudgeCall(msgspec.Struct, frozen=True):
    """One judgment to be had: what is asked, and the request that asks it."""

    question: AnyQuestion
    request: Request

    @property
    def judge(self) -> Judge:
        return self.question.task.judge

    @property
    def template(self) -> str | None:
        """The wording in which the judge is asked, where there are several."""
        return self.question.task.template

    @property
    def position(self) -> int | None:
        """Where the contestant's answer stands of the two that are shown; None where it is shown alone."""
        return self.question.position if hasattr(self.question, "position") else None

    @property
    def settled(self) -> Reply | None:
        """The reply that follows without asking anybody; None where the judge is to be asked."""
        return self.question.settled() if hasattr(self.question, "settled") else None

    @property
    def dimensions(self) -> dict[str, Any]:
        """What a record of the judgment is about, by field, beside what the response is about."""
        return {"judge": self.judge.id, "judge_template": self.template, "position": self.position}


class Answer(msgspec.Struct, frozen=True):
    """The text that came back. Token counts are None where the backend does not count.

    seconds: of the attempt that was answered, without what was waited before it; None: the runner's clock holds;
    NaN: nobody measured them. reasoning: what a model thought before it answered, where it tells. served_model: who
    answered, if another. logprobs: of the likeliest first tokens, where that was asked for and the endpoint tells.
    failed_usd: what earlier attempts cost that gave no answer, as far as known.
    """

    text: str
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    ended: Ended = "stop"
    reasoning: str = ""
    served_model: str | None = None
    logprobs: Mapping[str, float] | None = None
    failed_usd: float = 0.0


class CallResult(msgspec.Struct, frozen=True):
    """What one request came to: an answer or an error, when it was put, how many seconds it took, what it cost.

    seconds: None where nobody measured them. failed_usd: what attempts cost that gave no answer.
    """

    answer: Answer | None
    error: str | None
    started_at: str
    seconds: float | None
    cost_usd: float | None
    failed_usd: float = 0.0

    @property
    def fields(self) -> dict[str, Any]:
        """What a record says of it, whoever was asked for whatever."""
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
            "ended": answer.ended,
            "reasoning": answer.reasoning,
            "served_model": answer.served_model,
        }
