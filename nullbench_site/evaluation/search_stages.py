"""The stages of an evaluation whose contestant is a search: a step asks about answers that depend on the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nullbench_site.audit.random_search import search_of
from nullbench_site.audit.search_walk import Verdict, Walk, verdict, walk_of
from nullbench_site.errors import RunError
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target
from nullbench_site.evaluation.walk import KnownRecords, recorded_calls
from nullbench_site.runs.known import Journal, KnownCalls
from nullbench_site.runs.records import Judgment, Response


class SearchStopped(Exception):
    """A step has no verdicts, so the next one cannot be drawn. left: calls that were not made."""

    def __init__(self, message: str, left: int) -> None:
        super().__init__(message)
        self.left = left


def stages(
    builder: RequestBuilder, selection: Selection, journal: Journal, known: KnownCalls
) -> Iterator[Sequence[Target]]:
    """Yield the targets of each stage: the opponents, then each step. Ask about a stage before you take the next one.

    Yield nothing if no contestant is a search. Raises SearchStopped.
    """
    for board in builder.benchmark.boards.values():
        found = search_of(builder.benchmark.contestants(board))
        if found is not None and selection.has(board, found[0]):
            model, search = found
            targets = list(builder.targets(Selection(boards=[board.id])))
            yield [target for target in targets if target.model is not model]
            walk = walk_of(builder.benchmark, board, search)
            yield from _steps(builder, walk, [target for target in targets if target.model is model], journal, known)


def _steps(
    builder: RequestBuilder, walk: Walk, targets: Sequence[Target], journal: Journal, known: KnownCalls
) -> Iterator[Sequence[Target]]:
    last = targets[-1].sample
    for step in range(last + 1):
        asked = [target for target in targets if target.sample == step]
        for target in asked:
            _answer(builder, target, walk.text, journal, known)
        yield asked
        verdicts, missing = _verdicts(builder, asked, known)
        if missing:
            why = f"the search stopped at step {step} of {last + 1}: {missing} of its comparisons have no verdict"
            advice = "the same command goes on from there"
            raise SearchStopped(f"{why}; {advice}", (last - step) * (missing + len(verdicts) + len(asked)))
        if step == 0 and all(each.won is None for each in verdicts):
            why = f"the search stopped at its start: no verdict could be read: {verdicts[0].unread}"
            raise SearchStopped(f"{why}; choose another judge or template", last * (len(verdicts) + len(asked)))
        walk.tell(verdicts)


def _answer(builder: RequestBuilder, target: Target, text: str, journal: Journal, known: KnownCalls) -> None:
    """Record the candidate of a step as the answer to an instruction. Raises RunError if there is another one."""
    key = builder.response_request(target).key()
    before = known.find(Response, key)
    if before is None:
        response = Response(
            key=key, **target.dimensions, state="answered", text=text, error=None, started_at="", seconds=0
        )
        journal.keep(builder.checked(target, response))
    elif before.text != text:
        why = f"the answer of step {target.sample} to {target.placed.id!r} is not what the search draws"
        raise RunError(f"{why}; it was changed, or recorded by another version: move the audit away and search again")


def _verdicts(builder: RequestBuilder, asked: Sequence[Target], known: KnownCalls) -> tuple[list[Verdict], int]:
    """Return the verdicts on a candidate, and how many are missing."""
    verdicts, missing, records = list[Verdict](), 0, KnownRecords(known)
    for target in asked:
        for call in recorded_calls(builder, target, records):
            if call.task is None:
                continue
            each = verdict(target.board, call.record) if isinstance(call.record, Judgment) else None
            if each is None:
                missing += 1
            else:
                verdicts.append(each)
    return verdicts, missing
