"""A new benchmark repository: with examples, empty, or made of a table of questions or scores."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from nullbench_site import starter
from nullbench_site.errors import UsageError
from nullbench_site.extensions import registered
from nullbench_site.interop.importer import TableImporter, importer
from nullbench_site.interop.questions import read_questions
from nullbench_site.runs.storage import storage_errors


def start(
    directory: Path,
    *,
    title: str | None,
    protocol: str | None,
    source: Path | None,
    columns: Mapping[str, str],
    empty: bool,
) -> Sequence[str]:
    """Write a new repository into `directory`; return notes on how `source` was read. Arguments as of `api.init`."""
    starter.check_new(directory)
    if source is None:
        starter.make_repository(directory, title, protocol, empty=empty)
        return ()
    if protocol is None:
        known = ", ".join(registered("protocols"))
        raise UsageError(f"--from needs --protocol, which says how answers are scored: {known}")
    if form := starter.starter_of(protocol).importer:
        return _of_scores(directory, title, protocol, source, form)
    questions = read_questions(source, protocol, columns, starter.repository_id(directory.resolve().name))
    starter.make_repository(directory, title, protocol, questions.items, empty=empty)
    return questions.notes


def _of_scores(directory: Path, title: str | None, protocol: str, source: Path, form: str) -> Sequence[str]:
    """Write a repository whose board is made of a table by the importer of a format."""
    chosen = importer(form)
    assert isinstance(chosen, TableImporter)  # noqa: S101 - protocols name importers of tables
    with tempfile.TemporaryDirectory(prefix="nullbench-init-") as made:
        folder = Path(made) / directory.resolve().name
        starter.make_repository(folder, title, protocol, {}, empty=True)
        try:
            report = chosen.make(str(source), {"into": folder, "title": title})
        except UsageError as error:
            other = f"nullbench-site import {form} {source} --into {directory}"
            raise UsageError(f"{error}\nIf the table needs options, make the repository with: {other}") from error
        with storage_errors(directory):
            shutil.copytree(folder, directory, dirs_exist_ok=True)
    return list(report.lines())
