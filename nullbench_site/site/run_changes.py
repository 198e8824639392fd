"""What changed between two runs, in their specs and in the ranks of their boards, and how pages say it.

Both are read from the run folders alone: the specs as each run keeps them, and its leaderboards. A sealed run does not
change, so what two of them differ in is worked out once and kept by their digests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from nullbench_site.errors import RunError, SpecError, StorageError, UsageError
from nullbench_site.packaged import word_pairs
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.storage import read_cache, write_cache
from nullbench_site.runs.verify import sealed_content
from nullbench_site.site import words
from nullbench_site.site.history import Standing, read_standings
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change, FieldChange, Kind, Number, changes
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import THIN

_REVISION = 4
"""Raised when the same two runs would be told apart in another way."""
_NAMED = 8
"""How many contestants a sentence names."""


class Move(msgspec.Struct, frozen=True):
    """A contestant that both leaderboards have. difference: of the scores, in points of 0-100; None without both.

    moved: whether its rank, or the range of its ranks, is another.
    """

    model: str
    before: Standing
    after: Standing

    @property
    def difference(self) -> float | None:
        if self.before.overall is None or self.after.overall is None:
            return None
        return self.after.overall - self.before.overall

    @property
    def moved(self) -> bool:
        return _place(self.before) != _place(self.after)


class BoardChange(msgspec.Struct, frozen=True):
    """A board in both runs: those whose rank or score is another, those new and gone, best first, and how many stay."""

    board: str
    moves: tuple[Move, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]
    n_both: int


class RunChange(msgspec.Struct, frozen=True):
    """A run against an earlier one. problems: why specs or results are not compared; the rest is.

    titles: of contestants, as the specs of the two runs have them.
    """

    before: str
    specs: tuple[Change, ...] | None
    boards: tuple[BoardChange, ...] | None
    new_boards: tuple[str, ...] = ()
    gone_boards: tuple[str, ...] = ()
    titles: Mapping[str, str] = {}
    problems: tuple[str, ...] = ()


class _WithProblems(Protocol):
    @property
    def problems(self) -> tuple[str, ...]: ...


KeptT = TypeVar("KeptT", bound=_WithProblems)


class Unreadable(Exception):
    """A part of a run that cannot be compared; the message says what and why."""


def run_changes(runs: Sequence[CatalogEntry], cache: Path) -> Mapping[str, RunChange]:
    """Return what changed in each run since the one before it. runs: oldest first.

    A run is compared with the newest earlier sealed run of its profile or, without one, of any profile.
    """
    of_run = {}
    for place, entry in enumerate(runs):
        before = _before(runs[:place], entry)
        if before is not None:
            of_run[entry.path.name] = _change(before, entry, cache)
    return of_run


def _before(earlier: Sequence[CatalogEntry], entry: CatalogEntry) -> CatalogEntry | None:
    sealed = [other for other in reversed(earlier) if other.manifest.sealed]
    of_its_profile = (other for other in sealed if other.manifest.profile == entry.manifest.profile)
    return next(of_its_profile, sealed[0] if sealed else None)


def _change(before: CatalogEntry, after: CatalogEntry, cache: Path) -> RunChange:
    if not after.manifest.sealed:
        return _compared(before, after)
    key = sha256(f"{_REVISION} {before.manifest.digest} {after.manifest.digest}".encode())
    return kept(cache / "changes" / f"{key}.json", partial(_compared, before, after), RunChange)


def kept(path: Path, make: Callable[[], KeptT], kind: type[KeptT]) -> KeptT:
    """Return the result of `make` on sealed runs, cached in the file `path`."""
    content = read_cache(path)
    if content is not None:
        with suppress(msgspec.DecodeError):  # of another version of the program
            return msgspec.json.decode(content, type=kind)
    made = make()
    if not made.problems:  # what is mended is read the next time
        write_cache(path, msgspec.json.encode(made))
    return made


def _compared(before: CatalogEntry, after: CatalogEntry) -> RunChange:
    problems: list[str] = []
    specs, boards, titles = None, None, {}
    try:
        old, new = specs_of_run(before), specs_of_run(after)
        specs = tuple(changes(old, new))
        titles = {model.id: model.title for model in (*old.models.values(), *new.models.values())}
    except Unreadable as reason:
        problems.append(str(reason))
    new_boards: set[str] = set()
    gone_boards: set[str] = set()
    try:
        ranked, now = _leaderboards(before), _leaderboards(after)
        boards = tuple(_board_change(board, ranked[board], now[board]) for board in now if board in ranked)
        new_boards, gone_boards = now.keys() - ranked.keys(), ranked.keys() - now.keys()
    except Unreadable as reason:
        problems.append(str(reason))
    return RunChange(
        before=before.path.name,
        specs=specs,
        boards=boards,
        new_boards=tuple(sorted(new_boards)),
        gone_boards=tuple(sorted(gone_boards)),
        titles=titles,
        problems=tuple(problems),
    )


def specs_of_run(entry: CatalogEntry) -> Benchmark:
    """Return the specs of a run as they were sealed. Raises Unreadable."""
    what = f"the specs of run {entry.path.name}"
    try:
        for name in entry.manifest.files:
            if name.startswith("specs/"):
                sealed_content(entry.path, entry.manifest, name)
        return load_benchmark(entry.path / "specs", profile=entry.manifest.profile)
    except (SpecError, UsageError):
        raise Unreadable(f"{what} are in a form that this version cannot read") from None
    except (OSError, StorageError, ValueError):
        raise Unreadable(f"{what} are missing or damaged") from None


def _leaderboards(entry: CatalogEntry) -> dict[str, Mapping[str, Standing]]:
    """Return the standings of each board, best first."""
    try:
        return {board: read_standings(entry, board) for board in boards_with_results(entry)}
    except (OSError, RunError):
        raise Unreadable(f"the results of run {entry.path.name} are missing or damaged") from None


def boards_with_results(entry: CatalogEntry) -> list[str]:
    """Return the boards of which a run has results: the sealed ones, or those in the folder of an open run."""
    names = [path.relative_to(entry.path).as_posix() for path in entry.path.glob("results/*/leaderboard.csv")]
    if entry.manifest.sealed:
        names = [name for name in entry.manifest.files if Path(name).match("results/*/leaderboard.csv")]
    return sorted(Path(name).parent.name for name in names)


def _board_change(board: str, before: Mapping[str, Standing], after: Mapping[str, Standing]) -> BoardChange:
    both = [Move(model, before[model], standing) for model, standing in after.items() if model in before]
    return BoardChange(
        board=board,
        moves=tuple(move for move in both if move.moved or move.before.overall != move.after.overall),
        new=tuple(model for model in after if model not in before),
        gone=tuple(model for model in before if model not in after),
        n_both=len(both),
    )


def _place(standing: Standing) -> tuple[int | None, ...]:
    """Return what a board shows as the rank."""
    if standing.rank_low is None or standing.rank_high is None:
        return (standing.rank,)
    return standing.rank_low, standing.rank_high


# Changes in words: of specs what they are called, and of no text what it says.


def spec_lines(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Group the changes of specs by kind. scored: whether they can move a score."""
    groups: dict[tuple[Kind, str, str, bool], list[str]] = {}
    for change in changes:
        how = f": {', '.join(fields_in_words(change))}" if change.fields else ""
        title = f"{change.before} → {change.id}" if change.before else change.title
        groups.setdefault((change.kind, change.what, how, change.scored), []).append(title)
    return [
        {"what": f"{some(len(titles), kind)} {what}{how}", "which": titles, "scored": scored}
        for (kind, what, how, scored), titles in groups.items()
    ]


