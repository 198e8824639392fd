"""What a user is told who has no deepeval, or another one."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

import pytest

from nullbench_site import extensions
from nullbench_site.judging.geval import VERSION, missing

ROOT = Path(__file__).parents[3]


def test_nothing_is_missing_where_the_extra_is_installed() -> None:
    assert missing() is None


def test_without_deepeval_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extensions, "version", version)
    assert missing() == (
        f"G-Eval needs the package deepeval, version {VERSION}, which is not installed. "
        "Run: pip install 'nullbench-site[geval]'"
    )


def test_with_another_deepeval_the_message_says_which_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "version", lambda name: "4.4.0")
    assert missing() == (
        f"G-Eval needs deepeval {VERSION}; installed is 4.4.0, whose scores may differ. "
        "Run: pip install 'nullbench-site[geval]'"
    )


def test_the_extra_and_the_tests_install_the_version_that_the_adapter_knows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pin = f"deepeval=={VERSION}"
    assert project["project"]["optional-dependencies"]["geval"] == [pin]
    assert pin in project["dependency-groups"]["test"]
