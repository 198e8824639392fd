from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import nullbench
from support.repositories import MODELS, run_dir

from nullbench_site.interop.importer import formats
from nullbench_site.repository import Repository


@pytest.mark.parametrize(
    ("shell", "expected"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef nullbench-site"), ("fish", "complete --no-files --command")],
)
def test_it_prints_a_script_for_each_shell(tmp_path: Path, shell: str, expected: str) -> None:
    done = nullbench(tmp_path, "completion", shell)
    assert (done.code, done.err) == (0, "")
    assert expected in done.out
    assert "_NULLBENCH_SITE_COMPLETE" in done.out
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=done.out, text=True, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr


def completed(folder: Path, *words: str) -> list[str]:
    """What bash would offer for the last of the words."""
    done = nullbench(
        folder, _NULLBENCH_SITE_COMPLETE="bash_complete", COMP_WORDS=" ".join(["nullbench-site", *words]),
        COMP_CWORD=str(len(words)),
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    return [line.removeprefix("plain,") for line in done.out.splitlines() if line.startswith("plain,")]


def test_it_completes_commands_options_and_names(built: Repository, tmp_path: Path) -> None:
    run = run_dir(built).name
    assert completed(built.root, "v") == ["validate", "verify"]
    assert completed(built.root, "build", "--no-r") == ["--no-render"]
    assert completed(built.root, "build", "--model", "''") == list(MODELS)
    assert completed(built.root, "build", "--model", "p") == ["paraphrase"]
    assert completed(built.root, "build", "--board", "m") == ["main"]
    assert completed(built.root, "verify", "0") == [run]
    assert completed(built.root, "plan", "--model", "l") == [model for model in MODELS if model.startswith("l")]
    assert completed(built.root, "import", "") == sorted(formats())
    assert completed(built.root, "import", "answers", "x", "--board", "m") == ["main"]
    assert completed(built.root, "import", "answers", "x", "--rep") == ["--replace"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert completed(elsewhere, "verify", "0") == []
    assert completed(elsewhere, "-C", str(built.root), "verify", "0") == [run]


def test_it_offers_no_hidden_file(built: Repository) -> None:
    assert (built.runs / ".lock").is_file()
    assert completed(built.root, "verify", ".") == []
