"""Importing in this process, and what it left."""

from __future__ import annotations

from interop.checkouts import Checkout

from nullbench_site import api
from nullbench_site.api import Repository
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.protocols.rubric.results import RubricResults
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.scoring.tables import read_results


def imported(source: Checkout, name: str = "board", *, lenient: bool = False) -> Repository:
    """The repository made of a checkout, beside it."""
    into = source.root.parent / name
    api.import_results("benchpress", source.root, into, lenient=lenient)
    return Repository(into)


def run_of(repository: Repository) -> RunFolder:
    entry = api.find_run(repository, None)
    return RunFolder(entry.path, entry.manifest)


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


def refusal(source: Checkout, *, lenient: bool = False) -> list[str]:
    """The lines of the refusal without the last; nothing is left beside the checkout."""
    before = sorted(source.root.parent.iterdir())
    try:
        imported(source, "refused", lenient=lenient)
    except ImportRefused as error:
        assert sorted(source.root.parent.iterdir()) == before
        *lines, last = str(error).splitlines()
        assert last.startswith(f"{len(lines)} problem")
        return lines
    raise AssertionError("the import was not refused")
