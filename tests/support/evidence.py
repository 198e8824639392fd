"""Looking at run folders as bytes: what is there, what was added, and what is the same but for the clock.

And at the evidence that a site shows of them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.runs.records import Judgment
from nullbench_site.site.evidence import BoardEvidence, Verdict

CLOCK_COLUMNS = frozenset(
    {
        "mean_time_s", "qpr", "qpr_pct", "stability", "stability_tail", "stability_extremes", "stability_jitter",
        "throughput_rps", "throughput_tps",
        "median_response_time_ms", "p95_response_time_ms", "max_response_time_ms",
    }
)  # fmt: skip
"""Results that are measured with the clock; every other one follows from texts alone."""
_CLOCK_FIELDS = re.compile(rb'("(?:started_at|created_at|sealed_at|digest|sha256)":\s*)"[^"]*"')
_CLOCK_NUMBERS = re.compile(rb'("(?:seconds|bytes)":\s*)[0-9.e+-]+')


def files(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` but the lock, by its path."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def without_clock(run: Path) -> dict[str, bytes]:
    """The files of a run with everything blanked that depends on when it was made and how long that took."""
    return {name: _blank(name, data) for name, data in files(run).items()}


def _blank(name: str, data: bytes) -> bytes:
    if name.startswith("results/"):
        return json.dumps(scores_in(name, data)).encode()
    if name.startswith("specs/"):
        return data
    return _CLOCK_NUMBERS.sub(rb"\1_", _CLOCK_FIELDS.sub(rb'\1"_"', data))


def scores_in(name: str, data: bytes) -> Any:
    """A result file as data, without the columns of the clock."""
    if name.endswith(".json"):
        return _without_clock_columns(json.loads(data))
    return [_without_clock_columns(row) for row in csv.DictReader(io.StringIO(data.decode()))]


def _without_clock_columns(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_clock_columns(inner) for key, inner in value.items() if key not in CLOCK_COLUMNS}
    if isinstance(value, list):
        return [_without_clock_columns(inner) for inner in value]
    return value


def shards(run: Path) -> dict[str, bytes]:
    """The files of records of a run."""
    return {name: data for name, data in files(run).items() if name.endswith(".jsonl")}


def lines(run: Path) -> list[bytes]:
    """Every whole line of every shard; what a kill left half written is no line."""
    return [line for data in shards(run).values() for line in data.split(b"\n")[:-1]]


def records(run: Path, kind: str) -> Iterator[dict[str, Any]]:
    """The records of `responses` or `judgments`, as plain data."""
    for name, data in shards(run).items():
        if name.startswith(f"{kind}/"):
            yield from (json.loads(line) for line in data.splitlines())


def place(record: dict[str, Any]) -> tuple[Any, ...]:
    """What a record is about."""
    return tuple(record.get(name) for name in ("board", "model", "item", "template", "sample", "judge"))


def bytes_of_run(runs: Path) -> int:
    """How much has been written below runs/ so far; files may come and go meanwhile."""
    total = 0
    for folder, _, names in os.walk(runs):
        for name in names:
            with suppress(FileNotFoundError):
                total += (Path(folder) / name).stat().st_size
    return total


def shown_items(site: Path, board: str) -> dict[str, Any]:
    """The items of a board by id, as the evidence on a rendered site shows them."""
    return _parts(site / "data" / "v1" / "evidence" / board / "items")


def shown_answers(site: Path, board: str, model: str) -> dict[str, Any]:
    """The same of the answers of a contestant, by item."""
    return _parts(site / "data" / "v1" / "evidence" / board / "answers" / model)


def verdicts_of(evidence: BoardEvidence[Any, Any, Any], *judgments: Judgment) -> dict[str | None, list[Verdict]]:
    """What the evidence of a board reads of judgments on a sample, by wording."""
    read: dict[str | None, list[Verdict]] = {}
    for judgment in judgments:
        verdict = msgspec.convert(judgment, evidence.verdict_type, from_attributes=True)
        read.setdefault(judgment.judge_template, []).append(verdict)
    return read


def _parts(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number in range(len(list(folder.glob("*.json")))):
        part = json.loads((folder / f"{number}.json").read_bytes())
        assert not found.keys() & part.keys()
        found |= part
    return found


def without_times(run: Path) -> list[dict[str, Any]]:
    """Return all records of a run without their times, in one order."""
    every = [record for kind in ("responses", "judgments") for record in records(run, kind)]
    plain = ({key: value for key, value in record.items() if key not in {"started_at", "seconds"}} for record in every)
    return sorted(plain, key=lambda record: (record["key"], record["model"], record["item"]))
