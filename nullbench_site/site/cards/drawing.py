"""A card as a PNG: the same bytes for the same card, in a few milliseconds.

Pillow draws with its own Aileron, so a card looks the same on every machine. The font holds little beyond ASCII: texts
reach this module in characters it has (`drawable` says which those are).
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from PIL import Image, ImageChops, ImageDraw, ImageFont

from nullbench_site.site.pages.page import IntervalCell
from nullbench_site.text import fitted

WIDTH, HEIGHT = 1200, 630
"""In pixels, as link previews want them."""
REVISION = 2
"""Raised when the same card would be drawn differently."""

INKS = {"ink": (27, 31, 36), "muted": (89, 99, 110), "hairline": (188, 196, 204), "accent": (11, 110, 153),
        "gold": (154, 107, 0)}  # fmt: skip
_LEVELS = 50
"""Shades of an ink between white and itself; the palette holds 255 and white."""
_FINER = 2
"""How much larger a polygon is drawn before it is reduced to smooth edges."""
_COMPRESSION = {"compress_level": 2, "compress_type": 1}
"""Of the PNG, as zlib has it: more takes twice as long and saves a fifth."""
_MARGIN = 64
_COLUMN = 560
"""Width of the texts beside a radar."""
_RADIUS = 150
_CENTRE = (922, 322)
_LABEL, _LINE = 20, 24
"""Size of the names of spokes, and from one line of them to the next."""
_EDGE = WIDTH - 14
"""How far to the right they reach."""
_MOST_LABELS = 9
"""Of a radar; more would run into each other."""
_FILL = 34
"""How strong the inside of a profile is, of 255."""
_FLAT = str.maketrans({"–": "-", "—": "-", "\N{MINUS SIGN}": "-", "\N{NO-BREAK SPACE}": " ",
                       "\N{NARROW NO-BREAK SPACE}": " ", "’": "'"})  # fmt: skip

_ANY = [0, *[255] * 255]
"""Strength of 0-255 -> whether there is any."""
_LONGEST = 300
"""How many characters of a text are looked at."""

Point = tuple[float, float]
"""On a circle of radius 1, y downwards."""


@dataclass(frozen=True)
class Frame:
    """What the radars of all contestants of a board have in common; a reference that is not whole is empty.

    dashed: whether the reference is a goal, in gold and dashes; else it is a median, in grey dots.
    """

    labels: tuple[str, ...]
    rings: tuple[tuple[Point, ...], ...]
    reference: tuple[Point, ...]
    dashed: bool


@dataclass(frozen=True)
class Standing:
    """A contestant in the ranking of a board's card."""

    rank: str
    name: str
    score: str
    sure: str


@dataclass(frozen=True)
class Card:
    """What stands on a card, in words. A contestant's has a score, a board's a ranking with what may be said of it.

    profile: the contestant's polygon in the frame; empty where it is not whole.
    """

    kicker: str
    title: str
    about: str
    foot: str
    score: str = ""
    sure: str = ""
    what: str = ""
    rank: str = ""
    strip: IntervalCell | None = None
    frame: Frame | None = None
    profile: tuple[Point, ...] = ()
    ranking: Sequence[Standing] = ()


def png(card: Card) -> bytes:
    """The picture of a card."""
    image = _ground(card.kicker, card.foot, card.frame).copy()
    room = _COLUMN if card.frame else WIDTH - 2 * _MARGIN
    _text(image, (_MARGIN, 172), *_fitted(card.title, room, (64, 54, 44)), "ink")
    _text(image, (_MARGIN, 222), *_fitted(card.about, room, (25, 22)), "muted")
    if card.ranking:
        _text(image, (_MARGIN, 258), *_fitted(card.what, room, (25, 22)), "ink")
        _ranking(image, card.ranking)
    else:
        _score(image, card, room)
    if card.profile:
        _profile(image, card.profile)
    file = io.BytesIO()
    image.save(file, "PNG", **_COMPRESSION)
    return file.getvalue()


def drawable(text: str) -> bool:
    """Whether the font has every character of `text`."""
    return all(map(_has, text.translate(_FLAT)))


# --- parts ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _ground(kicker: str, foot: str, frame: Frame | None) -> Image.Image:
    """The card without what is a contestant's own: drawn once a board."""
    image = Image.new("P", (WIDTH, HEIGHT), 0)
    image.putpalette(_palette())
    _text(image, (_MARGIN, 88), *_fitted(kicker, WIDTH - 2 * _MARGIN, (26,)), "muted")
    _text(image, (_MARGIN, HEIGHT - 42), *_fitted(foot, WIDTH - 2 * _MARGIN, (21,)), "muted")
    if frame:
        _frame(image, frame)
    return image


