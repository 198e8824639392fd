"""A whole benchmark of the `pairwise` protocol that is small: one board, three prompts, two rule sets."""

from __future__ import annotations

from pathlib import Path

from support.benchmarks import with_live_profile, write_small

CONTESTANTS = ("copy", "essay", "null-empty", "paraphrase")


def write_small_pairwise(folder: Path) -> Path:
    """Write the benchmark into `folder`/specs; returns `folder`/specs."""
    return write_small("pairwise", folder, CONTESTANTS)


def write_live_pairwise(folder: Path) -> Path:
    """The same with the profile `live`: a contestant and two judges, one of its family, at OPENAI_BASE_URL."""
    profile = " {panel: live, contestants: [talker, essay, null-empty]}"
    return with_live_profile(write_small_pairwise(folder), "beside", ["anna", "tom of talkers"], profile)
