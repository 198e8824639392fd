"""Contestants for bare prompts: each shows what part of a score can be had without understanding.

They see the prompt and nothing else. None knows a fact, none sees an ideal answer, and each answers in time linear in
the prompt.
"""

from collections.abc import Callable

from ...params import Params

Prompted = Callable[[Params, str], str]
