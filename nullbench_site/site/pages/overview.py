"""Make the home page: a card for each board, with what it shows and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import Page, interval_cell, scored_by
from nullbench_site.site.pages.sentences import lead, ranked_contestants, trust_word
from nullbench_site.site.views import BoardView

_SHOWN = 3
"""How many contestants a card lists, beside the first language model."""


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the home page."""
    about = site.benchmark.about
    cards = [_card(view, site.entry.manifest.date) for view in site.views]
    yield Page(
        url=paths.HOME,
        title=about.title,
        template="home.md.j2",
        context={"says": summary(site), "cards": cards, "front": front(site).url},
        description=about.description,
        card=paths.HOME_CARD,
    )


def summary(site: SiteData) -> str:
    """Say on how many boards about models one leads; empty for a single board, whose card says it."""
    views = [view for view in site.views if view.board.about == "models"]
    if len(site.views) == 1 or not views:
        return ""
    leads = sum(leader.claim == "leads" for view in views if (leader := lead(view)) and len(leader.ranked) > 1)
    judges = len(site.views) - len(views)
    more = f" {words.plural(judges, 'other board')} {'is' if judges == 1 else 'are'} about judges." if judges else ""
    if not leads:
        these = "this board" if len(views) == 1 else f"these {len(views)} boards"
        return f"We name no winner on {these} yet.{more}"
    return f"We name a winner on {words.of(leads, len(views))} boards.{more}"


def front(site: SiteData) -> BoardView:
    """Return the board to which old addresses of the home page lead: the benchmark's namesake, else the first."""
    views = {view.board.id: view for view in site.views}
    return views.get(site.benchmark.about.id) or views[next(iter(site.boards))]


def _card(view: BoardView, run_date: str) -> Mapping[str, Any]:
    """Return the card of a board.

    says: its claim. listed: the contestants with the highest scores, and the first language model. n_models: language
    models; one under several seeds counts once. trust: None if nobody is ranked. date: of the run, or when figures were
    imported.
    """
    return {
        "view": view,
        "says": opening(view).short,
        "scored_by": scored_by(view),
        "listed": list(_listed(view)),
        "n_models": len({model.model or model.id for model in view.language_models}),
        "trust": trust_word(view),
        "date": run_date if view.board.imported is None else view.board.imported.taken,
    }


def _listed(view: BoardView) -> Iterator[Mapping[str, Any]]:
    """Yield the first contestants of a board and, if it is not one of them, the first language model.

    after_gap: True if contestants between it and the one before are left out.
    """
    ranked, models = ranked_contestants(view), {model.id for model in view.language_models}
    first_model = next((place for place, row in enumerate(ranked) if row.model in models), 0)
    for place in sorted({*range(_SHOWN), first_model} & {*range(len(ranked))}):
        row = ranked[place]
        yield {
            "row": row,
            "model": view.benchmark.models[row.model],
            "interval": interval_cell(row, row.score, view.floor),
            "after_gap": place > _SHOWN,
        }
