from support.repositories import built, built_original, repository, unbuilt_original

__all__ = ["built", "built_original", "repository", "unbuilt_original"]
