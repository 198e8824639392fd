"""The rows of evidence: a response, or a judgment of one. Each is one JSON line that begins with its call key.

Of those of private items another row is published, without words and with a hash of the one that is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, assert_never

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.specs.digest import NOT_JSON, canonical_json, sha256

Score: TypeAlias = bool | int | float
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Ended: TypeAlias = Literal["stop", "length", "content_filter", "refusal", "tool_calls"]
"""Why an answer ended: by itself, at the token limit, withheld by a filter, as a refusal the endpoint marked, as a call
of a tool nobody offered."""
CheckOutcome: TypeAlias = Literal["passed", "failed", "not-applicable", "correct", "wrong", "invalid"]
"""What a check found, or how a key marked."""


class CheckResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one check found, or how an answer key marked the answer.

    type: "hidden" in a published record of a private item. params: a digest of its parameters and of the revision of
    the checks or keys; empty where another program checked, and where they are private.
    """

    type: str
    params: str
    outcome: CheckOutcome
    flags: tuple[str, ...] = ()


class Hidden(msgspec.Struct, frozen=True):
    """What stands in a published record instead of the text of a private item: its salted hash, and its length."""

    hash: str
    runes: Count


class Response(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a contestant answered, or that it did not. Times in seconds, tokens as the endpoint counted them.

    seconds: None where the answer came without. cost_usd: of the answer at the prices of the day. failed_usd: of the
    attempts at it that gave none, as far as the endpoint counted their tokens. ended, reasoning, served_model: as
    in `backends.base.Answer`. checks: what programs found in the text; checks_due: they are to look at it yet. hidden:
    where the texts are private and stand elsewhere. turn: of an item of several, from 1.
    """

    key: str
    board: str
    model: str
    item: str
    template: str
    sample: int
    state: Literal["answered", "errored"]
    text: str
    error: str | None
    started_at: str
    seconds: Seconds | None
    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost_usd: Dollars | None = None
    failed_usd: Dollars | None = None
    ended: Ended = "stop"
    reasoning: str = ""
    served_model: str | None = None
    checks: tuple[CheckResult, ...] = ()
    checks_due: bool = False
    hidden: Hidden | None = None
    turn: int = 1

    @property
    def place(self) -> tuple[str, ...]:
        """What the record is about; a later record of the same place replaces an earlier one."""
        return (self.board, self.model, self.item, self.template, str(self.sample), str(self.turn))


class Judgment(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one judge said of one response. `scores` holds what was valid, `invalid` why the rest was not.

    position: where the contestant's answer stood of the two that were shown: 0 first, 1 second; None where it was shown
    alone, or nobody knows. Scores of two answers are in the order shown, so that the record of the other is the same.
    repaired: why it was asked a second time, where that gave the scores. repair_due: it is to be asked that second time
    yet. retry: of a verdict that could not be read, the number of the retry that asked for it; 0: none did. The rest as
    in Response.
    """

    key: str
    board: str
    model: str
    item: str
    template: str
    sample: int
    judge: str
    judge_template: str | None
    position: Literal[0, 1] | None
    state: Literal["scored", "unparsed", "errored"]
    scores: dict[str, Score]
    invalid: dict[str, str]
    rationale: str
    raw: str | None
    error: str | None
    started_at: str
    seconds: Seconds | None
    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost_usd: Dollars | None = None
    failed_usd: Dollars | None = None
    ended: Ended = "stop"
    reasoning: str = ""
    served_model: str | None = None
    repaired: str | None = None
    repair_due: bool = False
    retry: int = 0
    hidden: Hidden | None = None
    turn: int = 1

    @property
    def place(self) -> tuple[str, ...]:
        """What the record is about; a later record of the same place replaces an earlier one."""
        where = (self.board, self.model, self.item, self.template, str(self.sample), str(self.turn))
        return (*where, self.judge, str(self.judge_template))


Record: TypeAlias = Response | Judgment


def is_answered(record: Record) -> bool:
    """Whether nobody is to be asked for it any more."""
    return record.state != "errored" and not (isinstance(record, Judgment) and record.repair_due)


def is_settled(record: Record) -> bool:
    """Whether the call of a record is done with; else the next build goes on with it."""
    return is_answered(record) and not (isinstance(record, Response) and record.checks_due)


RecordT = TypeVar("RecordT", Response, Judgment)


def unanswered(kind: type[RecordT], key: str, place: Mapping[str, Any], error: str, failed_usd: float) -> RecordT:
    """The record of a call that was given up, which says what its attempts cost. place: all that names it."""
    empty: dict[str, Any] = (
        {"text": ""} if kind is Response else {"scores": {}, "invalid": {}, "rationale": "", "raw": None}
    )
    told: dict[str, Any] = {"error": error, "started_at": "", "seconds": None, "failed_usd": failed_usd}
    return kind(key=key, **place, state="errored", **empty, **told)


UNPUBLISHED = "not published: the item is private"
"""What stands in a published record instead of words."""
_TYPE = "hidden"
"""What stands there as the type of a check or key."""

_encoder = msgspec.json.Encoder()


def encode(record: Record) -> bytes:
    """The record as its line, newline included."""
    return _encoder.encode(record) + b"\n"


def encode_lines(records: Sequence[Record]) -> bytes:
    """The lines of many records."""
    return _encoder.encode_lines(records)


def short_digest(*parts: str) -> bytes:
    """16 bytes that stand for what names a record, where the words would take some hundred."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()


def read_records(path: Path, kind: type[RecordT]) -> Iterator[RecordT]:
    """The records of a shard, in file order. Raises RunError naming the line that is no record."""
    return (record for record, _ in read_lines(path, kind))


def read_lines(path: Path, kind: type[RecordT]) -> Iterator[tuple[RecordT, bytes]]:
    """The same, each with its line.

    Lines are split on "\\n" alone: other line ends stand inside texts.
    """
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = decoder.decode(line)
            except NOT_JSON as error:
                raise damaged_line(path, number, kind, error) from error
            yield record, line


def damaged_line(path: Path, number: int, kind: type[Record], error: Exception) -> RunError:
    """What to say of a line of a shard that is no record. Lines count from 1."""
    message = f"this line is no {kind.__name__.lower()} record ({error})"
    return RunError(f"{path}:{number}: {message}; restore the file from git, or delete the run folder and build again")


def published(record: Record, salt: str) -> Record:
    """The record without a word of prompt, answer or judge. Scores, outcomes, times and counts stay.

    salt: of the item; with it, whoever has the whole record can show that it is the one.
    """
    digest = f"sha256:{sha256(canonical_json([salt, record]))}"
    match record:
        case Response():
            words = {
                "text": "",
                # A type such as trap-no-bug gives the answer away, a digest of parameters can be tried against guesses,
                # and flags may hold words of the spec.
                "checks": tuple(CheckResult(_TYPE, "", check.outcome) for check in record.checks),
                "hidden": Hidden(digest, len(record.text)),
            }
        case Judgment():
            words = {
                "invalid": dict.fromkeys(record.invalid, UNPUBLISHED),
                "rationale": "",
                "raw": None,
                "repaired": None if record.repaired is None else UNPUBLISHED,
                "hidden": Hidden(digest, len(record.rationale)),
            }
        case _:
            assert_never(record)
    withheld = {
        name: None if getattr(record, name) is None else UNPUBLISHED
        # A server that repeats what it was asked may do so in the name of its model too.
        for name in ("error", "served_model")
    }
    return msgspec.structs.replace(record, **words, **withheld, reasoning="")
