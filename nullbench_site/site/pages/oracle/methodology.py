"""What the page of the method says of an `oracle` board."""

from __future__ import annotations

from collections import Counter
from typing import Any

from nullbench_site.answer_keys import KEYS
from nullbench_site.site import words
from nullbench_site.site.pages.groups import difficulties, domains, sizes
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.oracle import key_of


def context(view: OracleView) -> dict[str, Any]:
    """What the page of the method says of this board."""
    counts = Counter(key_of(placed.item) for placed in view.items)
    return {
        "template": "oracle/methodology.md.j2",
        "sizes": sizes(view),
        "contestants": words.plural(len(view.rows), "contestant"),
        "private": words.of(view.n_private, len(view.items)) if view.n_private else "",
        "hidden": view.n_private,
        "keys": [{"type": kind, "n_items": counts[name]} for name, kind in KEYS.items() if counts[name]],
        "bundles": words.plural(view.results.n_bundles, "bundle") if view.results.n_bundles else "",
        "domains": domains(view),
        "difficulties": difficulties(view),
    }
