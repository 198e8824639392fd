"""What the page of a board says of what its order hangs on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from support.oracle_boards import keyed
from support.sites import Site, figures

from nullbench_site.scoring.board_tables import Detectable, Difference, LeadFragility
from nullbench_site.site.claims import table
from nullbench_site.site.pages import compare, trust_marks
from nullbench_site.site.pages.boards import differences, lead_words, robust_words
from nullbench_site.site.pages.panel_words import difference_with_other_judges, panel_ends
from nullbench_site.site.pages.sentences import lead
from nullbench_site.site.views import BoardView
from nullbench_site.stats.measure import PanelKind, Robustness


@pytest.fixture(scope="module")
def close() -> BoardView:
    """Two contestants, one of which is right on one item more, q100, and a third far below."""
    return keyed({"one": 101, "two": 100, "low": 20})


def _with(view: BoardView, **changes: Any) -> BoardView:
    return replace(view, results=msgspec.structs.replace(view.results, **changes))


def test_the_item_that_a_lead_hangs_on_is_named_and_leads_to_its_answers(close: BoardView) -> None:
    told = differences(close)
    assert told["lead"] == "If one item is removed, two scores as high as one:"
    assert told["lead_items"] == ["q100"]


def test_a_lead_that_takes_many_items_says_how_many_were_tried(close: BoardView) -> None:
    kept = _with(close, lead=LeadFragility(leader="one", beyond=15))
    assert lead_words(kept) == "The same contestant is listed first if any 15 items are removed."
    every = _with(close, lead=LeadFragility(leader="one", beyond=len(close.items)))
    assert lead_words(every) == "The same contestant is listed first whichever items are removed."
    more = _with(close, lead=LeadFragility(leader="one", other="two", items=["q001", "q002"], lead=-0.5, beyond=15))
    assert lead_words(more) == "If 2 items are removed, two scores higher than one:"
    even = _with(close, lead=LeadFragility(leader="one", other="two", lead=0.0, beyond=15))
    assert lead_words(even) == "two scores at least as high as one on all items."
    assert lead_words(_with(close, lead=None)) == ""


def test_neighbours_stand_with_their_difference_and_what_it_hangs_on(close: BoardView) -> None:
    """The best null model is a neighbour as any other."""
    first, second, third = differences(close)["pairs"]
    assert (first.a, first.b, first.significant, robust_words(first)) == ("one", "two", False, "no judge scores")
    assert (first.value, first.fragile_items) == (0.5, ["q100"])
    assert (second.significant, second.absent["fragile_items"]) == (True, "more than 20 items")
    assert (third.a, third.b) == ("low", close.results.floor.model)
    assert "2 of 3 pairs and 1 of 2 neighbours" in differences(close)["separation"]


def test_the_smallest_difference_that_the_board_can_detect_stands_with_its_range(close: BoardView) -> None:
    measured = Detectable(n_pairs=2, low=3.0, median=4.5, high=6.0)
    said = differences(_with(close, detectable=measured))["detectable"]
    assert "4.5 points, from 3.0 to 6.0" in said
    assert "not measured: few" in differences(_with(close, detectable=Detectable(absent="few")))["detectable"]
    assert differences(_with(close, detectable=None))["detectable"] == ""


def test_of_two_that_score_the_same_on_every_item_no_difference_was_measured(
    close: BoardView, small_site: Site
) -> None:
    one, two = (row.model for row in close.results.leaderboard[:2])
    same = Difference(
        a=one, b=two, value=0.0, se=0.0, df=None, low=None, high=None, absent={"significant": "the same on every item"}
    )
    told = differences(_with(close, differences=[same]))
    row = small_site.fragment(
        '{% include "_differences.md.j2" %}', view=close, board=close.board, differences=told
    ).one("tbody")
    assert "no: the same on every item" in row.text


def test_a_run_scored_before_there_were_differences_says_nothing_of_them(close: BoardView) -> None:
    told = differences(_with(close, lead=None, differences=[]))
    assert (told["lead"], told["pairs"]) == ("", [])


def test_one_judge_alone_says_nothing_of_whoever_judges(small_site: Site) -> None:
    view = small_site.axes_views[0]
    one, two = (row.model for row in view.results.leaderboard[:2])
    found = msgspec.structs.replace(_difference(one, two, "one judge"), judges=1, judges_alone=1)
    assert robust_words(found) == "not assessed: one judge"


def _difference(a: str, b: str, robust: Robustness, panel: tuple[float, float] | None = None) -> Difference:
    low, high = panel or (None, None)
    return Difference(
        a=a, b=b, value=5.0, se=1.0, df=30.0, low=3.0, high=7.0, significant=True, judges=3, judges_alone=1,
        panel_low=low, panel_high=high, robustness=robust, absent={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "said", "metric"),
    [
        ("models", "[\N{MINUS SIGN}4.3 to +13.9]", "panel_interval"),
        ("mixed", "\N{MINUS SIGN}4.3 to +13.9", "leave_one_out"),
    ],
)
def test_beside_a_difference_stands_what_other_judges_make_of_it_named_by_the_kind_of_panel(
    small_site: Site, kind: PanelKind, said: str, metric: str
) -> None:
    view = small_site.axes_views[0]
    one, two = (row.model for row in view.results.leaderboard[:2])
    found = _difference(one, two, "differs", (-4.3, 13.9))
    told = differences(_with(view, panel_kind=kind, differences=[found]))
    assert told["panel"] == metric
    assert panel_ends(kind, -4.3, 13.9, signs=True) == said
    assert robust_words(found) == "no; same sign under 1 of 3 judges alone"
    none = differences(_with(view, panel_kind="one", differences=[_difference(one, two, "one judge")]))
    assert none["panel"] is None


@pytest.mark.parametrize(
    ("robust", "said"),
    [("holds", "leads"), ("differs", "ahead"), ("unknown", "ahead"), ("one judge", "ahead with one judge")],
)
def test_what_holds_with_this_panel_alone_is_called_so(small_site: Site, robust: Robustness, said: str) -> None:
    """Lead-2 and TextRank-2 as if the first were significantly higher and trusted."""
    view = small_site.axes_views[0]
    first, second = (row.model for row in view.results.leaderboard[:2])
    rows = [
        msgspec.structs.replace(row, rank_low=place, rank_high=place)
        for place, row in enumerate(view.results.leaderboard, start=1)
    ]
    changed = _with(view, leaderboard=rows, differences=[_difference(first, second, robust)])
    found = lead(changed)
    assert found.silence
    assert replace(found, silence="").claim == said
    assert changed.robustness(second, first) == robust
    (pair,) = differences(changed)["pairs"]
    assert robust_words(pair).startswith({"holds": "yes", "differs": "no"}.get(robust, "not assessed"))


def test_the_page_of_comparison_tells_the_script_how_each_pair_came_out(
    small_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = small_site.axes_views[0]
    pairs = [_difference("lead-2", "textrank-2", "holds"), _difference("lead-2", "null-empty", "differs")]
    assert compare._board(_with(view, differences=pairs))["pairs"] == {}, "the board is silent"
    monkeypatch.setattr(trust_marks, "SILENT_FROM", 6)
    told = compare._board(_with(view, differences=pairs))
    assert told["pairs"] == {"lead-2 textrank-2": "significant holds", "lead-2 null-empty": "significant differs"}
    assert told["robust"] == "unknown", "in domains nobody studied it"
    assert table()["significant holds"] != table()["significant differs"]


def test_the_page_of_comparison_has_what_other_judges_make_of_a_difference(small_site: Site) -> None:
    """In either order, of neighbours and for the script; nothing where the panel has no interval."""
    view = small_site.axes_views[0]
    first, second, third = (row.model for row in view.results.leaderboard[:3])
    pairs = [_difference(first, second, "differs", (-4.3, 13.9)), _difference(third, second, "one judge")]
    changed = _with(view, panel_kind="mixed", differences=pairs)
    said = "\N{MINUS SIGN}4.3 to +13.9 if one judge is left out"
    assert compare._board(changed)["other_judges"] == {f"{first} {second}": said}
    turned = difference_with_other_judges(changed, second, first)
    assert turned == "\N{MINUS SIGN}13.9 to +4.3 if one judge is left out"


def test_the_page_of_a_contestant_has_its_interval_with_other_judges_or_why_there_is_none(small_site: Site) -> None:
    view = small_site.axes_views[0]
    row = msgspec.structs.replace(view.results.leaderboard[0], panel_se=9.0, panel_low=40.0, panel_high=90.0)

    def shown(kind: PanelKind, row: Any) -> dict[str, tuple[str, str]]:
        results = msgspec.structs.replace(
            view.results, panel_kind=kind, leaderboard=[row, *view.results.leaderboard[1:]]
        )
        found = figures(replace(small_site.data, boards={**small_site.data.boards, view.board.id: results}), row.model)
        return {name: line for name, line in found.items() if name in ("panel_interval", "leave_one_out")}

    assert shown("models", row) == {"panel_interval": ("[40.0–90.0]", "")}
    assert shown("mixed", row) == {"leave_one_out": ("40.0 to 90.0", "")}
    alone = msgspec.structs.replace(row, panel_low=None, panel_high=None, absent={"panel_low": "one judge"})
    assert shown("one", alone) == {"panel_interval": ("not measured", "one judge")}
    assert shown("models", msgspec.structs.replace(row, panel_low=msgspec.UNSET)) == {}
