"""A checkout of BenchPress -> its prompts and answers, and every problem in its files.

Nothing is followed out of the checkout: a symbolic link is a problem, and no file is anything but read.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.interop.benchpress.files import (
    Entry,
    Prompt,
    PromptsFile,
    ResultsFile,
    Wrong,
    broken,
    mismatches,
    path,
    shown_name,
)
from nullbench_site.interop.importer import SourceProblem
from nullbench_site.interop.published_rows import NotPlainError, plain_bytes
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.document import CONTROL
from nullbench_site.specs.types import SEEN
from nullbench_site.text import listed, slug, some_of, title_of

PROMPTS = "evals/general.json"
RESULTS = "results"
_LICENCE = "LICENSE"
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"ref: (refs/[A-Za-z0-9._/-]+)")
_EMPTY = "the history is empty; expected an entry or more"


def id_of(name: str) -> str:
    """The id nearest to a name of BenchPress; empty where nothing of it is left."""
    return slug(name, kept=".")


_decode = msgspec.json.Decoder(ResultsFile[list[Entry]]).decode
_decode_pieces = msgspec.json.Decoder(ResultsFile[msgspec.Raw]).decode


@dataclass(frozen=True)
class Contestant:
    """A model and its entries by the id of the prompt, in the order of the prompts, the newest entry last."""

    id: str
    file: str
    title: str
    histories: Mapping[str, list[Entry]]

    @property
    def newest(self) -> Iterator[Entry]:
        return (history[-1] for history in self.histories.values())

    @cached_property
    def api_model(self) -> str:
        """The name it was asked by: the most frequent in the newest entries, of several the first by name."""
        asked = Counter(entry.api_model for entry in self.newest)
        return min(asked, key=lambda name: (-asked[name], name))


@dataclass
class Checkout:
    """What was read. elsewhere: how many histories are of prompts of other suites. licence: the text of its file."""

    source: Path
    commit: str | None = None
    licence: str | None = None
    prompts: list[Prompt] = field(default_factory=list)
    contestants: list[Contestant] = field(default_factory=list)
    elsewhere: int = 0
    problems: list[SourceProblem] = field(default_factory=list)

    def note(self, file: str, *problems: Wrong) -> None:
        """Keep problems of a file."""
        self.problems += (SourceProblem(file, place, message) for place, message in problems)

    def read(self) -> None:
        """The prompts first, for they say which results are wanted."""
        self._prompts()
        known = {prompt.id for prompt in self.prompts}
        taken: dict[str, str] = {}
        titles: dict[str, str] = {}
        files = sorted(entry.name for entry in os.scandir(self.source / RESULTS) if entry.name.endswith(".json"))
        if not files:
            self.note(RESULTS, ("", "holds no .json file; a checkout has one for each model"))
        for file in files:
            contestant = self._contestant(file, known)
            if contestant is None:
                continue
            place = contestant.file
            title = contestant.title.casefold()
            if not contestant.id:
                message = "no id can be made of the file's name; give it letters or digits"
                self.note(place, ("", message))
            elif contestant.id in taken:
                message = f"its id {contestant.id!r} is that of {taken[contestant.id]}; rename one of the files"
                self.note(place, ("", message))
            elif not any(map(str.isprintable, title.replace(" ", ""))):
                self.note(place, ("model_name", "the name has no visible character; write one that has"))
            elif title in titles:
                message = f"is that of {titles[title]} too; readers tell models by it, so give one of them another"
                self.note(place, ("model_name", message))
            else:
                taken[contestant.id], titles[title] = place, place
                self.contestants.append(contestant)

    def _raw(self, file: str) -> bytes | None:
        """The bytes of a plain file, or None with a problem."""
        try:
            return plain_bytes(self.source / file)
        except NotPlainError as error:
            self.note(_shown_file(file), ("", str(error)))
            return None

    def _prompts(self) -> None:
        raw = self._raw(PROMPTS)
        if raw is None:
            return
        try:
            for number, each in enumerate(msgspec.json.decode(raw, type=PromptsFile).prompts):
                self._prompt(each, path("prompts", number))
        except msgspec.ValidationError:
            self.note(PROMPTS, *mismatches(raw, PromptsFile, ""))
        except NOT_JSON:
            self.note(PROMPTS, broken(raw))

    def _prompt(self, raw: msgspec.Raw, place: str) -> None:
        try:
            prompt = msgspec.json.decode(raw, type=Prompt)
        except msgspec.ValidationError:
            self.note(PROMPTS, *mismatches(raw, Prompt, place))
            return
        texts = (prompt.prompt, prompt.ideal, *prompt.criteria)
        if any(CONTROL.search(text) or not re.search(SEEN, text) for text in texts):
            message = "its prompt, ideal answer or a criterion cannot be seen, or holds a control character; mend that"
            self.note(PROMPTS, (place, message))
        else:
            self.prompts.append(prompt)

    def _contestant(self, file: str, known: set[str]) -> Contestant | None:
        """None where nothing of the file can be used; where a part cannot, the rest."""
        inside = f"{RESULTS}/{file}"
        shown = _shown_file(inside)
        raw = self._raw(inside)
        if raw is None:
            return None
        try:
            results = self._results(raw, shown, known)
        except msgspec.ValidationError:
            self.note(shown, *mismatches(raw, ResultsFile[msgspec.Raw], ""))
            return None
        except NOT_JSON:
            self.note(shown, broken(raw))
            return None
        self._note_what_is_missing(shown, results.runs, known)
        self.elsewhere += len(results.runs.keys() - known)
        histories = {prompt.id: runs for prompt in self.prompts if (runs := results.runs.get(prompt.id))}
        own = id_of(file.removesuffix(".json"))
        return Contestant(own, shown, title_of(results.model_name), histories) if histories else None

    def _results(self, raw: bytes, file: str, known: set[str]) -> ResultsFile[list[Entry]]:
        """The file, read in one go; one that does not fit, piece by piece to name every problem.

        Raises one of NOT_JSON.
        """
        try:
            results = _decode(raw)
        except msgspec.ValidationError:
            pieces = _decode_pieces(raw)
            runs = {
                prompt: self._history(piece, prompt, file) if prompt in known else []
                for prompt, piece in pieces.runs.items()
            }
            return ResultsFile(pieces.model_name, runs)
        for prompt in known & results.runs.keys():
            if not results.runs[prompt]:
                self.note(file, (path("runs", prompt), _EMPTY))
        return results

    def _history(self, raw: msgspec.Raw, prompt: str, file: str) -> list[Entry]:
        """The entries of a prompt that can be used."""
        place = path("runs", prompt)
        try:
            rows = msgspec.json.decode(raw, type=list[msgspec.Raw])
        except msgspec.ValidationError:
            self.note(file, (place, "found no list; expected the list of entries, the newest last"))
            return []
        if not rows:
            self.note(file, (place, _EMPTY))
        entries = []
        for number, row in enumerate(rows):
            try:
                entries.append(msgspec.json.decode(row, type=Entry))
            except msgspec.ValidationError:
                self.note(file, *mismatches(row, Entry, f"{place}[{number}]"))
        return entries

    def _note_what_is_missing(self, file: str, runs: Mapping[str, list[Entry]], known: set[str]) -> None:
        absent = sorted(known - runs.keys())
        if known and len(absent) == len(known):
            self.note(file, ("runs", f"no answer to any prompt of {PROMPTS}; take the file out"))
        elif absent:
            some = listed(some_of([*map(shown_name, absent)], 5, thousands=""))
            message = f"no answer to {len(absent)} of {len(known)} prompts: {some}"
            self.note(file, ("runs", f"{message}; have them answered, or take them out"))
        for prompt in known & runs.keys():
            for number, entry in enumerate(runs[prompt]):
                if entry.content is None and entry.error is None:
                    message = "found null and no error; write the text, or the error"
                    self.note(file, (path("runs", prompt, number, "content"), message))


def read_checkout(source: Path) -> Checkout:
    """All of it. Raises UsageError where `source` is no checkout of BenchPress."""
    if not (source / "evals").is_dir() or not (source / RESULTS).is_dir():
        message = f"{source}: this is no checkout of BenchPress: it needs {PROMPTS} and {RESULTS}/MODEL.json"
        raise UsageError(f"{message}; name the folder that holds both")
    for folder in ("evals", RESULTS):
        if (source / folder).is_symlink():
            raise UsageError(f"{source / folder}: a symbolic link; put the folder itself here")
    checkout = Checkout(source, _commit(source), _small(source / _LICENCE))
    checkout.read()
    return checkout


def _shown_file(file: str) -> str:
    """A file's path as it may stand in a message: names of files are anybody's."""
    return "/".join(map(shown_name, file.split("/")))


def _small(path: Path) -> str | None:
    """The text of a small plain file, None where there is none."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > 1024 * 1024:
            return None
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _commit(source: Path) -> str | None:
    """The commit that is checked out, read without running anything; None where that does not tell."""
    head = (_small(source / ".git" / "HEAD") or "").strip()
    named = _REF.fullmatch(head)
    if named and ".." not in named[1]:
        head = (_small(source / ".git" / named[1]) or _packed(source, named[1])).strip()
    return head if _COMMIT.fullmatch(head) else None


def _packed(source: Path, ref: str) -> str:
    lines = (_small(source / ".git" / "packed-refs") or "").splitlines()
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {ref}")), "")
