"""Whether the items of a board are newer than the models that answer them."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, timedelta

from nullbench_site.runs.manifest import ItemDates
from nullbench_site.scoring.contamination_tables import ItemDateRow
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.rules.lifecycle import is_alias
from nullbench_site.specs.types import PROGRAMS, BoardFile, ModelFile

NOT_RELEASED = "the release of the model is not stated; fill in `released`"
NOT_FIXED = "the name of the model has no date, version or digest, so its weights may be newer than its release"


def item_date_rows(benchmark: Benchmark, board: BoardFile, dates_of: Mapping[str, ItemDates]) -> list[ItemDateRow]:
    """Return a row for each model of a board with dates of items; none for programs. dates_of: by board."""
    dates = dates_of.get(board.id)
    if dates is None:
        return []
    return [_row(model, dates) for model in benchmark.contestants(board) if model.backend != PROGRAMS]


def _row(model: ModelFile, dates: ItemDates) -> ItemDateRow:
    absent = dates.absent
    if model.released is None:
        absent = absent or NOT_RELEASED
    elif is_alias(model.model):
        absent = absent or NOT_FIXED
    newer = None
    if absent is None and model.released is not None and dates.first is not None:
        try:
            newer = is_newer(dates.first, model.released)
        except ValueError:
            absent = f"{model.released!r} is not a date; correct `released`"
    return ItemDateRow(
        model=model.id, n_items=dates.n_items, released=model.released, first=dates.first, source=dates.source,
        newer=newer, absent=absent,
    )  # fmt: skip


def is_newer(first: str, released: str) -> bool:
    """Return True if a day is later than the day after a release.

    first: a day. released: a year, a month or a day; its last day counts. ValueError if one is not a date.
    """
    year, month, day = (int(part) for part in [*released.split("-"), "0", "0"][:3])
    last_month = month or 12
    last_day = monthrange(year, last_month)[1]
    last = date(year, last_month, min(day or last_day, last_day))
    return date.fromisoformat(first) > last + timedelta(days=1)
