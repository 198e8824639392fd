"""A whole benchmark of the `pairwise` protocol that is small: one board, three prompts, two rule sets.

Its own files stand in `small_pairwise/`; the contestants are shipped ones.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from support.benchmarks import CANARY

from nullbench_site.packaged import packaged

OWN = Path(__file__).parent / "small_pairwise"
CONTESTANTS = ("copy", "essay", "null-empty", "paraphrase")
TALKER = """\
canary: "nullbench-canary:5e000000-0000-4000-8000-000000000006"
id: talker
title: Talker
description: A model, for tests.
kind: model
backend: openai
model: talker-1
family: talkers
"""
LIVE_JUDGES = """\
  - {id: anna, title: Anna, description: A model., backend: openai, model: anna-1, family: annas}
  - {id: tom, title: Tom, description: Another., backend: openai, model: tom-1, family: talkers}
"""
LIVE_PANEL = """\
  - {id: live, title: Two models, judges: [anna, tom]}
"""
LIVE_PROFILE = """\
profiles:
  live: {panel: live, contestants: [talker, essay, null-empty]}
"""


def write_small_pairwise(folder: Path) -> Path:
    """Write the benchmark into `folder`/specs; returns `folder`/specs."""
    specs = folder / "specs"
    shutil.copytree(OWN, specs)
    (specs / "models").mkdir()
    for name in CONTESTANTS:
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, f'pairwise {name}')}"
        text = (packaged("specs") / f"models/{name}.yaml").read_text("utf-8")
        (specs / f"models/{name}.yaml").write_text(CANARY.sub(canary, text), "utf-8")
    return specs


def write_live_pairwise(folder: Path) -> Path:
    """The same with the profile `live`: a contestant and two judges, one of its family, at OPENAI_BASE_URL."""
    specs = write_small_pairwise(folder)
    (specs / "models/talker.yaml").write_text(TALKER, "utf-8")
    judges = (specs / "judges.yaml").read_text("utf-8").replace("panels:\n", f"{LIVE_JUDGES}panels:\n{LIVE_PANEL}")
    (specs / "judges.yaml").write_text(judges, "utf-8")
    board = specs / "boards/beside.yaml"
    board.write_text(board.read_text("utf-8") + LIVE_PROFILE, "utf-8")
    return specs
