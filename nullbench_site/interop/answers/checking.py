"""Check a submission, one contestant's spec and its answers, against a repository.

Nothing of it is executed and nothing is written. Its claims (how and by whom the model was called) cannot be checked.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.evaluation.backends.recorded import ANSWERS, RecordedAnswer, asked_digest, lines_of
from nullbench_site.interop.answers.importing import prompts_of, turns_problem
from nullbench_site.interop.answers.kept import with_files
from nullbench_site.interop.source_files import NotPlainError, plain_bytes, repeated_keys
from nullbench_site.runs.catalog import list_runs, newest_run
from nullbench_site.runs.folder import SHARDS
from nullbench_site.runs.records import Response, read_records
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import NOT_JSON, line_ends_advice, line_ends_changed, sha256
from nullbench_site.specs.document import MAX_BYTES, Document, read_document
from nullbench_site.specs.load import load_benchmark, read_specs
from nullbench_site.specs.types import RECORDED, BoardFile, JudgedBoardFile, ModelFile, Provenance
from nullbench_site.text import did_you_mean, escaped, listed, plural, quoted, short_line, some_of

_LONG = 40
"""Equal answers of at least this many characters are probably not a coincidence."""
_MOST_NAMED = 5
_MOST_FINDINGS = 200
_MOST_MESSAGE = 400


Level: TypeAlias = Literal["error", "warning", "note"]


class SubmissionFinding(msgspec.Struct, frozen=True):
    """One finding. An error means that the submission cannot be accepted. Lines and columns are 1-based."""

    level: Level
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.level}: {self.message}"


class BoardCoverage(msgspec.Struct, frozen=True):
    """The number of a board's items with all their answers. private: answers given only by their hashes."""

    board: str
    answered: int
    of: int
    private: int


class SubmissionReport(msgspec.Struct, frozen=True):
    """The output of `submit check --json`.

    sha256, answers, response_ids: the digest of the file of answers, how many it has, and how many of them have a
    response id; null if the model file is invalid. taken: the submission has no error. more: findings not listed.
    """

    model: str
    title: str
    family: str
    provenance: Provenance | None
    sha256: str | None
    answers: int | None
    response_ids: int | None
    boards: tuple[BoardCoverage, ...]
    findings: tuple[SubmissionFinding, ...]
    more: int
    taken: bool

    def lines(self) -> Iterator[str]:
        """Return a line per finding, and a summary."""
        yield from map(str, self.findings)
        if self.more:
            yield f"{plural(self.more, 'more finding')}"
        for board in self.boards:
            hidden = f", {board.private} of them private, only by their hashes" if board.private else ""
            yield f"{board.board}: {board.answered} of {plural(board.of, 'item')} answered{hidden}"
        if self.sha256 is None or self.answers is None:
            yield f"{self.model}: its answers were not checked"
        else:
            ids = f"{self.response_ids} of {plural(self.answers, 'answer')} with a response id"
            yield f"{self.model}: {ids}; file {self.sha256[:19]}; claimed provenance: {self.provenance or 'none'}"
        errors = sum(finding.level == "error" for finding in self.findings)
        yield "can be accepted" if self.taken else f"cannot be accepted: {plural(errors, 'error')}"


def check_submission(folder: Path, model: str | None, specs: Path, private: Path, runs: Path) -> SubmissionReport:
    """Check the submission in a folder: specs/models/<id>.yaml and answers/<id>.jsonl.

    model: its id, if the folder has several. specs, private, runs: of the repository. Raises UsageError if the folder
    has no submission, SpecError if the specs of the repository are wrong.
    """
    name = model or _only_model(folder)
    check = _Check(folder, name, specs, private, runs)
    try:
        check.all()
    except NotPlainError as error:
        raise UsageError(f"{folder}: {error}") from None
    findings = sorted(check.findings, key=lambda each: (each.level != "error", each.file, each.line, each.column))
    spec = check.spec
    return SubmissionReport(
        model=name,
        title="" if spec is None else spec.title,
        family="" if spec is None else spec.family,
        provenance=None if spec is None else spec.provenance,
        sha256=check.digest,
        answers=None if check.digest is None else len(check.answers),
        response_ids=None if check.digest is None else sum(each.response_id is not None for each, _ in check.answers),
        boards=tuple(check.coverage),
        findings=tuple(findings[:_MOST_FINDINGS]),
        more=max(0, len(findings) - _MOST_FINDINGS),
        taken=not any(each.level == "error" for each in findings),
    )


