"""The server that endpoints of these tests are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.fault_server import FaultServer


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running
