"""Which commit the specs of a run were made from."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nullbench_site.git import git

_FOLLOWED = ("specs", "answers")
"""Of the repository, what the records of a run follow from."""


IMPORTED = "the run was imported"
"""Why a run has no commit whose records came from elsewhere."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """The commit that was checked out when a run was begun, never where it is from; or the reason why there is none.

    dirty: whether specs or brought answers were not as in that commit.
    """

    commit: str | None = None
    dirty: bool | None = None
    absent: str | None = None


def source_of(specs: Path) -> Source:
    """The commit of the repository that a folder of specs stands in."""
    root = specs.parent
    try:
        commit = git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if commit is None:
            return Source(absent="there is no git repository with a commit")
        if not git(root, "ls-files", "-z", "--", f"{specs.name}/benchmark.yaml"):
            return Source(absent="git does not track the specs")
        changed = git(root, "status", "--porcelain", "-z", "--untracked-files=all", "--", *_FOLLOWED)
    except FileNotFoundError:
        return Source(absent="git is not installed")
    return Source(commit.decode().strip(), None if changed is None else bool(changed))
