"""Make the sentences about a board and its contestants from figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal, TypeAlias

from msgspec import UNSET

from nullbench_site.scoring.attacks import begins_honestly
from nullbench_site.scoring.board_tables import Difference, Floor
from nullbench_site.site import claims, reporting_minimum, words
from nullbench_site.site.claims import Lead, Scored, Significance
from nullbench_site.site.differences import Paired
from nullbench_site.site.pages import trust_marks
from nullbench_site.site.pages.page import rank_words, score_words
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.estimate import ERROR
from nullbench_site.stats.measure import Robustness
from nullbench_site.stats.trust import Level

RankHead: TypeAlias = Literal["", "with this panel", "on these items"]
_NAMED = 8
"""How many contestants a sentence names."""


def incomplete(view: BoardView) -> list[str]:
    """Return the sentences on contestants without a rank, and on missing answers and verdicts."""
    pages = pages_of(view.board.protocol)
    ranked = ranked_contestants(view)
    entered = view.benchmark.contestants(view.board)
    on_board = [model for model in entered if model.kind != "null" and model.retired is None]
    sentences = []
    if ranked and len(ranked) < len(on_board):
        count = words.of(len(ranked), len(on_board))
        if reasons := unranked_reasons(view):
            others = "The others have" if len(on_board) - len(ranked) > 1 else "The other has"
            sentences.append(f"{count} contestants are ranked. {others} no rank: {reasons}.")
        else:
            placed = {row.model for row in ranked}
            imported = all(view.is_imported(model) for model in on_board if model.id not in placed)
            what = "The imported data are" if imported else "This run is"
            sentences.append(
                f"{what} not complete: {count} contestants have every answer and every {pages.verdict}; "
                "only they are ranked."
            )
    return [*sentences, *_gaps(view, pages.judged)]


def unranked_reasons(view: BoardView) -> str:
    """Say why complete contestants have no rank; empty if one is incomplete."""
    entered = view.benchmark.contestants(view.board)
    rows = [view.rows.get(model.id) for model in entered if model.kind != "null" and not model.retired]
    unranked = [row for row in rows if row is not None and row.rank is None]
    if None in rows or any(row.awaited for row in unranked):
        return ""
    return "; ".join(sorted({row.absent["rank"] for row in unranked}))


def trust_word(view: BoardView) -> Level | None:
    """Rate the trust in the claim of a board in one word; None if nobody is ranked."""
    return trust_marks.in_one_word(view, list(islice(_ranked(view, None), 2)))


def silence(view: BoardView, part: Any = None) -> str:
    """Say why a board, or a part of it, makes no comparative claim; empty if it can."""
    return "; ".join(silence_reasons(view, part))


def silence_reasons(view: BoardView, part: Any = None) -> list[str]:
    """Return why a board, or a part of it, makes no comparative claim; nothing if it can."""
    ranked = [*islice(_ranked(view, part), 2)]
    reasons = trust_marks.silence_reasons(view, ranked) or [*filter(None, ["" if ranked else unranked_reasons(view)])]
    own = part is not None and view.null_first_of(part.rows) is not None and trust_marks.NULL_FIRST not in reasons
    return [trust_marks.NULL_FIRST, *reasons] if own else reasons


def rank_head(view: BoardView, part: Any = None) -> RankHead:
    """Return the addition to the head of ranks on a board that makes no claim."""
    if not silence(view, part):
        return ""
    return "on these items" if view.panel is None else "with this panel"


def failures(view: BoardView) -> str:
    """Say how many answers and verdicts failed, and how they count."""
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
        how = f"{errored} failed after all attempts and {unparsed} could not be parsed"
        parts.append(f"of {of_verdicts} {how}; they count in no mean")
    elif judged:
        parts.append("every verdict could be parsed")
    if unjudged:
        have = "has" if unjudged == 1 else "have"
        parts.append(f"{words.plural(unjudged, 'answer')} got no verdict and {have} no score (not 0)")
    return f"{'; '.join(parts)}."


def lead(view: BoardView, part: Any = None) -> Lead | None:
    """Return what is known about the first of a board or a part; None if nobody is ranked."""
    ranked = ranked_contestants(view, part)
    if not ranked:
        return None
    first = ranked[0]
    outcome: Significance = "unknown"
    if first.rank_high is not None:
        outcome = "significant" if first.rank_high == 1 else "insignificant"
    best = (view.results if part is None else part).best_set
    robust = view.robustness_of_parts if part is not None else _lead_robustness(view, [row.model for row in ranked])
    silenced = silence(view, part)
    return Lead(
        ranked=[Scored(view.title(row.model), row.score, row.ci_low, row.ci_high) for row in ranked],
        difference=outcome,
        robust=robust,
        silence=silenced,
        lacks=_lacks(view, ranked) if claims.claim(outcome, robust=robust, silence=silenced) == "leads" else "",
        alike=[view.title(model) for model in best if model != first.model],
        unsure=first.absent.get("rank_low", ""),
        where="On these items" if view.panel is None else "With this panel",
        may_be_best=(len(best), len(ranked)),
    )


def _lacks(view: BoardView, rows: Sequence[AnyRow]) -> str:
    """Say what a claim about the first of some contestants lacks: points, or a part of the reporting minimum."""
    small = claims.too_small(rows[0].score - rows[1].score, *_sizes(rows[:2])) if len(rows) > 1 else ""
    # A row of a part has no board's figures, so those of the whole board are looked at.
    missing = reporting_minimum.unreported(view, [view.rows[row.model] for row in rows])
    return "; ".join(filter(None, (small, missing)))


def _sizes(rows: Sequence[AnyRow]) -> Iterator[tuple[float | None, int]]:
    """Yield the score of each contestant on the scale from 0 to 100, None if it has another, and its items."""
    return ((row.score, row.n_items) for row in rows)


def _lead_robustness(view: BoardView, ranked: Sequence[str]) -> Robustness:
    """Return the weakest robustness of the first's differences from the others."""
    first, *rest = ranked
    known = [view.robustness(first, model) for model in rest if model == rest[0] or (first, model) in view.differences]
    return weakest(known)


