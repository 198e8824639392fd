"""Make the page of a board: its table, and how solid its order is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from msgspec import UNSET

from nullbench_site.scoring.board_tables import Analysis, Difference, Separation, VariantRow
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.site import claims, paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.joint_words import joint_words
from nullbench_site.site.pages.charts import board_charts
from nullbench_site.site.pages.construct import construct_facts
from nullbench_site.site.pages.groups import by_category, by_difficulty, domain_cards
from nullbench_site.site.pages.missing_scores import missing_scores
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import Page, rank_words, score_words, section
from nullbench_site.site.pages.panel_words import PANEL_METRICS
from nullbench_site.site.pages.sentences import (
    against_the_floor,
    failures,
    incomplete,
    rank_head,
    ranked_contestants,
    silence,
    trust_word,
    ungated_floor,
)
from nullbench_site.site.pages.tables import Part, board_table, group_floor, parts
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.trust import controls
from nullbench_site.site.trust.attacks import judge_lines
from nullbench_site.site.trust.screening import shown_screening
from nullbench_site.site.views import AnyRow, BoardView, known
from nullbench_site.site.wording import cost, first_wording_only
from nullbench_site.stats.trust import agreement_level

_PAIRS = 12
"""How many pairs of neighbours the page of a board shows."""
_ITEMS = 3
"""How many items a pair names."""


def pages(site: SiteData) -> Iterator[Page]:
    """Yield a page for each board."""
    for view in site.views:
        own = pages_of(view.board.protocol)
        part = {**own.board(view), **own.from_records(site.entry.path, view)}
        context = {"template": "board.md.j2", **_shared(site, view, part), **part}
        yield Page(
            url=view.url,
            title=f"{view.name}: {view.board.question}",
            template=context["template"],
            context=section(view, context),
            description=view.board.description,
            card=paths.board_card(view.board.id),
        )
        if (shown := context["what_if"]) and shown["link"]:
            yield Page(
                url=shown["link"],
                title=f"{view.name}: what if?",
                template="what_if.md.j2",
                context=section(view, {"what_if": shown}),
                description=f"{view.name} under other choices of judges, wordings and items, one at a time.",
            )


def _shared(site: SiteData, view: BoardView, part: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of a board of any protocol shows."""
    several = {"domain": len(view.in_domains) > 1, "difficulty": len(view.in_difficulties) > 1}
    return {
        "facts": facts(view, part.get("further_facts", ())),
        "answer": opening(view).long,
        "trust": trust_word(view),
        "missing": incomplete(view),
        "missing_scores": missing_scores(view),
        "reading": [*against_the_floor(view), *part.get("further_reading", ()), *_unseen(view)],
        "table": board_table(view),
        "joint": joint_words(
            known(view.results.joint_checks), view.results.separation, n_looks=len(view.board.looks or ())
        ),
        "cards": domain_cards(view),
        "by_category": by_category(view, *view.domains) if len(view.domains) == 1 else None,
        "by_difficulty": by_difficulty(view),
        "differences": differences(view),
        "what_if": what_if(view),
        "resampled": resampled(view),
        "map": answer_map(view),
        "variants": best_of_variants(view),
        "ungated_floor": ungated_floor(view),
        "failures": failures(view),
        "wordings": cost(view),
        "first_only": first_wording_only(view),
        "parts": [(f"{each.kind}:{each.id}", each.title) for each in parts(view) if several[each.kind]],
        "charts": board_charts(site, view),
        "published": published_table(view),
        "construct": construct_facts(view),
        "screening": shown_screening(view),
        "cheating": judge_lines(view),
    }


_CELLS = 5_000
"""The most cells of a map that is drawn without being asked for."""


def answer_map(view: BoardView) -> dict[str, Any] | None:
    """Return what the map of contestants and items needs; None without two of either."""
    n_items = view.results.n_items
    if min(len(view.rows), n_items) < 2:
        return None
    cells = len(view.rows) * n_items
    opens = (
        "the source of its item, or what is known of it"
        if pages_of(view.board.protocol).not_asked
        else "the answer and its marks"
    )
    return {"cells": cells, "asks": cells > _CELLS, "opens": opens, "evidence": paths.evidence_url(view.board.id)}


