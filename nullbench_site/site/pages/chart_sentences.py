"""What each chart of a board shows in its data, in one plain sentence made from the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nullbench_site.site import words

_NAMED = 6
"""How many contestants a sentence names."""


def intervals(rows: Sequence[dict[str, Any]]) -> str:
    """How many intervals overlap with the leader's. rows: {title, low, high} of contestants, best first."""
    if len(rows) < 2:
        return ""
    first, *rest = rows
    overlap = [row for row in rest if row["high"] >= first["low"]]
    reach = f"the interval of {first['title']}, {words.number(first['low'])} to {words.number(first['high'])}"
    if not overlap:
        return f"No other interval reaches {reach}."
    if len(rest) == 1:
        return f"The other interval reaches {reach}."
    reaches = "reaches" if len(overlap) == 1 else "reach"
    return f"{words.of(len(overlap), len(rest))} other intervals {reaches} {reach}."


def quartiles(rows: Sequence[dict[str, Any]]) -> str:
    """Whose items are most alike, and whose most unlike, of those whose items differ. rows: {title, q1, q3}."""
    rows = [row for row in rows if row["q3"] > row["q1"]]
    if len(rows) < 2:
        return ""
    ordered = sorted(rows, key=lambda row: row["q3"] - row["q1"])
    least, most = ordered[0], ordered[-1]
    width = [words.number(row["q3"] - row["q1"]) for row in (least, most)]
    if width[0] == width[1]:
        return f"Where items differ at all, their middle half spans {width[0]} points."
    return (
        f"{least['title']} is the most even: the middle half of its items spans {width[0]} points. {most['title']} is "
        f"the least, with {width[1]}."
    )


def outcomes(contestants: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Who leaves the most answers without a valid mark. contestants: title and answers by outcome, as charted."""
    if not contestants:
        return ""
    title, counts = max(contestants, key=lambda one: (one[1][2] + one[1][3]) / max(1, sum(one[1])))
    lost = counts[2] + counts[3]
    if not lost:
        return "Every answer is valid, so what is not right is wrong."
    return f"{title} loses most to answers that are invalid or failed: {words.of(lost, sum(counts))}."


def frontier(titles: Sequence[str], others: int, good: str) -> str:
    """Who is beaten on both sides by nobody. titles: by rank. good: what less of the amount is, as "fast"."""
    named = [*titles[:_NAMED], f"{len(titles) - _NAMED} more"] if len(titles) > _NAMED else list(titles)
    if len(titles) == 1 and others:
        return f"{titles[0]} is at least as good and as {good} as every other contestant, and ahead in one of the two."
    on_it = f"On the frontier: {words.listed(named)}"
    if not others:
        return f"{on_it}. None of them is both better and {good}er than another."
    whom = "the one other contestant" if others == 1 else f"each of the other {others} contestants"
    return f"{on_it}. For {whom} one of these is at least as good and as {good}, and ahead in one of the two."
