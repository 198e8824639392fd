"""The line that says which joint test the ranks of a board or table come from, and the error it showed there."""

from __future__ import annotations

from collections.abc import Sequence

from nullbench_site.scoring.board_tables import JointCheck, Separation
from nullbench_site.scoring.ranking import TOO_FEW_ITEMS
from nullbench_site.site import words

NOT_MEASURED = "Ranks come from a sign-flip test of all pairs; its error was not measured here."
_TESTS = {"flips": "sign flips", "bootstrap": "a bootstrap of clusters", "betting": "a betting bound"}


def joint_words(checks: Sequence[JointCheck], separation: Separation | None, *, fewer_draws: bool = False) -> str:
    """Return one or two sentences. checks: the tests that were tried, in order; the last one was used.

    fewer_draws: whether the error was measured with fewer draws than on a board.
    """
    if separation is None:
        return ""
    if not checks:
        return NOT_MEASURED
    *failed, used = checks
    made = "dealing" if used.draws_dealt else "redrawing"
    few = ", fewer draws than on a board" if fewer_draws else ""
    if used.test == "betting" and not separation.together:
        return f"{TOO_FEW_ITEMS.capitalize()}: {_failures(checks[:1])}, and no test that holds 5 % separates a pair."
    why = f", because {_failures(failed)}" if failed else ""
    error = f"{_percent(used.error)} of {words.number(used.draws, 0)} tables of equal contestants"
    told = "told some two of them apart" if used.test != "betting" else "separated some two of them"
    return (
        f"Ranks come from {_TESTS[used.test]} over all pairs at 5 %{why}. On {error} "
        f"({made} residuals{few}), that test {told}."
    )


def _percent(share: float) -> str:
    return f"{words.number(100 * share)} %"


def _failures(checks: Sequence[JointCheck]) -> str:
    return " and ".join(
        f"{_TESTS[each.test]} told equal contestants apart in {_percent(each.error)} of "
        f"{words.number(each.draws, 0)} tables made of the residuals"
        for each in checks
    )
