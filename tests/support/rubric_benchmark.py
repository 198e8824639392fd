"""A whole benchmark of the `rubric` protocol that is small: one board, two domains, four prompts, three rule sets."""

from __future__ import annotations

from pathlib import Path

from support.benchmarks import with_live_profile, write_small

CONTESTANTS = ("copy", "null-constant", "null-empty", "paraphrase")


def write_small_rubric(folder: Path) -> Path:
    """Write the benchmark into `folder`/specs, the same bytes each time; returns `folder`/specs."""
    return write_small("rubric", folder, CONTESTANTS, knowing="kind: baseline\n")


def write_live_rubric(folder: Path) -> Path:
    """The same with the profile `live`: a contestant, two judges and G-Eval at the endpoint of OPENAI_BASE_URL."""
    profile = "\n    panel: live\n    contestants: [talker, null-empty]\n    geval: {judge: anna}"
    return with_live_profile(write_small_rubric(folder), "questions", ["anna", "ben"], profile)
