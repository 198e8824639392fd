"""What changed between two runs, in plain words: of specs what they are called, and of no text what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nullbench_site.packaged import word_pairs
from nullbench_site.site import words
from nullbench_site.site.history import Standing
from nullbench_site.site.run_changes import BoardChange, Move, RunChange
from nullbench_site.specs.changes import Change, FieldChange, Kind, Number
from nullbench_site.text import THIN

_NAMED = 8
"""How many contestants a sentence names."""


def spec_lines(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """The changes of specs, those alike together, by kinds in order. scored: whether they can move a score."""
    groups: dict[tuple[Kind, str, str, bool], list[str]] = {}
    for change in changes:
        how = f": {', '.join(fields_in_words(change))}" if change.fields else ""
        title = f"{change.before} → {change.id}" if change.before else change.title
        groups.setdefault((change.kind, change.what, how, change.scored), []).append(title)
    return [
        {"what": f"{some(len(titles), kind)} {what}{how}", "which": titles, "scored": scored}
        for (kind, what, how, scored), titles in groups.items()
    ]


def fields_in_words(change: Change) -> list[str]:
    """What of a spec changed: `weight 1 → 2`, of a text its name alone."""
    return [_field(field) for field in change.fields]


def counted(changes: Sequence[Change]) -> str:
    """The same in one phrase: `1 goal changed, 2 items added`."""
    groups: dict[tuple[Kind, str], int] = {}
    for change in changes:
        groups[change.kind, change.what] = groups.get((change.kind, change.what), 0) + 1
    return words.listed([f"{some(n, kind)} {what}" for (kind, what), n in groups.items()])


def some(n: int, kind: Kind, thousands: str = THIN) -> str:
    """`2 items`; what a benchmark has one of is not counted."""
    one, _, several = word_pairs("kinds").get(kind, f"{kind}, {kind}s").partition(", ")
    return words.plural(n, one, several, thousands=thousands) if several else one


def specs_sentence(specs: Sequence[Change], *, same_digest: bool) -> str:
    """One sentence on the specs of two runs. same_digest: whether their spec digests are equal."""
    scored = [change for change in specs if change.scored]
    if scored:
        return f"Specs: {counted(scored)}."
    if not same_digest:
        return "The spec digests differ, yet no spec does: the program writes or counts them in another way."
    if specs:
        return "Specs: only words, addresses or prices changed, which move no score."
    return "The specs are the same."


def moved_yardstick(specs: Sequence[Change]) -> bool:
    """Whether what is measured, or who judges, is not the same, so that a score may move by that alone."""
    mine = {"contestants"}
    return any(
        change.scored
        and change.kind != "contestant"
        and (change.what != "renamed" or change.fields)
        and not (change.kind == "board" and change.fields and {field.path[0] for field in change.fields} <= mine)
        for change in specs
    )


def ranks_sentence(change: BoardChange) -> str:
    """One sentence on the contestants that both leaderboards have."""
    moved = sum(move.moved for move in change.moves)
    if not change.n_both:
        return "No contestant stands in both runs."
    if moved:
        have = "has" if moved == 1 else "have"
        return f"{words.of(moved, change.n_both)} contestants {have} another rank."
    if not change.moves:
        return "No rank moved, and every score is the same."
    differences = [abs(move.difference) for move in change.moves if move.difference is not None]
    most = words.number(max(differences, default=0.0))
    if most == words.number(0.0):
        return "No rank moved, and no score by as much as 0.1 points."
    return f"No rank moved; scores moved by at most {most} points."


def come_and_gone(change: BoardChange, titles: Mapping[str, str]) -> Iterator[str]:
    """Who is on one of the two leaderboards alone."""
    for verb, models in (("New", change.new), ("Gone", change.gone)):
        if models:
            yield f"{verb}: {words.listed(words.some_of([titles.get(model, model) for model in models], _NAMED))}."


def summary(change: RunChange, titles: Mapping[str, str], *, same_digest: bool) -> str:
    """What changed, in a few sentences. titles: of boards."""
    sentences = [f"Since run {change.before}:"]
    if change.specs is not None:
        sentences.append(specs_sentence(change.specs, same_digest=same_digest))
    for board in change.boards or ():
        title = titles.get(board.board, board.board)
        sentences += [f"{title}: {ranks_sentence(board)}", *come_and_gone(board, change.titles)]
    sentences += [f"New board: {titles.get(board, board)}." for board in change.new_boards]
    sentences += [f"Board gone: {titles.get(board, board)}." for board in change.gone_boards]
    return " ".join([*sentences, *(f"Not compared: {problem}." for problem in change.problems)])


def moves_in_words(moves: Iterable[Move]) -> Iterator[dict[str, str]]:
    """Each contestant whose rank is another: ranks, scores and their difference."""
    for move in moves:
        if move.moved:
            yield {
                "model": move.model,
                "rank_before": _rank(move.before),
                "rank": _rank(move.after),
                "score_before": words.number(move.before.overall),
                "score": words.number(move.after.overall),
                "difference": words.signed(move.difference, 1),
            }


def _rank(standing: Standing) -> str:
    return words.rank_range(standing.rank, standing.rank_low, standing.rank_high)


def _field(field: FieldChange) -> str:
    first, *rest = field.path
    names = word_pairs("fields")
    name = " ".join([names.get(first, first), *(names.get(part, part) for part in rest)]).rstrip(",")
    name = name.replace("_", " ")
    if field.before is None and field.after is None:
        return name
    return f"{name} {_number(field.before)} → {_number(field.after)}"


def _number(value: Number | None) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}".replace("-", words.MINUS)
