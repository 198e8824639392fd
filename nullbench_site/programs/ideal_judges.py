"""Judges of responses to bare prompts: rule sets that give 1-5 from an ideal answer, criteria and flags of checks.

They share the evidence (`ideal_case`) and one formula, and differ in their measures: `coverage` compares with the ideal
answer, `compliance` with the request, `substance` measures how much is said. `benchmarks/program_judges.py` measures
how their marks agree with those of models.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from nullbench_site.checks.reading import lines_of, list_mark, split_fences, word_count
from nullbench_site.packaged import word_list
from nullbench_site.programs.baselines import TaskLimits
from nullbench_site.programs.english import DENIALS, EMPTY, LINKS, SIGNS, bullets, normalise, sentences, words
from nullbench_site.programs.ideal_case import IdealCase, IdealEvidence, terms
from nullbench_site.programs.program import compact, judge, mean, ramp, rounded, total


def _reply(evidence: IdealEvidence, value: float, rationale: str) -> str:
    """Return {"rationale": str, "score": 1-5}. The score is `value`, 0-1, times the response's standing.

    It is rescaled to 1-5 or the requested scale. rationale: figures and words of the spec; a reply never repeats the
    response.
    """
    score = 1 + rounded((evidence.case.highest - 1) * value * evidence.standing)
    text = (
        rationale if evidence.standing else "no answer to this prompt: empty, an echo, no prose, or of another matter"
    )
    return compact({"rationale": text, "score": score})


NEUTRAL = frozenset({"left_to_judges", "unclear", "needs_modules"})
"""Flags of checks without evidence either way."""
FORMAL = word_list("formal-flags")
"""Flags for a wrong form; every other flag is for a wrong answer."""
FORMAL_COST, GRAVE_COST = 0.25, 0.8
TAKEN_UP = 0.3  # the share of the terms of the criteria that is worth 1, as answers use other words than the criteria


TAKEN, SHOWN = 0.6, 0.7  # the shares of the criteria and signs that good answers have
LEAST, MOST = 0.4, 0.97  # the means of the parts that are worth 0 and 1


@lru_cache(maxsize=4096)
def unchecked(case: IdealCase) -> bool:
    """Return True if `compliance` can check nothing of an item: no limit, sign, criterion in words or check."""
    evidence = IdealEvidence(case)
    return not (case.checks or _stated(evidence) or _wishes(case) or _limits(evidence.limits, ""))


@judge(IdealCase, abstains=unchecked)
def compliance(case: IdealCase) -> str:
    """Judge compliance with the request, as far as a program can see it.

    The mark is the mean of three parts (being an answer, addressed criteria and signs, limits), reduced by flags. Sees:
    the flags of the automatic checks, the limits in the prompt, words of each criterion, and signs of what the criteria
    ask for: code, an example, a question, a table. Cannot see: whether these are right, so a falsehood in the right
    words passes; or a criterion outside its list. Abstains from items that have none of these.
    """
    evidence = IdealEvidence(case)
    return _reply(evidence, *compliance_value(evidence))


def compliance_value(evidence: IdealEvidence) -> tuple[float, str]:
    """Return the value, 0-1, and its parts in words."""
    case = evidence.case
    kinds = Counter(_kind(flag) for flag in case.flags)
    left = (1 - FORMAL_COST) ** kinds["formal"] * (1 - GRAVE_COST) ** kinds["grave"]
    limits = _limits(evidence.limits, evidence.text)
    asked = _signs(case, evidence.text)
    taken = _taken_up(evidence)
    signed = (_tempered(taken, TAKEN) + _tempered(asked, SHOWN)) / 2
    value = ramp(mean([1.0, signed, mean(limits, otherwise=1.0)]), LEAST, MOST) * left
    flagged = kinds["formal"] + kinds["grave"]
    kept = f"{sum(fit == 1 for fit in limits)} of {len(limits)} limits kept"
    if not case.criteria:
        return value, f"{kept}; {sum(asked)} of {len(asked)} signs of the prompt found"
    notes = [
        f"{flagged} flag{'s' * (flagged != 1)} of the checks",
        kept,
        f"{sum(share == 1 for share in taken)} of {len(taken)} criteria taken up",
        f"{sum(asked)} of {len(asked)} signs of the criteria found",
    ]
    return value, "; ".join(notes)


def _tempered(values: Sequence[float], usual: float) -> float:
    """Return the mean of the values and two usual ones, so that one criterion or sign decides little."""
    return (total(values) + 2 * usual) / (len(values) + 2)


def _taken_up(evidence: IdealEvidence) -> list[float]:
    """Return for each criterion that adds terms to the prompt how far the response addresses it.

    Criteria about what an answer must not do are left out.
    """
    return [ramp(len(own & evidence.response) / len(own), 0, TAKEN_UP) for own in _stated(evidence)]


def _stated(evidence: IdealEvidence) -> list[frozenset[str]]:
    """Return the terms beyond the prompt of each such criterion."""
    stated = [criterion.replace("_", " ") for criterion in evidence.case.criteria]
    named = [terms(text) - evidence.prompt - EMPTY for text in stated if not DENIALS.search(normalise(text))]
    return [own for own in named if own]


def _kind(flag: str) -> str:
    name = flag.partition(":")[0].strip().casefold()
    return "neutral" if name in NEUTRAL else "formal" if name in FORMAL else "grave"


def _limits(limits: TaskLimits, response: str) -> list[float]:
    """Return for each limit in the prompt 1 up to it, 0 from one and a half times it on, linear between."""
    counts = [
        (limits.words, word_count(response)),
        (limits.sentences, len(sentences(response))),
        (limits.bullets, len(bullets(response))),
    ]
    return [min(1.0, max(0.0, 3 - 2 * count / limit)) for limit, count in counts if limit]


def _signs(case: IdealCase, response: str) -> list[bool]:
    """Return for each sign that criteria or prompt ask for whether the response shows it."""
    shown = normalise(response)
    return [bool(sign.search(shown)) for sign in _wishes(case)]


def _wishes(case: IdealCase) -> list[re.Pattern[str]]:
    """Return the signs that criteria or prompt ask for."""
    asked = normalise(" ".join([*case.criteria, case.prompt]).replace("_", " "))
    return [sign for wish, sign in SIGNS if wish.search(asked)]


# The value of a covered share: good answers reword half of an ideal answer.
NONE, HALF, WHOLE = 0.1, 0.5, 0.8
WORTH_OF_HALF = 0.85


def _worth(share: float) -> float:
    """Return 0 up to NONE, 0.85 at HALF, 1 from WHOLE on, linear between."""
    return WORTH_OF_HALF * ramp(share, NONE, HALF) + (1 - WORTH_OF_HALF) * ramp(share, HALF, WHOLE)


@judge(IdealCase)
def coverage(case: IdealCase) -> str:
    """Judge whether the response agrees with the ideal answer.

    The mark is the covered share of the ideal answer, reduced for altered statements. If there is a final answer, half
    is for that. Sees: the words, figures and sequences of letters of the ideal that the prompt does not have; sentences
    with most of the words of one of the ideal but with exchanged words, a denial more or less, or another order. Cannot
    see: a paraphrase in other words, a falsehood in a sentence of its own words, statements in another order.
    """
    evidence = IdealEvidence(case)
    return _reply(evidence, *coverage_value(evidence))


def coverage_value(evidence: IdealEvidence) -> tuple[float, str]:
    """Return the value, 0-1, and its parts in words."""
    value = _worth(evidence.told) * (1 - evidence.altered) ** 2
    covered = len(evidence.wanted & evidence.response)
    notes = [f"{covered} of {len(evidence.wanted)} terms of the ideal answer beyond the prompt"]
    if evidence.altered:
        notes.append(f"{rounded(100 * evidence.altered)}% of what it tells of the ideal is altered")
    if evidence.final:
        given = evidence.final <= evidence.response
        value = (value + given) / 2
        notes.append(f"the final answer is {'told' if given else 'not told'}")
    return value, "; ".join(notes)


_WORD = re.compile(r"[0-9]+(?:[.,:][0-9]+)*|[^\W\d_]+")


@judge(IdealCase)
def same_words(case: IdealCase) -> str:
    """Judge whether the response has the words of the ideal answer, and few others.

    The mark is F1: twice the shared words and figures over those of both. For ideal answers of a few words. Cannot see:
    an order of words, a denial, the same in other words; a right answer in a long sentence gets a low mark.
    Source: Rajpurkar et al. (2016), SQuAD: 100,000+ questions for machine comprehension of text, 6.1.
    """
    given, wanted = (Counter(_WORD.findall(normalise(text))) for text in (case.response, case.ideal))
    shared, both = (given & wanted).total(), given.total() + wanted.total()
    score = 1 + rounded((case.highest - 1) * 2 * shared / both) if both else 1
    rationale = f"{shared} of {wanted.total()} words of the ideal answer, in {given.total()} words"
    return compact({"rationale": rationale, "score": score})


AMPLE = 80  # own terms of a full answer if no limit is set
PER_WORD = 0.3  # own terms per word of a limit
DENSE = 0.25  # own terms per word of a concise answer; code, tables and short answers have more
REPEATED, ONCE = 0.25, 0.75  # the shares of different sentences that are worth 0 and 1: headings and code lines recur
WIDE = 100  # words of a limit below which an answer needs no parts
PARTS, SPECIFICS, JOINED = 8, 12, 8  # headings and the like, named things, joining words of a developed answer

_SPECIFIC = re.compile(r"\b[A-Z][a-z]*[A-Z0-9]\w*|\b[A-Z]{2,}\b|`[^`\n]+`|[0-9]+(?:[.,][0-9]+)*")


@judge(IdealCase)
def substance(case: IdealCase) -> str:
    """Judge whether the response has substance, without repetition or padding, and is developed.

    The mark is the covered share of the ideal, or the mean of amount and workmanship if that is more; reduced by filler
    and repetition. Sees: words and figures that are neither in the prompt nor in answers to any prompt, in sentences
    about the subject; named things, reasons and contrasts, parts; repeated sentences; padding. Cannot see: whether it
    is true; a confident falsehood full of detail passes, and so does padding that names the subject in every sentence.
    """
    evidence = IdealEvidence(case)
    return _reply(evidence, *substance_value(evidence))


def substance_value(evidence: IdealEvidence) -> tuple[float, str]:
    """Return the value, 0-1, and its parts in words."""
    own, tokens = evidence.own, words(evidence.text)
    density = min(1.0, len(own) / max(1, len(tokens)) / DENSE)
    lines = [normalise(line) for line in sentences(evidence.text)]
    different = len(set(lines)) / len(lines) if lines else 1.0
    wide = not evidence.brief and (evidence.limits.words or math.inf) >= WIDE and evidence.limits.sentences is None
    room = 1.0 if evidence.brief else min(AMPLE, max(1.0, PER_WORD * (evidence.limits.words or math.inf)))
    amount = min(1.0, len(own) / room)
    worked = mean([amount, *([_worked_out(evidence)] if wide else [])])
    value = max(worked, evidence.told) * math.sqrt(density) * ramp(different, REPEATED, ONCE)
    return value, f"{len(own)} own terms in {len(tokens)} words; {rounded(100 * different)}% of the sentences different"


def _worked_out(evidence: IdealEvidence) -> float:
    """Return the mean of three, each 1 from a number on: parts, specifics not in the prompt, and joining words."""
    text = evidence.text
    lines = text.splitlines()
    blocks = len(split_fences(lines_of(text))[1]) + sum(line.startswith(("#", "**")) for line in lines) / 2
    parts = 2 * blocks + sum(list_mark(line) is not None for line in lines) / 2
    specifics = len({*_SPECIFIC.findall(text)} - {*_SPECIFIC.findall(evidence.case.prompt)})
    links = len(LINKS.findall(normalise(text)))
    return mean([min(1.0, parts / PARTS), min(1.0, specifics / SPECIFICS), min(1.0, links / JOINED)])
