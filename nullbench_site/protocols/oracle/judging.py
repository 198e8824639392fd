"""The `oracle` protocol: a program marks each answer by its key as correct, wrong or invalid. There are no judges.

Source: the second suite of the practical 80-prompt evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from nullbench_site.answer_keys import REVISION, AnyKey, mark, right_answer
from nullbench_site.answer_keys.stated_confidence import split_confidence
from nullbench_site.judging.calls import Prompt, Reference
from nullbench_site.judging.protocol import JudgingProtocol, with_results
from nullbench_site.runs.records import CheckOutcome, Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile

if TYPE_CHECKING:
    from nullbench_site.protocols.oracle.specs import OraclePlacedItem


class OracleJudging(JudgingProtocol[BoardFile, "OraclePlacedItem"]):
    """The judging of the `oracle` protocol."""

    def prompt(self, benchmark: Benchmark, board: BoardFile, placed: OraclePlacedItem) -> Prompt:
        """Return the prompt, with its source before it if it has one."""
        if not placed.source:
            return super().prompt(benchmark, board, placed)
        return Prompt.about(placed.source, placed.prompt)

    def reference(self, placed: OraclePlacedItem) -> Reference | None:
        """Return an answer that the key marks as correct."""
        answer = None if placed.key is None else right_answer(placed.key)
        return None if answer is None else Reference(answer, placed.source)

    def has_checks(self, placed: OraclePlacedItem) -> bool:
        """Return True if the key is on this machine."""
        return placed.key is not None

    def checked(self, placed: OraclePlacedItem, response: Response, *, execute: bool = True) -> Response:
        """Return the response with its mark and the confidence that it states, which the key does not see.

        It is unchanged if it failed, or if its text or key is not on this machine.
        """
        if (key := placed.key) is None:
            return response
        answer = split_confidence(response.text)

        def marked(_: str) -> Iterator[tuple[CheckOutcome, tuple[str, ...]]]:
            verdict = mark(answer.text, key)
            yield verdict.outcome, (verdict.why, *filter(None, [answer.problem]))

        checked = with_results(response, [(key_type(key), REVISION, key)], marked)
        if not checked.text or checked.stated_confidence == answer.confidence:
            return checked
        return msgspec.structs.replace(checked, stated_confidence=answer.confidence)


HIDDEN = "hidden"
"""The type shown for a private item's key."""


def key_type(key: AnyKey | type[AnyKey]) -> str:
    """Return the id of the type of an answer key."""
    return str(key.__struct_config__.tag)


JUDGING = OracleJudging()
