"""Find the contestants on this machine whose answers were timed while other calls to it ran.

Such times say how busy the machine was, not how fast the model is. It reads the records of a run when a page is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from heapq import heappop, heappush
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import numpy as np

from nullbench_site.evaluation.endpoints.local_server import is_loopback
from nullbench_site.runs.folder import SHARDS
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import PROGRAMS, RECORDED, Judge, ModelFile
from nullbench_site.stats.arrays import Bools, Floats

MOST = 0.05
"""The share of calls that may overlap others before times are set aside: a few are handed over while one ends."""
_EDGE = 0.05
"""Calls that overlap by less, in seconds, do not count: records round times, and a client may answer late."""


class _Call(msgspec.Struct):
    """What a record says of the time of its call. judge: empty for a response."""

    key: str
    board: str
    started_at: str
    seconds: float | None
    judge: str = ""


@dataclass(frozen=True)
class Overlap:
    """How many of the timed calls of a contestant on a board overlapped other calls to the same machine."""

    n: int
    of: int


def overlapping(starts: Floats, ends: Floats) -> Bools:
    """Return (calls,) which calls ran while another one did. starts, ends: in seconds, in any order.

    Overlaps of less than `_EDGE` seconds do not count.
    """
    found = np.zeros(len(starts), np.bool_)
    running: list[tuple[float, int]] = []  # the calls that have begun and may still run, by their end
    for place in np.argsort(starts, kind="stable").tolist():
        while running and running[0][0] <= starts[place] + _EDGE:
            heappop(running)
        if running and ends[place] > starts[place] + _EDGE:
            found[place] = True
            found[[other for _, other in running]] = True
        heappush(running, (float(ends[place]), place))
    return found


@dataclass
class HostLoad:
    """The load of this machine while a run was recorded. run: its folder."""

    benchmark: Benchmark
    run: Path

    @cached_property
    def by_board(self) -> Mapping[tuple[str, str], Overlap]:
        """Return, by board and contestant, the overlaps of those that are on loopback and timed beside other calls."""
        models = [model.id for model in self.benchmark.models.values() if self._is_here(model)]
        timed = [model for model in models if self.benchmark.models[model].timed]
        if not timed:
            return {}
        judges = frozenset(judge.id for judge in self.benchmark.judges.values() if self._is_here(judge))
        found = [(model, call) for model in models for call in _calls(self.run / SHARDS[Response] / f"{model}.jsonl")]
        if judges:
            shards = sorted((self.run / SHARDS[Judgment]).glob("*.jsonl"))
            found += [("", call) for path in shards for call in _calls(path) if call.judge in judges]
        made = {(call.key, call.started_at): call for _, call in found}  # boards that ask alike share a call
        starts = np.array([datetime.fromisoformat(call.started_at).timestamp() for call in made.values()])
        ends = starts + np.array([call.seconds for call in made.values()], dtype=float)
        over = dict(zip(made, overlapping(starts, ends).tolist(), strict=True))
        overlaps: dict[tuple[str, str], list[bool]] = {}
        for model, call in found:
            if model in timed:
                overlaps.setdefault((call.board, model), []).append(over[call.key, call.started_at])
        counted = {of: Overlap(sum(each), len(each)) for of, each in overlaps.items()}
        return {of: overlap for of, overlap in counted.items() if overlap.n > MOST * overlap.of}

    def of(self, board: str) -> Mapping[str, Overlap]:
        """Return the overlaps of a board by contestant."""
        return {model: overlap for (name, model), overlap in self.by_board.items() if name == board}

    def _is_here(self, who: ModelFile | Judge) -> bool:
        if who.backend in (PROGRAMS, RECORDED):
            return False
        try:
            address = self.benchmark.endpoint_of(who).base_url
        except KeyError:  # a backend of a package that has no endpoint
            return False
        return address is not None and is_loopback(urlsplit(address).hostname or "")


def _calls(path: Path) -> Iterator[_Call]:
    if path.is_file():
        yield from _timed(msgspec.json.Decoder(_Call).decode_lines(path.read_bytes()))


def _timed(calls: Sequence[_Call]) -> Iterator[_Call]:
    return (call for call in calls if call.seconds is not None and call.started_at)
