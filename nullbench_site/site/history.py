"""Where the contestants of a board stood in each run that has results of it.

Of a run other than the one shown only leaderboard.csv is read, once a site. Results of an old run that are missing or
damaged are a sentence on a page, never a failure of the build: they can be worked out again at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import Manifest
from nullbench_site.site.gather import SiteData
from nullbench_site.site.standings import Standing, read_standings
from nullbench_site.site.views import BoardView


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
        manifest = self.entry.manifest
        return (manifest.sealed_at or manifest.created_at)[:10]


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
