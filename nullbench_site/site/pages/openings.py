"""Make the first sentences of a board, in a short and a long form. All outputs take them from here.

The order: a null model that scores highest, judges that are unfit, then the answer to the board's own question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from msgspec import UNSET

from nullbench_site.site import claims, words
from nullbench_site.site.claims import Lead, Opening
from nullbench_site.site.joint_words import stopped_words
from nullbench_site.site.pages import trust_marks
from nullbench_site.site.pages.judges_did import judges_did
from nullbench_site.site.pages.page import score_words
from nullbench_site.site.pages.sentences import (
    floor_words,
    lead,
    ranked_contestants,
    silence_reasons,
    unranked_reasons,
    weakest,
)
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import BoardView

_OF_RANKED = "Of the ranked contestants"


def opening(view: BoardView, part: Any = None) -> Opening:
    """Return the first sentences of a board, or of a part of it.

    A part without ranked contestants has none, and so has every part of a board about judges.
    """
    if part is not None and (view.board.about == "judges" or not ranked_contestants(view, part)):
        return Opening(())
    stopped = view.results.stopped
    last = "" if stopped is UNSET else stopped_words(stopped, view.results.n_items if part is None else None)
    return Opening([sentence for sentence in (*_sentences(view, part), last) if sentence])


def _sentences(view: BoardView, part: Any) -> Iterator[str]:
    leader = lead(view, part)
    null = "" if leader is None else _null_first(view, part, leader)
    if leader is not None and null:
        leader = replace(leader, where="Of the contestants")
    elif leader is not None and _is_topped(view, part, leader):
        leader = replace(leader, where=_OF_RANKED)
    yield null
    yield from (_sentence(fault) for fault in view.judge_faults)
    if view.board.about == "judges":
        yield from judges_did(view)
        return
    if leader is None:
        yield unranked(view)
        yield "" if null else _doing_nothing(view)
        return
    unordered = view.makes_no_order
    yield _no_order(leader) if unordered else _of_items(view, leader, claims.first(leader))
    if part is None:
        yield "" if null else _doing_nothing(view)
    yield _why(view, part, leader)
    if part is None and leader.claim != "none" and len(leader.ranked) > 1:
        yield order(view)


def _sentence(phrase: str) -> str:
    """Return a phrase as a sentence."""
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _null_first(view: BoardView, part: Any, leader: Lead) -> str:
    """Name the null model that scores as much as any contestant, or more; empty if none does."""
    best = view.null_first if part is None else view.null_first_of(part.rows)
    if best is None:
        return ""
    title, said = view.title(best.model), score_words(best)
    if best.score > leader.ranked[0].score:
        return f"A null model scores highest: {title} gets {said} without doing the task."
    return f"No contestant scores more than the null model {title}, {said}."


def _no_order(leader: Lead) -> str:
    n, of = leader.may_be_best or (0, 0)
    best = f"; {words.of(n, of)} may be best" if n and of > 1 else ""
    return _sentence(f"{trust_marks.NO_ORDER}, so the scores make no order{best}")


def _doing_nothing(view: BoardView) -> str:
    floor = view.results.floor
    return f"Without doing the task, {view.title(floor.model)} scores {floor_words(floor)}." if floor else ""


def _why(view: BoardView, part: Any, leader: Lead) -> str:
    """Say why no winner is named, without what was said before."""
    if leader.claim != "none" or len(leader.ranked) < 2:
        return claims.why(leader)
    said = {*view.judge_faults, trust_marks.NO_ORDER, trust_marks.NULL_FIRST}
    rest = [reason for reason in silence_reasons(view, part) if reason not in said]
    return claims.silent("; ".join(rest)) if rest else "So we name no winner."


def unranked(view: BoardView) -> str:
    """Say why no contestant is ranked."""
    pages = pages_of(view.board.protocol)
    if not view.rows:
        return f"No answer on this board is {pages.judged} yet."
    if not view.contestants:
        return "This board has null models only, so there is nothing to compare with the floor."
    if reasons := unranked_reasons(view):
        own = [reason for reason in silence_reasons(view) if reason not in (reasons, *view.judge_faults)]
        return f"No contestant is ranked: {'; '.join([reasons, *own])}."
    return f"No contestant has every answer and every {pages.verdict} yet, so there is no ranking."


def _of_items(view: BoardView, leader: Lead, said: str) -> str:
    """Restrict a sentence on imported scores: it claims nothing beyond these items."""
    whole = view.asked or leader.claim in ("none", "higher")
    said = said if whole else f"{said.removesuffix('.')}, on these items."
    if leader.where != _OF_RANKED or leader.claim == "none":
        return said
    return f"{_OF_RANKED}, {said}"


def _is_topped(view: BoardView, part: Any, leader: Lead) -> bool:
    """Return True if a contestant without a rank has a higher score than the first."""
    rows = view.rows.values() if part is None else part.rows
    others = [row.score for row in rows if row.rank is None and row.score is not None and not view.is_null(row.model)]
    return max(others, default=leader.ranked[0].score) > leader.ranked[0].score


def order(view: BoardView) -> str:
    """Say if each contestant is told apart from the next and, if not all are, why; empty if it was not tested."""
    found, rows = view.results.separation, ranked_contestants(view)
    if found is None:
        return ""
    if left := found.neighbours - found.neighbours_together:
        pairs = f"{words.of(left, found.neighbours)} pairs of neighbours" if found.neighbours > 1 else "the two"
        return f"The order is not settled: {pairs} cannot be distinguished."
    match weakest([view.robustness(one.model, other.model) for one, other in pairwise(rows)]):
        case "one judge":
            return "Another judge could change the order."
        case "differs" | "unknown":
            return "The order is not settled: other judges could change it."
    if near := [view.title(row.model) for row in rows if row.above_null_floor is False]:
        verb = "is" if len(near) == 1 else "are"
        return f"The order is not settled: {claims.some(near)} {verb} not distinguishable from the best null model."
    models = view.benchmark.models
    others = sum(row.rank is None and models[row.model].retired is None for row in view.contestants)
    if others:
        rest = f"{words.plural(others, 'other')} {'has' if others == 1 else 'have'} no rank"
        return f"All neighbours of the {len(rows)} ranked contestants differ significantly; {rest}."
    return f"The order is settled{'' if view.asked else ' on these items'}: all neighbours differ significantly."
