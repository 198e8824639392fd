"""Run git safely: no program that a repository names, and no network. Say which commit the specs are from."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

_SWITCHES = (
    "core.fsmonitor=false",  # a program that watches files
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",  # a folder of the work tree can look like a repository with its own settings
    "protocol.allow=never",
)
_KEPT = frozenset({
    "GIT_CEILING_DIRECTORIES", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH",
})  # fmt: skip
"""Variables of git that say where it is and where its user's settings are. The others name other repositories, programs
and files to write."""
_OWN = {
    "GIT_ALLOW_PROTOCOL": "",  # none; unlike protocol.allow, no setting of a repository can allow one again
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_TRUSTED = "safe.directory"
_FOLLOWED = ("specs", "answers")
"""The folders of the repository that the records of a run depend on."""
IMPORTED = "the run was imported"
"""The reason why an imported run has no commit."""
_LINK, _FILES = "120000", frozenset({"100644", "100755", "100664"})
_LFS = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\n")
_CONVERSIONS = ("filter", "ident", "working-tree-encoding")
"""Attributes by which git stores other bytes than the work tree has."""
_OFF = frozenset({b"unspecified", b"unset"})


def git(root: Path, *arguments: str, given: bytes = b"", refuses_from: int = 1) -> bytes | None:
    """Return what git prints in a folder; None if it fails. given: its standard input.

    No argument may be a command that applies filters, such as `status`, `diff` or `checkout`: attributes and settings
    of a repository name their programs. refuses_from: the first exit code that counts as failure. Raises
    FileNotFoundError if git is not installed.
    """
    done = subprocess.run(  # noqa: S603
        git_command(root, *arguments), input=given, capture_output=True, check=False, env=git_environment()
    )
    return done.stdout if 0 <= done.returncode < refuses_from else None


def git_command(root: Path, *arguments: str) -> list[str]:
    """Return the command line of git in a folder."""
    switches = [part for switch in (*_SWITCHES, *_trusted_folders()) for part in ("-c", switch)]
    return ["git", "-C", str(root), "--no-pager", *switches, *arguments]


def git_environment() -> dict[str, str]:
    """Return the environment of git."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return {**others, **_OWN}


def _trusted_folders() -> list[str]:
    """Return the folders of other users that the environment tells git to trust, as settings."""
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    places = range(min(int(count), 100)) if count.isascii() and count.isdigit() and len(count) < 4 else ()
    given = [
        (os.environ.get(f"GIT_CONFIG_KEY_{at}", ""), os.environ.get(f"GIT_CONFIG_VALUE_{at}", "")) for at in places
    ]
    return [f"{_TRUSTED}={value}" for key, value in given if key.lower() == _TRUSTED]


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commit that was checked out when a run began, or the reason why there is none.

    dirty: whether specs or imported answers differed from that commit; None if it is not known.
    """

    commit: str | None = None
    dirty: bool | None = None
    absent: str | None = None


def source_of(specs: Path) -> Source:
    """Return the commit of the repository that contains a folder of specs.

    `git status` is not asked, since it runs the filters that the repository names: files are hashed here. A file that
    differs only in line ends is the same. A file in Git LFS is compared by the hash in its pointer. With another filter
    a file that differs leaves `dirty` unknown.
    """
    root = specs.parent
    try:
        commit = git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if commit is None:
            return Source(absent=_why_no_commit(root))
        inside = git(root, "rev-parse", "--is-inside-work-tree") or b""
        if inside.strip() != b"true":
            return Source(absent="the work tree of this git repository is elsewhere")
        if not git(root, "ls-files", "-z", "--", f"{specs.name}/benchmark.yaml"):
            return Source(absent="git does not track the specs")
        return Source(commit.decode().strip(), _differs(root, commit.decode().strip()))
    except FileNotFoundError:
        return Source(absent="git is not installed")


def is_tracked_link(root: Path, path: Path) -> bool:
    """Return True for a link below `root` that git tracks. One that git does not know is the user's own."""
    if not path.is_symlink():
        return False
    try:
        listed = git(root, "ls-files", "--stage", "--", path.relative_to(root).as_posix())
    except FileNotFoundError:
        return False
    return (listed or b"").startswith(f"{_LINK} ".encode())


