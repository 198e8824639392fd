"""A protocol that adds nothing to pages still has whole ones; and nothing that all share names a protocol."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.sites import Site, each_of

from nullbench_site.extensions import protocol_part, registered
from nullbench_site.site import protocol as interface
from nullbench_site.site import views
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import boards, domains, judges, methodology, models
from nullbench_site.site.protocol import Layout, ProtocolPages
from nullbench_site.site.render import tree_files

ROOMS = Path(interface.__file__).parent, Path(interface.__file__).parents[2] / "site_templates"


def _bare(name: str, _part: str) -> ProtocolPages[Any]:
    """What a protocol cannot leave out: its metrics, and how rows unlike the usual ones are read.

    Rows of judges' marks are the usual ones; where no judge scores, nobody knows how many answers judges scored.
    """
    own: ProtocolPages[Any] = protocol_part(name, "pages")
    layout: Layout[Any] = Layout(own.layout.overall, own.layout.in_part)
    if name == "rubric":
        return ProtocolPages(layout=layout)
    if own.failures is None:
        return ProtocolPages(layout=layout, view=own.view)
    return ProtocolPages(
        layout=layout, evidence=own.evidence, view=own.view, failures=own.failures, by_item=own.by_item
    )


@pytest.fixture(params=["mixed_site", "axes_and_oracle_site"])
def bare(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """The pages of a site, by URL, where no protocol adds anything."""
    site: Site = request.getfixturevalue(request.param)
    assert site.data.views  # which are looked at as ever
    for module in (interface, views):
        monkeypatch.setattr(module, "protocol_part", _bare)
    data = SiteData(site.data.benchmark, site.data.entry, site.data.runs, site.data.boards)
    files = tree_files(data, site.repository.root, tmp_path / "cache")
    return {name.removeprefix("docs/"): content.decode() for name, content in files if name.endswith(".md")}


def test_every_page_is_there_with_what_all_boards_share(bare: dict[str, str], request: pytest.FixtureRequest) -> None:
    site: Site = request.getfixturevalue(request.node.callspec.params["bare"])
    assert {name for url in site.pages if (name := f"{url}index.md") not in bare} == set()
    for view in site.data.views:
        page = bare[f"{view.url}index.md"]
        for shared in ("How to read it", "By domain", "By difficulty", "Failures", "Rank"):
            assert shared in page, (view.board.id, shared)
        for domain in view.domains.values():
            page = bare[f"domains/{view.board.id}/{domain.id}/index.md"]
            assert all(f'id=\\"{category.id}\\"' in page for category in domain.categories)
        for model in view.rows:
            assert f'id=\\"{view.board.id}-difficulty\\"' in bare[f"models/{model}/index.md"]
        assert view.board.title in bare[f"judges/{view.board.id}/index.md"]
        assert f"Domains of {view.board.title}" in bare[f"methodology/{view.board.id}/index.md"]


site = each_of("small", "rubric", "oracle", "pairwise")


def test_pages_are_made_of_results_without_any_row(site: Site) -> None:
    view = site.data.views[0]
    changes: dict[str, Any] = {"leaderboard": [], "floor": None, "items": []}
    for name in ("ungated", "judge_models", "judge_pairs", "agreement", "divergence"):
        if isinstance(getattr(view.results, name, None), list):
            changes[name] = []
    for name in ("domains", "categories", "difficulties"):
        changes[name] = [msgspec.structs.replace(group, rows=[]) for group in getattr(view.results, name)]
    empty = {**site.data.boards, view.board.id: msgspec.structs.replace(view.results, **changes)}
    data = SiteData(site.data.benchmark, site.data.entry, site.data.runs, empty)
    for kind in (boards, domains, judges, methodology, models):
        assert list(kind.pages(data))
    home = next(boards.pages(data))
    assert re.match(r"No answer on this board is (judged|marked) yet\.", home.context["answer"])


def test_no_shared_module_template_or_script_names_a_protocol() -> None:
    names = registered("protocols").keys() - {"scores"}  # which is also a word for what boards of any protocol have
    name = re.compile(rf"""["'`/.]({"|".join(names)})["'`/]|(?:Axes|Rubric|Oracle)[A-Z]|protocols[./]scores""")
    # A benchmark's file of axes is a spec, and its changes are told by its name.
    files = [path for room in ROOMS for path in sorted(room.rglob("*")) if path.name != "run_changes.py"]
    texts = {path: path.read_text("utf-8") for path in files if path.suffix in (".py", ".j2", ".js")}
    assert len(texts) > len(ROOMS)
    assert {path.name: found[0] for path, text in texts.items() if (found := name.search(text))} == {}
