"""The home page: a card for each board, with its claim, its size and how far it can be trusted."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from support.sites import Site, each_of

from nullbench_site.site import words
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.overview import _listed, front, pages, summary
from nullbench_site.site.pages.sentences import ranked_contestants, trust_word
from nullbench_site.site.views import BoardView

site = each_of("small", "shipped", "mixed", "claims")


def _as_model(view: BoardView, **fields: object) -> BoardView:
    """The view with its first contestant as a language model."""
    first = view.contestants[0].model
    changed = msgspec.structs.replace(view.benchmark.models[first], kind="model", backend="openai", **fields)
    return replace(view, benchmark=replace(view.benchmark, models={**view.benchmark.models, first: changed}))


def test_the_card_of_a_board_has_its_claim_and_its_figures(site: Site) -> None:
    home = site.content("")
    assert len(home.all("section")) == len(site.data.views)
    for view, card in zip(site.data.views, home.all("section"), strict=True):
        results = view.results
        assert card.one("h2").text == view.board.question
        assert opening(view).short in card.text
        for cells, row in zip(card.one("table").rows(), ranked_contestants(view)[:3], strict=False):
            assert cells[0].startswith(view.title(row.model))
            assert cells[1].split()[0] == words.number(row.score)
        facts = {fact.one("dt").text: fact.one("dd").text for fact in card.one("dl").all("div")}
        assert facts["items"] == words.number(results.n_items, 0)
        if view.board.about == "judges":
            assert facts[view.judges_called] == str(len(view.judges))
            continue
        assert facts["trust"] == (trust_word(view) or "not measured")
        if results.best_set:
            assert facts["may be best"] == _plain(words.of(len(results.best_set), view.n_ranked))
        if results.separation:
            assert facts["pairs told apart"] == _plain(words.of(results.separation.together, results.separation.pairs))


def _plain(text: str) -> str:
    """Return a text of a page as a test reads it, with usual spaces."""
    return " ".join(text.split())


def test_boards_of_language_models_come_first(shipped_site: Site) -> None:
    assert [view.board.id for view in shipped_site.data.views] == [
        "facts", "alpacaeval", "livebench", "livecodebench", "swe-bench", "nullbench", "practical", "side-by-side",
        "two-turns", "facts-best-of", "facts-judged", "small-judge-grades", "small-judge-pairs",
    ]  # fmt: skip
    cards = {card["view"].board.id: card for card in next(pages(shipped_site.data)).context["cards"]}
    assert (cards["swe-bench"]["n_models"], cards["swe-bench"]["view"].n_programs) == (4, 0)
    seeds = sum("seed" in model.id for model in cards["facts"]["view"].language_models)
    assert (seeds, cards["facts"]["n_models"], cards["facts"]["view"].n_programs) == (3, 2, 1)
    assert (cards["nullbench"]["n_models"], cards["nullbench"]["view"].n_programs) == (1, 7)


def test_the_first_language_model_is_on_the_card_wherever_it_stands(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        for place, row in enumerate(ranked := ranked_contestants(view)):
            models = {
                model: spec if spec.kind == "null" else msgspec.structs.replace(spec, kind="baseline")
                for model, spec in view.benchmark.models.items()
            }
            models[row.model] = msgspec.structs.replace(models[row.model], kind="model", backend="openai")
            changed = replace(view, benchmark=replace(view.benchmark, models=models))
            listed = list(_listed(changed))
            assert {one["row"].model for one in listed} == {row.model, *(each.model for each in ranked[:3])}
            assert [one["after_gap"] for one in listed] == [False] * min(3, len(ranked)) + [place > 3] * (place > 2)


@pytest.mark.parametrize(("kind", "backend"), [("null", "recorded"), ("baseline", "recorded"), ("model", "offline")])
def test_a_null_a_baseline_or_a_program_is_no_language_model(kind: str, backend: str, small_site: Site) -> None:
    view = small_site.data.views[0]
    assert _as_model(view).language_models
    first = view.contestants[0].model
    changed = msgspec.structs.replace(view.benchmark.models[first], kind=kind, backend=backend)
    models = {**view.benchmark.models, first: changed}
    assert replace(view, benchmark=replace(view.benchmark, models=models)).language_models == []


def test_the_sentence_on_all_boards_counts_those_with_a_winner(small_site: Site, claims_site: Site) -> None:
    assert summary(small_site.data) == "We name no winner on these 2 boards yet."
    assert summary(claims_site.data) == ""
    (view,) = claims_site.data.views
    twice = replace(claims_site.data)
    twice.__dict__["views"] = (view, view)
    assert summary(twice) == "We name a winner on 2 of 2 boards."


def test_the_trust_in_a_board_is_low_where_it_compares_nothing(small_site: Site, claims_site: Site) -> None:
    assert trust_word(small_site.data.views[0]) == "low"
    (view,) = claims_site.data.views
    assert trust_word(view) == "medium"
    nobody = msgspec.structs.replace(view.results, leaderboard=[])
    assert trust_word(replace(view, results=nobody)) is None


def test_old_addresses_of_the_home_page_lead_to_the_namesake_of_the_benchmark(small_site: Site) -> None:
    data = small_site.data
    assert front(data).board.id == "small"
    (other,) = {view.board.id for view in data.views} - {"small"}
    about = msgspec.structs.replace(data.benchmark.about, id=other)
    assert front(replace(data, benchmark=replace(data.benchmark, about=about))).board.id == other
    assert small_site.content("").one("div", class_="nb-cards").attributes["data-front"] == "boards/small/"
