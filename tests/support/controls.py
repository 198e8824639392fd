"""Boards whose panel was measured by controls, made in memory."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from nullbench_site.scoring.board_tables import ControlRow
from nullbench_site.site.views import BoardView


def with_ladders(of: BoardView, **ordered: bool | None) -> BoardView:
    """The same with controls whose ladders the panel puts in order or not, by the kind of damage."""
    rows = [
        ControlRow(
            control=f"control-{damage}-100", damage=damage, dose=1.0, judge=judge, n_items=9, damaged=50.0,
            reference=60.0, drop=10.0, se=1.0, low=8.0, high=12.0, seen=True, ordered=in_order, absent=None,
        )
        for damage, in_order in ordered.items() for judge in (None, "ben")
    ]  # fmt: skip
    return replace(of, results=msgspec.structs.replace(of.results, controls=rows))
