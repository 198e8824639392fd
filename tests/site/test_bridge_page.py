"""What the page of judges shows of a bridge before anybody has crossed it."""

from __future__ import annotations

import dataclasses

import msgspec
import yaml
from support.pages import parse
from support.sites import Site

from nullbench_site.site.pages.judges import retiring
from nullbench_site.site.render import tree_files
from nullbench_site.specs.types import Bridge, Judge


def test_a_bridge_that_nobody_has_crossed_is_not_measured_and_hostile_titles_are_text(small_site: Site) -> None:
    data = small_site.data
    title = '<img src=x onerror=alert(1)>"{{ 7*7 }}'
    new = Judge(
        id="new", title=title, description="", backend="offline", model="new", family="news", retires="2027-01-31",
        bridges=Bridge(judge="support"),
    )  # fmt: skip
    judges = {**data.benchmark.judges, "new": new}
    judges["form"] = msgspec.structs.replace(judges["form"], retires="2027-01-31")
    changed = dataclasses.replace(data, benchmark=dataclasses.replace(data.benchmark, judges=judges))
    assert retiring(changed.views[0]) == "Form retires on 2027-01-31."
    made = tree_files(changed, small_site.repository.root, small_site.repository.cache)
    page = next(content for name, content in made if name == "docs/judges/small/index.md")
    assert isinstance(page, bytes)
    html = next(yaml.safe_load_all(page.decode()))["html"]
    assert "<img" not in html
    assert f"{title} will replace Support" in parse(html).text
    assert "has marks of both judges" in parse(html).text
