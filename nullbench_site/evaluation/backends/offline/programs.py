"""Every program by its name: contestants answer, judges score."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nullbench_site.evaluation.backends.offline.contestants import CONTESTANTS, PROMPTED
from nullbench_site.evaluation.backends.offline.judges import JUDGES
from nullbench_site.evaluation.backends.offline.judges.case import read_case
from nullbench_site.evaluation.backends.offline.params import only
from nullbench_site.evaluation.backends.offline.rubric import RUBRIC_JUDGES
from nullbench_site.evaluation.backends.offline.rubric.case import read_rubric_case

__all__ = ["CONTESTANTS", "CONTESTANTS_OF", "JUDGES", "JUDGES_OF", "PROMPTED", "RUBRIC_JUDGES", "answer", "judge"]

CONTESTANTS_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {"axes": frozenset(CONTESTANTS), "rubric": frozenset(PROMPTED), "oracle": frozenset(PROMPTED)}
)
"""The contestants that can answer what a protocol asks."""
JUDGES_OF: Mapping[str, frozenset[str]] = MappingProxyType(
    {"axes": frozenset(JUDGES), "rubric": frozenset(RUBRIC_JUDGES), "oracle": frozenset()}
)
"""The judges that can score what a protocol shows them."""


def answer(model: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """The answer of contestant `model` to a task and its source, or to a prompt.

    ValueError for a wrong name, param or field.
    """
    _known("contestant", model, CONTESTANTS, PROMPTED)
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
    _known("judge", model, JUDGES, RUBRIC_JUDGES)
    only(params, [])
    if model in RUBRIC_JUDGES:
        return RUBRIC_JUDGES[model](read_rubric_case(fields))
    return JUDGES[model](read_case(fields))


def _known(what: str, model: str, *registries: Mapping[str, object]) -> None:
    names = sorted(set().union(*registries))
    if model not in names:
        raise ValueError(f"unknown offline {what} {model!r}; known: {', '.join(names)}")
