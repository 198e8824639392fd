"""Batches of an endpoint with `batch: true`: submit files of calls, wait until they end, and read the answers.

A folder for each wave has the files of its batches and, next to each, its id and the files that came back. The metadata
of a batch name its file. So a batch is found again if the build was killed before it wrote the id.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

import msgspec

from nullbench_site.errors import StorageError, UsageError
from nullbench_site.evaluation.backends.base import DRAINING, BuildContext, UnavailableError
from nullbench_site.evaluation.cost import most_usd
from nullbench_site.evaluation.endpoints.batch_files import BatchAnswers, BatchAsker, BatchFile, BatchFiles
from nullbench_site.evaluation.endpoints.completion import Dialect
from nullbench_site.evaluation.endpoints.endpoint import OpenEndpoint
from nullbench_site.evaluation.endpoints.faults import Fault, error_object
from nullbench_site.evaluation.endpoints.limiter import LONGEST_WAIT, wait_before
from nullbench_site.evaluation.endpoints.redaction import received_line
from nullbench_site.judging.calls import Request
from nullbench_site.runs.storage import make_private, storage_errors, write_atomically
from nullbench_site.text import plural

if TYPE_CHECKING:
    from nullbench_site.evaluation.endpoints.client import Client, SentBatch

_T = TypeVar("_T")
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_GONE = 404
_NAME = "nullbench-site"
"""The key of a file's name in the metadata of its batch."""
_SKEW = 3600.0
"""Seconds by which the clock of an endpoint may be behind ours."""


class _Sent(msgspec.Struct):
    """What is known of a batch that was submitted. ended: its answers are next to it."""

    id: str
    most_usd: float
    ended: bool = False


class _Line(msgspec.Struct):
    custom_id: str


