"""What pages say of answers that screening flags."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from support.boards import benchmark, category, domain, judged, model, scored

from nullbench_site.scoring.board_tables import ScreeningRow
from nullbench_site.site.pages.tables import board_table
from nullbench_site.site.trust.screening import finding, shown_screening
from nullbench_site.site.views import BoardView, view_of


def row(name: str = "m", **fields: Any) -> ScreeningRow:
    none: dict[str, Any] = {
        "n_responses": 20, "n_read": 20, "n_hashed": 0, "n_with_flags": 0, "n_compared": 20, "n_repeated": 0,
        "constant": False, "is_flagged": False,
    }  # fmt: skip
    return ScreeningRow(model=name, **{**none, **fields})


FEW = row(
    n_with_flags=4, flags=["judge-address", "self-praise"], counts={"judge-address": 3, "self-praise": 2},
    examples={"judge-address": ["q1"], "self-praise": ["q1"]}, is_flagged=True,
)  # fmt: skip
ALARM = row(n_with_flags=1, flags=["self-praise"], counts={"self-praise": 1}, examples={"self-praise": ["q1"]})
HASHES = row(n_read=0, n_hashed=20, n_repeated=20, constant=True, is_flagged=True)


def board(*rows: ScreeningRow) -> BoardView:
    own = benchmark(domain("law", category("courts", "q1")), models=(model("m"), model("p")))
    results = scored(own, [*judged({"q1": 50}), *judged({"q1": 50}, "p")])
    found: Any = [*rows] if rows else msgspec.UNSET
    return view_of(own, own.boards["main"], msgspec.structs.replace(results, screening=found))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            FEW,
            "Flagged by screening: 4 of 20 answers look like known attacks (addresses the judge: 3; "
            "praises itself: 2).",
        ),
        (ALARM, "Screening found: 1 of 20 answers looks like a known attack (praises itself: 1)."),
        (HASHES, "Flagged by screening: 20 of 20 answers have the same sha256 as the answer to another item."),
    ],
)
def test_the_page_of_a_contestant_names_what_was_found(found: ScreeningRow, sentence: str) -> None:
    view = board(found, row("p"))
    own = finding(view, view.rows["m"])
    assert own is not None
    assert own.sentence == sentence
    assert own.link == "evidence/#board=main&model=m"
    assert finding(view, view.rows["p"]) is None


def test_only_a_flagged_contestant_has_the_mark_on_the_board() -> None:
    marks = {each.row.model: "flagged by screening" in each.remarks for each in board_table(board(FEW, ALARM_P)).rows}
    assert marks == {"m": True, "p": False}


ALARM_P = msgspec.structs.replace(ALARM, model="p")


def test_the_board_counts_flags_and_says_what_was_not_read() -> None:
    shown = shown_screening(board(HASHES, row("p", n_responses=30)))
    assert shown is not None
    assert list(shown.sentences) == [
        "Screening flags 1 contestant of the 2 here. A flag changes no score: read the answers.",
        "The sha256 is all that is known of 20 of 50 answers, so only exact repeats show.",
        "10 of 50 answers were not screened: neither their texts nor comparable hashes are published, as with answers "
        "to private items.",
    ]
    assert [each.model for each, _ in shown.rows] == ["m"]
    assert shown_screening(board()) is None
    clean = shown_screening(board(row(), row("p")))
    assert clean is not None
    assert clean.sentences[0] == "Screening flags none of the 2 here. A flag changes no score: read the answers."
