"""The tutorial: its commands, run in order in a new folder against the model's recorded answers, print what the page
shows.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from support.commands import ROOT, environment, model_served, nullbench
from support.replay import replaying

PAGE = (ROOT / "docs" / "tutorial" / "first-board.md").read_text("utf-8")
RECORDED = json.loads((ROOT / "tests" / "data" / "tutorial" / "answers.json").read_text("utf-8"))
"""The answers of the model that `nullbench-site model` serves, by prompt, as it gave them to these commands."""
SERVER = "http://127.0.0.1:8091/v1"
BLOCK = re.compile(
    r"^```(?P<kind>\w+)\n(?P<fenced>.*?)^```$|(?P<indented>(?:^ {4}[^\n]*\n)+)", re.MULTILINE | re.DOTALL
)
COMMANDS = ("nullbench-site", "git", "rm", "pip")
ELSEWHERE = ("pip install", "nullbench-site model", "cd capitals", "nullbench-site serve", "git remote", "git push")
"""What needs a network, or does not end."""


def test_the_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    with replaying([RECORDED["model"]], RECORDED["answers"], other=RECORDED["canary"]) as url:
        _walk(tmp_path, url)


@pytest.mark.nightly
def test_the_tutorial_prints_what_it_shows_with_the_model_itself(tmp_path: Path) -> None:
    with model_served(tmp_path / "model") as (url, _):
        _walk(tmp_path, url)


def _walk(tmp_path: Path, url: str) -> None:
    """Run the commands of the page in order against a server, and compare what they print."""
    printed, compared = "", 0
    folder = tmp_path / "capitals"
    for block in BLOCK.finditer(PAGE):
        text = block["fenced"] or re.sub(r"^ {4}", "", block["indented"], flags=re.MULTILINE)
        if block["kind"]:
            (tmp_path / "capitals.csv").write_text(text, "utf-8")
        elif text.startswith(COMMANDS):
            printed = "".join(_run(tmp_path, folder, line.replace(SERVER, url)) for line in text.splitlines())
        else:
            for line in text.splitlines():
                assert line.startswith("serving") or _stable(line) in _stable(printed), line
                compared += 1
    assert compared > 10
    (claim,) = re.findall(r"says: \*(.+?)\*", PAGE)
    board = (folder / "site" / "boards" / "main" / "index.html").read_text("utf-8")
    assert claim in re.sub(r"<[^>]+>", "", board)


def _run(tmp_path: Path, folder: Path, line: str) -> str:
    if line.startswith(ELSEWHERE):
        return ""
    if line.startswith("nullbench-site"):
        done = nullbench(tmp_path if " init " in line else folder, *shlex.split(line)[1:])
        assert done.code == 0, done.err
        return done.out + done.err
    who = {f"GIT_{name}_{what}": "me@example.org" for name in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment(**who), capture_output=True, text=True, check=True
    ).stdout


def _stable(text: str) -> str:
    """A text without digests: those of records are others on every day."""
    return re.sub(r"\b[0-9a-f]{8,64}\b", "#", text)
