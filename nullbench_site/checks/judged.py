"""The former place of these checks, until the entry points are installed again."""

from nullbench_site.checks.check import (
    Analysis,
    Behavioural,
    Calibration,
    Checklist,
    Comparison,
    FormatCheck,
    Reasoning,
    Synthesis,
)

__all__ = ["Analysis", "Behavioural", "Calibration", "Checklist", "Comparison", "FormatCheck", "Reasoning", "Synthesis"]
