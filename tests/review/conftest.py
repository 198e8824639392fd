from pathlib import Path

import pytest
from support.commits import commit, git
from support.repositories import copy_of

from nullbench_site.repository import Repository


@pytest.fixture(scope="session")
def board_original(built_original: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = copy_of(built_original, tmp_path_factory.mktemp("committed") / "board")
    git(repository, "init", "-q", "-b", "base")
    commit(repository)
    return repository


@pytest.fixture
def board(board_original: Repository, tmp_path: Path) -> Repository:
    """A small repository with one sealed run, all of it committed on the branch `base`."""
    return copy_of(board_original, tmp_path / "built")
