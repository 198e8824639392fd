"""The program that marks answers: its result stands in the record of each."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from nullbench_site.judging.calls import Prompt
from nullbench_site.judging.protocol import JudgingProtocol
from nullbench_site.runs.records import CheckResult, Response


class MarkedJudging(JudgingProtocol[Any, Any]):
    """See the module."""

    def prompt(self, benchmark: Any, board: Any, placed: Any) -> Prompt:
        return Prompt(placed.prompt, {"prompt": placed.prompt})

    def has_checks(self, placed: Any) -> bool:
        return bool(placed.word)

    def checked(self, placed: Any, response: Response, *, execute: bool = True) -> Response:
        if response.state == "errored" or response.hidden is not None or not placed.word:
            return response
        outcome = "correct" if placed.word in response.text else "wrong"
        return replace(response, checks=(CheckResult("word", "1", outcome),))


JUDGING = MarkedJudging()
