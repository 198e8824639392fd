"""A package of somebody else, installed as pip leaves it: a module, its metadata and its entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from nullbench_site import extensions


@contextmanager
def installed(folder: Path, entries: Mapping[str, str], source: str = "") -> Iterator[None]:
    """The package `somebody-elses` 1.2 with the module `somebody`, as long as the block lasts.

    entries: what it registers, `checks/small` -> `somebody:small`.
    """
    info = folder / "somebody_elses-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody-elses\nVersion: 1.2\n", "utf-8")
    lines = []
    for name, value in entries.items():
        kind, _, own = name.partition("/")
        lines.append(f"[nullbench_site.{kind}]\n{own} = {value}\n")
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    (folder / "somebody.py").write_text(source, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        _forget()
        yield
    _forget()


def _forget() -> None:
    for cached in (extensions.registered, extensions.load):
        cached.cache_clear()
