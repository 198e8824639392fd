"""The former place of this program, until the entry points are installed again."""

from nullbench_site.programs.prompted import calculator

__all__ = ["calculator"]
