"""Make the page that audits eight public benchmarks and our own boards in the same columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from nullbench_site.packaged import data_text
from nullbench_site.site import claims, paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.construct import construct_facts
from nullbench_site.site.pages.page import Page
from nullbench_site.site.pages.trust_marks import Dimension, trust
from nullbench_site.site.views import BoardView
from nullbench_site.stats.trust import plain_error

_EVEN = 50.0
"""The score with the largest plain standard error."""


class PublicBenchmark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of data/audit.yaml. items: numbers of items by what they are of. stated_error: as the source states."""

    title: str
    sources: tuple[str, ...]
    items: dict[str, int]
    stated_error: str
    contamination: str
    ground_truth: str
    claim: str
    failure: str

    @property
    def errors(self) -> Mapping[str, float | None]:
        """The largest plain standard error for each number of items, in points: that of a score of 50."""
        return {of: plain_error(_EVEN, n) for of, n in self.items.items()}


@cache
def public_benchmarks() -> Sequence[PublicBenchmark]:
    """Return the benchmarks of data/audit.yaml."""
    return msgspec.yaml.decode(data_text("audit.yaml"), type=tuple[PublicBenchmark, ...])


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page of the audit."""
    yield Page(
        url=paths.AUDIT,
        title="Audit of benchmarks",
        template="audit.md.j2",
        context={"public": public_benchmarks(), "own": [audited(view) for view in site.views]},
        description="Eight public benchmarks and the boards of this site in the same columns: size, standard error, "
        "contamination, ground truth, claim and primary failure mode.",
    )


def audited(view: BoardView) -> Mapping[str, Any]:
    """Return a board in the columns of the audit, in words, by the marks of its ranked contestants."""
    facts = construct_facts(view)
    errors = sorted(row.se for row in view.rows.values() if row.rank is not None and row.se is not None)
    low_high = list(dict.fromkeys(words.number(each, 2) for each in errors[:: len(errors) - 1 or 1]))
    return {
        "title": view.board.title,
        "url": paths.trust_url(view.board.id),
        "n_items": view.results.n_items,
        "error": f"{' to '.join(low_high)} points" if errors else words.ABSENT,
        "contamination": _counted(view, "contamination"),
        "marking": f"{facts.ground_truth.rstrip('.')}; {_counted(view, 'agreement')}",
        "claim": f"{facts.claim or 'not stated'}{f' ({facts.level.lower()})' if facts.level else ''}",
        "failure": facts.threat,
    }


def _counted(view: BoardView, dimension: Dimension) -> str:
    """Return the marks of the ranked contestants in words: `medium (declared)`, `low for 4 and high for 2`."""
    counts: dict[str, int] = {}
    for row in view.rows.values():
        if row.rank is not None:
            (mark,) = (mark for mark in trust(view, row) if mark.dimension == dimension)
            counts[mark.in_words] = counts.get(mark.in_words, 0) + 1
    if not counts:
        return words.ABSENT
    if len(counts) == 1:
        return next(iter(counts))
    return claims.some([f"{mark} for {count}" for mark, count in counts.items()], len(counts))
