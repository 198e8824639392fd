"""Where the contestants of a board stood in a run: what its leaderboard.csv says, once it is what was sealed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.verify import is_sealed
from nullbench_site.specs.digest import sha256


class Standing(msgspec.Struct, frozen=True):
    """A contestant on the whole board in one run. Scores are 0-100; a rank is None where it was not ranked."""

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    overall: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None


def read_standings(entry: CatalogEntry, board: str) -> Mapping[str, Standing]:
    """Where each contestant of a board stood in a run, by id, in the order of the board.

    Raises FileNotFoundError where the run has no results of the board, and RunError where they are not what was sealed
    or cannot be read.
    """
    name = f"results/{board}/leaderboard.csv"
    try:
        raw = (entry.path / name).read_bytes()
    except FileNotFoundError:
        if name in entry.manifest.files:
            raise RunError("the results that were sealed are missing") from None
        raise
    except OSError as error:
        raise RunError(f"the results cannot be read ({error.strerror})") from error
    if not is_sealed(entry.manifest, name, sha256(raw)):
        raise RunError("the results were changed after the run was sealed")
    try:
        return dict(_standings(csv.reader(io.StringIO(raw.decode()), strict=True)))
    except (ValueError, IndexError, csv.Error):
        raise RunError("the results are damaged") from None


def _standings(lines: Iterable[Sequence[str]]) -> Iterator[tuple[str, Standing]]:
    """Raises ValueError or IndexError for what is no leaderboard."""
    rows = iter(lines)
    places = {name: place for place, name in enumerate(next(rows, ()))}
    if places:
        model, *numbers = (places.get(name, -1) for name in ("model", *Standing.__struct_fields__))
        if min(model, *numbers) < 0:
            raise ValueError("a column is missing")
        for row in rows:
            rank, low, high, *scores = (row[place] for place in numbers)
            yield row[model], Standing(_whole(rank), _whole(low), _whole(high), *map(_score, scores))


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _score(text: str) -> float | None:
    if not text:
        return None
    value = float(text)
    if not (isfinite(value) and 0 <= value <= 100):
        raise ValueError(f"{value} is no score")
    return value
