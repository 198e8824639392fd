"""What stands on the cards of a site, in words that the font can draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from nullbench_site.runs.storage import made_once
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.cards.drawing import REVISION, Card, Frame, Point, Standing, drawable, png
from nullbench_site.site.charts.radar import Scale, Spoke, outline
from nullbench_site.site.claims import briefly
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.models import identity, spokes
from nullbench_site.site.pages.page import interval_cell, rank_words, site_facts, sureness
from nullbench_site.site.pages.sentences import lead, rank_head
from nullbench_site.site.pages.tables import layout_of
from nullbench_site.site.views import AnyRow, BoardView, RadarSpec
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import ModelFile

_NAMED = 5
"""How many contestants stand on the card of a board."""


def card_files(site: SiteData, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> PNG. A card is drawn once and kept by the digest of what stands on it."""
    made_by = f"{REVISION} {version('pillow')}".encode()
    for name, card in cards(site):
        kept = cache / "cards" / f"{sha256(made_by + msgspec.json.encode(card))}.png"
        yield name, made_once(kept, partial(png, card))


def cards(site: SiteData) -> Iterator[tuple[str, Card]]:
    """Path below the site's root -> card: of each board, and of each contestant on the first board that has it."""
    facts = site_facts(site)
    foot = f"run {facts['run']} · {facts['state']} {facts['date']}"
    about = site.benchmark.about
    kicker = _named(about.title, about.id)
    for view in site.views:
        yield paths.board_card(view.board.id), _of_board(view, kicker, foot)
    for model in site.benchmark.models.values():
        own = next((view for view in site.views if model.id in view.rows), None)
        if own is not None:
            yield paths.card(model.id), _of_contestant(own, model, kicker, foot)


def _of_contestant(view: BoardView, model: ModelFile, kicker: str, foot: str) -> Card:
    row, own = view.rows[model.id], spokes(view, model.id)
    return Card(
        kicker=kicker,
        title=_named(model.title, model.id),
        about=" · ".join(part for part in identity(model) if drawable(part)),
        foot=foot,
        score=words.number(row.overall),
        sure=sureness(row),
        what=_what(view),
        rank=f"{_rank(view, row)} on {_named(view.board.title, view.board.id)}",
        strip=interval_cell(row, row.overall, view.floor),
        frame=_frame(own, view.radar_spec),
        profile=_corners([spoke.value for spoke in own], view.radar_spec.scale),
    )


def _of_board(view: BoardView, kicker: str, foot: str) -> Card:
    ranked = [row for row in view.rows.values() if row.rank is not None][:_NAMED]
    return Card(
        kicker=kicker,
        title=_named(view.board.title, view.board.id),
        about=view.board.question if drawable(view.board.question) else "",
        foot=foot,
        what=_claim(view) if ranked else "No contestant has every answer and every verdict yet.",
        ranking=[
            Standing(
                rank=rank_words(row),
                name=_named(view.title(row.model), row.model),
                score=words.number(row.overall),
                sure=sureness(row),
            )
            for row in ranked
        ],
    )


def _claim(view: BoardView) -> str:
    """What may be said of the first, the scores being below it; nothing where the font cannot draw a title in it."""
    leader = lead(view)
    sentence = "" if leader is None else briefly(leader)
    return sentence if drawable(sentence) else ""


def _named(title: str, name: str) -> str:
    """A title, or the id where the font cannot draw the title: better a plain name than boxes."""
    return title if drawable(title) else name


def _rank(view: BoardView, row: AnyRow) -> str:
    if row.rank is None:
        return "not ranked"
    beside = f" {rank_head(view)}" if rank_head(view) else ""
    return f"rank {rank_words(row)} of {words.number(view.n_ranked, 0)}{beside}"


def _what(view: BoardView) -> str:
    floor = "" if view.floor is None else f", null floor {words.number(view.floor)}"
    return f"{METRICS[layout_of(view).overall].title}, 0 to 100{floor}"


def _frame(own: Sequence[Spoke], radar_spec: RadarSpec) -> Frame | None:
    """The same shape as on the page; None where spokes are too few."""
    if not own:
        return None
    scale, goals = radar_spec.scale, radar_spec.goals is not None
    return Frame(
        labels=tuple(spoke.label if drawable(spoke.label) else "" for spoke in own),
        rings=tuple(_corners([ring] * len(own), scale) for ring in scale.rings),
        reference=_corners([spoke.goal if goals else spoke.median for spoke in own], scale),
        dashed=goals,
    )


def _corners(values: Sequence[float | None], scale: Scale) -> tuple[Point, ...]:
    """Rounded as far as a picture shows, so that a card of the same looks is the same card; empty if not whole."""
    return tuple((round(x, 3), round(y, 3)) for x, y in outline(values, scale))
