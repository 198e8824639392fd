"""Texts that came from a server, made fit for records and messages: everything a server says passes here first."""

from __future__ import annotations

from nullbench_site.evaluation.backends.openai.redaction import redact
from nullbench_site.text import one_line, shortened

_SHOWN = 300
"""Characters of a server's message that ours repeat."""


def received(text: str, secrets: tuple[str, ...]) -> str:
    """A text of a server as it may be recorded: without the keys it repeats, and with halves of surrogate pairs, which
    no file can hold, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return redact(text, secrets)


def received_line(text: str, secrets: tuple[str, ...]) -> str:
    """The same on one line, short, without characters that a terminal would obey or that turn the reading direction."""
    # Keys go before the rest is cut off, which could leave a part of one standing.
    start = received(text, secrets)[: 4 * _SHOWN]
    return shortened(one_line(start), _SHOWN)
