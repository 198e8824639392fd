"""Built sites with a board of games to look at, made once a session; see `sites.site_once`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark, write_board
from support.sites import Site, site_once

from nullbench_site import api
from nullbench_site.repository import Repository

BOARD, LONG_BOARD = "beside", "long"
HOSTILE = "<img src=x onerror=document.title='broken'>"
"""Stands in a prompt, which a contestant repeats, so that judges are shown it in an answer."""
N_PROMPTS = 103
"""More prompts than a page of a domain lists openly."""


def _pairwise_site(folder: Path) -> Site:
    specs = write_benchmark(folder, "pairwise")
    edit(specs, "domains/rain.yaml", "Why does rain fall", f"{HOSTILE} Why does rain fall")
    edit(specs, f"boards/{BOARD}.yaml", "baseline: essay", "baseline: [essay, paraphrase]")
    edit(specs, f"boards/{BOARD}.yaml", "controls: none", "controls: {kinds: [negation, cut]}")
    prompts = [{"id": f"drop-{n:03}", "difficulty": "easy", "prompt": f"Count {n} drops."} for n in range(N_PROMPTS)]
    write_board(
        specs, "pairwise", prompts, id=LONG_BOARD, domain="drops", panel="rules", controls="none",
        contestants=["copy", "essay"], baseline="essay",
    )  # fmt: skip
    api.build(Repository(folder))
    return Site(Repository(folder))


@pytest.fixture(scope="session")
def pairwise_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A board of two baselines, three prompts, one of them hostile, and controls; beside it one with a long domain."""
    return site_once(tmp_path_factory, "pairwise-site", _pairwise_site)
