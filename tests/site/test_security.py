"""What a page may run: its own files and the theme's inline scripts, whose hashes no text of a benchmark reaches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from support.benchmarks import edit
from support.pages import Element, page, parse
from support.policy import policy, script_hashes
from support.sites import Site, each_of

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.site import builder
from nullbench_site.site.builder import inline_scripts, source
from nullbench_site.site.tree import ConfigError, frame_settings

site = each_of("small", "shipped", "hostile", "mixed")


def _all_pages(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.html") if path != folder / "boards/index.html")


def test_a_page_that_only_leads_elsewhere_loads_and_runs_nothing(site: Site) -> None:
    moved = (site.folder / "boards/index.html").read_text("utf-8")
    assert "default-src 'none'" in moved
    assert re.findall(r'(?:url=|href=")([^"]*)"', moved) == ["../"] * 3


def test_every_page_says_its_policy_before_anything_that_could_load_or_run(site: Site) -> None:
    for path in _all_pages(site.folder):
        charset, first = [child for child in page(path).one("head").children if isinstance(child, Element)][:2]
        assert charset.attributes == {"charset": "utf-8"}, path
        assert first.attributes["http-equiv"] == "Content-Security-Policy", path


def test_the_policy_lets_nothing_in_from_elsewhere(site: Site) -> None:
    for path in _all_pages(site.folder):
        said = policy(page(path))
        assert said.pop("script-src")[0] == "'self'"
        assert said == {
            "default-src": ["'self'"],
            "style-src": ["'self'", "'unsafe-inline'"],
            "img-src": ["'self'", "data:"],
            "object-src": ["'none'"],
            "base-uri": ["'self'"],
            "form-action": ["'self'"],
        }


def test_the_inline_scripts_of_the_pages_are_those_whose_hashes_the_policy_has(site: Site) -> None:
    paths = _all_pages(site.folder)
    (allowed,) = {frozenset(script_hashes(page(path))) for path in paths}
    pages = (path.read_text("utf-8") for path in paths)
    of_pages = {element for page in pages for element in re.findall(r"(?is)<script(?![^>]*json).*?</script>", page)}
    written = {source(script) for script in inline_scripts("".join(of_pages))}
    assert len(written) > 2
    assert written - allowed == set()
    # The theme's scripts name the way to the site's root; a small site may lack a depth that another has.
    assert allowed - written == set()


def test_no_text_of_a_benchmark_changes_what_may_run(hostile_site: Site, small_site: Site) -> None:
    one, other = (script_hashes(page(site.folder / "index.html")) for site in (hostile_site, small_site))
    assert one == other


def test_no_element_has_a_script_in_an_attribute(site: Site) -> None:
    found = [
        (path.name, name)
        for path in _all_pages(site.folder)
        for element in page(path).walk()
        for name, value in element.attributes.items()
        if name.startswith("on") or value.strip().lower().startswith("javascript:")
    ]
    assert found == []


def test_data_in_a_page_is_no_script_and_a_script_of_any_other_type_is_one() -> None:
    html = (
        '<script type="application/json">{"a": 1}</script><script src="a.js"></script><script>b()</script>'
        '<script type="module">c()</script><p>text</p><script type="text/javascript">d("<p>")</script>'
    )
    assert inline_scripts(html) == ["b()", "c()", 'd("<p>")']
    # The example of the specification, Content Security Policy Level 3, section 2.3.1.
    assert source("alert('Hello, world.');") == "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="


# --- the hashes are kept --------------------------------------------------------------------------------------------


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The trees that were built for their scripts."""
    seen = []

    def noted(config: Path, site: Path) -> None:
        seen.append(config)
        (site / "a").mkdir(parents=True)
        (site / "index.html").write_text(f"<script>{config.read_text('utf-8').count('a')}</script>", "utf-8")

    monkeypatch.setattr(builder, "mkdocs_build", noted)
    return seen


def _frame(folder: Path, text: str = "theme: material\n") -> dict[str, object]:
    (folder / "mkdocs.yml").write_text(text, "utf-8")
    return frame_settings(folder / "mkdocs.yml")


def test_the_hashes_are_worked_out_once(tmp_path: Path, built: list[Path]) -> None:
    first = builder.script_hashes(_frame(tmp_path), {}, {0, 1}, tmp_path)
    assert builder.script_hashes(_frame(tmp_path), {}, {0, 1}, tmp_path) == first
    assert len(built) == 1


