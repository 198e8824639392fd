"""Describe a panel by its controls: which damage it misses, which ladders are in order, every drop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET

from nullbench_site.judging.controls import BoardControls
from nullbench_site.packaged import word_pairs
from nullbench_site.scoring.board_tables import ControlRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.types import LADDERS, Damage, damage_words, dose_words
from nullbench_site.stats.measure import LEAST_CLUSTERS

TOO_FEW = "too few"


def rows_of(view: BoardView) -> Sequence[ControlRow]:
    """Return the rows of controls; none for a run without."""
    return known(view.results.controls)


def are_judged(view: BoardView) -> bool:
    """Return True if a board has controls: of ladders, or those that judges of short questions see."""
    return bool(rows_of(view)) or BoardControls(view.benchmark, view.board).has_floor


def too_few(view: BoardView) -> list[Damage]:
    """Return the damages with a dose of too few items for an interval: neither caught nor missed."""
    few = (row.damage for row in rows_of(view) if row.judge is None and row.n_items < LEAST_CLUSTERS)
    return list(dict.fromkeys(few))


def ladders(view: BoardView) -> dict[Damage, bool | None]:
    """Return for each damage if the panel puts its doses in order; None with too few items."""
    few = too_few(view)
    return {row.damage: None if row.damage in few else row.ordered for row in rows_of(view) if row.judge is None}


def in_order(ladders: Mapping[Damage, bool | None]) -> bool | None:
    """Return True if every tried ladder is in order; None if none was tried."""
    tried = [ordered for ordered in ladders.values() if ordered is not None]
    return all(tried) if tried else None


def order_sentence(ladders: Mapping[Damage, bool | None], *, other: bool = False) -> str:
    """Say how many ladders a panel puts in order, and which not. other: than those named before."""
    called = "other ladders" if other else "ladders"
    tried = {damage: ordered for damage, ordered in ladders.items() if ordered is not None}
    if not tried:
        return "We did not measure if the panel puts damaged answers in order."
    n_ordered = sum(tried.values())
    if n_ordered == len(tried):
        return f"The panel puts all {len(tried)} {called} of damaged answers in order."
    if not n_ordered:
        return f"The panel puts no {called[:-1]} of damaged answers in order ({out_of_order(ladders)})."
    n = words.of(n_ordered, len(tried))
    return f"The panel puts {n} {called} of damaged answers in order, but not {out_of_order(ladders)}."


def out_of_order(ladders: Mapping[Damage, bool | None]) -> str:
    """Name the ladders that a panel does not put in order."""
    return words.listed([damage_words(damage) for damage, ordered in ladders.items() if ordered is False])


def unseen(view: BoardView) -> list[Damage]:
    """Return the damages that no judge notices even at their highest dose, of those measured for each judge."""
    top: dict[Damage, list[ControlRow]] = {}
    for row in rows_of(view):
        if row.judge is not None and row.dose == LADDERS[row.damage][-1]:
            top.setdefault(row.damage, []).append(row)
    few = too_few(view)
    return [damage for damage, rows in top.items() if damage not in few and all(row.seen is False for row in rows)]


def blind_spots(view: BoardView) -> str:
    """Say which planted damage a panel caught and missed; empty without a panel."""
    if view.panel is None:
        return ""
    rows = rows_of(view)
    if not rows:
        return "We did not measure what these judges notice: the run has no controls."
    missed = [word_pairs("damaged")[damage] for damage in unseen(view)]
    measured = {row.damage for row in rows}.difference(too_few(view))
    if not measured:
        return f"We did not measure what these judges notice: each kind of damage has {TOO_FEW} items."
    if not missed:
        if len(measured) == 1:
            return "Only one kind of damage was tried; at least one judge marked it down."
        return f"The judges caught all {len(measured)} kinds of planted damage."
    caught = f"{len(measured) - len(missed)} of {words.plural(len(measured), 'kind')} of planted damage"
    return f"The judges caught {caught}. They missed {words.listed(missed)}."


def panel_sentences(view: BoardView) -> list[str]:
    """Say what the panel missed, which other ladders are in order, and what was not tried."""
    spots = blind_spots(view)
    if not spots or not rows_of(view):
        return [spots]
    missed, of_panel = unseen(view), ladders(view)
    others = {damage: ordered for damage, ordered in of_panel.items() if damage not in (*missed, *too_few(view))}
    sentences = [spots, order_sentence(others, other=bool(missed))] if others else [spots]
    if few := too_few(view):
        named = words.listed([damage_words(damage) for damage in few])
        sentences.append(f"Not measured, because a dose has {TOO_FEW} items (fewer than {LEAST_CLUSTERS}): {named}.")
    if untried := [damage_words(damage) for damage in LADDERS if damage not in of_panel]:
        sentences.append(f"Not tried: {words.listed(untried)}.")
    return sentences


def ceiling_meaning(view: BoardView) -> str:
    """Say what the ceiling is and on how many items it was measured; empty without one."""
    ceiling = view.results.ceiling
    if ceiling is UNSET:
        return ""
    return f"what the panel gives to the reference answers, on {words.of(ceiling.n_items, len(view.items))} items"


def ceiling_words(view: BoardView) -> str:
    """Return the ceiling with its interval and meaning; empty without one."""
    ceiling = view.results.ceiling
    if ceiling is UNSET:
        return ""
    return f"{words.estimate(ceiling.overall, ceiling.low, ceiling.high)}: {ceiling_meaning(view)}"


@dataclass(frozen=True)
class ControlLine:
    """A damage at one dose. row: the panel's. of_judges: in their order; None for a judge without one.

    doses: how many the damage has, on its first line; 0 on the others. few: whether a dose has too few items.
    """

    row: ControlRow
    of_judges: Sequence[ControlRow | None]
    doses: int
    few: bool

    @property
    def rows(self) -> list[ControlRow | None]:
        """Those of the panel and of each judge."""
        return [self.row, *self.of_judges]

    @property
    def damage(self) -> str:
        return damage_words(self.row.damage)

    @property
    def dose(self) -> str:
        return dose_words(self.row.damage, self.row.dose)

    @property
    def orders(self) -> list[str]:
        """Say for the panel and each judge if the doses are in order."""
        if self.few:
            return [TOO_FEW] * len(self.rows)
        return [words.yes_or_no(None if row is None else row.ordered) for row in self.rows]


def table(view: BoardView) -> list[ControlLine]:
    """Return a line for every damage and dose."""
    of_judge: dict[str | None, dict[str, ControlRow]] = {}
    for row in rows_of(view):
        of_judge.setdefault(row.judge, {})[row.control] = row
    judges = [judge.id for judge in view.judges if judge.id in of_judge]
    few, of_panel = too_few(view), list(of_judge.get(None, {}).values())
    doses = Counter(row.damage for row in of_panel)
    return [
        ControlLine(
            row,
            [of_judge[judge].get(row.control) for judge in judges],
            # Taken out by the first line, so that the others have none.
            doses.pop(row.damage, 0),
            row.damage in few,
        )
        for row in of_panel
    ]
