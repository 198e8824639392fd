"""Compare `diff` of two commits of the shipped benchmark, of which one changes a goal, with `plan`.

`python -m benchmarks.reviewing`
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Outcome, python, ratio, report

LIMIT = 2.0
ROUNDS = 5


def outcomes() -> list[Outcome]:
    """CPU of whole processes, alternating. The run is built first where the committed one is of another program."""
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("specs", "runs"):
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name)
        command = ("-m", "nullbench_site", "-C", folder)
        python(*command, "build", "--no-render")
        _git(copy, "init", "-q", "-b", "base")
        _commit(copy)
        goals = copy / "specs/goals/compliance.yaml"
        goals.write_text(goals.read_text("utf-8").replace("weight: 3", "weight: 2", 1), "utf-8")
        _git(copy, "checkout", "-q", "-b", "changed")
        _commit(copy)
        programs = ((*command, "diff", "base", "changed"), (*command, "plan"))
        rounds = [[python(*program).cpu for program in programs] for _ in range(ROUNDS)]
    diffing, planning = zip(*rounds, strict=True)
    return [ratio("diff of two commits", diffing, planning, LIMIT)]


def _commit(folder: Path) -> None:
    _git(folder, "add", "-A")
    _git(folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a change")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


if __name__ == "__main__":
    sys.exit(report(outcomes()))
