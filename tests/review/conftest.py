import pytest
from support.commits import commit, git
from support.repositories import built, built_original, unbuilt_original

from nullbench_site.api import Repository

__all__ = ["built", "built_original", "unbuilt_original"]


@pytest.fixture
def board(built: Repository) -> Repository:
    """A small repository with one sealed run, all of it committed on the branch `base`."""
    git(built, "init", "-q", "-b", "base")
    commit(built)
    return built