def test_whatever_changes_a_page_has_them_worked_out_again(
    tmp_path: Path, built: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = 'theme: material\nsite_url: !ENV [BOARD_URL, OTHER_URL, "https://example.org/"]\n'

    def asked() -> None:
        builder.script_hashes(_frame(tmp_path, address), {}, {0}, tmp_path)

    monkeypatch.delenv("BOARD_URL", raising=False)
    asked()
    monkeypatch.setenv("OTHER_URL", "https://example.org/board/")
    asked()
    asked()
    assert len(built) == 2
    builder.script_hashes(_frame(tmp_path, address), {"overrides/main.html": b"new"}, {0}, tmp_path)
    builder.script_hashes(_frame(tmp_path, address), {}, {0, 3}, tmp_path)
    builder.script_hashes(_frame(tmp_path, f"{address}copyright: mine\n"), {}, {0}, tmp_path)
    monkeypatch.setattr(builder, "version", lambda name: "another")
    asked()
    assert len(built) == 6


# --- settings of a repository ---------------------------------------------------------------------------------------


def test_a_page_for_lost_readers_below_a_path_leads_to_the_address_of_the_site(small_copy: Repository) -> None:
    settings = yaml.safe_load((small_copy.root / "mkdocs.yml").read_text("utf-8")) if _has_own(small_copy) else {}
    settings |= {"site_url": "https://example.org/some/board/", "theme": {"name": "material", "font": False}}
    (small_copy.root / "mkdocs.yml").write_text(yaml.safe_dump(settings), "utf-8")
    api.render(small_copy)
    lost = page(small_copy.site / "404.html")
    assert [link.attributes["href"] for link in lost.all("a")] == ["https://example.org/some/board/"]
    assert lost.all("script") == []


def _has_own(repository: Repository) -> bool:
    return (repository.root / "mkdocs.yml").is_file()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("theme: {name: material, custom_dir: mine}", "site_templates/overrides", id="custom_dir"),
        pytest.param("theme: readthedocs", "theme must be material", id="theme"),
        pytest.param("theme: [material]", "theme must be material", id="list"),
        pytest.param("extra_javascript: [https://example.org/a.js]", "from another host", id="script"),
        pytest.param("extra_javascript: [{path: //example.org/a.js, async: true}]", "from another host", id="async"),
        pytest.param("extra_css: [assets/mine.css, HTTP://example.org/a.css]", "from another host", id="style"),
        pytest.param("extra: [a, list]", "'extra' must be a mapping", id="extra"),
    ],
)
def test_settings_that_the_policy_would_break_are_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as refused:
        _frame(tmp_path, text)
    assert str(tmp_path / "mkdocs.yml") in str(refused.value)


def test_a_template_of_the_repository_may_write_a_script_but_not_with_words_of_the_specs(
    small_copy: Repository,
) -> None:
    own = small_copy.root / "site_templates" / "overrides" / "partials" / "copyright.html"
    own.parent.mkdir(parents=True)
    own.write_text("<script>window.mine = 1</script><script>window.title = '{{ page.title }}'</script>", "utf-8")
    api.render(small_copy)
    home = page(small_copy.site / "index.html")
    scripts = inline_scripts((small_copy.site / "index.html").read_text("utf-8"))
    refused = [script for script in scripts if source(script) not in script_hashes(home)]
    assert [script for script in refused if "window.title" in script] == refused
    assert len(refused) == 1


# --- what is said of a page where it is linked ----------------------------------------------------------------------


def _meta(root: Element) -> dict[str, str]:
    return {
        meta.attributes.get("property") or meta.attributes["name"]: meta.attributes["content"]
        for meta in root.one("head").all("meta")
        if "content" in meta.attributes and "http-equiv" not in meta.attributes
    }


def test_every_page_says_what_it_is_where_it_is_linked(site: Site) -> None:
    for url, root in site.pages.items():
        said = _meta(root)
        assert said["og:title"], url
        title, name = said["og:title"], said["og:site_name"]
        assert root.one("head").one("title").raw == (title if name in title else f"{title} - {name}"), url
        assert said["og:description"] == said["description"], url
        assert said["referrer"] == "same-origin"
        (feed,) = [link for link in root.one("head").all("link") if link.attributes["rel"] == "alternate"]
        assert feed.attributes["href"] == "../" * url.count("/") + "feed.xml" if url else "feed.xml"
        # Without the site's address nobody knows where a picture or a page would be.
        assert not {"og:url", "og:image"} & set(said), url


def test_where_the_address_is_known_a_page_names_itself_and_its_card(small_copy: Repository) -> None:
    (small_copy.root / "mkdocs.yml").write_text("theme: material\nsite_url: https://example.org/board\n", "utf-8")
    edit(small_copy.specs, "models/lead-2.yaml", 'title: "Lead-2"', "title: 'Lead \"2\" & <more>'")
    api.render(small_copy)
    said = _meta(parse((small_copy.site / "models" / "lead-2" / "index.html").read_text("utf-8")))
    assert said["og:url"] == "https://example.org/board/models/lead-2/"
    assert said["og:title"] == "Lead ”2” ＆ ‹more›"
    assert said["twitter:card"] == "summary_large_image"
    assert said["og:image"] == "https://example.org/board/assets/cards/lead-2.png"
    assert (small_copy.site / "assets" / "cards" / "lead-2.png").is_file()
    data = _meta(parse((small_copy.site / "data" / "index.html").read_text("utf-8")))
    assert data["twitter:card"] == "summary"
    assert "og:image" not in data