def weakest(known: Sequence[Robustness]) -> Robustness:
    """Return the weakest of some robustnesses; unknown without any."""
    order: tuple[Robustness, ...] = ("differs", "unknown", "one judge", "holds", "no judge")
    return min(known, key=order.index, default="unknown")


def of_two(view: BoardView, pair: Paired) -> str:
    """Compare two contestants by their difference on the whole board."""
    difference, (first, second) = pair.difference, (pair.difference.a, pair.difference.b)
    if difference.value is None:
        return f"No item has a score of both {view.title(first)} and {view.title(second)}."
    value, low, high = difference.value, difference.low, difference.high
    score_a, score_b = pair.score_a, pair.score_b
    if value < 0:
        first, second, score_a, score_b = second, first, score_b, score_a
    if low is None or high is None or "low" in difference.absent:
        interval = ""
    else:
        interval = words.interval(low, high) if value >= 0 else words.interval(-high, -low)
    why = trust_marks.silence(view, (view.rows[first], view.rows[second]))
    items = "item" if pair.n_items == view.results.n_items else "shared item"
    rows = [view.rows[first], view.rows[second]]
    small = claims.too_small(value, (score_a, pair.n_items), (score_b, pair.n_items))
    lacks = "; ".join(filter(None, (small, reporting_minimum.unreported(view, rows))))
    found = claims.phrases(outcome(difference), robust=view.robustness(first, second), silence=why, lacks=lacks)
    return found.sentence.format(
        a=view.title(first),
        b=view.title(second),
        score_a=words.number(score_a),
        score_b=words.number(score_b),
        by=f"{words.number(abs(value))} {interval}".rstrip(),
        on=f"on {words.plural(pair.n_items, items)}",
        silence=why,
        lacks=lacks,
    )


def outcome(difference: Difference) -> Significance:
    """Return the result of a difference in the simultaneous comparison of all."""
    if difference.value == 0:
        return "same" if difference.se == 0 else "equal"
    if difference.significant is None:
        return "unknown"
    return "significant" if difference.significant else "insignificant"


