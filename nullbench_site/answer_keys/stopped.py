"""Texts that the token limit ended: which sentences are whole, and whether a worked solution was still in progress."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nullbench_site.answer_keys.key import Visible
from nullbench_site.answer_keys.statements import SENTENCE_END, sentences

_MOST = 20
"""The sentences that are read."""
_STEP = re.compile(
    r"\W*(?:let's\b|let us\b|let me\b|first(?:ly)?[ ,]+(?:we|i|find|calculate|let|compute|you|add|note)\b|step\b|"
    r"(?:in order )?to (?:solve|find|determine|calculate|compute|answer|get|work out)\b|"
    r"we (?:need|start|begin|first|have to|must|can)\b|i(?:'ll| will) (?:break|start|solve|calculate)\b|"
    r"(?:then|next|now|after that)[ ,]+(?:we|i|let|you|calculate|find|add|subtract|multiply|divide)\b|"
    r"(?:[0-9]{1,2}[.)]) (?=\D)|"
    r"um [^.\n]{1,80} zu (?:berechnen|bestimmen|l\u00f6sen|finden|ermitteln)\b|zuerst\b|zun\u00e4chst\b|schritt\b|"
    r"d'abord\b|pour (?:calculer|trouver|r\u00e9soudre|d\u00e9terminer)\b|\u00e9tape\b|"
    r"primero\b|para (?:calcular|encontrar|resolver|determinar|hallar)\b|paso\b|primeiro\b|"
    r"per (?:calcolare|trovare|risolvere)\b|"
    r"\u9996\u5148|\u6211\u4eec\u9700\u8981|\u7b2c\u4e00\u6b65|\u307e\u305a|\uba3c\uc800|\u0441\u043d\u0430\u0447\u0430\u043b\u0430\b)",
    re.IGNORECASE,
)


def whole_sentences(visible: Visible) -> Sequence[str]:
    """Return the first sentences that end with a mark or a line; not the one in which the text was cut."""
    lines = visible.lines[: _MOST + 1]
    whole: list[str] = []
    for at, line in enumerate(lines):
        parts = sentences(line)
        cut = at == len(visible.lines) - 1 and parts and not SENTENCE_END.search(parts[-1])
        whole += parts[:-1] if cut else parts
    return whole[:_MOST]


def in_progress(visible: Visible) -> bool:
    """Return True if a sentence, or the part before the cut, begins as a step of a worked solution does."""
    return any(_STEP.match(part) for line in visible.lines[: _MOST + 1] for part in SENTENCE_END.split(line)[:_MOST])
