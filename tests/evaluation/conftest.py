"""The server that endpoints of these tests are, and repositories that were built once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.fault_server import FaultServer
from support.repositories import built, built_original, repository, unbuilt_original

__all__ = ["built", "built_original", "repository", "unbuilt_original"]


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running
