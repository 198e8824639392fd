"""Every program by its name: contestants answer, judges score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from nullbench_site.programs.arguments import Params, only
from nullbench_site.programs.baselines import copy_source, lead, paraphrase, random_sentences, refuse, textrank
from nullbench_site.programs.calculator import calculator
from nullbench_site.programs.fill_form import fill_form
from nullbench_site.programs.ideal_judges.judges import compliance, coverage, substance
from nullbench_site.programs.ideal_judges.reading import read_rubric_case
from nullbench_site.programs.nulls import (
    null_constant,
    null_empty,
    null_persuasive,
    null_structured,
    null_structured_rubric,
)
from nullbench_site.programs.prompted import agree, ask_back, essay, first_option, glossary
from nullbench_site.programs.source_judges.case import read_case
from nullbench_site.programs.source_judges.judges import FORM, RESTRAINT, SUPPORT
from nullbench_site.programs.task_aware import task_aware

Contestant = Callable[[Params, str, str], str]
"""Answers a task and its source."""
Prompted = Callable[[Params, str], str]
"""Answers a bare prompt."""

CONTESTANTS: Mapping[str, Contestant] = {
    "copy": copy_source,
    "lead": lead,
    "null-constant": null_constant,
    "null-empty": null_empty,
    "null-persuasive": null_persuasive,
    "null-structured": null_structured,
    "paraphrase": paraphrase,
    "random-sentences": random_sentences,
    "refuse": refuse,
    "task-aware": task_aware,
    "textrank": textrank,
}


def _of_prompt(contestant: Contestant) -> Prompted:
    """One that reads a prompt as a source without a task."""
    return lambda params, prompt: contestant(params, "", prompt)


PROMPTED: Mapping[str, Prompted] = {
    **{
        name: _of_prompt(CONTESTANTS[name])
        for name in ("copy", "lead", "null-constant", "null-empty", "null-persuasive", "paraphrase", "refuse")
    },
    "agree": agree,
    "ask-back": ask_back,
    "calculator": calculator,
    "essay": essay,
    "fill-form": fill_form,
    "first-option": first_option,
    "glossary": glossary,
    "null-structured": null_structured_rubric,
}

_SOURCE_JUDGES = {"form": FORM, "restraint": RESTRAINT, "support": SUPPORT}
_IDEAL_JUDGES = {"compliance": compliance, "coverage": coverage, "substance": substance}
JUDGES = frozenset([*_SOURCE_JUDGES, *_IDEAL_JUDGES])

CONTESTANTS_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {"axes": frozenset(CONTESTANTS), "rubric": frozenset(PROMPTED), "oracle": frozenset(PROMPTED)}
)
"""The contestants that can answer what a protocol asks."""
JUDGES_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {"axes": frozenset(_SOURCE_JUDGES), "rubric": frozenset(_IDEAL_JUDGES), "oracle": frozenset()}
)
"""The judges that can score what a protocol shows them."""


def answer(model: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """The answer of contestant `model` to a task and its source, or to a prompt.

    ValueError for a wrong name, param or field.
    """
    _known("contestant", model, {*CONTESTANTS, *PROMPTED})
    if model in PROMPTED and ("prompt" in fields or model not in CONTESTANTS):
        prompt = fields.get("prompt")
        if not isinstance(prompt, str):
            raise ValueError("field 'prompt' must be text")
        return PROMPTED[model](params, prompt)
    task, source = fields.get("task"), fields.get("source")
    if not isinstance(task, str) or not isinstance(source, str):
        raise ValueError("fields 'task' and 'source' must be text")
    return CONTESTANTS[model](params, task, source)


def judge(model: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """The verdict of judge `model` on `fields` as JSON text. ValueError for a wrong name, param or field.

    Of a judge by axes the text is {"axes": {axis: 1-5}, "goal_alignment": 0-100, "quality": 0-100, "rationale": str}
    and, if the field `gates` is true, "refusal": {"answer": bool, "prompt": bool}; of a judge by rubric it is
    {"rationale": str, "score": 1-5}. Judges take no params.
    """
    _known("judge", model, JUDGES)
    only(params, [])
    if model in _IDEAL_JUDGES:
        return _IDEAL_JUDGES[model](read_rubric_case(fields))
    return _SOURCE_JUDGES[model].reply(read_case(fields))


def _known(what: str, model: str, names: Collection[str]) -> None:
    if model not in names:
        raise ValueError(f"unknown offline {what} {model!r}; known: {', '.join(sorted(names))}")
