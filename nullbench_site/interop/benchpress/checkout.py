"""A checkout of BenchPress -> its prompts and answers, and every problem in its files.

evals/general.json has the prompts, results/MODEL.json a history of entries for each prompt, the newest last. Other keys
are ignored. Symlinks are not followed, and nothing in the checkout is executed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from nullbench_site.errors import UsageError
from nullbench_site.git import git
from nullbench_site.interop.source_files import NotPlainError, SourceFolder, plain_bytes
from nullbench_site.specs.document import CONTROL
from nullbench_site.specs.types.common import Difficulty, Line, Prose
from nullbench_site.text import key_path, listed, shown_name, slug, some_of, title_of

PROMPTS = "evals/general.json"
RESULTS = "results"
_LICENCE = "LICENSE"
_EMPTY = "the history is empty; expected one entry or more"

_Name = Annotated[str, Meta(min_length=1, max_length=80)]
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]
_Tokens = Annotated[int, Meta(ge=0, le=10**12)]
_Whole = Annotated[int, Meta(ge=0, le=100_000)]


class BenchPressConstraints(Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of a constraint_check. An unknown key is refused, because its constraint would not be checked."""

    count: _Whole | None = None
    excluded: tuple[Line, ...] = ()
    max_words_per_item: _Whole | None = None


class BenchPressPrompt(Struct, frozen=True, kw_only=True):
    """One of `prompts`, with the parameters of its check."""

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
    constraints: BenchPressConstraints | None = None
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


class AutoChecks(Struct, frozen=True):
    """The flags of the automatic checks, one line each."""

    flags: list[str]


class JudgeScore(Struct, frozen=True):
    """The verdict of a judge. A score may be anything: an invalid one is recorded as unparsed."""

    score: Any
    rationale: str


class Metrics(Struct, frozen=True):
    """The G-Eval scores of DeepEval, 0-1; None if missing."""

    correctness: Any = None
    coherence: Any = None
    instruction_following: Any = None


class BenchPressEntry(Struct, frozen=True, kw_only=True):
    """One answer of a model to a prompt, or the error that replaced it."""

    timestamp: datetime
    api_model: Line
    content: str | None
    latency_s: _Seconds
    auto_checks: AutoChecks
    judge_scores: dict[_Name, JudgeScore]
    deepeval_scores: Metrics | None = None
    input_tokens: _Tokens | None = None
    output_tokens: _Tokens | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        return self.error is not None or self.content is None


class ResultsFile(Struct, frozen=True):
    """results/MODEL.json. Most have histories of prompts of other suites too."""

    model_name: Line
    runs: dict[str, Raw]


def id_of(name: str) -> str:
    """Return the nearest id to a name of BenchPress, or "" if it has no usable character."""
    return slug(name, kept=".")


@dataclass(frozen=True)
class BenchPressModel:
    """A model and its entries by the id of the prompt, in the order of the prompts, the newest entry last."""

    id: str
    file: str
    title: str
    histories: Mapping[str, list[BenchPressEntry]]

    @property
    def newest(self) -> Iterator[BenchPressEntry]:
        return (history[-1] for history in self.histories.values())

    @cached_property
    def api_model(self) -> str:
        """Return the most frequent API name in the newest entries; among equals, the first alphabetically."""
        asked = Counter(entry.api_model for entry in self.newest)
        return min(asked, key=lambda name: (-asked[name], name))


