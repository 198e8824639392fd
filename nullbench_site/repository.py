"""The folders of a benchmark repository."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from nullbench_site.errors import UsageError

AUDITS = "audits"
"""The folder of audits, next to runs/."""
_PRIVATE = "NULLBENCH_PRIVATE"
_LOADS_CODE = re.compile(r"(LD|DYLD|GIT)_|PYTHON|(PATH|ENV|BASH_ENV)$")
"""Names of variables by which the system, Python, git or a shell load code."""


class Repository(msgspec.Struct, frozen=True):
    """The folders of a benchmark repository: specs, runs, caches, site."""

    root: Path

    @property
    def specs(self) -> Path:
        return self.root / "specs"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    @property
    def reused(self) -> tuple[Path, ...]:
        """Return further folders of runs whose calls are reused."""
        return ()

    @property
    def private(self) -> Path:
        """Return the folder of private texts: NULLBENCH_PRIVATE, also from the file .env, else private/ next to
        specs/.

        Raises UsageError if the variable names no folder.
        """
        named = os.environ.get(_PRIVATE) or self.variables.get(_PRIVATE)
        if not named:
            return self.root / "private"
        try:
            folder = self.root / Path(named).expanduser()
        except RuntimeError:  # ~ of a user that this machine does not have
            folder = self.root / named
        if not folder.is_dir():
            raise UsageError(f"{_PRIVATE} names {folder}, which does not exist; correct or unset it")
        return folder

    @property
    def variables(self) -> Mapping[str, str]:
        """Return the variables of the file .env next to specs/. A $ is never expanded.

        Variables that make the system, Python or git load code are left out. Raises UsageError if the file is not
        UTF-8, or has a null character.
        """
        path = self.root / ".env"
        if not path.is_file():
            return {}
        from dotenv import dotenv_values

        try:
            variables = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"{path}: the file is not UTF-8; save it as UTF-8, one NAME=value per line") from None
        if any("\0" in f"{name}{value}" for name, value in variables.items()):
            raise UsageError(f"{path}: the file has a null character; save it as UTF-8, one NAME=value per line")
        return {name: value for name, value in variables.items() if value is not None and not _LOADS_CODE.match(name)}

    @property
    def cache(self) -> Path:
        """The cache, git-ignored and safe to delete."""
        return self.root / ".nullbench"

    @property
    def tree(self) -> Path:
        """The generated MkDocs project: plain Markdown, assets and mkdocs.yml."""
        return self.cache / "tree"

    @property
    def site(self) -> Path:
        return self.root / "site"
