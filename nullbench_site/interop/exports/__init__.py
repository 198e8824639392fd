"""Exports of a sealed run: the formats, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from nullbench_site.interop.imported_repository import check_empty
from nullbench_site.runs.storage import storage_errors, write_all
from nullbench_site.site.gather import SiteData
from nullbench_site.text import plural

ExportForm: TypeAlias = Literal["eee", "hf", "tables"]
"""The formats of exports."""
Files = Iterable[tuple[str, bytes]]
Writer = Callable[[SiteData, Mapping[str, Any]], Files]


class ExportReport(msgspec.Struct, frozen=True):
    """What an export wrote."""

    run: str
    directory: str
    files: int

    def lines(self) -> Iterator[str]:
        """Return the lines to print."""
        yield f"wrote {plural(self.files, 'file')} of run {self.run} to {self.directory}"


def export(site: SiteData, writer: Writer, into: Path, options: Mapping[str, Any]) -> ExportReport:
    """Write the files of a format into a new or empty folder, or nothing. Raises UsageError and StorageError."""
    check_empty(into)
    files = {into / path: content for path, content in writer(site, options)}
    with storage_errors(into):
        write_all(files)
    return ExportReport(site.entry.manifest.run, str(into), len(files))
