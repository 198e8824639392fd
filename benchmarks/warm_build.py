"""A warm render, and a build with nothing to do, against a bare `mkdocs build` of the same pages as raw blocks.

`python -m benchmarks.warm_build`
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Outcome, python, ratio, report
from benchmarks.raw_blocks import write_project

LIMIT = 1.5
IDLE_LIMIT = 0.5
"""A build that finds the site as it would make it does not make it."""
ROUNDS = 5
_REPOSITORY = ("specs", "runs", "site_templates", "mkdocs.yml")


def outcomes() -> list[Outcome]:
    """Whole processes, alternating. The specs are built in a copy, so that no working folder is touched."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "repository"
        copy.mkdir()
        for name in _REPOSITORY:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name)
            elif (ROOT / name).is_file():
                shutil.copy(ROOT / name, copy / name)
        command = ("-m", "nullbench_site", "-C", str(copy))
        python(*command, "build")
        bare = write_project(copy / ".nullbench" / "tree", Path(folder) / "bare")
        programs = ((*command, "render"), (*command, "build", "--json"), bare)
        rounds = [[python(*program).seconds for program in programs] for _ in range(ROUNDS)]
    rendering, building, mkdocs = zip(*rounds, strict=True)
    return [
        ratio("warm render", rendering, mkdocs, LIMIT),
        ratio("build with nothing changed", building, mkdocs, IDLE_LIMIT),
    ]


if __name__ == "__main__":
    sys.exit(report(outcomes()))
