"""One browser and one server a site for all tests of this folder.

Playwright's loop holds the main thread while it runs, and a build wants a loop of its own: so the sites are built
before the browser starts, and it ends before the tests of another folder begin.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from support.browser import launched, served
from support.histories import history
from support.hostile import hostile_site
from support.oracle_sites import axes_and_oracle_site, hostile_oracle_site
from support.pairwise_sites import long_site, pairwise_site
from support.rubric_sites import hostile_rubric_site, mixed_site
from support.sites import Site, controls_site, shipped_site, small_site

__all__ = [
    "axes_and_oracle_site",
    "controls_site",
    "history",
    "hostile_oracle_site",
    "hostile_rubric_site",
    "hostile_site",
    "long_site",
    "mixed_site",
    "pairwise_site",
    "shipped_site",
    "small_site",
]


@pytest.fixture(scope="package")
def browser(
    *,
    small_site: Site,
    shipped_site: Site,
    hostile_site: Site,
    mixed_site: Site,
    hostile_rubric_site: Site,
    axes_and_oracle_site: Site,
    hostile_oracle_site: Site,
    history: Site,
    controls_site: Site,
    pairwise_site: Site,
    long_site: Site,
) -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture(scope="package")
def small(small_site: Site) -> Iterator[str]:
    """The address of the small site: two boards."""
    with served(small_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def shipped(shipped_site: Site) -> Iterator[str]:
    """The address of the shipped site: one board, many contestants."""
    with served(shipped_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def hostile(hostile_site: Site) -> Iterator[str]:
    """The address of the site whose every text is hostile."""
    with served(hostile_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def mixed(mixed_site: Site) -> Iterator[str]:
    """The address of the site of two protocols."""
    with served(mixed_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def hostile_rubric(hostile_rubric_site: Site) -> Iterator[str]:
    """The address of the `rubric` board whose every text is hostile."""
    with served(hostile_rubric_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def keyed(axes_and_oracle_site: Site) -> Iterator[str]:
    """The address of the site with a board that is marked by key."""
    with served(axes_and_oracle_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def hostile_oracle(hostile_oracle_site: Site) -> Iterator[str]:
    """The address of the `oracle` board whose every text is hostile."""
    with served(hostile_oracle_site.folder) as origin:
        yield origin


@pytest.fixture(scope="package")
def beside(pairwise_site: Site) -> Iterator[str]:
    """The address of the site with a board of games."""
    with served(pairwise_site.folder) as origin:
        yield origin
