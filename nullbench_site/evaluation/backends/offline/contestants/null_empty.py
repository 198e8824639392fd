"""A null model that says nothing."""

from ..params import Params, only


def null_empty(params: Params, task: str, source: str) -> str:
    """The empty answer."""
    only(params, [])
    return ""
