"""A package of somebody else that registers something by an entry point, as pip would have installed it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


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
