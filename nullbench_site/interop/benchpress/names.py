"""Names of BenchPress -> ids of ours."""

from __future__ import annotations

import re
import unicodedata

from nullbench_site.text import one_line

_LONGEST = 80


def id_of(name: str) -> str:
    """The id nearest to `name`: lower case, accents off, a hyphen for what no id holds; empty where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9.]+", "-", plain)[:_LONGEST].strip("-.")


def title_of(name: str) -> str:
    """`instruction_following` as a title: `Instruction following`."""
    words = one_line(name.replace("_", " "))
    return words[:1].upper() + words[1:]
