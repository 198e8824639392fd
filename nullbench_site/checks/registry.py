"""Every type of check by its id, ours and those of other packages; and the function that checks a response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, Union

from nullbench_site.checks.check import Check, Flag, ResponseText, Result, verdict
from nullbench_site.errors import UsageError
from nullbench_site.extensions import load_all, origin


def _registered() -> Mapping[str, type[Check]]:
    """Return all checks, the automatic ones first. Raises UsageError for an entry point that is not a check."""
    checks = load_all("checks")
    for name, check in checks.items():
        if not (isinstance(check, type) and issubclass(check, Check) and check.type_id() == name):
            raise UsageError(
                f"{origin('checks', name)} registers {name!r} among checks, but it is not a Check with that tag"
            )
    return MappingProxyType(dict(sorted(checks.items(), key=lambda named: not named[1].automatic)))


CHECKS: Mapping[str, type[Check]] = _registered()
AUTOMATIC: Mapping[str, type[Check]] = MappingProxyType({name: each for name, each in CHECKS.items() if each.automatic})
JUDGED: Mapping[str, type[Check]] = MappingProxyType(
    {name: each for name, each in CHECKS.items() if not each.automatic}
)

if TYPE_CHECKING:
    AnyCheck: TypeAlias = Check
else:
    AnyCheck = Union[tuple(CHECKS.values())]  # noqa: UP007 - of a tuple that is known when the program runs
"""A check in a spec: msgspec distinguishes the types by `type`."""

_EMPTY = verdict(Flag("empty", "the response holds no text"))


def run_checks(text: str, checks: Sequence[Check]) -> list[Result]:
    """Return the result of each check of one response, in order; the response is read once.

    A response without text fails every check. Raises the errors of the sandbox if code cannot be executed.
    """
    response = ResponseText(text)
    return [_EMPTY if response.empty and check.automatic else check.check(response) for check in checks]
