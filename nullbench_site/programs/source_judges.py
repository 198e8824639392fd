"""Judges of a response to a source and a task: rule sets that use only the case.

They share the evidence (`source_case`) and one formula, and differ in their measures (`fidelity`, `manner`). All three
first check that the response is prose about the source. If not, it scores 1 on every axis and 0 elsewhere.
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

WORST_SHARE = 0.3  # of quality: an answer that fails in one respect is not good overall
NOTES = 3


class SourceMarks(msgspec.Struct, frozen=True):
    """Scores of a response; higher is better. axes: 1-5, for the axes that the judge measures.

    goal_alignment, quality: 0-100. goal_alignment: None for a judge that measures nothing of the goal.
    """

    axes: Mapping[str, int]
    goal_alignment: int | None
    quality: int
    rationale: str


def marked(evidence: Evidence, measures: Mapping[str, AspectMeasure], rules: Mapping[str, float | None]) -> SourceMarks:
    """Return the scores that follow from a judge's measures by aspect.

    rules: how far each fidelity dimension of the goal is fulfilled, 0..1, if the judge measures it.

    Every value is first multiplied by the standing of the response. An axis is the mean over its measured aspects,
    rescaled to 1-5. An axis is left out if none of its aspects is measured, or only the same aspects as of another
    axis. Goal alignment is the mean of two parts: closeness to the alignment target on the measured axes, and
    fulfilment of the measured rules, by weight. If one part is not measured, it is the other. Quality is the mean of
    all measures and the worst measure, 70 to 30; the standing if nothing was measured.
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
    """Yield the axes that a judge measures, each with its measured aspects.

    If the same aspects of two axes are measured, the judge cannot distinguish them: only the first is yielded.
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
    """A rule-based judge of a response to a source. measures: by aspect.

    rules: return the fulfilment, 0..1, of each fidelity dimension, from the evidence and the judge's measures.
    declined: the gate on the response alone; True for an explicit refusal. evaded: the gate with task and source; True
    for an answer that avoids the task.
    """

    measures: Mapping[str, Callable[[Evidence], AspectMeasure]]
    rules: Callable[[Evidence, Measures], Mapping[str, float | None]]
    declined: Callable[[str], bool]
    evaded: Callable[[Evidence], bool]

    @property
    def program(self) -> Program:
        return Program("judge", {SourceCase: self.reply})

    def reply(self, case: SourceCase) -> str:
        """Return the reply as JSON, without the keys that the judge does not measure.

        {"axes": {axis: 1-5}, "goal_alignment": 0-100, "quality": 0-100, "rationale": str}, and if the case has gates
        "refusal": {"answer": bool, "prompt": bool}.
        """
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
    """Return for each sentence of the response whether its writer explicitly declines.

    Text in double quotation marks is someone else's: a source may quote a spokesman who cannot comment.
    """
    return [bool(DECLINING.search(normalise(line))) for line in sentences(unquoted(response))]


SHORT = 60  # words; a longer text with one declining phrase is an answer, even if a hesitant one


def _form_declined(response: str) -> bool:
    """Return True if it declines anywhere and is short."""
    return len(response.split()) <= SHORT and any(declining(response))


def _form_evaded(evidence: Evidence) -> bool:
    """Return True if it is not about the source, or has fewer of its terms than any answer needs."""
    return not evidence.topicality or evidence.shared_terms < min(ENOUGH_TERMS, len(evidence.source_terms))


FORM = SourceJudge(
    {"task": task, "readability": readability, "concision": concision}, lambda *_: {}, _form_declined, _form_evaded
).program
"""The judge of form: does the response have the requested form, is it readable, and is it concise?

Sees: the constraints, sentences, words in disorder, and how much of the source's recurring vocabulary the answer has in
its room. Cannot see: whether any of it is true. It knows no reference fact; a fluent, well-formed falsehood in the
source's own words passes. It measures no goal rule.
"""


def _restraint_declined(response: str) -> bool:
    """Return True if a third or more of its sentences decline."""
    lines = declining(response)
    return bool(lines) and 3 * sum(lines) >= len(lines)


def _restraint_evaded(evidence: Evidence) -> bool:
    """Return True if it is not about the source, or declines and uses little of it."""
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
"""The judge of restraint: is the response as narrow, as careful and as neutral as the source, without repetition?

Sees: statements that contradict the source or go beyond it (`contradictions`), scope and caveat facts by their keys,
words that qualify, words that claim a cause, the shares of favourable and other findings stated, loaded words, a
judging writer, repeated sentences and filler. Cannot see: a qualification or a cause in words outside its lists, irony,
an emphasis made by order alone, and anything that `contradictions` does not see. Every goal dimension is one of its own
measures.
"""


def _support_rules(evidence: Evidence, measures: Measures) -> Mapping[str, float | None]:
    of_kinds = {"scope": ("scope",), "hedging": ("caveat",), "salience": ("positive", "null", "negative")}
    return {dimension: evidence.attained(evidence.facts(*kinds)) for dimension, kinds in of_kinds.items()}


def _support_declined(response: str) -> bool:
    """Return True if one of its first two sentences declines."""
    return any(declining(response)[:2])


def _support_evaded(evidence: Evidence) -> bool:
    """Return True if it is not about the source, or uses little of it and states no part of any fact."""
    untold = not any(keys_found(fact, evidence.response.normal) for fact in evidence.facts())
    return not evidence.topicality or (evidence.topicality < 0.5 and untold)


SUPPORT = SourceJudge(
    {"facts": facts, "numbers": numbers, "names": names, "salience": evenness},
    _support_rules,
    _support_declined,
    _support_evaded,
).program
"""The judge of support: is the response supported by the source, and does it state the reference facts?

Sees: the keys of the reference facts, figures, capitalised words, and statements that contradict the source or go
beyond it (`contradictions`). Cannot see: a fact stated without any of its keys, a falsehood in words of the answer's
own, two halves of true statements joined into one. It measures the goal rules of scope, hedging and salience by the
facts of each.
"""
