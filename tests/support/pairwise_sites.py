"""Built sites with a board of games to look at, made once a session; see `sites.site_once`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark
from support.sites import Site, site_once

from nullbench_site import api
from nullbench_site.repository import Repository

BOARD, LONG_BOARD = "beside", "long"
HOSTILE = "<img src=x onerror=document.title='broken'>"
"""Stands in a prompt, which a contestant repeats, so that judges are shown it in an answer."""
N_PROMPTS = 103
"""More prompts than a page of a domain lists openly."""
_LONG_BOARD = """\
canary: "nullbench-canary:5e000000-0000-4000-8000-0000000000a1"
id: long
title: Long
question: Who counts best?
description: As many prompts as are folded away.
construct: capability
protocol: pairwise
panel: rules
controls: none
domains: [drops]
contestants: [copy, essay]
baseline: essay
bootstrap: {resamples: 200, seed: 1}
"""
_LONG_DOMAIN = """\
canary: "nullbench-canary:5e000000-0000-4000-8000-0000000000a2"
id: drops
title: Drops
description: About drops, for tests.
protocol: pairwise
categories:
  - id: counting
    title: Counting
    description: How many they are.
    items:
"""


def _pairwise_site(folder: Path) -> Site:
    specs = write_benchmark(folder, "pairwise")
    edit(specs, "domains/rain.yaml", "Why does rain fall", f"{HOSTILE} Why does rain fall")
    edit(specs, f"boards/{BOARD}.yaml", "baseline: essay", "baseline: [essay, paraphrase]")
    edit(specs, f"boards/{BOARD}.yaml", "controls: none", "controls: {kinds: [negation, cut]}")
    prompts = (f"      - {{id: drop-{n:03}, difficulty: easy, prompt: Count {n} drops.}}\n" for n in range(N_PROMPTS))
    (specs / f"boards/{LONG_BOARD}.yaml").write_text(_LONG_BOARD, "utf-8")
    (specs / "domains/drops.yaml").write_text(_LONG_DOMAIN + "".join(prompts), "utf-8")
    api.build(Repository(folder))
    return Site(Repository(folder))


@pytest.fixture(scope="session")
def pairwise_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A board of two baselines, three prompts, one of them hostile, and controls; beside it one with a long domain."""
    return site_once(tmp_path_factory, "pairwise-site", _pairwise_site)
