"""Compare the space of fifty runs in git, each with one item changed, with that of one run; count opened record files.

The space is measured three times: repacked, after `git gc` in the working clone, and on a server that got each run by a
push. A push only looks for deltas under the same path, so it sends each run in full, and `gc` keeps that. WINDOW is the
number of files that git compares each file with; git's default is 10.

`python -m benchmarks.histories [RUNS]`
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import ROOT, Outcome, report
from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.manifest import RECORDS
from nullbench_site.site.pages.runs import run_boards
from nullbench_site.site.run_changes import run_changes

BOARD = "nullbench"

RUNS = 50
"""Builds of so many runs take four minutes of one core."""
LIMIT = 2.0
WINDOW = 250


def outcomes(runs: int = RUNS) -> list[Outcome]:
    """Measure the shipped board of 156 items without controls, with one commit per run."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "board"
        shutil.copytree(ROOT / "specs", root / "specs")
        for name in (".gitignore", ".gitattributes"):
            shutil.copy(ROOT / name, root)
        for board in (root / "specs" / "boards").glob("*.yaml"):
            if board.stem != BOARD:
                board.unlink()
        (root / "specs" / "ledger.yaml").unlink()  # it names the other boards
        path = root / "specs" / "boards" / f"{BOARD}.yaml"
        path.write_text(f"{path.read_text('utf-8')}controls: none\n", "utf-8")
        repository = Repository(root)
        _git(root, "init", "-q", "-b", "runs")
        server = _bare(Path(folder) / "server.git")
        changing = root / "specs" / "domains" / "science.yaml"
        for number in range(runs):
            if number:
                changing.write_text(_one_letter(changing.read_text("utf-8"), number), "utf-8")
            api.build(repository, render_site=False)
            _git(root, "add", "-A")
            _git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a run")
            _git(root, "tag", f"run-{number}")
            _git(root, "push", "-q", str(server), "HEAD:refs/heads/runs")
        _git(server, "gc", "-q")
        one, anew = (_packed(root, Path(folder) / f"{tag}.git", tag) for tag in ("run-0", f"run-{runs - 1}"))
        wide = _packed(root, Path(folder) / "wide.git", f"run-{runs - 1}", WINDOW)
        _git(root, "gc", "-q")
        opened = _records_opened(repository)
        spaces = {
            "packed anew": anew,
            f"packed anew, window {WINDOW}": wide,
            "committed one by one": _size(root / ".git"),
            "pushed one by one": _size(server),
        }
    return [
        *(
            Outcome(
                f"runs in git, {how}",
                space / one,
                LIMIT,
                f"{space / 1e6:.2f} MB of {runs} runs, {one / 1e6:.2f} of one",
            )
            for how, space in spaces.items()
        ),
        Outcome("records read to list and compare", opened, 0, f"files of records opened for {runs} runs", "count"),
    ]


def _bare(folder: Path) -> Path:
    """A repository to push to that keeps packs as they come, as servers do with large ones."""
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    _git(folder, "config", "receive.unpackLimit", "1")
    return folder


def _packed(root: Path, into: Path, tag: str, window: int = 10) -> int:
    """Return the bytes of a pack of everything up to a tag. window: the default of git is 10."""
    _git(root, "push", "-q", str(_bare(into)), f"{tag}:refs/heads/packed")
    _git(into, "repack", "-a", "-d", "-f", "-q", f"--window={window}")
    return _size(into)


def _size(repository: Path) -> int:
    return sum(file.stat().st_size for file in (repository / "objects" / "pack").glob("*.pack"))


def _one_letter(text: str, number: int) -> str:
    """The source of one item with one letter more; of the next item the next time."""
    parts = text.split("source: >-\n")
    own = 1 + number % (len(parts) - 1)
    head, _, rest = parts[own].partition(".")
    parts[own] = f"{head}s.{rest}"
    return "source: >-\n".join(parts)


def _records_opened(repository: Repository) -> int:
    """How many files of records are opened to list all runs, show their boards, and tell one from another."""
    opened: list[str] = []
    watching = [True]

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching[0] and event == "open" and any(f"/{part}" in str(arguments[0]) for part in RECORDS):
            opened.append(str(arguments[0]))

    sys.addaudithook(watch)
    api.run_summaries(repository)
    run_changes(list_runs(repository.runs), repository.cache)
    run_boards(list_runs(repository.runs), repository.cache)
    watching[0] = False
    return len(opened)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


if __name__ == "__main__":
    sys.exit(report(outcomes(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)))