def _unseen(view: BoardView) -> list[str]:
    """Return the sentence on planted damage, if there are scores or controls."""
    sentence = controls.blind_spots(view)
    if sentence in opening(view).sentences:
        return []
    return [sentence] if sentence and (view.n_ranked or controls.rows_of(view)) else []


Fact: TypeAlias = tuple[str, str]
"""A value, and what it is of."""


def facts(view: BoardView, further: Sequence[Fact] = ()) -> list[Fact]:
    """Return the figures above a board's table: the size of its evidence. further: those of its protocol."""
    made = [
        _entrants(view, view.rows),
        _counted(len(view.domains), "domain"),
        _counted(view.results.n_items, "item"),
        *further,
    ]
    if view.results.same_end is not UNSET:
        end = "where all contestants score 0, or all 100"
        made.append((words.percent(view.results.same_end), f"of items {end}"))
    if view.panel is not None:
        made += [(str(len(view.judges)), view.judges_called), _agreement(view)]
    if view.floor is not None:
        made.append((words.number(view.floor), "null floor"))
    if view.results.ceiling is not UNSET:
        made.append((words.number(view.results.ceiling.overall), "ceiling (the reference answers)"))
    return made


def facts_of_part(view: BoardView, part: Part) -> list[Fact]:
    """Return the figures for a part of a board, without those that only the whole board has."""
    floor = group_floor(view, part.group.rows)
    made = [_entrants(view, [row.model for row in part.group.rows]), _counted(part.group.n_items, "item")]
    if view.panel is not None:
        made.append((str(len(view.judges)), view.judges_called))
    return made if floor is None else [*made, (words.number(floor), "null floor")]


def _entrants(view: BoardView, models: Collection[str]) -> Fact:
    nulls = sum(view.is_null(model) for model in models)
    n, noun = _counted(len(models) - nulls, "contestant")
    return n, f"{noun} and {words.plural(nulls, 'null model')}" if nulls else noun


def _counted(n: int, noun: str) -> Fact:
    return str(n), noun if n == 1 else f"{noun}s"


def _agreement(view: BoardView) -> Fact:
    alpha = view.agreement()
    on_all = "" if alpha.alpha is None else f"; {words.number(alpha.alpha, 2)} on all answers"
    level = agreement_level(alpha.alpha_scored)
    if level is None:
        return words.ABSENT, f"agreement of the judges (α): {alpha.absent_scored}{on_all}"
    chance = ", no more than by chance" if (alpha.alpha_scored or 0.0) <= 0.0 else ""
    of = f"{level} agreement of the judges on scored answers{chance}{on_all}"
    return f"α {words.number(alpha.alpha_scored, 2)}", of


# What the order depends on.


def differences(view: BoardView) -> dict[str, Any]:
    """Return the part of the page about neighbours in the order of the board, the best null model among them."""
    shown = {row.model for row in ranked_contestants(view)}
    if shown and view.results.floor:
        shown.add(view.results.floor.model)
    in_order = [model for model in view.rows if model in shown]
    pairs = [pair for a, b in pairwise(in_order) if (pair := view.differences.get((a, b))) is not None]
    return {
        "detectable": detectable_words(view),
        "silent": bool(silence(view)),
        "lead": lead_words(view),
        "lead_items": view.results.lead.items if view.results.lead else (),
        "separation": separation_words(view.results.separation),
        "pairs": pairs[:_PAIRS],
        "same_order": {(pair.a, pair.b): held for pair in pairs if (held := same_order(view, pair.a, pair.b))},
        "n_pairs": len(pairs),
        "n_items": _ITEMS,
        "panel": PANEL_METRICS.get(view.results.panel_kind),
    }


def detectable_words(view: BoardView) -> str:
    """Return a sentence on the smallest detectable difference; empty for runs of earlier versions."""
    found = view.results.detectable
    if found is None:
        return ""
    if found.median is None:
        why = found.absent if view.n_ranked > 1 else "fewer than two contestants are ranked"
        return f"The smallest difference that this board can detect is not measured: {why}."
    most = SCALE[1]
    points = ((each or 0.0) for each in (found.low, found.median, found.high))
    low, median, high = (f"more than {most:.0f}" if each > most else words.number(each) for each in points)
    between = f", from {low} to {high} by pair of neighbours" if low != high else ""
    return (
        f"The smallest difference that this board can detect is {median} points{between}. If two scores truly differ "
        "by that much, 80 of 100 runs with items like these find it."
    )


