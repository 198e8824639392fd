"""Verdicts of Arena-Hard-Auto -> a board of two mirrored games a question against one baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from nullbench_site.interop.importer import Importer
from nullbench_site.interop.published import (
    PublishedBoard,
    PublishedCategory,
    PublishedReport,
    PublishedShard,
    help_of,
    import_published,
)
from nullbench_site.interop.source_files import NonEmpty, SourceFolder, Whole
from nullbench_site.protocols.pairwise.judging import STYLE, VERDICTS, template
from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.text import did_you_mean, plural, slug

BOARD = "arena-hard"
STYLES = ("length", "headers", "lists", "bold")
Style = Annotated[tuple[Whole, ...], Meta(min_length=len(STYLES), max_length=len(STYLES))]
_AGAIN = "not in the published data; the verdict of the first game is read again as its, as it was scored there"
"""The rationale of a missing second game. Records contain it, so it must not change."""


class GamePair(Struct, frozen=True):
    """A row: the verdicts of both games on a question. g2: None if it is missing."""

    question_id: NonEmpty
    model: NonEmpty
    baseline: NonEmpty
    judge: NonEmpty
    g1: NonEmpty
    g2: NonEmpty | None = None
    style_model: Style | None = None
    style_baseline: Style | None = None


@dataclass
class ArenaHardData:
    """The contents of the files. styles: of the baseline's answers, by question. questions: all that have games."""

    files: SourceFolder
    games: dict[str, list[GamePair]] = field(default_factory=dict)
    file_of: dict[str, str] = field(default_factory=dict)
    styles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    questions: set[str] = field(default_factory=set)
    baseline: str = ""
    judge: str = ""


def _make(source: Path, into: Path, lenient: bool) -> PublishedReport:
    data = ArenaHardData(SourceFolder(source))
    for file in data.files.names("judgments", ".jsonl"):
        _read_games(data, file)
    if [*data.games] == [data.baseline] and not data.files.problems:
        message = f"the only games are those of the baseline {data.baseline!r} with itself; add those of a model"
        data.files.note(data.file_of[data.baseline], message)
    names = ({data.baseline: "judgments"} if data.baseline else {}) | data.file_of
    return import_published(data.files, into, names, partial(_board, data), lenient=lenient)


IMPORTER = Importer(help_of(BOARD), _make)


def _read_games(data: ArenaHardData, file: str) -> None:
    games: list[GamePair] = []
    line_of: dict[str, int] = {}
    before = len(data.files.problems)
    for line, row in data.files.rows(file, GamePair):
        if (problem := _problem(data, row, games, line_of)) is not None:
            path, message = problem
            data.files.note(file, message, line, path)
            continue
        if data.files.note_other(file, line, "baseline", row.baseline, data.baseline):
            continue
        if data.files.note_other(file, line, "judge", row.judge, data.judge):
            continue
        data.baseline, data.judge = row.baseline, row.judge
        if row.style_baseline is not None:
            data.styles.setdefault(row.question_id, row.style_baseline)
        games.append(row)
        line_of[row.question_id] = line
    if len(data.files.problems) == before and not games:
        data.files.note(file, "the file has no verdict; remove it")
    elif len(data.files.problems) == before:
        model = games[0].model
        data.games[model], data.file_of[model] = games, file
        data.questions |= {game.question_id for game in games}


def _problem(
    data: ArenaHardData, row: GamePair, games: Sequence[GamePair], line_of: Mapping[str, int]
) -> tuple[str, str] | None:
    """Return the path and message of the first problem of a row, given the rows before it in its file."""
    question = row.question_id
    for path, verdict in (("g1", row.g1), ("g2", row.g2)):
        if verdict is not None and verdict not in VERDICTS:
            return path, f"found {verdict!r}; {did_you_mean(verdict, VERDICTS)}"
    if question in line_of:
        return "question_id", f"duplicate question {question!r}, first in line {line_of[question]}; keep one row"
    if not slug(question):
        return "question_id", "no id can be made from it; add letters or digits"
    if games and row.model != games[0].model:
        return "model", f"the model is {row.model!r}, but {games[0].model!r} in earlier rows; use one file per model"
    if not games and row.model in data.games:
        return "model", f"{data.file_of[row.model]} has the games of {row.model!r} already; keep one file"
    if row.style_baseline is not None and data.styles.get(question, row.style_baseline) != row.style_baseline:
        return "style_baseline", "differs from another file: the row is against another answer of the baseline"
    return None


def _board(data: ArenaHardData, ids: Mapping[str, str]) -> PublishedBoard:
    judge = slug(data.judge)
    items = [
        {
            "id": slug(question),
            "difficulty": "medium",
            "prompt": f"(The words of the question {question} are not in the published data.)",
        }
        for question in sorted(data.questions)
    ]
    return PublishedBoard(
        id=BOARD,
        judge=data.judge,
        protocol="pairwise",
        settings={"baseline": ids[data.baseline], "judging": "verdicts"},
        categories={f"{BOARD}-questions": PublishedCategory("Questions", "Known here by their ids alone.", items)},
        shards=[_shard(name, own, data, ids, judge) for name, own in ids.items()],
        notes=_notes(data),
    )


def _shard(name: str, own: str, data: ArenaHardData, ids: Mapping[str, str], judge: str) -> PublishedShard:
    """Return the records of a model. The baseline has no games: against itself, each is a draw by definition."""
    shard, baseline = PublishedShard(BOARD, own, name), ids[data.baseline]
    if name == data.baseline:
        for question in sorted(data.questions):
            _answer(shard, question, data.styles.get(question))
        return shard
    for game in data.games[name]:
        answer = _answer(shard, game.question_id, game.style_model)
        # A is the baseline in the first game and the model in the second.
        verdicts: Sequence[tuple[Literal[0, 1], str]] = ((1, game.g1), (0, game.g2 or game.g1))
        for position, verdict in verdicts:
            again = position == 0 and game.g2 is None
            shard.verdict(
                answer,
                *(game.question_id, judge, str(position)),
                judge=judge,
                template=template(baseline, position),
                position=position,
                scores={"verdict": VERDICTS[verdict]},
                invalid={},
                words=_AGAIN if again else "",
            )
    return shard


def _answer(shard: PublishedShard, question: str, style: Sequence[int] | None) -> Response:
    flags = tuple(f"{name} {count}" for name, count in zip(STYLES, style or (), strict=False))
    checks = (CheckResult(STYLE, "", "not-applicable", flags),) if flags else ()
    return shard.answer(slug(question), question, checks=checks)


def _notes(data: ArenaHardData) -> Sequence[str]:
    notes = ["the data have no questions and no answers, so no text is shown"]
    for name, games in data.games.items():
        if name == data.baseline:
            notes.append(f"the games of {name} against itself are left out: the baseline scores 50 by definition")
            continue
        if absent := len(data.questions) - len(games):
            notes.append(f"{name} has no verdict on {plural(absent, 'question')}")
        if missing := sum(game.g2 is None for game in games):
            notes.append(f"{name} lacks the second game of {plural(missing, 'question')}; the first counts twice")
        if all(game.style_model is None for game in games):
            notes.append(f"the style of the answers of {name} is not in the data")
    return notes
