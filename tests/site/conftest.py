import pytest
from support.sites import Site

from nullbench_site.protocols.axes.pages.view import AxesView


@pytest.fixture
def view(small_site: Site) -> AxesView:
    """The first small board: Lead-2 (86.0) and TextRank-2 (83.3), both of ranks 1-2, and two null models at 0."""
    return small_site.axes_views[0]
