"""The page of a board: the home page for the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nullbench_site.scoring.results import BoardRow, Group
from nullbench_site.site import paths, words
from nullbench_site.site.charts.chart import Chart
from nullbench_site.site.charts.intervals import ROW_HEIGHT, intervals_data
from nullbench_site.site.gather import BoardView, SiteData
from nullbench_site.site.pages.page import Page, aggregation_words, board_rows, margin, metrics, panel_words, so_far

_NAMED = 8
"""How many contestants a sentence names."""


def pages(site: SiteData) -> Iterator[Page]:
    """A page for each board."""
    for view in site.views:
        others = [other for other in site.views if other is not view]
        yield Page(
            url=paths.board_url(view.board.id, is_first=view.is_first),
            title=view.board.title,
            template="board.md.j2",
            context=_context(view, others),
            description=view.board.description,
        )


def _context(view: BoardView, others: list[BoardView]) -> dict[str, Any]:
    floor = view.results.floor
    contestants = [row for row in view.results.leaderboard if view.benchmark.models[row.model].kind != "null"]
    return {
        "board": view.board,
        "view": view,
        "panel": panel_words(view),
        "aggregation": aggregation_words(view),
        "facts": _facts(view, contestants),
        "rows": board_rows(view),
        "floor": floor and {"score": words.number(floor.overall), "title": view.benchmark.models[floor.model].title},
        "metrics": metrics("rank", "overall", "ci", "quality", "refusal_rate", "median_response_time_ms", "scored"),
        "reading": _reading(view, contestants),
        "failures": _failures(view),
        "chart": _intervals(view),
        "domains": [
            {
                "title": view.benchmark.domains[group.id].title,
                "link": paths.domain_url(view.board.id, group.id),
                "best": ", ".join(_best(view, group)),
            }
            for group in view.results.domains
        ],
        "others": [{"title": o.board.title, "link": paths.board_url(o.board.id, is_first=o.is_first)} for o in others],
    }


def _intervals(view: BoardView) -> Chart:
    floor = view.results.floor
    rows = [
        {
            "title": view.benchmark.models[row.model].title,
            "score": row.overall,
            "low": row.ci_low,
            "high": row.ci_high,
        }
        for row in view.results.leaderboard
        if row.overall is not None and row.ci_low is not None
    ]
    return Chart("intervals", intervals_data(rows, floor.overall if floor else None), ROW_HEIGHT * len(rows))


def _facts(view: BoardView, contestants: list[BoardRow]) -> list[tuple[str, str]]:
    alpha = view.agreement()
    nulls = len(view.results.leaderboard) - len(contestants)
    facts = [
        (str(len(contestants)), "contestants"),
        (str(nulls), "null models"),
        (str(view.n_domains), "domains"),
        (str(view.results.n_items), "items"),
        (str(len(view.judges)), "rule-based judges" if view.rule_based else "judges"),
        (words.number(alpha.alpha, 2), f"agreement α, {alpha.label or alpha.absent}"),
        (words.number(alpha.alpha_scored, 2), f"α on scored answers, {alpha.label_scored or alpha.absent_scored}"),
    ]
    if view.results.floor:
        facts.append((words.number(view.results.floor.overall), "null floor"))
    return facts


def _reading(view: BoardView, contestants: list[BoardRow]) -> list[str]:
    """A few plain sentences made from the figures."""
    title = {model.id: model.title for model in view.benchmark.models.values()}
    ranked = [row for row in contestants if row.rank is not None and row.overall is not None]
    on_board = sum(model.kind != "null" for model in view.benchmark.contestants(view.board))
    said = []
    if not view.results.leaderboard:
        said.append("No answer on this board is judged yet.")
    elif not contestants:
        said.append("Only null models stand on this board, so there is nothing to compare with the floor.")
    elif not ranked:
        said.append("No contestant has every answer and every verdict yet, so there is no ranking.")
    else:
        said.append(_leader(ranked, title))
        if view.results.floor:
            said += _against_the_floor(ranked, title)
        if len(ranked) < on_board:
            count = words.of(len(ranked), on_board)
            said.append(
                f"This run is not complete: {count} contestants have every answer and every verdict; "
                "only they are ranked."
            )
    return [*said, *_gaps(view)]


def _gaps(view: BoardView) -> Iterator[str]:
    """Whose verdicts are missing, and who is not on the board for want of one."""
    missing = {row.judge: row.missing for row in view.results.judges if row.missing}
    if missing:
        named = [f"{view.benchmark.judges[judge].title} on {words.plural(n, 'answer')}" for judge, n in missing.items()]
        yield f"Verdicts still missing: {words.listed(named)}."
    absent = [model.title for model in view.benchmark.contestants(view.board) if model.id not in view.rows]
    if absent:
        few = absent if len(absent) <= _NAMED else [*absent[:_NAMED], f"{len(absent) - _NAMED} more"]
        yield f"Not on the board yet, without a judged answer: {words.listed(few)}."


def _failures(view: BoardView) -> str:
    """How many answers and verdicts failed for good, and what became of them."""
    rows, judges = view.results.leaderboard, view.results.judges
    failed, answers = sum(row.n_errored for row in rows), sum(row.n_responses + row.n_unjudged for row in rows)
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
        said.append(
            f"{words.plural(unjudged, 'answer')} got no verdict at all and {_has(unjudged)} no score, not even 0"
        )
    return f"{'; '.join(said)}."


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _leader(ranked: list[BoardRow], title: Mapping[str, str]) -> str:
    first, *rest = ranked
    lead = (
        f"{title[first.model]} leads with {words.number(first.overall)} {words.plus_minus(margin(first.se))}".rstrip()
    )
    tied = [title[row.model] for row in rest if row.tie_group == first.tie_group]
    if first.tie_group is None:
        lead += ". How sure that order is cannot be said: a standard error needs two source texts in a group"
    elif tied:
        lead += f", but cannot be told apart from {words.listed(tied)}"
    elif rest:
        gap = words.number((first.overall or 0) - (rest[0].overall or 0))
        lead += f", {gap} points above {title[rest[0].model]}; on these items the difference is measurable"
    return f"{lead}."


def _against_the_floor(ranked: list[BoardRow], title: Mapping[str, str]) -> Iterator[str]:
    below = [title[row.model] for row in ranked if row.above_null_floor is False]
    if below:
        verb = "is" if len(below) == 1 else "are"
        yield f"{words.listed(below)} {verb} not above what a null model gets by ignoring the question."
    elif all(row.above_null_floor for row in ranked):
        yield "Every contestant is above what the best null model gets by ignoring the question."


def _best(view: BoardView, group: Group) -> tuple[str, str]:
    """The best score in a domain among the contestants that lack nothing, and whose it is."""
    whole = [row for row in group.rows if row.n_items == group.n_items and not so_far(view, view.rows[row.model])]
    if not whole:
        return words.ABSENT, "no contestant has every answer and verdict yet"
    return f"best {words.number(whole[0].goal_alignment)}", view.benchmark.models[whole[0].model].title