@dataclass
class Checkout:
    """The contents of a checkout. elsewhere: the number of histories of other suites. licence: the text of its file."""

    files: SourceFolder
    commit: str | None = None
    licence: str | None = None
    prompts: list[BenchPressPrompt] = field(default_factory=list)
    contestants: list[BenchPressModel] = field(default_factory=list)
    elsewhere: int = 0

    def note(self, file: str, message: str, path: str = "") -> None:
        """Add a problem of a file."""
        self.files.note(file, message, path=path)

    def read(self) -> None:
        """Read the prompts first: they determine which results are needed."""
        self._read_prompts()
        known = {prompt.id for prompt in self.prompts}
        taken: dict[str, str] = {}
        titles: dict[str, str] = {}
        for file in self.files.names(RESULTS, ".json"):
            contestant = self._contestant(file, known)
            if contestant is None:
                continue
            title = contestant.title.casefold()
            if not contestant.id:
                self.note(file, "no id can be made from the file's name; add letters or digits")
            elif contestant.id in taken:
                self.note(file, f"its id {contestant.id!r} is that of {taken[contestant.id]}; rename one of the files")
            elif not any(map(str.isprintable, title.replace(" ", ""))):
                self.note(file, "the text has no visible character; write it", "model_name")
            elif title in titles:
                self.note(file, f"is the name of {titles[title]} too; readers need different names", "model_name")
            else:
                taken[contestant.id], titles[title] = file, file
                self.contestants.append(contestant)

    def _read_prompts(self) -> None:
        raw = self.files.raw(PROMPTS)
        read = None if raw is None else self.files.decode(PROMPTS, raw, PromptsFile)
        for number, each in enumerate(() if read is None else read.prompts):
            path = key_path("prompts", number)
            prompt = self.files.decode(PROMPTS, each, BenchPressPrompt, path=path)
            if prompt is None:
                continue
            texts = (prompt.prompt, prompt.ideal, *prompt.criteria)
            if any(map(CONTROL.search, texts)):
                message = "its prompt, ideal answer or a criterion has a control character; remove it"
                self.note(PROMPTS, message, path)
            else:
                self.prompts.append(prompt)

    def _contestant(self, file: str, known: set[str]) -> BenchPressModel | None:
        """Return the usable part of a results file, or None if there is none."""
        raw = self.files.raw(file)
        results = None if raw is None else self.files.decode(file, raw, ResultsFile)
        if results is None:
            return None
        read = {prompt: self._history(results.runs[prompt], prompt, file) for prompt in known & results.runs.keys()}
        absent = sorted(known - results.runs.keys())
        if known and len(absent) == len(known):
            self.note(file, f"no answer to any prompt of {PROMPTS}; remove the file", "runs")
        elif absent:
            some = listed(some_of([*map(shown_name, absent)], 5, thousands=""))
            message = f"no answer to {len(absent)} of {len(known)} prompts: {some}; add them, or remove the prompts"
            self.note(file, message, "runs")
        self.elsewhere += len(results.runs.keys() - known)
        histories = {prompt.id: history for prompt in self.prompts if (history := read.get(prompt.id))}
        own = id_of(file.removeprefix(f"{RESULTS}/").removesuffix(".json"))
        return BenchPressModel(own, file, title_of(results.model_name), histories) if histories else None

    def _history(self, raw: Raw, prompt: str, file: str) -> list[BenchPressEntry]:
        """Return the usable entries of a prompt."""
        path = key_path("runs", prompt)
        try:
            rows = msgspec.json.decode(raw, type=list[Raw])
        except msgspec.ValidationError:
            self.note(file, "found no list; expected the list of entries, the newest last", path)
            return []
        if not rows:
            self.note(file, _EMPTY, path)
        entries = []
        for number, row in enumerate(rows):
            entry = self.files.decode(file, row, BenchPressEntry, path=f"{path}[{number}]")
            if entry is None:
                continue
            if entry.content is None and entry.error is None:
                self.note(file, "found null and no error; write the text, or the error", f"{path}[{number}].content")
            entries.append(entry)
        return entries


def read_checkout(source: Path) -> Checkout:
    """Read a whole checkout. Raises UsageError if `source` is not a checkout of BenchPress."""
    if not (source / "evals").is_dir() or not (source / RESULTS).is_dir():
        message = f"{source}: this is not a checkout of BenchPress, which has {PROMPTS} and {RESULTS}/MODEL.json"
        raise UsageError(f"{message}; name the folder that contains both")
    for folder in ("evals", RESULTS):
        if (source / folder).is_symlink():
            raise UsageError(f"{source / folder}: a symbolic link; put the folder itself here")
    checkout = Checkout(SourceFolder(source), _commit(source), _licence(source / _LICENCE))
    checkout.read()
    return checkout


def _licence(path: Path) -> str | None:
    """Return the text of the licence, or None if there is no readable file."""
    try:
        return plain_bytes(path).decode()
    except (NotPlainError, UnicodeDecodeError):
        return None


def _commit(source: Path) -> str | None:
    """Return the commit that is checked out, or None if it is unknown."""
    try:
        found = git(source, f"--git-dir={(source / '.git').resolve()}", "rev-parse", "--verify", "--quiet", "HEAD")
    except FileNotFoundError:  # git is not installed
        return None
    return None if found is None else found.decode().strip()
