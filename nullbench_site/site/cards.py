"""Social cards: a picture of each board and each contestant, shown where a link to its page is shared.

Pillow draws with its own font, Aileron, so a card has the same bytes on every machine. The font holds little beyond
ASCII: an id replaces a title that it cannot draw, and other texts are left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import msgspec
from markupsafe import Markup
from PIL import Image, ImageDraw, ImageFont

from nullbench_site.runs.storage import made_once
from nullbench_site.scoring.executors import on_all_cores
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import Picture, Radar
from nullbench_site.site.charts.style import cut, width
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.models import identity, spokes
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.overview import summary
from nullbench_site.site.pages.page import IntervalCell, interval_cell, rank_words, score_words, site_facts, sureness
from nullbench_site.site.pages.sentences import rank_head
from nullbench_site.site.pages.tables import layout_of
from nullbench_site.site.views import BoardView
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import ModelFile
from nullbench_site.text import ELLIPSIS

WIDTH, HEIGHT = 1200, 630
"""In pixels, the size that link previews want."""
REVISION = 5
"""Raised when the same card is drawn differently."""
_INKS = {"ink": "#1b1f24", "muted": "#59636e", "hairline": "#bcc4cc", "accent": "#0b6e99", "interval": "#8fbbcf",
         "fill": "#d8e8ef", "goal": "#9a6b00", "floor": "#b04214"}  # fmt: skip
_LEFT, _RIGHT, _COLUMN = 64, WIDTH - 64, 560
"""The margins, and the width of the texts beside a radar."""
_RADAR, _FINER = (634, 322), 2
"""The left edge and the middle of a radar, and how much larger it is drawn before its edges are smoothed."""
_ZOOM = 1.25
"""Pixels of a card for one unit of a radar's picture."""
_ROWS = 5
"""How many contestants the card of a board lists."""
_MANY = 100
"""From how many contestants on cards are drawn on all cores."""
_LINES = 6
"""How many lines the sentence on a card without a ranking may take."""
_LONGEST = 300
"""Texts are cut to this length before they are measured."""
_FLAT = str.maketrans({"–": "-", "—": "-", "\N{MINUS SIGN}": "-", "\N{NO-BREAK SPACE}": " ",
                       "\N{NARROW NO-BREAK SPACE}": " ", "’": "'"})  # fmt: skip


@dataclass(frozen=True)
class Card:
    """The texts of a card. A contestant's has a score and a radar; a board's has a claim and the top of its ranking.

    ranking: rank, name, score and interval of each row.
    """

    kicker: str
    title: str
    about: str
    foot: str
    score: str = ""
    interval: str = ""
    unit: str = ""
    rank: str = ""
    strip: IntervalCell | None = None
    radar: Radar | None = None
    claim: str = ""
    ranking: Sequence[tuple[str, str, str, str]] = ()


