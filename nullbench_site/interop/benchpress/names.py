"""Names of BenchPress -> ids of ours."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 80
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]+")


def id_of(name: str) -> str:
    """The id nearest to `name`: lower case, accents off, a hyphen for what no id holds; empty where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9.]+", "-", plain)[:_LONGEST].strip("-.")


def line_of(text: str) -> str:
    """`text` on one line, without what moves a cursor, hides, or turns the direction of reading."""
    # Nearly every text is printable as it stands, and to find that out is much faster.
    return " ".join((text if text.isprintable() else _STEERING.sub(" ", text)).split())


def title_of(name: str) -> str:
    """`instruction_following` as a title: `Instruction following`."""
    words = line_of(name.replace("_", " "))
    return words[:1].upper() + words[1:]
