"""Make a board of the protocol `scores` from a table: in a new repository, or as a newer table in an old one."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from nullbench_site.errors import UsageError
from nullbench_site.interop.imported_repository import csv_text, is_repository, load_imported, place_board, spec_files
from nullbench_site.interop.table_rows import open_table
from nullbench_site.protocols.scores.specs import Scale, ScoresBoardFile
from nullbench_site.protocols.scores.tables import OF_ITEMS, Scores
from nullbench_site.scoring.ranked_table import ScoreTable, suggested_scale
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import read_specs
from nullbench_site.specs.sources import each_item
from nullbench_site.specs.table_files import OF_MODELS, distinct_ids
from nullbench_site.specs.types import PREFIX, BenchmarkFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import did_you_mean, listed, one_line, plural, quoted, slug, some_of, title_of

_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("display_name",),
    "model": ("name", "api_name"),
    "vendor": ("organisation", "organization", "developer", "provider", "company"),
    "base": ("base_model",),
    "released": ("release_date", "release"),
    "training_cutoff": ("cutoff", "knowledge_cutoff", "training_data_cutoff"),
    "parameters_b": ("size", "size_b", "params_b"),
    "license": ("licence",),
    "homepage": ("link", "url"),
    "link": ("url",),
    "cost_usd": ("cost", "dollars", "usd", "price_usd"),
    "seconds": ("time_s", "time_seconds", "duration_s", "latency_s"),
}
"""Column of models.csv or items.csv -> other names by which it is recognised in a table."""
_COSTS = {name for column in ("cost_usd", "seconds") for name in (column, *_NAMES[column])}
_AMOUNT = r"[0-9]+(\.[0-9]+)?"
ColumnT = TypeVar("ColumnT", bound=Sized)
_NAMED = 6
_LONGEST = 500


class BoardRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What an import is asked for. None: the table or a default decides.

    into: a new or empty folder, or a repository. board: its id. models: a table about the models. category: the column
    of items that cuts are made by, beside their group. source, license: of the data, for SOURCE.md.
    """

    into: Path
    board: str | None = None
    title: str | None = None
    models: Path | None = None
    category: str | None = None
    scale: tuple[float, float] | None = None
    lower_is_better: bool = False
    means: bool = False
    coverage: float = 1.0
    source: str | None = None
    license: str | None = None


