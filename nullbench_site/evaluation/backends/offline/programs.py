"""Every program by its name: contestants answer, judges score."""

from __future__ import annotations

from collections.abc import Mapping

from nullbench_site.evaluation.backends.offline.contestants import CONTESTANTS
from nullbench_site.evaluation.backends.offline.judges import JUDGES
from nullbench_site.evaluation.backends.offline.judges.case import read_case
from nullbench_site.evaluation.backends.offline.params import only

__all__ = ["CONTESTANTS", "JUDGES", "answer", "judge"]


def answer(model: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """The answer of contestant `model` to task and source. ValueError for a wrong name, param or field."""
    _known("contestant", model, CONTESTANTS)
    task, source = fields.get("task"), fields.get("source")
    if not isinstance(task, str) or not isinstance(source, str):
        raise ValueError("fields 'task' and 'source' must be text")
    return CONTESTANTS[model](params, task, source)


def judge(model: str, params: Mapping[str, object], fields: Mapping[str, object]) -> str:
    """The verdict of judge `model` on `fields` as JSON text. ValueError for a wrong name, param or field.

    The text is {"axes": {axis: 1-5}, "goal_alignment": 0-100, "quality": 0-100, "rationale": str} and, if
    the field `gates` is true, "refusal": {"answer": bool, "prompt": bool}. Judges take no params.
    """
    _known("judge", model, JUDGES)
    only(params, [])
    return JUDGES[model](read_case(fields))


def _known(what: str, model: str, registry: Mapping[str, object]) -> None:
    if model not in registry:
        raise ValueError(f"unknown offline {what} {model!r}; known: {', '.join(sorted(registry))}")
