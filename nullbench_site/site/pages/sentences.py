"""What the page of a board says in plain sentences, made from its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nullbench_site.protocols.oracle.results import OracleRow, OracleScores
from nullbench_site.protocols.rubric.results import RubricScores
from nullbench_site.site import words
from nullbench_site.site.pages.rows import AnyScores, margin, n_responses, sureness
from nullbench_site.site.views import BoardView, OracleView, RubricView
from nullbench_site.site.views.board import AnyRow

_NAMED = 8
"""How many contestants a sentence names."""
_SHOWN = 2
"""How many strengths and weaknesses are put into words."""
_TIED = 3
"""How many contestants are named from which one cannot be told."""


def reading(view: BoardView, *, unsure: str) -> list[str]:
    """Who leads, who is not above the floor, and what is missing.

    unsure: what keeps the order of contestants without a tie group from being sure.
    """
    ranked = [row for row in view.contestants if row.rank is not None and row.overall is not None]
    on_board = sum(model.kind != "null" for model in view.benchmark.contestants(view.board))
    verdict = "mark" if isinstance(view, OracleView) else "verdict"
    said = []
    if not view.rows:
        said.append(f"No answer on this board is {'marked' if isinstance(view, OracleView) else 'judged'} yet.")
    elif not view.contestants:
        said.append("Only null models stand on this board, so there is nothing to compare with the floor.")
    elif not ranked:
        said.append(f"No contestant has every answer and every {verdict} yet, so there is no ranking.")
    else:
        said.append(_leader(view, ranked, unsure))
        if view.results.floor:
            said += _against_the_floor(view, ranked)
        if len(ranked) < on_board:
            count = words.of(len(ranked), on_board)
            said.append(
                f"This run is not complete: {count} contestants have every answer and every {verdict}; "
                "only they are ranked."
            )
    return [*said, *_gaps(view)]


def failures(view: BoardView) -> str:
    """How many answers and verdicts failed for good, and what became of them."""
    if isinstance(view, OracleView):
        return _unmarked(view)
    rows = [row for row in view.rows.values() if not isinstance(row, OracleRow)]
    judges = view.judge_rows
    failed, answers = sum(row.n_errored for row in rows), sum(n_responses(row) + row.n_unjudged for row in rows)
    errored, unparsed = sum(row.errored for row in judges), sum(row.unparsed for row in judges)
    verdicts = errored + unparsed + sum(row.scored for row in judges)
    said = [
        f"{words.of(failed, answers)} answers failed after all attempts and count as 0"
        if failed
        else "no answer failed",
        f"of {words.plural(verdicts, 'verdict')} {errored} failed after all attempts and {unparsed} could not be read; "
        "these count in no mean"
        if errored + unparsed
        else "no verdict failed or was unreadable",
    ]
    unjudged = sum(row.n_unjudged for row in rows)
    if unjudged:
        have = "has" if unjudged == 1 else "have"
        said.append(f"{words.plural(unjudged, 'answer')} got no verdict at all and {have} no score, not even 0")
    return f"{'; '.join(said)}."


def _unmarked(view: OracleView) -> str:
    """How many answers failed, are invalid or have no mark, and what became of them."""
    rows = view.rows.values()
    failed, invalid = sum(row.n_errored for row in rows), sum(row.n_invalid for row in rows)
    without = sum(row.n_unmarked for row in rows)
    answers = sum(map(n_responses, rows)) + without
    said = [
        f"{words.of(failed, answers)} answers failed after all attempts" if failed else "no answer failed",
        f"{words.of(invalid, answers)} are invalid" if invalid else "none is invalid",
    ]
    counted = "; these count as not correct, and are in no accuracy" if failed + invalid else ""
    unmarked = f"; {words.of(without, answers)} have no mark and are in no figure" if without else ""
    return f"{', '.join(said)}{counted}{unmarked}."


def _leader(view: BoardView, ranked: Sequence[AnyRow], unsure: str) -> str:
    first, *rest = ranked
    score = f"{words.number(first.overall)} {sureness(first)}".rstrip()
    lead = f"{view.title(first.model)} leads with {score}"
    tied = [view.title(row.model) for row in rest if row.tie_group == first.tie_group]
    if first.tie_group is None:
        lead += f". How sure that order is cannot be said: {unsure}"
    elif tied:
        lead += f", but cannot be told apart from {words.listed(tied)}"
    elif rest:
        gap = words.number((first.overall or 0) - (rest[0].overall or 0))
        lead += f", {gap} points above {view.title(rest[0].model)}; on these items the difference is measurable"
    return f"{lead}."


def _against_the_floor(view: BoardView, ranked: Sequence[AnyRow]) -> Iterator[str]:
    below = [view.title(row.model) for row in ranked if row.above_null_floor is False]
    if below:
        verb = "is" if len(below) == 1 else "are"
        yield f"{words.listed(below)} {verb} not above what a null model gets by ignoring the question."
    elif all(row.above_null_floor for row in ranked):
        yield "Every contestant is above what the best null model gets by ignoring the question."


def _gaps(view: BoardView) -> Iterator[str]:
    """Whose verdicts are missing, and who is not on the board for want of one."""
    missing = {row.judge: row.missing for row in view.judge_rows if row.missing}
    if missing:
        named = [f"{view.benchmark.judges[judge].title} on {words.plural(n, 'answer')}" for judge, n in missing.items()]
        yield f"Verdicts still missing: {words.listed(named)}."
    absent = [model.title for model in view.benchmark.contestants(view.board) if model.id not in view.rows]
    if absent:
        verdict = "marked" if isinstance(view, OracleView) else "judged"
        few = absent if len(absent) <= _NAMED else [*absent[:_NAMED], f"{len(absent) - _NAMED} more"]
        yield f"Not on the board yet, without a {verdict} answer: {words.listed(few)}."


def standing(view: BoardView, row: AnyRow) -> str:
    """Where a contestant stands on the board, and from whom it cannot be told; empty where it has no rank."""
    if row.rank is None:
        return ""
    if view.is_null(row.model):
        return "A null model: it answers without reading the question, and what the best of them scores is the floor."
    said = f"Rank {words.rank_range(row.rank, row.rank_low, row.rank_high)} of {words.number(view.n_ranked, 0)}"
    group = view.tied.get(row.tie_group, ()) if row.tie_group is not None else ()
    if len(group) == 1:
        first = row.rank == 1 and view.n_ranked > 1
        said += ", measurably ahead of all others that are ranked" if first else ", in a group of its own"
    elif group:
        # Of a group only the first is known to be like each of the others.
        others = group[1:] if row.model == group[0] else group[:1]
        more = [f"{words.number(len(others) - _TIED, 0)} more"] if len(others) > _TIED else []
        named = words.listed([*(view.title(model) for model in others[:_TIED]), *more])
        said += f"; on these items it cannot be told apart from {named}"
    below = " It is not above what a null model gets by ignoring the question." if row.above_null_floor is False else ""
    return f"{said}.{below}"


@dataclass(frozen=True)
class Contrast:
    """A score that is told from the board's median: the scale, the score with its interval, and how far they are."""

    name: str
    score: str
    distance: float

    @property
    def words(self) -> str:
        return f"{self.name} {self.score} ({words.signed(self.distance, 1)})"


