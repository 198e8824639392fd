"""The comment under a pull request: made where there is a token, of a file that strangers may have made."""

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
"""The first line of the comment, by which the next one takes its place."""
MOST_COMMENT = 65_536
"""Characters that GitHub takes in a comment."""
_MOST_SUMMARY = 240_000
"""Characters of the summary of a step; GitHub takes 1 MiB, and a character has up to four bytes."""
MOST_BYTES = 2 * 1024**2
"""Of the JSON, which `diff` keeps below a half of it."""
MOST_LISTED = 3000
"""Files of a pull request; GitHub lists no more."""
_MOST_TEXT = 1000
_TOOL = f"nullbench-site {__version__}"
_UNREADABLE = f"the result of the job of this change is none that {_TOOL} reads"
_MOST_NAMED = 4
_STEERING = re.compile(
    r"\.github/|\.gitlab-ci\.yml|(?:.*/)?(?:\.ci/.*|action\.ya?ml|requirements[^/]*|\.env|\.gitattributes)$"
)
"""Paths of files that the job goes by which compares: whoever changes them can have it print anything."""
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
    """Read the output of `diff --format json`. Return a line with the reason if the file, which may be anybody's, is
    not one."""
    try:
        content = _content(path)
    except FileNotFoundError:
        return parsed_diff(None)
    except (ValueError, OSError) as error:
        return f"{_UNREADABLE}: {error}"
    return parsed_diff(content)


def parsed_diff(content: bytes | None) -> Diff | str:
    """The same of the bytes of such a file; None: there is none.

    Every text of it is one line of bounded length; its types bound the rest.
    """
    if content is None:
        return "the job of this change left no result; its log says why"
    if len(content) > MOST_BYTES:
        return f"{_UNREADABLE}: it has more than {MOST_BYTES:,} bytes"
    try:
        return msgspec.convert(_bounded(msgspec.json.decode(content)), Diff, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        return f"{_UNREADABLE}: {error}"


def _content(path: Path) -> bytes:
    """At most a byte more than is read of a file. Raises OSError and ValueError for what is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is no plain file")
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
    """The comment, in at most `room` characters. about: where it is to stand; None: nowhere yet.

    diff: the comparison, or why there is none.
    """
    whole = room > MOST_COMMENT
    head = [MARKER, *_warnings(about)] if about else [MARKER]
    foot = ["", _foot(about)]
    left = room - sum(len(line) + 1 for line in (*head, *foot))
    if isinstance(diff, str):
        body = f"**Not compared**: {code_span(diff)}"
    else:
        if about is not None:
            diff = msgspec.structs.replace(diff, base=about.base, head=about.head)
        body = markdown(diff, left, most=2000) if whole else markdown(diff, left)
    return "\n".join([*head, body, *foot])


def summary(diff: Diff | str, about: PullRequest | None = None) -> str:
    """The same with more of it, for the summary of the step."""
    return comment(diff, about, room=_MOST_SUMMARY)


def _foot(about: PullRequest | None) -> str:
    job = "the job of this change"
    if about is not None and about.job:
        job = f"[{job}]({about.job})" + (", which keeps the site as it would be" if about.site else "")
    return f"{_TOOL}; compared without a key and without a call by {job}"


def _warnings(about: PullRequest) -> Iterator[str]:
    """What a reader is to know before believing the rest, by the host's list of changed files and no other."""
    warnings = list(_steered(about))
    if warnings:
        yield "> [!WARNING]"
        yield from (f"> {line}  " for line in warnings)
        yield ""


def _steered(about: PullRequest) -> Iterator[str]:
    steering = [file for file in about.files if any(map(_STEERING.match, _paths(file)))]
    if steering:
        yield f"It changes what this comment is made by ({_named(steering)}): read that before you believe the rest."
    runs = [f for f in about.files if f.status != "added" and any(map(_RUNS.match, _paths(f)))]
    if runs:
        yield f"It changes {plural(len(runs), 'file')} of runs that {code_span(about.base)} has ({_named(runs)})."
    if len(about.files) >= MOST_LISTED:
        yield "It changes more files than could be listed; look for others of this kind."


def _paths(file: ChangedFile) -> list[str]:
    return [path for path in (file.filename, file.previous_filename) if path]


def _named(files: Sequence[ChangedFile]) -> str:
    return listed(some_of([code_span(file.filename) for file in files], _MOST_NAMED, thousands=""))
