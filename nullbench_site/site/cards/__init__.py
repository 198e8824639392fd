"""Social cards: a picture of each contestant and each board, for links to them that are shared elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import msgspec

from nullbench_site.runs.storage import write_atomically
from nullbench_site.site.cards.content import cards
from nullbench_site.site.cards.drawing import REVISION, png
from nullbench_site.site.gather import SiteData
from nullbench_site.specs.digest import sha256


def card_files(site: SiteData, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> PNG. A card is drawn once and kept by the digest of what stands on it."""
    made_by = f"{REVISION} {version('pillow')}".encode()
    for name, card in cards(site):
        kept = cache / "cards" / f"{sha256(made_by + msgspec.json.encode(card))}.png"
        if not kept.is_file():
            write_atomically(kept, png(card))
        yield name, kept.read_bytes()
