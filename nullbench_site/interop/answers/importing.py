"""Imported answers -> a recorded contestant of boards of a repository: its spec, its place, its answers."""

from __future__ import annotations

import re
import stat
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.evaluation.backends.recorded import (
    ANSWERS,
    RecordedAnswer,
    answers_file,
    asked_digest,
    encoded,
    lines_of,
    salts,
)
from nullbench_site.interop.answers.kept import (
    document_at,
    mapping_of,
    place_of,
    read_back,
    with_files,
)
from nullbench_site.interop.importer import AnswersFile, AnswersImporter, FileAnswer, ImportRefused, SourceProblem
from nullbench_site.interop.logs.reading import of_one_model
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.storage import exclusive, holds, write_all
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.document import Document
from nullbench_site.specs.listing import listing, readable
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.private import left_to_git
from nullbench_site.specs.rewriting import with_entry, with_item
from nullbench_site.specs.types import RECORDED, BoardFile, Id
from nullbench_site.specs.yaml_text import yaml_text
from nullbench_site.text import did_you_mean, escaped, nearest, plural, quoted, title_of
from nullbench_site.thinking import BLANKS, bare_thinking, joined, split_thinking

Place: TypeAlias = tuple[str, str, int]
"""A board, an item and a sample."""
_ADVICE = "Fix them and import again"
_DESCRIBED = re.compile(r"Responses submitted by (?P<by>.*), imported on [0-9-]+\. No model was called here\.")
"""The description of an imported contestant, unless a user has edited it."""
_HEAD = "# yaml-language-server: $schema=../schema/model.json\n"


class ImportRequest(msgspec.Struct, frozen=True):
    """Answers to import: their model, its boards and its description.

    replace: its stored answers may change. partial: items without an answer are allowed, and stored answers to items
    that are not in the file stay.
    """

    file: Path
    boards: Sequence[str]
    model: str
    title: str | None = None
    family: str | None = None
    by: str | None = None
    replace: bool = False
    partial: bool = False


class AnswersReport(msgspec.Struct, frozen=True):
    """The report of an import of answers. sha256: of the file, `sha256:` and hex.

    replaced: how many answers changed. private: how many are only in the private folder. changed: a file was written.
    unanswered: board -> how many of its items have no answer; empty if all have one. thinking: how many answers of the
    file were split from the thinking before them. cut: how many of these end within the thinking, so that no answer is
    left.
    """

    model: str
    boards: tuple[str, ...]
    file: str
    sha256: str
    answers: int
    private: int
    replaced: int
    changed: bool
    unanswered: dict[str, int] = {}
    thinking: int = 0
    cut: int = 0

    def lines(self) -> Iterator[str]:
        """Return the lines to print."""
        answers = f"{plural(self.answers, 'answer')} of {self.model} on {' and '.join(self.boards)}"
        for board, n in self.unanswered.items():
            yield f"{plural(n, 'item')} of {board} not answered here: no score for these, and no rank on the board"
        if self.thinking:
            cut = f"; {self.cut} of them end before the answer begins" if self.cut else ""
            yield f"{plural(self.thinking, 'answer')} split from the thinking before it, which is stored apart{cut}"
        if not self.changed:
            yield f"{answers}: unchanged"
            return
        replaced = f", {self.replaced} changed" if self.replaced else ""
        yield f"imported {answers}{replaced}"
        private = f"; {plural(self.private, 'answer')} only in the private folder" if self.private else ""
        yield f"Stored:   {self.file} ({self.sha256[:19]}){private}"


def import_answers(
    importer: AnswersImporter, specs: Path, private: Path, runs: Path, submission: ImportRequest
) -> AnswersReport:
    """Make a recorded contestant of the answers in a file, or change nothing.

    specs, private, runs: the folders of the repository. Raises ImportRefused with every problem of the file, UsageError
    for wrong names and for answers that exist already, SpecError, StorageError.
    """
    benchmark = load_benchmark(specs, backends=backend_names(), private=private)
    shown = escaped(str(submission.file))
    with readable(submission.file):
        if not stat.S_ISREG(submission.file.stat().st_mode):
            raise UsageError(f"{shown}: not a regular file but a folder, a pipe or a device")
        given = importer.read(shown, submission.file.read_bytes())
    given = of_one_model(shown, given, submission.model, submission.title)
    given = replace(given, answers=[split_off(answer) for answer in given.answers])
    plan = _Plan(specs, private, benchmark, submission, given.generator)
    plan.check_names()
    boards = [benchmark.boards[board] for board in submission.boards]
    matched = Matcher(shown, benchmark, boards, given, plan.stored if submission.partial else None)
    answers = matched.answers()
    if matched.problems:
        raise ImportRefused(matched.problems, _ADVICE)
    files, replaced = plan.files(answers, matched.unanswered)
    changed = {path: content for path, content in files.items() if not holds(path, content)}
    if changed:
        plan.check_specs(changed)
        with exclusive(runs):
            write_all(changed)
    public = answers_file(specs.parent, submission.model)
    return AnswersReport(
        model=submission.model,
        boards=tuple(submission.boards),
        file=public.relative_to(specs.parent).as_posix(),
        sha256=f"sha256:{sha256(files[public] or b'')}",
        answers=len(answers),
        private=sum(answer.item in benchmark.private for answer in answers),
        replaced=replaced,
        changed=bool(changed),
        unanswered={board: len(items) for board, items in matched.unanswered.items()},
        thinking=sum(bool(answer.reasoning) for answer in given.answers),
        cut=sum(bool(answer.reasoning) and not answer.text for answer in given.answers),
    )