def card_files(site: SiteData, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and PNG of each card, which is drawn once and cached by its content."""
    made_by = f"{REVISION} {version('pillow')}".encode()
    with on_all_cores(partial(_file, cache / "cards", made_by), alone=len(site.benchmark.models) < _MANY) as each:
        yield from each(cards(site))


def _file(folder: Path, made_by: bytes, named: tuple[str, Card]) -> tuple[str, bytes]:
    name, card = named
    return name, made_once(folder / f"{sha256(made_by + msgspec.json.encode(card))}.png", partial(png, card))


def cards(site: SiteData) -> Iterator[tuple[str, Card]]:
    """Yield path and card of the home page, of each board, and of each contestant on the first board that has it."""
    facts, about = site_facts(site), site.benchmark.about
    blank = Card(_named(about.title, about.id), "", "", f"run {facts['run']} · {facts['state']} {facts['date']}")
    yield paths.HOME_CARD, _of_home(site, blank)
    for view in site.views:
        yield paths.board_card(view.board.id), _of_board(view, blank)
    for model in site.benchmark.models.values():
        own = next((view for view in site.views if model.id in view.rows), None)
        if own is not None:
            yield paths.card(model.id), _of_contestant(own, model, blank)


def _of_home(site: SiteData, blank: Card) -> Card:
    rows = [
        ("", _named(view.board.title, view.board.id), f"{len(best)} of {view.n_ranked}", "may be best")
        for view in site.views
        if (best := view.results.best_set)
    ]
    return replace(
        blank,
        kicker="",
        title=blank.kicker,
        about=_drawn(site.benchmark.about.description),
        claim=summary(site),
        ranking=rows[:_ROWS],
    )


def _of_board(view: BoardView, blank: Card) -> Card:
    ranked = [row for row in view.rows.values() if row.rank is not None and view.board.about == "models"][:_ROWS]
    return replace(
        blank,
        title=_named(view.board.title, view.board.id),
        about=_drawn(view.board.question),
        claim=_drawn(opening(view).short),
        ranking=[
            (rank_words(row), _named(view.title(row.model), row.model), words.number(row.overall), sureness(row))
            for row in ranked
        ],
    )


def _of_contestant(view: BoardView, model: ModelFile, blank: Card) -> Card:
    row, radar_spec = view.rows[model.id], view.radar_spec
    floor = "" if view.floor is None else f", null floor {words.number(view.floor)}"
    rank = "not ranked" if row.rank is None else f"rank {rank_words(row)} of {words.number(view.n_ranked, 0)}"
    beside = rank_head(view) if row.rank is not None else ""
    drawn = [
        replace(spoke, label=_drawn(spoke.label), **({"median": None} if radar_spec.goals else {}))
        for spoke in spokes(view, model.id)
    ]
    return replace(
        blank,
        title=_named(model.title, model.id),
        about=" · ".join(filter(None, map(_drawn, identity(model)))),
        score=words.number(row.overall),
        interval=sureness(row),
        unit=f"{METRICS[layout_of(view).overall].title}, 0 to 100{floor}",
        rank=f"{rank} {beside}".rstrip() + f" on {_named(view.board.title, view.board.id)}",
        strip=interval_cell(row, row.overall, view.floor),
        radar=Radar("", drawn, radar_spec.scale) if drawn else None,
    )


def drawable(text: str) -> bool:
    """Return True if the font has every character of `text`."""
    return all(map(_has, text.translate(_FLAT)))


def _drawn(text: str) -> str:
    return text if drawable(text) else ""


def _named(title: str, name: str) -> str:
    return title if drawable(title) else name


@cache
def _has(character: str) -> bool:
    missing = "\uffff"
    return character == " " or bytes(_font(20).getmask(character)) != bytes(_font(20).getmask(missing))


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def png(card: Card) -> bytes:
    """Draw a card."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw, wide = ImageDraw.Draw(image), _RIGHT - _LEFT
    room, lines = _COLUMN if card.radar else wide, _lines(card.claim, wide, 2 if card.ranking else _LINES)
    _write(draw, (_LEFT, 84), card.kicker, (26,), "muted", room=wide)
    _write(draw, (_LEFT, 162), card.title, (64, 54, 44, 34, 25), "ink", room=room)
    _write(draw, (_LEFT, 210), card.about, (25, 22), "muted", room=room)
    _write(draw, (_LEFT, HEIGHT - 42), card.foot, (21,), "muted", room=wide)
    if card.score:
        end = _LEFT + 18 + _write(draw, (_LEFT, 388), card.score, (112, 64, 44), "ink", room=room)
        _write(draw, (end, 388), card.interval, (44, 32), "muted", room=_LEFT + room - end)
        _write(draw, (_LEFT, 434), card.unit, (25, 22), "muted", room=room)
        _write(draw, (_LEFT, 524), card.rank, (30, 25), "ink", room=room)
    else:
        for place, line in enumerate(lines):
            _write(draw, (_LEFT, 254 + 29 * place), line, (22,) if lines[1:] else (25, 22), "ink", room=wide)
    for place, (rank, name, score, interval) in enumerate(card.ranking):
        y = (332 + 51 * place) if lines[1:] else (310 + 55 * place)
        _write(draw, (_LEFT, y), rank, (28, 22), "muted", room=90)
        _write(draw, (_LEFT + 104, y), name, (32, 28), "ink", room=660)
        _write(draw, (_RIGHT - 190, y), score, (32, 18), "ink", room=180, anchor="rs")
        _write(draw, (_RIGHT, y), interval, (26, 18), "muted", room=180, anchor="rs")
        draw.line([(_LEFT, y + 17), (_RIGHT, y + 17)], _INKS["hairline"])
    if card.strip:
        _strip(draw, card.strip)
    if card.radar:
        _radar(image, card.radar.picture)
    file = io.BytesIO()
    image.quantize(palette=_palette(), dither=Image.Dither.NONE).save(file, "PNG", compress_level=2)
    return file.getvalue()


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    sizes: Sequence[int],
    ink: str,
    *,
    room: float,
    anchor: str = "ls",
) -> float:
    """Write `text` in the largest of `sizes` that fits, or cut it if none does. Return its width."""
    text = text.translate(_FLAT)[:_LONGEST]
    for font in map(_font, sizes):
        width = font.getlength(text)
        if width <= room:
            break
    while width > room and text:
        text = text[:-2].rstrip() + ELLIPSIS if len(text) > 1 else ""
        width = font.getlength(text)
    draw.text(at, text, _INKS[ink], font, anchor)
    return width


def _lines(text: str, room: float, most: int) -> list[str]:
    """Return a text in as few lines as it fits in, in the smaller size; the last of `most` lines has the rest."""
    font, lines, rest = _font(22), list[str](), text.split()
    while rest:
        fits = (n for n in range(len(rest), 1, -1) if font.getlength(" ".join(rest[:n]).translate(_FLAT)) <= room)
        n = len(rest) if len(lines) == most - 1 else next(fits, 1)
        lines.append(" ".join(rest[:n]))
        rest = rest[n:]
    return lines


