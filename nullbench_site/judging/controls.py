"""The controls of a board, their items and their answers.

A protocol gives the reference answer of an item (`JudgingProtocol.reference`); the kinds of damage are the same for all
protocols. Private items have no controls: a damaged answer reveals as much as the answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import islice

import msgspec

from nullbench_site.judging.calls import Reference
from nullbench_site.judging.protocol import judging
from nullbench_site.programs.damage import damage
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import (
    CLAIM,
    CONTROLS,
    LADDERS,
    RECORDED,
    BoardFile,
    Control,
    Controls,
    Damage,
    FloorKind,
    JudgedBoardFile,
)
from nullbench_site.stats.measure import LEAST_CLUSTERS

REVISION = 2
"""Increased when controls or their items change; their answers are covered by the revision of programs."""
OF_MODELS = 24
"""The number of items with controls for judges that are models, unless the board sets it."""
BY_WEIGHT: tuple[Damage, ...] = (
    "negation", "number", "antonym", "padded", "name", "cut", "cause", "shuffled-words", "quantifier", "attribution",
    "unit", "date", "keywords", "shuffled-sentences",
)  # fmt: skip
"""The order of the kinds if items are too few for all.

First those that reverse an answer, and padding, which judges that are models tend to reward (Zheng et al. 2023, Judging
LLM-as-a-judge).
"""


class BoardControls(msgspec.Struct, frozen=True, dict=True):
    """The controls of a board. Boards with imported judgments have none, because their judges cannot be called."""

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
    def has_floor(self) -> bool:
        """Return True if a judge of the panel answers short questions, so that the controls of FLOOR are judged too."""
        if not isinstance(self.board, JudgedBoardFile):
            return False
        judges = (self.benchmark.judges[judge] for judge in self.benchmark.panels[self.board.panel].judges)
        return any(judge.asks_questions for judge in judges)

    @property
    def _every_item(self) -> Iterator[PlacedItem]:
        return self.benchmark.with_every_item.items(self.board)

    @cached_property
    def _public(self) -> dict[str, PlacedItem]:
        """Item -> it, in the order in which items with controls are drawn."""
        public = {placed.id: placed for placed in self._every_item if not placed.private}
        drawn = sorted(public, key=lambda item: hashlib.sha256(f"{self.board.id}\n{item}".encode()).digest())
        return {item: public[item] for item in drawn}

    @cached_property
    def references(self) -> dict[str, tuple[Reference, ...]]:
        """Return item -> its reference answer at each turn, for the drawn items that have controls."""
        if self._spec is None:
            return {}
        known = ((item, self._references(placed)) for item, placed in self._public.items())
        return dict(islice(((item, answers) for item, answers in known if answers), self._n_items(self._spec)))

    def _references(self, placed: PlacedItem) -> tuple[Reference, ...]:
        """Return one reference per turn; none if a turn has none."""
        answers = [judging(self.board.protocol).reference(turn) for turn in placed.every_turn]
        return () if None in answers else tuple(answer for answer in answers if answer is not None)

    def _n_items(self, spec: Controls) -> int | None:
        """Return the number of items with controls; None for all."""
        if isinstance(spec.items, int):
            return spec.items
        return None if spec.items == "all" or self._by_programs else OF_MODELS

    @property
    def _by_programs(self) -> bool:
        """Return True if all judges are programs, so that judgments cost nothing."""
        assert isinstance(self.board, JudgedBoardFile)  # noqa: S101 - it has controls
        panel = self.benchmark.panels[self.board.panel].judges
        return all(self.benchmark.judges[judge].is_program for judge in panel)

    @cached_property
    def all(self) -> tuple[Control, ...]:
        """Return every control of the board; of ladders, none if no item has a reference answer."""
        floor = tuple(each for each in CONTROLS.values() if each.floor is not None) if self.has_floor else ()
        if self._spec is None:
            return floor
        public = (placed for placed in self._every_item if not placed.private)
        if not any(self._references(placed) for placed in public):  # usually the first has one
            return floor
        kinds = LADDERS if self._spec.kinds in (None, "all") else self._spec.kinds
        ladders = (each for each in CONTROLS.values() if each.floor is None)
        return (*(each for each in ladders if each.damage is None or each.damage in kinds), *floor)

    @cached_property
    def is_spread(self) -> bool:
        """Return True if each item has one kind of damage, not all, because each verdict of a model costs money."""
        return self._spec is not None and self._spec.kinds is None and not self._by_programs

    @cached_property
    def _kind_of(self) -> Mapping[str, Damage]:
        """Return item -> its kind of damage, if kinds are spread."""
        offered = {
            item: {
                kind for kind in BY_WEIGHT if all(_damaged(each, kind, LADDERS[kind][0]) is not None for each in turns)
            }
            for item, turns in self.references.items()
        }
        return spread(offered, {item: first.source or item for item, (first, *_) in self.references.items()})

    def answer(self, control: Control, placed: PlacedItem) -> str | None:
        """Return the answer of a control at a turn; None if the item has no controls or the damage does not apply."""
        if control.floor is not None:
            return self._floor_answer(control.floor, placed)
        if placed.id not in self.references:
            return None
        reference = self.reference(placed)
        if control.damage is None:
            return reference.text
        if self.is_spread and self._kind_of.get(placed.id) != control.damage:
            return None
        return _damaged(reference, control.damage, control.dose)

    def _floor_answer(self, kind: FloorKind, placed: PlacedItem) -> str | None:
        """Return the answer of a control of FLOOR at a turn; None if the item has none.

        Each public item has the empty response, the base of relative values; the others are on the drawn items.
        """
        if placed.id not in self._public or not (kind == "empty" or placed.id in self._floor_items):
            return None
        match kind:
            case "empty":
                return ""
            case "claim":
                return CLAIM
            case "echo":
                return self._asked(placed)
        own = self._references(placed) if placed.n_turns == 1 else ()
        if not own:
            return None
        items = list(self._public)
        place = items.index(placed.id)
        others = (self._references(self._public[item]) for item in (*items[place + 1 :], *items[:place]))
        other = next((each[0].text for each in others if each and each[0].text != own[0].text), None)
        if kind == "other-item":
            return other
        opposite = _damaged(own[0], "negation", 1.0) or other
        return None if opposite is None else f"{own[0].text}\n\n{opposite}"

    def _asked(self, placed: PlacedItem) -> str:
        """Return the prompt of an item; where it has several texts, in the first wording of the board."""
        if hasattr(placed, "prompt"):
            return str(placed.prompt)
        protocol = judging(self.board.protocol)
        return protocol.worded(self.benchmark, self.board, placed, self.board.wordings[0]).text

    @cached_property
    def _floor_items(self) -> frozenset[str]:
        """Return the items with every control of FLOOR: as many as the board's controls have, drawn alike."""
        n = OF_MODELS if self._spec is None else self._n_items(self._spec)
        return frozenset(islice(self._public, n))

    def reference(self, placed: PlacedItem) -> Reference:
        """Return the reference answer at a turn. Raises KeyError for items without controls."""
        return self.references[placed.id][placed.turn - 1]

    def asks(self, control: Control, placed: PlacedItem) -> bool:
        """Return True if a control has an answer at every turn of an item."""
        return all(self.answer(control, turn) is not None for turn in placed.every_turn)

    @property
    def n_items(self) -> dict[str, int]:
        """Return control -> the number of its items, for controls that have any."""
        return {control: len(items) for control, items in self.items.items() if items}

    @cached_property
    def items(self) -> dict[str, list[PlacedItem]]:
        """Return control -> its items."""
        drawn = [
            placed
            for placed in self.benchmark.items(self.board)
            if placed.id in self.references or (self.has_floor and placed.id in self._public)
        ]
        return {control.id: [placed for placed in drawn if self.asks(control, placed)] for control in self.all}


# A plan and a build iterate over all controls several times.
@lru_cache(maxsize=32768)
def _damaged(reference: Reference, kind: Damage, dose: float) -> str | None:
    damaged = damage(reference.text, kind, dose, source=reference.source)
    return None if damaged is None else damaged.text


def spread(offered: Mapping[str, Collection[Damage]], cluster: Mapping[str, str]) -> dict[str, Damage]:
    """Return item -> its one kind of damage: an incomplete block design with the undamaged answer in each block.

    offered: item -> the kinds that apply to it, in the order drawn. cluster: item -> its cluster. A kind of `BY_WEIGHT`
    is used if it finds items in as many clusters as an interval needs. Items with few kinds are assigned first; the
    rest go to the kinds with the fewest items.
    Source: incomplete blocks as in Cochran & Cox (1957), Experimental designs; the choice of kinds is ours.
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
