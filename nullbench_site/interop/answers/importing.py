"""Answers that were brought -> a recorded contestant of boards of a repository: its spec, its place, its answers."""

from __future__ import annotations

import re
import stat
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.evaluation.backends.recorded import (
    ANSWERS,
    RecordedAnswer,
    answers_file,
    encoded,
    lines_of,
    salts,
)
from nullbench_site.interop.answers.kept import document_at, holds, mapping_of, read_back, with_files, write_all
from nullbench_site.interop.answers.matching import Matcher
from nullbench_site.interop.importer import AnswersImporter, ImportRefused
from nullbench_site.interop.repository import yaml_text
from nullbench_site.runs.storage import exclusive
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.document import Document
from nullbench_site.specs.listing import listing, readable
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.private import left_to_git
from nullbench_site.specs.rewriting import with_entry, with_item
from nullbench_site.specs.types import RECORDED, Id
from nullbench_site.text import did_you_mean, escaped, plural, quoted, title_of

_ADVICE = "Mend them and import again"
_DESCRIBED = re.compile(r"Answers brought by (?P<by>.*) on [0-9-]+, and recorded: nobody was asked here\.")
"""The description of such a contestant, as long as nobody has written another."""
_HEAD = "# yaml-language-server: $schema=../schema/model.json\n"


class Submission(msgspec.Struct, frozen=True):
    """What is to be brought in: whose answers, on which boards, and how the contestant is described.

    replace: whether answers that it has already may be others.
    """

    file: Path
    boards: Sequence[str]
    model: str
    title: str | None = None
    family: str | None = None
    by: str | None = None
    replace: bool = False


class AnswersImported(msgspec.Struct, frozen=True):
    """What an import of answers made. sha256: of the file, `sha256:` and hex.

    replaced: how many answers are others now. private: how many stand in the private folder alone. changed: whether
    anything was written.
    """

    model: str
    boards: tuple[str, ...]
    file: str
    sha256: str
    answers: int
    private: int
    replaced: int
    changed: bool

    def lines(self) -> Iterator[str]:
        """What to say of it on a terminal."""
        answers = f"{plural(self.answers, 'answer')} of {self.model} on {' and '.join(self.boards)}"
        if not self.changed:
            yield f"{answers}: the same as before, so nothing was changed"
            return
        replaced = f", {self.replaced} of them other than before" if self.replaced else ""
        yield f"imported {answers}{replaced}"
        private = (
            f"; {plural(self.private, 'answer')} to private items in the private folder alone" if self.private else ""
        )
        yield f"Kept in:  {self.file} ({self.sha256[:19]}){private}"


def import_answers(
    importer: AnswersImporter, specs: Path, private: Path, runs: Path, submission: Submission
) -> AnswersImported:
    """Make a recorded contestant of the answers in a file, or change nothing.

    specs, private, runs: the folders of the repository. Raises ImportRefused with every problem of the file, UsageError
    for names that will not do and for answers that are there already, SpecError, StorageError.
    """
    benchmark = load_benchmark(specs, backends=backend_names(), private=private)
    shown = escaped(str(submission.file))
    with readable(submission.file):
        if not stat.S_ISREG(submission.file.stat().st_mode):
            raise UsageError(
                f"{shown}: this is no plain file, but a folder, a pipe or a device; write the answers to one"
            )
        brought = importer.read(shown, submission.file.read_bytes())
    plan = _Plan(specs, private, benchmark, submission, brought.generator)
    plan.check_names()
    matched = Matcher(shown, benchmark, [benchmark.boards[board] for board in submission.boards], brought)
    answers = matched.answers()
    if matched.problems:
        raise ImportRefused(matched.problems, _ADVICE)
    files, replaced = plan.files(answers)
    changed = {path: content for path, content in files.items() if not holds(path, content)}
    if changed:
        plan.check_specs(changed)
        with exclusive(runs):
            write_all(changed)
    public = answers_file(specs.parent, submission.model)
    return AnswersImported(
        model=submission.model,
        boards=tuple(submission.boards),
        file=public.relative_to(specs.parent).as_posix(),
        sha256=f"sha256:{sha256(files[public] or b'')}",
        answers=len(answers),
        private=sum(answer.item in benchmark.private for answer in answers),
        replaced=replaced,
        changed=bool(changed),
    )


