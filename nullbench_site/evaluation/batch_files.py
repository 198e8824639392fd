"""Batch files: write the missing calls for a vendor's batch service, and read the answers that came back.

One build does both. In the place of servers, its backend looks a call up in the answers, and writes it to a file if it
has none. The format is OpenAI's (platform.openai.com/docs/guides/batch): one JSON object a line, named by the key of
its call. `vllm run-batch` answers the same files.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from math import nan
from pathlib import Path
from typing import IO, Any, NoReturn, TypeGuard

import msgspec

from nullbench_site.errors import StorageError, UsageError
from nullbench_site.evaluation.backends.base import Backend, BuildContext, UnavailableError
from nullbench_site.evaluation.endpoints.backend import OpenAIBackend
from nullbench_site.evaluation.endpoints.completion import Dialect, read_completion
from nullbench_site.evaluation.endpoints.faults import Fault, error_object, read_error, refused
from nullbench_site.evaluation.endpoints.redaction import received_line
from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.types import Judge, ModelFile
from nullbench_site.text import listed, plural, some_of

MOST_REQUESTS = 50_000
"""In one file; this limit and the next are OpenAI's."""
MOST_BYTES = 200_000_000
URL = "/v1/chat/completions"
_AT_ONCE = 64
"""Calls that are looked up at once; nothing waits for a server."""
_SHOWN = 5


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

    def __init__(self, paths: Iterable[Path]) -> None:
        """Raises UsageError for a line that is none, and for two different answers to one call."""
        self._places: dict[str, tuple[Path, int, int]] = {}
        self.asked: set[str] = set()
        digests: dict[str, bytes | None] = {}
        decoder = msgspec.json.Decoder(_Line)
        for path in paths:
            for number, offset, line in _lines(path):
                try:
                    read = decoder.decode(line)
                except NOT_JSON as error:
                    problem = f"{path}:{number}: not a line of batch results: {error}"
                    raise UsageError(f"{problem}; give files that a batch service or vllm run-batch wrote") from None
                digest = hashlib.sha256(read.response.body).digest() if _is_answer(read.response) else None
                before = digests.get(read.custom_id)
                if before is None:
                    digests[read.custom_id], self._places[read.custom_id] = digest, (path, offset, len(line))
                elif digest is not None and digest != before:
                    problem = f"{path}:{number}: a second, different answer to call {read.custom_id!r}"
                    raise UsageError(f"{problem}; remove one of the two")

    def __len__(self) -> int:
        return len(self._places)

    @property
    def unknown(self) -> list[str]:
        """Return the ids that no call asked for, in order."""
        return [name for name in self._places if name not in self.asked]

    def answer(self, key: str, model: str) -> Answer | None:
        """Return the answer to a call, None if there is none. Raises Fault if the call failed."""
        if key not in self._places:
            return None
        self.asked.add(key)
        path, offset, length = self._places[key]
        with path.open("rb") as file:
            file.seek(offset)
            read = msgspec.json.decode(file.read(length), type=_Line)
        reply = read.response
        if reply is None:
            why = received_line(error_object(read.error).message, ()).rstrip(".")
            raise Fault("call", f"the batch has no answer: {why}")
        if _is_answer(reply):
            return read_completion(bytes(reply.body), model, nan, ())
        fault = refused(reply.status_code, read_error(bytes(reply.body)), ())
        if fault.kind == "filtered":
            return Answer("", ended="content_filter")
        raise fault


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
        self._written: set[str] = set()
        self._parts: dict[str, _Part] = {}

    def add(self, name: str, key: str, request: Request) -> None:
        """Write one request. name: of the file, without its number."""
        if key in self._written:
            return
        self._written.add(key)
        self.private += request.private
        body = msgspec.Raw(Dialect().body(request))
        line = msgspec.json.encode({"custom_id": key, "method": "POST", "url": URL, "body": body}) + b"\n"
        part = self._parts.get(name)
        if part is None or not part.has_room_for(line):
            number = 1 if part is None else part.number + 1
            if part is not None:
                part.file.close()
            path = self.folder / f"{name}-{number}.jsonl"
            with storage_errors(path):
                part = self._parts[name] = _Part(path.open("xb"), number)
        with storage_errors(Path(part.file.name)):
            part.file.write(line)
        part.requests += 1
        part.size += len(line)

    def close(self) -> Counter[str]:
        """Close the files; returns the number of requests in each."""
        for part in self._parts.values():
            with storage_errors(Path(part.file.name)):
                part.file.close()
        return Counter({path.name: path.read_bytes().count(b"\n") for path in sorted(self.folder.glob("*.jsonl"))})


class _Part(msgspec.Struct):
    file: IO[bytes]
    number: int
    requests: int = 0
    size: int = 0

    def has_room_for(self, line: bytes) -> bool:
        return self.requests < MOST_REQUESTS and self.size + len(line) <= MOST_BYTES


class Batch(msgspec.Struct):
    """A build without servers. answers: of files that came back. files: where calls without an answer are written."""

    answers: BatchAnswers | None = None
    files: BatchFiles | None = None
    failed: Counter[str] = msgspec.field(default_factory=Counter)
    """Why calls failed at the service; the next batch repeats them."""
    missing: dict[str, None] = msgspec.field(default_factory=dict)
    """The keys of calls without an answer."""

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the files that came back, after the build."""
        if self.answers is not None and (unknown := self.answers.unknown):
            shown = listed(some_of(unknown, _SHOWN))
            yield f"{plural(len(unknown), 'answer')} to calls that these specs do not make now: {shown}"
        for why, n in self.failed.items():
            yield f"{plural(n, 'call')} failed: {why}"


class BatchBackend(Backend):
    """Files in the place of the servers of the backend `openai`."""

    identity = OpenAIBackend.identity
    chats = True

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[_Connection]:
        yield _Connection(benchmark, self._batch)


class _Connection(msgspec.Struct):
    benchmark: Benchmark
    batch: Batch
    meters: dict[str, Meter] = {}

    def asker(self, who: ModelFile | Judge) -> BatchAsker:
        endpoint = self.benchmark.endpoint_of(who).id
        return BatchAsker(self.batch, who, endpoint, self.meters.setdefault(endpoint, Meter(endpoint)))


class BatchAsker(msgspec.Struct):
    """Answers the calls of one contestant or judge from files."""

    batch: Batch
    who: ModelFile | Judge
    endpoint: str
    meter: Meter
    concurrency: int = _AT_ONCE

    async def ask(self, request: Request) -> Answer:
        """Return the answer in the files. Raises UnavailableError: the call is left to the next batch or build."""
        key, batch = request.key(), self.batch
        try:
            answer = None if batch.answers is None else batch.answers.answer(key, request.model)
        except Fault as fault:
            batch.failed[(fault.redacted if request.private else fault).text] += 1
            self._leave(key, request)
        if answer is None:
            self._leave(key, request)
        return answer

    def _leave(self, key: str, request: Request) -> NoReturn:
        self.batch.missing[key] = None
        if self.batch.files is not None:
            kind = "contestant" if isinstance(self.who, ModelFile) else "judge"
            self.batch.files.add(f"{self.endpoint}-{kind}-{self.who.id}", key, request)
        raise UnavailableError("calls are left to a batch or to the next build")


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number, the offset and the content of each line that is not blank. Raises StorageError."""
    offset = 0
    with storage_errors(path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, offset, line
            offset += len(line)
