"""Write a new benchmark repository from the shipped specs: one board, two domains, and files to publish it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

from nullbench_site import __version__
from nullbench_site.errors import UsageError
from nullbench_site.packaged import data_text, packaged
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.document import read_document
from nullbench_site.specs.schema import write_schemas
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.text import slug, title_of

BOARD = "nullbench"
"""The shipped board whose contestants a new repository gets."""
DOMAINS = ("science", "summarization")
OWN = {
    "specs/benchmark.yaml": "benchmark.yaml",
    "specs/boards/main.yaml": "board.yaml",
    ".github/workflows/review.yml": "review.yml",
    ".github/workflows/comment.yml": "comment.yml",
    ".github/workflows/publish.yml": "publish.yml",
    ".gitlab-ci.yml": "gitlab-ci.yml",
    ".ci/install.sh": "install.sh",
    ".ci/comment.sh": "comment.sh",
    "requirements-nullbench-site.txt": "requirements-nullbench-site.txt",
    ".gitignore": "gitignore",
    ".gitattributes": "gitattributes",
    "README.md": "README.md",
}
"""Files of the new repository, each with its name in data/starter/."""
COMMON = ("mkdocs.yml", ".github/dependabot.yml", "requirements.txt")
"""Files that a new repository copies from ours."""
_CANARY = re.compile(r"nullbench-canary:(?:[0-9a-f-]{36}|new)")


def make_repository(directory: Path, title: str | None = None) -> Path:
    """Write a benchmark repository into `directory`, which must be new or empty except for `.git`; returns it.

    Raises UsageError if the folder is not empty, StorageError if the disk refuses.
    """
    with storage_errors(directory):
        if directory.exists() and any(entry.name != ".git" for entry in directory.iterdir()):
            raise UsageError(f"{directory}: the folder is not empty; give the path of a new folder")
    files = _files(directory.resolve().name, title)
    with storage_errors(directory):
        for path, text in files.items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_with_fresh_canaries(text), encoding="utf-8", newline="\n")
        write_schemas(directory / "specs" / "schema")
    return directory


def _files(name: str, title: str | None) -> dict[str, str]:
    """Return the text of each file by its path. name: of the folder."""
    title = title_of(title or "") or title_of(name) or _id(name)
    words = {"id": _id(name), "domains": ", ".join(DOMAINS), "version": __version__}
    files = {}
    for path, own in OWN.items():
        in_place = _quoted(title) if path.endswith(".yaml") else title
        # Other texts with a dollar, such as `$schema`, stay.
        files[path] = Template(data_text(f"starter/{own}")).safe_substitute(words, title=in_place)
    shipped = packaged("specs")
    kept = [
        "axes.yaml",
        "judges.yaml",
        "endpoints.yaml",
        "templates/zero-context.txt",
        *(f"models/{name}.yaml" for name in _programs(shipped)),
        *(f"{kind}/{domain}.yaml" for kind in ("domains", "goals") for domain in DOMAINS),
    ]
    files |= {name: packaged(name).read_text("utf-8") for name in COMMON}
    return files | {f"specs/{name}": (shipped / name).read_text("utf-8") for name in kept}


def _programs(shipped: Path) -> Iterator[str]:
    """Yield the contestants of the shipped board that are programs, which answer without a server."""
    for name in _content(shipped / f"boards/{BOARD}.yaml")["contestants"]:
        if _content(shipped / f"models/{name}.yaml")["backend"] == PROGRAMS:
            yield name


def _content(path: Path) -> Any:
    document, _ = read_document(path.name, path.read_bytes())
    return None if document is None else document.data


def _with_fresh_canaries(text: str) -> str:
    """Return the text with new canaries: each file has its own."""
    return _CANARY.sub(lambda _: f"nullbench-canary:{uuid.uuid4()}", text)


def _id(name: str) -> str:
    return slug(name) or "my-board"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
