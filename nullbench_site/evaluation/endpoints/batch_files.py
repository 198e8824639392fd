"""Batch files: write the missing calls for a vendor's batch service, and read the answers that came back.

One build does both. In the place of servers, its askers look a call up in the answers, and write it to a file if it
has none. The format is OpenAI's (platform.openai.com/docs/guides/batch): one JSON object a line, named by the key of
its call. `vllm run-batch` answers the same files.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import nan
from pathlib import Path
from typing import IO, Any, Protocol, TypeGuard

import msgspec

from nullbench_site.errors import StorageError, UsageError
from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.cost import Budget, cost_usd, most_usd
from nullbench_site.evaluation.endpoints.completion import BatchUrl, Dialect
from nullbench_site.evaluation.endpoints.faults import Fault, error_object, read_error, refused
from nullbench_site.evaluation.endpoints.redaction import received_line
from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.runs.records import StoredRecord, stored_lines
from nullbench_site.runs.storage import OpenFiles, storage_errors
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.types import Judge, ModelFile
from nullbench_site.text import listed, plural, some_of

MOST_REQUESTS = 50_000
"""In one file; this limit and the next are OpenAI's."""
MOST_BYTES = 200_000_000
_AT_ONCE = 64
"""Calls that are looked up at once; nothing waits for a server."""
_SHOWN = 5
_OF_BILL = 16
"""Hexadecimal digits."""


class _Reply(msgspec.Struct):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    """One line of a file of answers."""

    custom_id: str
    response: _Reply | None = None
    error: Any = None


class BatchAnswers:
    """The answers of batch files, by the key of their call. Only their places are kept in memory."""

    def __init__(self, paths: Iterable[Path] = (), secrets: tuple[str, ...] = ()) -> None:
        """secrets: removed from the answers. Raises as `add`."""
        self._places: dict[str, StoredRecord] = {}
        self._digests: dict[str, bytes | None] = {}
        self._given: set[str] = set()
        self.asked: set[str] = set()
        self.secrets = secrets
        self._files = OpenFiles(lambda path: path.open("rb"))
        self.add(paths)

    def close(self) -> None:
        """Close the files, which the next answer opens again."""
        self._files.close()

    def add(self, paths: Iterable[Path]) -> None:
        """Add files. Raises StorageError, and UsageError for a line that is none or has a second answer to a call."""
        for path in paths:
            with storage_errors(path):
                for number, (place, line) in enumerate(stored_lines(path), start=1):
                    if line.strip():
                        self._add(place, line, f"{path}:{number}")

    def _add(self, place: StoredRecord, line: bytes, shown: str) -> None:
        try:
            read = msgspec.json.decode(line, type=_Line)
        except NOT_JSON as error:
            advice = "give files that a batch service or vllm run-batch wrote"
            raise UsageError(f"{shown}: not a line of batch results: {error}; {advice}") from None
        digest = hashlib.sha256(read.response.body).digest() if _is_answer(read.response) else None
        before = self._digests.get(read.custom_id)
        if before is None:
            self._digests[read.custom_id], self._places[read.custom_id] = digest, place
        elif digest is not None and digest != before:
            raise UsageError(f"{shown}: a second, different answer to call {read.custom_id!r}; remove one of the two")

    def __len__(self) -> int:
        return len(self._places)

    def unknown(self, is_known: Callable[[str], bool]) -> list[str]:
        """Return the ids that no call asked for and that are not recorded, in order. is_known: whether one is."""
        return [name for name in self._places if name not in self.asked and not is_known(name)]

    def has(self, key: str) -> bool:
        """Return True if there is a line for a call."""
        return key in self._places

    def bill(self, key: str) -> tuple[str, int | None]:
        """Return the digest of the line of a call, and its HTTP status; None without one."""
        line = self._line(key)
        reply = msgspec.json.decode(line, type=_Line).response
        return hashlib.sha256(line).hexdigest()[:_OF_BILL], None if reply is None else reply.status_code

    def _line(self, key: str) -> bytes:
        path, offset, length = self._places[key]
        file = self._files[path]
        file.seek(offset)
        return file.read(length)

    def answer(self, request: Request, dialect: Dialect) -> Answer | None:
        """Return the answer to a call, None if there is none or it was given.

        Raises Fault if the call failed, with the tokens that the service counted.
        """
        key = request.key()
        if key not in self._places or key in self._given:
            return None
        self.asked.add(key)
        read = msgspec.json.decode(self._line(key), type=_Line)
        reply = read.response
        if reply is None:
            why = received_line(error_object(read.error).message, self.secrets).rstrip(".")
            raise Fault("call", f"the batch has no answer: {why}", quoted=why, kind="unreached")
        if _is_answer(reply):
            answer = dialect.read(bytes(reply.body), request.model, nan, self.secrets)
        else:
            fault = refused(reply.status_code, read_error(bytes(reply.body)), self.secrets)
            fault.used = dialect.used(bytes(reply.body))
            if fault.kind != "filtered":
                raise fault
            answer = fault.filtered
        self._given.add(key)
        return answer


