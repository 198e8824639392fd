"""The agreement of a panel in words."""

from __future__ import annotations

from nullbench_site.scoring.axes.results import AgreementRow
from nullbench_site.scoring.rubric.results import RubricAgreement
from nullbench_site.site import words


def agreement(row: AgreementRow | RubricAgreement) -> dict[str, dict[str, str]]:
    """The two figures of a row: on all answers, and on those that were scored, null models aside."""
    figures = {
        "all": (row.alpha, row.label, row.absent, row.units),
        "scored": (row.alpha_scored, row.label_scored, row.absent_scored, row.units_scored),
    }
    return {
        name: {
            "alpha": words.number(alpha, 3, absent="–"),
            "label": label or f"not measured: {absent}",
            "mark": label or "absent",
            "units": words.number(units, 0),
        }
        for name, (alpha, label, absent, units) in figures.items()
    }
