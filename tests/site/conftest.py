from support.histories import history
from support.hostile import hostile_site
from support.oracle_sites import axes_and_oracle_site, claims_site, hostile_oracle_site, oracle_site
from support.pairwise_sites import pairwise_site
from support.rubric_sites import hostile_rubric_site, mixed_site, rubric_site
from support.sites import controls_site, shipped_site, small_copy, small_site

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
