"""What pages say of judges: who they are, how their replies came out, how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nullbench_site.protocols.axes.results import AxesJudgeRow
from nullbench_site.protocols.rubric.results import RubricAgreement, RubricJudgeRow
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, RubricView
from nullbench_site.specs.types import Judge, Panel
from nullbench_site.stats.agreement import ACCEPTABLE_FROM, TENTATIVE_FROM

# The agreement of a panel in words.


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


# Who judged, said wherever scores stand, and of which profile of the specs that is.

NOBODY = "No judge: a program marks each answer by its key."
"""What is said of a board without a panel."""


def panel_words(view: BoardView) -> str:
    """The panel of a board and, where there is one, its G-Eval judge; or that there is nobody."""
    profile = f" Profile “{view.benchmark.profile}”." if view.benchmark.profile else ""
    who = NOBODY if view.panel is None else _panel(view, view.panel)
    return f"{who}{profile}"


def _panel(view: BoardView, panel: Panel) -> str:
    judges = words.listed([judge.title for judge in view.judges])
    geval = view.geval_judge if isinstance(view, RubricView) else None
    asked = f" G-Eval asks {geval.title}." if geval else ""
    if all(judge.backend == "offline" for judge in view.judges):
        what = "which is a program" if len(view.judges) == 1 else "which are programs"
        nobody = " No language model judged." if view.rule_based else ""
        return f"Rule-based panel: {judges}, {what}.{asked}{nobody}"
    title = "" if view.panel is None else f"Panel “{view.panel.title}”: "
    return f"{title}{judges}.{asked}"


_LABELS = ("acceptable", "tentative", "insufficient", "absent")
_WORTH = {
    "acceptable": f"{ACCEPTABLE_FROM:.2f} or more",
    "tentative": f"below {ACCEPTABLE_FROM:.2f} only tentative conclusions stand",
    "insufficient": f"below {TENTATIVE_FROM} it is too little even for tentative conclusions about single answers",
}
_FLATTERED = 0.1
"""By how much agreement on all answers has to exceed that on scored ones to be worth a warning."""


def who(view: BoardView) -> list[dict[str, str]]:
    """Each judge of the panel, in its order: what it is and what it looks at."""
    return [
        {"title": judge.title, "what": _kind(view, judge), "family": judge.family, "looks_at": judge.description}
        for judge in view.judges
    ]


def _kind(view: BoardView, judge: Judge) -> str:
    if judge.backend == "offline":
        return f"the program “{judge.model}”"
    return f"the model “{judge.model}” at the endpoint {view.benchmark.endpoint_of(judge).id}"


def agreed(row: AgreementRow | RubricAgreement, n_judges: int) -> Iterator[str]:
    """How far the panel agrees, and what that is worth."""
    if row.alpha_scored is None or row.label_scored is None:
        how = " A panel of two judges or more would tell." if n_judges < 2 else ""
        yield f"How far the judges agree on scored answers is not measured: {row.absent_scored}.{how}"
        return
    alpha = words.number(row.alpha_scored, 3)
    label = row.label_scored
    yield f"With α {alpha} on scored answers the agreement of the judges is {label}: {_WORTH[label]}."
    if row.alpha is not None and row.alpha - row.alpha_scored >= _FLATTERED:
        yield (
            f"On all answers, refusals and null models included, α is {words.number(row.alpha, 3)}. That they agree on "
            "who says nothing is no evidence that they agree on who does better."
        )


def tally(rows: Sequence[AgreementRow | RubricAgreement]) -> list[dict[str, Any]]:
    """How many groups have which label, on all answers and on scored ones."""
    counts = {
        "All answers": Counter(row.label or "absent" for row in rows),
        "Scored answers": Counter(row.label_scored or "absent" for row in rows),
    }
    return [
        {
            "what": what,
            "labels": [
                {"mark": label, "said": f"{words.number(found[label], 0)} {_label(label)}"}
                for label in _LABELS
                if found[label]
            ],
        }
        for what, found in counts.items()
    ]


def _label(label: str) -> str:
    return words.ABSENT if label == "absent" else label


def replied(rows: Sequence[AxesJudgeRow | RubricJudgeRow]) -> str:
    """How many replies could be read."""
    scored, failed, invalid, missing, repaired = (
        sum(getattr(row, name) for row in rows) for name in ("scored", "errored", "unparsed", "missing", "repaired")
    )
    replies = scored + failed + invalid
    if not replies:
        return "No judge has replied yet; the next build asks them."
    said = f"All {words.number(replies, 0)} verdicts could be read"
    if failed or invalid:
        said = (
            f"Of {words.number(replies, 0)} verdicts {words.number(failed, 0)} failed after all attempts and "
            f"{words.number(invalid, 0)} could not be read; they count in no mean"
        )
    if repaired:
        said += f"; {words.number(repaired, 0)} of them at the second asking"
    if missing:
        said += f"; {words.number(missing, 0)} more are still missing, which the next build asks for"
    return f"{said}."


def severity(titles: Mapping[str, str], scale: Mapping[str, float | None], form: str) -> str:
    """Who is the most severe judge and who the most lenient; nothing of fewer than two.

    titles: of judges. scale: a figure a judge, higher of the more lenient. form: of it, for a sentence.
    """
    known = sorted((value, judge) for judge, value in scale.items() if value is not None)
    if len(known) < 2:
        return ""
    (low, severe), (high, lenient) = known[0], known[-1]
    apart = words.number(high - low, 2)
    if apart == words.number(0.0, 2):
        return "No judge is more severe than another."
    return (
        f"The most severe judge is {titles[severe]} ({form.format(words.number(low, 2))}), the most lenient "
        f"{titles[lenient]} ({form.format(words.number(high, 2))}): {apart} apart on a scale of 1 to 5."
    )


def spread(mean: float | None, sd: float | None) -> dict[str, float] | None:
    """Where a judge's ratings lie, in percent of the way from 1 to 5: its mean, and one standard deviation about it."""
    if mean is None or sd is None:
        return None
    low, at, high = (min(100.0, max(0.0, 25 * (value - 1))) for value in (mean - sd, mean, mean + sd))
    return {"low": low, "at": at, "high": high}
