"""What pages say about canaries that contestants complete."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from support.boards import benchmark, category, domain, judged, model, scored
from support.sites import Site

from nullbench_site.scoring.contamination import IMPORTED, NOT_ASKED
from nullbench_site.scoring.contamination_tables import CanaryRow
from nullbench_site.site.pages import trust_marks
from nullbench_site.site.pages.decomposition import decompositions
from nullbench_site.site.trust.contamination import canary_probe, shown_probes
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.canaries import FileCanary

CANARY = FileCanary("boards/main.yaml", "nullbench-canary:8d1f0c52-6b1e-4c07-9f3a-0123456789ab")


def board(*rows: CanaryRow) -> BoardView:
    own = benchmark(domain("law", category("courts", "q1")), models=(model("m"), model("p")))
    own = replace(own, models={**own.models, "m": msgspec.structs.replace(own.models["m"], backend="openai")})
    results = scored(own, [*judged({"q1": 50}), *judged({"q1": 50}, "p")])
    found: Any = [*rows] if rows else msgspec.UNSET
    return view_of(own, own.boards["main"], msgspec.structs.replace(results, canaries=found))


def canaries(completed: tuple[str, ...] = (), n_answered: int = 3, absent: str | None = None) -> CanaryRow:
    return CanaryRow(
        model="m", n_canaries=3, n_answered=n_answered, n_errored=0, n_completed=len(completed),
        completed=[*completed], absent=absent,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "completed"),
    [
        ("9f3a-0123456789ab", True),
        ("nullbench-canary:8d1f0c52-6b1e-4c07-9f3a-0123456789ab", True),
        ("The rest is `9F3A 0123456789AB`.", True),
        ("9f3a-0123456789", False),
        ("8d1f0c52-6b1e-4c07-", False),
        ("", False),
    ],
)
def test_only_the_whole_rest_completes_a_canary(answer: str, completed: bool) -> None:
    assert CANARY.shown + CANARY.rest == CANARY.text
    assert (CANARY.shown[-5:], CANARY.rest) == ("4c07-", "9f3a-0123456789ab")
    assert CANARY.is_completed_by(answer) is completed


@pytest.mark.parametrize(
    ("row", "state", "why"),
    [
        (canaries(("boards/main.yaml",)), "low", "It completes 1 of 3 canaries of this board's files, so"),
        (canaries(), "low", "It completes none of the 3 canaries of this board's files; medium"),
        (canaries(n_answered=0, absent=NOT_ASKED), "not measured (not reported)", "Nobody tested"),
        (canaries(n_answered=0, absent=IMPORTED), "not measured (not measurable here)", "Its answers were imported"),
    ],
)
def test_the_mark_says_what_canaries_found(row: CanaryRow, state: str, why: str) -> None:
    view = board(row)
    mark = trust_marks.trust(view, view.rows["m"])[2]
    assert (mark.in_words, mark.why[: len(why)]) == (state, why)


def test_a_board_that_does_not_ask_says_so_and_programs_are_not_trained() -> None:
    view = board()
    assert canary_probe(view, view.rows["m"]) is None
    shown = shown_probes(view)
    assert (shown["rows"], shown["can_ask"]) == ([], True)
    assert [*shown["others"]] == ["not asked in this run", "does not apply: a program is not trained"]
    asked = shown_probes(board(canaries()))
    assert ([row.model for row in asked["rows"]], asked["can_ask"]) == (["m"], False)


def test_texts_without_the_items_do_not_clear_a_contestant_that_completes_canaries(shipped_site: Site) -> None:
    """Its score is not called clean, and no inflation of 0 is claimed for it."""
    (facts,) = (view for view in shipped_site.data.views if view.board.id == "facts")
    lines = {line.model: line for line in decompositions(facts)}
    seen, other = lines["seen-third"], lines["smollm2-135m"]
    assert (other.theta.text, other.contamination.text) == ("30.7 [27.8–34.0]", "δ 0.0")
    assert (seen.theta.text, seen.contamination.text) == ("not measured", "not measured")
    assert seen.theta.why.startswith("It completes 3 of 13 canaries")
