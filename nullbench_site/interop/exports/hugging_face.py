"""`export hf`: the score of each model as `.eval_results/*.yaml`, which a model's repository on the Hub can have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.errors import UsageError
from nullbench_site.interop.exports import Files
from nullbench_site.site.gather import SiteData
from nullbench_site.specs.yaml_text import yaml_text
from nullbench_site.text import did_you_mean


def results_of(site: SiteData, options: Mapping[str, Any]) -> Files:
    """Yield a file for each model of a board. Options: dataset, the benchmark's on the Hub; task; board; url."""
    views = {view.board.id: view for view in site.views}
    board = options["board"] or (next(iter(views)) if len(views) == 1 else None)
    if board not in views:
        what = "the run has several boards; choose one with --board" if board is None else f"unknown board {board!r}"
        raise UsageError(f"{what}; {did_you_mean(board or '', views, len(views))}")
    view, manifest = views[board], site.entry.manifest
    ranked = [
        row for row in view.contestants if row.rank is not None and site.benchmark.models[row.model].is_language_model
    ]
    if not ranked:
        raise UsageError(f"board {board!r} has no ranked language model; choose another with --board")
    for row in ranked:
        interval = None if row.ci_low is None else f"95 % interval {row.ci_low:g} to {row.ci_high:g}; "
        entry = {
            "dataset": {"id": options["dataset"], "task_id": options["task"] or board},
            "value": row.score,
            "date": (manifest.sealed_at or manifest.created_at)[:10],
            **({"source": {"url": options["url"], "name": site.benchmark.about.title}} if options["url"] else {}),
            "notes": f"{interval or ''}{row.n_items} items; run {manifest.run} of {manifest.benchmark}",
        }
        yield f"{row.model}/.eval_results/{board}.yaml", yaml_text([entry]).encode()
