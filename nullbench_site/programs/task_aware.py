"""The former place of this program, until the entry points are installed again."""

from nullbench_site.programs.baselines import task_aware

__all__ = ["task_aware"]
