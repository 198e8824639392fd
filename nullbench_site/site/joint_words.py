"""The line that says which joint test the ranks of a board or table come from, and the error it showed there."""

from __future__ import annotations

from collections.abc import Sequence

from nullbench_site.scoring.board_tables import JointCheck, Separation, StoppedAt
from nullbench_site.scoring.ranking import TOO_FEW_ITEMS
from nullbench_site.site import words

NOT_MEASURED = "Ranks come from a sign-flip test of all pairs; its error was not measured here."
_TESTS = {"flips": "sign flips", "bootstrap": "a bootstrap of clusters", "betting": "a betting bound"}


def joint_words(
    checks: Sequence[JointCheck], separation: Separation | None, *, fewer_draws: bool = False, n_looks: int = 0
) -> str:
    """Return one or two sentences. checks: the tests that were tried, in order; the last one was used.

    fewer_draws: whether the error was measured with fewer draws than on a board. n_looks: of a board that may stop
    early, which has one test.
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
    if n_looks and not used.holds:
        return f"No two are told apart: {_failures([used])}, and a board with looks has no other test."
    spread = f", spread over {n_looks} looks" if n_looks else ""
    why = f", because {_failures(failed)}" if failed else ""
    error = f"{_percent(used.error)} of {words.number(used.draws, 0)} tables of equal contestants"
    told = "told some two of them apart" if used.test != "betting" else "separated some two of them"
    return (
        f"Ranks come from {_TESTS[used.test]} over all pairs at 5 %{spread}{why}. On {error} "
        f"({made} residuals{few}), that test {told}."
    )


def stopped_words(stopped: StoppedAt, n_items: int | None) -> str:
    """Return the sentences about a board that a build stopped early. n_items: how many were asked; None on a part."""
    if n_items is None:
        return f"The board stopped early, at look {stopped.look} of {stopped.looks}."
    return (
        f"Stopped early, at look {stopped.look} of {stopped.looks}, after {words.of(n_items, stopped.n_items)} items: "
        "every pair was decided. Differences have repeated confidence intervals, which allow for the looks."
    )


def _percent(share: float) -> str:
    return f"{words.number(100 * share)} %"


def _failures(checks: Sequence[JointCheck]) -> str:
    return " and ".join(
        f"{_TESTS[each.test]} told equal contestants apart in {_percent(each.error)} of "
        f"{words.number(each.draws, 0)} tables made of the residuals"
        for each in checks
    )
