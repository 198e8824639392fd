from support.repositories import built, built_original, repository, unbuilt_original
from support.sites import small_site

__all__ = ["built", "built_original", "repository", "small_site", "unbuilt_original"]
