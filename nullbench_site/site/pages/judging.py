"""A panel in plain words: who sits on it, how far it can be trusted, and how each judge used the scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nullbench_site.scoring.axes.results import AgreementRow, JudgeRow
from nullbench_site.scoring.rubric.results import RubricAgreement, RubricJudgeRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import Judge
from nullbench_site.stats.agreement import ACCEPTABLE_FROM, TENTATIVE_FROM

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


def replied(rows: Sequence[JudgeRow | RubricJudgeRow]) -> str:
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
