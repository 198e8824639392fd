"""What packages register by entry points."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checks.test_extensions import SHOUTING
from programs.test_extensions import SHOUT
from support.benchmarks import write_benchmark
from support.commands import ROOT, nullbench
from support.packages import install, run_with

from nullbench_site import extensions
from nullbench_site.errors import UsageError

SCRIPT = """
import json
from nullbench_site.errors import UsageError
from nullbench_site.extensions import load, origin, registered

def problem(work):
    try:
        return work()
    except UsageError as error:
        return str(error)

known = problem(lambda: [name for name in registered("metrics") if origin("metrics", name)])
print(json.dumps([known, origin("metrics", "one") if isinstance(known, list) else None,
                  problem(lambda: load("metrics", "one")) if isinstance(known, list) else None]))
"""


def test_a_package_is_named_with_its_version_and_loaded_when_asked_for(tmp_path: Path) -> None:
    entries = "# ours\n[console_scripts]\ntwo = nowhere:two\n\n[nullbench_site.metrics]\none = a_package : ONE [more]\n"
    install(tmp_path, "a_package", "ONE = 1", entries.replace(" : ", ":"))
    assert run_with(tmp_path, SCRIPT) == [["one"], "a-package 1.0", 1]


def test_what_cannot_be_loaded_is_named_with_the_way_out(tmp_path: Path) -> None:
    install(tmp_path, "a_package", "", "[nullbench_site.metrics]\none = a_package:ONE\n")
    assert run_with(tmp_path, SCRIPT)[2] == (
        "a-package registers 'one' among metrics, but AttributeError: module 'a_package' has no attribute 'ONE'; "
        "install a version of it that fits, or uninstall it"
    )


def test_two_packages_must_not_register_one_name(tmp_path: Path) -> None:
    for package in ("a_package", "b_package"):
        install(tmp_path, package, "ONE = 1", f"[nullbench_site.metrics]\none = {package}:ONE\n")
    message = "both a-package and b-package register 'one' among metrics; uninstall one of them"
    assert run_with(tmp_path, SCRIPT) == [message, None, None]


def test_the_first_folder_of_the_path_hides_a_package_of_the_same_name(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        install(folder, "a_package", f"ONE = {number}", "[nullbench_site.metrics]\none = a_package:ONE\n")
    path = Path(f"{tmp_path / '2'}:{tmp_path / '1'}")
    assert run_with(path, SCRIPT) == [["one"], "a-package 1.0", 2]


def test_code_that_is_newer_than_its_installation_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "_installed", tuple)
    extensions.registered.cache_clear()
    try:
        with pytest.raises(UsageError, match="none of our checks is registered"):
            extensions.load_all("checks")
    finally:
        extensions.registered.cache_clear()


ENTRIES = """\
[nullbench_site.checks]
shouting = stranger_checks:Shouting

[nullbench_site.programs]
shout = stranger:shout
"""
SHOUTER = """\
canary: "nullbench-canary:5b000000-0000-4000-8000-000000000099"
id: shouter
title: Shouter
description: Says the prompt again, louder.
kind: baseline
backend: offline
model: shout
params: {marks: 3}
family: echoes
"""


def test_a_benchmark_may_use_a_check_and_a_contestant_of_another_package(tmp_path: Path) -> None:
    """Specs are validated, the contestant answers, the check flags its answers, and the page tells what it looks at."""
    packages = tmp_path / "packages"
    packages.mkdir()
    install(packages, "stranger", SHOUT, ENTRIES)
    packages.joinpath("stranger_checks.py").write_text(SHOUTING, "utf-8")
    specs = write_benchmark(tmp_path, "rubric")
    specs.joinpath("models/shouter.yaml").write_text(SHOUTER, "utf-8")
    for file, before, after in (
        ("boards/questions.yaml", "contestants: [copy,", "contestants: [shouter, copy,"),
        (
            "domains/wording.yaml",
            "- {type: response-length,",
            "- {type: shouting, most: 2}\n          - {type: response-length,",
        ),
    ):
        path = specs / file
        text = path.read_text("utf-8")
        assert before in text
        path.write_text(text.replace(before, after), "utf-8")
    done = nullbench(tmp_path, "build", PYTHONPATH=f"{ROOT}:{packages}")
    assert done.code == 0, done.err
    answers = next(tmp_path.glob("runs/*/responses/shouter.jsonl")).read_text("utf-8")
    assert "NAME THREE TOOLS" in answers
    assert "shouts: 3 exclamation marks, at most 2" in answers
    assert "Exclamation marks." in tmp_path.joinpath("site/methodology/questions/index.html").read_text("utf-8")
    lost = nullbench(tmp_path, "validate")
    assert lost.code == 2
    assert "wording.yaml:20:20: found the text 'shouting'; known: acknowledges-nonexistence" in lost.err


def _with_package(tmp_path: Path, code: str, entries: str, *arguments: str) -> str:
    """What a command says where the package `plug` is installed, which does not fit."""
    (tmp_path / "packages").mkdir()
    install(tmp_path / "packages", "plug", code, entries)
    write_benchmark(tmp_path / "board", "rubric")
    path = os.pathsep.join([str(tmp_path / "packages"), str(ROOT)])
    done = nullbench(tmp_path / "board", *arguments, PYTHONPATH=path)
    assert done.code == 2
    return done.err


@pytest.mark.parametrize(
    ("kind", "arguments"), [("checks", ["validate"]), ("programs", ["validate"]), ("importers", ["import", "--help"])]
)
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise RuntimeError('\\x1b[31m no')", "RuntimeError: [31m no"),
        ("import sys; sys.exit(0)", "SystemExit: 0;"),
        pytest.param("def a(:", "SyntaxError: invalid syntax", marks=pytest.mark.sweep),
        pytest.param("import sys; sys.exit()", "SystemExit;", marks=pytest.mark.sweep),
    ],
)
def test_a_package_that_does_not_load_is_named_whatever_it_raises(
    tmp_path: Path, kind: str, arguments: list[str], code: str, why: str
) -> None:
    said = _with_package(tmp_path, code, f"[nullbench_site.{kind}]\nplugged = plug:X\n", *arguments)
    assert f"plug registers 'plugged' among {kind}, but {why}" in said
    assert "install a version of it that fits, or uninstall it" in said


def test_an_importer_that_is_none_is_named(tmp_path: Path) -> None:
    said = _with_package(tmp_path, "X = 5", "[nullbench_site.importers]\nplugged = plug:X\n", "import", "--help")
    assert "plug registers 'plugged' among importers, but TypeError: it is not an Importer" in said


def test_a_protocol_that_is_no_package_is_named(tmp_path: Path) -> None:
    said = _with_package(tmp_path, "X = 5", "[nullbench_site.protocols]\nplugged = plug:X\n", "build")
    assert "plug registers 'plugged' among protocols, but TypeError: it is not a package of modules" in said
