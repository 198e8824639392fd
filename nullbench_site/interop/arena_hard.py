"""Verdicts of Arena-Hard-Auto -> a board of two mirrored games a question against one baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from nullbench_site.interop.importer import Importer
from nullbench_site.interop.published import Group, Imported, Published, Shard, help_of, import_published
from nullbench_site.interop.published_rows import Row, Source
from nullbench_site.protocols.pairwise.judging import STYLE, VERDICTS, template
from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.text import plural, slug

BOARD = "arena-hard"
STYLES = ("length", "headers", "lists", "bold")
_AGAIN = "not in the published data; the verdict of the first game is read again as its, as it was scored there"


@dataclass(frozen=True)
class Game:
    """A question: the verdicts of both games, the second None where it is missing, and the style of the answer."""

    question: str
    first: str
    second: str | None
    style: tuple[int, ...] | None


@dataclass
class Judgments:
    """What was read. styles: of the baseline's answers, by question. answered: of which questions a model has games."""

    files: Source
    games: dict[str, list[Game]] = field(default_factory=dict)
    file_of: dict[str, str] = field(default_factory=dict)
    styles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    questions: set[str] = field(default_factory=set)
    baseline: str = ""
    judge: str = ""


def _make(source: Path, into: Path, lenient: bool) -> Imported:
    read = Judgments(Source(source))
    for file in read.files.names("judgments", ".jsonl"):
        _read_games(read, file)
    if [*read.games] == [read.baseline] and not read.files.problems:
        message = f"the only games are those of the baseline {read.baseline!r} with itself; add those of a model"
        read.files.note(read.file_of[read.baseline], message)
    names = ({read.baseline: "judgments"} if read.baseline else {}) | read.file_of
    return import_published(read.files, into, names, partial(_published, read), lenient=lenient)


IMPORTER = Importer(help_of(BOARD), _make)


def _read_games(read: Judgments, file: str) -> None:
    games: list[Game] = []
    line_of: dict[str, int] = {}
    model, before = "", len(read.files.problems)
    for row in read.files.lines(file, "a verdict is one, with question_id, model, baseline, judge, g1 and g2"):
        question, own = row.text("question_id"), row.text("model")
        if question is not None and question in line_of:
            message = f"the question {question!r} stands in line {line_of[question]} already; keep one row a question"
            row.note("question_id", message)
        elif question is not None and not slug(question):
            row.note("question_id", "no id can be made of it; give it letters or digits")
        if own is not None and own != (model or own):
            row.note("model", f"the model is {own!r}, and above it is {model!r}; a file holds the games of one")
        elif own is not None and own in read.games and not model:
            row.note("model", f"{read.file_of[own]} has the games of {own!r} already; keep one file")
        game = _game(read, row, question)
        if game is not None and own is not None and not row.broken:
            games.append(game)
            model, line_of[game.question] = own, row.line
    if len(read.files.problems) == before and not games:
        read.files.note(file, "holds no verdict; take the file out")
    elif len(read.files.problems) == before:
        read.games[model], read.file_of[model] = games, file
        read.questions |= {game.question for game in games}


def _game(read: Judgments, row: Row, question: str | None) -> Game | None:
    baseline, judge = row.alike("baseline", read.baseline), row.alike("judge", read.judge)
    first, second = row.one_of("g1", [*VERDICTS]), row.one_of("g2", [*VERDICTS], null=True)
    ours, theirs = (row.counts(name, len(STYLES)) for name in ("style_model", "style_baseline"))
    if question is not None and theirs is not None and read.styles.get(question, theirs) != theirs:
        message = "the style of the baseline's answer is not that of another file"
        row.note("style_baseline", f"{message}: the row is against another answer of it")
    if row.broken or not (question and baseline and judge and first):
        return None
    read.baseline, read.judge = baseline, judge
    if theirs is not None:
        read.styles.setdefault(question, theirs)
    return Game(question, first, second, ours)


def _published(read: Judgments, ids: Mapping[str, str]) -> Published:
    judge = slug(read.judge)
    items = [
        {
            "id": slug(question),
            "difficulty": "medium",
            "prompt": f"(The words of the question {question} are not in the published data.)",
        }
        for question in sorted(read.questions)
    ]
    return Published(
        id=BOARD,
        judge=read.judge,
        protocol="pairwise",
        settings={"baseline": ids[read.baseline], "judging": "verdicts"},
        categories={f"{BOARD}-questions": Group("Questions", "Known here by their ids alone.", items)},
        shards=[_shard(name, own, read, ids, judge) for name, own in ids.items()],
        notes=_notes(read),
    )


def _shard(name: str, own: str, read: Judgments, ids: Mapping[str, str], judge: str) -> Shard:
    """The records of a model. The baseline meets nobody: its games against itself are draws by definition."""
    shard, baseline = Shard(BOARD, own, name), ids[read.baseline]
    if name == read.baseline:
        for question in sorted(read.questions):
            _answer(shard, question, read.styles.get(question))
        return shard
    for game in read.games[name]:
        answer = _answer(shard, game.question, game.style)
        # A is the baseline in the first game and the model in the second.
        games: Sequence[tuple[Literal[0, 1], str]] = ((1, game.first), (0, game.second or game.first))
        for position, verdict in games:
            again = position == 0 and game.second is None
            shard.verdict(
                answer,
                *(game.question, judge, str(position)),
                judge=judge,
                template=template(baseline, position),
                position=position,
                scores={"verdict": VERDICTS[verdict]},
                invalid={},
                words=_AGAIN if again else "",
            )
    return shard


def _answer(shard: Shard, question: str, style: Sequence[int] | None) -> Response:
    flags = tuple(f"{name} {count}" for name, count in zip(STYLES, style or (), strict=False))
    checks = (CheckResult(STYLE, "", "not-applicable", flags),) if flags else ()
    return shard.answer(slug(question), question, checks=checks)


def _notes(read: Judgments) -> Sequence[str]:
    notes = ["the questions and the answers are not in the data, and no text of theirs is shown"]
    for name, games in read.games.items():
        if name == read.baseline:
            notes.append(f"the games of {name} against itself are left out: it is the baseline, 50 by definition")
            continue
        if absent := len(read.questions) - len(games):
            notes.append(f"{name} has no verdict on {plural(absent, 'question')}")
        if missing := sum(game.second is None for game in games):
            notes.append(f"{name} lacks the second game of {plural(missing, 'question')}; the first counts as it again")
        if all(game.style is None for game in games):
            notes.append(f"the style of the answers of {name} is not in the data")
    return notes