def lead_words(view: BoardView) -> str:
    """Return a sentence on how few items decide who is listed first; empty for runs of earlier versions."""
    fragility = view.results.lead
    if fragility is None:
        return ""
    leader = view.title(fragility.leader)
    if fragility.other is None and fragility.beyond >= len(view.items):
        return "The same contestant is listed first whichever items are removed."
    if fragility.other is None:
        return f"The same contestant is listed first if any {words.plural(fragility.beyond, 'item')} are removed."
    other, how = view.title(fragility.other), "as high as" if fragility.lead == 0 else "higher than"
    if not fragility.items:
        return f"{other} scores at least as high as {leader} on all items."
    items = "one item is" if len(fragility.items) == 1 else f"{len(fragility.items)} items are"
    return f"If {items} removed, {other} scores {how} {leader}:"


def separation_words(found: Separation | None) -> str:
    """Return a sentence on how many pairs differ, tested one at a time and together; empty if not tested."""
    if found is None:
        return ""
    if found.pairs == 1:
        return f"The two ranked contestants are {'' if found.together else 'not '}told apart, tested at 5 %."
    one, all_ = (
        f"{words.of(pairs, found.pairs)} pairs and {words.of(neighbours, found.neighbours)} neighbours"
        for pairs, neighbours in ((found.alone, found.neighbours_alone), (found.together, found.neighbours_together))
    )
    return (
        f"Tested one at a time at 5 %, {one} of ranked contestants are told apart. Tested together at 5 %, {all_} are."
    )


_ROBUST = {"holds": "yes", "differs": "no", "one judge": "not assessed: one judge", "no judge": "no judge scores"}


def robust_words(pair: Difference) -> str:
    """Say if a difference is robust to the panel, and under how many judges, each alone, it has its sign."""
    said = _ROBUST.get(pair.robustness) or f"not assessed: {pair.absent.get('panel_low', words.ABSENT)}"
    if not pair.value or pair.judges_alone is None or pair.judges is None or pair.judges < 2:
        return said
    return f"{said}; same sign under {words.of(pair.judges_alone, pair.judges)} judges alone"


# The best of several models of one family, and its score without the luck of the choice.


def best_of_variants(view: BoardView) -> dict[str, Any]:
    """Return the part of the page about families of which several models are ranked; no rows if there is none."""
    return {"rows": [(row, family, _others(view, row)) for row, family in variants(view)]}


def variants(view: BoardView, best: str = "") -> list[tuple[VariantRow, str]]:
    """Return the families of which several models are ranked, with their names. best: only those with this best."""
    rows = [] if silence(view) else known(view.results.variants)
    return [(row, _family(view, row)) for row in rows if row.best in view.rows and best in ("", row.best)]


def _family(view: BoardView, row: VariantRow) -> str:
    """Return the vendor that all variants have, else the id of the family."""
    models = view.benchmark.models
    vendors = {models[model].vendor for model in row.variants if model in models}
    (vendor,) = vendors if len(vendors) == 1 else (None,)
    return vendor or row.family


def _others(view: BoardView, row: VariantRow) -> str:
    models = view.benchmark.models
    return claims.some([view.title(model) for model in row.variants if model != row.best and model in models])


def published_table(view: BoardView) -> Mapping[str, Any] | None:
    """Return the table of published figures, in the order of the board; None if its source has none.

    rows: contestants, each with the published figure, ours and their difference for each column. most: the title of
    each column with its largest difference, in either direction.
    """
    published = view.board.published
    models = [model for model in view.rows if any(model in figures for figures in published.values())]
    if not models:
        return None
    columns = [METRICS[column].title if column in METRICS else "Overall score" for column in published]
    rows = [
        (model, [_beside(figures.get(model), getattr(view.rows[model], name)) for name, figures in published.items()])
        for model in models
    ]
    apart = [[abs(cells[place][2] or 0.0) for _, cells in rows] for place in range(len(columns))]
    most = [(title, max(of_column)) for title, of_column in zip(columns, apart, strict=True)]
    return {"columns": columns, "rows": rows, "most": most}


def _beside(published: float | None, ours: float | None) -> tuple[float | None, float | None, float | None]:
    return published, ours, None if published is None or ours is None else ours - published


# A board under other choices of judges, wordings and items, and how often ranks come up in resampling.


