"""The types of BenchPress' files, as far as they are read, and every problem of a file that does not fit them.

evals/general.json holds the prompts, results/MODEL.json a history of entries for each prompt, the newest last. Further
keys are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import Meta, Raw, Struct

from nullbench_site.checks.check import Line, Prose
from nullbench_site.interop.json_places import BrokenError, Places, check_json
from nullbench_site.specs.types.common import Difficulty
from nullbench_site.text import not_utf8, quoted

_Name = Annotated[str, Meta(min_length=1, max_length=80)]
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]
_Tokens = Annotated[int, Meta(ge=0, le=10**12)]
_Whole = Annotated[int, Meta(ge=0, le=100_000)]


class Constraints(Struct, frozen=True, forbid_unknown_fields=True):
    """What a constraint_check counts. Another key would be a constraint that nobody checks, so it is refused."""

    count: _Whole | None = None
    excluded: tuple[Line, ...] = ()
    max_words_per_item: _Whole | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """One of `prompts`: what is asked, and the parameters of its check."""

    id: _Name
    category: _Name
    subcategory: _Name
    difficulty: Difficulty
    prompt: Prose
    ideal: Prose
    criteria: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=20)]
    check_type: Line
    target_word_count: _Whole | None = None
    tolerance: _Whole | None = None
    max_words: _Whole | None = None
    banned_words: tuple[Line, ...] | None = None
    constraints: Constraints | None = None
    expected_answer: Line | None = None
    expected_columns: _Whole | None = None
    expected_rows: _Whole | None = None
    checklist_items: tuple[Line, ...] | None = None
    wrong_position: Line | None = None
    fake_thing: Line | None = None
    trap: Line | None = None
    should_refuse: bool | None = None


class PromptsFile(Struct, frozen=True):
    """evals/general.json."""

    prompts: Annotated[list[Raw], Meta(min_length=1)]


class Checked(Struct, frozen=True):
    """What their automatic checks found: a line for each thing."""

    flags: list[str]


class JudgeScore(Struct, frozen=True):
    """What a judge gave. A score may be anything, for one that is no mark is recorded as such."""

    score: Any
    rationale: str


class Metrics(Struct, frozen=True):
    """The G-Eval scores of 0-1 that DeepEval gave; None where it gave none."""

    correctness: Any = None
    coherence: Any = None
    instruction_following: Any = None


class Entry(Struct, frozen=True, kw_only=True):
    """One answer of a model to a prompt, or the error in its place. Seconds, tokens."""

    timestamp: datetime
    api_model: Line
    content: str | None
    latency_s: _Seconds
    auto_checks: Checked
    judge_scores: dict[_Name, JudgeScore]
    deepeval_scores: Metrics | None = None
    input_tokens: _Tokens | None = None
    output_tokens: _Tokens | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        return self.error is not None or self.content is None


HistoriesT = TypeVar("HistoriesT")


class ResultsFile(Struct, Generic[HistoriesT], frozen=True):
    """results/MODEL.json. Beside the prompts of evals/general.json most hold those of other suites."""

    model_name: Line
    runs: dict[str, HistoriesT]


StructT = TypeVar("StructT", bound=Struct)
Wrong = tuple[str, str]
"""A place in a file and what is wrong there."""

_PATH = re.compile(r" - at (?:`key` in )?`\$(.*)`\Z", re.DOTALL)


def mismatches(raw: bytes | Raw, kind: type[StructT], place: str) -> Iterator[Wrong]:
    """Every field of the object `raw` that does not fit `kind`, where msgspec names the first alone.

    place: of `raw` in its file. Raises one of NOT_JSON.
    """
    try:
        data = msgspec.json.decode(raw, type=dict[str, Raw])
    except msgspec.ValidationError as error:
        yield _mismatch(error, place)
        return
    for field in msgspec.structs.fields(kind):
        where = f"{place}.{field.name}".lstrip(".")
        if field.name in data:
            try:
                msgspec.json.decode(data[field.name], type=field.type)
            except msgspec.ValidationError as error:
                yield _mismatch(error, where)
        elif field.required:
            yield where, "the key is missing; write it, with its value"


def _mismatch(error: msgspec.ValidationError, place: str) -> Wrong:
    message = str(error)
    inside = _PATH.search(message)
    words = message[: inside.start()] if inside else message
    expected = re.sub(r"^Expected (.*), got (\S+)\Z", r"found \2; expected \1", words.replace("`", ""))
    return f"{place}{inside[1] if inside else ''}", expected[:1].lower() + expected[1:]


def broken(raw: bytes) -> Wrong:
    """Where and why a file is no JSON. The place is `line:column`, counted from 1, or empty for all of the file."""
    if not raw.strip():
        return "", "the file is empty; it should hold one JSON object"
    try:
        text = raw.decode()
        check_json(text)
    except UnicodeDecodeError as error:
        text, message = raw[: error.start].decode(), not_utf8(error)
        line, column = Places(text).of(len(text))
    except BrokenError as error:
        message = error.message
        line, column = Places(text).of(error.at)
    else:
        return "", "a text in it has half of a character (\\ud800 to \\udfff without its other half); write it out"
    return f"{line}:{column}", message


def path(*steps: str | int) -> str:
    """`runs.C01[2]`; what is no plain name is quoted, for it comes from a file."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{shown_name(step)}" for step in steps).removeprefix(".")


def shown_name(text: str) -> str:
    """A name of a file as it may stand in a message."""
    return text if re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", text) else quoted(text)
