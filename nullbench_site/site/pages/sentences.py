"""What pages say of a board and of its contestants in plain sentences, made from figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.scoring.findings import Difference, Floor
from nullbench_site.site import claims, words
from nullbench_site.site.claims import Lead, Scored, Significance
from nullbench_site.site.pages.page import rank_words, score_words
from nullbench_site.site.pages.trust import low_marks
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import AnyRow, BoardView

_NAMED = 8
"""How many contestants a sentence names."""
_SHOWN = 2
"""How many strengths and weaknesses are put into words."""


def reading(view: BoardView) -> list[str]:
    """Who stands first, who is not above the floor, and what is missing."""
    pages = pages_of(view.board.protocol)
    ranked = ranked_contestants(view)
    entered = view.benchmark.contestants(view.board)
    on_board = [model for model in entered if model.kind != "null" and model.retired is None]
    sentences = [first_sentence(view)]
    if ranked:
        if view.results.floor:
            sentences += _against_the_floor(view, ranked)
        if len(ranked) < len(on_board):
            count = words.of(len(ranked), len(on_board))
            if reasons := _unranked_though_told(view):
                sentences.append(f"{count} contestants are ranked. What keeps others from a rank: {reasons}.")
            else:
                placed = {row.model for row in ranked}
                imported = all(view.is_imported(model) for model in on_board if model.id not in placed)
                what = "The imported data are" if imported else "This run is"
                sentences.append(
                    f"{what} not complete: {count} contestants have every answer and every {pages.verdict}; "
                    "only they are ranked."
                )
    return [*sentences, *_gaps(view, pages.judged)]


def first_sentence(view: BoardView) -> str:
    """Who stands first on a board, or why nobody does."""
    pages = pages_of(view.board.protocol)
    if leader := lead(view):
        return claims.leading(leader)
    if not view.rows:
        return f"No answer on this board is {pages.judged} yet."
    if not view.contestants:
        return "Only null models stand on this board, so there is nothing to compare with the floor."
    if reasons := _unranked_though_told(view):
        return f"No contestant is ranked. What keeps one from a rank: {reasons}."
    return f"No contestant has every answer and every {pages.verdict} yet, so there is no ranking."


def _unranked_though_told(view: BoardView) -> str:
    """What keeps contestants from a rank that have every answer and every verdict; empty where one has not."""
    entered = (model for model in view.benchmark.contestants(view.board) if model.kind != "null" and not model.retired)
    rows = [view.rows.get(model.id) for model in entered]
    unranked = [row for row in rows if row is not None and row.rank is None]
    if None in rows or any(row.awaited for row in unranked):
        return ""
    return "; ".join(sorted({row.absent["rank"] for row in unranked}))


def part_sentence(view: BoardView, part: Any) -> str:
    """Who stands first in a part of a board, a group of its results; empty where nobody does."""
    leader = lead(view, part)
    return claims.leading(leader) if leader else ""


def failures(view: BoardView) -> str:
    """How many answers and verdicts failed for good, and what became of them."""
    own = pages_of(view.board.protocol).failures
    return _failures(view) if own is None else own(view)


def _failures(view: BoardView) -> str:
    rows, judges, judged = view.rows.values(), view.judge_rows, view.panel is not None
    unjudged = sum(row.n_unjudged for row in rows) if judged else 0
    failed, answers = sum(row.n_errored for row in rows), sum(row.n_responses for row in rows) + unjudged
    errored, unparsed = sum(row.errored for row in judges), sum(row.unparsed for row in judges)
    of_verdicts = words.plural(errored + unparsed + sum(row.scored for row in judges), "verdict")
    parts = [
        f"{words.of(failed, answers)} answers failed after all attempts and count as 0"
        if failed
        else "no answer failed"
    ]
    if errored + unparsed:
        how = f"{errored} failed after all attempts and {unparsed} could not be read"
        parts.append(f"of {of_verdicts} {how}; these count in no mean")
    elif judged:
        parts.append("no verdict failed or was unreadable")
    if unjudged:
        have = "has" if unjudged == 1 else "have"
        parts.append(f"{words.plural(unjudged, 'answer')} got no verdict at all and {have} no score, not even 0")
    return f"{'; '.join(parts)}."


def lead(view: BoardView, part: Any = None) -> Lead | None:
    """What is known of the first of a board, or of a part of it; None where nobody has a rank."""
    ranked = ranked_contestants(view, part)
    if not ranked:
        return None
    first = ranked[0]
    outcome: Significance = "unknown"
    if first.rank_high is not None:
        outcome = "significant" if first.rank_high == 1 else "insignificant"
    best = (view.results if part is None else part).best_set
    return Lead(
        ranked=[Scored(view.title(row.model), row.score, row.ci_low, row.ci_high) for row in ranked],
        difference=outcome,
        robust=_lead_holds(view, [row.model for row in ranked]) if part is None else None if view.panel else True,
        low_marks=max(low_marks(view, view.rows[row.model], row)[1] for row in ranked[:2]),
        untold=[view.title(model) for model in best if model != first.model],
        unsure=first.absent.get("rank_low", ""),
    )


def _lead_holds(view: BoardView, ranked: Sequence[str]) -> bool:
    """Whether the first is higher whoever judges, to the second and to all others of whom that is known."""
    first, *rest = ranked
    known = [model for model in rest[1:] if (first, model) in view.differences]
    return all(view.holds(first, other) for other in (*rest[:1], *known))


def of_two(view: BoardView, difference: Difference) -> str:
    """What may be said of two ranked contestants of a board, by their difference on all of it."""
    value, low, high = difference.value or 0.0, difference.low, difference.high
    pair = (difference.a, difference.b) if value >= 0 else (difference.b, difference.a)
    first, second = (view.rows[model] for model in pair)
    if low is None or high is None or "low" in difference.absent:
        interval = ""
    else:
        interval = words.interval(low, high) if value >= 0 else words.interval(-high, -low)
    marks = max(low_marks(view, row)[0] for row in (first, second))
    return claims.phrases(_outcome(difference), robust=view.holds(*pair), low_marks=marks).sentence.format(
        a=view.title(first.model),
        b=view.title(second.model),
        score_a=words.number(first.score),
        score_b=words.number(second.score),
        by=f"{words.number(abs(value))} {interval}".rstrip(),
        on=f"on {words.plural(view.results.n_items, 'item')}",
        marks=marks,
    )


def _outcome(difference: Difference) -> Significance:
    if difference.value == 0:
        return "same" if difference.se == 0 else "equal"
    if difference.significant is None:
        return "unknown"
    return "significant" if difference.significant else "insignificant"


def _against_the_floor(view: BoardView, ranked: Sequence[AnyRow]) -> Iterator[str]:
    below = [view.title(row.model) for row in ranked if row.above_null_floor is False]
    if below:
        verb = "is" if len(below) == 1 else "are"
        yield f"{words.listed(below)} {verb} not shown to be above the best of the null models of this board."
    elif all(row.above_null_floor for row in ranked):
        yield "Every contestant is above the best of the null models of this board."
    if _is_gated_to_zero(view):
        yield ungated_floor(view)


def _gaps(view: BoardView, judged: str) -> Iterator[str]:
    """Whose verdicts are missing, and who is not on the board for want of one."""
    missing = {row.judge: row.missing for row in view.judge_rows if row.missing}
    if missing:
        named = [f"{view.benchmark.judges[judge].title} on {words.plural(n, 'answer')}" for judge, n in missing.items()]
        yield f"Verdicts still missing: {words.listed(named)}."
    absent = [claims.named(model) for model in view.benchmark.contestants(view.board) if model.id not in view.rows]
    if absent:
        yield f"Not on the board yet, without a {judged} answer: {claims.some(absent, _NAMED)}."


def standing(view: BoardView, row: AnyRow) -> str:
    """Where a contestant stands on the board, and from whom it cannot be told; empty where it has no rank."""
    if row.rank is None:
        return ""
    if view.is_null(row.model):
        if view.benchmark.models[row.model].aware:
            what = "source-aware null model: it knows the request and does not do it"
        else:
            what = "null model: it answers without reading the question"
        return f"A {what}, and what the best null model scores is the floor.{_without_gates(view, row.model)}"
    # The highest comes first, so that this takes no look at all of them for each.
    highest = next(each for each in view.rows.values() if each.rank is not None and not view.is_null(each.model))
    first = lead(view) if highest is row else None
    group = view.tied.get(row.tie_group, ()) if row.tie_group is not None else ()
    now = "" if view.benchmark.models[row.model].provisional is None else ", for now"
    place = claims.standing(
        f"Rank {rank_words(row)} of {words.number(view.n_ranked, 0)}{now}",
        first=first.claim if first and len(first.ranked) > 1 else None,
        # Of a group of ties only the first is known to be like each of the others.
        untold=first.untold if first else [view.title(model) for model in group[:1] if model != row.model],
        low_marks=low_marks(view, row)[0],
    )
    below = (
        " It is not shown to be above the best of the null models of this board."
        if row.above_null_floor is False
        else ""
    )
    return f"{place}{below}"


def _without_gates(view: BoardView, model: str) -> str:
    scores = {floor.model: floor.overall for floor in view.results.ungated}
    return f" With refusal gates off it would score {words.number(scores[model])}." if model in scores else ""


def ungated_floor(view: BoardView) -> str:
    """What the floor would be with refusal gates off, and whether they make it 0; empty on a board without gates."""
    floor, ungated = view.results.floor, view.results.ungated
    if floor is None or not ungated:
        return ""
    best = ungated[0]
    sentence = f"With refusal gates off the floor would be {floor_words(best)} ({view.title(best.model)})"
    if _is_gated_to_zero(view):
        return f"The floor is 0 by construction: the gates refuse what null models answer. {sentence}."
    return f"{sentence}."


def floor_words(floor: Floor) -> str:
    """The score of a null model with its interval, where it has one."""
    return f"{words.number(floor.overall)} {words.interval(floor.low, floor.high)}".rstrip()


def _is_gated_to_zero(view: BoardView) -> bool:
    """Whether the floor is 0 for nothing but that gates refuse what null models answer."""
    floor, ungated = view.results.floor, view.results.ungated
    return floor is not None and floor.overall == 0 and bool(ungated) and ungated[0].overall > 0


def ranked_contestants(view: BoardView, part: Any = None) -> Sequence[AnyRow]:
    """The rows of the contestants that have a rank, on the board or a part of it, highest first."""
    rows = view.contestants if part is None else [row for row in part.rows if not view.is_null(row.model)]
    return [row for row in rows if row.rank is not None and row.score is not None]


def not_ranked(view: BoardView, row: AnyRow) -> str:
    """Why a contestant has no rank."""
    why = view.lacking(row) or row.absent.get("rank") or row.absent.get("overall")
    return f"{view.title(row.model)} is not ranked: {why or 'no judge gave a mark of every answer'}."


@dataclass(frozen=True)
class Contrast:
    """A score that is told from the board's median: the scale, the score with its interval, and how far they are."""

    name: str
    score: str
    distance: float

    @property
    def words(self) -> str:
        return f"{self.name} {self.score} ({words.signed(self.distance, 1)})"


