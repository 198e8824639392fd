"""Compare a warm render and a build with nothing to do with a bare `mkdocs build`; time `plan` on the shipped boards.

`python -m benchmarks.warm_build`
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Outcome, python, ratio, report
from benchmarks.raw_blocks import write_project

LIMIT = 1.5
IDLE_LIMIT = 0.5
SECONDS_LIMIT = 2.0
"""Of `plan` and of a build without rendering, where every call is known and the specs are read."""
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
        known = [_seconds(copy, (*command, name)) for name in ("plan", "build --no-render")]
    rendering, building, mkdocs = zip(*rounds, strict=True)
    return [
        ratio("warm render", rendering, mkdocs, LIMIT),
        ratio("build with nothing changed", building, mkdocs, IDLE_LIMIT),
        *known,
    ]


def _seconds(repository: Path, command: tuple[str, ...]) -> Outcome:
    """Time a command that reads the specs, since one of them has a new time."""
    *at, name = command
    rounds = []
    for _ in range(ROUNDS):
        (repository / "specs" / "benchmark.yaml").touch()
        rounds.append(python(*at, *name.split()).seconds)
    return Outcome(f"{name} of known calls", median(rounds), SECONDS_LIMIT, "the shipped boards", noun="seconds")


if __name__ == "__main__":
    sys.exit(report(outcomes()))
