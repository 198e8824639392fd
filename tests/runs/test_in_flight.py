"""The costs that a killed build left in no record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.runs import RESPONSE, open_run

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.in_flight import CALL, InFlight
from nullbench_site.runs.known import Journal, KnownCalls
from nullbench_site.runs.records import Response

PLACE = {name: getattr(RESPONSE, name) for name in ("board", "model", "item", "template", "sample")}


def killed(run: RunFolder, *events: Any) -> InFlight:
    """Write what a build does with one call until it is killed: sends, costs and records."""
    log, journal = InFlight(run), Journal(run, KnownCalls([]), {})
    with log.call(Response, RESPONSE.key, PLACE):
        call = CALL.get()
        assert call is not None
        for event in events:
            match event:
                case "sent":
                    call.sent(0.25)
                case "unbounded":
                    call.sent(None)
                case Response():
                    journal.keep(event)
                case _:
                    call.cost(event)
    log.close()
    journal.close()
    return InFlight(run)


ERRORED = replace(RESPONSE, state="errored", text="", error="busy", failed_usd=0.5, uncounted=1)


@pytest.mark.parametrize(
    ("events", "failed_usd", "uncounted", "under_way"),
    [
        (["sent"], None, 1, (1, 0.25)),
        (["unbounded"], None, 1, (1, None)),
        (["sent", 0.5], 0.5, 0, (0, 0.0)),
        (["sent", None], None, 1, (0, 0.0)),
        (["sent", 0.5, "sent", 0.125, "sent"], 0.625, 1, (1, 0.25)),
        (["sent", 0.5, "sent", 0.0], 0.5, 0, (0, 0.0)),
        (["sent", 0.5, "sent", ERRORED, 0.5], 1.0, 1, (0, 0.0)),
        (["sent", 0.5, ERRORED], 0.5, 1, (0, 0.0)),
        (["sent", 0.5, ERRORED, "sent"], 0.5, 2, (1, 0.25)),
        (["sent", 0.5, replace(RESPONSE, checks_due=True)], None, 0, (0, 0.0)),
        (["sent", 0.5, RESPONSE, "sent", 0.125], 0.125, 0, (0, 0.0)),
    ],
)
def test_attempts_in_no_record_are_added_to_their_call_once(
    events: list[Any], failed_usd: float | None, uncounted: int, under_way: tuple[int, float | None], tmp_path: Path
) -> None:
    run = open_run(tmp_path / "run")
    log = killed(run, *events)
    known = KnownCalls([CatalogEntry(run.path, run.manifest)])
    assert Journal(run, known, {}).settle(log) == under_way
    last = [*run.records(Response, RESPONSE.model)][-1]
    assert (last.failed_usd, last.uncounted) == (failed_usd, uncounted)
    assert not log.path.exists()


def test_a_call_that_cost_nothing_leaves_no_record(tmp_path: Path) -> None:
    run = open_run(tmp_path / "run")
    log = killed(run, "sent", 0.0)
    assert log.path.stat().st_mode & 0o077 == 0
    assert Journal(run, KnownCalls([]), {}).settle(log) == (0, 0.0)
    assert not [*run.records(Response, RESPONSE.model)]


def test_a_record_that_the_kill_prevented_settles_nothing(tmp_path: Path) -> None:
    run = open_run(tmp_path / "run")
    log = killed(run, "sent", 0.5, RESPONSE)
    run.shard(Response, RESPONSE.model).write_bytes(b"")
    Journal(run, KnownCalls([]), {}).settle(log)
    assert [record.failed_usd for record in run.records(Response, RESPONSE.model)] == [0.5]


def test_half_a_last_line_is_ignored(tmp_path: Path) -> None:
    run = open_run(tmp_path / "run")
    log = killed(run, "sent")
    with log.path.open("ab") as file:
        file.write(b'{"type":"cost","n":1,"us')
    assert len(log.unsettled()) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"no json", b"[]", b'{"type":"other"}', b"\xff",
        *(
            json.dumps({"type": "call", "n": 1, "key": "k", **more}).encode()
            for more in (
                {"kind": "other", "place": PLACE},
                {"kind": "responses", "place": {**PLACE, "model": "../../elsewhere"}},
                {"kind": "responses", "place": {**PLACE, "model": "a\0b"}},
                {"kind": "responses", "place": {**PLACE, "model": 1}},
                {"kind": "responses", "place": {**PLACE, "more": 1}},
                {"kind": "judgments", "place": {}},
            )
        ),
    ],
)  # fmt: skip
def test_a_line_that_no_build_writes_is_named(line: bytes, tmp_path: Path) -> None:
    run = open_run(tmp_path / "run")
    log = killed(run, "sent")
    log.path.write_bytes(log.path.read_bytes() + line + b"\n")
    with pytest.raises(RunError, match=r"in-flight\.jsonl:3: not a line about a call in flight"):
        log.unsettled()
