"""Automatic checks of a response's text: pure functions with typed parameters, in a registry.

What a check finds is a flag for judges and readers, not a score. Every check takes time linear in the response, and
none executes what the response says but code-runnable, in a sandbox and only where its parameters ask for it.
"""

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Params
from nullbench_site.checks.registry import AUTOMATIC, CHECKS, JUDGED, AnyParams
from nullbench_site.checks.result import Flag, Outcome, Result
from nullbench_site.checks.run import REVISION, run_check, run_checks

__all__ = [
    "AUTOMATIC",
    "CHECKS",
    "JUDGED",
    "REVISION",
    "AnyParams",
    "Check",
    "Flag",
    "Outcome",
    "Params",
    "Result",
    "run_check",
    "run_checks",
]
