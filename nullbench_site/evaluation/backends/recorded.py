"""The backend `recorded`: answers that came with an import. Nobody can be asked for others.

Those of a whole benchmark are in its run. Those that were brought for a board (`import answers`) stand in a file a
contestant, `answers/<id>.jsonl` beside specs/, which the contestant's spec names by its sha256; a line of it names an
answer to a private item by a salted hash, and the answer stands in `answers/` of the private folder.
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
from nullbench_site.runs.records import Count, Ended, Seconds
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import NOT_JSON, canonical_json, sha256
from nullbench_site.specs.types import RECORDED, Judge, ModelFile, Parameter

ANSWERS = "answers"
"""The parameter that names the file of a contestant, and the folder it stands in."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class RecordedAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line of a file of answers. asked: the sha256 of the prompt it answers.

    seconds and tokens: None where nobody counted. response_id: by which the endpoint knows it. hidden: of a private
    item the salted hash of the whole line, in the place of all but where it belongs.
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
    response_id: str | None = None
    hidden: str | None = None

    def published(self, salt: str) -> RecordedAnswer:
        """What of it may be published where its item is private."""
        digest = f"sha256:{sha256(canonical_json([salt, self]))}"
        return RecordedAnswer(board=self.board, item=self.item, sample=self.sample, hidden=digest)


def asked_digest(prompt: str) -> str:
    """By what an answer names the prompt it answers."""
    return sha256(prompt.encode())


def answers_file(folder: Path, model: str) -> Path:
    """The file of a contestant beside specs/, or in the private folder."""
    return folder / ANSWERS / f"{model}.jsonl"


def is_named(file: Path, who: ModelFile | Judge) -> bool:
    """Whether a file of answers is the one that the spec of a contestant names."""
    return file.is_file() and f"sha256:{sha256(file.read_bytes())}" == who.params[ANSWERS]


def encoded(answers: list[RecordedAnswer]) -> bytes:
    """The file that holds them: the same answers are the same bytes."""
    return msgspec.json.Encoder().encode_lines(sorted(answers, key=lambda each: (each.board, each.item, each.sample)))


def salts(benchmark: Benchmark) -> Mapping[str, str]:
    """The salts of the items that are private, or were, as far as they are here, by id."""
    texts = {item.id: benchmark.private.get(item.id, item) for _, item in benchmark.every_item}
    return {name: text.salt for name, text in texts.items() if text.salt is not None}


class RecordedBackend(Backend):
    """See the module. It has any name, for every name was somebody's."""

    identity = f"{RECORDED}@1"
    chats = False

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """A record is as it is; which file of answers is meant is all there is to say."""
        if unknown := sorted(params.keys() - {ANSWERS}):
            return f"unknown param {', '.join(map(repr, unknown))}; recorded answers take none but {ANSWERS!r}"
        if ANSWERS in params and not _DIGEST.fullmatch(str(params[ANSWERS])):
            return f"the param {ANSWERS!r} is 'sha256:' and the digest of the file; bring the answers in again"
        return None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[Records]:
        """Files are read when they are first asked for."""
        yield Records(benchmark, context)


class Records(msgspec.Struct):
    """Everybody whose answers were imported."""

    benchmark: Benchmark
    context: BuildContext
    meter: Meter = msgspec.field(default_factory=lambda: Meter(RECORDED))

    def asker(self, who: ModelFile | Judge) -> ImportedAnswers | InRuns:
        if ANSWERS not in who.params:
            return InRuns(self.meter)
        return ImportedAnswers(self.meter, who, self.context, salts(self.benchmark))


class InRuns(msgspec.Struct):
    """The asker of somebody whose answers are in runs alone."""

    meter: Meter
    concurrency: int = 1

    async def ask(self, request: Request) -> Answer:
        """Raises UnavailableError, always."""
        raise UnavailableError(
            "the specs ask for answers that were not imported, and the backend 'recorded' can ask nobody; put the "
            "specs back as they were imported, import again with this version, or give those models and judges "
            "another backend"
        )


class ImportedAnswers(msgspec.Struct, dict=True):
    """The asker of a contestant whose answers stand in a file."""

    meter: Meter
    who: ModelFile | Judge
    context: BuildContext
    salts: Mapping[str, str]
    concurrency: int = 1

    async def ask(self, request: Request) -> Answer:
        """The answer to the prompt. Raises UnavailableError where the file has none, or is another."""
        prompt = "\n".join(message.content for message in request.messages)
        place = self._places.get((asked_digest(prompt), request.sample))
        if place is None:
            raise UnavailableError(
                f"the answers that were brought of {self.who.id!r} are not to all prompts as they are now; "
                f"put the specs back, or bring answers to these: {self._again}"
            )
        path, start, length = place
        with path.open("rb") as lines:
            lines.seek(start)
            answer = msgspec.json.decode(lines.read(length), type=RecordedAnswer)
        return Answer(
            answer.text,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            seconds=float("nan") if answer.seconds is None else answer.seconds,
            ended=answer.ended,
        )

    @property
    def _again(self) -> str:
        return f"nullbench-site import answers FILE --board BOARD --model {self.who.id} --replace"

    @cached_property
    def _places(self) -> Mapping[tuple[str, int], tuple[Path, int, int]]:
        """Where each answer stands, by the prompt and the sample. No text stays in memory."""
        public = answers_file(self.context.specs.parent, self.who.id)
        if not is_named(public, self.who):
            raise UnavailableError(
                f"{public}: this is not the file of answers that specs/models/{self.who.id}.yaml names; restore it "
                f"from git, or bring the answers again: {self._again}"
            )
        named: set[RecordedAnswer] = set()
        places = {}
        for answer, start, length in lines_of(public):
            named.add(answer)
            if answer.hidden is None:
                places[answer.asked, answer.sample] = (public, start, length)
        if self.context.private is not None:
            private = answers_file(self.context.private, self.who.id)
            for answer, start, length in lines_of(private):
                if answer.item in self.salts and answer.published(self.salts[answer.item]) in named:
                    places[answer.asked, answer.sample] = (private, start, length)
        return places


def lines_of(path: Path) -> Iterator[tuple[RecordedAnswer, int, int]]:
    """The answers of a file, each with the byte its line begins at and its length; none where there is no file.

    Raises RunError where a line is none.
    """
    if not path.is_file():
        return
    start = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield msgspec.json.decode(line, type=RecordedAnswer), start, len(line)
            except NOT_JSON as error:
                advice = "restore the file, or take it away and bring the answers again"
                raise RunError(f"{path}:{number}: this line is no recorded answer ({error}); {advice}") from error
            start += len(line)