def _strip(draw: ImageDraw.ImageDraw, strip: IntervalCell) -> None:
    """Draw the interval on the scale from 0 to 100, with the null floor, as in the tables of the site."""
    y, unit = 469, _COLUMN / 100
    low, high, at = (_LEFT + value * unit for value in (strip.low, strip.high, strip.at))
    draw.line([(_LEFT, y), (_LEFT + _COLUMN, y)], _INKS["hairline"], 2)
    if strip.floor is not None:
        x = _LEFT + strip.floor * unit
        draw.line([(x, y - 15), (x, y + 15)], _INKS["floor"], 2)
    draw.rectangle([low, y - 5, high, y + 5], _INKS["interval"])
    draw.ellipse([at - 7, y - 7, at + 7, y + 7], _INKS["accent"])


def _radar(image: Image.Image, picture: Picture) -> None:
    """Draw the radar of the contestant's page: the rings, the goal or the median, and the profile."""
    left, top = _RADAR[0], round(_RADAR[1] - _ZOOM * picture.middle[1])
    fine = Image.new("RGB", [round(_ZOOM * side) * _FINER for side in (picture.width, picture.height)], "white")
    draw = ImageDraw.Draw(fine)

    def outline(points: str, ink: str, width: int) -> None:
        corners = _corners(points)
        draw.line([*corners, *corners[:2]], _INKS[ink], width * _FINER, "curve")

    if "profile" in picture.outlines:
        draw.polygon(_corners(picture.outlines["profile"]), _INKS["fill"])
    for ring in picture.rings:
        outline(ring, "hairline", 1)
    for series, ink, thickness in (("median", "muted", 2), ("goal", "goal", 2), ("profile", "accent", 3)):
        if series in picture.outlines:
            outline(picture.outlines[series], ink, thickness)
    image.paste(fine.reduce(_FINER), (left, top))
    draw = ImageDraw.Draw(image)
    for label in picture.labels:
        anchor = {"left": "ls", "right": "rs", "center": "ms"}[label.side]
        place = left + _ZOOM * label.x, top + _ZOOM * label.y
        _write(draw, place, label.text, (18,), "ink" if label.what == "score" else "muted", room=WIDTH, anchor=anchor)


def _corners(points: str) -> list[tuple[float, float]]:
    """Return the corners of a polygon of the picture, in pixels of the larger drawing."""
    places = (point.split(",") for point in points.split())
    return [(_ZOOM * _FINER * float(x), _ZOOM * _FINER * float(y)) for x, y in places]


@cache
def _palette() -> Image.Image:
    """Return an image with the palette of all cards: shades from white to each ink. It makes a PNG a third as large."""
    inks = [bytes.fromhex(ink[1:]) for ink in _INKS.values()]
    shades = [[255 + (part - 255) * level // 24 for part in ink] for ink in inks for level in range(1, 25)]
    shades = [shade for shade in shades if min(shade) < 236]  # Pillow would take one that is nearly white for white
    image = Image.new("P", (1, 1))
    image.putpalette([255, 255, 255, *chain(*shades)])
    return image


# Badges for a README: a board, or the score of a contestant on it.


_BADGE = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" width="{both}" height="20" role="img" aria-label="{left}: {right}">'
    '<rect width="{both}" height="20" rx="3" fill="#0b6e99"/><rect width="{edge}" height="20" rx="3" fill="#1b1f24"/>'
    '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
    '<text x="{middle}" y="14">{left}</text><text x="{other}" y="14">{right}</text></g></svg>\n'
)
_FONT, _PADDING, _ROOM = 11, 12, 30


def badge(name: str, said: str) -> bytes:
    """Return an SVG with a name on the left and a text about it on the right, each cut to 30 em."""
    left, right = cut(name, _ROOM), cut(said, _ROOM)
    edge, rest = (round(_FONT * width(text)) + _PADDING for text in (left, right))
    places = {"both": edge + rest, "edge": edge, "middle": edge / 2, "other": edge + rest / 2}
    return _BADGE.format(left=left, right=right, **places).encode()


def badge_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content: a badge for each board and for each of its rows."""
    for view in site.views:
        of, counted = (
            view.board,
            f"{words.plural(len(view.contestants), 'contestant')}, {words.plural(view.results.n_items, 'item')}",
        )
        yield f"{ROOT}/boards/{of.id}.svg", badge(of.title, counted)
        for row in view.rows.values():
            yield (
                f"{ROOT}/boards/{of.id}/badges/{row.model}.svg",
                badge(f"{view.title(row.model)} on {of.title}", score_words(row)),
            )