def split_off(answer: FileAnswer) -> FileAnswer:
    """Return the answer without its thinking. One that ends within its thinking was cut."""
    split = split_thinking(answer.text)
    reasoning = joined(bare_thinking(answer.reasoning), split.thinking)
    if not split.found and not reasoning:
        return answer
    ended = "length" if split.cut and not split.answer and answer.ended == "stop" else answer.ended
    return replace(answer, text=split.answer.strip(BLANKS), reasoning=reasoning, ended=ended)


class _Plan(msgspec.Struct, dict=True):
    """The files of the repository that an import makes or changes. generator: the model that the file names."""

    specs: Path
    private: Path
    benchmark: Benchmark
    submission: ImportRequest
    generator: str | None

    @property
    def _model(self) -> Path:
        return self.specs / "models" / f"{self.submission.model}.yaml"

    def check_names(self) -> None:
        """Raise UsageError for an unknown board, a model that is not imported, and a board that would lack answers."""
        given, boards = self.submission, self.benchmark.boards
        for name in given.boards:
            if name not in boards:
                raise UsageError(f"unknown board {name!r}; {did_you_mean(name, boards)}")
        try:
            msgspec.convert(given.model, Id)
        except msgspec.ValidationError:
            form = "lower-case letters, digits, dots, underscores and hyphens, with a letter or digit first"
            raise UsageError(f"{quoted(given.model)} is not an id; use {form}") from None
        before = self._before
        if before is not None and not (before["backend"] == RECORDED and ANSWERS in before.get("params", {})):
            place = self._shown(self._model)
            raise UsageError(f"{place}: model {given.model!r} exists and was not imported; choose another --model")
        for name in boards.keys() - {*given.boards}:
            has = any(answer.board == name for answer in self._kept)
            document = self._documents[self._board_file(name)]
            if self._contestants(document) == "all" and not has:
                message = f"the board {name!r} has all contestants, but no answers of this one"
                raise UsageError(f"{document.file}: {message}; add --board {name}, or list its contestants")

    @property
    def stored(self) -> frozenset[Place]:
        """Return the places of the stored answers."""
        return frozenset(map(place_of, self._kept))

    def files(
        self, answers: Sequence[RecordedAnswer], unanswered: Mapping[str, Sequence[str]]
    ) -> tuple[dict[Path, bytes | None], int]:
        """Return the new content of each file, None to delete it, and how many answers change.

        Raises UsageError if answers change without `replace`.
        """
        given = self.submission
        before = {place_of(each): each for each in self._kept}
        given_now = {place_of(each) for each in answers}
        salt = salts(self.benchmark)
        hidden = {each.id for _, each in self.benchmark.every_item if each.visibility == "private"}

        def stays(stored: RecordedAnswer) -> bool:
            return stored.board not in given.boards or (given.partial and place_of(stored) not in given_now)

        ours: list[RecordedAnswer] = [each for each in self._kept if stays(each)]
        whole = [each for each in self._private if stays(each)]
        replaced = 0
        for answer in answers:
            public = answer.published(salt[answer.item]) if answer.item in hidden else answer
            was = before.get(place_of(answer))
            replaced += was is not None and was not in (answer, answer.published(salt.get(answer.item, "")))
            ours.append(public)
            whole += [answer] if public is not answer else []
        if replaced and not given.replace:
            has = f"{replaced} of {len(answers)} answers differ from those of {given.model!r}"
            raise UsageError(f"{has}; replace them with --replace")
        public_file = answers_file(self.specs.parent, given.model)
        private_file = answers_file(self.private, given.model)
        if whole and left_to_git(self.specs.parent, [private_file]):
            raise UsageError(
                f"{private_file}: git would publish this file; add the line /{self.private.name}/ to .gitignore"
            )
        content = encoded(ours)
        files: dict[Path, bytes | None] = {
            private_file: encoded(whole) if whole else None,
            public_file: content,
            self._model: self._spec(f"sha256:{sha256(content)}", unanswered),
        }
        # The boards last: a board must not name a contestant without a spec, but a spec needs no board.
        return files | {self._board_file(name): self._entered(name) for name in given.boards}, replaced

    def check_specs(self, files: Mapping[Path, bytes | None]) -> None:
        """Raise SpecError if the specs would break a rule."""
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
        """Return the current spec of the contestant."""
        return mapping_of(document_at(self._model, self._shown(self._model))) if self._model.exists() else None

    @cached_property
    def _kept(self) -> list[RecordedAnswer]:
        """Return the answers that are published now."""
        return [answer for answer, *_ in lines_of(answers_file(self.specs.parent, self.submission.model))]

    @cached_property
    def _private(self) -> list[RecordedAnswer]:
        return [answer for answer, *_ in lines_of(answers_file(self.private, self.submission.model))]

    def _entered(self, name: str) -> bytes:
        """Return the file of a board with the contestant on it."""
        path, model = self._board_file(name), self.submission.model
        document, raw = self._documents[path], path.read_bytes()
        contestants = self._contestants(document)
        if contestants == "all" or model in contestants:
            return raw
        text = with_entry(document, ("contestants",), model)
        wanted = {**mapping_of(document), "contestants": [*contestants, model]}
        return read_back(path, raw, text, wanted, f"{model!r} cannot be added to its contestants")

    def _spec(self, digest: str, unanswered: Mapping[str, Sequence[str]]) -> bytes:
        """Return the spec of the contestant, which names the digest of its answers and the items without one."""
        given, before = self.submission, self._before
        earlier = None if before is None else _DESCRIBED.fullmatch(before["description"])
        by = title_of(given.by or "") or (earlier["by"] if earlier else "an unnamed person")
        described = f"Responses submitted by {by}, imported on {datetime.now(UTC).date()}. No model was called here."
        if before is None:
            name = title_of(given.title or self.generator or given.model)
            spec = {
                "canary": f"nullbench-canary:{uuid.uuid4()}", "id": given.model, "title": name,
                "description": described, "kind": "model", "backend": RECORDED,
                "model": re.sub(r" #+", " ", name).strip() or given.model,
                "family": given.family or given.model, "params": {ANSWERS: digest},
                **({"unanswered": dict(unanswered)} if unanswered else {}),
            }  # fmt: skip
            return (_HEAD + yaml_text(spec)).encode()
        raw, changes = self._model.read_bytes(), before["params"][ANSWERS] != digest
        wanted: dict[str, Any] = {**before, "params": {ANSWERS: digest}}
        wanted |= {name: value for name, value in (("title", given.title), ("family", given.family)) if value}
        if (given.by and by != (earlier and earlier["by"])) or (earlier and changes):
            wanted["description"] = described
        others = {name: items for name, items in before.get("unanswered", {}).items() if name not in given.boards}
        wanted["unanswered"] = {**others, **unanswered}
        if not wanted["unanswered"]:
            del wanted["unanswered"]
        if wanted == before:
            return raw
        document = document_at(self._model, self._shown(self._model))
        return read_back(self._model, raw, with_item(document, (), wanted), wanted, "it cannot be rewritten")

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.specs.parent).as_posix()


