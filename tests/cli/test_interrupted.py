"""Ctrl-C and SIGTERM at any moment of a command: exit code 130, one sentence, no traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Finished, environment, nullbench
from support.moments import at_moment

from nullbench_site.repository import Repository

SENTENCE = "Interrupted. Recorded answers are kept; run the same command to resume."
BY = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM}
LOADING = ("click", "nullbench_site.cli.app", "nullbench_site.api")
"""Modules, in the order in which a command imports them."""
WORKING = {
    "reading specs": ("open", "specs/domains/science.yaml"),
    "loading what evaluates": ("import", "nullbench_site.evaluation.runner"),
    "making a run": ("os.mkdir", ".new/specs"),
    "after the calls": ("import", "nullbench_site.scoring.recomputation"),
    "scoring": ("open", "results.json"),
    "sealing": ("os.remove", ".tmp"),
}
"""Moments of a build by what audit event they are."""


def stopped(folder: Path, at: Path, by: str, event: str, part: str, *command: str) -> Finished:
    return nullbench(folder, *command, **at_moment(at, BY[by], event, part))


def assert_interrupted(done: Finished) -> None:
    assert done.code == 130, done.err
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1] == SENTENCE
    assert done.err.count("Interrupted") == 1


@pytest.mark.parametrize(("module", "by"), [*((module, "SIGINT") for module in LOADING), ("msgspec", "SIGTERM")])
def test_a_signal_while_the_program_loads_is_one_sentence(tmp_path: Path, module: str, by: str) -> None:
    done = stopped(tmp_path, tmp_path / "at", by, "import", module, "build")
    assert_interrupted(done)
    assert (done.out, done.err) == ("", f"{SENTENCE}\n")


def test_a_signal_while_the_console_script_loads_is_one_sentence_too(tmp_path: Path) -> None:
    script = "from nullbench_site.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "--version"], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env=environment(**at_moment(tmp_path / "at", signal.SIGINT, "import", "click")), check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, f"{SENTENCE}\n")


@pytest.mark.parametrize("what", WORKING)
@pytest.mark.parametrize("by", ["SIGTERM", pytest.param("SIGINT", marks=pytest.mark.sweep)])
def test_a_signal_while_a_build_works_is_one_sentence_and_the_next_build_goes_on(
    repository: Repository, tmp_path: Path, what: str, by: str
) -> None:
    event, part = WORKING[what]
    assert_interrupted(stopped(repository.root, tmp_path / "at", by, event, part, "build", "--no-render"))
    if by == "SIGTERM":
        return
    assert nullbench(repository.root, "build", "--no-render").code == 0


@pytest.mark.parametrize("by", ["SIGTERM", pytest.param("SIGINT", marks=pytest.mark.sweep)])
@pytest.mark.parametrize("part", ["markdown", pytest.param("mkdocs.commands.build", marks=pytest.mark.sweep)])
def test_a_signal_while_a_site_is_rendered_is_one_sentence(
    built: Repository, tmp_path: Path, part: str, by: str
) -> None:
    assert_interrupted(stopped(built.root, tmp_path / "at", by, "import", part, "render"))
    assert not built.site.exists()


@pytest.mark.sweep
@pytest.mark.parametrize("part", ["nullbench_site.site.render", "mkdocs.commands.build", "mkdocs.contrib.search"])
def test_a_render_that_is_killed_leaves_the_site_that_was_there(built: Repository, tmp_path: Path, part: str) -> None:
    built.site.mkdir()
    (built.site / "index.html").write_text("old", "utf-8")
    done = nullbench(built.root, "render", **at_moment(tmp_path / "at", signal.SIGKILL, "import", part))
    assert done.code == -signal.SIGKILL
    assert (built.site / "index.html").read_text("utf-8") == "old"
    assert nullbench(built.root, "render").code == 0
    assert "<html" in (built.site / "index.html").read_text("utf-8")
    assert [path.name for path in built.root.glob(".site*")] == []


def test_a_signal_when_all_is_done_is_one_sentence(tmp_path: Path) -> None:
    """In the very last moments of the interpreter an exception would be told with a traceback."""
    at = at_moment(tmp_path / "at", signal.SIGTERM, "import", "nothing")
    late = "import atexit, os, signal\natexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))\n"
    (tmp_path / "at" / "sitecustomize.py").write_text(late, "utf-8")
    done = nullbench(tmp_path, "--version", **at)
    assert (done.code, done.err) == (130, f"{SENTENCE}\n")


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As nohup and shells have it for what runs in the background."""
    at = at_moment(tmp_path / "at", signal.SIGINT, "import", "nullbench_site.cli.app", ignored=True)
    done = nullbench(tmp_path, "--version", **at)
    assert (done.code, done.err) == (0, "")
