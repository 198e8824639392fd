"""The former place of these checks, until the entry points are installed again."""

from nullbench_site.checks.stances import AcknowledgesNonexistence, HallucinationApi, SelfAwareness

__all__ = ["AcknowledgesNonexistence", "HallucinationApi", "SelfAwareness"]
