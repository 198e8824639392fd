"""What is imported is declared: what another package happens to bring may be gone with its next release."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from support.commands import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
TEST = [*GROUPS["reference"], *(each for each in GROUPS["test"] if isinstance(each, str))]
USERS = [*PROJECT["project"]["dependencies"], *EXTRAS["anthropic"], *EXTRAS["geval"], *EXTRAS["parquet"]]


def names(requirements: Iterable[str]) -> set[str]:
    return {re.split(r"[\[<>=!~; ]", requirement)[0] for requirement in requirements}


def imported(*folders: str) -> Iterator[tuple[str, Path]]:
    """The first name of every absolute import that is neither Python's nor ours, at any level, and its file."""
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module or ""]
            for name in {module.partition(".")[0] for module in modules} - sys.stdlib_module_names:
                if not any((ROOT / parent / name).exists() for parent in (".", "tests", "tests/protocols")):
                    yield name, path.relative_to(ROOT)


def undeclared(folders: Iterable[str], declared: set[str]) -> dict[str, Path]:
    owners = packages_distributions()
    return {
        name: path
        for name, path in imported(*folders)
        if declared.isdisjoint(owner.lower().replace("_", "-") for owner in owners.get(name, ()))
    }


def test_the_program_imports_what_it_declares_and_nothing_else() -> None:
    # The server of the local model runs in an environment of its own.
    server = {"xllamacpp": Path("nullbench_site/data/local-model/serve.py")}
    assert undeclared(["nullbench_site"], names(USERS)) == server


def test_the_tests_and_the_benchmarks_import_what_is_declared_and_nothing_else() -> None:
    # Tools that the benchmarks compare with or that made logs, in environments of their own.
    declared = names([*USERS, *TEST, *GROUPS["nightly"]])
    rest = undeclared(["tests", "benchmarks"], declared)
    logs = Path("tests/data/logs")
    assert rest == {"inspect_ai": Path("benchmarks/peer_inspect.py"), "helm": logs / "helm/small_talk.py"}


def test_every_declared_package_is_locked() -> None:
    for lock, requirements in (
        ("requirements.txt", PROJECT["project"]["dependencies"]),
        ("requirements-test.txt", [*USERS, *TEST]),
        ("requirements-reference.txt", GROUPS["reference"]),
        *((f"requirements-{group}.txt", GROUPS[group]) for group in ("nightly", "inspect", "lm_eval", "helm")),
        ("nullbench_site/data/local-model/requirements.txt", GROUPS["model"]),
    ):
        locked = re.findall(r"(?m)^([a-z0-9-]+)(?:\[.*\])?==", (ROOT / lock).read_text("utf-8"))
        assert {name.replace(".", "-") for name in names(requirements)} <= set(locked), lock


def test_make_site_installs_what_the_extra_reference_has() -> None:
    assert GROUPS["reference"] == EXTRAS["reference"]
