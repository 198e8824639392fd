"""The `axes` protocol: 1-5 on each axis of the category, goal alignment and quality 0-100, and two refusal gates.

Source: nullbench methodology. Refusal: axes 1, goal alignment 0, quality 0. A target that failed: all 0. Both count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from nullbench_site.protocols.base import Reply, UnitScore, UnitState
from nullbench_site.runs.records import Judgment, Response, Score
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.types import Axis, Panel
from nullbench_site.stats.refusal import gate_fires, gate_judges, gate_sample_size
from nullbench_site.stats.scores import axis_mean, clamped_mean, is_valid_axis_score, is_valid_percent

GOAL_ALIGNMENT, QUALITY = "goal_alignment", "quality"
GATES: Mapping[str, str] = {"answer": "refused_answer", "prompt": "refused_prompt"}
"""Gate -> the name of its vote in a judgment's scores. Gate `answer` sees the answer alone, `prompt` the task too."""
REFUSED_AXIS, FAILED_AXIS = 1.0, 0.0


class AxesProtocol:
    """See the module."""

    revision = 1

    def judge_fields(self, placed: PlacedItem, axes: Sequence[Axis], response: str, *, gates: bool) -> dict[str, Any]:
        """All that a judge may know: the task, the source, what is known to be in it, the goal and the answer."""
        item, goal = placed.item, placed.goal
        return {
            "axes": [{"id": axis.id, "aspects": list(axis.aspects)} for axis in axes],
            "goal": {
                "alignment_target": {axis.id: goal.alignment_target[axis.id] for axis in axes},
                "rules": [{"dimension": r.dimension, "weight": r.weight, "rule": r.rule} for r in goal.rules],
            },
            "task": item.task,
            "source": item.source,
            "constraints": msgspec.to_builtins(item.constraints),
            "facts": msgspec.to_builtins(item.facts),
            "response": response,
            "gates": gates,
        }

    def reply_schema(self, axes: Sequence[Axis], *, gates: bool) -> dict[str, Any]:
        """The JSON Schema of a judge's reply."""
        percent = {"type": "integer", "minimum": 0, "maximum": 100}
        scores = {axis.id: {"type": "integer", "minimum": 1, "maximum": 5} for axis in axes}
        properties: dict[str, Any] = {
            "axes": _closed_object(scores),
            GOAL_ALIGNMENT: percent,
            QUALITY: percent,
            "rationale": {"type": "string"},
        }
        if gates:
            properties["refusal"] = _closed_object({gate: {"type": "boolean"} for gate in GATES})
        return _closed_object(properties)

    def read_reply(self, text: str, axes: Sequence[Axis], *, gates: bool) -> Reply:
        """What is valid of a reply: each field stands or falls alone; a reply that is no JSON object has none."""
        try:
            reply = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError) as error:
            return Reply({}, {"reply": f"no JSON: {error}"}, "")
        if not isinstance(reply, dict):
            return Reply({}, {"reply": "no JSON object"}, "")
        scores: dict[str, Score] = {}
        invalid: dict[str, str] = {}

        def take(name: str, value: object, valid: bool, expected: str) -> None:
            if valid and isinstance(value, int):
                scores[name] = value
            else:
                invalid[name] = "missing" if value is None else f"{str(value)[:40]!r} is not {expected}"

        given = _mapping(reply.get("axes"))
        for axis in axes:
            value = given.get(axis.id)
            take(axis.id, value, is_valid_axis_score(value), "an integer from 1 to 5")
        for name in (GOAL_ALIGNMENT, QUALITY):
            take(name, reply.get(name), is_valid_percent(reply.get(name)), "an integer")
        if gates:
            votes = _mapping(reply.get("refusal"))
            for gate, name in GATES.items():
                take(name, votes.get(gate), isinstance(votes.get(gate), bool), "true or false")
        rationale = reply.get("rationale")
        return Reply(scores, invalid, rationale if isinstance(rationale, str) else "")

    def gate_judges(self, panel: Panel, judges: Sequence[str], response: Response) -> tuple[str, ...]:
        """The judges asked about refusal, drawn by the hash of request and response.

        judges: those of the panel that may score this contestant.
        """
        size = min(len(judges), gate_sample_size(len(panel.judges), panel.refusal_gates.sample))
        return gate_judges(judges, f"{response.key}\n{response.text}", size)

    def unit_score(
        self, response: Response, judgments: Sequence[Judgment], axes: Sequence[str], panel: Panel
    ) -> UnitScore:
        """The score of one response from its judgments.

        axes: those of the category. Two thirds of all judges of the panel, asked or not, make a refusal.
        """
        if response.state == "errored":
            return UnitScore("errored", 0.0, 0.0, (FAILED_AXIS,) * len(axes))
        given = [judgment.scores for judgment in judgments]
        refused_by = tuple(
            gate
            for gate, name in GATES.items()
            if gate_fires(
                sum(scores.get(name) is True for scores in given), len(panel.judges), panel.refusal_gates.votes
            )
        )
        if refused_by:
            return UnitScore("refused", 0.0, 0.0, (REFUSED_AXIS,) * len(axes), refused_by)
        alignment = clamped_mean([scores.get(GOAL_ALIGNMENT) for scores in given])
        quality = clamped_mean([scores.get(QUALITY) for scores in given])
        means = tuple([_axis_mean(tuple([scores.get(axis) for scores in given])) for axis in axes])
        state: UnitState = "unparsed" if alignment is None else "scored"
        return UnitScore(state, alignment or 0.0, quality or 0.0, means)


# A board has millions of these and a panel few different answers, so the mean of each is worked out once.
_axis_mean = cache(axis_mean)


def _closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
