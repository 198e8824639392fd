"""Check the records of a head against the runs of the base, the calls of its specs, and its programs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from secrets import randbelow
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from nullbench_site import programs
from nullbench_site.evaluation.options import runs_of_same_calls
from nullbench_site.evaluation.record_keys import TableRecords, answers_call, calls_of_run, read_shard
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.walk import Call
from nullbench_site.judging.calls import WordedQuestion
from nullbench_site.review.calls import KnownAnswers, known_calls
from nullbench_site.review.reranking import Count, Some
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import shards_of
from nullbench_site.runs.records import Judgment, Record, Response, Score
from nullbench_site.specs.types import PROGRAMS, Control
from nullbench_site.text import short_line

MOST_ALTERED = 100
_MOST_REPEATED = 5000
"""The most answers and verdicts of programs that are repeated."""
_T = TypeVar("_T")
By: TypeAlias = Literal["record", "program"]
_NAME, _NAMES, _MOST_SCORE = 120, 100, 10**9
_Bound = Meta(ge=-_MOST_SCORE, le=_MOST_SCORE)
_Scores: TypeAlias = Annotated[
    dict[str, bool | Annotated[int, _Bound] | Annotated[float, _Bound]], Meta(max_length=_NAMES)
]


class AlteredRecord(msgspec.Struct, frozen=True):
    """An answer or verdict that differs from the evidence. item: the id, or the hash of a private item.

    by: the evidence: an earlier run (`record`), or the program whose answer, verdict or check result differs
    (`program`). known, found: the scores of verdicts; empty for answers and unparsed verdicts.
    """

    board: str
    contestant: str
    item: str
    judge: str | None
    by: By
    known: _Scores
    found: _Scores


class Altered(msgspec.Struct, frozen=True):
    """The record check of the head's runs.

    compared: records whose call the base answers too, in files that differ. repeated: new answers and verdicts that
    programs gave again, out of `of`. altered: how many of both differ; records: the first of these. misplaced: records
    that answer another call than the one at their place, or none. lacking: calls of sealed runs without a record.
    """

    compared: Count
    repeated: Count
    of: Count
    altered: Count
    records: Some[AlteredRecord]
    misplaced: Count = 0
    lacking: Count = 0

    @property
    def all(self) -> int:
        """Return how many records differ, answer another call, or are missing."""
        return self.altered + self.misplaced + self.lacking


def altered(
    builder: RequestBuilder,
    runs: Sequence[CatalogEntry],
    base: Sequence[CatalogEntry],
    answers: KnownAnswers,
    private: Mapping[str, str],
) -> Altered:
    """Check the records of the runs in a head. No code of the head is executed.

    answers: the known answers, with the base's published records of private items. private: the hashes of these, by id.
    Raises RunError if a shard of the base does not match its seal.
    """
    known, compared, different = known_calls(base), 0, list[AlteredRecord]()
    hidden = {each.place: each for own in answers.records.values() for kind in own for each in kind if each.hidden}
    held = {digest.sha256 for entry in base for digest in entry.manifest.files.values()}

    def known_of(brought: Record) -> Record | None:
        if isinstance(brought, Response):
            return known.find(type(brought), brought.key)
        return known.find(Judgment, brought.key)

    def other(by: By, right: Record, brought: Record) -> None:
        item = short_line(private.get(brought.item, brought.item), _NAME)
        place = short_line(brought.board, _NAME), short_line(brought.model, _NAME), item
        if isinstance(right, Judgment) and isinstance(brought, Judgment):
            scores = _shown(right.scores), _shown(brought.scores)
            different.append(AlteredRecord(*place, short_line(brought.judge, _NAME), by, *scores))
        else:
            different.append(AlteredRecord(*place, None, by, {}, {}))

    for run in runs:
        for record in _records(run, held):
            before = hidden.get(record.place) if record.hidden else known_of(record)
            if before is not None:
                compared += 1
                if _said(before) != _said(record) and not _mended(before, record):
                    other("record", before, record)
    of = misplaced = lacking = 0
    due: list[tuple[Call, Record]] = []
    for run in runs_of_same_calls(builder, list(runs)):
        sealed, visited = run.manifest.sealed, 0
        for call in calls_of_run(builder, run):
            brought = call.record
            lacking += sealed and brought is None and not call.turn.is_probe
            if brought is None or brought.hidden is not None:
                continue
            visited += 1
            if not answers_call(call, brought):
                misplaced += 1
                continue
            before = known_of(brought)
            # A check may have changed since, so its result is recomputed for known answers too.
            is_new = before is None or getattr(before, "checks", ()) != getattr(brought, "checks", ())
            if is_new and _is_of_program(builder, call):
                of += 1
                draw(due, (call, brought), of)
        unmatched, absent = _without_call(builder, run) if sealed else (visited, 0)
        misplaced, lacking = misplaced + unmatched - visited, lacking + absent
    for call, brought in due:
        try:
            ours = _repeated(builder, call, brought)
        except ValueError:
            ours = msgspec.structs.replace(brought, state="errored")
        if ours != brought:
            other("program", ours, brought)
    return Altered(compared, len(due), of, len(different), tuple(different[:MOST_ALTERED]), misplaced, lacking)


def _without_call(builder: RequestBuilder, run: CatalogEntry) -> tuple[int, int]:
    """Return how many records answer no call, unless a call was visited; and how many records of tables are missing."""
    tables, other = TableRecords(builder), 0
    for record in _records(run, ()):
        other += not tables.takes(record) if tables.are_of(record) else record.hidden is None
    return other, len(tables.left)


def draw(sample: list[_T], one: _T, number: int, most: int = _MOST_REPEATED) -> None:
    """Add the `number`-th element to a random sample of size `most` (Vitter 1985, algorithm R).

    The draw must be unpredictable: an author who knew it could forge the records that are not drawn.
    """
    if len(sample) < most:
        sample.append(one)
    elif (place := randbelow(number)) < most:
        sample[place] = one


def _shown(scores: Mapping[str, Score]) -> dict[str, Score]:
    """Bound scores that anyone may have written."""
    return {
        short_line(name, _NAME): score if isinstance(score, bool) else max(-_MOST_SCORE, min(_MOST_SCORE, score))
        for name, score in islice(scores.items(), _NAMES)
    }


def _is_of_program(builder: RequestBuilder, call: Call) -> bool:
    turn, judgment = call.turn, call.judge_call
    if judgment is not None:
        return judgment.judge.is_program and isinstance(judgment.question, WordedQuestion)
    is_program = turn.model.backend == PROGRAMS or isinstance(turn.model, Control)
    return is_program or builder.has_checks(turn.board, turn.placed, turn.model)


def _repeated(builder: RequestBuilder, call: Call, brought: Record) -> Record:
    """Return the record that our programs give. Raises ValueError if one has no answer."""
    turn, judgment = call.turn, call.judge_call
    if isinstance(brought, Judgment) and judgment is not None and isinstance(judgment.question, WordedQuestion):
        request = judgment.request
        reply = judgment.settled or judgment.question.read(
            programs.reply(request.model, request.params, request.fields)
        )
        scores = dict(reply.scores) if reply.parsed else {}
        return msgspec.structs.replace(brought, state="scored" if reply.parsed else "unparsed", scores=scores)
    if not isinstance(brought, Response) or brought.state == "errored":
        return brought
    text = brought.text
    if isinstance(turn.model, Control):
        text = builder.control_response(turn).text
    elif turn.model.backend == PROGRAMS:
        request = builder.response_request(turn)
        text = programs.reply(request.model, request.params, request.fields)
    results = builder.checked(turn, msgspec.structs.replace(brought, checks=())).checks
    # Checks that run the code of an answer are not repeated; their results are kept.
    again = {(each.type, each.params) for each in results}
    others = tuple(each for each in brought.checks if (each.type, each.params) not in again)
    checks = brought.checks if {*results, *others} == {*brought.checks} else results
    return msgspec.structs.replace(brought, text=text, checks=checks)


def _records(run: CatalogEntry, held: Collection[str]) -> Iterator[Record]:
    """Yield the records of a run, without sealed files that are equal in the base."""
    for kind, path in shards_of(run.path):
        digest = run.manifest.files.get(path.relative_to(run.path).as_posix()) if run.manifest.sealed else None
        if digest is None or digest.sha256 not in held:
            yield from read_shard(run, kind, path)


def _said(record: Record) -> object:
    """Return the parts of a record that can move a score."""
    if isinstance(record, Response):
        return record.state, record.text, record.hidden and record.checks
    return record.state, record.scores


def _mended(before: Record, brought: Record) -> bool:
    """Return True if an unparsed verdict was requested again."""
    return (
        isinstance(before, Judgment)
        and before.state == "unparsed"
        and isinstance(brought, Judgment)
        and brought.retry > 0
    )
