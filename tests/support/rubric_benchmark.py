"""A whole benchmark of the `rubric` protocol that is small: one board, two domains, four prompts, three rule sets.

Its own files stand in `small_rubric/`; the contestants are shipped ones.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from support.benchmarks import CANARY

from nullbench_site.packaged import packaged

OWN = Path(__file__).parent / "small_rubric"
CONTESTANTS = ("copy", "null-constant", "null-empty", "paraphrase")
TALKER = """\
canary: "nullbench-canary:5b000000-0000-4000-8000-000000000006"
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
  - {id: ben, title: Ben, description: Another., backend: openai, model: ben-1, family: bens}
"""
LIVE_PANEL = """\
  - {id: live, title: Two models, judges: [anna, ben]}
"""
LIVE_PROFILE = """\
profiles:
  live:
    panel: live
    contestants: [talker, null-empty]
    geval: {judge: anna}
"""


def write_small_rubric(folder: Path) -> Path:
    """Write the benchmark into `folder`/specs, the same bytes each time; returns `folder`/specs."""
    specs = folder / "specs"
    shutil.copytree(OWN, specs)
    (specs / "models").mkdir()
    for name in CONTESTANTS:
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, f'rubric {name}')}"
        text = (packaged("specs") / f"models/{name}.yaml").read_text("utf-8")
        text = text.replace('kind: "null"\naware: true\n', "kind: baseline\n")  # a contestant among these few
        (specs / f"models/{name}.yaml").write_text(CANARY.sub(canary, text), "utf-8")
    return specs


def write_live_rubric(folder: Path) -> Path:
    """The same with the profile `live`: a contestant, two judges and G-Eval at the endpoint of OPENAI_BASE_URL."""
    specs = write_small_rubric(folder)
    (specs / "models/talker.yaml").write_text(TALKER, "utf-8")
    judges = specs / "judges.yaml"
    text = judges.read_text("utf-8").replace("panels:\n", f"{LIVE_JUDGES}panels:\n") + LIVE_PANEL
    judges.write_text(text, "utf-8")
    board = specs / "boards/questions.yaml"
    board.write_text(board.read_text("utf-8") + LIVE_PROFILE, "utf-8")
    return specs
