"""What the search knows: pages, categories, axes and terms by their titles and a sentence each, and nothing else."""

from __future__ import annotations

import json
import re

from support.sites import Site, each_of

from nullbench_site.protocols.axes.specs import axes_of
from nullbench_site.site.gather import shown_metrics
from nullbench_site.site.pages.page import Page
from nullbench_site.site.protocol import Term
from nullbench_site.site.render import found_by_search

site = each_of("small", "shipped", "mixed")


def test_the_index_holds_the_pages_and_the_terms_they_explain_and_nothing_else(site: Site) -> None:
    views = site.data.views
    terms = {
        f"domains/{view.board.id}/{domain}/#{category.id}"
        for view in views
        for domain in view.board.domains
        for category in view.benchmark.domains[domain].categories
    }
    terms |= {f"glossary/#metric-{metric.id}" for metric in shown_metrics(site.data)}
    if site.axes_views:
        first = site.axes_views[0].board.id
        terms |= {f"methodology/{first}/#axis-{axis}" for axis in axes_of(site.data.benchmark)}
    found = [doc["location"] for doc in site.indexed]
    assert len(found) == len(set(found))
    assert set(found) - terms == {url for url in site.pages if not url.startswith("runs/")}
    assert terms <= set(found)


def test_the_search_knows_the_words_of_others_for_a_page(site: Site) -> None:
    separator = json.loads((site.folder / "search" / "search_index.json").read_bytes())["config"]["separator"]
    texts = {doc["location"]: re.split(separator, doc["text"].lower()) for doc in site.indexed}  # a word matches whole
    for word, page in (
        ("leaderboard", "models/"), ("versus", "compare/"), ("response", "evidence/"), ("grades", "judges/"),
        ("download", "data/"), ("bibtex", "data/"), ("metric", "glossary/"), ("topic", "domains/"),
    ):  # fmt: skip
        assert word in texts[page], word
    for view in site.data.views:
        for judge in view.judges:
            assert judge.title in next(d["text"] for d in site.indexed if d["location"] == f"judges/{view.board.id}/")


def test_what_the_index_says_of_a_place_is_a_sentence(site: Site) -> None:
    for doc in site.indexed:
        assert doc["title"], doc
        assert len(re.sub("</?p>", "", doc["text"]).replace("&amp;", "&").replace("&quot;", '"')) <= 220, doc
        assert not re.findall("<(?!/?p>)", doc["text"]), doc


def test_a_long_description_is_cut_at_a_word_and_a_hostile_one_is_text() -> None:
    page = Page(
        url="x/", title="A title", template="", context={}, description="word " * 1000,
        terms=[Term("here", "<b>bold</b> & co", "{{ 1 }}\n\n# no heading <script>alert(1)</script>")],
    )  # fmt: skip
    text = found_by_search(page)
    assert text.startswith(f"<div><p>{'word ' * 39}")
    assert "…</p><h2" in text
    assert '<h2 id="here">‹b›bold‹/b› ＆ co</h2>' in text
    assert "<p>{{ 1 }} # no heading &lt;script&gt;alert(1)&lt;/script&gt;</p></div>" in text
    assert "\n" not in text
