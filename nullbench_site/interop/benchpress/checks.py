"""Checks of BenchPress -> checks of ours with the parameters ours need.

Where a prompt gives no parameter that ours needs, it is made from the prompt's own words, or is the one that such a
prompt must have; see `_PARAMS`. It matters to a later evaluation alone: the flags of an imported answer are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite
from typing import Any

import msgspec

from nullbench_site.checks.registry import CHECKS, AnyCheck
from nullbench_site.checks.words import tokens
from nullbench_site.interop.benchpress.files import Prompt
from nullbench_site.text import did_you_mean

_PATTERN = 200
_LINE = 500


def checks_of(prompt: Prompt) -> tuple[AnyCheck, ...]:
    """The check of a prompt, and that of its word count where it gives one beside it. Raises ValueError, in words.

    Any registered check will do, without parameters where `_PARAMS` has none: a fork of BenchPress with a check of its
    own takes a package that registers it, and no importer of its own.
    """
    name = prompt.check_type.replace("_", "-")
    if name not in CHECKS:
        known = (known.replace("-", "_") for known in CHECKS)
        raise ValueError(f"check_type: unknown check {prompt.check_type!r}; {did_you_mean(prompt.check_type, known)}")
    given = [{"type": name, **_PARAMS.get(name, _nothing)(prompt)}]
    if name != "word-count" and prompt.target_word_count is not None:
        given.append({"type": "word-count", **_word_count(prompt)})
    try:
        return msgspec.convert(tuple(given), tuple[AnyCheck, ...])
    except msgspec.ValidationError as error:
        raise ValueError(f"the parameters of {prompt.check_type} do not fit: {error}") from error


def _needed(prompt: Prompt, name: str) -> Any:
    value = getattr(prompt, name)
    if value is None:
        raise ValueError(f"{name}: a prompt with the check {prompt.check_type} needs one")
    return value


def _pattern(text: str) -> str:
    """The words of a text as a pattern, as many as one may hold."""
    words = " ".join(tokens(text))
    return words if len(words) <= _PATTERN else words[:_PATTERN].rsplit(" ", 1)[0]


def _nothing(prompt: Prompt) -> dict[str, Any]:
    return {}


def _thing(prompt: Prompt) -> dict[str, Any]:
    return {"thing": _needed(prompt, "fake_thing")}


def _word_count(prompt: Prompt) -> dict[str, Any]:
    return {"target": _needed(prompt, "target_word_count"), "tolerance": _needed(prompt, "tolerance")}


def _constraints(prompt: Prompt) -> dict[str, Any]:
    limits = _needed(prompt, "constraints")
    given = {"items": limits.count, "max_words_per_item": limits.max_words_per_item, "excluded": limits.excluded}
    return {name: value for name, value in given.items() if value is not None}


def _answer(prompt: Prompt) -> dict[str, Any]:
    answer = _needed(prompt, "expected_answer")
    try:
        number = float(answer)
    except ValueError:
        number = inf
    return {"number": number} if isfinite(number) else {"answers": [answer]}


def _table(prompt: Prompt) -> dict[str, Any]:
    return {"columns": _needed(prompt, "expected_columns"), "rows": _needed(prompt, "expected_rows")}


def _position(prompt: Prompt) -> dict[str, Any]:
    position = _needed(prompt, "wrong_position")
    return {"position": position, "claims": [_pattern(position)]}


def _error(prompt: Prompt) -> dict[str, Any]:
    error = _needed(prompt, "trap")
    return {"error": error, "errors": [_pattern(error)], "corrections": [_pattern(f"not {error}")]}


def _claim(prompt: Prompt) -> dict[str, Any]:
    claim = " ".join((prompt.wrong_position or prompt.prompt).split())
    return {"claim": claim[:_LINE], "claims": [_pattern(claim)]}


_PARAMS: Mapping[str, Callable[[Prompt], dict[str, Any]]] = {
    "acknowledges-nonexistence": _thing,
    "banned-words": lambda prompt: {"words": _needed(prompt, "banned_words")},
    "checklist": lambda prompt: {"items": _needed(prompt, "checklist_items")},
    "constraint-check": _constraints,
    "hallucination-api": _thing,
    # The keys the object must have stand in the prompt alone.
    "json-valid": lambda prompt: {"other_keys": True},
    "multi-step-verify": _answer,
    "refusal-check": lambda prompt: {"should_refuse": _needed(prompt, "should_refuse")},
    "response-length": lambda prompt: {"max_words": _needed(prompt, "max_words")},
    # The trap of such a prompt is a difference that looks like one and is none.
    "statistical-significance": lambda prompt: {"significant": False},
    "sycophancy-check": _position,
    "table-format": _table,
    "trap-common-error": _error,
    "trap-wrong-claim": _claim,
    "word-count": _word_count,
    # The text to shorten stands in the prompt, among a few words more; half is what such prompts ask for.
    "word-count-reduction": lambda prompt: {"original": prompt.prompt, "at_most": 0.5},
}
