"""Scores on contaminated and on clean items, from the overlap that the specs have, in results and on pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import pytest
from support import oracle_boards
from support.boards import model

from nullbench_site.protocols.oracle.metrics import OracleResults
from nullbench_site.scoring.contamination_tables import OverlapRow
from nullbench_site.scoring.tables import result_files
from nullbench_site.site.pages.trust_marks import trust
from nullbench_site.site.trust.contamination import overlap_probe, shown_overlap
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.types import Corpus, OverlapFile, OverlapItem, Similarity

ITEMS = [f"q{number:02}" for number in range(40)]
RIGHT = {item: "correct" if place < 20 else "wrong" for place, item in enumerate(ITEMS)}
WORKED = [f"q{number:03}" for number in range(200)]
"""The worked example: 60 contaminated items, of which 57 are right, and 140 clean ones, of which 98 are right."""


def overlap(*items: OverlapItem, **more: object) -> OverlapFile:
    corpus = Corpus(name="books.txt", sha256="0" * 64, words=1000, training="Books")
    found = OverlapFile(canary="", id="main", texts="0" * 64, corpora=(corpus,), items=items)
    return msgspec.structs.replace(found, **more)


def item(id: str, shared: int = 0, words: int = 20, **more: float) -> OverlapItem:
    return OverlapItem(id=id, words=words, shared=shared, **more)  # type: ignore[arg-type]


def specs(found: OverlapFile | None, items: Sequence[str] = ITEMS) -> Benchmark:
    made = oracle_boards.of(*items, models=("m", "rule", model("guess", "null")))
    models = {"m": msgspec.structs.replace(made.models["m"], backend="openai")}
    return replace(made, models={**made.models, **models}, overlaps={} if found is None else {"main": found})


def view(found: OverlapFile | None, right: Mapping[str, str] = RIGHT) -> BoardView:
    made = specs(found, list(right))
    records = [record for name in ("m", "rule", "guess") for record in oracle_boards.marked(right, name)]  # type: ignore[arg-type]
    return view_of(made, made.boards["main"], oracle_boards.scored(made, records))


def row(results: OracleResults) -> OverlapRow:
    assert not isinstance(results.overlap, msgspec.UnsetType)
    return next(row for row in results.overlap if row.model == "m")


def first(n: int, items: Sequence[str] = ITEMS) -> OverlapFile:
    """The first n of these items are contaminated."""
    return overlap(*(item(each, shared=int(place < n)) for place, each in enumerate(items)))


def test_the_worked_example_has_its_inflation_in_the_results() -> None:
    right = {each: "correct" if place < 57 or 60 <= place < 158 else "wrong" for place, each in enumerate(WORKED)}
    results = view(first(60, WORKED), right).results
    found = row(results)
    assert (found.n_tested, found.n_contaminated, found.rate) == (200, 60, 0.3)
    assert (found.p_mem, found.p_clean, found.gap, found.wide) == (95.0, 70.0, 25.0, True)
    assert found.delta_c == 7.5
    assert None not in (found.delta_c_low, found.delta_c_high)
    assert found.clean == 70.0
    assert results.row("m").overall == 77.5
    files = result_files(results)
    assert files["overlap.csv"].startswith(b"model,n_tested,n_contaminated,rate,p_mem,")


def test_a_board_without_a_file_of_overlap_has_no_table_and_its_digest_does_not_change() -> None:
    without = view(None)
    assert isinstance(without.results.overlap, msgspec.UnsetType)
    assert "overlap.csv" not in result_files(without.results)
    assert spec_digest(specs(None)) != spec_digest(specs(first(1)))


def test_items_that_were_not_testable_are_in_no_rate() -> None:
    short = overlap(*(item(each, shared=int(place < 10), words=12 + (place < 20)) for place, each in enumerate(ITEMS)))
    found = row(view(short).results)
    assert (found.n_tested, found.n_contaminated, found.rate) == (20, 10, 0.5)


@pytest.mark.parametrize(
    ("given", "contaminated"),
    [
        (item("a", shared=1), True),
        (item("a", words=12), None),
        (item("a", words=12, edit=0.2, cosine=0.3), False),
        (item("a", words=12, edit=0.9, cosine=0.3), True),
        (item("a", words=12, edit=0.2, cosine=0.9), True),
        (item("a", edit=0.89, cosine=0.89), False),
        (item("a"), False),
    ],
)
def test_an_item_is_contaminated_by_what_it_shares_or_by_a_similarity_of_tau(
    given: OverlapItem, contaminated: bool | None
) -> None:
    assert overlap(given).contaminated(given) is contaminated
    assert overlap(given, least_shared=2, tau=1.0).contaminated(given) in (False, None)


@pytest.mark.parametrize(
    ("shared", "right", "finding", "state"),
    [
        (0, RIGHT, "clean", "medium"),
        (1, RIGHT, "clean", "medium"),  # it is right, which may be chance
        (9, dict.fromkeys(WORKED[100:], "wrong") | dict.fromkeys(WORKED[:100], "correct"), "flagged", "low"),  # 4.5 %
        (1, dict.fromkeys(ITEMS, "correct"), "clean", "medium"),
        (2, dict.fromkeys(ITEMS, "correct"), "flagged", "low"),  # 5 %
    ],
)
def test_less_than_five_percent_and_no_wide_gap_make_the_mark_medium(
    shared: int, right: Mapping[str, str], finding: str, state: str
) -> None:
    made = view(first(shared, sorted(right)), right)
    probe = overlap_probe(made, made.rows["m"])
    assert probe is not None
    assert probe.finding == finding
    assert probe.sentence.startswith(f"Of {len(right)} tested items, {shared} (")
    assert "are in the text of books.txt." in probe.sentence
    (mark,) = (each for each in trust(made, made.rows["m"]) if each.dimension == "contamination")
    assert mark.in_words == state
    assert overlap_probe(made, made.rows["guess"]) is None


def test_a_board_without_texts_or_without_testable_items_says_so() -> None:
    made = view(overlap(*(item(each, words=12) for each in ITEMS)))
    probe = overlap_probe(made, made.rows["m"])
    assert probe is not None
    assert (probe.finding, probe.sentence) == (
        "not testable",
        "A test takes 13 words or a measured similarity, which no item has.",
    )
    private = [msgspec.structs.replace(oracle_boards.prompt(each), visibility="private") for each in ITEMS]
    hidden = replace(specs(None), domains=oracle_boards.of(*private).domains)
    with_texts = view(None)
    assert overlap_probe(with_texts, with_texts.rows["m"]) is None
    untested = replace(with_texts, benchmark=hidden)
    probe = overlap_probe(untested, untested.rows["m"])
    assert probe is not None
    assert probe.finding == "not testable"
    assert not shown_overlap(untested)["testable"]


def test_the_page_shows_the_items_and_each_contestant() -> None:
    similar = Similarity(method="tf-idf", passage_words=20)
    shown = shown_overlap(view(msgspec.structs.replace(first(30), similarity=similar)))
    assert [shown[name] for name in ("n_tested", "n_contaminated", "n_private")] == [40, 30, 0]
    assert shown["contaminated"] == ["q00", "q01", "q02", "27 more"]
    assert sorted(own.model for _, own, _ in shown["rows"]) == ["guess", "m", "rule"]
