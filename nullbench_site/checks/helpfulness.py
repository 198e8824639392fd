"""The former place of these checks, until the entry points are installed again."""

from nullbench_site.checks.stances import AmbiguityCheck, RefusalCheck

__all__ = ["AmbiguityCheck", "RefusalCheck"]
