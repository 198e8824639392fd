"""Panels of boards that ask their judges in several wordings: each judge in each wording is a member."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import Any

from msgspec.structs import asdict, replace

from nullbench_site.specs import types


def worded(
    boards: Iterable[types.BoardFile], panels: Mapping[str, types.Panel], judges: Mapping[str, types.Judge]
) -> tuple[list[types.BoardFile], dict[str, types.Panel], dict[str, types.Judge]]:
    """Return the boards, panels and judges of a benchmark, with panels of their own for boards with judge wordings."""
    every, known, asked = list(boards), dict(panels), dict(judges)
    for place, board in enumerate(every):
        if isinstance(board, types.JudgedBoardFile) and board.judge_templates:
            base = panels[board.panel]
            members = [member for name in base.judges for member in _members(judges[name], board.judge_templates)]
            panel = _panel(base, f"{base.id}.{board.id}", tuple(member.id for member in members))
            known[panel.id], every[place] = panel, replace(board, panel=panel.id)
            asked |= {member.id: member for member in members}
    return every, known, asked


def _members(judge: types.Judge, templates: Iterable[str]) -> Iterator[types.Judge]:
    """Yield a judge in each wording. A program reads fields, and a recorded judge is not asked: each is one member."""
    if judge.backend in (types.PROGRAMS, types.RECORDED):
        yield judge
        return
    for name in templates:
        own: dict[str, Any] = asdict(judge) | {"id": f"{judge.id}.{name}", "title": f"{judge.title}, wording {name}"}
        yield types.WordedJudge(**own, base=judge.id, template=name)


def _panel(base: types.Panel, id: str, members: tuple[str, ...]) -> types.Panel:
    """Return the panel of these members. Its refusal gates ask, and need, the same shares as those of the base."""
    gates, times = base.refusal_gates, len(members) / len(base.judges)
    sample, votes = (None if n is None else ceil(n * times) for n in (gates.sample, gates.votes))
    return types.WordedPanel(
        **asdict(base) | {"id": id, "judges": members, "refusal_gates": types.Gates(sample=sample, votes=votes)},
        base=base.id,
    )
