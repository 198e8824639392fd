"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import kept

pytest_plugins = [
    f"support.{name}"
    for name in ("repositories", "sites", "histories", "hostile", "oracle_sites", "pairwise_sites", "rubric_sites")
]
"""The repositories and sites that tests of all folders share, as fixtures."""

# As in commands: threads of two workers that wait for each other on two cores take half of the time of statistics.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Parsed pages and records of the shipped run stay, and to look through them again and again took a tenth of the time.
gc.set_threshold(100_000, 20, 100)

pytest.register_assert_rewrite("support.mistakes")  # so that a failed comparison shows both messages

# A law is tried on few examples in `make test`; `make test-all` takes the other profile by --hypothesis-profile.
# How long an example takes says how busy the machine is, and nothing about the program.
for name, examples in (("suite", 8), ("large", 200)):
    settings.register_profile(name, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# No test cuts the power, and on a busy machine tests of builds waited for the disk as long as they computed. What is no
# open file is refused as before.
os.fsync = os.fstat

# Who runs the suite in the background of a shell has Ctrl-C ignored, and so had the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

kept.keep()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files beside this one: two of their tests take ten seconds and more, and at the end of the list
    one worker would wait for the other."""
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)
