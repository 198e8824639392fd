"""A private item of a board on axes: source, task and facts stay here, the scores do not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.private import git
from support.repositories import build, run_dir, small_repository

from nullbench_site import api
from nullbench_site.packaged import data_text
from nullbench_site.protocols.axes.specs import AxesItem
from nullbench_site.repository import Repository

BOARD = "main"


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, AxesItem]:
    """A repository that was built with one item hidden, and that item as it was."""
    folder = tmp_path_factory.mktemp("hidden")
    repository = small_repository(folder)
    (folder / ".gitignore").write_text(data_text("starter/gitignore"), "utf-8")
    git(folder, "init", "-q")
    benchmark = api.validate(repository)
    placed = next(benchmark.items(benchmark.boards[BOARD]))
    api.hide(repository, placed.domain.id, [placed.id])
    build(repository)
    return repository, placed.item


def published(repository: Repository) -> dict[str, bytes]:
    """What git would take, and the site."""
    names = git(repository.root, "ls-files", "--others", "--cached", "--exclude-standard").splitlines()
    paths = [repository.root / name for name in names] + [p for p in repository.site.rglob("*") if p.is_file()]
    return {str(path.relative_to(repository.root)): path.read_bytes() for path in paths if path.is_file()}


def test_no_word_of_it_is_published_and_its_score_is(hidden: tuple[Repository, AxesItem]) -> None:
    repository, item = hidden
    api.render(repository)
    files = published(repository)
    assert item.facts is not None
    texts = [item.source[:40], item.source[-40:], item.task[:40], *(fact.text[:40] for fact in item.facts)]
    for text in texts:
        assert [name for name, content in files.items() if text.encode() in content] == []
    items_csv = next(content for name, content in files.items() if name.endswith(f"results/{BOARD}/items.csv"))
    assert item.id.encode() in items_csv


def test_whoever_has_no_text_comes_to_the_same_results(hidden: tuple[Repository, AxesItem], tmp_path: Path) -> None:
    repository, _ = hidden
    clone = tmp_path / "clone"
    for name, content in published(repository).items():
        if not name.startswith("site/"):
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            (clone / name).write_bytes(content)
    subprocess.run(["git", "init", "-q"], cwd=clone, check=True)
    other = Repository(clone)
    assert not (clone / "private").exists()
    entry, problems, _ = api.verify(other, run_dir(repository).name)
    assert problems == []
    assert api.score(other, entry.manifest.run) == entry.path
    assert published(other) == {name: c for name, c in published(repository).items() if not name.startswith("site/")}
    assert build(other).calls.made == 0
