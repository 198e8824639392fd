"""A backend of another package: registered by an entry point, named in a model's spec, asked like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import ROOT, Finished, nullbench
from support.repositories import ITEMS, run_dir

from nullbench_site.evaluation.backends.programs import ProgramsBackend
from nullbench_site.repository import Repository

PARROT = """
from contextlib import asynccontextmanager

from nullbench_site.evaluation.backends.base import Answer, Backend
from nullbench_site.evaluation.meters import Meter


class Parrot(Backend):
    identity = "{identity}"
    chats = False

    @property
    def contestants(self):
        return frozenset({{"polly"}})

    @property
    def judges(self):
        return frozenset()

    @asynccontextmanager
    async def connect(self, benchmark, context):
        yield Perch()


class Perch:
    meter = Meter("parrot")
    concurrency = 1

    def asker(self, who):
        return self

    async def ask(self, request):
        return Answer(request.fields["source"][:60])
"""
MODEL = """canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000f1"
id: polly
title: Polly
description: Says the beginning of what it heard.
kind: baseline
backend: parrot
model: polly
family: parrots
"""


def package(folder: Path, name: str = "nullbench-parrot", identity: str = "parrot@2") -> Path:
    """A folder that holds an installed package with a backend, to be put on the path."""
    module = name.replace("-", "_")
    information = folder / f"{module}-1.5.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (information / "entry_points.txt").write_text(f"[nullbench_site.backends]\nparrot = {module}:Parrot\n")
    (folder / f"{module}.py").write_text(PARROT.format(identity=identity))
    return folder


@pytest.fixture
def asks_polly(repository: Repository) -> Repository:
    (repository.specs / "models" / "polly.yaml").write_text(MODEL)
    return repository


def build(repository: Repository, *installed: Path) -> Finished:
    path = ":".join(map(str, (ROOT, *installed)))
    return nullbench(repository.root, "build", "--no-render", "--json", PYTHONPATH=path)


def test_a_backend_of_another_package_answers_and_its_answers_are_known_afterwards(
    asks_polly: Repository, tmp_path: Path
) -> None:
    installed = package(tmp_path / "site")
    first = build(asks_polly, installed)
    assert first.code == 0, first.err
    answers = [
        json.loads(line) for line in (run_dir(asks_polly) / "responses" / "polly.jsonl").read_text().splitlines()
    ]
    assert len(answers) == ITEMS
    assert all(answer["state"] == "answered" and len(answer["text"]) == 60 for answer in answers)
    assert json.loads(build(asks_polly, installed).out)["calls"]["made"] == 0


def test_without_its_package_the_spec_that_names_it_is_refused(asks_polly: Repository) -> None:
    done = build(asks_polly)
    assert done.code == 2
    assert "polly.yaml:6:10: unknown backend 'parrot'" in done.err


def test_two_packages_with_one_name_are_refused(asks_polly: Repository, tmp_path: Path) -> None:
    done = build(asks_polly, package(tmp_path / "one"), package(tmp_path / "two", "other-parrot"))
    assert done.code == 2
    assert "both nullbench-parrot and other-parrot register 'parrot' among backends" in done.message


def test_a_backend_whose_answers_could_pass_for_those_of_another_is_refused(
    asks_polly: Repository, tmp_path: Path
) -> None:
    done = build(asks_polly, package(tmp_path / "site", identity=ProgramsBackend.identity))
    assert done.code == 2
    assert f"the backend 'parrot' has the identity '{ProgramsBackend.identity}'" in done.message
