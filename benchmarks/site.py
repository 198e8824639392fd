"""Measure rendering of made-up boards of 100, 300 and 1,000 contestants, and the size of their pages.

`python -m benchmarks.site` makes the boards (some minutes), measures and deletes them. `render DIR` renders one board
and prints the CPU seconds of its stages, for the limit on charts and for a profiler.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import Outcome, Run, python, report
from benchmarks.raw_blocks import write_project
from nullbench_site.repository import Repository

SIZES = (100, 300, 1_000)
RENDER_LIMIT, CHARTS_LIMIT, GROWTH_LIMIT = 1.0, 0.33, 1.25
_DRAWING = ("chart_spec", "chart_svg", "card_files")
BOARD_KB, FINGERPRINT_KB, EXPLORER_KB, INDEX_KB = 300, 150, 200, 300
TASK_MS = 200


def outcomes() -> list[Outcome]:
    """All of them, of whole processes with empty caches, so that every chart is drawn.

    Renders take seconds on a clock, as their evidence is read on all cores; the share of charts and growth, of CPU.
    """
    with TemporaryDirectory() as folder:
        measured = {size: _rendered(Path(folder) / str(size), size) for size in SIZES}
        largest = Path(folder) / str(SIZES[-1])
        bare = python(*write_project(largest / ".nullbench" / "tree", Path(folder) / "bare")).seconds
        shutil.rmtree(largest / ".nullbench")
        charts, run = _render_anew(largest, SITE_URL="https://example.org/")
        whole, with_cards = measured[SIZES[-1]]["seconds"], run.seconds
        detail = f"s against {bare:.1f} s, {SIZES[-1]:,} contestants, 13 domains, 200 items"
        share = f"{charts:.1f} s of {run.cpu:.1f} s of CPU"
        found = [
            Outcome("whole render against bare mkdocs", whole / bare, RENDER_LIMIT, f"{whole:.1f} {detail}"),
            Outcome(
                "the same with the site's address and cards",
                with_cards / bare,
                RENDER_LIMIT,
                f"{with_cards:.1f} {detail}",
            ),
            Outcome("charts and cards of the latter", charts / run.cpu, CHARTS_LIMIT, share, noun="share"),
            *(_growth(measured, name, unit) for name, unit in (("cpu", "s"), ("megabytes", "MB"))),
        ]
        return found + _transfers(largest / "site")


def _rendered(folder: Path, size: int) -> dict[str, float]:
    python("-m", "benchmarks.made_up_board", str(folder), str(size))
    _, run = _render_anew(folder)
    files = [path for path in (folder / "site").rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    print(f"{size:>6,} contestants: {run.seconds:7.1f} s, {len(files):,} files, {megabytes:,.0f} MB", flush=True)
    return {"seconds": run.seconds, "cpu": run.cpu, "megabytes": megabytes}


def _render_anew(folder: Path, **variables: str) -> tuple[float, Run]:
    """CPU seconds of charts and cards, and the whole process."""
    run = python("-m", __spec__.name, "render", str(folder), **variables)
    return json.loads(run.output.splitlines()[-1])["charts"], run


def _growth(measured: dict[int, dict[str, float]], name: str, unit: str) -> Outcome:
    """What a contestant more costs from the middle to the largest board, against from the smallest to the middle."""
    low, middle, high = (measured[size][name] for size in SIZES)
    early, late = (middle - low) / (SIZES[1] - SIZES[0]), (high - middle) / (SIZES[2] - SIZES[1])
    detail = f"{1000 * late:.1f} against {1000 * early:.1f} m{unit} a contestant"
    return Outcome(f"growth of {name}", late / early, GROWTH_LIMIT, detail)


def _transfers(site: Path) -> list[Outcome]:
    from benchmarks.transfer import browsing, kilobytes, loaded, longest_task

    model = next(path.name for path in sorted((site / "models").iterdir()) if path.name.startswith("model-"))
    board = next(path.parent.name for path in (site / "boards").glob("*/index.html"))
    found = []
    with browsing(site) as (browser, origin):
        for name, url, limit in (
            ("page of a board", f"boards/{board}/", BOARD_KB),
            ("page of a contestant", f"models/{model}/", FINGERPRINT_KB),
            ("explorer", "evidence/", EXPLORER_KB),
        ):
            files = loaded(browser, origin, site, url)
            size, detail = kilobytes(site, files), f"{len(files)} files"
            found.append(Outcome(f"transfer of the {name}", size, limit, detail, noun="kB"))
        slow = longest_task(browser, f"{origin}boards/{board}/")
        found.append(Outcome("longest task of the page of a board", slow, TASK_MS, "CPU 4 times slower", noun="ms"))
    index = kilobytes(site, {"search/search_index.json"})
    found.append(Outcome("search index", index, INDEX_KB, f"{SIZES[-1]:,} contestants", noun="kB"))
    return found


def render(folder: Path) -> dict[str, float]:
    """The CPU seconds of a whole render, and those in drawing charts and cards."""
    from nullbench_site import api
    from nullbench_site.site import render as rendering

    spent = {"charts": 0.0}

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any) -> Any:
            start = time.process_time()
            try:
                return work(*arguments)
            finally:
                spent["charts"] += time.process_time() - start

        return timing

    wrapped: dict[str, Callable[..., Any]] = {name: getattr(rendering, name) for name in _DRAWING}
    wrapped["card_files"] = lambda *arguments, cards=wrapped["card_files"]: list(cards(*arguments))
    for name, work in wrapped.items():
        setattr(rendering, name, timed(work))
    start = time.process_time()
    api.render(Repository(folder))
    return {"seconds": time.process_time() - start, **spent}


if __name__ == "__main__":
    if sys.argv[1:2] == ["render"]:
        print(json.dumps(render(Path(sys.argv[2]))))
    else:
        sys.exit(report(outcomes()))
