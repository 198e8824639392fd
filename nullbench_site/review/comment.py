"""Make the comment under a pull request from a file that anyone may have written."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import UsageError
from nullbench_site.review.rendering import code_span, markdown
from nullbench_site.review.report import Diff
from nullbench_site.runs.storage import storage_errors
from nullbench_site.text import listed, plural, short_line, some_of

MARKER = "<!-- nullbench-site: review -->"
"""The first line of the comment, by which the next review finds it."""
MOST_COMMENT = 65_536
"""The most characters of a comment on GitHub."""
_MOST_SUMMARY = 240_000
"""The most characters of a step's summary: GitHub accepts 1 MiB, and a character has up to four bytes."""
MOST_BYTES = 2 * 1024**2
"""Size of the JSON; `diff` writes less than half of it."""
MOST_LISTED = 3000
"""The most files that GitHub lists for a pull request."""
_MOST_TEXT = 1000
_TOOL = f"nullbench-site {__version__}"
_UNREADABLE = f"{_TOOL} cannot read the result of this job"
_MOST_NAMED = 4
_STEERING = re.compile(
    r"\.github/|\.gitlab-ci\.yml|(?:.*/)?(?:\.ci/.*|action\.ya?ml|requirements[^/]*|\.env|\.gitattributes)$"
)
"""Files that decide the output of the job: their author controls the rest of the comment."""
_RUNS = re.compile(r"(?:.*/)?runs/")


class ChangedFile(msgspec.Struct, frozen=True):
    """A file of a pull request, as its host lists it. status: added, modified, removed or renamed."""

    filename: str
    status: str
    previous_filename: str | None = None


@dataclass(frozen=True)
class PullRequest:
    """A pull request as its host, not its author, describes it.

    base: the branch it would be merged into. head: its branch and newest commit. job: the URL of the job that compared.
    site: True if that job kept a preview of the site. files: the changed files, at most MOST_LISTED.
    """

    base: str
    head: str
    job: str = ""
    site: bool = False
    files: Sequence[ChangedFile] = ()


def read_files(path: Path) -> list[ChangedFile]:
    """Read the files that a pull request changes, one JSON object a line."""
    try:
        with storage_errors(path):
            return [msgspec.json.decode(line, type=ChangedFile) for line in path.read_bytes().splitlines()]
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: no list of changed files ({error}); see .ci/comment.sh") from None


def read_diff(path: Path) -> Diff | str:
    """Read the output of `diff --format json`, which may be from anyone. Return the reason if it is invalid."""
    try:
        content = _content(path)
    except FileNotFoundError:
        return parsed_diff(None)
    except (ValueError, OSError) as error:
        return f"{_UNREADABLE}: {error}"
    return parsed_diff(content)


def parsed_diff(content: bytes | None) -> Diff | str:
    """Parse the bytes of such a file; None if there is none.

    Every text becomes one line of bounded length. The types bound the rest.
    """
    if content is None:
        return "the job left no result; see its log"
    if len(content) > MOST_BYTES:
        return f"{_UNREADABLE}: it has more than {MOST_BYTES:,} bytes"
    try:
        return msgspec.convert(_bounded(msgspec.json.decode(content)), Diff, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        return f"{_UNREADABLE}: {error}"


def _content(path: Path) -> bytes:
    """Read a plain file, cut one byte after MOST_BYTES. Raises OSError and ValueError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a plain file")
        return file.read(MOST_BYTES + 1)


def _bounded(value: Any) -> Any:
    match value:
        case str():
            return short_line(value, _MOST_TEXT)
        case list():
            return [_bounded(part) for part in value]
        case dict():
            return {name: _bounded(part) for name, part in value.items()}
    return value


def comment(diff: Diff | str, about: PullRequest | None = None, *, room: int = MOST_COMMENT) -> str:
    """Return the comment in at most `room` characters.

    diff: the comparison, or why there is none. about: the pull request, if known.
    """
    whole = room > MOST_COMMENT
    head = [MARKER, *_warnings(about)] if about else [MARKER]
    foot = ["", _foot(about)]
    left = room - sum(len(line) + 1 for line in (*head, *foot))
    if isinstance(diff, str):
        body = f"**Cannot compare**: {code_span(diff)}"
    else:
        if about is not None:
            diff = msgspec.structs.replace(diff, base=about.base, head=about.head)
        body = markdown(diff, left, most=2000) if whole else markdown(diff, left)
    return "\n".join([*head, body, *foot])


def summary(diff: Diff | str, about: PullRequest | None = None) -> str:
    """Return a longer version for the summary of the step."""
    return comment(diff, about, room=_MOST_SUMMARY)


def _foot(about: PullRequest | None) -> str:
    if about is None or not about.job:
        return f"Compared by {_TOOL}, without keys or calls."
    site = " The job keeps a preview of the site." if about.site else ""
    return f"Compared by {_TOOL} in [this job]({about.job}), without keys or calls.{site}"


def _warnings(about: PullRequest) -> Iterator[str]:
    """Return the warnings that come first. They depend only on the host's list of changed files."""
    warnings = list(_steered(about))
    if warnings:
        yield "> [!WARNING]"
        yield from (f"> {line}  " for line in warnings)
        yield ""


def _steered(about: PullRequest) -> Iterator[str]:
    steering = [file for file in about.files if any(map(_STEERING.match, _paths(file)))]
    if steering:
        yield f"This change edits files that produce this comment ({_named(steering)}). Review them before the rest."
    runs = [f for f in about.files if f.status != "added" and any(map(_RUNS.match, _paths(f)))]
    if runs:
        yield f"This change edits {plural(len(runs), 'file')} of runs on {code_span(about.base)} ({_named(runs)})."
    if len(about.files) >= MOST_LISTED:
        yield f"Only the first {MOST_LISTED:,} changed files were checked for this."


def _paths(file: ChangedFile) -> list[str]:
    return [path for path in (file.filename, file.previous_filename) if path]


def _named(files: Sequence[ChangedFile]) -> str:
    return listed(some_of([code_span(file.filename) for file in files], _MOST_NAMED, thousands=""))