@dataclass(frozen=True)
class Scored:
    """A domain with the score that a contestant has there, 0-100."""

    title: str
    row: AnyScores
    score: float

    @property
    def words(self) -> str:
        return f"{self.title} ({words.number(self.score)} {sureness(self.row)}".rstrip() + ")"


def contrast(name: str, score: float | None, se: float | None, median: float | None) -> Contrast | None:
    """Only where the 95 % interval of the score does not hold the median."""
    half = margin(se)
    if score is None or median is None or half is None or abs(score - median) <= half:
        return None
    return Contrast(name, f"{words.number(score)} {words.plus_minus(half)}", score - median)


def against_the_median(contrasts: Iterable[Contrast | None], what: str) -> list[str]:
    """A contestant's strengths and weaknesses, each with its interval. what: one of the scales, as in `axis`."""
    found = sorted((one for one in contrasts if one), key=lambda one: -one.distance)
    above = [one.words for one in found[:_SHOWN] if one.distance > 0]
    below = [one.words for one in found[::-1][:_SHOWN] if one.distance < 0]
    said = []
    if above:
        said.append(f"Above the board's median on {words.listed(above)}.")
    if below:
        said.append(f"Below the median on {words.listed(below)}.")
    return said or [f"On no {what} can it be told from the board's median."]


def domain_contrast(scores: Sequence[Scored]) -> list[str]:
    """A contestant's best and weakest domain; nothing is said of one domain alone."""
    if len(scores) < 2:
        return []
    best, weakest = max(scores, key=lambda one: one.score), min(scores, key=lambda one: one.score)
    if best.score == weakest.score:
        return []
    low, high = best.row.ci_low, weakest.row.ci_high
    same = "; their intervals overlap" if low is not None and high is not None and low <= high else ""
    return [f"Its best domain is {best.words}, its weakest {weakest.words}{same}."]


def by_domains(view: RubricView | OracleView, model: str) -> list[str]:
    """What sets a contestant of a board of prompts apart: domains unlike the median, its best and its weakest."""
    found = {domain: rows[model] for domain, rows in view.in_domains.items() if model in rows}
    contrasts = [_beyond(view.domains[domain].title, own, view.medians.get(domain)) for domain, own in found.items()]
    scores = [
        Scored(view.domains[domain].title, own, own.overall) for domain, own in found.items() if own.overall is not None
    ]
    return [*against_the_median(contrasts, "domain"), *domain_contrast(scores)]


def _beyond(name: str, row: RubricScores | OracleScores, median: float | None) -> Contrast | None:
    """The same by the ends of a row's interval, which may be unlike."""
    if row.overall is None or row.ci_low is None or row.ci_high is None or median is None:
        return None
    if row.ci_low <= median <= row.ci_high:
        return None
    return Contrast(name, f"{words.number(row.overall)} {sureness(row)}", row.overall - median)
