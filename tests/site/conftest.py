from support.hostile import hostile_site
from support.sites import shipped_site, small_copy, small_site

__all__ = ["hostile_site", "shipped_site", "small_copy", "small_site"]
