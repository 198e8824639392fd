"""What the page of an `oracle` board says of invalid answers: how many have each cause, and some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nullbench_site.protocols.oracle.metrics import CAUSES, MANY_INVALID, OUTCOMES, OracleResults, OracleRow
from nullbench_site.runs.records import Cause, Response, read_records
from nullbench_site.site import claims, paths, words
from nullbench_site.site.protocol import Context
from nullbench_site.site.trust.attacks import visible
from nullbench_site.site.views import BoardView, is_private

_ROWS = 30
"""The most contestants of the table; the CSV files have all."""
_CONTESTANTS = 10
"""The most contestants whose answers are shown."""
_EXAMPLES = 3
_LENGTH = 120
"""How many characters of an answer are shown, from its end, where answers mostly are."""


@dataclass(frozen=True)
class Example:
    """An invalid answer: its item, its cause and its mark in words, the end of its text, and its place."""

    item: str
    cause: str
    why: str
    text: str
    link: str


@dataclass(frozen=True)
class Unread:
    """A contestant with many invalid answers, in a sentence, and examples; none if its items are private."""

    model: str
    says: str
    examples: Sequence[Example]


def causes_in_words(rows: Iterable[OracleRow]) -> str:
    """Return how many invalid answers of these rows have each cause; empty without an invalid answer."""
    invalid = [row for row in rows if row.n_invalid]
    if not invalid:
        return ""
    of_rows = [row.causes for row in invalid]
    known = [causes for causes in of_rows if causes is not None]
    counted = words.counts((said, sum(causes[cause] for causes in known)) for cause, said in CAUSES.items())
    missing = sum(row.n_invalid for row, causes in zip(invalid, of_rows, strict=True) if causes is None)
    if not missing:
        return counted
    if not known:
        return "causes not recorded"
    return f"{counted}, {missing} with no recorded cause"


def unread(run: Path, view: BoardView) -> Context:
    """Return the part of the page about invalid answers; None for it without one. run: the folder of the run."""
    results: OracleResults = view.results
    rows = sorted((row for row in results.leaderboard if row.n_invalid), key=lambda row: -row.invalid_rate)
    if not rows:
        return {"unread": None}
    # Null models do not try to answer.
    many = sorted((row for row in rows if row.invalid_rate > MANY_INVALID), key=lambda row: view.is_null(row.model))
    shown = [Unread(row.model, _says(view, row), _examples(run, view, row.model)) for row in many[:_CONTESTANTS]]
    return {
        "unread": {
            "says": causes_in_words(rows),
            "n": sum(row.n_invalid for row in rows),
            "n_answers": sum(row.n_responses for row in results.leaderboard),
            "causes": list(CAUSES),
            "rows": rows[:_ROWS],
            "rest": len(rows) - len(rows[:_ROWS]),
            "limit": MANY_INVALID,
            "many": shown,
            "more": len(many) - len(shown),
        }
    }


def warning(view: BoardView) -> list[str]:
    """Return a sentence on the contestants, null models aside, of whose answers many are invalid; none without one."""
    rows: Sequence[OracleRow] = view.results.leaderboard
    many = [row for row in rows if row.n_invalid and row.invalid_rate > MANY_INVALID and not view.is_null(row.model)]
    if not many:
        return []
    limit, titles = f"{100 * MANY_INVALID:.0f} %", claims.some([view.title(row.model) for row in many])
    return [
        f"More than {limit} of the answers of {titles} cannot be read ({causes_in_words(many)}): see the examples "
        "below before you compare scores."
    ]


def _says(view: BoardView, row: OracleRow) -> str:
    n = words.of(row.n_invalid, row.n_responses)
    return f"{n} answers of {view.title(row.model)} are invalid ({causes_in_words([row])})"


def _examples(run: Path, view: BoardView, model: str) -> Sequence[Example]:
    """Return a few invalid answers to public items, with different causes if possible."""
    public = {placed.id: place for place, placed in enumerate(view.items) if not is_private(placed.item)}
    found = [
        (public[response.item], response.template, response.sample, Example(*_shown(view, response)))
        for response in _invalid(run / "responses" / f"{model}.jsonl")
        if response.board == view.board.id and response.item in public and response.hidden is None
    ]
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, Example]] = []
    for _, _, _, example in sorted(found, key=lambda one: one[:3]):
        seen[example.cause] += 1
        ranked.append((seen[example.cause], example))
    return [example for _, example in sorted(ranked, key=lambda one: one[0])[:_EXAMPLES]]


def _invalid(shard: Path) -> Iterator[Response]:
    """Yield the answers that are invalid, if the records are on this machine."""
    invalid = OUTCOMES[2]
    for response in read_records(shard, Response) if shard.is_file() else ():
        if any(mark.outcome == invalid for mark in response.checks):
            yield response


def _shown(view: BoardView, response: Response) -> tuple[str, str, str, str, str]:
    mark = next(mark for mark in response.checks if mark.outcome == OUTCOMES[2])
    text = visible(" ".join(response.text.split()))
    text = text if len(text) <= _LENGTH else f"…{text[-_LENGTH:].lstrip()}"
    link = paths.evidence_url(view.board.id, by=response.model, item=response.item)
    return response.item, said_of(mark.cause), "; ".join(mark.flags), text, link


CAUSE_WORDS: Mapping[Cause, str] = {
    "cut": "cut off",
    "no answer": "no answer",
    "several answers": "several answers",
    "other form": "another form",
}
"""The causes as headings and labels."""


def said_of(cause: Cause | None) -> str:
    """Return a cause as a label."""
    return "cause not recorded" if cause is None else CAUSE_WORDS[cause]
