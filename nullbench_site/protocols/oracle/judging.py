"""The `oracle` protocol: a program marks each answer by its key, correct, wrong or invalid. No judge is asked.

Source: the practical 80-prompt evaluation, whose second suite works so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nullbench_site.answer_keys import REVISION, AnyKey, mark
from nullbench_site.judging.protocol import JudgingProtocol, with_results
from nullbench_site.runs.records import CheckOutcome, Response
from nullbench_site.specs.types import BoardFile

if TYPE_CHECKING:
    from nullbench_site.protocols.oracle.specs import OraclePlacedItem


class OracleJudging(JudgingProtocol[BoardFile, "OraclePlacedItem"]):
    """See the module."""

    def has_checks(self, placed: OraclePlacedItem) -> bool:
        """Wherever the key is here."""
        return placed.key is not None

    def checked(self, placed: OraclePlacedItem, response: Response, *, execute: bool = True) -> Response:
        """The response with its mark. One that failed, or whose text or key is not here, has none to be made."""
        if (key := placed.key) is None:
            return response

        def marked(text: str) -> Iterator[tuple[CheckOutcome, tuple[str]]]:
            verdict = mark(text, key)
            yield verdict.outcome, (verdict.why,)

        return with_results(response, [(key_type(key), REVISION, key)], marked)


HIDDEN = "hidden"
"""Stands for the type of a private item's key."""


def key_type(key: AnyKey) -> str:
    """The id of the type of an answer key."""
    return str(key.__struct_config__.tag)


JUDGING = OracleJudging()
