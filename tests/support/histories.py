"""A benchmark with a history: four runs of the small one, between which specs and ranks changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.benchmarks import CANARY, edit
from support.sites import Site, site_once, write_two_boards

from nullbench_site import api
from nullbench_site.packaged import packaged
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder

ADDRESS = "https://boards.example/some/prefix/"
_FRESH = "nullbench-canary:5b000000-0000-4000-8000-000000000001"
HOSTILE = "Lead <b>of</b> {{ two }} & ]]> eco"
"""The title that a contestant has from the third run on."""


def write_history(folder: Path, *, render_site: bool = True) -> Repository:
    """Four runs. The oldest has specs of a form that nobody reads any more, and another version.

    The third has another goal, one contestant more and others on a board; the fourth only new words.
    """
    repository = write_two_boards(folder)
    specs = repository.specs
    config = packaged("mkdocs.yml").read_text("utf-8")
    (folder / "mkdocs.yml").write_text(f"{config}site_url: {ADDRESS}\n", "utf-8")
    edit(specs, "benchmark.yaml", 'version: "0.1.0"', 'version: "0.0.1"')
    api.build(repository, render_site=False)
    oldest = api.find_run(repository, None)
    with (oldest.path / "specs" / "benchmark.yaml").open("a") as file:
        file.write("unheard_of: 1\n")
    RunFolder(oldest.path, oldest.manifest).seal("")

    edit(specs, "benchmark.yaml", 'version: "0.0.1"', 'version: "0.1.0"')
    api.build(repository, render_site=False)

    edit(specs, "goals/rivers.yaml", "reasoning: 5, clarity: 4}", "reasoning: 4, clarity: 4}")
    edit(specs, "models/lead-2.yaml", 'title: "Lead-2"', f"title: {json.dumps(HOSTILE)}")
    aware = (packaged("specs") / "models" / "task-aware.yaml").read_text("utf-8")
    (specs / "models" / "task-aware.yaml").write_text(CANARY.sub(_FRESH, aware), "utf-8")
    edit(specs, "boards/waters.yaml", "[textrank-2, null-constant]", "[textrank-2, task-aware, lead-2, null-empty]")
    edit(specs, "boards/waters.yaml", "{resamples: 200, seed: 2}", "{resamples: 300, seed: 2}")
    api.build(repository, render_site=False)

    edit(specs, "benchmark.yaml", 'version: "0.1.0"', 'version: "0.2.0"')
    edit(specs, "boards/waters.yaml", "title: Waters", "title: Waters of the world")
    api.build(repository, render_site=render_site)
    return repository


def _history(folder: Path) -> Site:
    return Site(write_history(folder))


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site with four runs and a known address; see `sites.site_once`."""
    return site_once(tmp_path_factory, "history", _history)
