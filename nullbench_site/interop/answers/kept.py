"""The files of answers that a repository keeps: what `validate` asks of them, and how the answers to items that become
private leave the published ones for the private folder; and files that are written anew: specs that read back as what
is meant, and several files or none."""

from __future__ import annotations

import shutil
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
from nullbench_site.runs.storage import storage_errors, write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.document import Document, read_document
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rewriting import with_item
from nullbench_site.specs.types import RECORDED


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


def check_answers(specs: Path, benchmark: Benchmark) -> list[Problem]:
    """What is to be warned of: answers to private items that stand in plain words. They go by the files, for the
    contestant of one may stand in a profile alone, or be gone.

    Raises SpecError for each contestant whose file of answers is not the one that its spec names, RunError where a line
    is no answer.
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
            message = f"{_shown(file)} is not the file of this digest; restore it from git, or import the answers again"
            if document is not None:
                yield document.problem(["params", ANSWERS], message)


def _in_plain_words(file: Path, private: set[str]) -> Iterator[Problem]:
    for number, (answer, *_) in enumerate(lines_of(file), start=1):
        if answer.item in private and answer.hidden is None:
            message = (
                f"an answer in plain words to {answer.item!r}, which is private; import the same file of answers "
                "again, which moves it to the private folder, and take what git has of it for published"
            )
            yield Problem(_shown(file), number, 1, message)


def _shown(file: Path) -> str:
    return f"{ANSWERS}/{file.name}"


class Salts(msgspec.Struct, frozen=True):
    """before: by what answers to an item were known when it was private once. now: by what they will be."""

    before: str | None
    now: str


class Withheld(msgspec.Struct, frozen=True):
    """What files are to hold, in the order in which they are to be written; the first stand in the private folder.

    answers: how many leave a published file.
    """

    private: Mapping[Path, bytes]
    published: Mapping[Path, bytes]
    answers: int


def withheld_answers(specs: Path, private: Path, salts: Mapping[str, Salts]) -> Withheld:
    """Every answer beside `specs` to the items of `salts`, moved to the private folder; a salted hash stays.

    This goes by the files, for the contestant of one may stand in a profile alone, or be gone. Raises UsageError where
    a file is not the one that a spec names, RunError where it is none of answers.
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
        whole = {_place(answer): answer for answer, *_ in lines_of(kept_file)}
        shown = []
        for answer in public:
            plain = _whole(answer, whole, salts)
            if plain is None:
                shown.append(answer)
                continue
            moved += answer.hidden is None
            whole[_place(plain)] = plain
            shown.append(plain.published(salts[answer.item].now))
        content = encoded(shown)
        kept[kept_file] = encoded([*whole.values()])
        published |= {file: content, **_named(specs / "models" / f"{file.stem}.yaml", file, content)}
    return Withheld(kept, published, moved)


def _place(answer: RecordedAnswer) -> tuple[str, str, int]:
    return answer.board, answer.item, answer.sample


def _whole(
    answer: RecordedAnswer, private: Mapping[tuple[str, str, int], RecordedAnswer], salts: Mapping[str, Salts]
) -> RecordedAnswer | None:
    """The answer in plain words; None where it is to none of the items, or stands here by a hash alone."""
    salt = salts.get(answer.item)
    if salt is None or answer.hidden is None:
        return None if salt is None else answer
    plain = private.get(_place(answer))
    return plain if plain and salt.before and plain.published(salt.before) == answer else None


def _named(model: Path, file: Path, content: bytes) -> dict[Path, bytes]:
    """The spec that names a file of answers, with the digest of what that is to hold; nothing where none names it."""
    if not model.is_file():
        return {}
    document = document_at(model, f"specs/models/{model.name}")
    before = mapping_of(document)
    params: dict[str, Any] = before.get("params", {})
    if before.get("backend") != RECORDED or ANSWERS not in params:
        return {}
    if params[ANSWERS] != f"sha256:{sha256(file.read_bytes())}":
        advice = "restore it from git, or bring the answers again"
        raise UsageError(f"{file}: this is not the file of answers that {document.file} names; {advice}")
    wanted = {**before, "params": {**params, ANSWERS: f"sha256:{sha256(content)}"}}
    text = with_item(document, (), wanted)
    return {model: read_back(model, model.read_bytes(), text, wanted, "it cannot be written anew")}
