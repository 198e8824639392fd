"""The controls of a board: which there are, on which items, and what each is asked.

A protocol says what the reference answer of an item is (`JudgingProtocol.reference`); what is done to it is the same
for all of them. Private items have no controls: a damaged answer tells as much as the answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache
from itertools import islice

import msgspec

from nullbench_site.judging.calls import Reference
from nullbench_site.judging.protocol import judging
from nullbench_site.programs.damage import damage
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import (
    CONTROLS,
    LADDERS,
    RECORDED,
    BoardFile,
    Control,
    Controls,
    Damage,
    JudgedBoardFile,
)
from nullbench_site.stats.measure import LEAST_CLUSTERS

REVISION = 2
"""Raised when other controls would be asked, or on other items; what they answer is in the revision of programs."""
OF_MODELS = 24
"""Items that models are asked about controls on, where the board does not say how many."""
BY_WEIGHT: tuple[Damage, ...] = (
    "negation", "number", "antonym", "padded", "name", "cut", "cause", "shuffled-words", "quantifier", "attribution",
    "unit", "date", "keywords", "shuffled-sentences",
)  # fmt: skip
"""Which kinds come first where items are too few for all: what turns an answer round, and padding, which judges that
are models tend to reward (Zheng et al. 2023, Judging LLM-as-a-judge)."""


class BoardControls(msgspec.Struct, frozen=True, dict=True):
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
    def references(self) -> dict[str, tuple[Reference, ...]]:
        """Item -> its reference answer at each turn, of the items that controls are asked on: drawn, so many."""
        if self._spec is None:
            return {}
        public = {placed.id: placed for placed in self.benchmark.items(self.board) if not placed.private}
        drawn = sorted(public, key=lambda item: hashlib.sha256(f"{self.board.id}\n{item}".encode()).digest())
        known = ((item, self._references(public[item])) for item in drawn)
        return dict(islice(((item, answers) for item, answers in known if answers), self._n_items(self._spec)))

    def _references(self, placed: PlacedItem) -> tuple[Reference, ...]:
        """One a turn; none where one of them has none."""
        answers = [judging(self.board.protocol).reference(turn) for turn in placed.every_turn]
        return () if None in answers else tuple(answer for answer in answers if answer is not None)

    def _n_items(self, spec: Controls) -> int | None:
        """How many items; None for all."""
        if isinstance(spec.items, int):
            return spec.items
        return None if spec.items == "all" or self._by_programs else OF_MODELS

    @property
    def _by_programs(self) -> bool:
        """Whether nobody is paid for a verdict."""
        assert isinstance(self.board, JudgedBoardFile)  # noqa: S101 - it has controls
        panel = self.benchmark.panels[self.board.panel].judges
        return all(self.benchmark.judges[judge].is_program for judge in panel)

    @cached_property
    def all(self) -> tuple[Control, ...]:
        """Every control of the board; none where no item has a reference answer."""
        if self._spec is None:
            return ()
        public = (placed for placed in self.benchmark.items(self.board) if not placed.private)
        if not any(self._references(placed) for placed in public):  # the first has one, most often
            return ()
        kinds = LADDERS if self._spec.kinds in (None, "all") else self._spec.kinds
        return tuple(each for each in CONTROLS.values() if each.damage is None or each.damage in kinds)

    @cached_property
    def is_spread(self) -> bool:
        """Whether an item has one kind of damage and not every one: each verdict of a model is paid for."""
        return self._spec is not None and self._spec.kinds is None and not self._by_programs

    @cached_property
    def _kind_of(self) -> Mapping[str, Damage]:
        """Item -> its kind of damage, where kinds are spread."""
        offered = {
            item: {
                kind for kind in BY_WEIGHT if all(_damaged(each, kind, LADDERS[kind][0]) is not None for each in turns)
            }
            for item, turns in self.references.items()
        }
        return spread(offered, {item: first.source or item for item, (first, *_) in self.references.items()})

    def answer(self, control: Control, placed: PlacedItem) -> str | None:
        """What a control answers at a turn; None where it is not asked, or its damage has no place in the reference."""
        if placed.id not in self.references:
            return None
        reference = self.reference(placed)
        if control.damage is None:
            return reference.text
        if self.is_spread and self._kind_of.get(placed.id) != control.damage:
            return None
        return _damaged(reference, control.damage, control.dose)

    def reference(self, placed: PlacedItem) -> Reference:
        """The reference answer at a turn. KeyError where controls are not asked."""
        return self.references[placed.id][placed.turn - 1]

    def asks(self, control: Control, placed: PlacedItem) -> bool:
        """Whether a control is asked on an item: where it has an answer at every turn."""
        return all(self.answer(control, turn) is not None for turn in placed.every_turn)

    @property
    def n_items(self) -> dict[str, int]:
        """Control -> on how many items it is asked, of those that are asked at all."""
        return {control: len(items) for control, items in self.items.items() if items}

    @cached_property
    def items(self) -> dict[str, list[PlacedItem]]:
        """Control -> the items it is asked on."""
        drawn = [placed for placed in self.benchmark.items(self.board) if placed.id in self.references]
        return {control.id: [placed for placed in drawn if self.asks(control, placed)] for control in self.all}


# A plan, a build and what it knows already each go through all controls.
@lru_cache(maxsize=32768)
def _damaged(reference: Reference, kind: Damage, dose: float) -> str | None:
    damaged = damage(reference.text, kind, dose, source=reference.source)
    return None if damaged is None else damaged.text


def spread(offered: Mapping[str, Collection[Damage]], cluster: Mapping[str, str]) -> dict[str, Damage]:
    """Item -> the one kind of damage it is given: an incomplete block design, with the undamaged answer in each block.

    offered: item -> the kinds it offers a place for, in the order drawn. cluster: item -> what it is clustered by. Of
    `BY_WEIGHT` as many kinds come in as find items of so many clusters as an interval needs; items that offer few kinds
    are given first, and what is left goes to the kinds that have fewest.
    Source: incomplete blocks as in Cochran & Cox (1957), Experimental designs; which kinds come in is ours.
    """
    least = min(LEAST_CLUSTERS, len({*cluster.values()}))
    given: dict[str, Damage] = {}
    for kind in BY_WEIGHT:
        of_cluster: dict[str, str] = {}
        for item in sorted(offered, key=lambda item: len(offered[item])):
            if item not in given and kind in offered[item]:
                of_cluster.setdefault(cluster[item], item)
        if len(of_cluster) >= least:
            given |= dict.fromkeys(list(of_cluster.values())[:least], kind)
    n_items = Counter(given.values())
    for item in offered:
        if item not in given and (kinds := [kind for kind in n_items if kind in offered[item]]):
            given[item] = min(kinds, key=n_items.__getitem__)
            n_items[given[item]] += 1
    return given
