"""The backend `recorded`: imported answers. It makes no calls.

The answers of an imported benchmark are in its run. Answers imported for a board (`import answers`) are in one file
per contestant, `answers/<id>.jsonl` next to specs/; the contestant's spec has its sha256. For a private item, a line
has a salted hash only, and the answer is in `answers/` of the private folder.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.evaluation.backends.base import Backend, BuildContext, UnavailableError
from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.runs.records import Count, Ended, Seconds, StoredRecord, stored_lines
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import NOT_JSON, canonical_json, line_ends_advice, line_ends_changed, sha256
from nullbench_site.specs.types import RECORDED, Judge, ModelFile, Parameter
from nullbench_site.thinking import joined, split_thinking

ANSWERS = "answers"
"""The parameter with the sha256 of a contestant's file, and the name of the folder."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class RecordedAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line of a file of answers. asked: the sha256 of its prompt.

    seconds, tokens: None if unknown. reasoning: the thinking, which is no part of the answer. response_id: the
    endpoint's. hidden: for a private item, the salted hash of the whole line; the only other fields are then board,
    item and sample.
    """

    board: str
    item: str
    sample: int
    asked: str = ""
    text: str = ""
    seconds: Seconds | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    ended: Ended = "stop"
    reasoning: str = ""
    response_id: str | None = None
    hidden: str | None = None

    def published(self, salt: str) -> RecordedAnswer:
        """Return the public part of an answer to a private item."""
        digest = f"sha256:{sha256(canonical_json([salt, self]))}"
        return RecordedAnswer(board=self.board, item=self.item, sample=self.sample, hidden=digest)


def asked_digest(prompt: str) -> str:
    """Return the digest of a prompt, by which an answer refers to it."""
    return sha256(prompt.encode())


def answers_file(folder: Path, model: str) -> Path:
    """Return the file of a contestant next to specs/, or in the private folder."""
    return folder / ANSWERS / f"{model}.jsonl"


def is_named(file: Path, who: ModelFile | Judge) -> bool:
    """Return True if a file of answers is the one that the contestant's spec names."""
    return file.is_file() and f"sha256:{sha256(file.read_bytes())}" == who.params[ANSWERS]


def encoded(answers: list[RecordedAnswer]) -> bytes:
    """Return the content of the file: the same answers give the same bytes."""
    return msgspec.json.Encoder().encode_lines(sorted(answers, key=lambda each: (each.board, each.item, each.sample)))


def salts(benchmark: Benchmark) -> Mapping[str, str]:
    """Return the known salts of items that are or were private, by id."""
    texts = {item.id: benchmark.private.get(item.id, item) for _, item in benchmark.every_item}
    return {name: text.salt for name, text in texts.items() if text.salt is not None}


class RecordedBackend(Backend):
    """Replays imported answers. It accepts any model name."""

    identity = f"{RECORDED}@1"
    chats = False

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Return the problem with the parameters: the only one is the digest of the file of answers."""
        if unknown := sorted(params.keys() - {ANSWERS}):
            return f"unknown param {', '.join(map(repr, unknown))}; recorded answers accept only {ANSWERS!r}"
        if ANSWERS in params and not _DIGEST.fullmatch(str(params[ANSWERS])):
            return f"the param {ANSWERS!r} must be 'sha256:' and the digest of the file; import the answers again"
        return None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[RecordedConnection]:
        yield RecordedConnection(benchmark, context)


class RecordedConnection(msgspec.Struct):
    """The contestants and judges whose answers were imported."""

    benchmark: Benchmark
    context: BuildContext
    meter: Meter = msgspec.field(default_factory=lambda: Meter(RECORDED))

    def asker(self, who: ModelFile | Judge) -> ImportedAnswers | NoAnswers:
        if ANSWERS not in who.params:
            return NoAnswers(self.meter)
        return ImportedAnswers(self.meter, who, self.context, salts(self.benchmark))


class NoAnswers(msgspec.Struct):
    """The asker of a contestant or judge whose answers are only in runs."""

    meter: Meter
    concurrency: int = 1

    async def ask(self, request: Request) -> Answer:
        """Always raise UnavailableError."""
        raise UnavailableError(
            "the specs need answers that were not imported, and the backend 'recorded' makes no calls; restore the "
            "imported specs, import again with this version, or give these models and judges another backend"
        )


class ImportedAnswers(msgspec.Struct, dict=True):
    """The asker of a contestant whose answers are in a file."""

    meter: Meter
    who: ModelFile | Judge
    context: BuildContext
    salts: Mapping[str, str]
    concurrency: int = 1

    async def ask(self, request: Request) -> Answer:
        """Return the answer to the prompt. Raises UnavailableError if the file has none, or has changed."""
        prompt = "\n".join(message.content for message in request.messages)
        place = self._places.get((asked_digest(prompt), request.sample))
        if place is None:
            raise UnavailableError(
                f"some prompts have changed since the answers of {self.who.id!r} were imported; "
                f"restore the specs, or import new answers: {self._again}"
            )
        answer = msgspec.json.decode(place.read(), type=RecordedAnswer)
        split = split_thinking(answer.text)  # files of older versions have the thinking in the text
        return Answer(
            split.answer,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            seconds=float("nan") if answer.seconds is None else answer.seconds,
            ended=answer.ended,
            reasoning=joined(answer.reasoning, split.thinking),
        )

    @property
    def _again(self) -> str:
        return f"nullbench-site import answers FILE --board BOARD --model {self.who.id} --replace"

    @cached_property
    def _places(self) -> Mapping[tuple[str, int], StoredRecord]:
        """Return the place of each answer, by prompt and sample. No text stays in memory."""
        public = answers_file(self.context.specs.parent, self.who.id)
        if not is_named(public, self.who):
            advice = f"restore it from git, or import the answers again: {self._again}"
            if public.is_file() and line_ends_changed(public.read_bytes(), str(self.who.params[ANSWERS])):
                advice = line_ends_advice(public)
            named_by = f"specs/models/{self.who.id}.yaml"
            raise UnavailableError(f"{public}: not the file of answers that {named_by} names; {advice}")
        named: set[RecordedAnswer] = set()
        places = {}
        for answer, place in lines_of(public):
            named.add(answer)
            if answer.hidden is None:
                places[answer.asked, answer.sample] = place
        if self.context.private is not None:
            for answer, place in lines_of(answers_file(self.context.private, self.who.id)):
                if answer.item in self.salts and answer.published(self.salts[answer.item]) in named:
                    places[answer.asked, answer.sample] = place
        return places


def lines_of(path: Path) -> Iterator[tuple[RecordedAnswer, StoredRecord]]:
    """Yield the answers of a file, each with the place of its line; nothing without a file.

    Raises RunError for an invalid line.
    """
    for number, (place, line) in enumerate(stored_lines(path) if path.is_file() else (), start=1):
        try:
            yield msgspec.json.decode(line, type=RecordedAnswer), place
        except NOT_JSON as error:
            advice = "restore the file, or delete it and import the answers again"
            raise RunError(f"{path}:{number}: invalid recorded answer ({error}); {advice}") from error
