"""Read the standings of a board in each run, and draw a contestant's score over runs.

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
from typing import Any

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.manifest import Manifest
from nullbench_site.runs.verify import is_sealed
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import BoardView
from nullbench_site.specs.digest import sha256

_SHOWN = 12
"""The number of runs in the table and the line."""
_WIDTH, _HEIGHT, _EDGE = 320.0, 96.0, 10.0
"""Of the drawing; the edge keeps dots inside."""
_SPAN = 10.0
"""The least height of the drawing, in points of score: a tenth of a point is no mountain."""


class Standing(msgspec.Struct, frozen=True):
    """A contestant on the whole board in one run. Scores are 0-100; a rank is None if it was not ranked."""

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
        """Return the number of ranked contestants."""
        return sum(standing.rank is not None for standing in self.standings.values())

    @property
    def date(self) -> str:
        """Return the day on which the run was sealed or, if it is open, started."""
        return self.entry.manifest.date


def history(site: SiteData, view: BoardView) -> tuple[BoardRun, ...]:
    """Return the runs with results of a board, oldest first, including the one that the site shows.

    A run whose benchmark had no such board is left out.
    """
    return tuple(_runs(site, view))


def comparable(one: Manifest, other: Manifest) -> bool:
    """Return True if a line may join the scores of two runs: they asked and judged the same.

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
    """Return the standing of each contestant of a board in a run, in the order of the board.

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


# The score of one contestant over runs: a small table, and a line through its intervals.


@dataclass(frozen=True)
class Dot:
    """A score in the drawing, y downwards; low and high are the ends of its interval."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Entry:
    """A contestant in a run. changed: how the specs differ from those of the entry before; empty if they do not."""

    run: BoardRun
    standing: Standing
    changed: str


def timeline(runs: Sequence[BoardRun], model: str, board: str) -> dict[str, Any]:
    """Return what a contestant's page says about earlier runs. runs: of one board, oldest first."""
    entries: list[Entry] = []
    for run in runs:
        standing = run.standings.get(model)
        if standing is not None:
            before = entries[-1].run.entry.manifest if entries else None
            entries.append(Entry(run, standing, _changed(before, run.entry.manifest)))
    shown = entries[-_SHOWN:]
    return {
        "sentences": [*_sentences(runs, entries), *_damaged(runs)],
        "entries": shown[::-1] if len(entries) > 1 else [],
        "spark": _spark(shown) if len(entries) > 1 else None,
        "caption": f"Runs on {board}",
    }


def _changed(before: Manifest | None, this: Manifest) -> str:
    if before is None:
        return ""
    if comparable(before, this):
        if before.spec_digest == this.spec_digest:
            return ""
        return "specs changed: the same questions and judges"
    return f"specs changed from {before.version} to {this.version}: other questions or judges"


def _sentences(runs: Sequence[BoardRun], entries: Sequence[Entry]) -> list[str]:
    if len(entries) > 1:
        sentences = ["A line joins runs of the same version or the same specs: they asked and judged the same."]
        if any(entry.changed for entry in entries[-_SHOWN:]):
            sentences.append("A dashed line marks a change of the specs.")
        if len(entries) > _SHOWN:
            sentences.append(f"Shown are the last {_SHOWN} of {len(entries)} runs.")
        return sentences
    if sum(not run.damage for run in runs) > 1:
        return ["It stands on this board for the first time: there is no history yet."]
    return ["First run: no history yet."]


def _damaged(runs: Sequence[BoardRun]) -> list[str]:
    return [f"Run {run.entry.manifest.run} is left out: {run.damage}." for run in runs if run.damage]


def _spark(entries: Sequence[Entry]) -> Mapping[str, Any] | None:
    """Return the drawing; None where fewer than two runs have a score.

    lines: points of the polylines that join comparable runs. changes: where the specs changed, between two dots.
    bottom, top: the scores at the edges.
    """
    known = [(entry, entry.standing.overall) for entry in entries if entry.standing.overall is not None]
    if len(known) < 2:
        return None
    ends = [_ends(entry.standing, score) for entry, score in known]
    bottom, top = _range(min(low for low, _ in ends), max(high for _, high in ends))
    step = (_WIDTH - 2 * _EDGE) / (len(known) - 1)

    def y(score: float) -> float:
        return round(_EDGE + (_HEIGHT - 2 * _EDGE) * (top - score) / (top - bottom), 1)

    dots = [
        Dot(round(_EDGE + step * place, 1), y(score), y(low), y(high))
        for place, ((_, score), (low, high)) in enumerate(zip(known, ends, strict=True))
    ]
    lines: list[list[str]] = []
    changes = [round(dot.x - step / 2, 1) for dot, (entry, _) in zip(dots, known, strict=True) if entry.changed]
    before: Entry | None = None
    for dot, (entry, _) in zip(dots, known, strict=True):
        if before is None or not comparable(before.run.entry.manifest, entry.run.entry.manifest):
            lines.append([])
        lines[-1].append(f"{dot.x},{dot.y}")
        before = entry
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "dots": dots,
        "lines": [" ".join(line) for line in lines if len(line) > 1],
        "changes": changes,
        "bottom": bottom,
        "top": top,
    }


def _ends(standing: Standing, score: float) -> tuple[float, float]:
    low, high = standing.ci_low, standing.ci_high
    return (score if low is None else low, score if high is None else high)


def _range(low: float, high: float) -> tuple[float, float]:
    """Return the scores at the lower and upper edge: whole numbers within 0-100, at least a few points apart."""
    middle, half = (low + high) / 2, max(high - low, _SPAN) / 2
    bottom = min(max(0.0, float(int(middle - half))), 100 - _SPAN)
    return bottom, max(min(100.0, float(int(middle + half) + 1)), bottom + _SPAN)
