"""What a score contains: S = theta + sampling + prompt + contamination + construct, a line for each contestant.

Source: the mathematical treatment of LLM evaluation, section 2, Score Decomposition. theta is the true capability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from msgspec import UNSET

from nullbench_site.scoring.contamination_tables import ContaminationDateRow, OverlapRow
from nullbench_site.site import words
from nullbench_site.site.pages.sentences import silence
from nullbench_site.site.pages.trust_marks import Dimension, trust
from nullbench_site.site.trust.contamination import canary_probe
from nullbench_site.site.views import AnyRow, BoardView, known
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.stats.trust import plain_error

INAPPLICABLE = "does not apply"
_RATE = "A number takes a comparison of the items with text, or a test by their dates."
_AVERAGED = "The score is the mean over wordings, so the mean of this term is 0."


@dataclass(frozen=True)
class Term:
    """A term of a score in words: its number, `not measured` or `does not apply`. why: how it was made, or why not."""

    text: str
    why: str


@dataclass(frozen=True)
class Decomposition:
    """The score of a contestant and its terms, in points. theta: the score without what is known to inflate it."""

    model: str
    title: str
    score: str
    theta: Term
    sampling: Term
    prompt: Term
    contamination: Term
    construct: Term


def decompositions(view: BoardView) -> list[Decomposition]:
    """Return a line for each contestant with a score, in the order of the board."""
    overlap = {row.model: row for row in known(view.results.overlap)}
    dated = _dated(known(getattr(view.results, "contamination_dates", UNSET)))
    return [
        Decomposition(
            model=model,
            title=view.title(model),
            score=words.number(row.overall, 1),
            theta=_theta(view, row, overlap.get(model)),
            sampling=_sampling(row),
            prompt=_prompt(view, row),
            contamination=_contamination(view, row, overlap.get(model), dated.get(model)),
            construct=Term(words.ABSENT, "No statistic gives this number. See what the scores stand for."),
        )
        for model, row in view.rows.items()
        if row.overall is not None
    ]


def _dated(table: Sequence[ContaminationDateRow]) -> Mapping[str, ContaminationDateRow]:
    """Return the row of each contestant on all items, that of its own training cutoff if it was tested."""
    rows = [row for row in table if row.category is None and row.difference is not None]
    return {row.model: row for row in sorted(rows, key=lambda row: row.by == "cutoff")}


def _trained_on_the_board(view: BoardView, row: AnyRow) -> str:
    """Say that a contestant completes canaries, so that texts without its items do not clear it; empty if not."""
    found = canary_probe(view, row)
    return found.sentence if found is not None and found.finding == "flagged" else ""


def _theta(view: BoardView, row: AnyRow, overlap: OverlapRow | None) -> Term:
    if seen := _trained_on_the_board(view, row):
        return Term(words.ABSENT, seen)
    if overlap is None or overlap.clean is None:
        return Term(words.ABSENT, "It would take a number for each term.")
    clean = words.estimate(overlap.clean, overlap.clean_low, overlap.clean_high)
    return Term(clean, "The score on items that are in no corpus that was compared; other terms are still in it.")


def _why(view: BoardView, row: AnyRow, dimension: Dimension) -> str:
    """Return the reason of a contestant's mark."""
    return next(mark.why for mark in trust(view, row) if mark.dimension == dimension)


def _sampling(row: AnyRow) -> Term:
    if row.se is None:
        why = row.absent.get("se")
        return Term(words.ABSENT, f"There is no standard error ({why})." if why else "There is no standard error.")
    error = f"± {words.number(row.se, 2)} {words.interval(row.ci_low, row.ci_high)}".rstrip()
    return Term(error, f"The standard error of the score on {row.n_items} items, and its 95 % interval.")


def _prompt(view: BoardView, row: AnyRow) -> Term:
    if view.benchmark.models[row.model].backend == PROGRAMS:
        return Term(INAPPLICABLE, "A program does not read the wording of the prompt.")
    rows = [each for each in known(view.results.wording_effects) if each.model == row.model and each.sigma is not None]
    if not rows:
        return Term(words.ABSENT, _why(view, row, "prompts"))
    formats = [f"{words.estimate(each.sigma, each.low, each.high)} {each.format or ''}".rstrip() for each in rows]
    return Term(f"σ {words.listed(formats)}", f"The standard deviation over wordings. {_AVERAGED}")


def _contamination(
    view: BoardView, row: AnyRow, overlap: OverlapRow | None, dated: ContaminationDateRow | None
) -> Term:
    if seen := _trained_on_the_board(view, row):
        return Term(words.ABSENT, f"{seen} A number takes items that it has not seen.")
    if overlap is not None and overlap.delta_c is not None:
        delta = words.estimate(overlap.delta_c, overlap.delta_c_low, overlap.delta_c_high, signs=True)
        return Term(f"δ {delta}", "The rate of contaminated items times their gap in score.")
    if dated is not None:
        drop = words.estimate(dated.difference, dated.low, dated.high, signs=True)
        return Term(f"drop {drop}", f"How much more the score drops after {dated.date} than the scores of others.")
    return Term(words.ABSENT, f"{_why(view, row, 'contamination')} {_RATE}")


# The plain standard error, next to ours.


@dataclass(frozen=True)
class PlainRow:
    """The sampling error of a score by our formula and by the plain one, in points.

    plain: sqrt(S(1-S)/n). difference: to the next ranked contestant, with
    the verdict of two plain standard errors and ours in words; None without one.
    """

    model: str
    title: str
    n_items: int
    score: float
    se: float | None
    plain: float | None
    next: str
    difference: float | None
    exceeds: str
    ours: str


def plain_rows(view: BoardView) -> Sequence[PlainRow] | None:
    """Return the two standard errors of each contestant with a score; None if there is none.

    The document's rule: a difference must exceed two plain standard errors, here those of the higher score. A board
    that makes no comparative claim has no differences.
    """
    ranked = [model for model, row in view.rows.items() if row.rank is not None]
    following = {} if silence(view) else dict(pairwise(ranked))
    rows = [_plain(view, row, following.get(model)) for model, row in view.rows.items() if row.overall is not None]
    return rows or None


def _plain(view: BoardView, row: AnyRow, other: str | None) -> PlainRow:
    plain = plain_error(row.overall, row.n_items)
    pair = view.differences.get((row.model, other)) if other else None
    value = None if pair is None else pair.value
    exceeds = ours = ""
    if pair is not None and value is not None:
        exceeds = words.ABSENT if plain is None else "yes" if abs(value) > 2 * plain else "no"
        ours = words.ABSENT if pair.significant is None else "yes" if pair.significant else "no"
    return PlainRow(
        row.model, view.title(row.model), row.n_items, row.overall, row.se, plain,
        view.title(other) if other else "", value, exceeds, ours,
    )  # fmt: skip
