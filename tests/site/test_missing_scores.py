"""What missing scores could change, on the page of a board and in `rank`, against numbers worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.boards import benchmark, category, domain, judged, model, scored

from nullbench_site.interop.rank_report import as_csv, as_text
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.scoring.ranked_table import RankedTable, rank_table
from nullbench_site.site.pages.missing_scores import missing_scores
from nullbench_site.site.views import BoardView, view_of

ITEMS = ("q1", "q2", "q3", "q4")


def board(**of: dict[str, int]) -> BoardView:
    own = benchmark(domain("law", category("courts", *ITEMS)), models=tuple(model(name) for name in of))
    records = [record for name, marks in of.items() for record in judged(marks, name)]
    return view_of(own, own.boards["main"], scored(own, records))


def test_a_contestant_without_all_items_has_bounds_on_its_board() -> None:
    view = board(m=dict.fromkeys(ITEMS, 70), p=dict.fromkeys(ITEMS, 20), half={"q1": 90, "q2": 50})
    (found,) = missing_scores(view)
    assert (found.row.model, found.n_items, found.of_items, found.n_ranked) == ("half", 2, 4, 2)
    assert found.bounds == pytest.approx(((90 + 50) / 4, (90 + 50 + 200) / 4, 1, 2))


def test_a_complete_board_has_no_bounds() -> None:
    assert missing_scores(board(m=dict.fromkeys(ITEMS, 70), p=dict.fromkeys(ITEMS, 20))) == []
    assert missing_scores(board(half={"q1": 90})) == []


TABLE = "item,alpha,beta,gamma,part\n" + "".join(
    f"q{n},{row}\n"
    for n, row in enumerate(("1,1,0,1", "1,0,0,", "1,1,1,1", "0,1,0,0", "1,0,0,", "1,1,0,1", "1,0,1,1", "1,1,0,1"))
)


def ranked(tmp_path: Path, text: str, **options: bool) -> RankedTable:
    path = tmp_path / "table.csv"
    path.write_text(text, "utf-8")
    return rank_table(read_table(str(path), Chosen(transpose=True)), **options)


@pytest.mark.parametrize(
    ("lower_is_better", "ends", "ranks"),
    [
        (False, (62.5, 87.5), (1, 2)),  # 5 of 6 are right; alpha has 7 of 8, beta 5 of 8, gamma 2 of 8
        (True, (62.5, 87.5), (2, 3)),
    ],
)
def test_rank_gives_bounds_to_a_model_without_all_items(
    tmp_path: Path, lower_is_better: bool, ends: tuple[float, float], ranks: tuple[int, int]
) -> None:
    (row,) = ranked(tmp_path, TABLE, lower_is_better=lower_is_better).incomplete
    assert (row.lowest, row.highest) == ends
    assert (row.best_rank, row.worst_rank) == ranks


def test_rank_says_what_the_bounds_are(tmp_path: Path) -> None:
    table = ranked(tmp_path, TABLE)
    assert "62.5 to 87.5  1 to 2" in as_text(table)
    assert any(note.startswith('"Can be": if all missing scores') for note in table.notes)
    assert as_csv(table).splitlines()[-1].endswith(",62.5,87.5,1,2")


def test_a_scale_without_ends_has_no_bounds(tmp_path: Path) -> None:
    rows = [(name, n, start + n) for name, start in (("alpha", 10), ("beta", 300)) for n in range(8)]
    rows += [("part", n, 50 + n) for n in range(6)]
    path = tmp_path / "table.csv"
    path.write_text("model,item,score\n" + "".join(f"{name},q{n},{score}\n" for name, n, score in rows), "utf-8")
    table = rank_table(read_table(str(path), Chosen(score="score")))
    assert [row.model for row in table.incomplete] == ["part"]
    assert table.scale is None
    assert "can be" not in as_text(table)
