"""The source whole: every fact and no answer to a task that sets a limit."""

from ..params import Params, only


def copy_source(params: Params, task: str, source: str) -> str:
    """The source, unchanged."""
    only(params, [])
    return source
