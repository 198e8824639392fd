"""Social cards: one picture a contestant and a board, the same for the same figures, and with nothing hidden on it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from support.hostile import LONG, PAYLOADS
from support.rubric_sites import PRIVATE
from support.sites import Site

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.site import cards as cards_module
from nullbench_site.site import paths
from nullbench_site.site.cards import HEIGHT, WIDTH, Card, card_files, cards, drawable, png
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.openings import opening

LEAD = paths.card("lead-2")


def _cards(site: Site) -> dict[str, Card]:
    return dict(cards(site.data))


def _titled(site: Site, title: str) -> SiteData:
    data = site.data
    titled = {**data.benchmark.models, "lead-2": msgspec.structs.replace(data.benchmark.models["lead-2"], title=title)}
    return replace(data, benchmark=replace(data.benchmark, models=titled))


def _opened(picture: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(picture))
    image.load()
    return image


def test_where_the_address_is_known_every_contestant_and_board_has_a_card_which_its_page_names(
    small_copy: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = small_copy.tree / "docs" / paths.source_file(paths.model_url("lead-2"))
    data = Site(small_copy).data
    wanted = {paths.card(row.model) for view in data.views for row in view.rows.values()}
    wanted |= {paths.board_card(view.board.id) for view in data.views}
    for address, cards_made in (("", set()), ("https://example.org/", wanted), ("", set())):
        monkeypatch.setenv("SITE_URL", address)
        api.render(small_copy)
        drawn = small_copy.site.glob("assets/cards/**/*.png")
        assert {path.relative_to(small_copy.site).as_posix() for path in drawn} == cards_made
        assert (f'card: "{LEAD}"\n' in source.read_text("utf-8").partition("\n---\n")[0]) == bool(address)


def test_a_card_is_a_png_of_the_size_that_previews_want(small_site: Site) -> None:
    for name in (LEAD, paths.board_card("small")):
        image = _opened(png(_cards(small_site)[name]))
        assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT)) == ("PNG", (1200, 630))
        colours = image.convert("RGB").getcolors(WIDTH * HEIGHT) or []
        assert max(colours)[1] == (255, 255, 255)
        assert len(colours) > 50


def test_the_same_card_is_the_same_bytes(small_site: Site) -> None:
    for card in _cards(small_site).values():
        assert png(card) == png(card)


@pytest.mark.parametrize(
    "change", [{"score": "86.1"}, {"interval": "± 9.9"}, {"rank": "rank 4"}, {"title": "Lead-3"}, {"foot": "run 2"}]
)
def test_a_card_tells_each_of_its_figures(change: dict[str, str], small_site: Site) -> None:
    card = _cards(small_site)[LEAD]
    assert png(replace(card, **change)) != png(card)


def test_the_figures_on_a_card_are_those_of_the_board(small_site: Site) -> None:
    card, row = _cards(small_site)[LEAD], small_site.results("small").row("lead-2")
    assert (float(card.score), card.rank) == (round(row.overall or 0, 1), "rank 1–2 of 2 with this panel on Small")
    assert (card.strip.at, card.strip.low) == (row.overall, row.ci_low)
    assert (card.radar.spokes[0].value, card.radar.spokes[0].median) == (row.axes["truthfulness"], None)


def test_the_card_of_a_board_says_what_may_be_said_of_the_first_and_no_more(small_site: Site) -> None:
    card = _cards(small_site)[paths.board_card("small")]
    view = small_site.data.views[0]
    assert card.claim == opening(view).short != ""
    assert png(replace(card, claim="")) != png(card)


def test_a_long_claim_takes_two_lines_and_loses_no_word() -> None:
    claim = "With this panel, an assistant with a very long name scores highest, 58.3 [52.4–63.9]; 1 of 2 may be best."
    card = Card("Board", "About", "a question", "run 1", claim=claim, ranking=[("1", "A", "58.3", "")])
    assert png(card) != png(replace(card, claim=claim.rsplit(" ", 1)[0]))
    assert png(replace(card, claim="A leads.")) != png(replace(card, claim="A leads. B"))


def test_a_card_that_was_drawn_once_is_not_drawn_again(
    small_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = dict(card_files(small_site.data, tmp_path))

    def never(card: Card) -> bytes:
        raise AssertionError(f"{card.title} is drawn again")

    monkeypatch.setattr(cards_module, "png", never)
    assert dict(card_files(small_site.data, tmp_path)) == first
    with pytest.raises(AssertionError, match="is drawn again"):
        list(card_files(_titled(small_site, "Renamed"), tmp_path))


@pytest.mark.parametrize("title", [*PAYLOADS, LONG, "W" * 500, " ", "\U0001f3c6"])
def test_a_hostile_title_makes_a_card_like_any_other(title: str, small_site: Site) -> None:
    card = dict(cards(_titled(small_site, title)))[LEAD]
    assert _opened(png(card)).size == (WIDTH, HEIGHT)
    assert drawable(card.title)


@pytest.mark.parametrize("title", ["M\u00fcller 3", "\u6587\u5fc3", "\u202eevil", "a\nb\x07", "\ufffe"])
def test_a_title_that_the_font_cannot_draw_is_replaced_by_the_id(title: str, small_site: Site) -> None:
    assert dict(cards(_titled(small_site, title)))[LEAD].title == "lead-2"


def test_a_title_too_long_is_cut_and_does_not_reach_the_radar(small_site: Site) -> None:
    card = replace(_cards(small_site)[LEAD], title="m" * 200)
    drawn, short = (_opened(png(one)).convert("L") for one in (card, replace(card, title="m")))
    right = (640, 100, WIDTH, 200)
    assert drawn.crop(right).tobytes() == short.crop(right).tobytes()
    assert drawn.tobytes() != short.tobytes()


def test_a_contestant_without_a_rank_or_a_score_has_a_card_that_says_so(small_site: Site) -> None:
    nothing: dict[str, Any] = dict.fromkeys(("rank", "rank_low", "rank_high", "overall", "ci_low", "ci_high", "se"))
    data = small_site.data
    results = data.boards["small"]
    rows = [msgspec.structs.replace(row, **nothing) for row in results.leaderboard]
    changed = replace(data, boards={**data.boards, "small": msgspec.structs.replace(results, leaderboard=rows)})
    found = dict(cards(changed))
    assert (found[LEAD].score, found[LEAD].strip) == ("not measured", None)
    assert found[LEAD].rank == "not ranked on Small"
    assert found[paths.board_card("small")].ranking == []
    assert _opened(png(found[paths.board_card("small")])).size == (WIDTH, HEIGHT)


def test_no_card_tells_of_a_private_item(rubric_site: Site) -> None:
    said = msgspec.json.encode(_cards(rubric_site)).decode()
    assert all(word not in said for word in (*PRIVATE, "sha256", "Prompt"))
    assert "Wordy" in said
