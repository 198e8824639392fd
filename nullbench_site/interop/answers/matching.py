"""The answers of a file -> the items of the boards that they answer, and everything that is wrong between the two; and
what there is to say of a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.evaluation.backends.recorded import RecordedAnswer, asked_digest
from nullbench_site.interop.importer import BroughtAnswer, BroughtFile
from nullbench_site.judging.protocol import judging
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, Provenance
from nullbench_site.text import did_you_mean, nearest, plural, quoted

_OPENING = 200
"""Characters of a prompt by which the nearest is sought."""


def prompts_of(benchmark: Benchmark, board: BoardFile) -> dict[str, str | None]:
    """The words in which each item of a board is asked; None of a private item whose text is not here."""
    protocol = judging(board.protocol)
    items = benchmark.items(board)
    return {each.id: None if each.withheld else protocol.prompt(benchmark, board, each).text for each in items}


def turns_problem(benchmark: Benchmark, board: BoardFile) -> str | None:
    """Why no file can hold the answers to a board; None where one can."""
    several = [each.id for each in benchmark.items(board) if each.n_turns > 1]
    if not several:
        return None
    message = f"{plural(len(several), 'item')} of {board.id!r} has several turns, the first {several[0]!r}"
    return f"{message}: answers in a file are to a single turn"


class Matcher(msgspec.Struct, dict=True):
    """Finds the item of each answer, and what is wrong: of the file, and of the file against the boards."""

    file: str
    benchmark: Benchmark
    boards: Sequence[BoardFile]
    brought: BroughtFile
    problems: list[Problem] = []

    def answers(self) -> list[RecordedAnswer]:
        """An answer for each item of each board and sample, once there is no problem."""
        self.problems += self.brought.problems
        first: dict[tuple[str, int], BroughtAnswer] = {}
        for answer in self.brought.answers:
            item = self._item(answer)
            if item is None:
                continue
            before = first.setdefault((item, answer.sample), answer)
            if before is not answer:
                line, _ = before.places[""]
                self._note(answer, "", f"the item {item!r} has this sample already, in line {line}; keep one of them")
        return [answer for board in self.boards for answer in self._of(board, first)]

    @cached_property
    def _prompts(self) -> Mapping[str, Mapping[str, str | None]]:
        return {board.id: prompts_of(self.benchmark, board) for board in self.boards}

    @cached_property
    def _by_prompt(self) -> Mapping[str, str]:
        every = [of_board.items() for of_board in self._prompts.values()]
        return {prompt.strip(): item for items in every for item, prompt in items if prompt is not None}

    def _item(self, answer: BroughtAnswer) -> str | None:
        """The item of an answer, or None where there is a problem."""
        names = " and ".join(repr(board.id) for board in self.boards)
        if answer.item is None:
            prompt = (answer.prompt or "").strip()
            if prompt in self._by_prompt:
                return self._by_prompt[prompt]
            openings = {words[:_OPENING].casefold(): item for words, item in self._by_prompt.items()}
            near = nearest(prompt[:_OPENING], openings)
            hint = "" if near is None else f"; the nearest is that of the item {openings[near]!r}"
            self._note(answer, "", f"no item of {names} is asked in these words{hint}")
            return None
        items = {item for of_board in self._prompts.values() for item in of_board}
        if answer.item not in items:
            self._note(answer, "", f"{names} has no item {quoted(answer.item)}; {did_you_mean(answer.item, items)}")
            return None
        samples = max(board.samples for board in self.boards if answer.item in self._prompts[board.id])
        if answer.sample >= samples:
            takes = "one answer an item, sample 0" if samples == 1 else f"the samples 0 to {samples - 1}"
            self._note(answer, "sample", f"found sample {answer.sample}; {names} takes {takes}")
            return None
        return answer.item

    def _of(self, board: BoardFile, given: Mapping[tuple[str, int], BroughtAnswer]) -> Iterator[RecordedAnswer]:
        """The answers of a board; what it lacks is noted."""
        if message := turns_problem(self.benchmark, board):
            advice = "have the contestant asked, or bring them to another board"
            self.problems.append(Problem(self.file, 1, 1, f"{message}; {advice}"))
        to_prompt: dict[tuple[str, int], tuple[str, BroughtAnswer]] = {}
        for item, prompt in self._prompts[board.id].items():
            for sample in range(board.samples):
                answer = given.get((item, sample))
                if answer is None:
                    which = f" (sample {sample})" if board.samples > 1 else ""
                    message = f"the item {item!r} of {board.id!r} has no answer{which}; add one"
                    self.problems.append(Problem(self.file, self.brought.lines + 1, 1, message))
                    continue
                if prompt is None:
                    message = f"the text of the private item {item!r} is not here; set NULLBENCH_PRIVATE to its folder"
                    self._note(answer, "", message)
                    continue
                other, same = to_prompt.setdefault((prompt, sample), (item, answer))
                if same.text != answer.text:
                    message = f"the item {item!r} is asked in the very words of {other!r}, whose answer is another"
                    self._note(answer, "", f"{message}, in line {same.places[''][0]}; give both the same")
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
                    response_id=answer.response_id,
                )

    def _note(self, answer: BroughtAnswer, key: str, message: str) -> None:
        line, column = answer.places.get(key, answer.places[""])
        self.problems.append(Problem(self.file, line, column, message))


Level: TypeAlias = Literal["error", "warning", "note"]


class Finding(msgspec.Struct, frozen=True):
    """One thing that was found. An error: the submission cannot be taken. Lines and columns count from 1."""

    level: Level
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.level}: {self.message}"


class Coverage(msgspec.Struct, frozen=True):
    """How many of a board's items have every answer that it asks for; private: by hash alone."""

    board: str
    answered: int
    of: int
    private: int


class Checked(msgspec.Struct, frozen=True):
    """What `submit check --json` prints. sha256: of the file of answers; answers: how many; response_ids: how many of
    them have one; null where nobody looked at them, since the model file does not hold.

    taken: whether nothing of it is in the way of taking it. more: findings that are not told one by one.
    """

    model: str
    title: str
    family: str
    provenance: Provenance | None
    sha256: str | None
    answers: int | None
    response_ids: int | None
    boards: tuple[Coverage, ...]
    findings: tuple[Finding, ...]
    more: int
    taken: bool

    def lines(self) -> Iterator[str]:
        """A line a finding, and what it comes to."""
        yield from map(str, self.findings)
        if self.more:
            yield f"{plural(self.more, 'more finding')}"
        for board in self.boards:
            hidden = f", {board.private} of them private and by their hashes alone" if board.private else ""
            yield f"{board.board}: {board.answered} of {plural(board.of, 'item')} answered{hidden}"
        if self.sha256 is None or self.answers is None:
            yield f"{self.model}: its answers were not looked at"
        else:
            ids = f"{self.response_ids} of {plural(self.answers, 'answer')} with a response id"
            yield f"{self.model}: {ids}; file {self.sha256[:19]}; provenance claimed: {self.provenance or 'nothing'}"
        errors = sum(finding.level == "error" for finding in self.findings)
        yield "it can be taken" if self.taken else f"it cannot be taken: {plural(errors, 'error')}"
