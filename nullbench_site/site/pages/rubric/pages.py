"""The parts of pages that are peculiar to the `rubric` protocol."""

from __future__ import annotations

from nullbench_site.site.pages.parts import Parts
from nullbench_site.site.pages.rubric import board, domains, judges, methodology, models
from nullbench_site.site.pages.rubric.rows import LAYOUT
from nullbench_site.site.views import RubricView

PARTS: Parts[RubricView] = Parts(
    board=board.context,
    domains=domains.contexts,
    fingerprints=models.overview,
    fingerprint=models.context,
    judges=judges.context,
    method=methodology.context,
    table=LAYOUT,
)
