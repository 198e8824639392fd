"""The command line: one thin module per command over nullbench_site.api.

Imports here must be fast, so that Ctrl-C ends with a message even while other modules load.
"""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
_SENTENCE = "Interrupted. Recorded answers are kept; run the same command to resume."


def main() -> None:
    """Run the command line. SIGINT and SIGTERM end it with one message at any time."""
    _on_signals(_exit_at_once)
    try:
        from nullbench_site.cli.app import run

        run()
    finally:
        _on_signals(_exit_at_once)


def begin() -> None:
    """Let signals raise KeyboardInterrupt from now on, so that commands can clean up."""
    _on_signals(signal.default_int_handler)


def exit_interrupted() -> NoReturn:
    """End after a KeyboardInterrupt."""
    _on_signals(_exit_at_once)
    sys.stderr.write(f"{_SENTENCE}\n")
    sys.exit(INTERRUPTED)


def _on_signals(handler: Callable[[int, FrameType | None], object]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup and background jobs ignore them
            signal.signal(number, handler)


def _exit_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """Exit without an exception, while modules load and at the end, when there is nothing to clean up."""
    os.write(2, f"{_SENTENCE}\n".encode())
    os._exit(INTERRUPTED)
