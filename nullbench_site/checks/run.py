"""Checking a response."""

from __future__ import annotations

from collections.abc import Sequence

from nullbench_site.checks.params import Params
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.registry import CHECKS
from nullbench_site.checks.result import Flag, Result, not_applicable, verdict

REVISION = 1
"""Raised when a check would decide otherwise."""
_JUDGED = not_applicable(Flag("left_to_judges", "no program checks this"))
_EMPTY = verdict(Flag("empty", "the response holds no text"))


def run_checks(text: str, checks: Sequence[Params]) -> list[Result]:
    """The result of each check of one response, in order; the response is read once.

    A response without text fails every check, for it does nothing that was asked. Raises KeyError for parameters of no
    check, and what the sandbox raises where code is to be executed and cannot be.
    """
    response = Response(text)
    return [_run(response, params) for params in checks]


def run_check(text: str, params: Params) -> Result:
    """The result of one check."""
    return run_checks(text, [params])[0]


def _run(response: Response, params: Params) -> Result:
    check = CHECKS[str(params.__struct_config__.tag)]
    if check.function is None:
        return _JUDGED
    return _EMPTY if response.empty else check.function(response, params)
