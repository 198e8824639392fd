"""The `oracle` protocol: a program marks each answer by its key, correct, wrong or invalid. No judge is asked.

Source: the practical 80-prompt evaluation, whose second suite works so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from nullbench_site.protocols.base import AnyQuestion, Prompt, Seat
from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.specs.benchmark import Benchmark, OraclePlacedItem, PlacedItem
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import BoardFile, ModelFile

if TYPE_CHECKING:
    from nullbench_site.answer_keys import AnyKey

VERBATIM = "verbatim"
"""The id of the wording: prompts are asked as they stand."""


class OracleProtocol:
    """See the module."""

    revision = 1
    in_every_digest = True

    def template(self, board: BoardFile) -> str:
        """Prompts are asked as they stand."""
        return VERBATIM

    def prompt(self, benchmark: Benchmark, board: BoardFile, placed: PlacedItem) -> Prompt:
        """The prompt and nothing else."""
        text = _of_oracle(placed).prompt
        return Prompt(text, {"prompt": text})

    def seats(self, benchmark: Benchmark, board: BoardFile, model: ModelFile) -> tuple[Seat, ...]:
        """Nobody."""
        return ()

    def has_checks(self, placed: PlacedItem) -> bool:
        """Wherever the key is here."""
        return _of_oracle(placed).key is not None

    def checked(self, placed: PlacedItem, response: Response, *, execute: bool = True) -> Response:
        """The response with its mark. One that failed, or whose text or key is not here, has none to be made."""
        key = _of_oracle(placed).key
        if key is None or response.state == "errored" or response.hidden is not None:
            return response
        from nullbench_site.answer_keys import REVISION, mark

        digest = sha256(canonical_json([REVISION, key]))[:16]
        if [found.params for found in response.checks] == [digest]:
            return response
        marked = mark(response.text, key)
        result = CheckResult(key_type(key), digest, marked.outcome, (marked.why,))
        return msgspec.structs.replace(response, checks=(result,))

    def questions(
        self, benchmark: Benchmark, board: BoardFile, model: ModelFile, placed: PlacedItem, response: Response
    ) -> Iterator[AnyQuestion]:
        """None."""
        return iter(())

    def blank_questions(
        self, benchmark: Benchmark, board: BoardFile, placed: PlacedItem, seat: Seat
    ) -> Iterator[AnyQuestion]:
        """None."""
        return iter(())


def key_type(key: AnyKey) -> str:
    """The id of the type of an answer key."""
    return str(key.__struct_config__.tag)


def _of_oracle(placed: PlacedItem) -> OraclePlacedItem:
    assert isinstance(placed, OraclePlacedItem)  # noqa: S101 - the registry of protocols sees to it
    return placed


JUDGING = OracleProtocol()
