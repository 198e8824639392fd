"""How many values JSON holds, as far down as is read. Python's own limit differs by version and by who calls."""

from __future__ import annotations

_DEEPEST = 64


def count_values(value: object) -> int:
    """How many values it consists of. Raises RecursionError where it is nested too deeply."""
    count, level = 0, [value]
    for _ in range(_DEEPEST):
        count += len(level)
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return count
    raise RecursionError
