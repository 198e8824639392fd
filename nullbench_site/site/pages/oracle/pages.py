"""The parts of pages that are peculiar to the `oracle` protocol."""

from __future__ import annotations

from nullbench_site.site.pages.oracle import board, domains, judges, methodology, models
from nullbench_site.site.pages.oracle.rows import LAYOUT
from nullbench_site.site.pages.parts import Parts
from nullbench_site.site.views import OracleView

PARTS: Parts[OracleView] = Parts(
    board=board.context,
    domains=domains.contexts,
    fingerprints=models.overview,
    fingerprint=models.context,
    judges=judges.context,
    method=methodology.context,
    table=LAYOUT,
)
