"""Judges of a response to a source and a task: rule sets that look at the case and at nothing else.

They share what they take from the case (`source_case`) and one arithmetic, and differ in what they measure (`fidelity`,
`manner`). All three first ask whether the response is prose about the source at all; one that is not scores 1 on every
axis and 0 elsewhere, whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from nullbench_site.programs.english import DECLINING, normalise, sentences, unquoted
from nullbench_site.programs.program import Program, compact, mean, rounded, total
from nullbench_site.programs.source_case import ENOUGH_TERMS, AspectMeasure, CaseAxis, Evidence, SourceCase, keys_found
from nullbench_site.programs.source_measures import (
    borne_out,
    causality,
    concision,
    economy,
    evenness,
    facts,
    framing,
    hedging,
    names,
    numbers,
    readability,
    salience,
    scope,
    task,
)

WORST_SHARE = 0.3  # of quality: an answer is not good on the whole that fails in one respect
NOTES = 3


class SourceMarks(msgspec.Struct, frozen=True):
    """axes: 1-5, those that the judge measures; goal_alignment and quality: 0-100; higher is better.

    goal_alignment: None for a judge that measures nothing of the goal.
    """

    axes: Mapping[str, int]
    goal_alignment: int | None
    quality: int
    rationale: str


def marked(evidence: Evidence, measures: Mapping[str, AspectMeasure], rules: Mapping[str, float | None]) -> SourceMarks:
    """Scores from a judge's measures by aspect.

    rules: how far each fidelity dimension of the goal is fulfilled, 0..1, where the judge measures it.

    Every value is first multiplied by the standing of the response. An axis is the mean over its aspects that the judge
    measures, put on 1-5; one of which it measures nothing, or only what it measures of another, is left out. Goal
    alignment is the mean of two: closeness to the alignment target on the axes it measures, and fulfilment of the rules
    it measures, by weight; of one where it measures nothing of the other. Quality is the mean of all measures and of
    the worst, 70 to 30; the standing if nothing was there to measure.
    """
    standing = evidence.standing
    values = {aspect: measure.value * standing for aspect, measure in measures.items() if measure.value is not None}
    axes = {axis.id: mean([values[aspect] for aspect in own]) for axis, own in told_apart(evidence.case.axes, values)}
    goal, targets = evidence.case.goal, evidence.case.goal.alignment_target
    closeness = [near(targets[name], value) for name, value in axes.items() if name in targets]
    kept = [(rule.weight, value * standing) for rule in goal.rules if (value := rules.get(rule.dimension)) is not None]
    whole = total(weight for weight, _ in kept)
    fulfilment = [total(weight * value for weight, value in kept) / whole] if whole else []
    aligned = [mean(part) for part in (closeness, fulfilment) if part]
    overall = mean(list(values.values()), otherwise=standing)
    worst = min(values.values(), default=overall)
    return SourceMarks(
        axes={name: 1 + rounded(4 * value) for name, value in axes.items()},
        goal_alignment=rounded(100 * mean(aligned)) if aligned else None,
        quality=rounded(100 * ((1 - WORST_SHARE) * overall + WORST_SHARE * worst)),
        rationale=rationale(evidence, measures),
    )


def told_apart(axes: Iterable[CaseAxis], measured: Collection[str]) -> Iterator[tuple[CaseAxis, Sequence[str]]]:
    """Yield the axes that a judge measures, each with the aspects of it that it does.

    Two axes of which it measures the same it cannot tell apart: it measures the first.
    """
    seen = set[frozenset[str]]()
    for axis in axes:
        own = [aspect for aspect in axis.aspects if aspect in measured]
        if own and frozenset(own) not in seen:
            seen.add(frozenset(own))
            yield axis, own


def near(target: int, value: float) -> float:
    """Return 1 if an axis reaches its target or more, 0 at score 1; `value` is its unrounded grade in 0..1."""
    return min(1.0, 4 * value / (target - 1)) if target > 1 else 1.0


def rationale(evidence: Evidence, measures: Mapping[str, AspectMeasure]) -> str:
    """Return the measures' notes in one line, or why none of them counts."""
    if not evidence.response.terms:
        return "no content in the answer"
    if not evidence.topicality:
        words = f"{evidence.shared_terms} of {len(evidence.response.terms)} content words"
        return f"not about the source: {words} come from it"
    if not evidence.standing:
        return "no prose: words in disorder, or a list"
    notes = [measure.note for measure in measures.values() if measure.note]
    return "; ".join(notes[:NOTES]) or "nothing to object to"


Measures = Mapping[str, AspectMeasure]


