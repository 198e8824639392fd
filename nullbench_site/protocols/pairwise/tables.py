"""The tables of a board whose games were played elsewhere: contestants, items, games, and the judge.

games.csv has a row for each answer: its contestant, item and length in characters, its sha256 if known, and the verdict
of its game against the baseline. preference: how likely the answer shown second is better, from 1 to 2; 0 for a draw;
empty if the judgment failed. position: of the contestant's answer, first or second; empty if unknown.
gamed.csv has the `gamed_rows` of the board's length control, if there are any.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from nullbench_site.errors import Problem
from nullbench_site.protocols.pairwise.judging import ORDERS, PREFERENCE, template
from nullbench_site.protocols.pairwise.specs import (
    GamedRow,
    PairwiseBoardFile,
    PairwiseCategory,
    PairwiseDomainFile,
    PairwiseItem,
)
from nullbench_site.runs.records import Hidden, Judgment, Record, Response
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.sources import BoardTables
from nullbench_site.specs.table_files import OF_MODELS, TableFiles, TableRow, check_names, domains_of, models_of
from nullbench_site.specs.types import RECORDED, VERBATIM, Judge
from nullbench_site.text import did_you_mean, quoted

OF_GAMES = ("model", "item", "length", "sha256", "position", "preference")
OF_ITEMS = ("id", "category", "sha256", "lc_difficulty")
OF_JUDGES = ("id", "title", "model", "family")
OF_GAMED = ("length", "difficulty", "share")
"""The columns of gamed.csv: as in `GamedRow`."""
_HEX = re.compile(r"[0-9a-f]{64}\Z")
_LENGTH = re.compile(r"[0-9]{1,9}\Z")


class RecordedGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of games.csv. preference: None if the judgment failed, and for the baseline."""

    model: str
    item: str
    length: int
    sha256: str = ""
    position: int | None = None
    preference: float | None = None


@dataclass(frozen=True)
class RecordedGames:
    """The games of a board, in the order of the table."""

    games: Sequence[RecordedGame]
    judge: str

    @cached_property
    def sha256(self) -> str:
        """The digest of everything that can change a score."""
        return hashlib.sha256(msgspec.json.encode((self.judge, self.games))).hexdigest()

    def records(self, board: PairwiseBoardFile) -> Iterator[Record]:
        """Yield the response of each row, with its length instead of its text, and its judgment."""
        (baseline,) = board.baselines
        for game in self.games:
            key = sha256(msgspec.json.encode((board.id, game)))
            hidden = Hidden(f"sha256:{game.sha256}" if game.sha256 else "", game.length)
            yield Response(
                key, board.id, game.model, game.item, VERBATIM, 0, "answered", "", None, "", None, hidden=hidden
            )
            if game.model == baseline:
                continue
            failed = game.preference is None
            yield Judgment(
                sha256(f"{key}\n{self.judge}".encode()), board.id, game.model, game.item, VERBATIM, 0, self.judge,
                template(baseline, None), game.position,  # type: ignore[arg-type]  # 0 or 1
                "unparsed" if failed else "scored",
                {} if game.preference is None else {PREFERENCE: game.preference},
                {PREFERENCE: "no preference in the published data"} if failed else {}, "", None, None, "", None,
            )  # fmt: skip


