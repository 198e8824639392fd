"""One contestant's answers -> a row an item, for item-level evidence."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.scoring.oracle.groups import PERCENT, RIGHT
from nullbench_site.scoring.oracle.layout import OracleLayout
from nullbench_site.scoring.oracle.results import OracleItemRow
from nullbench_site.scoring.oracle.shard import CORRECT, ERRORED, INVALID, OUTCOMES, UNMARKED, WRONG, OracleSummary
from nullbench_site.scoring.rounding import rounded

_WORST_FIRST = (ERRORED, UNMARKED, INVALID, WRONG, CORRECT)


def item_rows(layout: OracleLayout, summary: OracleSummary) -> Iterator[OracleItemRow]:
    """The rows of the items that have an answer, by item id."""
    outcomes = summary.outcome.reshape(len(layout.placed), -1).tolist()
    types = layout.key_types
    for number, (placed, of_item) in enumerate(zip(layout.placed, outcomes, strict=True)):
        worst = next((outcome for outcome in _WORST_FIRST if outcome in of_item), None)
        if worst is None:
            continue
        unit = number * len(of_item) + of_item.index(worst)
        right = [RIGHT[outcome] for outcome in of_item if outcome in RIGHT]
        yield OracleItemRow(
            model=summary.model,
            item=placed.id,
            category=placed.category.id,
            domain=placed.domain.id,
            difficulty=placed.item.difficulty,
            key=types.names[types.of_item[number]],
            bundle=placed.item.bundle,
            outcome=OUTCOMES[worst],
            why=summary.why.get(unit, ""),
            overall=rounded(PERCENT * sum(right) / len(right)) if right else None,
        )
