"""The studies of judging prompts that are recorded in audits/, each with its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from nullbench_site.audit.judge_decisions import Screened, decided
from nullbench_site.audit.prompt_results import BoardResult, results_of
from nullbench_site.audit.study_data import PREFIX, protocol_studies
from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.verify import integrity_problems
from nullbench_site.specs.load import load_benchmark


class RecordedStudy(msgspec.Struct, frozen=True):
    """A study of a judge on a board. model: its name at its endpoint. folder: of its run. date: of its last call."""

    judge: str
    title: str
    model: str
    folder: str
    date: str
    result: BoardResult


def is_study(entry: CatalogEntry) -> bool:
    """Return True if a run in audits/ is a study of judging prompts."""
    return any((entry.path / "specs" / "boards").glob(f"{PREFIX}*.yaml"))


def recorded_studies(audits: Path) -> Sequence[RecordedStudy]:
    """Return the newest sealed study of each judge and board, by judge and board. Raises RunError for
    records that are damaged or were changed.

    audits: the folder, which may be absent.
    """
    found: dict[tuple[str, str], RecordedStudy] = {}
    for entry in list_runs(audits) if audits.is_dir() else ():
        if entry.manifest.sealed and is_study(entry):
            _, problems = integrity_problems(entry.path)
            if problems:
                raise RunError("\n".join(problems))
            for each in _studies(entry):
                found[each.judge, each.result.board] = each
    return [found[key] for key in sorted(found)]


def _studies(entry: CatalogEntry) -> Iterator[RecordedStudy]:
    """Yield the study of a run, if it is one. Its first board is named after the board and the judge."""
    benchmark = load_benchmark(entry.path / "specs")
    board = min(benchmark.boards.values(), key=lambda each: len(each.id))
    own_study = protocol_studies().get(board.protocol)
    ending = "" if own_study is None else f".{own_study.candidates[0].id}"
    own = next((each for each in benchmark.judges.values() if ending and each.id.endswith(ending)), None)
    if own is None:
        return
    judge = own.id.removesuffix(ending)
    name = board.id.removeprefix(PREFIX).removesuffix(f"-{judge}")
    yield RecordedStudy(
        judge=judge,
        title=own.title.rsplit(", ", 2)[0],
        model=own.model,
        folder=entry.path.name,
        date=entry.manifest.date,
        result=results_of(name, board.protocol, judge, RunFolder(entry.path, entry.manifest)),
    )


def screened(studies: Sequence[RecordedStudy]) -> Sequence[Screened]:
    """Return which judges pass, by which prompt or by short questions: all studies together, with one correction."""
    return decided({(each.judge, each.result.protocol): each.result.tried for each in studies})
