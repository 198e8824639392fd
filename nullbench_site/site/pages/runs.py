"""Every run of the benchmark: what was run, when, by what, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page
from nullbench_site.site.pages.usage import run_cost


def pages(site: SiteData) -> Iterator[Page]:
    """The one page of runs."""
    yield Page(
        url=paths.RUNS,
        title="Runs",
        template="runs.md.j2",
        context={
            "runs": [_run(entry, site.entry) for entry in reversed(site.runs)],
            "paid": any(entry.manifest.cost_usd is not None for entry in site.runs),
        },
        description="Every run, its digests and how to verify it.",
        searchable=False,
    )


def _run(entry: CatalogEntry, shown: CatalogEntry) -> dict[str, Any]:
    manifest = entry.manifest
    counts = manifest.counts
    return {
        "manifest": manifest,
        "shown": entry.path == shown.path,
        "responses": words.number(counts.answered + counts.errored, 0),
        "judgments": words.number(counts.scored + counts.unparsed + counts.judge_errored, 0),
        "failed": words.number(counts.failed, 0),
        "unparsed": words.number(counts.unparsed, 0),
        "cost": run_cost(manifest),
        "anew": words.listed(list(manifest.judged_anew)),
        "files": words.number(len(manifest.files), 0),
    }
