"""A program: runs some code under watch and prints, as JSON, what it did beside what it was asked to do.

Arguments: `measure` or `import`, and a file for what is found; standard output stays the code's own.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import os
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
FILES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate")
NETWORK = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname")
PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
seen: list[str] = []


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in NETWORK or event in PROCESSES or event in FILES:
        seen.append(f"{event} {arguments!r}")
    elif event == "socket.bind" and arguments[1][0] not in ("127.0.0.1", "::1"):
        seen.append(f"{event} {arguments[1]!r}")
    elif event == "open":
        path, mode, flags = arguments
        writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else flags & WRITES
        if writes or (isinstance(path, str) and Path(path).name.startswith((".env", ".deepeval"))):
            seen.append(f"open {path!r}")


def state() -> dict[str, Any]:
    return {
        "environment": dict(sorted(os.environ.items())),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "signals": [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)],
        # These set filters for warnings of their own when they are imported, by whomever.
        "warnings": [
            str(each) for each in warnings.filters if not each[2].__module__.startswith(("urllib3", "requests"))
        ],
        "handlers": [str(handler) for handler in logging.getLogger().handlers],
        "hooks": [str(sys.excepthook), str(sys.displayhook), str(threading.excepthook)],
        "loops": [str(asyncio.run), str(asyncio.get_event_loop), str(asyncio.BaseEventLoop.run_until_complete)],
        "folder": sorted(str(path) for path in Path().rglob("*")),
        "home": sorted(str(path) for path in Path(os.environ["HOME"]).rglob("*")),
    }


async def measured() -> list[Any]:
    from support.geval import measure

    from nullbench_site.judging.geval import METRICS, Case

    async def ask(prompt: str, schema: object) -> str:
        await asyncio.sleep(0)
        return '{"reason": "It is right.", "score": 8}'

    case = Case("Why is the sky blue?", "Rayleigh scattering.", "Short waves scatter more.")
    return list(await asyncio.gather(*(measure(metric, case, ask) for metric in METRICS for _ in range(40))))


def main() -> None:
    task, result = sys.argv[1], Path(sys.argv[2]).resolve()
    sys.dont_write_bytecode = True
    import tempfile

    tempfile.gettempdir()  # finds the folder for temporary files by writing one
    before = state()
    found: dict[str, Any] = {"before": before, "seen": seen}

    def report() -> None:
        found["seen"] = list(seen)
        result.write_text(json.dumps(found))

    atexit.register(report)  # runs after the hooks that come in later
    sys.addaudithook(watch)
    if task == "measure":
        found["scores"] = [each.score for each in asyncio.run(measured())]
    else:
        import deepeval  # noqa: F401
    found["after"] = state()


main()
