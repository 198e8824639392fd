"""Errors that nothing handles: one message that names the file or the extension."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from support.packages import installed

from nullbench_site import api
from nullbench_site.cli.app import _unexpected
from nullbench_site.repository import Repository

MODULE = """
def weigh(*arguments, **options):
    return 1 / 0
"""


def message_of(repository: Repository, load: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> str:
    """The message of an error that loading the specs raises."""
    monkeypatch.setattr("nullbench_site.api.load_benchmark", load)
    with pytest.raises((KeyError, ZeroDivisionError)) as raised:
        api.validate(repository)
    return _unexpected(raised.value)


def test_an_error_of_ours_names_its_place_and_the_specs(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = message_of(repository, lambda *_, **__: {}["weight"], monkeypatch)
    assert message.startswith(f"unexpected KeyError: 'weight'; while reading {repository.specs} ({__file__}:")


def test_an_error_of_an_extension_names_its_package(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder: Path = tmp_path_factory.mktemp("packages")
    with installed(folder, {"metrics/weight": "somebody:weigh"}, MODULE):
        message = message_of(repository, import_module("somebody").weigh, monkeypatch)
    assert message.startswith("unexpected ZeroDivisionError: division by zero; while reading ")
    assert "somebody.py:3, in somebody-elses 1.2, which registers 'weight' among metrics)" in message
