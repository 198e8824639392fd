"""Make the home page: a card for each board, with what it shows and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nullbench_site.scoring.board_tables import Separation
from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import IntervalCell, Page, interval_cell, scored_by
from nullbench_site.site.pages.sentences import in_brief, lead, ranked_contestants, trust_word
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.trust import Level

_SHOWN = 3
"""How many contestants a card lists, beside the first language model."""


@dataclass(frozen=True)
class Listed:
    """A contestant on a card. after_gap: whether contestants between it and the one before are left out."""

    row: AnyRow
    model: ModelFile
    interval: IntervalCell | None
    after_gap: bool


@dataclass(frozen=True)
class BoardCard:
    """The card of a board.

    says: its claim. listed: the contestants with the highest scores, and the first language model. n_best: how many
    contestants may be the best; 0 if that cannot be tested. separation: how many pairs differ; None if that was not
    tested. n_models: language models; one under several seeds counts once. n_programs: contestants that are no
    language models, without null models. trust: None if nobody is ranked. date: of the run, or when figures were
    imported.
    """

    view: BoardView
    says: str
    scored_by: str
    listed: Sequence[Listed]
    n_best: int
    separation: Separation | None
    n_models: int
    n_programs: int
    trust: Level | None
    date: str


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
    """Say on how many boards a contestant leads; empty for a single board, whose card says it."""
    n_boards = len(site.views)
    if n_boards == 1:
        return ""
    leads = sum(leader.claim == "leads" for view in site.views if (leader := lead(view)) and len(leader.ranked) > 1)
    if not leads:
        return f"We name no winner on these {n_boards} boards yet."
    return f"We name a winner on {words.of(leads, n_boards)} boards."


def front(site: SiteData) -> BoardView:
    """Return the board to which old addresses of the home page lead: the benchmark's namesake, else the first."""
    views = {view.board.id: view for view in site.views}
    return views.get(site.benchmark.about.id) or views[next(iter(site.boards))]


def _card(view: BoardView, run_date: str) -> BoardCard:
    return BoardCard(
        view=view,
        says=in_brief(view),
        scored_by=scored_by(view),
        listed=list(_listed(view)),
        n_best=len(view.results.best_set),
        separation=view.results.separation,
        n_models=len({model.model or model.id for model in view.language_models}),
        n_programs=view.n_programs,
        trust=trust_word(view),
        date=run_date if view.board.imported is None else view.board.imported.taken,
    )


def _listed(view: BoardView) -> Iterator[Listed]:
    """Yield the first contestants of a board and, if it is not one of them, the first language model."""
    ranked, models = ranked_contestants(view), {model.id for model in view.language_models}
    first_model = next((place for place, row in enumerate(ranked) if row.model in models), 0)
    for place in sorted({*range(_SHOWN), first_model} & {*range(len(ranked))}):
        row = ranked[place]
        interval = interval_cell(row, row.score, view.floor)
        yield Listed(row, view.benchmark.models[row.model], interval, after_gap=place > _SHOWN)
