"""A null model that says one plain sentence."""

from ..params import Params, only

_SENTENCE = "Thank you for the interesting question, which deserves careful thought."


def null_constant(params: Params, task: str, source: str) -> str:
    """The same sentence, whatever is asked."""
    only(params, [])
    return _SENTENCE
