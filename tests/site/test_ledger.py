"""The page of the ledger, and what stands beside a contestant that has a mark."""

from __future__ import annotations

from dataclasses import replace

from support.sites import Site

from nullbench_site.site.pages import runs
from nullbench_site.site.wellknown import llms_txt


def test_entries_stand_newest_first_and_lead_to_what_has_a_page(small_site: Site) -> None:
    content = small_site.content("runs/ledger/")
    assert "Since 2026-10-01: 1 withdrawn and 1 added." in content.one("p", class_="nb-lead").text
    (table,) = content.all("table")
    assert table.rows() == [
        ["contestant textrank-2 added", "2026-11-02", "A baseline.", "Ben"],
        ["item fish-09 withdrawn", "2026-10-01", "Wrong.", "Ada"],
    ]
    assert [link.attributes["href"] for link in table.one("tbody").all("a")] == ["../../models/textrank-2/"]


def test_the_page_of_runs_and_llms_txt_lead_to_it_where_there_is_one(small_site: Site) -> None:
    links = [link for link in small_site.content("runs/").all("a") if link.text == "ledger, 2 entries"]
    assert [link.attributes["href"] for link in links] == ["ledger/"]
    assert b"[Ledger](runs/ledger/)" in llms_txt(small_site.data, None)
    bare = replace(small_site.data, benchmark=replace(small_site.data.benchmark, ledger=()))
    assert list(runs.ledger(bare)) == []
    assert b"Ledger" not in llms_txt(bare, None)


def test_a_mark_stands_on_the_board_and_on_the_page_of_its_contestant_with_the_reason(small_site: Site) -> None:
    row = next(
        row for row in small_site.content(small_site.board).all("tr") if row.attributes.get("data-m") == "textrank-2"
    )
    assert row.attributes["data-status"] == "provisional"
    (mark,) = [span for span in row.all("span") if span.text == "provisional"]
    assert mark.attributes["title"] == "since 2026-11-01: A preview."
    page = small_site.content("models/textrank-2/").text
    assert "Provisional since 2026-11-01: A preview." in page
    assert "provisional since 2026-11-01" in page
