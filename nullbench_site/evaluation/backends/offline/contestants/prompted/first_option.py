"""Answers with what stands first: the floor of multiple choice, and of every prompt that holds its own answer."""

import re

from ...params import Params, only
from ...text import figures

_OPTION = re.compile(r"^[ \t]{0,8}[(*]{0,3}(?P<letter>[A-Z])[).:*]{1,4}[ \t]", re.MULTILINE)


def first_option(params: Params, prompt: str) -> str:
    """The letter of the first option; without options the first number; without numbers A."""
    only(params, [])
    option = _OPTION.search(prompt)
    return f"Answer: {option['letter'] if option else next(iter(figures(prompt)), 'A')}"