def read_tables(
    board: PairwiseBoardFile, folder: str, files: Mapping[str, bytes]
) -> tuple[BoardTables | None, list[Problem]]:
    """Return the content of the tables of a board, or None, and every problem in them."""
    source = TableFiles(folder, files)
    rows = source.rows("games.csv", OF_GAMES, required=OF_GAMES[:3])
    of_models = source.rows("models.csv", OF_MODELS)
    of_items = source.rows("items.csv", OF_ITEMS, required=OF_ITEMS[:1])
    judges = [judge for row in source.rows("judges.csv", OF_JUDGES) if (judge := _judge(source, row)) is not None]
    if source.problems:
        return None, source.problems
    if len(judges) != 1 or len(board.baselines) != 1:
        source.note("judges.csv", 1, "recorded games have one judge and one baseline; keep one row, and one `baseline`")
    games = list(_games(source, rows))
    check_names(source, "models.csv", of_models, list(dict.fromkeys(game.model for game in games)), "games.csv")
    known = {row.id for row in of_items}
    for row, game in zip(rows, games, strict=False):
        if game.item not in known:
            message = f"items.csv has no item {quoted(game.item)}; {did_you_mean(game.item, known)}"
            source.problems.append(row.problem("item", message))
    models = list(models_of(source, of_models))
    items = [(row, item) for row in of_items if (item := _item(source, row)) is not None]
    gamed = (
        [_gamed(source, row) for row in source.rows("gamed.csv", OF_GAMED, OF_GAMED)] if "gamed.csv" in files else []
    )
    if source.problems:
        return None, source.problems
    domains = domains_of(board, f"{folder}/items.csv", items, PairwiseDomainFile, PairwiseCategory)
    settings = {"length_control": replace(board.length_control, gamed_rows=tuple(gamed))} if gamed else {}
    content = RecordedGames(games, judges[0].id)
    return BoardTables(models, domains, content, tuple(judges), settings), source.problems


def _games(source: TableFiles, rows: Sequence[TableRow]) -> Iterator[RecordedGame]:
    seen: set[tuple[str, str]] = set()
    for row in rows:
        cells = row.cells
        length, position, preference = (cells.get(name, "") for name in ("length", "position", "preference"))
        place = cells.get("model", ""), cells.get("item", "")
        for column, wrong, advice in (
            ("length", not _LENGTH.match(length), "write a number of characters"),
            ("position", position not in ("", *ORDERS), f"write {' or '.join(ORDERS)}, or leave the cell empty"),
            ("preference", not _is_preference(preference), "write a number from 1 to 2, or 0 for a draw"),
            ("sha256", not _HEX.match(cells.get("sha256", "0" * 64)), "write 64 hex digits, or leave the cell empty"),
            ("item", place in seen, "keep one row for each contestant and item"),
        ):
            if wrong:
                source.problems.append(row.problem(column, f"found {quoted(cells.get(column, ''))}; {advice}"))
        seen.add(place)
        if not source.problems:
            yield RecordedGame(
                *place,
                int(length),
                cells.get("sha256", ""),
                ORDERS.index(position) if position else None,
                float(preference) if preference else None,
            )


def _gamed(source: TableFiles, row: TableRow) -> Any:
    try:
        return msgspec.convert([row.cells.get(column, "") for column in OF_GAMED], GamedRow, strict=False)
    except msgspec.ValidationError as error:
        source.problems.append(row.document.problem([], f"{error}; write three numbers, the last from 0 to 1"))
        return None


def _is_preference(text: str) -> bool:
    try:
        return not text or float(text) == 0 or 1 <= float(text) <= 2
    except ValueError:
        return False


def _item(source: TableFiles, row: TableRow) -> PairwiseItem | None:
    difficulty = row.cells.get("lc_difficulty")
    try:
        fixed = None if difficulty is None else float(difficulty)
    except ValueError:
        source.problems.append(row.problem("lc_difficulty", f"found {quoted(difficulty or '')}; write a number"))
        return None
    item: PairwiseItem | None = source.spec(
        TableRow(row.document, {"id": row.id, "hash": f"sha256:{row.cells.get('sha256', '')}"}),
        PairwiseItem, visibility="elsewhere", difficulty="medium", lc_difficulty=fixed,
    )  # fmt: skip
    return item


def _judge(source: TableFiles, row: TableRow) -> Judge | None:
    cells = {"model": row.id, "family": row.id, **row.cells}
    about = "Judge of the imported verdicts."
    judge: Judge | None = source.spec(TableRow(row.document, cells), Judge, backend=RECORDED, description=about)
    return judge
