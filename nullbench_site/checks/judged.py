"""The types that no program checks: judges see the prompt, the ideal answer and the criteria, and no flags."""

from __future__ import annotations

from typing import Annotated, ClassVar, cast

from msgspec import Meta, defstruct

from nullbench_site.checks.check import Check, Line, Response, Result, about, not_applicable


class JudgedCheck(Check, frozen=True):
    """The base of these types."""

    automatic: ClassVar[bool] = False

    def check(self, response: Response) -> Result:
        """Does not apply."""
        return not_applicable("left_to_judges", "no program checks this")


def _without_parameters(tag: str) -> type[JudgedCheck]:
    """A type that has none; its name follows from its id."""
    title, looks_at, cannot_see = about(tag)
    own = {"title": title, "looks_at": looks_at, "cannot_see": cannot_see, "__doc__": f"Parameters of {tag}: none."}
    name = tag.title().replace("-", "")
    made = defstruct(name, [], bases=(JudgedCheck,), frozen=True, tag=tag, module=__name__, namespace=own)
    return cast("type[JudgedCheck]", made)


Analysis = _without_parameters("analysis")
Behavioural = _without_parameters("behavioural")
Calibration = _without_parameters("calibration")
Comparison = _without_parameters("comparison")
FormatCheck = _without_parameters("format-check")
Reasoning = _without_parameters("reasoning")
Synthesis = _without_parameters("synthesis")


class Checklist(JudgedCheck, frozen=True, tag="checklist"):
    """Parameters of checklist."""

    title, looks_at, cannot_see = about("checklist")

    items: Annotated[
        tuple[Line, ...], Meta(min_length=1, max_length=50, description="What a good answer mentions, for the judges.")
    ]
