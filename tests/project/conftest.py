from support.sites import small_site

__all__ = ["small_site"]
