"""The command line: one thin module a command over nullbench_site.api.

Nothing is imported here that takes time: a Ctrl-C while the rest still loads ends with a sentence, too.
"""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
_SENTENCE = "Interrupted. What was recorded is kept; run the same command to go on from there."


def main() -> None:
    """Run the command line; SIGINT and SIGTERM end it with one sentence, from its first moment to its last."""
    _on_signals(_exit_at_once)
    try:
        from nullbench_site.cli.app import run

        run()
    finally:
        _on_signals(_exit_at_once)


def begin() -> None:
    """From here on there is something to put in order: signals raise KeyboardInterrupt."""
    _on_signals(signal.default_int_handler)


def exit_interrupted() -> NoReturn:
    """End after a KeyboardInterrupt."""
    _on_signals(_exit_at_once)
    sys.stderr.write(f"{_SENTENCE}\n")
    sys.exit(INTERRUPTED)


def _on_signals(handler: Callable[[int, FrameType | None], object]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and shells have it for what runs beside them
            signal.signal(number, handler)


def _exit_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """While modules load and when all is done, where there is nothing to put in order and exceptions may get lost."""
    os.write(2, f"{_SENTENCE}\n".encode())
    os._exit(INTERRUPTED)
