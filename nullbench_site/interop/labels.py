"""Draw answers to label, write them on a sheet that names no contestant and no score, and read the labels back."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.interop.answers.kept import with_files
from nullbench_site.interop.importer import ImportRefused, LabelsImporter, LabelsReport
from nullbench_site.interop.source_files import SourceFolder
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response
from nullbench_site.runs.storage import write_all
from nullbench_site.scoring.recomputation import run_benchmark
from nullbench_site.scoring.tables import csv_table
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.label_files import COLUMNS, TICKED, off_scale, read_labels, value_of
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.types import JudgedBoardFile, Labels
from nullbench_site.stats.estimate import LEVEL, quantile
from nullbench_site.stats.labels import LEAST_LABELS
from nullbench_site.text import did_you_mean, quoted

_CODE_DIGITS = 12
_SPREAD = 50.0
"""The largest standard deviation of labels on 0-100: half of them at either end."""
_HELP = """Import the labels of a sheet that one rater has filled in.

FILE is a sheet of `nullbench-site label sheet` with the column value filled in: a number, or several with | between
them. Rows without a value are left out. The labels are added to specs/labels/BOARD.csv with the draw probabilities of
the plan; labels of the same rater and answer are replaced. The next build compares the judges with them.

\b
Example:
  nullbench-site import labels sheet.csv --plan plan.csv --board main --rater ann
"""


class PlanRow(msgspec.Struct, frozen=True):
    """An answer to label. code: what names it on the sheet. probability: with which it was drawn."""

    code: str
    board: str
    item: str
    contestant: str
    probability: float


class SheetRow(msgspec.Struct, frozen=True):
    """A row of a sheet that comes back. value: empty without a label."""

    code: str
    value: str


@dataclass(frozen=True)
class Drawn:
    """How many answers of a contestant a plan has, of how many."""

    contestant: str
    n: int
    of: int


def answers_needed(half_width: float) -> int:
    """Return how many labels an interval of value -+ `half_width` points needs at most, and 100 or more.

    (z 50 / half_width)^2, where 50 is the largest standard deviation on 0-100.
    Source: Cochran (1977), Sampling techniques, 4.4.
    """
    return max(LEAST_LABELS, ceil((float(quantile(LEVEL, inf)) * _SPREAD / half_width) ** 2))


def plan(
    entry: CatalogEntry, board: str, contestants: Sequence[str], half_width: float, seed: int
) -> tuple[bytes, list[Drawn]]:
    """Return a plan as CSV, and how many answers of each contestant it has.

    contestants: all that are no null models if empty. Answers to private items are left out. Raises UsageError for an
    unknown board or contestant, and for one without an answer.
    """
    benchmark, chosen = _judged(entry, board)
    known = {model.id: model for model in benchmark.contestants(chosen)}
    for name in contestants:
        if name not in known:
            raise UsageError(f"board {board!r} has no contestant {name!r}; {did_you_mean(name, known)}")
    rows, counts = list[PlanRow](), list[Drawn]()
    names = contestants or [model.id for model in known.values() if model.kind != "null"]
    if not names:
        raise UsageError(f"board {board!r} has null models only; choose contestants with --model")
    for name in names:
        items = sorted(_texts(benchmark, chosen, entry, name))
        if not items:
            raise UsageError(f"run {entry.manifest.run} has no public answer of {name!r} on board {board!r}")
        n = min(answers_needed(half_width), len(items))
        drawn = sorted(random.Random(f"{seed} {board} {name}").sample(items, n))  # noqa: S311 - no secret
        probability = round(n / len(items), 6)
        rows += [PlanRow(_code(seed, board, item, name), board, item, name, probability) for item in drawn]
        counts.append(Drawn(name, n, len(items)))
    columns = {name: [getattr(row, name) for row in rows] for name in PlanRow.__struct_fields__}
    return csv_table(columns), counts


def sheet(entry: CatalogEntry, plan_file: Path) -> tuple[bytes, int]:
    """Return the sheet of a plan as CSV, sorted by code, and its number of rows.

    It has what was asked and the answer, and neither contestants nor scores. Raises ImportRefused for a broken plan,
    and UsageError if the run has not its answers.
    """
    rows = read_plan(plan_file)
    board = next(iter(rows.values())).board
    benchmark, chosen = _judged(entry, board)
    asked = {placed.id: _asked(placed) for placed in benchmark.items(chosen)}
    texts = {name: _texts(benchmark, chosen, entry, name) for name in {row.contestant for row in rows.values()}}
    columns: dict[str, list[str]] = {"code": [], "question": [], "answer": [], "value": []}
    for code, row in sorted(rows.items()):
        if row.item not in asked or row.item not in texts[row.contestant]:
            message = f"run {entry.manifest.run} has no answer of {row.contestant!r} to {row.item!r}"
            raise UsageError(f"{message}; make the plan again, or name its run")
        for column, text in zip(columns, (code, asked[row.item], texts[row.contestant][row.item], ""), strict=True):
            columns[column].append(text)
    return csv_table(columns), len(rows)


def import_labels(repository: Repository, file: Path, options: Mapping[str, Any]) -> LabelsReport:
    """Add the labels of a sheet to specs/labels/<board>.csv, and to the board's file if it names no labels.

    options: plan, board and rater. Raises ImportRefused with every problem, UsageError, SpecError and StorageError.
    """
    board, rater = str(options["board"]), str(options["rater"])
    planned = read_plan(options["plan"])
    benchmark = load_benchmark(repository.specs)
    chosen = benchmark.boards.get(board)
    if not isinstance(chosen, JudgedBoardFile):
        raise UsageError(f"there is no board {board!r} with judges to compare with labels")
    labels = chosen.labels or Labels(file=f"{board}.csv")
    if labels.file is None:
        raise UsageError(f"the labels of board {board!r} are the keys of {labels.board!r}; remove `labels.board`")
    target = repository.specs / "labels" / labels.file
    old = read_labels("labels", target.name, target.read_bytes())[0] if board in benchmark.labels else []
    kept = {
        (row.label.item, row.label.contestant, row.label.rater): (row.cell, f"{row.label.probability:g}") for row in old
    }
    before, n_left = len(kept), 0
    folder = SourceFolder(file.parent)
    seen = Counter[str]()
    for line, row in folder.table(file.name, SheetRow):
        seen[row.code] += 1
        if (answer := planned.get(row.code)) is None or answer.board != board:
            folder.note(file.name, f"the plan of board {quoted(board)} has no code {quoted(row.code)}", line, "code")
        elif seen[row.code] > 1:
            folder.note(file.name, f"duplicate code {quoted(row.code)}; keep one row", line, "code")
        elif not row.value.strip():
            n_left += 1
        elif value_of(row.value) is None:
            message = f"found {quoted(row.value)}; write a number, or several with {TICKED} between them"
            folder.note(file.name, message, line, "value")
        elif off_scale(row.value, labels):
            scale = f"the scale is {labels.low:g} to {labels.high:g}, the `low` and `high` of the board's labels"
            folder.note(file.name, f"{quoted(row.value)} is off the scale; {scale}", line, "value")
        else:
            kept[answer.item, answer.contestant, rater] = (row.value.strip(), f"{answer.probability:g}")
    n_read = sum(seen.values()) - n_left
    if not folder.problems and not n_read:
        folder.note(file.name, "no row has a value; fill in the column value")
    if folder.problems:
        raise ImportRefused(folder.problems_once(), "Fix the file and run the command again.")
    rows = [(*key, *cells) for key, cells in sorted(kept.items())]
    content = csv_table({name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)})
    _write(repository, board, target, content, names_them=chosen.labels is not None)
    return LabelsReport(str(target), n_read, n_left, len(kept) - before)


def _write(repository: Repository, board: str, target: Path, content: bytes, *, names_them: bool) -> None:
    """Write the labels and name them in the board's file; write nothing if the specs would then break a rule."""
    files = {target: content}
    if not names_them:
        path = repository.specs / "boards" / f"{board}.yaml"
        files[path] = path.read_bytes().rstrip(b"\n") + f"\nlabels:\n  file: {target.name}\n".encode()
    with tempfile.TemporaryDirectory(prefix="nullbench-import-") as trial:
        with_files(repository.specs, files, Path(trial), repository.private)
    write_all(files)


