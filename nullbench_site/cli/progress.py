"""How far a build is, on stderr: a live view on a terminal, lines elsewhere and with NO_COLOR, events with --json."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from nullbench_site.cli.options import say
from nullbench_site.cli.watching.events import Events
from nullbench_site.cli.watching.lines import Lines
from nullbench_site.cli.watching.telling import Teller
from nullbench_site.evaluation.progress import Progress

_NO_CURSOR = frozenset({"dumb", "unknown"})
"""Values of TERM of terminals that cannot draw over what they have drawn."""


@contextmanager
def build_progress(*, as_json: bool = False) -> Iterator[Progress]:
    """A progress that shows the stages and calls of a build while the block runs, and sums up at its end."""
    if not as_json and sys.stderr.isatty() and _can_draw():
        from rich.console import Console

        from nullbench_site.cli.watching.live import live_view

        with live_view(Console(stderr=True)) as progress:
            yield progress
        return
    teller = Teller(Events() if as_json else Lines(), say)
    try:
        yield teller.progress
    finally:
        teller.end()


def _can_draw() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "").lower() not in _NO_CURSOR
