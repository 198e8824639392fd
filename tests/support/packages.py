"""A package of somebody else that registers something by an entry point, as pip would have installed it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nullbench_site import extensions


def install(folder: Path, module: str, code: str, entries: str) -> None:
    """A package `module` of version 1.0 in `folder`. entries: the text of its entry_points.txt."""
    folder.joinpath(f"{module}.py").write_text(code, "utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", "utf-8")
    info.joinpath("entry_points.txt").write_text(entries, "utf-8")


def run_with(folder: Path, script: str) -> Any:
    """What `script` prints as JSON, where the packages of `folder` are installed."""
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(run.stdout)


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
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(folder)
            _forget()
            yield
    finally:
        _forget()


def _forget() -> None:
    for cached in (
        extensions._installed,
        extensions.registered,
        extensions.load,
        extensions.protocol_part,
    ):
        cached.cache_clear()
    sys.modules.pop("somebody", None)
