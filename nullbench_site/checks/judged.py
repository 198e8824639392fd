"""The types that no program checks: judges see the prompt, the ideal answer and the criteria, and no flags."""

from __future__ import annotations

from typing import Annotated, ClassVar, cast

from msgspec import Meta, defstruct

from nullbench_site.checks.check import Check, Line, Response, Result, not_applicable


class JudgedCheck(Check, frozen=True):
    """The base of these types."""

    cannot_see = "No program looks at it: it is left to the judges."
    automatic: ClassVar[bool] = False

    def check(self, response: Response) -> Result:
        """Does not apply."""
        return not_applicable("left_to_judges", "no program checks this")


def _without_parameters(title: str, looks_at: str) -> type[JudgedCheck]:
    """A type that has none; its id and its name follow from its title."""
    tag = title.lower().replace(" ", "-")
    about = {"title": title, "looks_at": looks_at, "__doc__": f"Parameters of {tag}: none."}
    name = title.title().replace(" ", "")
    made = defstruct(name, [], bases=(JudgedCheck,), frozen=True, tag=tag, module=__name__, namespace=about)
    return cast("type[JudgedCheck]", made)


Analysis = _without_parameters("Analysis", "How findings are weighed and put together.")
Behavioural = _without_parameters(
    "Behavioural", "What the response does beside the task: praise, advice, invention, restraint."
)
Calibration = _without_parameters("Calibration", "Whether the response is as sure as it can be, and no surer.")
Comparison = _without_parameters(
    "Comparison", "Whether alternatives are compared on what matters and one is chosen with reasons."
)
FormatCheck = _without_parameters(
    "Format check", "Whether a form that no program can check is kept: tone, structure, genre."
)
Reasoning = _without_parameters("Reasoning", "Whether each step follows, and the conclusion from the steps.")
Synthesis = _without_parameters("Synthesis", "Whether sources that disagree are brought together without being bent.")


class Checklist(JudgedCheck, frozen=True, tag="checklist"):
    """Parameters of checklist."""

    title = "Checklist"
    looks_at = "Which points of a list are made, in whatever words."

    items: Annotated[
        tuple[Line, ...], Meta(min_length=1, max_length=50, description="What a good answer mentions, for the judges.")
    ]