def read_plan(path: Path) -> dict[str, PlanRow]:
    """Return the rows of a plan by code. Raises ImportRefused with every problem."""
    folder = SourceFolder(path.parent)
    rows = dict[str, PlanRow]()
    for line, row in folder.table(path.name, PlanRow):
        if row.code in rows:
            folder.note(path.name, f"duplicate code {quoted(row.code)}; keep one row", line, "code")
        if not 0 < row.probability <= 1:
            folder.note(path.name, f"found {row.probability:g}; write a number above 0, up to 1", line, "probability")
        rows[row.code] = row
    if not rows and not folder.problems:
        folder.note(path.name, "the plan has no answer; make one with: nullbench-site label plan")
    if folder.problems:
        raise ImportRefused(folder.problems_once(), "Fix the file and run the command again.")
    return rows


def _judged(entry: CatalogEntry, board: str) -> tuple[Benchmark, JudgedBoardFile]:
    benchmark = run_benchmark(entry.path)
    chosen = benchmark.boards.get(board)
    if chosen is None:
        raise UsageError(f"run {entry.manifest.run} has no board {board!r}; {did_you_mean(board, benchmark.boards)}")
    if not isinstance(chosen, JudgedBoardFile):
        raise UsageError(f"board {board!r} has no judges to compare with labels")
    if chosen.draws > 1:
        raise UsageError(f"board {board!r} has {chosen.draws} answers to an item, and a label is about one of one")
    return benchmark, chosen


def _texts(benchmark: Benchmark, board: JudgedBoardFile, entry: CatalogEntry, model: str) -> dict[str, str]:
    """Return the public answers of a contestant by item; of a conversation, the turns in order."""
    public = {placed.id for placed in benchmark.items(board) if not placed.private}
    turns: dict[str, list[tuple[int, str]]] = {}
    for each in RunFolder(entry.path, entry.manifest).records(Response, model):
        if each.board == board.id and each.item in public and each.state == "answered" and each.hidden is None:
            turns.setdefault(each.item, []).append((each.turn, each.text))
    return {item: "\n\n".join(text for _, text in sorted(of)) for item, of in turns.items()}


def _asked(placed: Any) -> str:
    """Return the text that an item asks about, and its question or questions."""
    protocol = specs_of(placed.domain.protocol)
    texts = protocol.texts(placed.item, placed.domain)
    return "" if texts is None else "\n\n".join(filter(None, reversed(texts)))


def _code(seed: int, *of: str) -> str:
    return sha256(canonical_json([seed, *of]))[:_CODE_DIGITS]


IMPORTER = LabelsImporter(_HELP, import_labels)
