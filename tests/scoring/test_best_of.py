"""What judges pick of several answers to an item, and what the keys of another board say about the picks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support import graded_boards, oracle_boards, pages
from support.boards import MANIFEST, model, response, view, write_shards

from nullbench_site.packaged import packaged
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.records import Record
from nullbench_site.scoring.best_of import best_of_tables
from nullbench_site.scoring.results import rounded
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import judges
from nullbench_site.site.pages.judges import shown_best_of
from nullbench_site.site.render import template_environment
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.best_of_n import NO_CHOICE, NO_PEAK

ITEMS = [f"i{number:02}" for number in range(24)]
SAMPLES = 4


def specs(samples: int = SAMPLES) -> Benchmark:
    """Board "main" with several answers to items of board "keys", by model m and a null model."""
    prompts = [oracle_boards.prompt(item, source=f"text-{int(item[1:]) // 2}") for item in ITEMS]
    texts = {f"text-{number}": f"Text {number}." for number in range(12)}
    domain = oracle_boards.domain("facts", oracle_boards.category("dates", *prompts), sources=texts)
    keys = oracle_boards.benchmark(domain, models=("m", model("void", "null")))
    made = graded_boards.benchmark(*keys.models.values())
    board = msgspec.structs.replace(made.boards["main"], domains=("facts",), samples=samples)
    other = msgspec.structs.replace(keys.boards["main"], id="keys")
    return replace(made, domains=keys.domains, boards={"main": board, "keys": other})


def records(benchmark: Benchmark, lost: str = "") -> list[Record]:
    """In each item one answer of four is right. Anna grades it highest, ben gives every answer one grade.

    lost: the item in which a verdict of anna on one answer is missing.
    """
    made: list[Record] = []
    for name in benchmark.models:
        for item in ITEMS:
            for sample in range(SAMPLES):
                right = sample == int(item[1:]) % SAMPLES
                text = "yes" if right else "no"
                made.append(response(item, name, text=text, sample=sample, template="verbatim"))
                for judge, grade in (("anna", 10 if right else 1 + sample), ("ben", 5)):
                    if (judge, item, sample) != ("anna", lost, 1):
                        made.append(graded_boards.graded(item, 1, judge, grade, name, sample=sample))
    return made


def test_picks_are_compared_with_keys(tmp_path: Path) -> None:
    """One answer at random is right in a quarter of the items, anna's favourite of four always, ben's as at random."""
    benchmark = specs()
    tables = best_of_tables(benchmark, benchmark.boards["main"], write_shards(tmp_path, records(benchmark)), None)
    gold = {(row.judge, row.n_picked_of): row.gold for row in tables["best_of"]}
    assert {row.model for row in tables["best_of"]} == {"m"}
    assert [gold["anna", n] for n in (1, 2, 3, 4)] == pytest.approx([25, 50, 75, 100])
    assert [gold["ben", n] for n in (1, 4)] == pytest.approx([25, 25])
    assert gold[None, 4] == pytest.approx(100)
    fits = {row.judge: row for row in tables["best_of_fits"]}
    assert (fits["ben"].no_choice, fits["ben"].absent["proxy_gold"]) == (1, NO_CHOICE)
    assert (fits["anna"].n_items, fits["anna"].n_clusters, fits["anna"].absent["peak_n"]) == (24, 12, NO_PEAK)
    assert fits["anna"].gain == pytest.approx(75)
    proxy = {row.n_picked_of: row.proxy for row in tables["best_of"] if row.judge == "anna"}
    assert proxy[4] == pytest.approx(100)


def test_an_item_counts_only_with_every_verdict(tmp_path: Path) -> None:
    benchmark = specs()
    run = write_shards(tmp_path, records(benchmark, lost="i03"))
    tables = best_of_tables(benchmark, benchmark.boards["main"], run, None)
    assert {row.judge: row.n_items for row in tables["best_of_fits"]} == {None: 24, "anna": 23, "ben": 24}


def test_boards_without_several_samples_or_keys_have_no_picks(tmp_path: Path) -> None:
    benchmark = specs()
    run = write_shards(tmp_path, records(benchmark))
    without = replace(benchmark, boards={"main": benchmark.boards["main"]})
    assert best_of_tables(without, without.boards["main"], run, None) == {}
    single = specs(samples=1)
    assert best_of_tables(single, single.boards["main"], run, None) == {}
    assert best_of_tables(benchmark, benchmark.boards["keys"], run, None) == {}


def test_the_page_says_what_happened(tmp_path: Path) -> None:
    benchmark = specs()
    tables = best_of_tables(benchmark, benchmark.boards["main"], write_shards(tmp_path, records(benchmark)), None)
    shown = view(benchmark, records(benchmark))
    shown = replace(shown, results=msgspec.structs.replace(shown.results, **rounded(tables)))
    anna, ben, panel = shown_best_of(shown)
    assert anna.says[0].startswith("Of 4 answers of m, the one that anna scores highest is right in 100.0")
    assert "one answer at random is right in 25.0" in anna.says[0]
    assert anna.says[1].startswith("Picks are right more often than an answer at random, by +75.0")
    assert ben.says[1] == "It gives all answers to an item one score, so it cannot pick."
    assert panel.says[0].startswith("Of 4 answers of m, the one that all judges together score highest")
    assert [text for _, text in anna.picture["across"]] == ["1", "2", "4"]
    assert anna.table.rows[0][0] == "1 answer"
    site = SiteData(benchmark, CatalogEntry(tmp_path, MANIFEST), [], {"main": shown.results})
    (made,) = [each for each in judges.pages(site) if each.template == "board_judges.md.j2"]
    template = template_environment([packaged("site_templates")], site).get_template(made.template)
    html = pages.parse(template.render({**made.context, "link": str}))
    assert len(html.all("polyline")) == 6
    assert len(html.all("polygon")) == 6
    rows = next(each.rows() for each in html.all("table") if "of 12 sources" in each.rows()[0][-1])
    assert [cells[7] for cells in rows] == ["no peak"] * 3
    assert "upper bound" in html.text
