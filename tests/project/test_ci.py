"""`.ci/run` on a machine with several Pythons. Its make and its interpreters are scripts that say what they are."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.commands import ROOT

PYTHON = """#!/bin/sh
case "$2" in *version_info*) echo {version} ;; *) exit {venv} ;; esac
"""
MAKE = """#!/bin/sh
echo "$@" >> "{log}"
! grep -qsx "$1" "{fails}"
"""


@dataclass(frozen=True)
class Machine:
    """A checkout with the suite's Python, 3.11.7, and folders for others."""

    root: Path

    def program(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        target.chmod(0o755)

    def python(self, path: str, version: str, *, makes_environments: bool = True) -> None:
        self.program(path, PYTHON.format(version=version, venv=0 if makes_environments else 1))

    def run(self) -> tuple[int, list[str], str]:
        """Its exit code, the arguments of each make, its messages."""
        log = self.root / "log"
        log.unlink(missing_ok=True)
        variables = {
            "PATH": str(self.root / "bin"),
            "PYENV_ROOT": str(self.root / "pyenv"),
            "SYSTEM_PYTHON": str(self.root / "system"),
        }
        done = subprocess.run(
            ["bash", ".ci/run"], cwd=self.root, env=variables, capture_output=True, text=True, timeout=60, check=False
        )
        return done.returncode, log.read_text("utf-8").replace(f"{self.root}/", "").splitlines(), done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    machine.python(".venv/bin/python", "3.11.7")
    machine.program("bin/make", MAKE.format(log=tmp_path / "log", fails=tmp_path / "fails"))
    for tool in ("bash", "dirname", "grep"):  # and no Python of the machine that the tests run on
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    return machine


def core(python: str, version: str) -> str:
    return f"test-core PYTHON={python} VENV=.venv-{version}"


def test_every_other_minor_version_has_the_core_once_wherever_it_stands(machine: Machine) -> None:
    machine.python("system", "3.9.6")
    machine.python("bin/python3.11", "3.11.9")
    machine.python("bin/python3.14", "3.14.2")
    machine.program("bin/python3.12", "#!/bin/sh\nexit 127\n")
    machine.program("bin/python3.13", "#!/bin/sh\nexit 127\n")
    for version in ("3.10.1", "3.11.7", "3.12.3", "3.14.0", "3.15.0"):
        machine.python(f"pyenv/versions/{version}/bin/python3", version)
    code, made, _ = machine.run()
    others = [core("python3.14", "3.14.2"), core("pyenv/versions/3.12.3/bin/python3", "3.12.3")]
    assert (code, made) == (0, ["lint", "test", *others])


def test_the_python_of_the_system_has_the_core_besides_another_of_its_minor_version(machine: Machine) -> None:
    machine.python("system", "3.11.2")
    assert core("system", "3.11.2") in machine.run()[1]
    machine.python("system", "3.11.7")
    assert machine.run()[1] == ["lint", "test"]


@pytest.mark.parametrize("part", ["lint", "test", "test-core"])
def test_it_fails_where_one_of_its_parts_does_and_goes_on(machine: Machine, part: str) -> None:
    machine.python("system", "3.12.3")
    (machine.root / "fails").write_text(f"{part}\n", "utf-8")
    code, made, _ = machine.run()
    assert (code, made) == (1, ["lint", "test", core("system", "3.12.3")])


def test_a_python_that_makes_no_environment_is_named(machine: Machine) -> None:
    machine.python("system", "3.12.3", makes_environments=False)
    code, made, messages = machine.run()
    assert (code, made) == (0, ["lint", "test"])
    assert "system (3.12.3) makes no environments; install its package venv" in messages