class BatchService:
    """The batches of one endpoint: the `Calls` of its askers. For one event loop.

    Each call goes out once in a build. If a batch does not answer it, the next build sends it again.
    """

    def __init__(self, endpoint: OpenEndpoint, context: BuildContext) -> None:
        self.answers = BatchAnswers()
        self.budget = context.budget
        self._endpoint = endpoint
        self._context = context
        self._private = context.batches
        self._folder = context.batches / endpoint.spec.id
        self._out: dict[Path, _Sent] = {}
        self._ended: dict[Path, _Sent] = {}
        self._sent: dict[str, Dialect | None] = {}
        """Key of a call that went out -> the form of its request; None in batches of earlier builds."""
        self._reserved: dict[Path, float] = {}
        """What is left of the reservation of each batch whose calls are not all charged."""
        self._uncharged: dict[str, Path] = {}
        """Key of a call whose cost is still unknown -> the file of its batch."""
        self._n_uncharged: Counter[Path] = Counter()
        self._files: BatchFiles | None = None
        self._stopped: str | None = None

    async def start(self) -> None:
        """Take up the batches of earlier builds."""
        if os.path.lexists(self._private):
            make_private(self._private)
        try:
            for path in sorted(self._folder.glob("*/*.jsonl")):
                sent = self._read(path) or await self._find(path)
                if sent is None:  # the build was killed before it was submitted
                    _drop(path)
                else:
                    self._sent |= dict.fromkeys(_keys(path))
                    if sent.ended:
                        self._reserve(path, sent)
                        await self._try(_nothing)  # opens the endpoint, whose key no answer may contain
                        self._take(path, sent)
                    else:
                        self._went_out(path, sent)
        except UnavailableError as stop:
            self._stopped = str(stop)

    def left(self, asker: BatchAsker, request: Request, fault: Fault | None) -> UnavailableError:
        """Return why a call is left, and write it to the next file unless it went out before."""
        if self._stopped is not None:
            return UnavailableError(self._stopped)
        key = request.key()
        went_out, before = key in self._sent, self._sent.get(key)
        if fault is not None and before is not None and (other := before.after(fault, request)) is not None:
            asker.dialect = asker.dialect.joined(other)
        if went_out and (fault is None or before is None or asker.dialect == before):
            why = "" if fault is None else f": {(fault.redacted if request.private else fault).text}"
            return UnavailableError(f"calls have no answer from a batch{why}; build again to go on")
        most = most_usd(asker.who.prices, request) or 0.0
        self.budget.reserve_in_batch(most)
        if self._files is None:
            make_private(self._private)
            self._files = BatchFiles(self._folder / uuid4().hex)
        self._files.add(asker.name, request, asker.dialect, most)
        self._sent[key] = asker.dialect
        return UnavailableError("calls wait for a batch; build again to go on")

    async def advance(self, is_known: Callable[[str], bool]) -> bool:
        """Submit the calls that were left, and wait until all batches have ended. Return True if answers came.

        is_known: whether a call is recorded, by its key. Call it when all calls of the build were made or left.
        """
        had = len(self._ended)
        try:
            await self._submit()
            for path, sent in list(self._out.items()):
                await self._end(path, sent)
        except UnavailableError as stop:
            self._stopped = self._stopped or str(stop)
        came = len(self._ended) > had
        if not came and self._stopped is None:
            self._drop_recorded(is_known)
        return came

    async def _submit(self) -> None:
        files, self._files = self._files, None
        if files is None:
            return
        files.close()
        make_private(self._private)
        unsent = list(files.parts)
        try:
            while unsent:
                await self._submit_file(unsent.pop(0))
        finally:
            self.budget.in_batches_usd -= sum(part.most_usd for part in unsent)

    async def _submit_file(self, part: BatchFile) -> None:
        """Submit a file. If no reply says whether its batch has begun, its reservation stays."""
        metadata = {_NAME: _name(part.path), "most_usd": repr(part.most_usd)}
        since = time.time() - _SKEW
        try:
            file_id = await self._try(lambda client: client.upload(part.path))
        except BaseException:
            self.budget.in_batches_usd -= part.most_usd
            raise

        async def start(client: Client) -> SentBatch:
            # An earlier attempt may have started it although the reply was lost.
            return await client.find_batch(metadata, since) or await client.start_batch(file_id, part.url, metadata)

        batch = await self._try(start)
        sent = _Sent(batch.id, part.most_usd)
        self.budget.in_batches_usd -= part.most_usd
        self._write(part.path, sent)
        self._went_out(part.path, sent)
        self._note(batch, f"has {plural(part.requests, 'call')}; the build waits until it ends")

    async def _find(self, path: Path) -> _Sent | None:
        """Return the batch of a file whose id was not written, if it was submitted."""
        since = path.stat().st_mtime - _SKEW
        batch = await self._try(lambda client: client.find_batch({_NAME: _name(path)}, since))
        if batch is None:
            return None
        sent = _Sent(batch.id, _number((batch.metadata or {}).get("most_usd", "")))
        self._write(path, sent)
        return sent

    async def _end(self, path: Path, sent: _Sent) -> None:
        """Wait until a batch ends, and read its answers."""

        async def state(client: Client) -> SentBatch | None:
            try:
                return await client.batch(sent.id)
            except Fault as fault:
                if fault.status == _GONE:
                    return None
                raise

        wait = self._endpoint.spec.limits.first_wait
        while (batch := await self._try(state)) is not None and batch.status not in _ENDED:
            await self._sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)
        for suffix, file_id in (
            () if batch is None else ((".output", batch.output_file_id), (".errors", batch.error_file_id))
        ):
            if file_id:
                await self._download(file_id, path.with_suffix(suffix))
        sent.ended = True
        self._write(path, sent)
        del self._out[path]
        self._endpoint.meter.in_flight -= sum(1 for _ in _keys(path))
        if batch is None:
            self._lose(path)
            self._context.on_note(f"endpoint {self._endpoint.spec.id!r} no longer has batch {sent.id!r}")
        elif batch.status != "completed":
            errors = batch.errors.get("data") if isinstance(batch.errors, dict) else None
            why = received_line(error_object(errors).message, self._endpoint.secrets)
            self._note(batch, f"{batch.status}: {why}" if why else batch.status)
        self._take(path, sent)

    async def _download(self, file_id: str, path: Path) -> None:
        await self._try(lambda client: client.download(file_id, path))
        path.chmod(0o600)

    def _take(self, path: Path, sent: _Sent) -> None:
        """Read the answers of a batch that ended. Raises UnavailableError if they are not results of calls."""
        self.answers.secrets = self._endpoint.secrets
        self._ended[path] = sent
        try:
            self.answers.add(each for each in _results(path) if each.exists())
            for key in _keys(path):
                if not self.answers.has(key):  # nothing says that it cost anything
                    self.release(key, 0.0)
        except UsageError as error:
            self._endpoint.stop(
                Fault("endpoint", str(error), advice=f"or remove {path.parent} to send its calls again")
            )

    def _went_out(self, path: Path, sent: _Sent) -> None:
        self._out[path] = sent
        self._reserve(path, sent)
        self._endpoint.meter.in_flight += sum(1 for _ in _keys(path))

    def _reserve(self, path: Path, sent: _Sent) -> None:
        """Reserve the most that the calls of a batch can cost, until each is charged. Recorded ones were charged."""
        uncharged = [key for key in _keys(path) if not self._context.is_known(key)]
        if uncharged:
            self._reserved[path] = sent.most_usd
            self.budget.in_batches_usd += sent.most_usd
            self._uncharged |= dict.fromkeys(uncharged, path)
            self._n_uncharged[path] = len(uncharged)

    def release(self, key: str, most_usd: float) -> None:
        """Release what was reserved for a call: this amount, and with the last call of its batch all that is left."""
        path = self._uncharged.pop(key, None)
        if path is None:
            return
        self._n_uncharged[path] -= 1
        left = self._reserved[path]
        released = min(most_usd, left) if self._n_uncharged[path] else left
        self._reserved[path] -= released
        self.budget.in_batches_usd -= released

    def _lose(self, path: Path) -> None:
        """Count the most that a batch can cost whose answers are gone."""
        keys = [key for key, batch in self._uncharged.items() if batch == path]
        if keys and self._reserved[path] > 0:
            self._endpoint.meter.spend(None, self._reserved[path])
            self.budget.charge(self._reserved[path])
        for key in keys:
            self.release(key, 0.0)

    def _drop_recorded(self, is_known: Callable[[str], bool]) -> None:
        """Delete the files of batches that ended, but keep answers that no call of this build wants."""
        unwanted = set(self.answers.unknown(is_known))
        for path in list(self._ended):
            if unwanted.isdisjoint(_keys(path)):
                del self._ended[path]
                _drop(path)

    async def _try(self, act: Callable[[Client], Awaitable[_T]]) -> _T:
        """Return the result of one use of the client, with retries. Raises UnavailableError."""
        limits, rng = self._endpoint.spec.limits, Random()  # noqa: S311 - it spreads waits
        for attempt in itertools.count(1):
            if self._context.draining.is_set():
                break
            try:
                return await self._endpoint.call(act)
            except Fault as fault:
                if fault.reach != "attempt" or attempt >= limits.attempts:
                    self._endpoint.stop(fault)
                await self._sleep(wait_before(attempt, limits.first_wait, fault.retry_after, rng))
        raise UnavailableError(DRAINING)

    async def _sleep(self, seconds: float) -> None:
        """Wait, until the build drains at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._context.draining.wait()

    def _note(self, batch: SentBatch, what: str) -> None:
        name = received_line(batch.id, self._endpoint.secrets)
        self._context.on_note(f"endpoint {self._endpoint.spec.id!r}: batch {name} {what}")

    def _read(self, path: Path) -> _Sent | None:
        try:
            return msgspec.json.decode(path.with_suffix(".json").read_bytes(), type=_Sent)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            raise StorageError(f"{path.with_suffix('.json')}: damaged ({error}); remove it and build again") from None

    def _write(self, path: Path, sent: _Sent) -> None:
        write_atomically(path.with_suffix(".json"), msgspec.json.encode(sent))
        path.with_suffix(".json").chmod(0o600)


async def _nothing(_: Client) -> None:
    pass


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _results(path: Path) -> tuple[Path, ...]:
    return path.with_suffix(".output"), path.with_suffix(".errors")


def _keys(path: Path) -> Iterator[str]:
    """Yield the keys of the calls in a file."""
    with storage_errors(path), path.open("rb") as lines:
        for line in lines:
            yield msgspec.json.decode(line, type=_Line).custom_id


def _drop(path: Path) -> None:
    """Delete a file of calls with all that belongs to it, and its folder if that is empty then."""
    with storage_errors(path):
        for each in (*_results(path), path, path.with_suffix(".json")):
            each.unlink(missing_ok=True)
        if not any(path.parent.iterdir()):
            path.parent.rmdir()


def _number(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
