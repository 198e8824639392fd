"""What `rank` makes of names that want to be more than text, of ties, and of numbers without bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nullbench_site as nb
from nullbench_site.errors import UsageError
from nullbench_site.interop.rank_report import FORMATS, findings
from nullbench_site.interop.score_table import read_table
from nullbench_site.scoring.ranked_table import RankedTable, rank_table

NAMES = ("<script>alert(1)</script>", "a\x1b[31mred", "\u202eevil", "line\u2028end", "[link](javascript:x)", "=1+1")


def ranked(tmp_path: Path, rows: str) -> RankedTable:
    (tmp_path / "scores.csv").write_text(f"model,item,score\n{rows}", "utf-8")
    return rank_table(read_table(str(tmp_path / "scores.csv")))


@pytest.mark.parametrize("form", ["table", "markdown", "html"])
def test_names_are_shown_as_text_without_control_or_bidirectional_characters(tmp_path: Path, form: str) -> None:
    rows = "".join(f"{name},i{n},{(n * place) % 3 // 2}\n" for place, name in enumerate(NAMES, 1) for n in range(12))
    text = FORMATS[form](ranked(tmp_path, rows))
    assert not {"\x1b", "\u202e", "\u2028"} & set(text)
    assert all(shown in text for shown in ("x1b", "u202eevil", "u2028end"))
    if form != "table":
        assert "<script>alert(1)" not in text


def test_a_lead_of_nothing_and_a_single_item_say_nothing_of_items_that_are_removed(tmp_path: Path) -> None:
    tied = ranked(tmp_path, "".join(f"{model},i{n},1\n" for model in "ab" for n in range(8)))
    single = ranked(tmp_path, "a,x,1\nb,x,0\n")
    for table in (tied, single):
        assert not any("removed" in line or "vanishes" in line for line in findings(table))


@pytest.mark.parametrize(("score", "shown"), [("1e308", "1e+308"), ("9" * 400, "9999"), ("-1e200", "-1e+200")])
def test_scores_whose_squares_are_infinite_are_refused(tmp_path: Path, score: str, shown: str) -> None:
    with pytest.raises(UsageError, match=r"scores\.csv:2: score: the score .* is (too large|infinite)"):
        ranked(tmp_path, f"a,x,{score}\nb,x,0\n")
    (tmp_path / "scores.json").write_text(f'[{{"model": "a", "item": "x", "score": {score}}}]', "utf-8")
    with pytest.raises(UsageError) as caught:
        read_table(str(tmp_path / "scores.json"))
    assert shown in str(caught.value)


LONG = pd.DataFrame({"model": list("aabb"), "item": list("xyxy"), "score": [1.0, 0.0, 0.0, 1.0]})


@pytest.mark.parametrize(
    ("frame", "how", "said"),
    [
        (pd.DataFrame(), {}, "the table has no column"),
        (LONG.iloc[:0], {}, "the table has a header and no row"),
        (pd.concat([LONG, LONG["score"]], axis=1), {}, "two columns are called 'score'"),
        (LONG["score"], {}, "rank takes a data frame, not Series"),
        (LONG, {"scale": (1, 0)}, "the first end must be lower than the second"),
        (LONG, {"coverage": 1.5}, "the coverage 1.5 is not a share"),
        (LONG, {"seed": -1}, "the seed -1 is below 0"),
        (
            LONG.pivot(index="model", columns="item"),
            {"groups": {"g": ["z"]}},
            "groups names item 'z', which has no column",
        ),
    ],
    ids=["empty", "no row", "twice", "series", "scale", "coverage", "seed", "groups"],
)
def test_a_frame_or_an_argument_that_cannot_be_used_gets_one_message(
    frame: Any, how: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        nb.rank(frame, **how)
    assert said in str(caught.value)
