"""What a head submits: contestants that are new, how far they are from the first, and whether its evidence is what
the base knows and what programs say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal, TypeAlias

import msgspec

from nullbench_site import programs
from nullbench_site.evaluation.conversations import said_by_others
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import JudgeCall, Selection
from nullbench_site.protocols.base import WordedQuestion
from nullbench_site.review.calls import records_at
from nullbench_site.review.reranking import MOST_SENTENCE, Place, place_of
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import SHARDS, RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, Response, Score, is_answered, read_records
from nullbench_site.scoring.findings import Difference
from nullbench_site.site.pages.sentences import of_two, ranked_contestants
from nullbench_site.site.views import BoardView
from nullbench_site.specs.changes import Change
from nullbench_site.specs.types import Provenance
from nullbench_site.stats.robustness import smallest_difference
from nullbench_site.text import short_line

MOST_SUBMISSIONS = 50
MOST_ALTERED = 100
_MOST_REPEATED = 5000
"""Verdicts that programs are asked for again."""
By: TypeAlias = Literal["record", "program"]


class Gap(msgspec.Struct, frozen=True):
    """A submission against the first of the others of its board, in points of 0-100, paired by item.

    low, high: the 95 % interval of the difference on its own. smallest: the smallest difference that the items of the
    board tell apart in 80 of 100 runs, beside all its other differences; null: too few items to say.
    """

    other: str
    value: float
    low: float | None
    high: float | None
    smallest: float | None
    sentence: str


class Submission(msgspec.Struct, frozen=True):
    """A contestant that the head adds to a board. not_measured: why it has no place yet; null where it has.

    provenance: what its spec claims; null where it claims nothing.
    """

    board: str
    contestant: str
    provenance: Provenance | None
    place: Place | None
    gap: Gap | None
    not_measured: str | None


class AlteredRecord(msgspec.Struct, frozen=True):
    """An answer, or a verdict of a judge, that is another than is known. item: of a private one its hash.

    by: who knows better: an earlier run (`record`), or the program that gives this verdict (`program`). known, found:
    the scores of verdicts; of answers, and of what could not be read, nothing.
    """

    board: str
    contestant: str
    item: str
    judge: str | None
    by: By
    known: dict[str, Score]
    found: dict[str, Score]


class Altered(msgspec.Struct, frozen=True):
    """The records of the head's run held against what is known. compared: how many calls the base's runs answer too,
    in files that are not the same; repeated: how many verdicts on submissions programs were asked for again, of `of`.
    altered: how many in all say something else; records: the first of them.
    """

    compared: int
    repeated: int
    of: int
    altered: int
    records: tuple[AlteredRecord, ...]


def submissions(changes: Sequence[Change], builder: RequestBuilder, views: Mapping[str, BoardView]) -> list[Submission]:
    """Each contestant that is new, null models aside, on each of its boards. views: of the boards that were scored."""
    benchmark = builder.benchmark
    added = {change.id for change in changes if (change.kind, change.what) == ("contestant", "added")}
    entered = (
        (board.id, model)
        for board in benchmark.boards.values()
        for model in benchmark.contestants(board)
        if model.id in added and model.kind != "null"
    )
    return [
        _submission(board, model.id, model.provenance, views.get(board))
        for board, model in islice(entered, MOST_SUBMISSIONS)
    ]


def _submission(board: str, model: str, provenance: Provenance | None, view: BoardView | None) -> Submission:
    if view is None or model not in view.rows:
        why = "the board was not scored" if view is None else "its answers are not judged yet"
        return Submission(board, model, provenance, None, None, why)
    row = view.rows[model]
    if row.rank is None:
        why = view.lacking(row) or row.absent.get("rank", "something of it is missing")
        return Submission(board, model, provenance, place_of(view, model), None, why)
    return Submission(board, model, provenance, place_of(view, model), _gap(view, model), None)


def _gap(view: BoardView, model: str) -> Gap | None:
    """To the first of the others; None where nobody else is ranked."""
    other = next((row.model for row in ranked_contestants(view) if row.model != model), None)
    pair = None if other is None else view.differences.get((other, model)) or view.differences.get((model, other))
    if pair is None or other is None or pair.value is None:
        return None
    found: Difference = pair
    sign = 1 if found.a == model else -1
    ends = [sign * end for end in (found.low, found.high) if end is not None]
    alpha, smallest = view.results.pair_alpha, None
    if alpha is not None and found.se and found.df is not None and "low" not in found.absent:
        smallest = smallest_difference(found.se, found.df, level=1 - alpha)
    return Gap(
        other=other,
        value=sign * (found.value or 0.0) or 0.0,
        low=min(ends) if len(ends) == 2 else None,
        high=max(ends) if len(ends) == 2 else None,
        smallest=smallest,
        sentence=short_line(of_two(view, found), MOST_SENTENCE),
    )


def altered(
    builder: RequestBuilder,
    run: CatalogEntry,
    base: Sequence[CatalogEntry],
    changes: Sequence[Change],
    private: Mapping[str, str],
) -> Altered:
    """What of the head's run is not what the base's runs hold of the same calls; and, of the contestants that it adds,
    not what judges that are programs of ours say when they are asked again. Nothing of the head is executed.

    private: what private items are called, by id. Raises RunError where a shard of the base is not what was sealed.
    """
    known, compared = KnownCalls(base), 0
    different: list[AlteredRecord] = []
    held = {digest.sha256 for entry in base for digest in entry.manifest.files.values()}
    for found in _records(run, held):
        before = _known(known, found)
        if before is not None:
            compared += 1
            if _said(before) != _said(found) and not _mended(before, found):
                different.append(_altered("record", before, found, private))
    added = [change.id for change in changes if (change.kind, change.what) == ("contestant", "added")]
    due = _of_programs(builder, RunFolder(run.path, run.manifest), added) if added else iter(())
    repeated = 0
    for call, question, found in islice(due, _MOST_REPEATED):
        repeated += 1
        request = call.request
        reply = call.settled or question.read(programs.reply(request.model, request.params, request.fields))
        scores = dict(reply.scores) if reply.parsed else {}
        ours = msgspec.structs.replace(found, state="scored" if reply.parsed else "unparsed", scores=scores)
        if _said(ours) != _said(found):
            different.append(_altered("program", ours, found, private))
    of = repeated + sum(1 for _ in due)
    return Altered(compared, repeated, of, len(different), tuple(different[:MOST_ALTERED]))


def _records(run: CatalogEntry, held: Collection[str]) -> Iterator[Record]:
    """The answered records of a run, but for files of which the base has the very bytes, and for private items."""
    for name, digest in run.manifest.files.items():
        if name.startswith(tuple(f"{folder}/" for folder in SHARDS.values())) and digest.sha256 not in held:
            answered = (record for record in records_at(run.path / name) if is_answered(record))
            yield from (record for record in answered if record.hidden is None)


def _of_programs(
    builder: RequestBuilder, folder: RunFolder, added: Sequence[str]
) -> Iterator[tuple[JudgeCall, WordedQuestion, Judgment]]:
    """The verdicts of judges that are programs on what these contestants answered, each with what was asked."""
    entered = [model for _, model in builder.contestants(Selection(models=added))]

    @lru_cache(maxsize=32)
    def answers_of(model: str) -> Mapping[tuple[str, ...], Response]:
        return {each.place: each for each in folder.records(Response, model)}

    for model in dict.fromkeys(each.id for each in entered):
        answers = answers_of(model)
        verdicts = {each.place: each for each in read_records(folder.shard(Judgment, model), Judgment)}
        for target in builder.targets(Selection(models=[model])):
            turn = None if target.placed.withheld else target
            while turn is not None:
                answer = answers.get(turn.place)
                if answer is None or answer.hidden is not None:
                    break
                checked = builder.checked(turn, answer)
                others = said_by_others(builder, turn, lambda other: answers_of(other.model.id).get(other.place))
                for call in builder.judge_calls(turn, checked, others):
                    found = verdicts.get(turn.judged_by(call.question.seat))
                    if found is not None and call.judge.is_program and isinstance(call.question, WordedQuestion):
                        yield call, call.question, found
                turn = turn.after(checked)


def _known(known: KnownCalls, record: Record) -> Record | None:
    if isinstance(record, Response):
        return known.find(Response, record.key)
    return known.find(Judgment, record.key)


def _said(record: Record) -> object:
    """What of a record moves a score."""
    return record.text if isinstance(record, Response) else (record.state, record.scores)


def _mended(before: Record, found: Record) -> bool:
    """Whether a verdict that could not be read was asked for again."""
    return (
        isinstance(before, Judgment) and before.state == "unparsed" and isinstance(found, Judgment) and found.retry > 0
    )


def _altered(by: By, known: Record, found: Record, private: Mapping[str, str]) -> AlteredRecord:
    item = private.get(found.item, found.item)
    if isinstance(known, Judgment) and isinstance(found, Judgment):
        return AlteredRecord(found.board, found.model, item, found.judge, by, known.scores, found.scores)
    return AlteredRecord(found.board, found.model, item, None, by, {}, {})
