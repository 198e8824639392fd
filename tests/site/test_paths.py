"""Addresses of pages, and links between them that hold wherever the site stands."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nullbench_site.site import paths

IDS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,6}", fullmatch=True)
PAGES = st.lists(IDS, max_size=4).map(lambda parts: "".join(f"{part}/" for part in parts))
FILES = st.tuples(PAGES, IDS).map("".join)
ANCHORS = st.just("") | IDS.map("#{}".format)
PREFIXES = st.lists(IDS, max_size=2).map(lambda parts: "/" + "".join(f"{part}/" for part in parts))


@given(PREFIXES, PAGES, PAGES | FILES, ANCHORS)
def test_a_link_leads_from_any_page_to_its_target_below_any_prefix(
    prefix: str, base: str, target: str, anchor: str
) -> None:
    assume(target.endswith("/") or not base.startswith(f"{target}/"))  # a file is not a folder too
    way = paths.relative(target + anchor, base)
    assert urljoin(f"https://host{prefix}{base}", way) == f"https://host{prefix}{target}{anchor}"


@given(PAGES, PAGES | FILES)
def test_a_link_is_never_absolute_and_never_empty(base: str, target: str) -> None:
    way = paths.relative(target, base)
    assert way
    assert not way.startswith("/")
    assert ":" not in way


@given(st.lists(IDS, min_size=1, max_size=4))
def test_a_page_has_one_source_file_from_which_its_address_follows(parts: list[str]) -> None:
    url = "".join(f"{part}/" for part in parts)
    assert paths.source_file(url).removesuffix("index.md") == url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (paths.board_url("main"), "boards/main/"),
        (paths.domain_url("main", "science"), "domains/main/science/"),
        (paths.model_url("lead-2"), "models/lead-2/"),
    ],
)
def test_the_addresses_that_others_link_to_stay(url: str, expected: str) -> None:
    assert url == expected


def test_the_home_page_is_the_index() -> None:
    assert paths.source_file(paths.HOME) == "index.md"