def fields_in_words(change: Change) -> list[str]:
    """Name the changed fields of a spec: `weight 1 → 2`; a text by its name only."""
    return [_field(field) for field in change.fields]


def counted(changes: Sequence[Change]) -> str:
    """Count the changes in one phrase: `1 goal changed, 2 items added`."""
    groups: dict[tuple[Kind, str], int] = {}
    for change in changes:
        groups[change.kind, change.what] = groups.get((change.kind, change.what), 0) + 1
    return words.listed([f"{some(n, kind)} {what}" for (kind, what), n in groups.items()])


def some(n: int, kind: Kind, thousands: str = THIN) -> str:
    """Return `2 items`; without a count for what a benchmark has one of."""
    one, _, several = word_pairs("kinds").get(kind, f"{kind}, {kind}s").partition(", ")
    return words.plural(n, one, several, thousands=thousands) if several else one


def specs_sentence(specs: Sequence[Change], *, same_digest: bool) -> str:
    """Return a sentence on the specs of two runs. same_digest: whether their spec digests are equal."""
    scored = [change for change in specs if change.scored]
    if scored:
        return f"Specs: {counted(scored)}."
    if not same_digest:
        return "The spec digests differ, yet no spec does: the program writes or counts them in another way."
    if specs:
        return "Specs: only words, addresses or prices changed, which move no score."
    return "The specs are the same."


