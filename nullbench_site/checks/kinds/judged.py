"""The types that no program checks: judges see the prompt, the ideal answer and the criteria, and no flags."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Line, Params


class Analysis(Params, frozen=True, tag="analysis"):
    """Parameters of analysis: none."""


class Behavioural(Params, frozen=True, tag="behavioural"):
    """Parameters of behavioural: none."""


class Calibration(Params, frozen=True, tag="calibration"):
    """Parameters of calibration: none."""


class Checklist(Params, frozen=True, tag="checklist"):
    """Parameters of checklist."""

    items: Annotated[
        tuple[Line, ...], Meta(min_length=1, max_length=50, description="What a good answer mentions, for the judges.")
    ]


class Comparison(Params, frozen=True, tag="comparison"):
    """Parameters of comparison: none."""


class FormatCheck(Params, frozen=True, tag="format-check"):
    """Parameters of format-check: none."""


class Reasoning(Params, frozen=True, tag="reasoning"):
    """Parameters of reasoning: none."""


class Synthesis(Params, frozen=True, tag="synthesis"):
    """Parameters of synthesis: none."""


_CANNOT_SEE = "No program looks at it: it is left to the judges."

JUDGED: tuple[Check[Params], ...] = tuple(
    Check(title=title, looks_at=looks_at, cannot_see=_CANNOT_SEE, params=params, function=None)
    for params, title, looks_at in (
        (Analysis, "Analysis", "How findings are weighed and put together."),
        (Behavioural, "Behavioural", "What the response does beside the task: praise, advice, invention, restraint."),
        (Calibration, "Calibration", "Whether the response is as sure as it can be, and no surer."),
        (Checklist, "Checklist", "Which points of a list are made, in whatever words."),
        (Comparison, "Comparison", "Whether alternatives are compared on what matters and one is chosen with reasons."),
        (FormatCheck, "Format check", "Whether a form that no program can check is kept: tone, structure, genre."),
        (Reasoning, "Reasoning", "Whether each step follows, and the conclusion from the steps."),
        (Synthesis, "Synthesis", "Whether sources that disagree are brought together without being bent."),
    )
)
