"""The controls of a board: which there are, on which items, and what each is asked.

A protocol says what the reference answer of an item is (`JudgingProtocol.reference`); what is done to it is the same
for all of them. Private items have no controls: a damaged answer tells as much as the answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from nullbench_site.programs.damage import damage
from nullbench_site.protocols.base import Reference, judging
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import CONTROLS, RECORDED, BoardFile, Control, Controls, JudgedBoardFile

REVISION = 1
"""Raised when other controls would be asked, or on other items; what they answer is in the revision of programs."""
OF_MODELS = 24
"""Items that models are asked about controls on, where the board does not say how many."""


@dataclass(frozen=True)
class BoardControls:
    """The controls of a board. Nobody can ask judges whose verdicts were imported, so their boards have none."""

    benchmark: Benchmark
    board: BoardFile

    @cached_property
    def _spec(self) -> Controls | None:
        if not isinstance(self.board, JudgedBoardFile) or isinstance(self.board.controls, str):
            return None
        judges = self.benchmark.panels[self.board.panel].judges
        recorded = any(self.benchmark.judges[judge].backend == RECORDED for judge in judges)
        return None if recorded else self.board.controls

    @cached_property
    def references(self) -> dict[str, Reference]:
        """Item -> its reference answer, of the items that controls are asked on: as many as the board says, drawn."""
        if self._spec is None:
            return {}
        public = {placed.id: placed for placed in self.benchmark.items(self.board) if not placed.private}
        drawn = sorted(public, key=lambda item: hashlib.sha256(f"{self.board.id}\n{item}".encode()).digest())
        known = ((item, self._reference(public[item])) for item in drawn)
        return dict(islice(((item, answer) for item, answer in known if answer is not None), self._n_items(self._spec)))

    def _reference(self, placed: PlacedItem) -> Reference | None:
        return judging(self.board.protocol).reference(placed)

    def _n_items(self, spec: Controls) -> int | None:
        """How many items; None for all."""
        if isinstance(spec.items, int):
            return spec.items
        assert isinstance(self.board, JudgedBoardFile)  # noqa: S101 - it has controls
        panel = self.benchmark.panels[self.board.panel].judges
        programs = all(self.benchmark.judges[judge].is_program for judge in panel)
        return None if spec.items == "all" or programs else OF_MODELS

    @cached_property
    def all(self) -> tuple[Control, ...]:
        """Every control of the board; none where no item has a reference answer."""
        if self._spec is None:
            return ()
        public = (placed for placed in self.benchmark.items(self.board) if not placed.private)
        if not any(self._reference(placed) for placed in public):  # the first has one, most often
            return ()
        kinds = self._spec.kinds
        return tuple(each for each in CONTROLS.values() if each.damage is None or kinds is None or each.damage in kinds)

    def answer(self, control: Control, placed: PlacedItem) -> str | None:
        """What a control answers; None where it is not asked, or the reference offers no place for its damage."""
        reference = self.references.get(placed.id)
        if reference is None or control.damage is None:
            return None if reference is None else reference.text
        damaged = damage(reference.text, control.damage, control.dose, source=reference.source)
        return None if damaged is None else damaged.text

    @cached_property
    def n_items(self) -> Counter[str]:
        """Control -> on how many items it is asked."""
        items = [placed for placed in self.benchmark.items(self.board) if placed.id in self.references]
        return Counter(
            control.id for placed in items for control in self.all if self.answer(control, placed) is not None
        )
