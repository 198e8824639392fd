"""What programs answered, for all processes of a session: it follows from the request, and most builds make the same
calls, which took half of their time."""

from __future__ import annotations

import atexit
import json
import os
import tempfile
from pathlib import Path

from nullbench_site.evaluation.backends.programs import Programs
from nullbench_site.judging.calls import Answer, Request

KEPT = "NULLBENCH_TESTS_ANSWERS"
"""The variable with the path of the file; where it is not set each process asks for itself."""
_known: dict[str, str] = {}
_ask, _read = Programs.ask, [0]


def keep() -> None:
    """Begin the file of a session; processes that are started later have it."""
    if KEPT not in os.environ:
        handle, os.environ[KEPT] = tempfile.mkstemp(prefix="answers-")
        os.close(handle)
        atexit.register(Path(os.environ[KEPT]).unlink, missing_ok=True)


def _take_over(path: str) -> None:
    """Read what others have written since; a line that is being written has no end yet."""
    with Path(path).open("rb") as file:
        file.seek(_read[0])
        for line in file:
            if line.endswith(b"\n"):
                key, text = json.loads(line)
                _known[key] = text
                _read[0] += len(line)


async def _ask_once(self: Programs, request: Request) -> Answer:
    path = os.environ.get(KEPT)
    if not path:
        return await _ask(self, request)
    key = request.key()
    if key not in _known:
        _take_over(path)
    if key not in _known:
        _known[key] = (await _ask(self, request)).text
        file = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.write(file, json.dumps([key, _known[key]]).encode() + b"\n")
        os.close(file)
    return Answer(_known[key])


Programs.ask = _ask_once  # type: ignore[method-assign]