def _frame(image: Image.Image, frame: Frame) -> None:
    for ring in frame.rings:
        _outline(image, ring, "hairline", 1)
    if frame.reference:
        _outline(
            image, frame.reference, "gold" if frame.dashed else "muted", 2, dash=(9, 6) if frame.dashed else (3, 5)
        )
    if len(frame.labels) > _MOST_LABELS:
        return
    for place, label in enumerate(frame.labels):
        angle = 2 * math.pi * place / len(frame.labels)
        _label(image, label, math.sin(angle), -math.cos(angle))


def _label(image: Image.Image, label: str, x: float, y: float) -> None:
    """The name of a spoke outside its end, which stands at x, y on a circle of radius 1; on two lines at most."""
    end = _CENTRE[0] + 1.09 * _RADIUS * x
    room = _EDGE - end if x > 0.2 else end - _MARGIN - _COLUMN if x < -0.2 else 2 * _RADIUS
    lines = [_fitted(line, room, (_LABEL,))[0] for line in _broken(label, room)]
    top = _CENTRE[1] + 1.09 * _RADIUS * y + 7 + (14 if y > 0.5 else -8 if y < -0.5 else 0)
    top -= _LINE * (len(lines) - 1) * (0 if y > 0.5 else 1 if y < -0.5 else 0.5)
    for number, line in enumerate(lines):
        width = _width(line, _LABEL)
        left = end - (0 if x > 0.2 else width if x < -0.2 else width / 2)
        _text(image, (left, top + _LINE * number), line, _LABEL, "muted")


def _broken(label: str, room: float) -> list[str]:
    """`label` on one line where it fits, else on two, broken between words where the first line is full."""
    words = label.translate(_FLAT).split()
    first = next((n for n in range(len(words), 1, -1) if _width(" ".join(words[:n]), _LABEL) <= room), 1)
    return [line for line in (" ".join(words[:first]), " ".join(words[first:])) if line]


def _score(image: Image.Image, card: Card, room: int) -> None:
    end = _text(image, (_MARGIN, 388), *_fitted(card.score, room, (112, 64, 44)), "ink")
    _text(image, (end + 18, 388), *_fitted(card.sure, max(0, _MARGIN + room - end - 18), (44, 32)), "muted")
    _text(image, (_MARGIN, 434), *_fitted(card.what, room, (25, 22)), "muted")
    _text(image, (_MARGIN, 524), *_fitted(card.rank, room, (30, 25)), "ink")
    if card.strip:
        _strip(image, card.strip)


def _strip(image: Image.Image, strip: IntervalCell) -> None:
    """The interval on the scale from 0 to 100, as in the tables of the site."""
    draw, y, unit = ImageDraw.Draw(image), 469, _COLUMN / 100
    draw.line([(_MARGIN, y), (_MARGIN + 100 * unit, y)], fill=_index("hairline"), width=2)
    if strip.floor is not None:
        x = _MARGIN + strip.floor * unit
        for top in range(y - 15, y + 15, 6):
            draw.line([(x, top), (x, top + 2)], fill=_index("gold"), width=2)
    low, high, at = (_MARGIN + value * unit for value in (strip.low, strip.high, strip.at))
    draw.rectangle([low, y - 5, high, y + 5], fill=_index("accent", 0.45))
    draw.ellipse([at - 7, y - 7, at + 7, y + 7], fill=_index("accent"))


def _ranking(image: Image.Image, rows: Sequence[Standing]) -> None:
    right = WIDTH - _MARGIN
    for place, row in enumerate(rows):
        y = 300 + 56 * place
        _text(image, (_MARGIN, y), *_fitted(row.rank, 90, (28, 22)), "muted")
        _text(image, (_MARGIN + 104, y), *_fitted(row.name, 660, (32, 28)), "ink")
        for text, size, ink, end in ((row.score, 32, "ink", right - 190), (row.sure, 26, "muted", right)):
            shown, fits = _fitted(text, 180, (size, 18))
            _text(image, (end - _width(shown, fits), y), shown, fits, ink)
        ImageDraw.Draw(image).line([(_MARGIN, y + 18), (right, y + 18)], fill=_index("hairline"))


def _profile(image: Image.Image, profile: Sequence[Point]) -> None:
    """The contestant's polygon over the frame: its inside leaves the lines below it as they are."""
    mask, box = _drawn(profile, 3, _FILL)
    faint = range(_index("hairline", 0), _index("hairline", 0.5))
    bare = image.crop(box).point([255 if level == 0 or level in faint else 0 for level in range(256)], "L")
    line = mask.point([255 if level > _FILL + 8 else 0 for level in range(256)])
    image.paste(_tinted(mask, "accent"), box, ImageChops.lighter(bare, line))


def _outline(
    image: Image.Image, corners: Sequence[Point], ink: str, width: int, dash: tuple[int, int] | None = None
) -> None:
    mask, box = _drawn(corners, width, 0, dash)
    image.paste(_tinted(mask, ink), box, mask.point(_ANY))


