"""Marking a response by its answer key."""

from __future__ import annotations

from nullbench_site.keys.key import Key, Marked, invalid
from nullbench_site.keys.reading.visible import Visible
from nullbench_site.keys.registry import KEYS

REVISION = 1
"""Raised when a key would mark otherwise."""


def mark(text: str, key: Key) -> Marked:
    """Whether the answer that `text` gives is the one of `key`; takes time linear in the text, and never raises.

    What a response says last and explicitly counts ("Answer: B", \\boxed{12}), else what its last or first line says as
    a whole. Thinking between tags is left out. Raises KeyError for a key of no registered type.
    """
    function = KEYS[str(key.__struct_config__.tag)].function
    visible = Visible(text)
    if not visible.empty:
        return function(visible, key)
    return invalid("ends before its thinking does" if visible.cut_off else "holds no text outside its thinking")
