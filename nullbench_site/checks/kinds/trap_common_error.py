"""Whether the response makes an error that is common on the subject."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.kinds.stance import claimed_or_denied
from nullbench_site.checks.params import Line, Params, SomePatterns, readable
from nullbench_site.checks.reading.claims import claimed
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.result import Flag, Result, not_applicable, verdict


class TrapCommonError(Params, frozen=True, tag="trap-common-error"):
    """Parameters of trap-common-error."""

    error: Annotated[Line, Meta(description="The error, for people and judges.")]
    errors: Annotated[SomePatterns, Meta(description="Ways to make it.")]
    corrections: Annotated[SomePatterns, Meta(description="What somebody says who does not make it.")]

    def __post_init__(self) -> None:
        readable(self.errors, self.corrections)


def trap_common_error(response: Response, params: TrapCommonError) -> Result:
    """Fails where the error is made and nothing corrects it; does not apply where neither is said."""
    if claimed_or_denied(response.words, params.corrections):
        return verdict()
    if claimed(response.words, params.errors):
        return verdict(Flag("error_made", f"makes the common error: {params.error}"))
    return not_applicable(Flag("unclear", "neither makes nor corrects the error in words the check knows"))


CHECK = Check(
    title="Trap: common error",
    looks_at="Assertions of the error, and what somebody says who knows better.",
    cannot_see="An error in words the spec does not have, and a response that says both: the correction counts.",
    params=TrapCommonError,
    function=trap_common_error,
)
