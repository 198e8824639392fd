"""A disk that refuses records: how long is waited for it, and what is said of what could not be written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from support import clock
from support.runs import RESPONSE, open_run

from nullbench_site.errors import StorageError
from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.recording import Recorder
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import Journal, KnownCalls
from nullbench_site.runs.records import Response

ANSWERS = [replace(RESPONSE, key=f"{number:064x}", item=f"item-{number}") for number in range(3)]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return open_run(tmp_path / "run")


@pytest.fixture
def refused(folder: RunFolder) -> Path:
    """A folder where the shard belongs; without it the disk takes records again."""
    shard = folder.shard(Response, RESPONSE.model)
    shard.mkdir(parents=True)
    return shard


async def kept(recorder: Recorder, *, meanwhile: Callable[[], object] = lambda: None) -> list[object]:
    """What became of three answers that came at once."""
    keeping = asyncio.gather(*map(recorder.keep, ANSWERS), return_exceptions=True)
    await asyncio.sleep(0.01)
    meanwhile()
    return await keeping


def recorder_of(folder: RunFolder, notes: list[str], *, waits: bool = True, most_wait: float | None = None) -> Recorder:
    context = BuildContext(Path("specs"), Budget(), on_note=notes.append)
    return Recorder(Journal(folder, KnownCalls([]), {}), context, waits=waits, most_wait=most_wait)


def test_all_that_was_held_is_written_once_the_disk_takes_it_and_the_user_is_told_twice(
    folder: RunFolder, refused: Path
) -> None:
    notes: list[str] = []
    recorder = recorder_of(folder, notes)
    assert clock.run(kept(recorder, meanwhile=refused.rmdir)) == ANSWERS
    recorder.close()
    assert list(folder.records(Response, RESPONSE.model)) == ANSWERS
    assert [note.partition(". ")[0] for note in notes] == [
        f"{refused}: Is a directory; fix that",
        "The disk accepts records again: the answers are written and the build continues",
    ]
    assert recorder.context.writable.is_set()


def test_while_anything_is_held_no_request_may_be_put(folder: RunFolder, refused: Path) -> None:
    recorder = recorder_of(folder, [])
    writable: list[bool] = []

    def look() -> None:
        writable.append(recorder.context.writable.is_set())
        refused.rmdir()

    clock.run(kept(recorder, meanwhile=look))
    recorder.close()
    assert writable == [False]


def test_a_build_without_a_terminal_gives_up_in_the_end_and_says_how_many_answers_are_gone(
    folder: RunFolder, refused: Path
) -> None:
    recorder = recorder_of(folder, [], most_wait=0.0)
    ends = clock.run(kept(recorder))
    assert [type(end) for end in ends] == [UnavailableError] * 3
    assert recorder.context.draining.is_set(), "what is in flight is finished first"
    with pytest.raises(StorageError) as gave_up:
        recorder.close()
    assert str(gave_up.value) == (
        f"{refused}: Is a directory; 3 answers could not be written; the next build requests them again; "
        "fix that and run the command again"
    )
    assert gave_up.value.exit_code == 3


def test_where_nothing_is_paid_for_a_refusal_is_an_error_at_once(folder: RunFolder, refused: Path) -> None:
    recorder = recorder_of(folder, [], waits=False)
    ends = clock.run(kept(recorder))
    assert all(isinstance(end, StorageError) for end in ends)
    recorder.close()