def _why_no_commit(root: Path) -> str:
    """Return why there is no commit. git refuses a repository of another user, or one with damaged settings."""
    here = root.resolve()
    if git(root, "rev-parse", "--git-dir") is None and any((up / ".git").exists() for up in (here, *here.parents)):
        return "git refuses to read this repository; `git status` says why"
    return "there is no git repository with a commit"


def _differs(root: Path, commit: str) -> bool | None:
    """Return True if a followed file differs from the commit, None if that is not known."""
    listed = git(root, "ls-tree", "-r", "-z", commit, "--", *_FOLLOWED)
    present = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *_FOLLOWED)
    if listed is None or present is None:
        return None
    committed = {}
    for entry in filter(None, listed.split(b"\0")):
        about, _, path = entry.partition(b"\t")
        mode, _, oid = about.decode().split()
        committed[path] = mode, oid
    added = set(filter(None, present.split(b"\0"))) - committed.keys()
    if any(os.path.lexists(root / os.fsdecode(path)) for path in added):
        return True
    differing = [path for path, (mode, oid) in committed.items() if not _is_same(root / os.fsdecode(path), mode, oid)]
    converted = _converted(root, differing)
    verdicts = {_is_other(root, path, *committed[path], converted) for path in differing}
    return True if True in verdicts else None if None in verdicts else False


def _converted(root: Path, paths: Sequence[bytes]) -> dict[bytes, set[bytes]] | None:
    """Return the attributes of each path by which git stores other bytes than the work tree has; None if not known."""
    if not paths:
        return {}
    listed = git(root, "check-attr", "-z", "--stdin", *_CONVERSIONS, given=b"".join(path + b"\0" for path in paths))
    if listed is None:
        return None
    found: dict[bytes, set[bytes]] = {}
    parts = listed.split(b"\0")
    for path, name, value in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        if value not in _OFF:
            found.setdefault(path, set()).add(name)
    return found


def _is_other(root: Path, path: bytes, mode: str, oid: str, converted: dict[bytes, set[bytes]] | None) -> bool | None:
    """Return True if the content of a path is another than that of the object; None if only a filter could tell."""
    file = root / os.fsdecode(path)
    if mode not in _FILES and mode != _LINK:
        return None  # a submodule
    if mode == _LINK or not stat.S_ISREG(_mode(file)):
        return True
    if converted is None:
        return None
    if path not in converted:
        return True
    if converted[path] != {b"filter"}:
        return None
    pointer = _LFS.match(git(root, "cat-file", "blob", oid) or b"")
    return None if pointer is None else hashlib.sha256(file.read_bytes()).hexdigest().encode() != pointer[1]


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _is_same(path: Path, mode: str, oid: str) -> bool:
    """Return True if a path has the content of a git object, but for line ends."""
    try:
        if mode == _LINK:
            return path.is_symlink() and oid in _ids(os.fsencode(path.readlink()), oid)
        return mode in _FILES and stat.S_ISREG(_mode(path)) and oid in _ids(path.read_bytes(), oid)
    except OSError:
        return False


def _ids(content: bytes, like: str) -> Iterator[str]:
    """Yield the ids that git gives a content, and the same content with the line ends of other machines."""
    name = "sha256" if len(like) == hashlib.sha256().digest_size * 2 else "sha1"

    def named(form: bytes) -> str:
        return hashlib.new(name, b"blob %d\0%b" % (len(form), form), usedforsecurity=False).hexdigest()

    yield named(content)
    unix = content.replace(b"\r\n", b"\n")
    yield named(unix)
    yield named(unix.replace(b"\n", b"\r\n"))
