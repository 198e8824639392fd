"""Asks back and answers nothing: right for a vague prompt, a dodge for every other."""

from ...params import Params, only
from .topics import rarest

TERMS = 2


def ask_back(params: Params, prompt: str) -> str:
    """Questions about the longest words of the prompt, and those that could be asked of anybody."""
    only(params, [])
    about = [f'- What exactly do you mean by "{word}" here?' for word in rarest(prompt, TERMS)]
    return "\n".join(
        [
            "Before I start, could you clarify a few points?",
            *about,
            "- Who is it for, and what will they do with it?",
            "- Which constraints are fixed, and which can be changed?",
            "- What have you tried so far, and what happened?",
        ]
    )
