"""What the command line says of itself, and how it answers a slip."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.commands import ROOT, nullbench

from nullbench_site import __version__
from nullbench_site.cli.app import app, run
from nullbench_site.repository import Repository

COMMANDS = tuple(app.list_commands(click.Context(app)))


def test_every_command_is_listed_with_what_it_does(tmp_path: Path) -> None:
    done = nullbench(tmp_path, "--help")
    assert (done.code, done.err) == (0, "")
    listed = re.findall(r"^  ([\w-]+)  +\S", done.out.split("Commands:")[1], re.MULTILINE)
    assert tuple(listed) == COMMANDS
    for first_step in ("nullbench-site init my-board", "nullbench-site build", "nullbench-site serve"):
        assert first_step in done.out


def test_the_readme_lists_every_command() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    table = readme.partition("\n## Commands\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)", " ".join(rows))) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_that_it_understands(command: str) -> None:
    done = CliRunner().invoke(app, [command, "-h"], prog_name="nullbench-site")
    assert done.exit_code == 0
    text = done.output
    assert text.startswith(f"Usage: nullbench-site {command} ")
    assert "-h, --help" in text
    examples = [line.split() for line in text.splitlines() if line.startswith(f"    nullbench-site {command}")]
    assert examples, text
    options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text.split("Options:")[1]))
    for example in examples:
        assert {word for word in example if word.startswith("-")} <= options


def test_every_option_says_what_it_does() -> None:
    for name in COMMANDS:
        command = app.get_command(click.Context(app), name)
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.opts}"
                assert parameter.help.endswith((".", ")")), f"{name} {parameter.opts}"


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    assert nullbench(tmp_path, "--version").out == f"nullbench-site, version {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["biuld"], "No such command 'biuld'. Did you mean 'build'?"),
        (["build", "--modle", "x"], "--model"),  # click 8.3 and 8.5 word the rest differently
        (["serve", "--port", "70000"], "70000 is not in the range 0<=x<=65535"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
        (["init"], "Missing argument 'DIRECTORY'"),
        (["-C", "nowhere", "build"], "Directory 'nowhere' does not exist"),
    ],
)
def test_a_typo_exits_with_2_and_a_suggestion(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = nullbench(tmp_path, *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


KNOWN = "known: lead-2, null-constant, paraphrase; a board may have it under another --profile: live"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["plan", "--model", "leed-2"], f"'leed-2' is not a contestant of 'main'; did you mean 'lead-2'? {KNOWN}"),
        (["build", "--model", "lead-2", "--model", "zzz"], f"'zzz' is not a contestant of 'main'; {KNOWN}"),
        (["build", "--no-render", "--board", "mian"], "there is no board 'mian' in the specs; did you mean 'main'?"),
        (["plan", "--board", "zzz"], "there is no board 'zzz' in the specs; known: main"),
    ],
)
def test_an_unknown_board_or_model_is_one_line_with_the_nearest_name(
    repository: Repository, arguments: list[str], expected: str
) -> None:
    done = nullbench(repository.root, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.message.startswith(f"Error: {expected}")
    assert not list(repository.runs.glob("*")), "nothing was begun"


@pytest.mark.parametrize("command", ["verify", "score", "render"])
def test_an_unknown_run_is_one_line_with_the_nearest_name(built: Repository, command: str) -> None:
    (run,) = (path.name for path in built.runs.iterdir() if path.is_dir())
    done = nullbench(built.root, command, f"{run[:-1]}x")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"Error: there is no run '{run[:-1]}x' in runs; did you mean '{run}'? known: {run}\n"


NO_SPECS = "specs: no benchmark.yaml here; run the command in a benchmark's folder, or make one with"
NO_RUN = "runs: there is no run yet; make one with: nullbench-site build"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("validate", NO_SPECS), ("plan", NO_SPECS), ("build", NO_SPECS), ("score", NO_RUN),
        ("score 1.0.0-00000000", NO_RUN), ("verify", NO_RUN), ("render", NO_RUN),
        ("validate --write-schemas", "specs: there is no such folder; run the command in a benchmark's folder"),
        ("serve", "site: there is no site yet; make one with: nullbench-site build"),
    ],
)  # fmt: skip
def test_outside_a_benchmark_each_command_says_what_to_do_and_leaves_nothing_behind(
    tmp_path: Path, command: str, said: str
) -> None:
    done = nullbench(tmp_path, *command.split())
    assert (done.code, done.out) == (2, "")
    assert done.message.startswith(f"Error: {said}")
    assert list(tmp_path.iterdir()) == []


def test_directory_replaces_cd(built: Repository, tmp_path: Path) -> None:
    here = tmp_path / "elsewhere"
    here.mkdir()
    for command in (["validate"], ["plan"], ["build", "--no-render"], ["score"], ["verify"]):
        done = nullbench(here, "-C", str(built.root), *command)
        assert done.code == 0, done.err
    assert str(built.runs) in done.out + nullbench(here, "-C", str(built.root), "build", "--no-render").err
    assert list(here.iterdir()) == []


def test_an_unexpected_error_is_one_message_and_its_traceback_is_for_debug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ValueError("an extension is wrong")
    error.add_note("in specs/axes.yaml")

    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(app, "main", fail)
    monkeypatch.setattr("sys.argv", ["nullbench-site", "plan"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 1
    assert re.fullmatch(
        r"Error: unexpected ValueError: an extension is wrong; in specs/axes.yaml \(.*test_help.py:\d+\); "
        r"run `nullbench-site --debug ...` for the traceback\n",
        capsys.readouterr().err,
    )
    monkeypatch.setattr("sys.argv", ["nullbench-site", "--debug", "plan"])
    with pytest.raises(ValueError, match="an extension is wrong"):
        run()
