"""The ledger: what of the benchmark was added, changed or withdrawn, when, by whom and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page
from nullbench_site.specs.types import LedgerEntry


def pages(site: SiteData) -> Iterator[Page]:
    """The one page, newest first; none of a benchmark without a ledger."""
    entries = site.benchmark.ledger
    if not entries:
        return
    on_boards = {model for view in site.views for model in view.rows}
    tally = Counter(entry.what for entry in entries)
    yield Page(
        url=paths.LEDGER,
        title="Ledger",
        template="ledger.md.j2",
        context={
            "entries": [{"entry": entry, "link": _link(entry, on_boards)} for entry in reversed(entries)],
            "tally": words.listed([f"{words.number(n, 0)} {what}" for what, n in tally.items()]),
            "since": entries[0].date,
        },
        description="What was added, changed and withdrawn, when, by whom and why.",
        searchable=False,
    )


def _link(entry: LedgerEntry, on_boards: set[str]) -> str:
    """The page of a contestant that is on a board, or that of judges; empty for what has no page of its own."""
    if entry.kind == "contestant" and entry.id in on_boards:
        return paths.model_url(entry.id)
    return paths.JUDGES if entry.kind in ("judge", "panel") else ""
