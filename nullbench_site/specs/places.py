"""Where something loaded stands in the spec files, for messages of a run."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.specs.benchmark import OPENAI
from nullbench_site.specs.document import Data, read_document
from nullbench_site.specs.types import Endpoint, Judge, ModelFile


def place_of(folder: Path, who: Endpoint | Judge | ModelFile, *steps: str | int) -> str:
    """`specs/judges.yaml:12:5`: where `who`, or the value that `steps` lead to in it, stands below `folder`.

    The file is read again, so what a reader is sent to is what stands there now. The file's name alone where it cannot
    be read; words for an endpoint that no file defines.
    """
    name, group = _file_of(who)
    shown = f"{folder.resolve().name}/{name}"
    try:
        document, _ = read_document(shown, (folder / name).read_bytes())
    except OSError:
        document = None
    start = None if document is None else _start(document.data, group, who.id)
    if document is None or start is None:
        return f"the built-in endpoint {who.id}" if who == OPENAI else shown
    problem = document.problem([*start, *steps], "")
    return f"{problem.file}:{problem.line}:{problem.column}"


def _file_of(who: Endpoint | Judge | ModelFile) -> tuple[str, str | None]:
    """The file that `who` stands in, and the list in it."""
    match who:
        case Endpoint():
            return "endpoints.yaml", "endpoints"
        case Judge():
            return "judges.yaml", "judges"
        case ModelFile():
            return f"models/{who.id}.yaml", None


def _start(data: Data, group: str | None, name: str) -> list[str | int] | None:
    """The path to the entry `name` of a list in a document, or to the whole where there is no list; None: not there."""
    if group is None:
        return []
    entries = data.get(group) if isinstance(data, dict) else None
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("id") == name:
            return [group, number]
    return None
