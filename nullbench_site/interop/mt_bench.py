"""Judgments of MT-Bench -> a board of two turns a question, graded from 1 to 10 by one judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from nullbench_site.interop.importer import Importer
from nullbench_site.interop.published import Group, Imported, Published, Shard, help_of, import_published
from nullbench_site.interop.published_rows import Row, Source
from nullbench_site.protocols.graded.judging import HIGHEST, LOWEST, SCORE, WORDINGS, rating_in
from nullbench_site.text import plural, slug

BOARD = "mt-bench"
INVALID = -1.0
"""What stands for the score of a reply in which the source could read none."""
_UNGRADED = "no number in brackets, by which the source reads a grade"


@dataclass(frozen=True)
class Graded:
    """A row: what the judge said of the answer to a turn. score: None where the source could read none."""

    question: int
    turn: int
    words: str
    score: float | None


@dataclass
class Judgments:
    """What was read, by model. category: of each question."""

    files: Source
    rows: dict[str, list[Graded]] = field(default_factory=dict)
    file_of: dict[str, str] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    category: dict[int, str] = field(default_factory=dict)
    judge: str = ""

    def samples(self, model: str) -> Mapping[tuple[int, int], Sequence[Graded]]:
        """Question and turn -> the rows of a model, in the order of the file."""
        by_turn: dict[tuple[int, int], list[Graded]] = {}
        for row in self.rows[model]:
            by_turn.setdefault((row.question, row.turn), []).append(row)
        return by_turn


def _make(source: Path, into: Path, lenient: bool) -> Imported:
    read = Judgments(Source(source))
    for file in read.files.names(".", ".jsonl"):
        _read(read, file.removeprefix("./"))
    names = {model: file for model, file in read.file_of.items() if model not in read.broken}
    return import_published(read.files, into, names, partial(_published, read), lenient=lenient)


IMPORTER = Importer(help_of(BOARD), _make)


def _read(read: Judgments, file: str) -> None:
    before, models = len(read.files.problems), set()
    for row in read.files.lines(file, "a judgment is one, with question_id, category, model, turn, judge and score"):
        model, graded = row.text("model"), _graded(read, row)
        if model is not None and read.file_of.setdefault(model, file) != file:
            row.note("model", f"{read.file_of[model]} has rows of {model!r} already; keep those of a model in one file")
        if model is not None:
            models.add(model)
            if graded is not None and not row.broken:
                read.rows.setdefault(model, []).append(graded)
            else:
                read.broken.add(model)
    if len(read.files.problems) > before and not models:
        return
    if len(read.files.problems) > before:
        read.broken |= models  # a line that is no row may be of any of them
    elif not models:
        read.files.note(file, "holds no judgment; take the file out")


def _graded(read: Judgments, row: Row) -> Graded | None:
    question, category, turn = row.whole("question_id"), row.text("category"), row.whole("turn", low=1)
    judge, words, score = row.alike("judge", read.judge), row.text("judgment"), row.number("score", INVALID, HIGHEST)
    if turn is not None and turn > len(WORDINGS):
        row.note("turn", f"turn: found {turn}; expected 1 or 2")
    if question is not None and category is not None and read.category.get(question, category) != category:
        known = read.category[question]
        row.note("category", f"question {question} is of {category!r} here, and of {known!r} above")
    if score is not None and words is not None:
        rating = rating_in(words)
        if score != INVALID and score < LOWEST:
            row.note("score", f"score: found {score:g}; expected {LOWEST} to {HIGHEST}, or -1 where there is none")
        elif score != (INVALID if rating is None else rating):
            says = "the judgment holds none" if rating is None else f"the judgment says {rating:g}"
            row.note("score", f"score: found {score:g}, and {says}; one of them was changed")
    if row.broken or question is None or category is None or turn is None or words is None or score is None:
        return None
    read.judge, read.category[question] = read.judge or judge or "", category
    return Graded(question, turn, words, None if score == INVALID else score)


def _published(read: Judgments, ids: Mapping[str, str]) -> Published:
    given = {name: read.samples(name) for name in ids}
    questions = sorted({question for of_model in given.values() for question, _ in of_model})
    turns = {
        question: max(t for of_model in given.values() for q, t in of_model if q == question) for question in questions
    }
    judge = slug(read.judge)
    return Published(
        id=BOARD,
        judge=read.judge,
        protocol="graded",
        settings={"samples": max(len(rows) for of_model in given.values() for rows in of_model.values())},
        categories={
            f"{BOARD}-{slug(name)}": Group(
                name[:1].upper() + name[1:],
                "Questions known here by their numbers alone.",
                [_item(question, turns[question]) for question in questions if read.category[question] == name],
            )
            for name in sorted({read.category[question] for question in questions})
        },
        shards=[_shard(Shard(BOARD, own, name), given[name], turns, judge) for name, own in ids.items()],
        notes=list(_notes(given, turns)),
    )


def _id(question: int) -> str:
    return f"question-{question}"


def _item(question: int, turns: int) -> dict[str, object]:
    asked = f"(The words of question {question} are not in the published data.)"
    texts = {"prompt": asked} if turns == 1 else {"turns": [asked, "(Nor are those of its second turn.)"]}
    return {"id": _id(question), "difficulty": "medium", **texts}


def _shard(
    shard: Shard, given: Mapping[tuple[int, int], Sequence[Graded]], turns: Mapping[int, int], judge: str
) -> Shard:
    """With the records of its model, whose k-th row of a turn is that of its k-th sample."""
    for question in dict.fromkeys(question for question, _ in given):
        rows = {turn: given.get((question, turn), ()) for turn in range(1, turns[question] + 1)}
        for sample in range(max(map(len, rows.values()))):
            for turn, of_turn in rows.items():
                key = (_id(question), str(turn), str(sample))
                answer = shard.answer(_id(question), *key, sample=sample, turn=turn)
                if sample < len(of_turn):
                    score = of_turn[sample].score
                    shard.verdict(
                        answer,
                        *(*key, judge),
                        judge=judge,
                        template=WORDINGS[turn - 1],
                        scores={} if score is None else {SCORE: score},
                        invalid={SCORE: _UNGRADED} if score is None else {},
                        words=of_turn[sample].words,
                    )
    return shard


def _notes(given: Mapping[str, Mapping[tuple[int, int], Sequence[Graded]]], turns: Mapping[int, int]) -> Iterator[str]:
    yield "the questions and the answers are not in the data, and no text of theirs is shown"
    yield "a grade is the first number in double brackets of the judge's words, else the first in single ones, as there"
    if alone := sum(n == 1 for n in turns.values()):
        yield f"no second turn of {plural(alone, 'question')} is judged: there an item has one turn"
    for name, of_model in given.items():
        if again := sum(len(rows) - 1 for rows in of_model.values()):
            rows = f"{plural(again, 'row')} of {name} {'stands' if again == 1 else 'stand'} there once more"
            yield f"{rows}: kept as further samples, which count in every mean as there"
        if invalid := sum(row.score is None for rows in of_model.values() for row in rows):
            yield f"{plural(invalid, 'judgment')} of {name} without a grade: in no mean, and counted beside"
        if absent := len(turns) - len({question for question, _ in of_model}):
            yield f"{name} has no judgment on {plural(absent, 'question')}"
