"""Contamination by date on the trust page, and in the marks of a board's contestants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.dated_boards import DATE, write_dated

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.scoring.tables import read_results
from nullbench_site.site.pages.trust_marks import TrustMark, trust
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.load import load_benchmark


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(write_dated(tmp_path_factory.mktemp("dated")))


@pytest.fixture(scope="module")
def page(repository: Repository) -> str:
    """Build the site; return the text of the trust page."""
    site = Path(api.build(repository).site_dir)
    text = (site / "boards" / "dated" / "trust" / "index.html").read_text("utf-8")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


def marks(repository: Repository) -> dict[str, TrustMark]:
    """Return the mark for contamination of each contestant."""
    run = api.find_run(repository, None).path
    benchmark = load_benchmark(run / "specs")
    view: BoardView = view_of(benchmark, benchmark.boards["dated"], read_results(run, "dated"))
    return {name: trust(view, row)[2] for name, row in view.rows.items()}


def test_the_mark_follows_from_the_dates(repository: Repository, page: str) -> None:
    found = marks(repository)
    assert {name: mark.in_words for name, mark in found.items()} == {
        "seen": "low",
        "tuned": "low",
        "early": "high (declared)",
        "late": "low",
        "other": "low",
        "gappy": "high (declared)",
    }
    assert re.fullmatch(
        r"Flagged by date: its score drops [\d.]+ points more than that of others on leet items from 2023-09-01 on "
        r"\(bounds [\d.]+ to [\d.]+\); it may have seen older ones in training\.",
        found["tuned"].why,
    )
    assert "leet items newer than its training cutoff, 2023-08 (bounds " in found["seen"].why
    assert found["early"].why == "All 48 items are newer than its training cutoff, 2022, as the specs state it."
    assert found["early"].figure == "cutoff 2022"
    assert found["late"].why.startswith("No sign by date: its score drops ")
    assert found["late"].why.endswith("; medium trust takes a test of overlap with training text.")


def test_the_trust_page_has_each_test_and_says_who_is_not_testable_and_why(page: str) -> None:
    assert f"Items before {DATE} and from that day on" in page
    assert "All items: 2 of 5 flagged" in page
    assert "leet items: 2 of 5 flagged" in page
    assert "at items: none of 5 flagged" in page
    assert "Not testable: Gappy (scores on 47 of 48 items only)." in page
    cutoffs = page.partition("training cutoff, and newer ones")[2]
    assert "All items: 1 of 1 flagged" in cutoffs
    assert "All items are newer than the training cutoff of Early (2022) and Gappy (2022-06-30) ." in cutoffs
    assert cutoffs.count("Not testable: Late (no item is newer than its training cutoff, 2024-01).") == 1
    assert "(no training cutoff is stated; fill in `training_cutoff`)" in cutoffs
    assert "What dates cannot tell" in page


def test_items_without_dates_leave_the_part_out(tmp_path: Path) -> None:
    repository = Repository(write_dated(tmp_path, date=None, dates=False))
    site = Path(api.build(repository).site_dir)
    assert "By date" not in (site / "boards" / "dated" / "trust" / "index.html").read_text("utf-8")
    assert {mark.in_words for mark in marks(repository).values()} == {
        "not measured (not testable with these items)"
    }  # nor texts to compare
