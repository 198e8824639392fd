"""Records: a response, a judgment of one, or the answer to a probe. Each is a JSON line that begins with its call key.

Records of private items are published without text, with a hash of the full record.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, assert_never

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.specs.digest import NOT_JSON, canonical_json, sha256

Score: TypeAlias = bool | int | float
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Ended: TypeAlias = Literal["stop", "length", "content_filter", "refusal", "tool_calls"]
"""Why an answer ended: stop, the token limit, a content filter, a refusal marked by the endpoint, or a tool call."""
CheckOutcome: TypeAlias = Literal["passed", "failed", "not-applicable", "correct", "wrong", "invalid"]
"""The result of a check or an answer key."""
Cause: TypeAlias = Literal["cut", "no answer", "several answers", "other form"]
"""Why an answer key marks a response as invalid, as in `answer_keys.key.Cause`."""


class CheckResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of one check or answer key.

    type: "hidden" in a published record of a private item. params: a digest of the parameters and of the revision of
    the checks or keys; empty if another program checked, and for private items. cause: of an invalid answer; None in
    records of earlier versions.
    """

    type: str
    params: str
    outcome: CheckOutcome
    flags: tuple[str, ...] = ()
    cause: Cause | None = None


class Hidden(msgspec.Struct, frozen=True):
    """The salted hash and the length of a private text, in place of the text."""

    hash: str
    runes: Count


class Response(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a contestant, or its error. Times in seconds, tokens as the endpoint counted them.

    seconds: None if unknown. cost_usd: of the answer at the prices of the day. failed_usd: of attempts without an
    answer, as far as the endpoint counted their tokens. ended, finish_reason, reasoning, served_model: as in
    `judging.calls.Answer`.
    checks: results of checks; checks_due: they have not run yet. hidden: of a private text. turn: from 1.
    confidence: as in `judging.calls.Answer`. stated_confidence: what the answer itself says in its last line.
    uncounted: attempts and turns that may be charged, but whose tokens the endpoint did not count; the sums leave them
    out. billed: of a call or second turn without an answer, the digests of the lines of batches whose cost is in
    `failed_usd`.
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
    finish_reason: str = ""
    reasoning: str = ""
    served_model: str | None = None
    checks: tuple[CheckResult, ...] = ()
    checks_due: bool = False
    hidden: Hidden | None = None
    turn: int = 1
    confidence: Share | None = None
    stated_confidence: Share | None = None
    uncounted: Count = 0
    billed: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str, ...]:
        """Return the place of the record. A later record of the same place replaces an earlier one."""
        return (self.board, self.model, self.item, self.template, str(self.sample), str(self.turn))


class ProbeAnswer(Response, frozen=True, omit_defaults=True):
    """The answer of a contestant that is asked to complete the canary of a spec file. It is in no score.

    item: the path of the file below specs/. template: `canary`. The rest as in Response.
    """


class Judgment(msgspec.Struct, frozen=True, omit_defaults=True):
    """The judgment of one response by one judge. scores: the valid ones. invalid: why the others are missing.

    position: of the contestant's answer if two were shown: 0 first, 1 second; None for one answer, or if unknown.
    Scores of two answers are in the order shown, so both contestants have the same record.
    repaired: why there was a second turn, if it gave the scores. repair_due: the second turn is still missing.
    retry: the number of the retry that made an unparsed judgment; 0 for none. forms: how the reply states its scores,
    if not in the form that was asked for; the reply was read when it came, and is not read again. The rest as in
    Response.
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
    finish_reason: str = ""
    reasoning: str = ""
    served_model: str | None = None
    repaired: str | None = None
    repair_due: bool = False
    retry: int = 0
    hidden: Hidden | None = None
    turn: int = 1
    uncounted: Count = 0
    billed: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str, ...]:
        """Return the place of the record. A later record of the same place replaces an earlier one."""
        where = (self.board, self.model, self.item, self.template, str(self.sample), str(self.turn))
        return (*where, self.judge, str(self.judge_template))


Record: TypeAlias = Response | Judgment


def is_answered(record: Record) -> bool:
    """Return True if the call of a record need not be made again."""
    return record.state != "errored" and not (isinstance(record, Judgment) and record.repair_due)


def is_settled(record: Record) -> bool:
    """Return True if the record is also complete; otherwise the next build completes it."""
    return is_answered(record) and not (isinstance(record, Response) and record.checks_due)


RecordT = TypeVar("RecordT", Response, Judgment)


class StoredRecord(NamedTuple):
    """A line on disk: its file, first byte and length."""

    path: Path
    offset: int
    length: int

    def read(self) -> bytes:
        """Return the line."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            return file.read(self.length)


