"""The stored answers of a repository: check them, and move those to private items to the private folder.

It also rewrites specs so that they read back as intended.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import Problem, SpecError, UsageError, breaking
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.evaluation.backends.recorded import (
    ANSWERS,
    RecordedAnswer,
    answers_file,
    encoded,
    is_named,
    lines_of,
)
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import line_ends_advice, line_ends_changed, sha256
from nullbench_site.specs.document import Document, read_document
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rewriting import with_item
from nullbench_site.specs.types import RECORDED


def mapping_of(document: Document) -> dict[str, Any]:
    """Return the keys and values of a spec file."""
    assert isinstance(document.data, dict)  # noqa: S101 - the specs were read and hold
    return document.data


def document_at(path: Path, shown: str) -> Document:
    """Return the document of a spec file. Raises SpecError if it cannot be read."""
    document, problems = read_document(shown, path.read_bytes())
    if document is None or problems:
        raise SpecError(problems)
    return document


def read_back(path: Path, raw: bytes, text: str | None, wanted: Mapping[str, Any], failed: str) -> bytes:
    """Return the text of a file as bytes. Raises UsageError if it does not read back as `wanted`."""
    mark = BOM_UTF8 if raw.startswith(BOM_UTF8) else b""
    if text is not None:
        document, problems = read_document(path.name, text.encode())
        if document is not None and not problems and document.data == wanted:
            return mark + text.encode()
    raise UsageError(f"{path}: {failed} without changing another value; write its lists without anchors and aliases")


def with_files(specs: Path, files: Mapping[Path, bytes | None], trial: Path, private: Path) -> Benchmark:
    """Return the benchmark with these files, assembled in the folder `trial`. Raises SpecError for wrong specs."""
    copies = trial / specs.name
    for path in {*listing(specs).specs, *(path for path in files if path.is_relative_to(specs))}:
        copy = copies / path.relative_to(specs)
        copy.parent.mkdir(parents=True, exist_ok=True)
        content = files.get(path)
        copy.write_bytes(path.read_bytes() if content is None else content)
    return load_benchmark(copies, backends=backend_names(), private=private)


def check_answers(specs: Path, benchmark: Benchmark) -> list[Problem]:
    """Return a warning for each published answer to a private item.

    All files are read, because a contestant may be only in a profile, or deleted. Raises SpecError for each contestant
    whose file of answers does not have the digest in its spec, and RunError for a line that is not an answer.
    """
    if problems := [*_misnamed(specs, benchmark)]:
        raise SpecError(list(breaking("contestants", problems)))
    private = {item.id for _, item in benchmark.every_item if item.visibility == "private"}
    files = sorted((specs.parent / ANSWERS).glob("*.jsonl")) if private else []
    return [*breaking("private", (problem for file in files for problem in _in_plain_words(file, private)))]


def _misnamed(specs: Path, benchmark: Benchmark) -> Iterator[Problem]:
    for model in benchmark.models.values():
        file = answers_file(specs.parent, model.id)
        if model.backend == RECORDED and ANSWERS in model.params and not is_named(file, model):
            name = f"models/{model.id}.yaml"
            document, _ = read_document(f"specs/{name}", (specs / name).read_bytes())
            message = f"{_shown(file)} does not have this digest; {_restoring(file, model.params[ANSWERS])}"
            if document is not None:
                yield document.problem(["params", ANSWERS], message)


def _in_plain_words(file: Path, private: set[str]) -> Iterator[Problem]:
    for number, (answer, *_) in enumerate(lines_of(file), start=1):
        if answer.item in private and answer.hidden is None:
            message = (
                f"a published answer to the private item {answer.item!r}; import the same file again to move it to the "
                "private folder, and treat the copy in git as published"
            )
            yield Problem(_shown(file), number, 1, message)


def _restoring(file: Path, digest: object) -> str:
    """Return how to get the file back that has this digest."""
    if file.is_file() and line_ends_changed(file.read_bytes(), str(digest)):
        return line_ends_advice(file)
    return "restore it from git, or import the answers again"


def _shown(file: Path) -> str:
    return f"{ANSWERS}/{file.name}"


class Salts(msgspec.Struct, frozen=True):
    """The salts of an item. before: of its answers when it was private earlier. now: of its answers from now on."""

    before: str | None
    now: str


class Withheld(msgspec.Struct, frozen=True):
    """The new content of files, in the order of writing, the private ones first. answers: how many become private."""

    private: Mapping[Path, bytes]
    published: Mapping[Path, bytes]
    answers: int


def withheld_answers(specs: Path, private: Path, salts: Mapping[str, Salts]) -> Withheld:
    """Move every published answer to the items of `salts` to the private folder, and leave a salted hash.

    All files are read, because a contestant may be only in a profile, or deleted. Raises UsageError for a file without
    the digest in its spec, and RunError for a file without answers.
    """
    kept: dict[Path, bytes] = {}
    published: dict[Path, bytes] = {}
    moved = 0
    for file in sorted((specs.parent / ANSWERS).glob("*.jsonl")):
        public = [answer for answer, *_ in lines_of(file)]
        if not any(answer.item in salts for answer in public):
            continue
        kept_file = answers_file(private, file.stem)
        if kept_file.resolve() == file.resolve():
            raise UsageError(f"{private}: {ANSWERS}/ of the private folder is the published one; name another folder")
        whole = {place_of(answer): answer for answer, *_ in lines_of(kept_file)}
        shown = []
        for answer in public:
            plain = _whole(answer, whole, salts)
            if plain is None:
                shown.append(answer)
                continue
            moved += answer.hidden is None
            whole[place_of(plain)] = plain
            shown.append(plain.published(salts[answer.item].now))
        content = encoded(shown)
        kept[kept_file] = encoded([*whole.values()])
        published |= {file: content, **_named(specs / "models" / f"{file.stem}.yaml", file, content)}
    return Withheld(kept, published, moved)


def place_of(answer: RecordedAnswer) -> tuple[str, str, int]:
    """Return the board, the item and the sample of an answer."""
    return answer.board, answer.item, answer.sample


def _whole(
    answer: RecordedAnswer, private: Mapping[tuple[str, str, int], RecordedAnswer], salts: Mapping[str, Salts]
) -> RecordedAnswer | None:
    """Return the answer with its text; None if its item is not in `salts`, or only its hash is on this machine."""
    salt = salts.get(answer.item)
    if salt is None or answer.hidden is None:
        return None if salt is None else answer
    plain = private.get(place_of(answer))
    return plain if plain and salt.before and plain.published(salt.before) == answer else None


def _named(model: Path, file: Path, content: bytes) -> dict[Path, bytes]:
    """Return the spec that names a file of answers, with its new digest; nothing if no spec names it."""
    if not model.is_file():
        return {}
    document = document_at(model, f"specs/models/{model.name}")
    before = mapping_of(document)
    params: dict[str, Any] = before.get("params", {})
    if before.get("backend") != RECORDED or ANSWERS not in params:
        return {}
    if params[ANSWERS] != f"sha256:{sha256(file.read_bytes())}":
        raise UsageError(f"{file}: its digest differs from {document.file}; {_restoring(file, params[ANSWERS])}")
    wanted = {**before, "params": {**params, ANSWERS: f"sha256:{sha256(content)}"}}
    text = with_item(document, (), wanted)
    return {model: read_back(model, model.read_bytes(), text, wanted, "it cannot be rewritten")}