def _is_answer(reply: _Reply | None) -> TypeGuard[_Reply]:
    return reply is not None and 200 <= reply.status_code < 300


class BatchFiles:
    """Writes the requests of calls, each once, to files for each contestant or judge, split where one is full."""

    def __init__(self, folder: Path) -> None:
        """Raises StorageError if the folder has files, which might be out already."""
        if folder.is_dir() and any(folder.iterdir()):
            raise StorageError(f"{folder} is not empty; name another folder, so that no request is sent twice")
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.private = 0
        self.parts: list[BatchFile] = []
        self._written: set[str] = set()
        self._open: dict[str, BatchFile] = {}

    def add(self, name: str, request: Request, dialect: Dialect, most_usd: float = 0.0) -> None:
        """Write one request. name: of the file, without its number. most_usd: the most it can cost."""
        key = request.key()
        if key in self._written:
            return
        self._written.add(key)
        self.private += request.private
        body = msgspec.Raw(dialect.body(request))
        line = msgspec.json.encode({"custom_id": key, "method": "POST", "url": dialect.url, "body": body}) + b"\n"
        part = self._open.get(name)
        if part is None or not part.has_room_for(line):
            number = 1 if part is None else part.number + 1
            if part is not None:
                part.file.close()
            path = self.folder / f"{name}-{number}.jsonl"
            with storage_errors(path):
                part = self._open[name] = BatchFile(path, path.open("xb"), number, dialect.url)
            self.parts.append(part)
        with storage_errors(part.path):
            part.file.write(line)
        part.requests += 1
        part.size += len(line)
        part.most_usd += most_usd

    def close(self) -> Counter[str]:
        """Close the files; returns the number of requests in each."""
        for part in self._open.values():
            with storage_errors(part.path):
                part.file.close()
        return Counter({part.path.name: part.requests for part in self.parts})


class BatchFile(msgspec.Struct):
    """A file of requests. size: in bytes. most_usd: the most that its requests can cost."""

    path: Path
    file: IO[bytes]
    number: int
    url: BatchUrl
    requests: int = 0
    size: int = 0
    most_usd: float = 0.0

    def has_room_for(self, line: bytes) -> bool:
        return self.requests < MOST_REQUESTS and self.size + len(line) <= MOST_BYTES


