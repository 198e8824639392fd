"""A page before it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site.gather import SiteData

Section: TypeAlias = Mapping[str, Any]
"""What a page that all boards share shows of one of them; `template` names what places it."""


@dataclass(frozen=True)
class Term:
    """A name that a page explains, at an anchor of it, and a sentence about it."""

    anchor: str
    title: str
    text: str = ""


@dataclass(frozen=True)
class Page:
    """A page at `url`, made by `template` from `context`.

    card: the picture that stands for it where it is linked, from the site's root. terms: what the search finds on it,
    beside the page itself.
    """

    url: str
    title: str
    template: str
    context: Mapping[str, Any]
    description: str = ""
    searchable: bool = True
    card: str = ""
    terms: Sequence[Term] = ()


def metrics(*ids: str) -> dict[str, Metric]:
    """The registry's entries for a table's headers."""
    return {metric_id: METRICS[metric_id] for metric_id in ids}


def site_facts(site: SiteData) -> dict[str, str]:
    """What the foot of every page says of the run it shows."""
    manifest = site.entry.manifest
    return {
        "run": manifest.run,
        "date": (manifest.sealed_at or manifest.created_at)[:10],
        "digest": manifest.digest[:12],
        "state": manifest.state,
    }
