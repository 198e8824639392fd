"""The `oracle` protocol: a program marks each answer by its key as correct, wrong or invalid. There are no judges.

Source: the second suite of the practical 80-prompt evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nullbench_site.answer_keys import REVISION, AnyKey, mark, right_answer
from nullbench_site.answer_keys.key import without_markup
from nullbench_site.judging.calls import Prompt, Reference
from nullbench_site.judging.protocol import Found, JudgingProtocol, with_results
from nullbench_site.runs.records import Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import BoardFile

if TYPE_CHECKING:
    from nullbench_site.protocols.oracle.specs import OraclePlacedItem


_LONGEST = 200
_LINE = re.compile(r"[#> ]*confidence(?: level| score)? ?[:=](.*)", re.IGNORECASE)
_NUMBER = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}) ?(%|percent)?")
_STOPPED = ("length", "content_filter")
"""The ends of responses that something cut off."""
UNREADABLE = "the stated confidence is not a number between 0 and 100 %"


class ConfidentAnswer(NamedTuple):
    """An answer without the line that states its confidence. confidence: 0-1. problem: why it cannot be read."""

    text: str
    confidence: float | None = None
    problem: str | None = None


def split_confidence(text: str) -> ConfidentAnswer:
    """Return the answer without its last line if that states a confidence.

    A number is a percentage if a sign says so, or if it is a whole number above 1; otherwise it must be 0-1.
    """
    kept = text.rstrip()
    start = max(kept.rfind("\n"), kept.rfind("\r")) + 1
    line = kept[start:]
    stated = _LINE.fullmatch(without_markup(line).strip()) if len(line) <= _LONGEST else None
    if stated is None:
        return ConfidentAnswer(text)
    confidence = _share(stated[1].strip().rstrip("."))
    return ConfidentAnswer(kept[:start], confidence, UNREADABLE if confidence is None else None)


def _share(words: str) -> float | None:
    number = _NUMBER.fullmatch(words)
    if number is None:
        return None
    value = float(number[1])
    if number[2] or (value > 1 and value.is_integer()):
        value /= 100
    return value if value <= 1 else None


class OracleJudging(JudgingProtocol[BoardFile, "OraclePlacedItem"]):
    """The judging of the `oracle` protocol."""

    def prompt(self, benchmark: Benchmark, board: BoardFile, placed: OraclePlacedItem) -> Prompt:
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
        answer, question = split_confidence(response.text), asked(placed)

        def marked(_: str) -> Iterator[Found]:
            stopped = response.ended in _STOPPED
            verdict = mark(answer.text, key, asked=question, languages=placed.languages, stopped=stopped)
            if not answer.text.strip() and answer.text != response.text:
                verdict = msgspec.structs.replace(verdict, why="states a confidence and no answer")
            yield Found(verdict.outcome, (verdict.why, *filter(None, [answer.problem])), verdict.cause)

        # The mark depends on the numbers of the question, so a changed question is marked again.
        params = {"key": key, "asked": sha256(question.encode()), "languages": placed.languages}
        checked = with_results(response, [(key_type(key), REVISION, params)], marked)
        if not checked.text or checked.stated_confidence == answer.confidence:
            return checked
        return msgspec.structs.replace(checked, stated_confidence=answer.confidence)


def asked(placed: OraclePlacedItem) -> str:
    """Return the question of an item without its source and without a template; of several turns, all together.

    It is the same for all contestants and wordings, and at each turn. Numbers of the source may be answers.
    """
    return "\n\n".join(placed.turns or [placed.prompt])


HIDDEN = "hidden"
"""The type shown for a private item's key."""


def key_type(key: AnyKey | type[AnyKey]) -> str:
    """Return the id of the type of an answer key."""
    return str(key.__struct_config__.tag)


JUDGING = OracleJudging()
