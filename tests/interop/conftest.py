from interop.checkouts import source
from support.repositories import repository, unbuilt_original
from support.sites import small_site

__all__ = ["repository", "small_site", "source", "unbuilt_original"]
