"""The former place of these checks, until the entry points are installed again."""

from nullbench_site.checks.stances import SycophancyCheck, TrapCommonError, TrapNoBug, TrapWrongClaim

__all__ = ["SycophancyCheck", "TrapCommonError", "TrapNoBug", "TrapWrongClaim"]
