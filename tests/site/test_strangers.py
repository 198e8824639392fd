"""What the repository of a stranger can and cannot do to whoever renders it; SECURITY.md says the same in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.packaged import packaged
from nullbench_site.repository import Repository
from nullbench_site.site.tree import ConfigError, frame_settings, write_tree


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("hooks: [hook.py]", "hooks is not allowed: it runs Python code of the repository"),
        ("INHERIT: ../other.yml", "INHERIT is not allowed: it loads settings from a file"),
        ("copyright: !!python/object/apply:os.system ['touch pwned']", "may run code"),
        ("copyright: !!python/name:os.system ''", "may run code"),
        ("copyright: !!python/module:antigravity ''", "may run code"),
        ("extra: {a: [{b: !!python/object/new:os._wrap_close {}}]}", "may run code"),
        ("copyright: !ENV [A, !!python/object/apply:os.system ['touch pwned']]", "may run code"),
        ("copyright: !ENV {A: !!python/object/apply:os.system ['touch pwned']}", "may run code"),
        ("copyright: !ENV OPENAI_API_KEY", "!ENV uses OPENAI_API_KEY: its value would be published on every page"),
        ("extra: {analytics: !ENV [GITHUB_TOKEN, none]}", "!ENV uses GITHUB_TOKEN"),
        ("markdown_extensions: [{pymdownx.snippets: {auto_append: [.env]}}]", "pymdownx.snippets is not allowed"),
        ("markdown_extensions: {pymdownx.b64: {base_path: /}}", "pymdownx.b64 is not allowed"),
    ],
)
def test_a_mkdocs_yml_that_runs_code_or_publishes_what_is_not_the_repository_s_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "mkdocs.yml"
    own.write_text(f"theme: {{name: material, font: false}}\n{settings}\n", "utf-8")
    with pytest.raises(ConfigError) as refused:
        frame_settings(own)
    assert told in str(refused.value)
    assert str(own) in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["mkdocs.yml"]


def test_the_shipped_mkdocs_yml_and_an_address_from_the_environment_are_taken(tmp_path: Path) -> None:
    own = tmp_path / "mkdocs.yml"
    text = packaged("mkdocs.yml").read_text("utf-8")
    own.write_text(f'{text}site_url: !ENV [SITE_URL, "https://example.org/key/"]\n', "utf-8")
    assert frame_settings(own)["use_directory_urls"] is True


@pytest.mark.parametrize("name", ["assets/notes.txt", "pages/board.html.j2", "overrides/main.html", "assets"])
def test_a_link_in_site_templates_is_refused_and_not_published(small_copy: Repository, name: str) -> None:
    secrets = small_copy.root / "secrets"
    secrets.mkdir()
    (secrets / "keys.txt").write_text("OPENAI_API_KEY=hush-hush-hush\n", "utf-8")
    link = small_copy.root / "site_templates" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(secrets if name == "assets" else secrets / "keys.txt")
    with pytest.raises(ConfigError, match="this is a symlink, whose target would be published") as refused:
        api.render(small_copy)
    assert str(link) in str(refused.value)
    published = (path for path in small_copy.site.rglob("*") if path.is_file())
    assert not any(b"hush-hush-hush" in path.read_bytes() for path in published)


@pytest.mark.parametrize("name", ["site", ".nullbench"])
def test_a_folder_that_rendering_empties_is_not_taken_through_a_link(
    small_copy: Repository, tmp_path: Path, name: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.txt").write_text("Years of work.\n", "utf-8")
    folder = small_copy.root / name
    if folder.exists():
        folder.rename(tmp_path / "away")
    folder.symlink_to(home)
    with pytest.raises(UsageError, match="this is a symlink, and rendering deletes files that it does not write"):
        api.render(small_copy)
    assert [path.name for path in home.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("name", [".", "docs", "docs/index.md"])
def test_the_generated_tree_is_written_through_no_link(tmp_path: Path, name: str) -> None:
    home, tree = tmp_path / "home", tmp_path / "tree"
    home.mkdir()
    kept = home / ("index.md" if name == "docs" else "thesis.txt")
    kept.write_text("Years of work.\n", "utf-8")
    link = tree / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(kept if name.endswith(".md") else home)
    write_tree(tree, [("docs/index.md", b"ours")])
    assert kept.read_text("utf-8") == "Years of work.\n"
    assert [path.name for path in home.iterdir()] == [kept.name]
    assert (tree / "docs/index.md").read_bytes() == b"ours"