def contrast(
    name: str,
    score: float | None,
    ends: tuple[float | None, float | None],
    median: float | None,
    scale: tuple[float, float] = (0.0, 100.0),
) -> Contrast | None:
    """Only where the 95 % interval of the score does not hold the median, and the median is at no end of the scale.

    Where it is at an end, whoever has any other score is on the same side of it: that sets nobody apart. ends: of the
    interval.
    """
    low, high = ends
    if score is None or median is None or median in scale or low is None or high is None or low <= median <= high:
        return None
    return Contrast(name, f"{words.number(score)} {words.interval(low, high)}", score - median)


def against_the_median(
    view: BoardView, row: AnyRow, contrasts: Iterable[Contrast | None], what: tuple[str, str]
) -> list[str]:
    """Where a contestant is unlike the board's median, each with its interval.

    Nothing of a null model, nor of one of whom nothing comparative is said. what: one of the scales and several, as in
    `domain`, `domains`; there is one contrast for each.
    """
    if view.is_null(row.model):
        return []
    tried = list(contrasts)
    apart = sorted((one for one in tried if one), key=lambda one: -one.distance)
    return claims.against_the_median(
        [one.words for one in apart[:_SHOWN] if one.distance > 0],
        [one.words for one in apart[::-1][:_SHOWN] if one.distance < 0],
        what=what,
        tried=len(tried),
        low_marks=low_marks(view, row)[0],
    )