def _drawn(
    corners: Sequence[Point], width: int, fill: int, dash: tuple[int, int] | None = None
) -> tuple[Image.Image, tuple[int, int, int, int]]:
    """A closed polygon as a mask, and where it stands on the card."""
    reach = _RADIUS + 6
    mask = Image.new("L", (2 * reach * _FINER, 2 * reach * _FINER))
    draw = ImageDraw.Draw(mask)
    points = [((reach + _RADIUS * x) * _FINER, (reach + _RADIUS * y) * _FINER) for x, y in corners]
    if fill:
        draw.polygon(points, fill=fill)
    for line in _dashes(points, dash) if dash else [[*points, *points[:2]]]:
        draw.line(line, fill=255, width=width * _FINER, joint="curve")
    x, y = _CENTRE[0] - reach, _CENTRE[1] - reach
    return mask.reduce(_FINER), (x, y, x + 2 * reach, y + 2 * reach)


def _dashes(points: Sequence[Point], dash: tuple[int, int]) -> list[list[Point]]:
    """The pieces of a closed line. dash: lengths of a stroke and of the gap after it, in pixels of the card."""
    on, step = dash[0] * _FINER, sum(dash) * _FINER
    pieces = []
    for (x, y), (to_x, to_y) in zip(points, [*points[1:], *points[:1]], strict=True):
        length = math.hypot(to_x - x, to_y - y)
        for start in range(0, int(length), step):
            a, b = start / length, min(start + on, length) / length
            pieces.append([(x + a * (to_x - x), y + a * (to_y - y)), (x + b * (to_x - x), y + b * (to_y - y))])
    return pieces


# --- texts and inks -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Glyph:
    """A character as it is pasted: its inked pixels, where they are, and how far they stand from the pen."""

    pixels: Image.Image
    where: Image.Image
    left: int
    top: int


def _text(image: Image.Image, at: Point, text: str, size: int, ink: str) -> float:
    """Write `text` from `at`, the left end of its baseline; returns where it ends."""
    pen, base = at[0], round(at[1])
    for character, following in pairwise([*text, ""]):
        glyph = _glyph(character, size, ink)
        if glyph:
            image.paste(glyph.pixels, (round(pen) + glyph.left, base + glyph.top), glyph.where)
        pen += _step(character, following, size)
    return pen


def _width(text: str, size: int) -> float:
    """How wide `text` is, in pixels."""
    return sum(_step(character, following, size) for character, following in pairwise([*text, ""]))


@lru_cache(maxsize=4096)
def _step(character: str, following: str, size: int) -> float:
    """From a character to the one that follows it, which may stand closer than the character is wide."""
    font = _font(size)
    return font.getlength(character + following) - font.getlength(following)


@lru_cache(maxsize=2048)
def _glyph(character: str, size: int, ink: str) -> _Glyph | None:
    """A character in an ink, drawn once for all cards; None where it leaves no mark."""
    left, top, right, bottom = (round(edge) for edge in _font(size).getbbox(character, anchor="ls"))
    if right <= left or bottom <= top:
        return None
    mask = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(mask).text((-left, -top), character, fill=255, font=_font(size), anchor="ls")
    return _Glyph(_tinted(mask, ink), mask.point(_ANY), left, top)


def _fitted(text: str, room: float, sizes: Sequence[int]) -> tuple[str, int]:
    """`text` and the largest of `sizes`, which fall, in which it fits into `room` pixels; cut where it fits in none."""
    shown = text.translate(_FLAT)[:_LONGEST]
    for size in sizes:
        if _width(shown, size) <= room:
            return shown, size
    return fitted(shown, room, lambda character, following: _step(character, following, sizes[-1])), sizes[-1]


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType, so it has no font to draw cards with")
    return font


@lru_cache(maxsize=4096)
def _has(character: str) -> bool:
    missing = "\uffff"
    return character == " " or bytes(_font(20).getmask(character)) != bytes(_font(20).getmask(missing))


def _index(ink: str, strength: float = 1.0) -> int:
    """The place of an ink in the palette."""
    return 1 + list(INKS).index(ink) * _LEVELS + round(strength * (_LEVELS - 1))


@lru_cache(maxsize=8)
def _levels(ink: str) -> list[int]:
    """Strength of 0-255 -> place in the palette."""
    return [0 if strength == 0 else _index(ink, strength / 255) for strength in range(256)]


def _tinted(mask: Image.Image, ink: str) -> Image.Image:
    return mask.point(_levels(ink), "P")


@lru_cache(maxsize=1)
def _palette() -> bytes:
    """White, then each ink from nearly white to itself."""
    shades = [(255, 255, 255)]
    for red, green, blue in INKS.values():
        for level in range(1, _LEVELS + 1):
            share = level / _LEVELS
            shades.append(tuple(round(255 + share * (full - 255)) for full in (red, green, blue)))  # type: ignore[arg-type]
    return bytes(channel for shade in shades for channel in shade)