class _Plan(msgspec.Struct, dict=True):
    """The files of the repository that an import makes or changes. generator: whom the file says it is of."""

    specs: Path
    private: Path
    benchmark: Benchmark
    submission: Submission
    generator: str | None

    @property
    def _model(self) -> Path:
        return self.specs / "models" / f"{self.submission.model}.yaml"

    def check_names(self) -> None:
        """Raises UsageError for a board that is not there, a model that is asked, a board that would lack answers."""
        given, boards = self.submission, self.benchmark.boards
        for name in given.boards:
            if name not in boards:
                raise UsageError(f"there is no board {name!r} in the specs; {did_you_mean(name, boards)}")
        try:
            msgspec.convert(given.model, Id)
        except msgspec.ValidationError:
            form = "lower-case letters, digits, dots, underscores and hyphens; it starts with a letter or digit"
            raise UsageError(f"{quoted(given.model)} is no id of a contestant; an id has {form}") from None
        before = self._before
        if before is not None and not (before["backend"] == RECORDED and ANSWERS in before.get("params", {})):
            place = f"{self._shown(self._model)}: {given.model!r} is there already"
            raise UsageError(f"{place}, and its answers were not brought; choose another --model")
        for name in boards.keys() - {*given.boards}:
            has = any(answer.board == name for answer in self._kept)
            document = self._documents[self._board_file(name)]
            if self._contestants(document) == "all" and not has:
                message = f"the board {name!r} has every contestant, and would lack answers of this one"
                raise UsageError(
                    f"{document.file}: {message}; name the board with --board too, or list its contestants"
                )

    def files(self, answers: Sequence[RecordedAnswer]) -> tuple[dict[Path, bytes | None], int]:
        """What each file is to hold, None for one that is to be gone; and how many answers are replaced by others.

        Raises UsageError where some would be, and may not.
        """
        given = self.submission
        before = {(each.board, each.item, each.sample): each for each in self._kept}
        salt = salts(self.benchmark)
        hidden = {each.id for _, each in self.benchmark.every_item if each.visibility == "private"}
        ours: list[RecordedAnswer] = [each for each in self._kept if each.board not in given.boards]
        whole = [each for each in self._private if each.board not in given.boards]
        replaced = 0
        for answer in answers:
            public = answer.published(salt[answer.item]) if answer.item in hidden else answer
            was = before.get((answer.board, answer.item, answer.sample))
            replaced += was is not None and was not in (answer, answer.published(salt.get(answer.item, "")))
            ours.append(public)
            whole += [answer] if public is not answer else []
        if replaced and not given.replace:
            has = f"{given.model!r} has other answers already: {replaced} of {len(answers)} differ"
            raise UsageError(f"{has}; give --replace to put these in their place")
        public_file, private_file = (
            answers_file(self.specs.parent, given.model),
            answers_file(self.private, given.model),
        )
        if whole and left_to_git(self.specs.parent, [private_file]):
            raise UsageError(
                f"{private_file}: git would publish this file; add the line /{self.private.name}/ to .gitignore"
            )
        content = encoded(ours)
        files: dict[Path, bytes | None] = {
            private_file: encoded(whole) if whole else None,
            public_file: content,
            self._model: self._spec(f"sha256:{sha256(content)}"),
        }
        # The boards last: one that names a contestant that is not there is a mistake, the reverse is none.
        return files | {self._board_file(name): self._entered(name) for name in given.boards}, replaced

    def check_specs(self, files: Mapping[Path, bytes | None]) -> None:
        """Raises SpecError where the specs would not hold any more."""
        with tempfile.TemporaryDirectory() as folder:
            with_files(self.specs, files, Path(folder), self.private)

    @cached_property
    def _documents(self) -> Mapping[Path, Document]:
        return {path: document_at(path, self._shown(path)) for path in listing(self.specs).every("boards", ".yaml")}

    def _board_file(self, name: str) -> Path:
        return next(path for path, document in self._documents.items() if mapping_of(document)["id"] == name)

    def _contestants(self, document: Document) -> Any:
        return mapping_of(document).get("contestants", "all")

    @cached_property
    def _before(self) -> Mapping[str, Any] | None:
        """The spec of the contestant as it is now."""
        return mapping_of(document_at(self._model, self._shown(self._model))) if self._model.exists() else None

    @cached_property
    def _kept(self) -> list[RecordedAnswer]:
        """The answers as they are published now."""
        return [answer for answer, *_ in lines_of(answers_file(self.specs.parent, self.submission.model))]

    @cached_property
    def _private(self) -> list[RecordedAnswer]:
        return [answer for answer, *_ in lines_of(answers_file(self.private, self.submission.model))]

    def _entered(self, name: str) -> bytes:
        """The file of a board with the contestant on it."""
        path, model = self._board_file(name), self.submission.model
        document, raw = self._documents[path], path.read_bytes()
        contestants = self._contestants(document)
        if contestants == "all" or model in contestants:
            return raw
        text = with_entry(document, ("contestants",), model)
        wanted = {**mapping_of(document), "contestants": [*contestants, model]}
        return read_back(path, raw, text, wanted, f"{model!r} cannot be added to its contestants")

    def _spec(self, digest: str) -> bytes:
        """The spec of the contestant, which names the file of answers."""
        given, before = self.submission, self._before
        earlier = None if before is None else _DESCRIBED.fullmatch(before["description"])
        by = title_of(given.by or "") or (earlier["by"] if earlier else "somebody who left no name")
        described = f"Answers brought by {by} on {datetime.now(UTC).date()}, and recorded: nobody was asked here."
        if before is None:
            name = title_of(given.title or self.generator or given.model)
            spec = {
                "canary": f"nullbench-canary:{uuid.uuid4()}", "id": given.model, "title": name,
                "description": described, "kind": "model", "backend": RECORDED,
                "model": re.sub(r" #+", " ", name).strip() or given.model,
                "family": given.family or given.model, "params": {ANSWERS: digest},
            }  # fmt: skip
            return (_HEAD + yaml_text(spec)).encode()
        raw, changes = self._model.read_bytes(), before["params"][ANSWERS] != digest
        wanted: dict[str, Any] = {**before, "params": {ANSWERS: digest}}
        wanted |= {name: value for name, value in (("title", given.title), ("family", given.family)) if value}
        if (given.by and by != (earlier and earlier["by"])) or (earlier and changes):
            wanted["description"] = described
        if wanted == before:
            return raw
        document = document_at(self._model, self._shown(self._model))
        return read_back(self._model, raw, with_item(document, (), wanted), wanted, "it cannot be written anew")

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.specs.parent).as_posix()
