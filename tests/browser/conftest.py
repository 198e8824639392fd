"""One browser and one server a site for all tests of this folder.

Playwright's loop holds the main thread while it runs, and a build wants a loop of its own: so the sites are built
before the browser starts, and it ends before the tests of another folder begin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser
from support.browser import launched, served
from support.sites import Site


@pytest.fixture(scope="package")
def browser(
    *,
    small_site: Site,
    shipped_site: Site,
    hostile_site: Site,
    mixed_site: Site,
    hostile_rubric_site: Site,
    axes_and_oracle_site: Site,
    claims_site: Site,
    hostile_oracle_site: Site,
    history: Site,
    controls_site: Site,
    pairwise_site: Site,
) -> Iterator[Browser]:
    with launched() as started:
        yield started


def address(name: str) -> Any:
    """A fixture: the address of the site that another one makes."""

    @pytest.fixture(scope="package")
    def origin(request: pytest.FixtureRequest) -> Iterator[str]:
        with served(request.getfixturevalue(name).folder) as where:
            yield where

    return origin


small = address("small_site")
shipped = address("shipped_site")
hostile = address("hostile_site")
mixed = address("mixed_site")
hostile_rubric = address("hostile_rubric_site")
keyed = address("axes_and_oracle_site")
talking = address("claims_site")
hostile_oracle = address("hostile_oracle_site")
beside = address("pairwise_site")
