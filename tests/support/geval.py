"""A whole measurement by G-Eval, as judging makes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from nullbench_site.judging.geval import SCHEMA, Case, Measured, measured, worded

Ask: TypeAlias = Callable[[str, dict[str, Any] | None], Awaitable[str]]
"""A prompt and the JSON Schema of its reply -> the text of the reply, as it came."""


async def measure(metric: str, case: Case, ask: Ask) -> Measured:
    return measured(metric, case, await ask(worded(metric, case), SCHEMA))
