"""The types that no program checks: judges see the prompt, the ideal answer and the criteria, and no flags."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from nullbench_site.checks.check import Check, Line, Response, Result, not_applicable


class JudgedCheck(Check, frozen=True):
    """The base of these types."""

    cannot_see = "No program looks at it: it is left to the judges."
    automatic: ClassVar[bool] = False

    def check(self, response: Response) -> Result:
        """Does not apply."""
        return not_applicable("left_to_judges", "no program checks this")


class Analysis(JudgedCheck, frozen=True, tag="analysis"):
    """Parameters of analysis: none."""

    title = "Analysis"
    looks_at = "How findings are weighed and put together."


class Behavioural(JudgedCheck, frozen=True, tag="behavioural"):
    """Parameters of behavioural: none."""

    title = "Behavioural"
    looks_at = "What the response does beside the task: praise, advice, invention, restraint."


class Calibration(JudgedCheck, frozen=True, tag="calibration"):
    """Parameters of calibration: none."""

    title = "Calibration"
    looks_at = "Whether the response is as sure as it can be, and no surer."


class Checklist(JudgedCheck, frozen=True, tag="checklist"):
    """Parameters of checklist."""

    title = "Checklist"
    looks_at = "Which points of a list are made, in whatever words."

    items: Annotated[
        tuple[Line, ...], Meta(min_length=1, max_length=50, description="What a good answer mentions, for the judges.")
    ]


class Comparison(JudgedCheck, frozen=True, tag="comparison"):
    """Parameters of comparison: none."""

    title = "Comparison"
    looks_at = "Whether alternatives are compared on what matters and one is chosen with reasons."


class FormatCheck(JudgedCheck, frozen=True, tag="format-check"):
    """Parameters of format-check: none."""

    title = "Format check"
    looks_at = "Whether a form that no program can check is kept: tone, structure, genre."


class Reasoning(JudgedCheck, frozen=True, tag="reasoning"):
    """Parameters of reasoning: none."""

    title = "Reasoning"
    looks_at = "Whether each step follows, and the conclusion from the steps."


class Synthesis(JudgedCheck, frozen=True, tag="synthesis"):
    """Parameters of synthesis: none."""

    title = "Synthesis"
    looks_at = "Whether sources that disagree are brought together without being bent."
