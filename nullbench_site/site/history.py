"""Where the contestants of a board stood in each run that has results of it.

Of a run other than the one shown only leaderboard.csv is read, once a site, if it is what was sealed. Results of an old
run that are missing or damaged are a sentence on a page, never a failure of the build: they can be worked out again at
any time.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import Manifest
from nullbench_site.runs.verify import is_sealed
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import BoardView
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


@dataclass(frozen=True)
class BoardRun:
    """A board in one run: its standings by contestant, in the order of the board; or `damage`, why there are none."""

    entry: CatalogEntry
    standings: Mapping[str, Standing]
    damage: str = ""

    @cached_property
    def n_ranked(self) -> int:
        """How many had a rank."""
        return sum(standing.rank is not None for standing in self.standings.values())

    @property
    def date(self) -> str:
        """The day the run was sealed, or begun."""
        return self.entry.manifest.date


def history(site: SiteData, view: BoardView) -> tuple[BoardRun, ...]:
    """The runs that have results of a board, oldest first; the one that the site shows is among them.

    A run whose benchmark had no such board is left out.
    """
    return tuple(_runs(site, view))


def comparable(one: Manifest, other: Manifest) -> bool:
    """Whether scores of two runs may be joined by a line: they asked and judged the same.

    That is so for the same specs, and for the same version of the benchmark under the same profile: within a version
    contestants come and go, but neither tasks nor judges change.
    """
    same_version = (one.version, one.profile) == (other.version, other.profile)
    return one.benchmark == other.benchmark and (one.spec_digest == other.spec_digest or same_version)


def _runs(site: SiteData, view: BoardView) -> Iterator[BoardRun]:
    for entry in site.runs:
        if entry.path == site.entry.path:
            yield BoardRun(entry, {row.model: _standing(row) for row in view.rows.values()})
            continue
        try:
            yield BoardRun(entry, read_standings(entry, view.board.id))
        except FileNotFoundError:
            continue
        except RunError as error:
            yield BoardRun(entry, {}, str(error))


def _standing(row: object) -> Standing:
    return Standing(*(getattr(row, name) for name in Standing.__struct_fields__))


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
