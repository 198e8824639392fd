"""What the examples of a check are made of."""

from __future__ import annotations

from nullbench_site.checks import Check, Result
from nullbench_site.checks.registry import run_checks


def run_check(text: str, params: Check) -> Result:
    return run_checks(text, [params])[0]


def flags(text: str, params: Check) -> list[str]:
    """The ids of the flags of a failed check; none where it passed."""
    result = run_check(text, params)
    assert result.outcome == ("failed" if result.flags else "passed")
    return [flag.id for flag in result.flags]


def does_not_apply(text: str, params: Check) -> bool:
    return run_check(text, params).outcome == "not-applicable"
