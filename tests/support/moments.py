"""Signals that come at a stated moment of a real process: when it imports a module, opens a file, removes a folder."""

from __future__ import annotations

import signal
from pathlib import Path

from support.commands import ROOT

_AT_MOMENT = """\
import os, signal, sys
event, part, number, left = {event!r}, {part!r}, {number}, [{times}]

def hook(name, arguments):
    if name == event and part in str(arguments[0]) and left:
        left[0] -= 1
        if not left[0]:
            left.clear()
            os.kill(os.getpid(), number)

if number != signal.SIGKILL:
    signal.signal(number, {handler})
sys.addaudithook(hook)
"""


def at_moment(
    folder: Path, by: signal.Signals, event: str, part: str, times: int = 1, *, ignored: bool = False
) -> dict[str, str]:
    """Variables with which a Python process sends itself the signal `by` at an audit event.

    It is the event of that name whose first argument has `part` in it, the `times`-th of them. folder: an empty one.
    ignored: the process is started with the signal ignored, as nohup does it and as tests in the background are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    usual = "signal.default_int_handler" if by == signal.SIGINT else "signal.SIG_DFL"
    handler = "signal.SIG_IGN" if ignored else usual
    text = _AT_MOMENT.format(event=event, part=part, number=int(by), times=times, handler=handler)
    (folder / "sitecustomize.py").write_text(text, "utf-8")
    return {"PYTHONPATH": f"{folder}:{ROOT}"}