def against_the_floor(view: BoardView) -> Iterator[str]:
    """Name the contestants that are not above the best null model; nothing where nothing is claimed."""
    ranked = ranked_contestants(view)
    if not ranked or not view.results.floor or silence(view):
        return
    unclear = [row for row in ranked if row.above_null_floor is False]
    near = [view.title(row.model) for row in unclear if row.overall > (view.floor or 0.0)]
    below = [view.title(row.model) for row in unclear if row.overall <= (view.floor or 0.0)]
    if near:
        yield f"{words.listed(near)} {'is' if len(near) == 1 else 'are'} not distinguishable from the best null model."
    if below:
        yield f"{words.listed(below)} {'scores' if len(below) == 1 else 'score'} no higher than the best null model."
    if all(row.above_null_floor for row in ranked):
        yield "Every ranked contestant scores above the best null model."
    if _is_gated_to_zero(view):
        yield ungated_floor(view)
    for says, part in registry_floors(view):
        if compared := [*against_the_floor(part)]:
            yield " ".join([f"The floor with {says}.", *compared])


def registry_floors(view: BoardView) -> Iterator[tuple[str, BoardView]]:
    """Yield what the floor is with attacks as null models, for each audit that asks in the wording of the board.

    It comes with the view of that audit, whose contestants are compared with these null models on its items.
    """
    asked = getattr(view.board, "judge_templates", ())
    audit = view.audit
    for _, part in audit.parts if audit is not None and audit.current else ():
        floor = part.results.floor
        alike = part.board.id == view.board.id and getattr(part.board, "judge_templates", ()) == asked
        if floor is not None and alike:
            nulls = [model for model in part.nulls if not begins_honestly(part.benchmark.models[model])]
            on = f"on {words.of(len(part.items), len(view.items))} items"
            of = f"{words.plural(len(nulls), 'attack')} as null models"
            yield f"{of}, {on}: {floor_words(floor)} ({part.title(floor.model)})", part


def _gaps(view: BoardView, judged: str) -> Iterator[str]:
    """Name the judges with missing verdicts, and the contestants without any."""
    missing = {row.judge: row.missing for row in view.judge_rows if row.missing}
    if missing:
        named = [
            f"{words.isolated(view.benchmark.judges[judge].title)} on {words.plural(n, 'answer')}"
            for judge, n in missing.items()
        ]
        yield f"Verdicts still missing: {words.listed(named)}."
    absent = [claims.named(model) for model in view.benchmark.contestants(view.board) if model.id not in view.rows]
    if absent:
        yield f"Not on the board yet, because no answer is {judged}: {claims.some(absent, _NAMED)}."


def standing(view: BoardView, row: AnyRow) -> str:
    """Say the rank of a contestant and who is not distinguishable from it; empty without a rank."""
    if view.is_null(row.model):
        if view.benchmark.models[row.model].aware:
            what = "source-aware null model: it reads the request but does not do the task"
        else:
            what = "null model: it answers without reading the question"
        return f"A {what}. The best null model's score is the floor.{_without_gates(view, row.model)}"
    if row.rank is None:
        return ""
    why = trust_marks.silence(view, [row]) or silence(view)
    # The highest comes first, so that this takes no look at all of them for each.
    highest = next(each for each in view.rows.values() if each.rank is not None and not view.is_null(each.model))
    first = lead(view) if highest is row and not why else None
    group = view.tied.get(row.tie_group, ()) if row.tie_group is not None else ()
    now = "" if view.benchmark.models[row.model].provisional is None else ", for now"
    of = f"{words.number(view.n_ranked, 0)} {rank_head(view)}".rstrip()
    place = claims.standing(
        f"Rank {rank_words(row)} of {of}{now}",
        first=first.claim if first and len(first.ranked) > 1 else None,
        lacks=first.lacks if first else "",
        # Of a group of ties only the first is known to be like each of the others.
        alike=first.alike if first else [view.title(model) for model in group[:1] if model != row.model],
        silence=why,
    )
    return f"{place}{'' if why else _below_the_floor(view, row)}"