def _only_model(folder: Path) -> str:
    names = sorted(path.stem for path in (folder / "specs" / "models").glob("*.yaml"))
    if len(names) == 1:
        return names[0]
    count = f"found {len(names)}" if names else "found none"
    advice = "choose one with --model" if names else f"add it next to {ANSWERS}/, as `import answers` makes it"
    raise UsageError(f"{escaped(str(folder))}: expected one specs/models/<id>.yaml, {count}; {advice}")


class _Check(msgspec.Struct, dict=True):
    folder: Path
    name: str
    specs: Path
    private: Path
    runs: Path
    findings: list[SubmissionFinding] = []
    answers: list[tuple[RecordedAnswer, int]] = []
    coverage: list[BoardCoverage] = []
    spec: ModelFile | None = None
    digest: str | None = None

    @cached_property
    def model_file(self) -> str:
        return f"specs/models/{self.name}.yaml"

    @cached_property
    def answers_file(self) -> str:
        return f"{ANSWERS}/{self.name}.jsonl"

    def all(self) -> None:
        raw = self._bytes(self.model_file, MAX_BYTES)
        own = self.specs / "models" / f"{self.name}.yaml"
        document, _ = read_document(self.model_file, raw)
        if own.is_file() and own.read_bytes() != raw:
            message = f"the repository has another contestant {self.name!r}; choose another id"
            self._at(document, ["id"], "error", message)
        load_benchmark(
            self.specs, backends=backend_names(), private=self.private
        )  # raises the problems of the repository itself
        try:
            with tempfile.TemporaryDirectory() as trial:
                benchmark = with_files(self.specs, {own: raw}, Path(trial), self.private)
                sources = read_specs(Path(trial) / self.specs.name, new=False).models
        except SpecError as error:
            for wrong in error.problems:
                self._note("error", wrong.file, wrong.line, wrong.column, wrong.message)
            return
        self.spec = next(source.spec for source in sources if source.spec.id == self.name)
        if self._reads_answers(document):
            self._items(benchmark)
            self._alike()
            self._as_others()
            self._response_ids()
            self._families(benchmark, document)

    def _reads_answers(self, document: Document | None) -> bool:
        assert self.spec is not None  # noqa: S101 - it was read
        if self.spec.backend != RECORDED or ANSWERS not in self.spec.params:
            message = f"a submission has recorded answers: expected backend: {RECORDED} and the param {ANSWERS!r}"
            self._at(document, ["backend"], "error", f"{message}, as `import answers` writes them")
            return False
        raw = self._bytes(self.answers_file)
        self.digest = f"sha256:{sha256(raw)}"
        if self.spec.params[ANSWERS] != self.digest:
            message = f"{self.answers_file} has another digest: {self.digest}"
            if line_ends_changed(raw, str(self.spec.params[ANSWERS])):
                message += f"; {line_ends_advice(Path(self.answers_file))}"
            self._at(document, ["params", ANSWERS], "error", message)
        for number, line in enumerate(raw.removesuffix(b"\n").split(b"\n") if raw else (), start=1):
            try:
                self.answers.append((msgspec.json.decode(line, type=RecordedAnswer), number))
                for _, repeated in repeated_keys(line):
                    self._line(number, "error", repeated)
            except NOT_JSON as wrong:
                self._line(number, "error", f"not a recorded answer: {wrong}")
        return True

    # Comparison with the items of the repository.

    def _items(self, benchmark: Benchmark) -> None:
        first: dict[tuple[str, str, int], int] = {}
        answered: dict[str, Counter[str]] = {}
        hidden: Counter[str] = Counter()
        named = {answer.board for answer, _ in self.answers}
        boards = {name: _Asked.of(benchmark, board) for name, board in benchmark.boards.items() if name in named}
        for answer, line in self.answers:
            board = boards.get(answer.board)
            if board is None:
                known = did_you_mean(answer.board, benchmark.boards)
                self._line(line, "error", f"unknown board {quoted(answer.board)}; {known}")
                continue
            if answer.item not in board.asked:
                known = did_you_mean(answer.item, board.asked)
                self._line(line, "error", f"{answer.board!r} has no item {quoted(answer.item)}; {known}")
                continue
            if not 0 <= answer.sample < board.samples:
                wants = f"samples 0 to {board.samples - 1}" if board.samples > 1 else "only sample 0"
                self._line(line, "error", f"found sample {answer.sample}; {answer.board!r} takes {wants}")
                continue
            before = first.setdefault((answer.board, answer.item, answer.sample), line)
            if before != line:
                self._line(line, "error", f"duplicate answer to item {answer.item!r}, first in line {before}")
                continue
            answered.setdefault(answer.board, Counter())[answer.item] += 1
            hidden[answer.board] += answer.hidden is not None
            self._prompt(answer, line, board)
        for name, items in answered.items():
            self._coverage(boards[name], items, hidden[name])
        if not answered and not any(each.level == "error" for each in self.findings):
            self._line(1, "error", "the file has no answer; add one JSON object per line")

    def _prompt(self, answer: RecordedAnswer, line: int, board: _Asked) -> None:
        asked = board.asked[answer.item]
        if answer.item in board.private:
            if answer.hidden is None:
                message = f"the answer to the private item {answer.item!r} is published here"
                self._line(line, "error", f"{message}; `import answers` would leave only its salted hash")
        elif answer.hidden is not None:
            self._line(line, "error", f"the item {answer.item!r} is public, but only the hash of its answer is here")
        elif asked is not None and answer.asked != asked:
            message = f"answers an older wording of the prompt of {answer.item!r}"
            self._line(line, "error", f"{message}; answer the current prompt")

    def _coverage(self, board: _Asked, items: Counter[str], hidden: int) -> None:
        missing = [item for item in board.asked if items[item] < board.samples]
        self.coverage.append(BoardCoverage(board.id, len(board.asked) - len(missing), len(board.asked), hidden))
        stated = () if self.spec is None else self.spec.unanswered.get(board.id, ())
        if both := [item for item in stated if items[item]]:
            message = f"{board.id!r}: the model file calls item {both[0]!r} unanswered, but here is an answer"
            self._line(1, "error", f"{message}; import the answers again")
        missing = [item for item in missing if item not in stated]
        if missing:
            names = listed(some_of([*map(repr, missing)], _MOST_NAMED, thousands=""))
            message = f"no answer to {plural(len(missing), 'item')} of {board.id!r}: {names}"
            self._line(len(self.answers) + 1, "error", message)
        if board.turns:
            self._line(1, "error", board.turns)
        if self.name not in board.contestants:
            message = f"{board.id!r} lists its contestants; add {self.name!r} to specs/boards/{board.id}.yaml"
            self._note("note", self.model_file, 1, 1, message)

    # Comparison of answers with each other and with known ones.

    def _alike(self) -> None:
        """Warn of identical answers to different prompts."""
        first: dict[str, tuple[RecordedAnswer, int]] = {}
        for answer, line in self.answers:
            if len(answer.text) >= _LONG:
                same, at = first.setdefault(answer.text, (answer, line))
                if same.item != answer.item and same.asked != answer.asked:
                    self._line(line, "warning", f"the same answer as to {same.item!r} in line {at}")

    def _as_others(self) -> None:
        """Warn of answers that are equal, byte for byte, to those of a known model."""
        mine = {
            (answer.board, answer.item, sha256(answer.text.encode())): line
            for answer, line in self.answers
            if len(answer.text) >= _LONG
        }
        same: dict[str, list[int]] = {}
        for model, board, item, text in self._known():
            if model != self.name and len(text) >= _LONG:
                line = mine.get((board, item, sha256(text.encode())))
                if line is not None:
                    same.setdefault(model, []).append(line)
        for model, lines in sorted(same.items()):
            of = plural(len(mine), "answer")
            message = f"{len(set(lines))} of {of} of {_LONG} characters or more are identical to those of {model!r}"
            self._line(min(lines), "warning", f"{message}; the first is this one")

    def _known(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield every public answer of the repository: those of the newest run and the imported ones."""
        newest = newest_run(list_runs(self.runs)) if self.runs.is_dir() else None
        for path in sorted((newest.path / SHARDS[Response]).glob("*.jsonl")) if newest is not None else ():
            for record in read_records(path, Response):
                yield record.model, record.board, record.item, record.text
        for path in sorted((self.specs.parent / ANSWERS).glob("*.jsonl")):
            for answer, *_ in lines_of(path):
                yield path.stem, answer.board, answer.item, answer.text

    def _response_ids(self) -> None:
        """Warn of repeated response ids: an endpoint gives each response a new id, even across boards."""
        first: dict[str, tuple[RecordedAnswer, int]] = {}
        for answer, line in self.answers:
            if answer.response_id is not None:
                same, at = first.setdefault(answer.response_id, (answer, line))
                if (same.item, same.sample) != (answer.item, answer.sample):
                    self._line(
                        line, "warning", f"duplicate response id {quoted(answer.response_id)}, first in line {at}"
                    )
        if 0 < (n := sum(answer.response_id is not None for answer, _ in self.answers)) < len(self.answers):
            self._line(1, "note", f"{n} of {len(self.answers)} answers have a response id")

    def _families(self, benchmark: Benchmark, document: Document | None) -> None:
        spec = self.spec
        assert spec is not None  # noqa: S101 - it was read
        judges = benchmark.judges.values()
        others = [model for model in benchmark.models.values() if model.id != spec.id]
        if spec.family not in {judge.family for judge in judges} | {model.family for model in others}:
            self._at(document, ["family"], "note", f"no judge and no other contestant has the family {spec.family!r}")
        named = {model.family for model in others if spec.vendor and model.vendor == spec.vendor} - {spec.family}
        if named:
            families = listed([repr(family) for family in sorted(named)])
            message = (
                f"other models of {quoted(spec.vendor)} have the family {families}, whose judges would score this one"
            )
            self._at(document, ["family"], "warning", message)
        for covered in self.coverage:
            board = benchmark.boards[covered.board]
            if isinstance(board, JudgedBoardFile):
                self._judges(benchmark, board, spec, document)

    def _judges(self, benchmark: Benchmark, board: JudgedBoardFile, spec: ModelFile, document: Document | None) -> None:
        panel = benchmark.panels[board.panel].judges
        may = {judge.id for judge in benchmark.judges_for(board, spec)}
        own = [judge for judge in panel if judge not in may]
        if own:
            who = f"{listed([repr(judge) for judge in own])} of {board.id!r}"
            left = f"{len(may)} of {len(panel)} judges score it"
            message = f"the family {spec.family!r} excludes {who} from scoring it; {left}"
            self._at(document, ["family"], "warning", message)

    # Files and findings.

    def _bytes(self, name: str, most: int | None = None) -> bytes:
        path = self._path(name)
        try:
            raw = plain_bytes(path)
        except NotPlainError as error:
            raise NotPlainError(f"{name}: {error}") from None
        if most is not None and len(raw) > most:
            raise NotPlainError(f"{name} has more than {most // 1024**2} MB")
        return raw

    def _path(self, name: str) -> Path:
        """Return the path of a file. Raises NotPlainError for a symlink on the way and for a missing file."""
        path = self.folder
        for part in Path(name).parts:
            path /= part
            if path.is_symlink():
                raise NotPlainError(f"{name} is or is below a symbolic link; put the file itself there")
        if not path.exists():
            raise NotPlainError(f"found no {name}; a submission has specs/models/<id>.yaml and {ANSWERS}/<id>.jsonl")
        return path

    def _at(self, document: Document | None, steps: Sequence[str], level: Level, message: str) -> None:
        place = None if document is None else document.problem(steps, "")
        line, column = (1, 1) if place is None else (place.line, place.column)
        self._note(level, self.model_file, line, column, message)

    def _line(self, line: int, level: Level, message: str) -> None:
        self._note(level, self.answers_file, line, 1, message)

    def _note(self, level: Level, file: str, line: int, column: int, message: str) -> None:
        self.findings.append(SubmissionFinding(level, file, line, column, short_line(message, _MOST_MESSAGE)))


class _Asked(msgspec.Struct, frozen=True):
    """The prompts of a board. asked: item -> the digest of its prompt, None if its text is not on this machine.

    turns: as `turns_problem`.
    """

    id: str
    samples: int
    asked: Mapping[str, str | None]
    private: frozenset[str]
    turns: str | None
    contestants: frozenset[str]

    @classmethod
    def of(cls, benchmark: Benchmark, board: BoardFile) -> _Asked:
        prompts = prompts_of(benchmark, board)
        return cls(
            board.id,
            board.samples,
            {item: None if words is None else asked_digest(words) for item, words in prompts.items()},
            frozenset(each.id for each in benchmark.items(board) if each.private),
            turns_problem(benchmark, board),
            frozenset(model.id for model in benchmark.contestants(board)),
        )
