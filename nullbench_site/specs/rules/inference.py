"""The rule about what the scores of a board are cited for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.sources import SpecFiles


def overreach(board: types.BoardFile, domains: Mapping[str, types.DomainFile]) -> str:
    """Say why the scores of a board cannot carry what they are cited for; empty if they may.

    Source: the mathematical treatment of LLM evaluation, section 8, Exhibit 6: a capability score is no evidence for an
    alignment claim, and no static benchmark shows values.
    """
    if board.inference is None:
        return ""
    level = board.inference.level
    measured = {domains[name].construct or board.construct for name in board.domains if name in domains}
    if level in ("alignment", "values") and "capability" in measured | {board.construct}:
        return f"a capability score is cited as evidence of {level}"
    return "a fixed set of items is cited as evidence of values" if level == "values" else ""


def claims_go_too_far(files: SpecFiles) -> Iterator[Problem]:
    """Yield a warning for each board whose scores are cited for more than they can show."""
    domains = {source.spec.id: source.spec for source in files.domains}
    for source in files.boards:
        if why := overreach(source.spec, domains):
            yield source.document.problem(["inference", "level"], f"{why}; cite it for a lower level")
