"""Automatic checks of a response's text: pure functions with typed parameters, registered by entry points.

A check gives flags to judges and readers, not a score. Every check takes time linear in the response. Only
code-runnable executes code of a response, in a sandbox and only if its parameters ask for it.

A check of another package is a subclass of `Check`, named by an entry point of the group `nullbench_site.checks`. The
registry is a separate module, so that a check can be imported before all others are.
"""

from nullbench_site.checks.check import Check, Flag, Outcome, ResponseText, Result, failed, not_applicable, verdict

__all__ = ["Check", "Flag", "Outcome", "ResponseText", "Result", "failed", "not_applicable", "verdict"]