def highest_and_lowest(view: BoardView, model: str) -> list[str]:
    """In which domains a contestant has its highest and lowest score; nothing is said of one domain alone.

    Where several have it, how many.
    """
    own = {domain: rows[model] for domain, rows in view.in_domains.items() if model in rows}
    scores = {domain: score for domain, row in own.items() if (score := row.score) is not None}
    if len(scores) < 2:
        return []
    most, least = ([domain for domain in scores if scores[domain] == end(scores.values())] for end in (max, min))
    if most == least:
        return []
    lows = [own[domain].ci_low for domain in most]
    highs = [own[domain].ci_high for domain in least]
    same = ""
    if any(low is not None and high is not None and low <= high for low in lows for high in highs):
        same = "; their intervals overlap" if len(most) == len(least) == 1 else "; some of their intervals overlap"
    first, last = (_in_domains(view, own, domains) for domains in (most, least))
    return [f"Its highest score is in {first}, its lowest in {last}{same}."]


def _in_domains(view: BoardView, own: Mapping[str, AnyRow], domains: Sequence[str]) -> str:
    """Domains where a contestant, of whom `own` are the rows by domain, has one score, with its interval."""
    row = own[domains[0]]
    if len(domains) > 1:
        return f"{words.number(len(domains), 0)} domains ({words.number(row.score)} each)"
    lacking = ", no interval" if row.ci_low is None else ""
    return f"{view.domains[domains[0]].title} ({score_words(row)}{lacking})"


def by_domains(view: BoardView, model: str) -> list[str]:
    """What sets a contestant apart: domains unlike the median, its highest and its lowest."""
    contrasts = [
        contrast(view.domains[domain].title, row.score, (row.ci_low, row.ci_high), view.medians.get(domain))
        for domain, rows in view.in_domains.items()
        if (row := rows.get(model))
    ]
    lines = against_the_median(view, view.rows[model], contrasts, ("domain", "domains")) if model in view.rows else []
    return [*lines, *highest_and_lowest(view, model)]
