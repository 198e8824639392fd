"""A board under other choices, in a real browser: Python's numbers drawn, and weights that move scores alone."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Browser, expect
from support.browser import address, until, visiting
from support.sites import Site

from nullbench_site.site.pages.boards import what_if

_SHOWN = """box => {
    const select = box.querySelector("select"), shown = {};
    for (const { value } of select.options) {
        select.value = value;
        select.dispatchEvent(new Event("change"));
        shown[value] = [...box.querySelectorAll("tbody tr")].map(({ dataset, lastElementChild }) => {
            const style = lastElementChild.querySelector(".nb-interval")?.style;
            return [dataset.m, ...["--a", "--l", "--h", "--p"].map((name) => style?.getPropertyValue(name) ?? "")];
        });
    }
    return shown;
}"""


def test_what_if_shows_the_numbers_of_python_on_every_shipped_board(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    boards = [(view, shown) for view in shipped_site.data.views if (shown := what_if(view))]
    assert {"alpacaeval", "facts", "livecodebench", "nullbench"} <= {view.board.id for view, _ in boards}
    with visiting(browser, shipped) as visit:
        for view, shown in boards:
            page = visit.go(view.url)
            drawn = page.locator(".nb-what-if").evaluate(_SHOWN)
            for choice in shown["choices"]:
                rows = [
                    (model, [float(value) for value in values]) for model, *values in drawn[choice.name] if values[0]
                ]
                scores = [score for _, (score, *_) in rows]
                assert scores == sorted(scores, reverse=True)
                assert {model for model, _ in rows} == {*choice.rows}
                for model, numbers in rows:
                    row, published = choice.rows[model], view.rows[model].score
                    ends = [row.overall if end is None else end for end in (row.ci_low, row.ci_high)]
                    assert numbers == pytest.approx([row.overall, *ends, published], abs=1e-9)
            if len(view.in_domains) > 1:
                page.get_by_label("What changes").select_option(label="Your weights of domains")
                page.locator(".nb-what-if input[type=number]").first.fill("3")
                of = {model: [rows[model].score for rows in view.in_domains.values()] for model, _ in shown["rows"]}
                names = [model for model, scores in of.items() if None not in scores]
                of_domains = [[of[model][place] for model in names] for place in range(len(view.in_domains))]
                wanted = np.average(of_domains, axis=0, weights=[3, *[1] * (len(of_domains) - 1)]).tolist()
                own = (
                    "document.querySelector(`.nb-choices tr[data-m='{}'] .nb-interval`)?.style.getPropertyValue('--a')"
                )
                until(page, f"Math.abs({own.format(names[0])} - {wanted[0]}) < 1e-9")
                assert [float(page.evaluate(own.format(each))) for each in names] == pytest.approx(wanted, abs=1e-9)
        assert visit.complaints == []


def test_a_link_brings_a_choice_back_and_weights_have_no_sentence(
    browser: Browser, shipped: str, shipped_site: Site
) -> None:
    view = next(view for view in shipped_site.data.views if view.board.id == "nullbench")
    shown = what_if(view)
    assert shown is not None
    with visiting(browser, shipped) as visit:
        page = visit.go(f"{view.url}?what=without-judge-form")
        (said,) = (choice.says for choice in shown["choices"] if choice.name == "without-judge-form")
        expect(page.locator(".nb-what-if li:visible")).to_have_text([said])
        nulls = [view.title(model) for model, _ in shown["rows"] if view.is_null(model)]
        page.get_by_label("Null models").last.uncheck()
        visible = page.locator(".nb-what-if tbody tr:visible th")
        expect(visible).to_have_text([view.title(model) for model, _ in shown["rows"] if not view.is_null(model)])
        page.get_by_label("Null models").last.check()
        expect(visible).to_have_count(len(shown["rows"]))
        assert nulls
        page.get_by_label("What changes").select_option(label="Your weights of domains")
        assert address(page).endswith("?what=weights#what-if")
        expect(page.locator(".nb-what-if li:visible")).to_have_count(0)
        assert visit.complaints == []
