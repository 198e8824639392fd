"""deepeval, imported so that it sends, writes, reads and prints nothing.

As it comes it reports each use to a server, reads .env files and a key file of the working directory into the
environment, makes folders in the working directory and in the home, and takes settings from more than 150 environment
variables, some of which stop the import. It does so when it is imported and when it counts its uses; a measurement
itself looks at no setting. So it is imported in an environment that holds only our switches, and it counts for nobody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context
from functools import cache
from importlib import import_module
from typing import Any

_SWITCHES = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
}
_KEPT = frozenset({"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TEMP", "TMP", "TMPDIR", "TZ"})
"""What other packages, imported along with it, may take from the environment for good."""


@cache
def scope() -> Context:
    """A context to run copies of, in which deepeval counts its uses for nobody.

    Imports deepeval, which takes some 2 s, and has to come before every other import of it. Raises ImportError.
    """
    with _environment_of_its_own():
        import_module("deepeval.metrics")
        counting: Any = import_module("deepeval.telemetry.context")
    # Outside of a run it counts in a global, with a thread and a hook at the end of the process to send that.
    context = Context()
    context.run(counting.push_run, counting.Entrypoint.STANDALONE, "")
    return context


@contextmanager
def _environment_of_its_own() -> Iterator[None]:
    before = dict(os.environ)
    try:
        for name in before.keys() - _KEPT:
            del os.environ[name]
        os.environ.update(_SWITCHES)
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)