_ROWS = 200
"""The most contestants whose table is on the page of the board; that of more has its own page."""
_NAMED = 3
"""How many contestants the sentence on a choice names."""


@dataclass(frozen=True)
class Choice:
    """The board under another choice: its name in links, its title, the row of each contestant, and a sentence."""

    name: str
    title: str
    rows: Mapping[str, AnyRow] = field(repr=False)
    says: str


def what_if(view: BoardView) -> dict[str, Any] | None:
    """Return the table of contestants by choice; None if the results have no other choice."""
    found = known(view.results.analyses)
    if not found:
        return None
    choices = [_choice(view, analysis) for analysis in found]
    shown = [row for row in view.rows.values() if row.score is not None and any(row.model in of.rows for of in choices)]
    return {
        "link": paths.what_if_url(view.board.id) if len(shown) > _ROWS else "",
        "choices": choices,
        "rank_head": rank_head(view),
        "nulls": any(view.is_null(row.model) for row in shown),
        "rows": [
            (row.model, [_cell(row, row.score), *(_cell(of.rows.get(row.model)) for of in choices)]) for row in shown
        ],
        "caption": f"Scores on {view.board.title} under other choices",
        "domains": [view.domains[group.id].title for group in view.results.domains],
    }


def _choice(view: BoardView, analysis: Analysis) -> Choice:
    judges = view.benchmark.judges
    judge = words.isolated(judges[analysis.of].title) if analysis.of in judges else analysis.of
    title = {
        "judge alone": f"{judge} alone",
        "without judge": f"without {judge}",
        "wording alone": f"wording {analysis.of} alone",
        "length controlled": "with length control",
        "items before": f"items before {analysis.of}",
        "items from": f"items from {analysis.of} on",
    }[analysis.choice]
    rows = {row.model: row for row in analysis.rows if row.model in view.rows}
    named = [f"{view.title(model)} scores {score_words(_scored(row))}" for model, row in [*rows.items()][:_NAMED]]
    order = [row.model for row in view.rows.values() if row.rank is not None and row.model in rows]
    pairs = [rows[a].overall > rows[b].overall for a, b in pairwise(order)]
    kept = f"{words.of(sum(pairs), len(pairs))} pairs of neighbours keep their order"
    if len(pairs) == 1:
        kept = f"the two ranked contestants {'keep' if pairs[0] else 'do not keep'} their order"
    said = f"{title[0].upper()}{title[1:]}, on {words.plural(analysis.n_items, 'item')}: {words.listed(named)}; {kept}."
    return Choice(f"{analysis.choice} {analysis.of}".strip().replace(" ", "-"), title, rows, said)


@dataclass(frozen=True)
class _Score:
    score: float
    ci_low: float | None
    ci_high: float | None


def _scored(row: AnyRow) -> _Score:
    return _Score(row.overall, row.ci_low, row.ci_high)


def _cell(row: AnyRow | None, score: float | None = None) -> dict[str, str] | None:
    """Return a contestant under a choice, in words and as numbers; None if that choice leaves it out."""
    if row is None:
        return None
    score = row.overall if score is None else score
    rank = "" if row.rank is None else f"rank {rank_words(row)}"
    numbers = ",".join("" if value is None else f"{value:.12g}" for value in (score, row.ci_low, row.ci_high))
    interval = words.interval(row.ci_low, row.ci_high)
    return {"score": words.number(score), "interval": interval, "rank": rank, "numbers": numbers}


def same_order(view: BoardView, a: str, b: str) -> str:
    """Say in how many analyses `a` scores more than `b`, as on the board; empty without an analysis of both."""
    both = [{row.model: row.overall for row in of.rows} for of in known(view.results.analyses)]
    held = [scores[a] > scores[b] for scores in both if a in scores and b in scores]
    return words.of(sum(held), len(held)) if held else ""


def resampled(view: BoardView) -> dict[str, Any] | None:
    """Return how often contestants have each rank in resampling; None if not computed."""
    found = view.results.resampled
    if found is UNSET:
        return None
    rows = [(model, shares) for model, shares in zip(found.models, found.shares, strict=True) if model in view.rows]
    return {
        "rows": rows,
        "ranks": range(1, len(found.shares[0]) + 1),
        "draws": found.draws,
        "caption": f"How often each rank comes up on {view.board.title}",
        "rest": view.n_ranked - len(rows),
    }
