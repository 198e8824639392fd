"""A whole benchmark of the `oracle` protocol that is small: one board, two domains, thirteen prompts, no judge.

Its own files stand in `small_oracle/`; the contestants are shipped ones, and one that takes the first option.
"""

from __future__ import annotations

from pathlib import Path

from support.benchmarks import write_small

OWN = Path(__file__).parent / "small_oracle"
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
    specs = write_small(
        "oracle", folder, [name for name in CONTESTANTS if name != "first-option"], knowing="kind: baseline\n"
    )
    (specs / "models/first-option.yaml").write_text(FIRST_OPTION, "utf-8")
    return specs
