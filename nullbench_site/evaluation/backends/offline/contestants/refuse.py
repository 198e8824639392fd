"""Declines every task, politely: what the refusal gates must catch."""

from ..params import Params, only

_REFUSAL = "I'm sorry, but I can't help with this request. Please ask someone who is able to look into it for you."


def refuse(params: Params, task: str, source: str) -> str:
    """The same refusal, whatever is asked."""
    only(params, [])
    return _REFUSAL
