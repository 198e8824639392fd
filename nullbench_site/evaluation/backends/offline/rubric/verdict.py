"""From what a judge measures to its reply: the same arithmetic for all judges by rubric."""

import json
import math

from .reading import Reading


def reply(reading: Reading, value: float, rationale: str) -> str:
    """Compact JSON with sorted keys: `value`, 0-1, times the response's standing, put on 1-5.

    rationale: figures and words of the spec; a reply never repeats the response.
    """
    score = 1 + rounded(4 * value * reading.standing)
    text = rationale if reading.standing else "no answer to this prompt: empty, an echo, or about another matter"
    return json.dumps({"rationale": text, "score": score}, sort_keys=True, separators=(",", ":"))


def rounded(value: float) -> int:
    """To the nearest whole number, halves up."""
    return math.floor(value + 0.5)
