"""Compare a fresh run with an earlier run of the same specs: its scores, and the answers of its models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response
from nullbench_site.scoring.recomputation import score_differences
from nullbench_site.scoring.tables import read_results


class RepeatedAnswers(msgspec.Struct, frozen=True):
    """The answers of a model that were requested again, and how many have the same text as in run `run`."""

    model: str
    run: str
    answers: int
    same: int


def earlier_run(runs_dir: Path, entry: CatalogEntry) -> CatalogEntry | None:
    """Return the newest other complete run of the same specs, if there is one."""
    same = [
        other
        for other in list_runs(runs_dir)
        if other.manifest.spec_digest == entry.manifest.spec_digest
        and other.manifest.complete
        and other.path.name != entry.path.name
    ]
    return same[-1] if same else None


def changed_scores(entry: CatalogEntry, earlier: CatalogEntry) -> list[str]:
    """Return a line for each score that differs between two complete runs, except those of response times."""
    boards = sorted(path.name for path in (entry.path / "results").iterdir())
    return [
        line
        for board in boards
        for line in score_differences(read_results(earlier.path, board), read_results(entry.path, board))
    ]


def repeated_answers(runs_dir: Path, entry: CatalogEntry, models: Iterable[str]) -> Iterator[RepeatedAnswers]:
    """Yield the comparison of each model with the earlier run; answers that were reused do not count."""
    earlier = earlier_run(runs_dir, entry)
    if earlier is None:
        return
    for model in models:
        before = {answer.place: answer for answer in _answers(earlier, model)}
        again = [
            (answer.text == before[answer.place].text)
            for answer in _answers(entry, model)
            if answer.place in before and answer.started_at != before[answer.place].started_at
        ]
        if again:
            yield RepeatedAnswers(model, earlier.manifest.run, len(again), sum(again))


def _answers(entry: CatalogEntry, model: str) -> Iterator[Response]:
    """Yield the answers of a model whose texts are on this machine."""
    folder = RunFolder(entry.path, entry.manifest)
    for private in (False, True):
        for answer in folder.records(Response, model, private=private):
            if answer.state == "answered" and answer.hidden is None:
                yield answer
