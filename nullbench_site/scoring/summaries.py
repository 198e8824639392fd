"""Summaries of all shards of a run, each worked out once and kept by the digest of what it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args

import msgspec
import numpy as np

from nullbench_site.errors import StorageError
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile

SummaryT = TypeVar("SummaryT", bound=msgspec.Struct)
SummaryT_co = TypeVar("SummaryT_co", bound=msgspec.Struct, covariant=True)


class Summariser(Protocol[SummaryT_co]):
    """Makes the summary of one contestant's shard for one board."""

    @property
    def revision(self) -> str:
        """Another one where the same records would be summarised differently."""
        ...

    @property
    def kind(self) -> type[SummaryT_co]: ...

    def summary(self, model: str, responses: Path, judgments: Path) -> SummaryT_co:
        """From the files of its records. Raises RunError for a line that is no record."""
        ...


def shard_summaries(
    summariser: Summariser[SummaryT], benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None
) -> Iterator[SummaryT]:
    """The summary of each contestant of the board that has records, by id.

    cache: a folder to keep summaries in, or None to work all out anew, as verification does.
    """
    present = set(folder.models())
    for model in benchmark.contestants(board):
        if model.id not in present:
            continue
        kept = None if cache is None else cache / f"{_digest(summariser.revision, folder, board, model.id)}.json"
        summary = _read(kept, summariser.kind)
        if summary is None:
            shards = folder.shard(Response, model.id), folder.shard(Judgment, model.id)
            summary = summariser.summary(model.id, *shards)
            if kept is not None:
                _keep(kept, summary)
        yield summary


def _digest(revision: str, folder: RunFolder, board: BoardFile, model: str) -> str:
    digest = hashlib.sha256(f"{revision} {board.id} {model} {folder.manifest.calls_digest}".encode())
    for kind in (Response, Judgment):
        shard = folder.shard(kind, model)
        if shard.is_file():
            with shard.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _read(kept: Path | None, kind: type[SummaryT]) -> SummaryT | None:
    if kept is None or not kept.is_file():
        return None
    try:
        return msgspec.json.decode(kept.read_bytes(), type=kind, dec_hook=_array)
    except msgspec.DecodeError:
        return None  # a summary half written or of another time is only a summary to make again


def _keep(kept: Path, summary: msgspec.Struct) -> None:
    try:
        write_atomically(kept, msgspec.json.encode(summary, enc_hook=_list))
    except StorageError:
        return  # without the cache the next build is slower, not wrong


def _list(array: Any) -> Any:
    return array.tolist()


def _array(kind: Any, values: Any) -> Any:
    """An array of the type of a Struct's field, `Floats` or `Ints`; NaN stands as null in the file."""
    return np.array(values, dtype=get_args(get_args(kind)[1])[0])