def stored_lines(path: Path) -> Iterator[tuple[StoredRecord, bytes]]:
    """Yield each line of a file, and where it is."""
    offset = 0
    with path.open("rb") as lines:
        for line in lines:
            yield StoredRecord(path, offset, len(line)), line
            offset += len(line)


def unanswered(kind: type[RecordT], key: str, place: Mapping[str, Any], error: str, **spent: Any) -> RecordT:
    """Return the record of an abandoned call. place: the other fields. spent: the fields about its attempts."""
    empty: dict[str, Any] = (
        {"text": ""} if issubclass(kind, Response) else {"scores": {}, "invalid": {}, "rationale": "", "raw": None}
    )
    told: dict[str, Any] = {"error": error, "started_at": "", "seconds": None, **spent}
    return kind(key=key, **place, state="errored", **empty, **told)


UNPUBLISHED = "not published: the item is private"
"""The text of a published record of a private item."""
_TYPE = "hidden"
"""The type of a check in such a record."""

_encoder = msgspec.json.Encoder()


def encode(record: Record) -> bytes:
    """Return the line of a record, newline included."""
    return _encoder.encode(record) + b"\n"


def encode_lines(records: Sequence[Record]) -> bytes:
    """Return the lines of many records."""
    return _encoder.encode_lines(records)


def short_digest(*parts: str) -> bytes:
    """Return 16 bytes that identify the names of a record, to save memory."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()


def read_records(path: Path, kind: type[RecordT]) -> Iterator[RecordT]:
    """Yield the records of a shard, in file order. Raises RunError for an invalid line."""
    return (record for record, _ in read_lines(path, kind))


def read_lines(path: Path, kind: type[RecordT]) -> Iterator[tuple[RecordT, bytes]]:
    """Yield the same, each with its line. Lines end at "\\n" only: texts contain other line ends."""
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = decoder.decode(line)
            except NOT_JSON as error:
                raise damaged_line(path, number, kind, error) from error
            yield record, line


def damaged_line(path: Path, number: int, kind: type[Record], error: Exception) -> RunError:
    """Return the error for an invalid line of a shard. Lines count from 1."""
    message = f"invalid {kind.__name__.lower()} record ({error})"
    delete = f"delete this line (sed -i '{number}d' {shlex.quote(str(path))})"
    advice = f"restore the file from git or from a copy; if the run is not sealed, {delete} and build again"
    return RunError(f"{path}:{number}: {message}; {advice}: only the call of this line is made again")


def published(record: Record, salt: str) -> Record:
    """Return the record without any text. Scores, results, times and counts stay.

    salt: of the item. With it, anyone with the full record can prove that it is the original.
    """
    digest = f"sha256:{sha256(canonical_json([salt, record]))}"
    match record:
        case Response():
            words = {
                "text": "",
                # A type such as trap-no-bug gives the answer away, a digest can be tried against guessed parameters,
                # and flags may quote the spec.
                "checks": tuple(CheckResult(_TYPE, "", check.outcome, cause=check.cause) for check in record.checks),
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
        # A server may repeat the prompt in an error, or in the name of its model.
        for name in ("error", "served_model")
    }
    return msgspec.structs.replace(record, **words, **withheld, finish_reason="", reasoning="")
