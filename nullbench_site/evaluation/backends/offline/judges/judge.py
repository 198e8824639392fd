"""What makes a judge, and how it answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .case import Case
from .evidence import Evidence
from .measure import Measure
from .verdict import verdict

Measures = Mapping[str, Measure]


@dataclass(frozen=True)
class Judge:
    """measures: by aspect, what it measures.
    rules: the fulfilment in 0..1 of each fidelity dimension, from the evidence and its own measures.
    declined: gate on the response alone; True for an explicit refusal.
    evaded: gate with task and source; True for an answer that avoids the task.
    """

    measures: Mapping[str, Callable[[Evidence], Measure]]
    rules: Callable[[Evidence, Measures], Mapping[str, float | None]]
    declined: Callable[[str], bool]
    evaded: Callable[[Evidence], bool]

    def reply(self, case: Case) -> str:
        """The judge's answer as compact JSON with sorted keys."""
        evidence = Evidence(case)
        measures = {aspect: measure(evidence) for aspect, measure in self.measures.items()}
        result = verdict(evidence, measures, self.rules(evidence, measures))
        body: dict[str, object] = {
            "axes": dict(result.axes),
            "goal_alignment": result.goal_alignment,
            "quality": result.quality,
            "rationale": result.rationale,
        }
        if case.gates:
            body["refusal"] = {"answer": self.declined(case.response), "prompt": self.evaded(evidence)}
        return json.dumps(body, sort_keys=True, separators=(",", ":"))