def moved_yardstick(specs: Sequence[Change]) -> bool:
    """Return True if the runs measure different things or have different judges."""
    mine = {"contestants"}
    return any(
        change.scored
        and change.kind != "contestant"
        and (change.what != "renamed" or change.fields)
        and not (change.kind == "board" and change.fields and {field.path[0] for field in change.fields} <= mine)
        for change in specs
    )


def ranks_sentence(change: BoardChange) -> str:
    """Return a sentence on the contestants of both leaderboards."""
    moved = sum(move.moved for move in change.moves)
    if not change.n_both:
        return "No contestant stands in both runs."
    if moved:
        have = "has" if moved == 1 else "have"
        return f"{words.of(moved, change.n_both)} contestants {have} another rank."
    if not change.moves:
        return "No rank moved, and every score is the same."
    differences = [abs(move.difference) for move in change.moves if move.difference is not None]
    most = words.number(max(differences, default=0.0))
    if most == words.number(0.0):
        return "No rank moved, and no score by as much as 0.1 points."
    return f"No rank moved; scores moved by at most {most} points."


def come_and_gone(change: BoardChange, titles: Mapping[str, str]) -> Iterator[str]:
    """Name the contestants that are on only one of the two leaderboards."""
    for verb, models in (("New", change.new), ("Gone", change.gone)):
        if models:
            yield f"{verb}: {words.listed(words.some_of([titles.get(model, model) for model in models], _NAMED))}."


def summary(change: RunChange, titles: Mapping[str, str], *, same_digest: bool) -> str:
    """Summarize the changes in a few sentences. titles: of boards."""
    sentences = [f"Since run {change.before}:"]
    if change.specs is not None:
        sentences.append(specs_sentence(change.specs, same_digest=same_digest))
    for board in change.boards or ():
        title = titles.get(board.board, board.board)
        sentences += [f"{title}: {ranks_sentence(board)}", *come_and_gone(board, change.titles)]
    sentences += [f"New board: {titles.get(board, board)}." for board in change.new_boards]
    sentences += [f"Board gone: {titles.get(board, board)}." for board in change.gone_boards]
    return " ".join([*sentences, *(f"Not compared: {problem}." for problem in change.problems)])


def _field(field: FieldChange) -> str:
    first, *rest = field.path
    names = word_pairs("fields")
    name = " ".join([names.get(first, first), *(names.get(part, part) for part in rest)]).rstrip(",")
    name = name.replace("_", " ")
    if field.before is None and field.after is None:
        return name
    return f"{name} {_number(field.before)} → {_number(field.after)}"


def _number(value: Number | None) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}".replace("-", words.MINUS)
