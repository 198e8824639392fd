"""From a run to a tree and a site: the same bytes again, the words of the right specs, and clear refusals."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, UndefinedError
from support.benchmarks import edit, write_benchmark
from support.commands import nullbench
from support.pages import content, page, pages
from support.sites import Site, files

from nullbench_site import api
from nullbench_site.errors import NullbenchError, RunError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import read_catalog
from nullbench_site.runs.storage import write_cache
from nullbench_site.site.builder import cache_templates
from nullbench_site.site.tree import ConfigError, frame_settings, mkdocs_config, write_tree


def _changed(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


# --- again ----------------------------------------------------------------------------------------------------------


def test_rendering_again_gives_the_same_tree_and_site_writes_no_file_of_the_tree_and_takes_away_what_is_no_part(
    small_copy: Repository,
) -> None:
    def times() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in small_copy.tree.rglob("*") if path.is_file()}

    tree, site, written = files(small_copy.tree), files(small_copy.site), times()
    (small_copy.tree / "docs" / "gone" / "deep").mkdir(parents=True)
    (small_copy.tree / "docs" / "gone" / "deep" / "index.md").write_text("# Gone\n", "utf-8")
    (small_copy.site / "gone").mkdir()
    (small_copy.site / "gone" / "index.html").write_text("gone", "utf-8")
    api.render(small_copy)
    assert (files(small_copy.tree), times()) == (tree, written)
    assert not (small_copy.tree / "docs" / "gone").exists()
    dated = {"sitemap.xml", "sitemap.xml.gz"}  # MkDocs writes the time of the build into them
    assert _changed(site, files(small_copy.site)) <= dated


def test_rendering_without_any_cache_gives_the_same_tree(small_copy: Repository) -> None:
    tree = files(small_copy.tree)
    shutil.rmtree(small_copy.cache)
    api.render(small_copy)
    assert files(small_copy.tree) == tree


LEFT = (b"", b"\xff{", b"null", b"[" * 10_000)
"""What may be left of a damaged file."""


@pytest.mark.parametrize("left", [LEFT, *(pytest.param([data], marks=pytest.mark.sweep) for data in LEFT)])
def test_a_damaged_cache_is_made_anew(small_copy: Repository, left: Sequence[bytes]) -> None:
    tree = files(small_copy.tree)
    caches = [path for path in small_copy.cache.rglob("*") if path.is_file() and small_copy.tree not in path.parents]
    for path, data in zip(sorted(caches), cycle(left), strict=False):
        path.write_bytes(data)
    api.build(small_copy)
    assert files(small_copy.tree) == tree
    assert len(caches) > 5


def test_a_cache_of_another_version_of_the_program_is_made_anew(small_copy: Repository) -> None:
    tree = files(small_copy.tree)
    kept = [
        *small_copy.cache.glob("*.stamp"),
        *(small_copy.cache / "changes").glob("*"),
        *(small_copy.cache / "boards").glob("*"),
    ]
    for path in kept:
        write_cache(path, b'{"files": 1, "state": 1}')
    api.build(small_copy)
    assert files(small_copy.tree) == tree
    assert {"data.stamp", "site.stamp"} < {path.name for path in kept}


def test_a_tree_holds_exactly_its_files(tmp_path: Path) -> None:
    write_tree(tmp_path, [("a/b.txt", b"1"), ("a/c/d.txt", b"2"), ("e.txt", b"3")])
    write_tree(tmp_path, [("a/b.txt", b"1"), ("e.txt", b"4")])
    assert files(tmp_path) == {"a/b.txt": b"1", "e.txt": b"4"}
    assert not (tmp_path / "a" / "c").exists()


# --- the words of the specs -----------------------------------------------------------------------------------------


def test_a_new_title_changes_words_and_no_number(small_copy: Repository) -> None:
    run, tree = files(small_copy.runs), files(small_copy.tree)
    edit(small_copy.specs, "benchmark.yaml", "title: Small", "title: Renamed benchmark")
    edit(small_copy.specs, "models/lead-2.yaml", 'title: "Lead-2"', 'title: "Renamed contestant"')
    api.render(small_copy)
    assert files(small_copy.runs) == run
    changed = _changed(tree, files(small_copy.tree))
    titled = {
        "data/v1/index.json", "data/v1/models/lead-2.json", "data/v1/evidence/small/index.json", "CITATION.cff",
        "feed.xml", "llms.txt", "data/v1/boards/small/groups.json", "data/v1/archive.zip",
        "data/v1/boards/small/badges/lead-2.svg",
    }  # fmt: skip
    of_words = {name for name in changed if not name.endswith(".md") and "/cards/" not in name}
    assert of_words == {"mkdocs.yml", *(f"docs/{name}" for name in titled)}
    home, board = (page(small_copy.site / name) for name in ("index.html", "boards/small/index.html"))
    assert "Renamed benchmark" in home.one("head").one("title").raw
    assert any(row[1].startswith("Renamed contestant") for row in content(board).all("table")[0].rows())


def test_an_older_run_is_shown_in_the_words_of_its_own_specs(small_copy: Repository) -> None:
    old = api.find_run(small_copy, None).path.name
    edit(small_copy.specs, "goals/rivers.yaml", "title: Tell the count without explaining", "title: Do not explain")
    edit(small_copy.specs, "goals/rivers.yaml", "reasoning: 5, clarity: 4}", "reasoning: 3, clarity: 4}")
    api.build(small_copy)
    new = api.find_run(small_copy, None).path.name
    assert old != new

    def goal() -> str:
        root = content(pages(small_copy.site)["domains/small/rivers/"])
        return " ".join(heading.text for heading in root.all("h3"))

    assert "The goal: Do not explain it away" in goal()
    page.cache_clear()
    api.render(small_copy, old)
    assert "The goal: Tell the count without explaining it away" in goal()
    site = Site(small_copy)
    assert site.json("index.json")["run"] == old
    assert [(run["run"], site.json("runs.json")["shown"]) for run in site.json("runs.json")["runs"]] == [
        (new, old), (old, old),
    ]  # fmt: skip
    page.cache_clear()


def test_a_run_can_be_rendered_where_there_are_no_specs_any_more(small_copy: Repository) -> None:
    shutil.rmtree(small_copy.specs)
    tree = files(small_copy.tree)
    api.render(small_copy)
    assert files(small_copy.tree) == tree


def _without(results: Path, name: str) -> None:
    """Take a column out of the whole board, as somebody may who makes results up."""
    content = json.loads(results.read_bytes())
    for row in content["leaderboard"]:
        del row[name]
    results.write_bytes(json.dumps(content).encode())


# --- damage ---------------------------------------------------------------------------------------------------------


DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-200]),
    "of another shape": lambda path: path.write_bytes(b"[]"),
    "renamed": lambda path: path.write_bytes(path.read_bytes().replace(b'"rank"', b'"rang"')),
    "no text": lambda path: path.write_bytes(path.read_bytes().replace(b"lead", b"le\xff\xfe")),
    "forged": lambda path: path.write_bytes(path.read_bytes().replace(b"86.0", b"96.0")),
}
"""What may happen to a file of results."""


def test_missing_or_damaged_results_give_one_error_whose_advice_helps(small_copy: Repository) -> None:
    run = api.find_run(small_copy, None).path
    results = run / "results" / "small" / "results.json"
    before = results.read_bytes()
    for name, damage in {**DAMAGE, "folder missing": lambda path: shutil.rmtree(path.parent)}.items():
        damage(results)
        assert not results.exists() or results.read_bytes() != before
        with pytest.raises(RunError) as refused:
            api.render(small_copy)
        assert f"nullbench-site score {run.name}" in str(refused.value), name
        assert "results/small" in str(refused.value), name
        if name in ("forged", "folder missing"):
            api.score(small_copy, run.name)
            assert results.read_bytes() == before
        results.write_bytes(before)


def test_damaged_results_of_a_run_that_is_not_sealed_are_refused_too(tmp_path: Path) -> None:
    write_benchmark(tmp_path)
    repository = Repository(tmp_path)
    api.build(repository, BuildOptions(Selection(models=["null-empty"])), render_site=False)
    entry = api.find_run(repository, None)
    assert entry.manifest.state == "open"
    results = entry.path / "results" / "small" / "results.json"
    before = results.read_bytes()
    columns = ("median_response_time_ms", "served_by", "ended_length")
    for damage in (
        *(DAMAGE[name] for name in ("missing", "empty", "of another shape")),
        lambda path: path.write_bytes(path.read_bytes().replace(b"empty", b"emp\xff\xfe")),
        *(partial(_without, name=name) for name in columns),
    ):
        damage(results)
        with pytest.raises(RunError, match=f"nullbench-site score {entry.path.name}"):
            api.render(repository)
        results.write_bytes(before)


@pytest.fixture
def beside_a_damaged_run(small_copy: Repository) -> Repository:
    """A run that is sound, and a newer one whose manifest somebody cut off."""
    run = api.find_run(small_copy, None).path
    shutil.copytree(run, run.with_name(f"{run.name}.r2"))
    (run.with_name(f"{run.name}.r2") / "manifest.json").write_bytes((run / "manifest.json").read_bytes()[:300])
    return small_copy


def test_beside_a_damaged_run_the_others_are_listed_and_rendered(beside_a_damaged_run: Repository) -> None:
    (run,) = (entry.path.name for entry in read_catalog(beside_a_damaged_run.runs).entries)
    listed = nullbench(beside_a_damaged_run.root, "runs", "list")
    assert (listed.code, [line.split()[0] for line in listed.out.splitlines()[1:]]) == (0, [run])
    assert f"{run}.r2/manifest.json: the manifest is damaged (Input data was truncated)" in listed.err
    told = json.loads(nullbench(beside_a_damaged_run.root, "runs", "list", "--json").out)
    assert ([each["run"] for each in told["runs"]], list(told["damaged"])) == ([run], [f"{run}.r2"])
    assert nullbench(beside_a_damaged_run.root, "render", run).code == 0
    text = page(beside_a_damaged_run.site / "runs" / "index.html").text
    assert f"Not listed, because the manifest cannot be read: {run}.r2." in text
    assert str(beside_a_damaged_run.root) not in text


@pytest.mark.parametrize("command", [["build"], ["plan"], ["render"], ["verify"]])
def test_what_has_to_know_every_run_stops_at_a_damaged_one_and_changes_nothing(
    beside_a_damaged_run: Repository, command: list[str]
) -> None:
    """A build would pay again for what only that run answers, or call another run by its name."""
    before = files(beside_a_damaged_run.runs), files(beside_a_damaged_run.site)
    done = nullbench(beside_a_damaged_run.root, *command)
    assert done.code == 2
    assert ".r2/manifest.json: the manifest is damaged" in done.err
    assert "restore it from git; or move the run folder away" in done.err
    assert (files(beside_a_damaged_run.runs), files(beside_a_damaged_run.site)) == before


def test_a_disk_that_refuses_the_site_is_named(small_copy: Repository) -> None:
    shutil.rmtree(small_copy.site)
    small_copy.site.write_text("a file where the site belongs", "utf-8")
    with pytest.raises(NullbenchError, match="site"):
        api.render(small_copy)


# --- the user's own mkdocs.yml --------------------------------------------------------------------------------------

OWN = """\
site_name: Never shown
site_url: https://example.org/board/
copyright: Copyright 2031 <b>The Authors</b>
repo_url: https://example.org/code
repo_name: the-code
edit_uri: ""
extra_css: [assets/mine.css]
theme:
  name: material
  font: false
  palette: {scheme: default, primary: red}
