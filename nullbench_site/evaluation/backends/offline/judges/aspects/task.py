"""Task: the form asked for is the form given, about what the task names."""

from ...text import bullets, content_words, normalise
from ..evidence import Evidence
from ..keys import contains
from ..measure import Measure

FOCUS_SHARE = 0.3
FOCUS_TERMS = 2  # an answer may use other words than the task, but hardly all other words


def task(evidence: Evidence) -> Measure:
    """Mean over the constraints stated: 1 if met, less by the excess or lack; 0.3 of it depends on focus.

    Focus: of the content words that the task shares with the source, two (or the one there is) stand in the
    answer. Where there are none it is left out. None if nothing is stated and nothing shared.
    """
    form, fault = _form(evidence)
    focus = _focus(evidence)
    if form is None or focus is None:
        return Measure(focus if form is None else form, fault)
    return Measure(form * (1 - FOCUS_SHARE * (1 - focus)), fault)


def _focus(evidence: Evidence) -> float | None:
    named = frozenset(content_words(evidence.case.task)) & evidence.source.terms
    return min(1.0, len(named & evidence.answer.terms) / min(FOCUS_TERMS, len(named))) if named else None


def _form(evidence: Evidence) -> tuple[float | None, str]:
    limits = evidence.case.constraints
    response = evidence.response
    marks = len(bullets(evidence.case.response))
    met = {
        "too many sentences": _at_most(len(response.sentences), limits.max_sentences),
        "too few sentences": _at_least(len(response.sentences), limits.min_sentences),
        "too many words": _at_most(response.word_count, limits.max_words),
        "too few words": _at_least(response.word_count, limits.min_words),
        "not in bullets": float(marks > 0) if limits.format == "bullets" else None,
        "in bullets": float(marks == 0) if limits.format == "prose" else None,
        "wrong number of bullets": None
        if limits.bullets is None
        else max(0.0, 1 - abs(marks - limits.bullets) / limits.bullets),
        "a word it was to avoid": _free_of(limits.forbid, response.normal),
    }
    stated = {name: value for name, value in met.items() if value is not None}
    if not stated:
        return None, ""
    return sum(stated.values()) / len(stated), ", ".join(name for name, value in stated.items() if value < 1)


def _at_most(count: int, limit: int | None) -> float | None:
    """1 up to the limit, 0 from one and a half times the limit on."""
    if limit is None:
        return None
    return 1.0 if count <= limit else max(0.0, 1 - 2 * (count - limit) / limit)


def _at_least(count: int, limit: int | None) -> float | None:
    if limit is None:
        return None
    return min(1.0, count / limit)


def _free_of(forbidden: tuple[str, ...], text: str) -> float | None:
    if not forbidden:
        return None
    return float(not any(contains(text, word) for word in map(normalise, forbidden) if word))