class ScoresReport(msgspec.Struct, frozen=True):
    """The report of an import. run: empty if the repository has calls to make first. changed: what a newer table moved.

    notes: how the table was read.
    """

    directory: str
    run: str
    board: str
    models: int
    items: int
    notes: tuple[str, ...]
    changed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Return the lines to print."""
        yield from (f"Note:     {note}" for note in self.notes)
        yield f"imported {plural(self.models, 'model')} and {plural(self.items, 'item')} as board {self.board}"
        yield from (f"Changed:  {line}" for line in self.changed)


def import_table(table: ScoreTable, request: BoardRequest) -> ScoresReport:
    """Make the board. Raises UsageError, ImportRefused if its specs would break a rule, and StorageError."""
    into, notes = request.into, [*table.notes]
    board = request.board or slug(Path(table.name).stem, kept="") or "scores"
    if slug(board) != board:
        raise UsageError(f"--board {quoted(board)} is not an id; write {slug(board) or 'scores'!r}")
    before = load_imported(into / "specs", table.name) if is_repository(into) else None
    known = None if before is None else before.boards.get(board)
    if known is not None and not isinstance(known, ScoresBoardFile):
        raise UsageError(f"board {board!r} has the protocol {known.protocol!r}; choose another id with --board")
    files = _table_files(table, request, notes, into / "specs" / "scores" / board)
    if known is None:
        files |= spec_files([_board(table, request, board, notes)])
    elif request.scale or request.lower_is_better or request.means or request.coverage < 1:
        notes.append(f"The board keeps its scale, direction, cells and coverage; edit specs/boards/{board}.yaml.")
    if not (into / f"specs/scores/{board}/SOURCE.md").exists():
        files[f"specs/scores/{board}/SOURCE.md"] = _source(table, request, board)
    after, run = place_board(into, files, table.name, _benchmark(request, board), "scores")
    new = after.tables[board]
    assert isinstance(new, Scores)  # noqa: S101 - of this protocol
    changed = [] if known is None or before is None else list(_changed(before, after, board))
    return ScoresReport(
        str(into), run, board, len(new.models), len(new.items), tuple(map(one_line, notes)), tuple(changed)
    )


def _title(request: BoardRequest, board: str) -> str:
    return title_of(request.title or board)[:_LONGEST]


def _benchmark(request: BoardRequest, board: str) -> BenchmarkFile:
    return BenchmarkFile(
        canary="", id=board, title=_title(request, board), version="1.0.0",
        description="Scores from a table, with intervals, ranks and comparisons.",
        license=title_of(request.license or "no licence stated"),
    )  # fmt: skip


def _board(table: ScoreTable, request: BoardRequest, board: str, notes: list[str]) -> ScoresBoardFile:
    low, high = request.scale or table.scale or _scale(table, notes)
    title = _title(request, board)
    return ScoresBoardFile(
        canary="", id=board, title=title, question=f"How do models score on {title}?",
        description="Imported from a table of scores.", construct="capability", protocol="scores",
        scale=Scale(low=low, high=high), lower_is_better=request.lower_is_better or table.lower_is_better,
        cells="means" if request.means or table.means else "items", coverage=request.coverage,
    )  # fmt: skip


def _scale(table: ScoreTable, notes: list[str]) -> tuple[float, float]:
    ends, note = suggested_scale(table)
    if ends is None:
        raise UsageError(f"{table.name}: a board needs a scale with two ends; set it with --scale LOW:HIGH. {note}")
    notes.append(note)
    return ends


def _source(table: ScoreTable, request: BoardRequest, board: str) -> str:
    licence = request.license or "no licence stated; names and numbers only"
    lines = [f"# {_title(request, board)}", f"* Source: {request.source or 'not stated'}"]
    lines += [f"* File: {one_line(Path(table.name).name)}", f"* Licence of the data: {licence}"]
    taken = f"{plural(len(table.models), 'model')} and {plural(len(table.items), 'item')}"
    return "\n".join([lines[0], "", *lines[1:], f"* Taken: scores of {taken}; no prompts and no answers"]) + "\n"


# The tables of a board.


def _table_files(table: ScoreTable, request: BoardRequest, notes: list[str], old: Path) -> dict[str, str | None]:
    """Return the text of each table of the board; None for one to remove. Columns of the old tables stay."""
    described, taken_ids = _others(old)
    item_ids = distinct_ids(table.items, "item")
    if not taken_ids.isdisjoint(item_ids):
        item_ids = distinct_ids(table.items, "item", f"{old.name}.")
    model_ids = _model_ids(table.models, notes)
    of_items = _columns(table.item_columns, OF_ITEMS) | {"title": _titles(table.items, item_ids)}
    of_items |= {"domain": table.groups or (), "cluster": table.clusters or (), "category": ()}
    if request.category is not None:
        if request.category not in table.item_columns:
            known = did_you_mean(request.category, table.item_columns)
            raise UsageError(f"{table.name}: no column {quoted(request.category)} of items for --category; {known}")
        of_items["category"] = table.item_columns[request.category]
    cells, about = _cell_columns(table, notes)
    about |= _of_models(table, request.models)
    of_models = {"title": _titles(table.models, model_ids)} | _columns(about, OF_MODELS)
    if table.families is not None:
        of_models["family"] = table.families
    beside = _columns(cells, ("cost_usd", "seconds"))
    taken = {id(column) for columns in (of_items, of_models, beside) for column in columns.values()}
    every = {**table.item_columns, **about, **cells}
    clusters = [name for name, column in table.item_columns.items() if column == table.clusters]
    unused = [name for name, column in every.items() if id(column) not in taken and name not in clusters]
    if unused:
        notes.append(f"Not used: {listed(some_of([quoted(name) for name in unused], _NAMED))}.")
    in_order = sorted(range(len(model_ids)), key=model_ids.__getitem__)
    models = {name: [column[place] for place in in_order] for name, column in of_models.items()}
    for name in ("title", "family", "kind") if described else ():
        own = models.get(name, [""] * len(in_order))
        models[name] = [
            described.get(model, {}).get(name, text) for model, text in zip(sorted(model_ids), own, strict=True)
        ]
    files: dict[str, str | None] = {
        "scores.csv": _cells(table.values, model_ids, item_ids, in_order),
        "models.csv": _rows(sorted(model_ids), models, OF_MODELS, notes, old / "models.csv"),
        "items.csv": _rows(item_ids, of_items, OF_ITEMS, notes, old / "items.csv"),
    }
    for name, column in (("costs", "cost_usd"), ("seconds", "seconds")):
        found = beside.get(column)
        files[f"{name}.csv"] = None if found is None else _cells(found, model_ids, item_ids, in_order)
    return {f"specs/scores/{old.name}/{name}": text for name, text in files.items()}


def _others(old: Path) -> tuple[Mapping[str, dict[str, str]], set[str]]:
    """Return what else the repository has: title, family and kind of models by id, and the ids of items."""
    specs = old.parent.parent
    if not is_repository(specs.parent):
        return {}, set()
    files = read_specs(specs, new=False)
    others = [model for board, tables in files.tables.items() if board != old.name for model in tables.models]
    models = {
        spec.id: {"title": spec.title, "family": spec.family, "kind": spec.kind}
        for spec in (source.spec for source in (*others, *files.models))
    }
    own = files.tables[old.name].domains if old.name in files.tables else ()
    return models, {item.id for _, item, _ in each_item(source for source in files.domains if source not in own)}


def _cell_columns(table: ScoreTable, notes: list[str]) -> tuple[dict[str, Floats], dict[str, Sequence[str]]]:
    """Return the columns about cells and about models. In a long table a cost or a time is of a cell."""
    cells, about = dict(table.cell_columns), dict[str, Sequence[str]](table.model_columns)
    for name in _COSTS & about.keys() if table.item_columns or cells else ():
        column = about.pop(name)
        numbers = [float(text) if re.fullmatch(_AMOUNT, text) else np.nan for text in column]
        cells[name] = np.where(np.isnan(table.values), np.nan, np.array(numbers)[:, np.newaxis])
        notes.append(f"{quoted(name)} is the same in all rows of a model, and taken as that of one item.")
    return cells, about


def _not_reserved(name: str) -> str:
    """Return the name of a model; ids of controls are reserved."""
    return f"model-{name}" if slug(name).startswith(PREFIX) else name


def _model_ids(names: Sequence[str], notes: list[str]) -> list[str]:
    """Return the id of each model. Names that give one id get suffixes in the order of names, whatever that of rows."""
    in_order = sorted(range(len(names)), key=names.__getitem__)
    ids = dict(zip(in_order, distinct_ids([_not_reserved(names[at]) for at in in_order], "model"), strict=True))
    same: dict[str, list[int]] = {}
    for at in in_order:
        same.setdefault(names[at].casefold(), []).append(at)
    for places in same.values():
        if len(places) > 1:
            each = listed([f"{quoted(names[at])} has the id {ids[at]!r}" for at in places])
            notes.append(f"{each}.")
    return [ids[at] for at in range(len(names))]


def _titles(names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Return a title for each name: on one line, and the id if another name has the same."""
    titles = [title_of(name)[:_LONGEST] or own for name, own in zip(names, ids, strict=True)]
    counts = Counter(titles)
    return [title if counts[title] == 1 else own for title, own in zip(titles, ids, strict=True)]