plugins: [search]
markdown_extensions: [attr_list]
extra: {generator: false}
"""


def _settings(repository: Repository) -> dict[str, object]:
    settings: dict[str, object] = yaml.safe_load((repository.tree / "mkdocs.yml").read_text("utf-8"))
    return settings


def test_the_users_own_settings_are_kept_and_the_generated_ones_added(small_copy: Repository) -> None:
    (small_copy.root / "mkdocs.yml").write_text(OWN, "utf-8")
    own_css = small_copy.root / "site_templates" / "assets" / "mine.css"
    own_css.parent.mkdir(parents=True)
    own_css.write_text(":root { --mine: 1 }\n", "utf-8")
    api.render(small_copy)
    kept = _settings(small_copy)
    own = yaml.safe_load(OWN)
    generated = ("site_name", "extra_css", "theme", "extra")
    assert {key: kept[key] for key in own if key not in generated} == {
        k: v for k, v in own.items() if k not in generated
    }
    assert kept["site_name"] == "Small"
    assert kept["theme"] == {**own["theme"], "custom_dir": "overrides"}
    assert set(kept["extra"]) == {*own["extra"], "script_hashes", "partial", "contribute"}
    assert kept["extra"]["partial"] is False
    assert (kept["extra_css"][0], kept["extra_css"][-1]) == ("assets/css/nullbench.css", "assets/mine.css")
    home = (small_copy.site / "index.html").read_text("utf-8")
    for shown in (
        'href="https://example.org/board/"',
        "Copyright 2031 <b>The Authors</b>",
        "the-code",
        "assets/mine.css",
    ):
        assert shown in home
    assert "Material for MkDocs" not in home
    assert (small_copy.site / "assets" / "mine.css").read_text("utf-8") == ":root { --mine: 1 }\n"
    lost = (small_copy.site / "404.html").read_text("utf-8")
    assert '<a href="https://example.org/board/">' in lost


def test_tags_that_mkdocs_understands_pass_through(small_copy: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'site_name: x\nsite_url: !ENV [BOARD_URL, "https://example.org/"]\ntheme: {name: material, font: false}\n'
    emoji = "markdown_extensions: [{pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }}]\n"
    (small_copy.root / "mkdocs.yml").write_text(text + emoji, "utf-8")
    monkeypatch.setenv("BOARD_URL", "https://example.org/from/the/environment/")
    api.render(small_copy)
    assert "https://example.org/from/the/environment/" in (small_copy.site / "index.html").read_text("utf-8")
    assert "!!python/name:material.extensions.emoji.twemoji" in (small_copy.tree / "mkdocs.yml").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"site_name: B\xfccher", "invalid YAML"),
        (b"site_name: [unclosed", r"mkdocs\.yml:1:21: invalid YAML"),
        (b"a: *nowhere", "invalid YAML"),
        (b"- a\n- list\n", "must be a mapping"),
        (b"", "must be a mapping"),
        (b"just words", "must be a mapping"),
        (b"extra_css: mine.css", "extra_css must be a list"),
        (b"extra_javascript: {a: b}", "extra_javascript must be a list"),
    ],
)
def test_a_broken_mkdocs_yml_is_named_with_what_is_wrong(tmp_path: Path, text: bytes, told: str) -> None:
    own = tmp_path / "mkdocs.yml"
    own.write_bytes(text)
    with pytest.raises(ConfigError, match=told) as refused:
        frame_settings(own)
    assert str(own) in str(refused.value)
    assert "delete it to use the default" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("plugins: [nosuchplugin]", "nosuchplugin", id="plugin"),
        pytest.param("markdown_extensions: [nosuchextension]", "nosuchextension", marks=pytest.mark.sweep),
        pytest.param("theme: material\nnosuchsetting: 1", "nosuchsetting", id="setting"),
        pytest.param("theme: material\nsite_url: 7", "site_url", marks=pytest.mark.sweep),
    ],
)
def test_what_mkdocs_refuses_is_told_with_its_reason_and_where_it_comes_from(
    small_copy: Repository, text: str, told: str
) -> None:
    (small_copy.root / "mkdocs.yml").write_text(text, "utf-8")
    with pytest.raises(RunError, match=told) as refused:
        api.render(small_copy)
    assert "mkdocs.yml" in str(refused.value)


def test_empty_lists_of_the_users_config_are_lists(tmp_path: Path) -> None:
    base = tmp_path / "mkdocs.yml"
    base.write_text("extra_css:\nextra_javascript: []\n", "utf-8")
    made = yaml.safe_load(
        mkdocs_config(
            frame_settings(base),
            title="Title",
            description="A description.",
            nav=[{"Board": "index.md"}],
            hidden=["/models/*/index.md"],
            script_hashes=["sha256-x="],
            partial=False,
            contribute={},
        )
    )
    assert made["extra_css"][0] == "assets/css/nullbench.css"
    assert made["extra_javascript"] == [{"path": "assets/js/nullbench.js", "type": "module"}]
    assert made["extra"] == {"script_hashes": ["sha256-x="], "partial": False, "contribute": {}}
    assert made["not_in_nav"] == "/models/*/index.md"
    assert (made["site_name"], made["site_description"]) == ("Title", "A description.")


# --- the user's own templates ---------------------------------------------------------------------------------------


def test_a_template_or_asset_of_the_repository_stands_in_for_the_shipped_one_alone(small_copy: Repository) -> None:
    own = small_copy.root / "site_templates"
    (own / "pages").mkdir(parents=True)
    (own / "assets" / "images").mkdir(parents=True)
    (own / "pages" / "data.md.j2").write_text('<h1>Our data</h1>\n<a href="{{ link("") }}">home</a>\n', "utf-8")
    (own / "assets" / "css").mkdir()
    (own / "assets" / "css" / "base.css").write_text("body { color: black }\n", "utf-8")
    (own / "assets" / "images" / "logo.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>\n", "utf-8")
    (own / "pages" / "axes").mkdir()
    (own / "pages" / "axes" / "models.md.j2").write_text("<p>Four axes, as we see them.</p>\n", "utf-8")
    before = files(small_copy.tree)
    api.render(small_copy)
    assert content(page(small_copy.site / "data" / "index.html")).one("h1").text == "Our data"
    assert "Four axes, as we see them." in content(page(small_copy.site / "models" / "index.html")).text
    changed = _changed(before, files(small_copy.tree))
    pages_of_ours = {"docs/data/index.md", "docs/models/index.md"}
    assert changed == {*pages_of_ours, "docs/assets/css/nullbench.css", "docs/assets/images/logo.svg"}


def test_a_template_of_the_repository_that_nothing_uses_is_warned_of_with_the_nearest_name(
    small_copy: Repository,
) -> None:
    own = small_copy.root / "site_templates" / "pages"
    (own / "axis").mkdir(parents=True)
    (own / "data.md.j2").write_text("<h1>Ours</h1>{% include '_ours.j2' %}", "utf-8")
    for name in ("_ours.j2", "bord.md.j2", "axis/models.md.j2"):
        (own / name).write_text("<p>Ours.</p>", "utf-8")
    notes: list[str] = []
    api.render(small_copy, on_note=notes.append)
    assert [note.split("; did you mean ")[0] for note in notes] == [
        f"{own / name}: no page uses this template" for name in ("axis/models.md.j2", "bord.md.j2")
    ]
    assert ["'axes/models.md.j2'?" in notes[0], "'board.md.j2'?" in notes[1]] == [True, True]
    assert "bord.md.j2: no page" in nullbench(small_copy.root, "render").err
    (own / "data.md.j2").write_text("{% set name = 'bord.md.j2' %}{% include name %}", "utf-8")
    assert "no page" not in nullbench(small_copy.root, "render").err, "any may be included"


DATA, PART, FRAME = "pages/data.md.j2", "pages/_differences.md.j2", "overrides/main.html"


@pytest.mark.parametrize(
    ("file", "template", "told"),
    [
        (DATA, "\n{% if %}", "2: Expected an expression"),
        (DATA, "\n\n{{ nosuchthing }}", "3: 'nosuchthing' is undefined"),
        (DATA, "{{ about.nosuchfield }}", "1: .* has no attribute 'nosuchfield'"),
        (DATA, "{% include 'nosuchfile' %}", "1: nosuchfile"),
        (DATA, "<p>\n{{ 1 + 'one' }}", "2: unsupported operand"),
        # The template that is broken is named, and not the page that includes it.
        (PART, "\n{% if %}", "2: Expected an expression"),
        (PART, "\n{{ nosuch.thing }}", "2: 'nosuch' is undefined"),
        (FRAME, '{% extends "base.html" %}\n{% if %}', "2: Expected an expression"),
    ],
)
def test_a_broken_template_of_the_repository_is_named(
    small_copy: Repository, file: str, template: str, told: str
) -> None:
    own = small_copy.root / "site_templates" / file
    own.parent.mkdir(parents=True)
    own.write_text(template, "utf-8")
    with pytest.raises(ConfigError, match=f"^site_templates/{file}:{told}.*; fix it, or delete it to use the shipped"):
        api.render(small_copy)


def test_a_broken_template_of_a_package_is_named(small_copy: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Environment(autoescape=True).from_string("{{ nothing.here }}")
    monkeypatch.setattr(Environment, "get_template", lambda *_: broken)
    with pytest.raises(UndefinedError) as refused:
        api.render(small_copy)
    (note,) = refused.value.__notes__
    assert note.endswith(".md.j2, which is not of this repository")


# --- compiled templates ---------------------------------------------------------------------------------------------


def _hello(folder: Path) -> str:
    environment = Environment(loader=FileSystemLoader(folder), autoescape=True)
    return cache_templates(environment).get_template("hello.j2").render()


def test_templates_are_compiled_once_and_anew_when_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "hello.j2").write_text("Hello")
    assert _hello(tmp_path) == "Hello"
    with monkeypatch.context() as context:
        context.setattr(Environment, "_generate", None)
        assert _hello(tmp_path) == "Hello"
    (tmp_path / "hello.j2").write_text("Good bye")
    assert _hello(tmp_path) == "Good bye"


def test_without_a_folder_of_the_user_alone_templates_are_compiled_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> str:
        raise RuntimeError("Cannot determine safe temp directory")

    (tmp_path / "hello.j2").write_text("Hello")
    monkeypatch.setattr(FileSystemBytecodeCache, "_get_default_cache_dir", refused)
    assert _hello(tmp_path) == "Hello"


def test_a_file_that_somebody_wrote_into_the_site_is_made_anew_whatever_its_time_says(small_copy: Repository) -> None:
    api.render(small_copy)
    paths = [small_copy.site / name for name in ("data/v1/index.json", "assets/js/nullbench.js")]
    before = [path.read_bytes() for path in paths]
    for path in paths:
        known = path.stat()
        with path.open("r+b") as file:
            file.write(b"X")
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    api.build(small_copy)
    assert [path.read_bytes() for path in paths] == before


def test_a_date_of_the_environment_that_is_none_is_told(
    small_copy: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("today", "1e9", "-99999999999999", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
        with pytest.raises(RunError, match=rf"SOURCE_DATE_EPOCH is '{value}'; expected the seconds since 1970"):
            api.render(small_copy)
