"""Judges of responses to bare prompts: rule sets that give 1-5 from an ideal answer, criteria and flags of checks.

They share what they take from the case (`ideal_case`) and one arithmetic, and differ in what they measure: `coverage`
compares with the ideal answer, `compliance` with what was asked, `substance` looks at what is said at all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from nullbench_site.checks.words import listed, word_count
from nullbench_site.programs.english import STOP_WORDS, bullets, figures, normalise, sentences, words
from nullbench_site.programs.ideal_case import IdealCase, IdealEvidence, terms
from nullbench_site.programs.lexicon import EMPTY, SIGNS
from nullbench_site.programs.program import compact, judge, mean, ramp, rounded
from nullbench_site.programs.task_aware import Limits


def _reply(evidence: IdealEvidence, value: float, rationale: str) -> str:
    """{"rationale": str, "score": 1-5}, the score being `value`, 0-1, times the response's standing, put on 1-5.

    rationale: figures and words of the spec; a reply never repeats the response.
    """
    score = 1 + rounded(4 * value * evidence.standing)
    text = rationale if evidence.standing else "no answer to this prompt: empty, an echo, or about another matter"
    return compact({"rationale": text, "score": score})


NEUTRAL = frozenset({"left_to_judges", "unclear", "needs_modules"})
"""Flags of checks where nothing speaks either way."""
FORMAL = frozenset(
    listed(
        "too_long too_short in_code_block text_around item_count item_too_long item_sentences missing_keys other_keys "
        "ragged wrong_kind out_of_range column_count row_count missing_cells more_tables more_than_answer "
        "missing_steps not_reduced reduced_too_far no_conclusion"
    )
)
"""Flags for a wrong form; every other flag is for a wrong answer."""
FORMAL_COST, GRAVE_COST = 0.25, 0.6
TAKEN_UP = 0.3  # share of the terms of the criteria that is worth 1: answers do what criteria name, in other words


@judge(IdealCase)
def compliance(case: IdealCase) -> str:
    """Does it do what was asked, as far as a program sees? The mean of being an answer, terms of the criteria, limits
    and signs, times what the flags leave.

    Sees: the flags of the automatic checks, the limits the prompt states, and signs of what the criteria ask for: code,
    an example, a question, a table. Cannot see: whether what it finds is right, or a criterion outside its list.
    """
    evidence = IdealEvidence(case)
    kinds = Counter(_kind(flag) for flag in case.flags)
    left = (1 - FORMAL_COST) ** kinds["formal"] * (1 - GRAVE_COST) ** kinds["grave"]
    limits = _limits(evidence.limits, evidence.text)
    asked = _signs(case, evidence.text)
    named = terms(" ".join(case.criteria).replace("_", " ")) - evidence.prompt - EMPTY
    taken = [ramp(len(named & evidence.response) / len(named), 0, TAKEN_UP)] if named else []
    value = mean([1.0, *taken, *limits, *asked]) * left
    flagged = kinds["formal"] + kinds["grave"]
    notes = [
        f"{flagged} flag{'s' * (flagged != 1)} of the checks",
        f"{sum(fit == 1 for fit in limits)} of {len(limits)} limits kept",
        f"{len(named & evidence.response)} of {len(named)} terms of the criteria taken up",
        f"{sum(asked)} of {len(asked)} signs of the criteria found",
    ]
    return _reply(evidence, value, "; ".join(notes))


def _kind(flag: str) -> str:
    name = flag.partition(":")[0].strip().casefold()
    return "neutral" if name in NEUTRAL else "formal" if name in FORMAL else "grave"


def _limits(limits: Limits, response: str) -> list[float]:
    """For each limit the prompt states 1 up to it, 0 from one and a half times it on, linear between."""
    counts = [
        (limits.words, word_count(response)),
        (limits.sentences, len(sentences(response))),
        (limits.bullets, len(bullets(response))),
    ]
    return [min(1.0, max(0.0, 3 - 2 * count / limit)) for limit, count in counts if limit]


FIGURE_WEIGHT = 2.0  # a figure is rarer than a word and seldom said by chance
PRIOR_WEIGHT = 3.0  # an ideal of few words tells little, and the score stays nearer to the middle
PRIOR = 0.3
NONE, FULL = 0.1, 0.5  # shares covered that are worth 0 and 1: good answers put half of an ideal in words of their own

_FINAL = re.compile(r"\b(?:correct |final |right )?answers?(?: is| are)?: ?\$?(?P<told>[^.;\n]{0,40}(?:\.[0-9]+)?)")


def _signs(case: IdealCase, response: str) -> list[bool]:
    """For each sign that criteria or prompt ask for, whether the response shows it."""
    asked = normalise(" ".join([*case.criteria, case.prompt]).replace("_", " "))
    shown = normalise(response)
    return [bool(sign.search(shown)) for wish, sign in SIGNS if wish.search(asked)]


@judge(IdealCase)
def coverage(case: IdealCase) -> str:
    """Does it say what the ideal answer says? The share covered of it; with a final answer, half is for that.

    Sees: the words and figures of the ideal that the prompt does not have, and which of them stand in the response.
    Cannot see: the same in other words, a right word in a wrong sentence, whether the ideal names a mistake or a merit.
    """
    evidence = IdealEvidence(case)
    covered = evidence.wanted & evidence.response
    share = (_weight(covered) + PRIOR * PRIOR_WEIGHT) / (_weight(evidence.wanted) + PRIOR_WEIGHT)
    value = ramp(share, NONE, FULL)
    final = _final(case.ideal)
    notes = [f"{len(covered)} of {len(evidence.wanted)} terms of the ideal answer beyond the prompt"]
    if final:
        given = final <= evidence.response
        value = (value + given) / 2
        notes.append(f"the final answer is {'told' if given else 'not told'}")
    return _reply(evidence, value, "; ".join(notes))


def _weight(terms: Iterable[str]) -> float:
    return sum(FIGURE_WEIGHT if term[0].isdigit() else 1.0 for term in terms)


def _final(ideal: str) -> frozenset[str]:
    """The figures of the final answer, where the ideal states one so ("Answer: 6")."""
    match = _FINAL.search(normalise(ideal))
    return frozenset(figures(match["told"])) if match else frozenset()


AMPLE = 100  # own terms of a full answer where no limit is set
PER_WORD = 0.3  # own terms that a word of a limit leaves room for
DENSE = 0.25  # own terms per word of an answer that wastes none; code, tables and short answers have more
PROSE = 0.1  # share of small words below which text is a list of words
SHORT = 20  # words, up to which a list is an answer
REPEATED, ONCE = 0.25, 0.75  # shares of different sentences that are worth 0 and 1: headings and code lines recur


@judge(IdealCase)
def substance(case: IdealCase) -> str:
    """Is something in it, said once and in few words? The geometric mean of amount and density of own terms, less for
    repetition and loose words.

    Sees: words and figures that neither the prompt has nor any answer to anything, in sentences about the matter;
    sentences said twice; lists of words without the small ones that make sentences. Of the ideal it uses only what the
    matter is. Cannot see: whether what is said is true; a confident falsehood full of detail passes, and so does a
    padded answer that names the matter in every sentence.
    """
    evidence = IdealEvidence(case)
    own, tokens = evidence.own, words(evidence.text)
    room = 1.0 if evidence.brief else min(AMPLE, max(1.0, PER_WORD * (evidence.limits.words or math.inf)))
    amount = min(1.0, len(own) / room)
    density = min(1.0, len(own) / max(1, len(tokens)) / DENSE)
    lines = [normalise(line) for line in sentences(evidence.text)]
    different = len(set(lines)) / len(lines) if lines else 1.0
    value = math.sqrt(amount * density) * ramp(different, REPEATED, ONCE) * _prose(tokens)
    rationale = f"{len(own)} own terms in {len(tokens)} words; {rounded(100 * different)}% of the sentences different"
    return _reply(evidence, value, rationale)


def _prose(tokens: Sequence[str]) -> float:
    if len(tokens) <= SHORT:
        return 1.0
    return ramp(sum(token in STOP_WORDS for token in tokens) / len(tokens), 0, PROSE)
