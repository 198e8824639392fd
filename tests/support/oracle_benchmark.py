"""A whole benchmark of the `oracle` protocol that is small: one board, two domains, thirteen prompts, no judge.

Its own files stand in `small_oracle/`; the contestants are shipped ones, and one that takes the first option.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from support.benchmarks import CANARY

from nullbench_site.packaged import packaged

OWN = Path(__file__).parent / "small_oracle"
SHIPPED = ("copy", "null-constant", "null-empty")
CONTESTANTS = ("copy", "first-option", "null-constant", "null-empty")
FIRST_OPTION = """\
canary: "nullbench-canary:5c000000-0000-4000-8000-000000000005"
id: first-option
title: First option
description: Takes the first option, else the first number, else A; for tests.
kind: baseline
backend: offline
model: first-option
family: fixed
"""
ITEMS = 13


def write_small_oracle(folder: Path) -> Path:
    """Write the benchmark into `folder`/specs, the same bytes each time; returns `folder`/specs."""
    specs = folder / "specs"
    shutil.copytree(OWN, specs)
    (specs / "models").mkdir()
    for name in SHIPPED:
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, f'oracle {name}')}"
        text = (packaged("specs") / f"models/{name}.yaml").read_text("utf-8")
        text = text.replace('kind: "null"\naware: true\n', "kind: baseline\n")  # a contestant among these few
        (specs / f"models/{name}.yaml").write_text(CANARY.sub(canary, text), "utf-8")
    (specs / "models/first-option.yaml").write_text(FIRST_OPTION, "utf-8")
    return specs
