"""Judgments of MT-Bench -> a board of two turns a question, graded from 1 to 10 by one judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

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
from nullbench_site.protocols.graded.judging import HIGHEST, LOWEST, SCORE, WORDINGS, rating_in
from nullbench_site.text import plural, slug

BOARD = "mt-bench"
INVALID = -1.0
"""The score of a reply in which the source found no score."""
_UNGRADED = "no number in brackets, by which the source reads a grade"


class GradeRow(Struct, frozen=True):
    """A row: the judge's reply on the answer to a turn, and the score that the source read in it, or INVALID."""

    question_id: Whole
    category: NonEmpty
    model: NonEmpty
    turn: Annotated[int, Meta(ge=1, le=len(WORDINGS))]
    judge: NonEmpty
    judgment: NonEmpty
    score: Annotated[float, Meta(ge=INVALID, le=HIGHEST)]


_Samples = Mapping[tuple[int, int], Sequence[GradeRow]]
"""Question and turn -> the rows of a model, in the order of the file."""


@dataclass
class MTBenchData:
    """The contents of the files. rows, file_of: by model. category: of each question."""

    files: SourceFolder
    rows: dict[str, list[GradeRow]] = field(default_factory=dict)
    file_of: dict[str, str] = field(default_factory=dict)
    category: dict[int, str] = field(default_factory=dict)
    judge: str = ""

    def samples(self, model: str) -> _Samples:
        by_turn: dict[tuple[int, int], list[GradeRow]] = {}
        for row in self.rows[model]:
            by_turn.setdefault((row.question_id, row.turn), []).append(row)
        return by_turn


def _make(source: Path, into: Path, lenient: bool) -> PublishedReport:
    data = MTBenchData(SourceFolder(source))
    broken: set[str] = set()
    for file in data.files.names(".", ".jsonl"):
        before = len(data.files.problems)
        models = _read_rows(data, file)
        if len(data.files.problems) > before:
            broken |= models  # a line that could not be read may belong to any of them
        elif not models:
            data.files.note(file, "the file has no judgment; remove it")
    names = {model: file for model, file in data.file_of.items() if model not in broken}
    return import_published(data.files, into, names, partial(_board, data), lenient=lenient)


IMPORTER = Importer(help_of(BOARD), _make)


def _read_rows(data: MTBenchData, file: str) -> set[str]:
    """Read the rows of a file; return their models."""
    models = set()
    for line, row in data.files.rows(file, GradeRow):
        models.add(row.model)
        if data.file_of.setdefault(row.model, file) != file:
            message = f"{data.file_of[row.model]} has rows of {row.model!r} already; keep them in one file"
            data.files.note(file, message, line, "model")
        if data.files.note_other(file, line, "judge", row.judge, data.judge):
            continue
        data.judge = row.judge
        known = data.category.setdefault(row.question_id, row.category)
        if known != row.category:
            message = f"question {row.question_id} is of {row.category!r} here, but of {known!r} in earlier rows"
            data.files.note(file, message, line, "category")
        if message := _score_problem(row):
            data.files.note(file, message, line, "score")
        data.rows.setdefault(row.model, []).append(row)
    return models


def _score_problem(row: GradeRow) -> str:
    """Return how a score contradicts its scale or the judge's reply, or ""."""
    if row.score != INVALID and row.score < LOWEST:
        return f"found {row.score:g}; expected {LOWEST} to {HIGHEST}, or -1 where there is none"
    rating = rating_in(row.judgment)
    if row.score == (INVALID if rating is None else rating):
        return ""
    says = "the judgment has none" if rating is None else f"the judgment says {rating:g}"
    return f"found {row.score:g}, but {says}; one of them was changed"


def _board(data: MTBenchData, ids: Mapping[str, str]) -> PublishedBoard:
    given = {name: data.samples(name) for name in ids}
    questions = sorted({question for of_model in given.values() for question, _ in of_model})
    turns = {
        question: max(t for of_model in given.values() for q, t in of_model if q == question) for question in questions
    }
    judge = slug(data.judge)
    return PublishedBoard(
        id=BOARD,
        judge=data.judge,
        protocol="graded",
        settings={"samples": max(len(rows) for of_model in given.values() for rows in of_model.values())},
        categories={
            f"{BOARD}-{slug(name)}": PublishedCategory(
                name[:1].upper() + name[1:],
                "Questions known here by their numbers alone.",
                [_item(question, turns[question]) for question in questions if data.category[question] == name],
            )
            for name in sorted({data.category[question] for question in questions})
        },
        shards=[_shard(PublishedShard(BOARD, own, name), given[name], turns, judge) for name, own in ids.items()],
        notes=list(_notes(given, turns)),
    )


def _id(question: int) -> str:
    return f"question-{question}"


def _item(question: int, turns: int) -> dict[str, object]:
    asked = f"(The words of question {question} are not in the published data.)"
    texts = {"prompt": asked} if turns == 1 else {"turns": [asked, "(Nor are those of its second turn.)"]}
    return {"id": _id(question), "difficulty": "medium", **texts}


def _shard(shard: PublishedShard, given: _Samples, turns: Mapping[int, int], judge: str) -> PublishedShard:
    """Add the records of its model. The k-th row of a turn is that of its k-th sample."""
    for question in dict.fromkeys(question for question, _ in given):
        rows = {turn: given.get((question, turn), ()) for turn in range(1, turns[question] + 1)}
        for sample in range(max(map(len, rows.values()))):
            for turn, of_turn in rows.items():
                key = (_id(question), str(turn), str(sample))
                answer = shard.answer(_id(question), *key, sample=sample, turn=turn)
                if sample < len(of_turn):
                    score = of_turn[sample].score
                    graded = score != INVALID
                    shard.verdict(
                        answer,
                        *(*key, judge),
                        judge=judge,
                        template=WORDINGS[turn - 1],
                        scores={SCORE: score} if graded else {},
                        invalid={} if graded else {SCORE: _UNGRADED},
                        words=of_turn[sample].judgment,
                    )
    return shard


def _notes(given: Mapping[str, _Samples], turns: Mapping[int, int]) -> Iterator[str]:
    yield "the data have no questions and no answers, so no text is shown"
    yield "a grade is the first number in double brackets in the judge's reply, else in single ones, as in the source"
    if alone := sum(n == 1 for n in turns.values()):
        yield f"no second turn of {plural(alone, 'question')} is judged: these items have one turn"
    for name, of_model in given.items():
        if again := sum(len(rows) - 1 for rows in of_model.values()):
            yield f"{plural(again, 'row')} of {name} repeated: kept as further samples, which every mean counts"
        if invalid := sum(row.score == INVALID for rows in of_model.values() for row in rows):
            yield f"{plural(invalid, 'judgment')} of {name} without a grade: in no mean, counted separately"
        if absent := len(turns) - len({question for question, _ in of_model}):
            yield f"{name} has no judgment on {plural(absent, 'question')}"
