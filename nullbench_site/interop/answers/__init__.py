"""Import of responses that a model gave elsewhere: our JSON Lines, AlpacaEval's `model_outputs.json`, or a log."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Raw, Struct

from nullbench_site.interop.importer import AnswersFile, AnswersImporter, FileAnswer
from nullbench_site.interop.logs.reading import answers_in_log
from nullbench_site.interop.source_files import SourceFolder, Whole, json_problem
from nullbench_site.runs.endings import ending_of
from nullbench_site.runs.records import Ended
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.text import did_you_mean, quoted
from nullbench_site.thinking import Content, content_of, joined

MAX_BYTES = 256 * 1024 * 1024
_INSTRUCTION = re.compile(rb'"instruction"\s*:')
"""The key that tells an entry of AlpacaEval from ours."""
_OBJECT = re.compile(rb"^[ \t\[]*\{", re.MULTILINE)
"""The start of an answer. A file without one is of another kind, and its first problem says enough."""


class AnswerLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to an item. text: also the parts of a message."""

    item: str
    text: str | list[Any]
    sample: Whole | None = None
    seconds: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    input_tokens: Whole | None = None
    output_tokens: Whole | None = None
    finish: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    response_id: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class AlpacaEvalOutput(Struct, frozen=True):
    """An answer to a prompt. Other keys are ignored."""

    instruction: str
    output: str | list[Any]
    generator: str | None = None


def read_answers_file(file: str, raw: bytes) -> AnswersFile:
    """Return the answers of a file and its problems. file: its name in messages."""
    reader = _Reader(file, SourceFolder(Path()))
    if (logged := answers_in_log(file, raw)) is not None:
        return logged
    raw = raw.removeprefix(BOM_UTF8)
    if len(raw) > MAX_BYTES:
        reader.note(f"the file has more than {MAX_BYTES // 1024**2} MB; import the answers in several files", 0)
    else:
        for line, each in reader.objects(raw):
            reader.add(line, each)
    problems = reader.files.problems
    if not _OBJECT.search(raw):
        del problems[1:]
    if not reader.answers and not problems:
        reader.note("the file has no answer; write one object per line, with item and text", 0)
    return AnswersFile(reader.answers, problems, reader.generator, 1 + raw.rstrip().count(b"\n"))


class _Reader(Struct):
    """The answers and problems of a file so far. generator: the model that AlpacaEval's file names."""

    file: str
    files: SourceFolder
    answers: list[FileAnswer] = []
    generator: str | None = None

    def note(self, message: str, line: int, path: str = "") -> None:
        self.files.note(self.file, message, line, path)

    def objects(self, raw: bytes) -> Iterator[tuple[int, bytes | Raw]]:
        """Yield each object with its line: those of a list, or one per line."""
        if raw.lstrip()[:1] != b"[":
            yield from ((line, each) for line, each in enumerate(raw.split(b"\n"), start=1) if each.strip())
            return
        try:
            entries = msgspec.json.decode(raw, type=list[Raw])
        except NOT_JSON:
            line, message = json_problem(raw)
            self.note(message, line)
            return
        line, counted, end = 1, 0, 0
        for entry in entries:
            start = raw.index(entry, end)
            line += raw.count(b"\n", counted, start)
            counted, end = start, start + len(bytes(entry))
            yield line, entry

    def add(self, line: int, raw: bytes | Raw) -> None:
        """Add the answer of an object, or note its problems."""
        if _INSTRUCTION.search(bytes(raw)):
            output = self.files.decode(self.file, raw, AlpacaEvalOutput, line)
            if output is not None:
                self._add_output(output, line)
            return
        row = self.files.decode(self.file, raw, AnswerLine, line)
        if row is None:
            return
        if row.response_id is not None and not row.response_id.isprintable():
            self.note("the id has a control character", line, "response_id")
            return
        ended = self._ended(row.finish, line)
        if (content := self._content(row.text, line, "text")) is None or ended is None:
            return
        self.answers.append(
            FileAnswer(
                item=row.item,
                text=content.text or content.refusal,
                line=line,
                sample=row.sample or 0,
                seconds=row.seconds,
                input_tokens=row.input_tokens,
                output_tokens=row.output_tokens,
                ended=ended,
                reasoning=joined(row.reasoning or "", row.reasoning_content or "", content.thinking),
                response_id=row.response_id,
            )
        )

    def _add_output(self, output: AlpacaEvalOutput, line: int) -> None:
        if output.generator is not None and self.generator not in (None, output.generator):
            message = f"found {quoted(output.generator)}, but {quoted(self.generator)} in earlier answers"
            self.note(f"{message}; import the answers of one model at a time", line, "generator")
        self.generator = self.generator or output.generator
        if (content := self._content(output.output, line, "output")) is not None:
            text, thought = content.text or content.refusal, content.thinking
            self.answers.append(
                FileAnswer(item=None, prompt=output.instruction, text=text, line=line, reasoning=thought)
            )

    def _content(self, given: str | list[Any], line: int, path: str) -> Content | None:
        """Return the text and the thinking of an answer, or note that its parts have none."""
        content = content_of(given)
        if content is None:
            self.note("expected a text, or parts of a message with texts", line, path)
        return content

    def _ended(self, finish: str | None, line: int) -> Ended | None:
        """Return why an answer ended, or note an unknown reason, or that the server broke it off."""
        told = ending_of(finish)
        if told.ended is None:
            advice = "get it again, or leave the line out and import with --partial"
            self.note(f"found {quoted(finish or '')}: the server broke the answer off; {advice}", line, "finish")
        elif told.reason:
            self.note(f"found {quoted(told.reason)}; {did_you_mean(told.reason, get_args(Ended))}", line, "finish")
            return None
        return told.ended


_HELP = """Add the responses that a model gave elsewhere; `build` then judges them like any other contestant's.

FILE has one JSON object per line: item (an id of the board) and text. Optional keys: sample (from 0), seconds,
input_tokens, output_tokens, response_id, reasoning (the thinking before the answer), and finish (why it ended: stop,
length, content_filter, refusal, tool_calls). Thinking in the text, such as <think>...</think>, is stored apart from
the answer: no check and no judge sees it.
FILE can also be AlpacaEval's model_outputs.json: a list of objects with instruction (a prompt of the board), output
and generator. Or it is a log of Inspect, promptfoo, lm-evaluation-harness, HELM or Every Eval Ever; its samples are
matched by id, else by prompt.

The contestant gets a spec in specs/models/ and its place on the board. Its answers are stored in answers/;
those to private items go to the private folder. If a line is wrong or an item has no answer, the command lists every
problem and changes nothing. With --partial, items without an answer are not answered here: they have no score, and
the contestant has no rank. Importing the same file again changes nothing.

\b
Examples:
  nullbench-site import answers outputs.jsonl --board practical --model our-model
  nullbench-site import answers model_outputs.json --board practical --model our-model --by "Jane Doe"
  nullbench-site import answers outputs-2.jsonl --board practical --model our-model --replace
"""

IMPORTER = AnswersImporter(_HELP, read_answers_file)