def _columns(columns: Mapping[str, ColumnT], wanted: Sequence[str]) -> dict[str, ColumnT]:
    """Return the columns that are recognised by name, by the name that the board has for them."""
    found: dict[str, ColumnT] = {}
    for column in wanted:
        for own in (column, *_NAMES.get(column, ())):
            if column != "id" and own in columns:
                found.setdefault(column, columns[own])
    return found


def _of_models(table: ScoreTable, path: Path | None) -> dict[str, list[str]]:
    """Return the columns of a table about models, for the models in order."""
    if path is None:
        return {}
    with open_table(str(path)) as rows:
        cells = [row for block in rows.blocks for row in block.rows]
    if "model" not in rows.header:
        raise rows.error("no column 'model'; name the column with the models so")
    place = rows.header.index("model")
    by_model = {str(row[place]): row for row in cells}
    if not set(table.models) & set(by_model):
        raise rows.error("no row is about a model of the scores; use the same names")
    return {
        name: [
            "" if (row := by_model.get(model)) is None or row[at] is None else str(row[at]) for model in table.models
        ]
        for at, name in enumerate(rows.header)
        if at != place
    }


def _cells(values: Floats, models: Sequence[str], items: Sequence[str], in_order: Sequence[int]) -> str:
    rows = ([models[place], *map(_number, values[place].tolist())] for place in in_order)
    return csv_text([["model", *items], *rows])


