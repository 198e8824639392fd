"""Importing in this process, and what it left."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from interop.checkouts import Checkout

from nullbench_site import api
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.protocols.rubric.metrics import RubricResults
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.scoring.tables import read_results


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write a file of JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def import_board(form: str, source: Path, name: str = "board", *, lenient: bool = False) -> Repository:
    """The repository made of a source of a format, beside it."""
    into = source.parent / name
    api.import_results(form, source, into, lenient=lenient)
    return Repository(into)


def refused(form: str, source: Path, *, lenient: bool = False) -> list[str]:
    """The problems of a refused import, which leaves nothing beside the source."""
    before = sorted(source.parent.iterdir())
    try:
        import_board(form, source, "refused", lenient=lenient)
    except ImportRefused as error:
        assert sorted(source.parent.iterdir()) == before
        *lines, last = str(error).splitlines()
        assert last.startswith(f"{len(lines)} problem")
        return lines
    raise AssertionError("the import was not refused")


def run_of(repository: Repository) -> RunFolder:
    entry = api.find_run(repository, None)
    return RunFolder(entry.path, entry.manifest)


def leaderboard(repository: Repository) -> dict[str, dict[str, str]]:
    """The rows of the only leaderboard by model, in its order."""
    (file,) = run_of(repository).path.glob("results/*/leaderboard.csv")
    with file.open(encoding="utf-8") as rows:
        return {row["model"]: row for row in csv.DictReader(rows)}


# Of a checkout of BenchPress.


def imported(source: Checkout, name: str = "board", *, lenient: bool = False) -> Repository:
    return import_board("benchpress", source.root, name, lenient=lenient)


def refusal(source: Checkout, *, lenient: bool = False) -> list[str]:
    return refused("benchpress", source.root, lenient=lenient)


def results_of(repository: Repository) -> RubricResults:
    results = read_results(run_of(repository).path, "benchpress")
    assert isinstance(results, RubricResults)
    return results


def responses(repository: Repository, model: str = "model-a", item: str = "x01") -> list[Response]:
    """By sample."""
    found = [record for record in run_of(repository).records(Response, model) if record.item == item]
    return sorted(found, key=lambda record: record.sample)


def judgments(repository: Repository, model: str = "model-a", item: str = "x01") -> dict[tuple[str, int], Judgment]:
    """By judge and sample."""
    found = [record for record in run_of(repository).records(Judgment, model) if record.item == item]
    assert len(found) == len({(record.judge, record.sample) for record in found})
    return {(record.judge, record.sample): record for record in found}
