"""What the checks of an item find in a response, as its record keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.specs.digest import canonical_json, sha256

if TYPE_CHECKING:
    from nullbench_site.checks import Check


def checked(response: Response, checks: Sequence[Check]) -> Response:
    """The response with the result of each check; one that holds those of the same checks is returned as it is.

    A response that failed has no text to check. Raises SandboxUnavailableError where code is to be executed and cannot.
    """
    if response.state == "errored" or response.hidden is not None:
        return response
    from nullbench_site.checks.registry import run_checks

    wanted = [(check_type(check), sha256(canonical_json([check.revision, check]))[:16]) for check in checks]
    if [(found.type, found.params) for found in response.checks] == wanted:
        return response
    results = tuple(
        CheckResult(name, digest, result.outcome, tuple(map(str, result.flags)))
        for (name, digest), result in zip(wanted, run_checks(response.text, checks), strict=True)
    )
    return msgspec.structs.replace(response, checks=results)


def check_type(check: Check) -> str:
    """The id of a check's type."""
    return check.type_id()
