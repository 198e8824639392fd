"""Damage texts in a named way and dose; a panel must mark them lower than the original.

Falsifications make a text false but keep it grammatical and plausible, at most once per sentence. The other kinds spoil
its order, length or form. Damage is a function of text, kind, dose and seed; a larger dose includes the damage of a
smaller one. The word lists are English. `control` is the contestant behind every control.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate

import msgspec
from msgspec import Struct

from nullbench_site.packaged import word_lines
from nullbench_site.programs.english import STOP_WORDS, sentences
from nullbench_site.programs.falsehoods import offered_by, places
from nullbench_site.programs.program import contestant
from nullbench_site.specs.types import FALSIFICATIONS, LADDERS
from nullbench_site.specs.types import Damage as Kind

__all__ = ["FALSIFICATIONS", "LADDERS", "Damaged", "Kind", "damage"]


class Damaged(msgspec.Struct, frozen=True):
    """A damaged text. made: the number of changed sentences, or of words lost, added or listed."""

    text: str
    made: int


def damage(text: str, kind: Kind, dose: float = 1.0, *, seed: int = 0, source: str = "") -> Damaged | None:
    """Return `text` damaged by `kind`; None if it has no place for that, or too few for a part of them.

    dose: see LADDERS; more than 0, at most 1. source: the text that it is about, whose names and figures may replace
    others. ValueError for an unknown kind or another dose.
    """
    if kind not in LADDERS or not 0 < dose <= 1:
        raise ValueError(f"no damage {kind!r} of dose {dose}; kinds: {', '.join(LADDERS)}; doses: above 0, at most 1")
    lot = _Lot(f"{seed}\n{kind}\n{text}")
    match kind:
        case "shuffled-words":
            return _rewritten(text, dose, lot, _shuffled_words)
        case "shuffled-sentences":
            return _shuffled_sentences(text, lot)
        case "cut":
            return _cut(text, dose)
        case "padded":
            return _padded(text, dose, lot)
        case "keywords":
            return _keywords(text)
        case _:
            offered = offered_by(text, source)

            def falsified(sentence: str, lot: _Lot) -> str | None:
                possible = places(kind, sentence, offered)
                if not possible:
                    return None
                return min(possible, key=lambda at: lot.of(sentence, at.start, at.end, at.other)).put(sentence)

            return _rewritten(text, dose, lot, falsified)


class _Lot(msgspec.Struct, frozen=True):
    """Random draws that depend on a seed and on the drawn thing, but not on each other."""

    seed: str

    def of(self, *what: object) -> bytes:
        return hashlib.sha256("\n".join([self.seed, *map(str, what)]).encode("utf-8", "surrogatepass")).digest()

    def order(self, count: int, *what: object) -> list[int]:
        """Return 0 to `count` - 1 in a random order."""
        return sorted(range(count), key=lambda at: self.of(*what, at))


# The sentences of a text, in their lines.

_OPENING = re.compile(r"[ \t]*(?:(?:[-*+\u2022>]|#{1,6}|[0-9]{1,3}[.)])[ \t]+)?")
_FENCE = "```"


class _Line(msgspec.Struct, frozen=True):
    """A line: the text before its sentences, and these. A line of code has no sentences and stays as it is."""

    opening: str
    sentences: tuple[str, ...]


@lru_cache(maxsize=1024)
def _lines(text: str) -> tuple[_Line, ...]:
    lines, fenced = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith(_FENCE)
        fenced ^= fence
        opening = _OPENING.match(line)
        at = opening.end() if opening else 0
        if fence or fenced or not line[at:].strip():
            lines.append(_Line(line, ()))
        else:  # after a word, so that no part of it is taken for the mark of a list
            first, *more = sentences(f"So {line[at:]}")
            lines.append(_Line(line[:at], (first.removeprefix("So "), *more)))
    return tuple(lines)


def _rewritten(text: str, dose: float, lot: _Lot, rewrite: Callable[[str, _Lot], str | None]) -> Damaged | None:
    """Return `text` with `rewrite` applied to a random share of the sentences that it can change."""
    lines = _lines(text)
    every = [sentence for line in lines for sentence in line.sentences]
    others = {at: other for at, one in enumerate(every) if (other := rewrite(one, lot)) not in (None, one)}
    made = int(dose * len(others) + 1e-9)
    chosen = {*sorted(others, key=lambda at: lot.of("place", at))[:made]}
    return _joined(lines, [others[at] if at in chosen else one for at, one in enumerate(every)], made)


def _joined(lines: tuple[_Line, ...], every: Iterable[str], made: int) -> Damaged | None:
    """Return `lines` with `every` sentence instead of their own; None if nothing was changed."""
    left = iter(every)
    text = "\n".join(line.opening + " ".join(next(left) for _ in line.sentences) for line in lines)
    return Damaged(text, made) if made else None


# Damage to order, length and form.


def _shuffled_words(sentence: str, lot: _Lot) -> str | None:
    """Return the words of a sentence in a random order, with its closing mark at the end; None for fewer than four."""
    body = sentence.rstrip(".!?")
    words = body.split()
    return " ".join(words[at] for at in lot.order(len(words), body)) + sentence[len(body) :] if len(words) > 3 else None


def _shuffled_sentences(text: str, lot: _Lot) -> Damaged | None:
    """Return all sentences in a random order, in the lines of the text; None for fewer than three."""
    lines = _lines(text)
    every = [sentence for line in lines for sentence in line.sentences]
    moved = [every[at] for at in lot.order(len(every))]
    if moved == every:
        moved = [*moved[1:], *moved[:1]]
    changed = sum(one != other for one, other in zip(moved, every, strict=True))
    return _joined(lines, moved, changed) if len(every) > 2 else None


_PIECE = re.compile(r"\s*\S+")


def _cut(text: str, dose: float) -> Damaged | None:
    """Return the opening of `text`, without the share `dose` of its words; None for fewer than four."""
    pieces = _PIECE.findall(text)
    lost = int(dose * len(pieces) + 1e-9)
    return Damaged("".join(pieces[: len(pieces) - lost]), lost) if lost and len(pieces) > 3 else None


def _padded(text: str, dose: float, lot: _Lot) -> Damaged | None:
    """Return `text` between empty sentences that add the share `dose` of its words."""
    filler = word_lines("padding")
    wanted = dose * len(text.split())
    drawn = [filler[at] for turn in range(1 + int(wanted) // 60) for at in lot.order(len(filler), turn)]
    totals = accumulate(len(sentence.split()) for sentence in drawn)
    enough, added = next((n, total) for n, total in enumerate(totals, 1) if total >= wanted)
    separator = "\n\n" if "\n" in text else " "
    padded = separator.join(filter(None, [drawn[0], text, " ".join(drawn[1:enough])]))
    return Damaged(padded, added) if wanted else None


_WORD = re.compile(r"[^\s,;:.!?()\[\]\"\u201c\u201d`]+(?:[.,:][0-9]+)*%?")


def _keywords(text: str) -> Damaged | None:
    """Return the content words and figures of `text`, with commas; None for fewer than four, or for such a list."""
    words = [word for word in _WORD.findall(text) if word.casefold() not in STOP_WORDS and word.strip("-*#_")]
    listed = ", ".join(words)
    return Damaged(listed, len(words)) if len(words) > 3 and listed != text else None


class Known(Struct, frozen=True):
    """A reference answer, and the source of its item, or nothing."""

    reference: str
    source: str = ""


class Damaging(Struct, frozen=True, forbid_unknown_fields=True):
    """The damage to apply. damage: None for no damage; dose: see LADDERS."""

    damage: Kind | None = None
    dose: float = 1.0


@contestant(Known, params=Damaging)
def control(known: Known, params: Damaging) -> str:
    """Return the reference answer, damaged. ValueError if it has no place for that."""
    if params.damage is None:
        return known.reference
    damaged = damage(known.reference, params.damage, params.dose, source=known.source)
    if damaged is None:
        raise ValueError(f"the reference answer offers no place for {params.damage!r} of dose {params.dose}")
    return damaged.text
