"""Files of a repository that are written anew: specs that read back as what is meant, and several files or none."""

from __future__ import annotations

import shutil
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.runs.storage import storage_errors, write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.document import Document, read_document
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark


def mapping_of(document: Document) -> dict[str, Any]:
    """The keys and values of a spec file."""
    assert isinstance(document.data, dict)  # noqa: S101 - the specs were read and hold
    return document.data


def document_at(path: Path, shown: str) -> Document:
    """The document of a spec file. Raises SpecError where it cannot be read."""
    document, problems = read_document(shown, path.read_bytes())
    if document is None or problems:
        raise SpecError(problems)
    return document


def read_back(path: Path, raw: bytes, text: str | None, wanted: Mapping[str, Any], failed: str) -> bytes:
    """The text of a file as bytes, once it reads back as what is meant. Raises UsageError where it does not."""
    mark = BOM_UTF8 if raw.startswith(BOM_UTF8) else b""
    if text is not None:
        document, problems = read_document(path.name, text.encode())
        if document is not None and not problems and document.data == wanted:
            return mark + text.encode()
    raise UsageError(f"{path}: {failed} without a change elsewhere; write its lists without anchors and aliases")


def with_files(specs: Path, files: Mapping[Path, bytes | None], trial: Path, private: Path) -> Benchmark:
    """The benchmark as it would be with these files, those below `specs`, put together in the folder `trial`.

    Raises SpecError where the specs would not hold.
    """
    copies = trial / specs.name
    for path in {*listing(specs).specs, *(path for path in files if path.is_relative_to(specs))}:
        copy = copies / path.relative_to(specs)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(files.get(path) or path.read_bytes())
    return load_benchmark(copies, backends=backend_names(), private=private)


def holds(path: Path, content: bytes | None) -> bool:
    """Whether a file is what it is to be."""
    return (path.read_bytes() if path.is_file() else None) == content


def write_all(files: Mapping[Path, bytes | None]) -> None:
    """Write the files in this order, None for one that is to be gone; or leave all as they were."""
    before = {path: path.read_bytes() if path.is_file() else None for path in files}
    folders = [folder for folder in {path.parent for path in files} if not folder.exists()]
    try:
        for path, content in files.items():
            _put(path, content)
    except BaseException:
        for path, content in before.items():
            _put(path, content)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _put(path: Path, content: bytes | None) -> None:
    if content is not None:
        write_atomically(path, content)
        return
    with storage_errors(path):
        path.unlink(missing_ok=True)