_OPENING = 200
"""The characters of a prompt that are compared to find the nearest one."""


def prompts_of(benchmark: Benchmark, board: BoardFile) -> dict[str, str | None]:
    """Return the prompt of each item in the first wording of a board; None for a private item without its text."""
    protocol, first = judging(board.protocol), board.wordings[0]
    items = benchmark.items(board)
    return {each.id: None if each.withheld else protocol.worded(benchmark, board, each, first).text for each in items}


def turns_problem(benchmark: Benchmark, board: BoardFile) -> str | None:
    """Return why a file cannot answer this board, or None."""
    several = [each.id for each in benchmark.items(board) if each.n_turns > 1]
    if not several:
        return None
    message = f"{board.id!r} has {plural(len(several), 'item')} with several turns, the first {several[0]!r}"
    return f"{message}: a file can only answer single turns"


class Matcher(msgspec.Struct, dict=True):
    """Find the item of each answer, and every problem of the file and of its answers to the boards.

    stored: the places of earlier answers that stay. None: the file must answer every item. unanswered: board -> the
    items without an answer.
    """

    file: str
    benchmark: Benchmark
    boards: Sequence[BoardFile]
    given: AnswersFile
    stored: frozenset[Place] | None = None
    problems: list[SourceProblem] = []
    unanswered: dict[str, list[str]] = {}

    def answers(self) -> list[RecordedAnswer]:
        """Return an answer for each item and sample of each board; complete only if there are no problems.

        A file in which no answer could be read has only its own problems: none is about an item.
        """
        self.problems += self.given.problems
        if self.problems and not self.given.answers:
            return []
        first: dict[tuple[str, int], FileAnswer] = {}
        for answer in self.given.answers:
            item = self._item(answer)
            if item is None:
                continue
            before = first.setdefault((item, answer.sample), answer)
            if before is not answer:
                self._note(answer, f"duplicate answer to item {item!r}, first in line {before.line}; keep one")
        return [answer for board in self.boards for answer in self._of(board, first)]

    @cached_property
    def _prompts(self) -> Mapping[str, Mapping[str, str | None]]:
        return {board.id: prompts_of(self.benchmark, board) for board in self.boards}

    @cached_property
    def _by_prompt(self) -> Mapping[str, str]:
        every = [of_board.items() for of_board in self._prompts.values()]
        return {prompt.strip(): item for items in every for item, prompt in items if prompt is not None}

    def _item(self, answer: FileAnswer) -> str | None:
        """Return the item of an answer, or None if there is a problem."""
        names = " and ".join(repr(board.id) for board in self.boards)
        items = {item for of_board in self._prompts.values() for item in of_board}
        if answer.item is None or (answer.item not in items and answer.prompt is not None):
            prompt = (answer.prompt or "").strip()
            if prompt in self._by_prompt:
                return self._sampled(answer, self._by_prompt[prompt])
            openings = {words[:_OPENING].casefold(): item for words, item in self._by_prompt.items()}
            near = nearest(prompt[:_OPENING], openings)
            hint = "" if near is None else f"; the nearest is that of item {openings[near]!r}"
            self._note(answer, f"no item of {names} has this prompt{hint}", "instruction")
            return None
        if answer.item not in items:
            self._note(answer, f"{names} has no item {quoted(answer.item)}; {did_you_mean(answer.item, items)}", "item")
            return None
        return self._sampled(answer, answer.item)

    def _sampled(self, answer: FileAnswer, item: str) -> str | None:
        """Return the item of an answer if a board takes its sample."""
        boards = [board for board in self.boards if item in self._prompts[board.id]]
        samples = max(board.samples for board in boards)
        if answer.sample < samples:
            return item
        takes = "only sample 0" if samples == 1 else f"samples 0 to {samples - 1}"
        names = " and ".join(repr(board.id) for board in boards)
        self._note(answer, f"found {answer.sample}; {names} takes {takes}", "sample")
        return None

    def _of(self, board: BoardFile, given: Mapping[tuple[str, int], FileAnswer]) -> Iterator[RecordedAnswer]:
        """Yield the answers of a board and note the missing ones."""
        if message := turns_problem(self.benchmark, board):
            advice = "call the model instead, or choose another board"
            self.problems.append(SourceProblem(self.file, 0, "", f"{message}; {advice}"))
        to_prompt: dict[tuple[str, int], tuple[str, FileAnswer]] = {}
        for item, prompt in self._prompts[board.id].items():
            if self.stored is not None and not self._has(board, item, given):
                self.unanswered.setdefault(board.id, []).append(item)
                continue
            for sample in range(board.samples):
                answer = given.get((item, sample))
                if answer is None and (board.id, item, sample) in (self.stored or ()):
                    continue
                if answer is None:
                    which = f" (sample {sample})" if board.samples > 1 else ""
                    message = f"item {item!r} of {board.id!r} has no answer{which}; add one"
                    self.problems.append(
                        SourceProblem(self.file, self.given.lines and self.given.lines + 1, "", message)
                    )
                    continue
                if prompt is None:
                    message = f"the text of the private item {item!r} is missing; set NULLBENCH_PRIVATE to its folder"
                    self._note(answer, message)
                    continue
                other, same = to_prompt.setdefault((prompt, sample), (item, answer))
                if same.text != answer.text:
                    message = f"items {item!r} and {other!r} have the same prompt but different answers"
                    self._note(answer, f"{message}, the other in line {same.line}; give both the same")
                yield RecordedAnswer(
                    board=board.id,
                    item=item,
                    sample=sample,
                    asked=asked_digest(prompt),
                    text=answer.text,
                    seconds=answer.seconds,
                    input_tokens=answer.input_tokens,
                    output_tokens=answer.output_tokens,
                    ended=answer.ended,
                    reasoning=answer.reasoning,
                    response_id=answer.response_id,
                )

    def _has(self, board: BoardFile, item: str, given: Mapping[tuple[str, int], FileAnswer]) -> bool:
        """Return True if a sample of an item has an answer, in the file or stored."""
        stored = self.stored or ()
        return any((item, sample) in given or (board.id, item, sample) in stored for sample in range(board.samples))

    def _note(self, answer: FileAnswer, message: str, path: str = "") -> None:
        self.problems.append(SourceProblem(self.file, answer.line, path, message))