class Batch(msgspec.Struct):
    """A build without servers. answers: of files that came back. files: where calls without an answer are written."""

    answers: BatchAnswers = msgspec.field(default_factory=BatchAnswers)
    files: BatchFiles | None = None
    budget: Budget = msgspec.field(default_factory=Budget)
    failed: dict[str, str] = msgspec.field(default_factory=dict)
    """Key of a call that failed at the service -> why; the next batch repeats it."""
    missing: dict[str, None] = msgspec.field(default_factory=dict)
    """The keys of calls without an answer."""

    def release(self, key: str, most_usd: float) -> None:
        """Do nothing: files that were ordered elsewhere have no reservation here."""

    def problems(self, is_known: Callable[[str], bool]) -> Iterator[str]:
        """Yield what is wrong with the files that came back, after the build. is_known: as in `unknown`."""
        if unknown := self.answers.unknown(is_known):
            shown = listed(some_of(unknown, _SHOWN))
            yield f"{plural(len(unknown), 'answer')} to calls that these specs do not make now: {shown}"
        for why, n in Counter(self.failed.values()).items():
            yield f"{plural(n, 'call')} failed: {why}"

    def left(self, asker: BatchAsker, request: Request, fault: Fault | None) -> UnavailableError:
        """Return why a call is left, and write it to a file if files are written."""
        if fault is not None:
            self.failed[request.key()] = (fault.redacted if request.private else fault).text
        self.missing[request.key()] = None
        if self.files is not None:
            self.files.add(asker.name, request, asker.dialect)
        return UnavailableError("calls are left to a batch or to the next build")


class Calls(Protocol):
    """Calls in batches: their answers, and what happens to calls without one."""

    answers: BatchAnswers
    budget: Budget

    def release(self, key: str, most_usd: float) -> None:
        """Release what was reserved for a call whose cost is charged."""
        ...

    def left(self, asker: BatchAsker, request: Request, fault: Fault | None) -> UnavailableError:
        """Return why a call is left to a later batch, and put it into one if possible. fault: why it failed."""
        ...


class BatchAsker(msgspec.Struct):
    """Answers the calls of one contestant or judge from batches. dialect: the form of its next requests."""

    calls: Calls
    who: ModelFile | Judge
    meter: Meter
    dialect: Dialect
    concurrency: int = _AT_ONCE
    _billed: set[str] = set()

    @property
    def name(self) -> str:
        """Return the name of its files, without their number."""
        kind = "contestant" if isinstance(self.who, ModelFile) else "judge"
        return f"{self.meter.endpoint}-{kind}-{self.who.id}"

    async def ask(self, request: Request) -> Answer:
        """Return the answer in a batch. Raises UnavailableError: the call is left to the next batch or build."""
        if self.dialect.sdk != "openai":
            raise UnavailableError(
                f"calls to {self.who.backend!r} have no place in OpenAI's batches; build without these"
            )
        answer = fault = None
        try:
            answer = self.calls.answers.answer(request, self.dialect)
        except Fault as failed:
            fault = failed
        if answer is not None:
            self._charge(answer, request)
            return answer
        spent = None if fault is None else self._spent(fault, request)
        left = self.calls.left(self, request, fault)
        if spent is not None:
            left.failed_usd, left.uncounted, left.billed = spent
        raise left

    def _spent(self, fault: Fault, request: Request) -> tuple[float, int, str] | None:
        """Count what a line without an answer costs; None if that is nothing, or was counted before.

        Returns its known cost, 1 if that is unknown, and its digest.
        """
        bill, status = self.calls.answers.bill(request.key())
        if bill in self._billed:
            return None
        self._billed.add(bill)
        if self.who.prices is None or not fault.may_cost(status):
            self._release(request)
            return None
        cost = self._charge(fault.used or Answer(""), request)
        self.meter.spend(cost, most_usd(self.who.prices, request))
        return cost or 0.0, int(cost is None), bill

    def _charge(self, used: Answer, request: Request) -> float | None:
        """Count the cost of a call in place of its reservation, and return it: None if the tokens are unknown."""
        cost, most = cost_usd(self.who.prices, used), most_usd(self.who.prices, request) or 0.0
        self.calls.budget.charge(most if cost is None else cost)
        self._release(request)
        return cost

    def _release(self, request: Request) -> None:
        self.calls.release(request.key(), most_usd(self.who.prices, request) or 0.0)