def _number(value: float) -> str:
    return "" if value != value else repr(int(value)) if value.is_integer() else repr(value)  # noqa: PLR0124 - NaN


def _rows(
    ids: Sequence[str], columns: Mapping[str, Sequence[str]], order: Sequence[str], notes: list[str], old: Path
) -> str:
    """Return a table about models or items. order: of its columns. old: the table that it replaces."""
    before, dropped = _before(old), Counter[str]()
    made: list[dict[str, str]] = []
    for place, own in enumerate(ids):
        row = {"id": own}
        for name, column in columns.items():
            text = one_line(str(column[place])) if len(column) else ""
            row[name] = fitted = _fitted(name, text)
            dropped[name] += bool(text) and not fitted
        made.append({**before.get(own, {}), **{name: text for name, text in row.items() if text}})
    for name, n in dropped.items():
        if n:
            notes.append(f"Left out: {plural(n, 'value')} of {quoted(name)} in another form than a board needs.")
    used = [name for name in order if any(name in row for row in made)]
    return csv_text([used, *([row.get(name, "") for name in used] for row in made)])


def _fitted(column: str, text: str) -> str:
    """Return a text in the form that the column needs; empty if it has no such form."""
    match column:
        case "date" | "released" | "training_cutoff":
            found = re.match(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?(?![0-9])", text)
            return found[0] if found else ""
        case "homepage" | "link":
            return text if re.fullmatch(r"https?://[^\s\"'<>]+", text) and len(text) <= _LONGEST else ""
        case "parameters_b" | "cost_usd" | "seconds":
            return text if re.fullmatch(_AMOUNT, text) else ""
        case "difficulty" | "kind":
            known = ("easy", "medium", "hard") if column == "difficulty" else ("model", "baseline", "null")
            return text.casefold() if text.casefold() in known else ""
        case "open_weights":
            return {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}.get(
                text.casefold(), ""
            )
        case "family":
            return slug(text)
        case "tags":
            return " ".join(filter(None, map(slug, text.replace(",", " ").split())))
        case _:
            return title_of(text).replace(" #", " ")[:_LONGEST].strip()


def _before(path: Path) -> Mapping[str, dict[str, str]]:
    """Return the rows of an old table by id, without empty cells. It has been read before, so it is valid."""
    if not path.is_file():
        return {}
    rows = csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
    return {row["id"]: {name: cell for name, cell in row.items() if cell} for row in rows}


# What a newer table changes.


def _changed(before: Benchmark, after: Benchmark, board: str) -> Iterator[str]:
    old, new = before.tables[board], after.tables[board]
    assert isinstance(old, Scores) and isinstance(new, Scores)  # noqa: S101, PT018 - of this protocol
    for noun, were, are in (("model", old.models, new.models), ("item", old.items, new.items)):
        for what, names in (("new", sorted({*are} - {*were})), ("gone", sorted({*were} - {*are}))):
            if names:
                yield f"{plural(len(names), noun)} {what}: {listed(some_of(names, _NAMED))}"
    models, items = sorted({*old.models} & {*new.models}), sorted({*old.items} & {*new.items})
    cells = [np.array([each.row(each.values, model, items) for model in models]) for each in (old, new)]
    n = int((~((cells[0] == cells[1]) | (np.isnan(cells[0]) & np.isnan(cells[1])))).sum())
    yield f"{plural(n, 'score')} of {plural(len(models) * len(items), 'old cell')} changed"