def _below_the_floor(view: BoardView, row: AnyRow) -> str:
    """Say that a contestant is not above the floor, and by which judges; empty if it is or if that is unknown."""
    if row.above_null_floor is not False:
        return ""
    higher = row.overall is not None and row.overall > (view.floor or 0.0)
    said = " It is not distinguishable from the best null model."
    if not higher:
        said = " It scores no higher than the best null model."
    if not (judges := row.below_floor_alone or []):
        return said
    titles = words.listed([words.isolated(view.benchmark.judges[judge].title) for judge in judges])
    return f"{said} With {'each of ' if len(judges) > 1 else ''}{titles} alone, a null model scores as much or more."


def own_family(view: BoardView, model: ModelFile) -> str:
    """Name the judges that may score a contestant of their own family, as in "it ..."; empty if none may."""
    titles = [words.isolated(judge.title) for judge in view.judges_of_family(model)]
    called = "a judge" if len(titles) == 1 else "judges"
    return f"may be scored by {words.listed(titles)}, {called} of its family" if titles else ""


def _without_gates(view: BoardView, model: str) -> str:
    scores = {floor.model: floor.overall for floor in view.results.ungated}
    return f" With refusal gates off it would score {words.number(scores[model])}." if model in scores else ""


def ungated_floor(view: BoardView) -> str:
    """Say what the floor would be without refusal gates; empty on a board without gates."""
    floor, ungated = view.results.floor, view.results.ungated
    if floor is None or not ungated:
        return ""
    best = ungated[0]
    sentence = f"With refusal gates off the floor would be {floor_words(best)} ({view.title(best.model)})"
    if _is_gated_to_zero(view):
        return f"The floor is 0 by construction: the answers of null models count as refused or evaded. {sentence}."
    return f"{sentence}."


def floor_words(floor: Floor) -> str:
    """Return the score of a null model with its interval, if it has one."""
    return words.estimate(floor.overall, floor.low, floor.high)


def _is_gated_to_zero(view: BoardView) -> bool:
    """Return True if the floor is 0 only because gates refuse the answers of null models."""
    floor, ungated = view.results.floor, view.results.ungated
    return floor is not None and floor.overall == 0 and bool(ungated) and ungated[0].overall > 0


def ranked_contestants(view: BoardView, part: Any = None) -> Sequence[AnyRow]:
    """Return the rows of ranked contestants of a board or a part, highest first."""
    return list(_ranked(view, part))


def _ranked(view: BoardView, part: Any) -> Iterator[AnyRow]:
    rows = view.rows.values() if part is None else part.rows
    return (row for row in rows if row.rank is not None and row.score is not None and not view.is_null(row.model))


def not_ranked(view: BoardView, row: AnyRow) -> str:
    """Say why a contestant has no rank."""
    why = view.lacking(row) or row.absent.get("rank") or row.absent.get("overall")
    return f"{view.title(row.model)} is not ranked: {why or 'no judge gave a mark of every answer'}."


def by_domains(view: BoardView, model: str) -> list[str]:
    """Name the domains in which a contestant scores significantly higher or lower than in its others.

    Each is significant after correction over all domains. Nothing on a board that makes no comparative claim.
    """
    own = {domain: rows[model] for domain, rows in view.in_domains.items() if model in rows}
    apart = [(domain, row) for domain, row in own.items() if row.domain_p not in (UNSET, None) and row.domain_p < ERROR]
    if not apart or view.is_null(model) or silence(view) or trust_marks.silence(view, [view.rows[model]]):
        return []
    sides = (("higher", True), ("lower", False))
    parts = [
        f"{side} in {words.listed([f'{view.domain_name(domain)} ({score_words(row)})' for domain, row in found])}"
        for side, above in sides
        if (found := [(domain, row) for domain, row in apart if (row.domain_contrast > 0) is above])
    ]
    return [f"It scores {' and '.join(parts)} than in its other domains together."]
