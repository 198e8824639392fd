"""Built sites with a board of games to look at, made once a session; see `sites.site_once`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit
from support.pairwise_benchmark import write_small_pairwise
from support.sites import Site, site_once

from nullbench_site import api
from nullbench_site.api import Repository

BOARD = "beside"
HOSTILE = "<img src=x onerror=document.title='broken'>"
"""Stands in a prompt, which a contestant repeats, so that judges are shown it in an answer."""
N_MORE = 100
"""With the prompts that are there they are more than a page of a domain lists openly."""


def _pairwise_site(folder: Path) -> Site:
    specs = write_small_pairwise(folder)
    edit(specs, "domains/rain.yaml", "Why does rain fall", f"{HOSTILE} Why does rain fall")
    edit(specs, f"boards/{BOARD}.yaml", "baseline: essay", "baseline: [essay, paraphrase]")
    edit(specs, f"boards/{BOARD}.yaml", "controls: none", "controls: {kinds: [negation, cut]}")
    api.build(Repository(folder))
    return Site(Repository(folder))


def _long_site(folder: Path) -> Site:
    prompts = write_small_pairwise(folder) / "domains/rain.yaml"
    more = (f"      - {{id: drop-{n:03}, difficulty: easy, prompt: Count {n} drops.}}\n" for n in range(N_MORE))
    prompts.write_text(prompts.read_text("utf-8") + "".join(more), "utf-8")
    api.build(Repository(folder))
    return Site(Repository(folder))


@pytest.fixture(scope="session")
def pairwise_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Two baselines, three prompts, one of them hostile, and controls."""
    return site_once(tmp_path_factory, "pairwise-site", _pairwise_site)


@pytest.fixture(scope="session")
def long_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """One baseline, and a domain of 103 prompts."""
    return site_once(tmp_path_factory, "long-site", _long_site)
