import pytest
from support.histories import history
from support.hostile import hostile_site
from support.oracle_sites import axes_and_oracle_site, claims_site, hostile_oracle_site, oracle_site
from support.pairwise_sites import pairwise_site
from support.rubric_sites import hostile_rubric_site, mixed_site, rubric_site
from support.sites import Site, controls_site, shipped_site, small_copy, small_site

from nullbench_site.protocols.axes.pages.view import AxesView

__all__ = [
    "axes_and_oracle_site",
    "claims_site",
    "controls_site",
    "history",
    "hostile_oracle_site",
    "hostile_rubric_site",
    "hostile_site",
    "mixed_site",
    "oracle_site",
    "pairwise_site",
    "rubric_site",
    "shipped_site",
    "small_copy",
    "small_site",
]


@pytest.fixture
def view(small_site: Site) -> AxesView:
    """The first small board: Lead-2 (86.0) and TextRank-2 (83.3), both of ranks 1-2, and two null models at 0."""
    return small_site.axes_views[0]
