"""Pages that are put into what MkDocs made of another: to the byte those that it would have made of each."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Hashable
from pathlib import Path

import pytest
from support.sites import Site, files

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.site import builder


class _Once(set[Hashable]):
    """Kinds of pages that were proved; to prove one again is to make its pages whole all the same."""

    def add(self, kind: Hashable) -> None:
        assert kind not in self
        super().add(kind)


class _Filled:
    """How many pages were made of a shell; the comparison that proves a shell counts too. shells: of the build."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.shells = builder._Shells()
        self.shells.proved = _Once()
        monkeypatch.setattr(builder, "_Shells", lambda: self.shells)
        self.filled = builder._filled
        monkeypatch.setattr(builder, "_filled", self)

    def __call__(self, shell: list[str], texts: dict[str, str]) -> str:
        self.count += 1
        return self.filled(shell, texts)


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> _Filled:
    return _Filled(monkeypatch)


def _both(tree: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of the site of a tree: with pages that are stamped, and without."""
    builder.mkdocs_build(tree / "mkdocs.yml", folder / "stamped")
    with monkeypatch.context() as context:
        context.setattr(builder, "can_stamp", lambda _: False)
        builder.mkdocs_build(tree / "mkdocs.yml", folder / "whole")
    return files(folder / "stamped"), files(folder / "whole")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("small", ""),
        ("mixed", "https://example.org/a board/"),
        pytest.param("hostile", "https://example.org/", marks=pytest.mark.sweep),
    ],
)
def test_a_site_is_the_same_to_the_byte_with_stamped_pages_and_without(
    *,
    name: str,
    address: str,
    filled: _Filled,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site: Site = request.getfixturevalue(f"{name}_site")
    monkeypatch.setenv("SITE_URL", address)
    stamped, whole = _both(site.tree, tmp_path, monkeypatch)
    assert filled.count >= 3
    assert filled.shells.proved
    assert stamped.keys() == whole.keys()
    assert [name for name, content in whole.items() if stamped[name] != content] == []
    assert (b'rel="canonical"' in whole["models/index.html"]) == bool(address)


def _own(name: str, text: str) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")

    return write


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(_own("mkdocs.yml", "theme: material\nplugins: [search, tags]\n"), id="a plugin"),
        pytest.param(
            _own("mkdocs.yml", "theme: material\nplugins: [search]\nmarkdown_extensions: [smarty]\n"),
            id="Markdown",
            marks=pytest.mark.sweep,
        ),
        pytest.param(
            _own("site_templates/overrides/partials/copyright.html", "<p>{{ page.url }} is ours</p>"), id="a template"
        ),
    ],
)
def test_pages_of_which_others_may_make_something_go_the_ordinary_way(
    own: Callable[[Path], None], filled: _Filled, small_copy: Repository
) -> None:
    own(small_copy.root)
    api.render(small_copy)
    assert filled.count == 0
    assert (small_copy.site / "models/lead-2/index.html").is_file()


def test_settings_that_are_the_same_for_all_pages_leave_pages_stamped(filled: _Filled, small_copy: Repository) -> None:
    text = "theme: {name: material, font: false, features: [content.tooltips]}\ncopyright: ours\nplugins: [search]\n"
    _own("mkdocs.yml", text)(small_copy.root)
    _own("site_templates/assets/mine.css", "p { color: black }\n")(small_copy.root)
    api.render(small_copy)
    assert filled.count >= 3
    assert filled.shells.proved
    assert "ours" in (small_copy.site / "models/lead-2/index.html").read_text("utf-8")


def test_a_setting_that_looks_like_the_place_of_a_text_stands_as_it_is(small_copy: Repository) -> None:
    _own("mkdocs.yml", 'theme: material\ncopyright: "\\0raw x\\0, \\0raw title\\0, \\0escaped card\\0"\n')(
        small_copy.root
    )
    api.render(small_copy)
    for name in ("lead-2", "textrank-2", "null-constant"):
        page = (small_copy.site / "models" / name / "index.html").read_text("utf-8")
        assert "\0raw x\0, \0raw title\0, \0escaped card\0" in page


@pytest.mark.parametrize(
    "told",
    [
        "{{ page.url }}",
        *(
            pytest.param(each, marks=pytest.mark.sweep)
            for each in ("{{ page.meta.title | upper }}", "{{ page.meta.html | length }}")
        ),
    ],
)
def test_a_shell_that_is_not_right_for_the_next_page_is_not_used(
    told: str, filled: _Filled, small_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a later version of the theme may have it."""
    shutil.copytree(small_site.tree, tmp_path / "tree")
    main = tmp_path / "tree/overrides/main.html"
    whole = main.read_text("utf-8").replace("{{ page.meta.html }}", f"{told}{{{{ page.meta.html }}}}")
    assert told in whole
    main.write_text(whole, "utf-8")
    monkeypatch.setattr(builder, "can_stamp", lambda _: True)
    stamped, ordinary = _both(tmp_path / "tree", tmp_path, monkeypatch)
    assert filled.count > 0
    assert [name for name, content in ordinary.items() if stamped[name] != content] == []


def test_a_text_is_escaped_where_the_page_of_the_shell_had_it_escaped() -> None:
    shell = ["<title>", "escaped", "title", "</title>", "raw", "html", ""]
    assert builder._filled(shell, {"title": "<b>", "html": "<i>"}) == "<title>&lt;b&gt;</title><i>"
