"""Contestants get the prompt; each judge of the panel says whether the word stands in the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from nullbench_site.judging.calls import JudgeTask, Message, Reply
from nullbench_site.judging.protocol import JudgingProtocol
from nullbench_site.judging.replies import integer, json_object, prose
from nullbench_site.programs import judge

ECHOED = "echoed"


@dataclass(frozen=True)
class EchoQuestion:
    """What a judge is asked about one response."""

    task: JudgeTask
    word: str
    response: str

    def fields(self) -> dict[str, Any]:
        return {"word": self.word, "response": self.response}

    def messages(self) -> tuple[Message, ...]:
        return (Message("user", f"1 if {self.word!r} stands in {self.response!r}, else 0."),)

    def reply_schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {ECHOED: {"type": "integer"}}, "required": [ECHOED]}

    def read(self, text: str) -> Reply:
        reply = json_object(text)
        if isinstance(reply, str):
            return Reply({}, {"reply": reply}, "")
        echoed = integer(reply.get(ECHOED))
        if echoed not in (0, 1):
            return Reply({}, {ECHOED: "neither 0 nor 1"}, "")
        return Reply({ECHOED: echoed}, {}, prose(reply.get("rationale")))


class EchoJudging(JudgingProtocol[Any, Any]):
    """See the module."""

    shows = ("word", "response")

    def question(self, placed: Any, task: JudgeTask, response: Any) -> EchoQuestion:
        return EchoQuestion(task, placed.word, "" if response is None else response.text)


JUDGING = EchoJudging()


class Case(Struct):
    """What the program that judges is shown."""

    word: str
    response: str


@judge(Case)
def listen(case: Case) -> str:
    """Whether the word stands in the answer."""
    return f'{{"{ECHOED}": {int(case.word in case.response)}, "rationale": "Looked for {case.word}."}}'


@judge(Case)
def listen_closely(case: Case) -> str:
    """The same, whatever the case of its letters."""
    return f'{{"{ECHOED}": {int(case.word.casefold() in case.response.casefold())}, "rationale": "Listened."}}'