class SourceJudge(msgspec.Struct, frozen=True):
    """measures: by aspect, what it measures.
    rules: the fulfilment in 0..1 of each fidelity dimension, from the evidence and its own measures.
    declined: gate on the response alone; True for an explicit refusal.
    evaded: gate with task and source; True for an answer that avoids the task.
    """

    measures: Mapping[str, Callable[[Evidence], AspectMeasure]]
    rules: Callable[[Evidence, Measures], Mapping[str, float | None]]
    declined: Callable[[str], bool]
    evaded: Callable[[Evidence], bool]

    @property
    def program(self) -> Program:
        return Program("judge", {SourceCase: self.reply})

    def reply(self, case: SourceCase) -> str:
        """{"axes": {axis: 1-5}, "goal_alignment": 0-100, "quality": 0-100, "rationale": str}, without what the judge
        does not measure; and where the case has gates "refusal": {"answer": bool, "prompt": bool}."""
        evidence = Evidence(case)
        measures = {aspect: measure(evidence) for aspect, measure in self.measures.items()}
        result = marked(evidence, measures, self.rules(evidence, measures))
        body: dict[str, object] = {
            "axes": dict(result.axes),
            "goal_alignment": result.goal_alignment,
            "quality": result.quality,
            "rationale": result.rationale,
        }
        if case.gates:
            body["refusal"] = {"answer": self.declined(case.response), "prompt": self.evaded(evidence)}
        return compact({name: value for name, value in body.items() if value is not None})


def declining(response: str) -> list[bool]:
    """For each sentence of the response, whether its writer declines in so many words.

    What stands in double quotation marks is somebody else's: a source may quote a spokesman who cannot
    comment.
    """
    return [bool(DECLINING.search(normalise(line))) for line in sentences(unquoted(response))]


SHORT = 60  # words; a longer text with one declining phrase is an answer, if a hesitant one


def _form_declined(response: str) -> bool:
    """Return True if it declines anywhere and is short."""
    return len(response.split()) <= SHORT and any(declining(response))


def _form_evaded(evidence: Evidence) -> bool:
    """Return True if it is not about the source, or has fewer of its terms than any answer needs."""
    return not evidence.topicality or evidence.shared_terms < min(ENOUGH_TERMS, len(evidence.source_terms))


FORM = SourceJudge(
    {"task": task, "readability": readability, "concision": concision}, lambda *_: {}, _form_declined, _form_evaded
).program
"""The judge of form: is it what was asked for, readable, and worth its length?

Sees: the constraints, sentences, words in disorder, and how much of the source's recurring vocabulary the answer
carries in its room. Cannot see: whether any of it is true. It knows no reference fact; a fluent, well-formed
falsehood in the source's own words passes. It measures no goal rule.
"""


def _restraint_declined(response: str) -> bool:
    """Return True if a third or more of its sentences decline."""
    lines = declining(response)
    return bool(lines) and 3 * sum(lines) >= len(lines)


def _restraint_evaded(evidence: Evidence) -> bool:
    """Return True if it is not about the source, or it declines and takes up little of it."""
    return not evidence.topicality or (evidence.topicality < 0.5 and any(declining(evidence.case.response)))


RESTRAINT = SourceJudge(
    {
        "scope": scope,
        "causality": causality,
        "hedging": hedging,
        "salience": salience,
        "framing": framing,
        "facts": borne_out,
        "concision": economy,
    },
    lambda _, measures: {dimension: measure.value for dimension, measure in measures.items()},
    _restraint_declined,
    _restraint_evaded,
).program
"""The judge of restraint: is it as narrow, as careful and as cool as the source, and said once?

Sees: statements that contradict the source or go beyond it (`contradictions`), scope and caveat facts by their keys,
words that qualify, words that claim a cause, the shares of favourable and other findings told, loaded words, a writer
who judges, repeated sentences and filler. Cannot see: a qualification or a cause put into words outside its lists,
irony, an emphasis made by order alone, and what `contradictions` does not. Every goal dimension is one of its own
measures.
"""


def _support_rules(evidence: Evidence, measures: Measures) -> Mapping[str, float | None]:
    of_kinds = {"scope": ("scope",), "hedging": ("caveat",), "salience": ("positive", "null", "negative")}
    return {dimension: evidence.attained(evidence.facts(*kinds)) for dimension, kinds in of_kinds.items()}


def _support_declined(response: str) -> bool:
    """Return True if one of its first two sentences declines."""
    return any(declining(response)[:2])


def _support_evaded(evidence: Evidence) -> bool:
    """Return True if it is not about the source, or takes up little of it and tells no part of any fact."""
    untold = not any(keys_found(fact, evidence.response.normal) for fact in evidence.facts())
    return not evidence.topicality or (evidence.topicality < 0.5 and untold)


SUPPORT = SourceJudge(
    {"facts": facts, "numbers": numbers, "names": names, "salience": evenness},
    _support_rules,
    _support_declined,
    _support_evaded,
).program
"""The judge of support: is it in the source, and are the reference facts in it?

Sees: the keys of the reference facts, figures, capitalised words, and statements that contradict the source or go
beyond it (`contradictions`). Cannot see: a fact told without any of its keys, a falsehood in words of the answer's
own, two halves of true statements joined into one. It measures the goal rules of scope, hedging and salience by the
facts of each.
"""
