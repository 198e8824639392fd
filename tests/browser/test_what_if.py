"""A board under other choices, in a real browser: Python's numbers drawn, and weights that move scores alone."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Browser, expect
from support.browser import address, until, visiting
from support.sites import Site

from nullbench_site.site.pages.what_if import what_if


def test_a_choice_is_drawn_in_its_order_and_its_link_brings_it_back(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = next(view for view in shipped_site.data.views if view.board.id == "nullbench")
    shown = what_if(view)
    assert shown is not None
    choice = shown["choices"][0]
    with visiting(browser, shipped) as visit:
        page = visit.go(f"{view.url}?what=0")
        expect(page.locator(".nb-what-if li:visible")).to_have_text([choice.says])
        drawn = page.locator(".nb-choices tbody tr").evaluate_all(
            """rows => rows.map(({ dataset, lastElementChild }) => {
                const { style } = lastElementChild.querySelector(".nb-interval");
                return [dataset.m, Number(style.getPropertyValue("--a")), Number(style.getPropertyValue("--p"))];
            })"""
        )
        assert [score for _, score, _ in drawn] == sorted((score for _, score, _ in drawn), reverse=True)
        for model, score, published in drawn:
            assert score == pytest.approx(choice.rows[model].overall, abs=1e-9)
            assert published == pytest.approx(view.rows[model].score, abs=1e-9)
        page.get_by_label("What changes").select_option(label="Your weights of domains")
        page.locator(".nb-what-if input").first.fill("3")
        assert address(page).endswith("?what=weights#what-if")
        expect(page.locator(".nb-what-if li:visible")).to_have_count(0)
        weights = [3, *[1] * (len(view.in_domains) - 1)]
        names = [row.model for row in view.contestants]
        of_domains = [[rows[model].score for model in names] for rows in view.in_domains.values()]
        wanted = np.average(of_domains, axis=0, weights=weights).tolist()
        own = "document.querySelector(`.nb-choices tr[data-m='{}'] .nb-interval`).style.getPropertyValue('--a')"
        until(page, f"Math.abs({own.format(names[0])} - {wanted[0]}) < 1e-9")
        assert [float(page.evaluate(own.format(model))) for model in names] == pytest.approx(wanted, abs=1e-9)
        assert visit.complaints == []
