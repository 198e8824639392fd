"""Measures of a response to a source: its content and its manner.

Content: facts, numbers, names, scope, causes, hedges, the balance of findings. Manner: the requested form, readable
sentences, concision, no loaded words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence

from msgspec.structs import replace

from nullbench_site.programs.english import (
    BOOSTERS,
    CAUSAL_CAUTION,
    CAUSES,
    CONDITIONS,
    DENIALS,
    GENERIC,
    HEDGES,
    JUDGING,
    LEANING,
    LOADED,
    bullets,
    content_words,
    disorder,
    normalise,
    printable,
    stem,
    unquoted,
)
from nullbench_site.programs.english import names as names_in
from nullbench_site.programs.passages import best_extract, contains
from nullbench_site.programs.program import mean, ramp
from nullbench_site.programs.source_case import AspectMeasure, CaseFact, Evidence, mean_support, stated


def facts(evidence: Evidence) -> AspectMeasure:
    """Return the stated facts over those in source sentences in the same room, times the answer's soundness."""
    known = evidence.facts()
    value = evidence.attained(known)
    whole = sum(stated(known, evidence.answer.normal))
    note = ", ".join(note for note in (f"{whole} of {len(known)} facts found", contradictions(evidence)) if note)
    return AspectMeasure(None if value is None else value * evidence.soundness, note)


def borne_out(evidence: Evidence) -> AspectMeasure:
    """Return the soundness of the answer, statement by statement; 0 for a response without content."""
    return AspectMeasure(evidence.soundness if evidence.response.terms else 0.0, contradictions(evidence))


def contradictions(evidence: Evidence) -> str:
    """Return the faults in the statements of the response, the most frequent first; empty if there are none."""
    kinds = Counter(finding.what for own in evidence.findings for finding in own)
    return ", ".join(f"{kind} ({times})" for kind, times in kinds.most_common(NOTED))


NOTED = 2  # the most kinds of faults in a note


INVENTED_FIGURE_COST = 0.5  # one invented figure halves the measure, two make it 0


def numbers(evidence: Evidence) -> AspectMeasure:
    """Return half for keeping key figures and half for the rest, reduced by invented figures.

    None if the reference has no key figure and the response no figure at all.
    """
    invented = sorted(set(evidence.response.figures) - evidence.source.known_figures)
    keeping = evidence.attained(_figure_facts(evidence))
    if keeping is None and not evidence.response.figures:
        return AspectMeasure(None)
    kept = 1.0 if keeping is None else (1 + keeping) / 2
    note = _invented("number", invented)
    return AspectMeasure(kept * max(0.0, 1 - INVENTED_FIGURE_COST * len(invented)) * evidence.soundness, note)


def _invented(what: str, invented: Sequence[str]) -> str:
    """Return the first invented ones, and how many there are; empty if there are none."""
    shown = ", ".join(printable(each, 20) for each in invented[:3])
    return f"{len(invented)} {what}{'s' * (len(invented) != 1)} not in the source: {shown}" if invented else ""


def _figure_facts(evidence: Evidence) -> list[CaseFact]:
    """Return the reference facts reduced to their keys with a digit."""
    reduced = [
        CaseFact(fact.kind, tuple(key for key in fact.keys if any(map(str.isdigit, key.partition("|")[0]))))
        for fact in evidence.facts()
    ]
    return [fact for fact in reduced if fact.keys]


INVENTED_NAME_COST = 0.4  # a new capitalised word may be mere emphasis, so it costs less than a figure


def names(evidence: Evidence) -> AspectMeasure:
    """Return half, plus half the share of names kept, reduced by invented names.

    One name per sentence of the room is expected. None if neither side has a name.
    """
    known = {name.casefold() for name in names_in(evidence.source.text)}
    used = {name.casefold() for name in names_in(evidence.response.text)}
    invented = sorted(used - evidence.source.words)
    if not known and not invented:
        return AspectMeasure(None)
    expected = min(len(known), max(1, len(evidence.answer.sentences)))
    kept = min(1.0, len(known & evidence.answer.words) / expected) if expected else 1.0
    note = _invented("name", invented)
    return AspectMeasure((1 + kept) / 2 * max(0.0, 1 - INVENTED_NAME_COST * len(invented)) * evidence.soundness, note)


def scope(evidence: Evidence) -> AspectMeasure:
    """Return the scope facts in the room, as a share of what source sentences could support there."""
    value = evidence.attained(evidence.facts("scope"))
    return AspectMeasure(
        None if value is None else value * evidence.soundness, "" if value is None else f"scope {_word(value)}"
    )


def _word(value: float) -> str:
    return "kept" if value > 0.99 else "lost" if value < 0.01 else "partly kept"


def salience(evidence: Evidence) -> AspectMeasure:
    """Return the stated findings, as far as the room has space; if there are both sorts, half depends on balance.

    Balance is 1 less the difference between the stated shares of favourable findings and of null or negative ones. None
    without findings.
    """
    share = evidence.attained(evidence.facts("positive", "null", "negative"))
    if share is None:
        return AspectMeasure(None)
    favourable, other = evidence.facts("positive"), evidence.facts("null", "negative")
    if not favourable or not other:
        return AspectMeasure(share * evidence.soundness)
    shares = mean_support(favourable, evidence.answer.normal), mean_support(other, evidence.answer.normal)
    note = "" if all(shares) else f"no {'null or negative' if shares[0] else 'favourable'} finding told"
    value = share * (1 - abs(shares[0] - shares[1]) / 2)
    return AspectMeasure(value * evidence.soundness, note if any(shares) else "no finding told")


def evenness(evidence: Evidence) -> AspectMeasure:
    """Return the balance of stated findings, times the answer's soundness.

    Balance is 1 less the difference between the stated shares of favourable findings and of null or negative ones. None
    if the source has one sort only; 0 if neither is stated.
    """
    favourable, other = evidence.facts("positive"), evidence.facts("null", "negative")
    if not favourable or not other:
        return AspectMeasure(None)
    shares = mean_support(favourable, evidence.answer.normal), mean_support(other, evidence.answer.normal)
    return AspectMeasure((1 - abs(shares[0] - shares[1])) * any(shares) * evidence.soundness)


BOOSTER_COST = 0.25


def hedging(evidence: Evidence) -> AspectMeasure:
    """Return the mean of two: the stated caveat facts, and the share of qualified source sentences used that stay so.

    Each word of certainty that the source does not use takes a quarter off. None without caveats and qualified
    sentences.
    """
    caveats = evidence.attained(evidence.facts("caveat"))
    parts = [part for part in (caveats, _still_qualified(evidence)) if part is not None]
    if not parts:
        return AspectMeasure(None)
    boosters = set(BOOSTERS.findall(evidence.response.normal)) - set(BOOSTERS.findall(evidence.source.normal))
    value = mean(parts) * max(0.0, 1 - BOOSTER_COST * len(boosters))
    return AspectMeasure(value * evidence.soundness, "no caveat told" if caveats == 0 else "")


def _still_qualified(evidence: Evidence) -> float | None:
    """Return the share of qualified sentences in the answer, if their closest source sentence is qualified."""
    kept = []
    for sentence, terms in zip(evidence.answer.sentences, evidence.answer.sentence_terms, strict=True):
        closest = evidence.source.closest(terms)
        if closest is not None and _qualified(evidence.source.sentences[closest]):
            kept.append(_qualified(sentence))
    return mean(kept) if kept else None


def _qualified(sentence: str) -> bool:
    text = normalise(sentence)
    return bool(HEDGES.search(text) or CONDITIONS.search(text))


UNFOUNDED_COST = 0.5
CAUTION_SHARE = 0.25  # the highest level of the axis asks why cause is or is not shown


def causality(evidence: Evidence) -> AspectMeasure:
    """Each unfounded causal claim costs half. A quarter is for keeping a caution, if the source has one."""
    unfounded = _unfounded(evidence)
    value = max(0.0, 1 - UNFOUNDED_COST * unfounded)
    if CAUSAL_CAUTION.search(evidence.source.normal) and not CAUSAL_CAUTION.search(evidence.answer.normal):
        value *= 1 - CAUTION_SHARE
    return AspectMeasure(
        value * evidence.soundness,
        f"{unfounded} causal claim{'s' * (unfounded != 1)} beyond the source" if unfounded else "",
    )


def _unfounded(evidence: Evidence) -> int:
    """Return the number of sentences with a causal word that has no ground in the source.

    It has one if the same word is anywhere in the source, or any causal word in the closest sentence. A denied claim is
    another claim: "did not reduce" is no ground for "reduced". A sentence counts as denied if it contains a denial
    anywhere, which is crude.
    """
    founded = {
        (_denied(sentence), stem(match.group()))
        for sentence in evidence.source.normal_sentences
        for match in CAUSES.finditer(sentence)
    }
    count = 0
    for at, sentence in enumerate(evidence.response.normal_sentences):
        claims = {(_denied(sentence), stem(match.group())) for match in CAUSES.finditer(sentence)}
        count += bool(claims - founded) and not _close_claim(evidence, at, _denied(sentence))
    return count


def _close_claim(evidence: Evidence, at: int, denied: bool) -> bool:
    """Return True if the source sentence closest to sentence `at` of the response claims a cause, equally denied."""
    closest = evidence.source.closest(evidence.response.sentence_terms[at])
    if closest is None:
        return False
    sentence = normalise(evidence.source.sentences[closest])
    return bool(CAUSES.search(sentence)) and _denied(sentence) == denied


def _denied(sentence: str) -> bool:
    return bool(DENIALS.search(sentence))


FOCUS_SHARE = 0.3
FOCUS_TERMS = 2  # an answer may use other words than the task, but rarely only other words


def task(evidence: Evidence) -> AspectMeasure:
    """Return the mean over the stated constraints: 1 if met, less by the excess or lack; 0.3 of it depends on focus.

    Focus: of the content words that the task shares with the source, two (or the only one) are in the answer. It is
    left out if there are none. None if nothing is stated and nothing shared.
    """
    form, fault = _form(evidence)
    focus = _focus(evidence)
    if form is None or focus is None:
        return AspectMeasure(focus if form is None else form, fault)
    return AspectMeasure(form * (1 - FOCUS_SHARE * (1 - focus)), fault)


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
    return mean(stated.values()), ", ".join(name for name, value in stated.items() if value < 1)


def _at_most(count: int, limit: int | None) -> float | None:
    """Return 1 up to the limit, 0 from one and a half times the limit on."""
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


COMFORTABLE = 28  # words; a longer sentence loses, and loses all at twice the length
SHORTEST = 4
DISORDER = (0.03, 0.15)  # the share of misplaced function words: in prose, and in words in random order

_CAPITAL = re.compile(r"[\"'(\[]*[^\W_a-z]")
_STOPPED = re.compile(r"[.!?][\"')\]]*$")


def readability(evidence: Evidence) -> AspectMeasure:
    """Return the mean of length, wholeness (a capital, a full stop) and footing of the sentences, times their order.

    A sentence has no footing if it opens with a word like "it" or "however" and either opens the response or follows a
    source sentence that was cut. None for an empty response.
    """
    lines = evidence.response.sentences
    if not lines:
        return AspectMeasure(None)
    lengths = mean([_length(count) for count in evidence.response.lengths])
    whole = mean([(bool(_CAPITAL.match(line)) + bool(_STOPPED.search(line[-8:]))) / 2 for line in lines])
    footing = _footing(lines, evidence.source.sentences)
    in_order = 1 - ramp(disorder(evidence.case.response), *DISORDER)
    notes = ["words in disorder"] * (in_order < 1) + ["leans on a sentence that is missing"] * (footing < 1)
    return AspectMeasure((lengths + whole + footing) / 3 * in_order, ", ".join(notes))


def _length(words: int) -> float:
    if words < SHORTEST:
        return words / SHORTEST
    return min(1.0, max(0.0, 2 - words / COMFORTABLE))


def _footing(lines: Sequence[str], source: Sequence[str]) -> float:
    places = {line: at for at, line in reversed(list(enumerate(source)))}
    hanging = 0
    for at, line in enumerate(lines):
        torn = line in places and lines[at - 1] != source[places[line] - 1]
        hanging += bool(LEANING.match(line)) and (at == 0 or torn)
    return 1 - hanging / len(lines)


WITHOUT_LIMIT = 0.5  # of the source's length: the room if the task states none
BRIEF = 0.6  # of the room: a briefer answer is measured against so many words
UNEARNED = 0.5  # of the best yield: any sentences of a source share its words, so this much earns nothing
TOO_THIN = 0.3  # of the room: an answer that fills less loses in proportion


def concision(evidence: Evidence) -> AspectMeasure:
    """Return fit times yield.

    Fit is 1 for a length within the room, 0 from one and a half times the room on. Yield is the weight of source terms
    in the answer, as a share of what source sentences could have in as many words (at least BRIEF of the room), above
    the part that earns nothing. The weight of a term is the number of source sentences with it. None for a source
    without terms.
    """
    source, limits = evidence.source, evidence.case.constraints
    room = WITHOUT_LIMIT * source.word_count if limits.max_words is None else limits.max_words
    used = evidence.response.word_count
    weight = Counter[Hashable](term for terms in source.sentence_terms for term in terms)
    yardstick = replace(limits, max_words=int(min(room, max(BRIEF * room, used))))
    best = best_extract(source, yardstick, source.sentence_terms, weight.__getitem__)
    most = sum(weight[term] for term in frozenset[str]().union(*(source.sentence_terms[at] for at in best)))
    if not most or not room:
        return AspectMeasure(None)
    carried = sum(weight[term] for term in evidence.answer.terms & weight.keys()) / most
    fit = min(1.0, used / room / TOO_THIN, max(0.0, 3 - 2 * used / room))
    merit = min(1.0, max(0.0, (carried - UNEARNED) / (1 - UNEARNED)))
    return AspectMeasure(fit * merit, "too long or too short" if fit < 1 else "")


REPEATED = 0.7  # share of a sentence's terms that an earlier one has, from which it is a repetition
SOME_TERMS = 3  # of shorter sentences this is unknown
READ = 100  # sentences that are compared with each other
FILLER = (0.1, 0.5)  # share of filler terms that are not the source's: none lost, all lost


def economy(evidence: Evidence) -> AspectMeasure:
    """Return the share of sentences that do not repeat an earlier one, reduced by filler.

    0 for a response without terms.
    """
    terms = evidence.response.terms
    if not terms:
        return AspectMeasure(0.0)
    lines = evidence.response.sentence_terms[:READ]
    repeats = sum(
        len(own) >= SOME_TERMS and any(len(own & before) >= REPEATED * len(own) for before in lines[:at])
        for at, own in enumerate(lines)
    )
    filler = len((terms & GENERIC) - evidence.source_terms) / len(terms)
    note = f"{repeats} sentence{'s' * (repeats != 1)} said again" if repeats else ""
    return AspectMeasure((1 - repeats / len(lines)) * (1 - ramp(filler, *FILLER)), note)


ADDED_COST = 0.35
TAKEN_COST = 0.1  # a loaded word of the source itself, outside quotation marks: repeated, not invented
VOICE_COST = 0.25

_SPOKEN = re.compile(r"(?<!\w)'([^']{1,200})'(?!\w)")
_SHOUT = re.compile(r"!|\b[^\W\d_a-z]{5,}\b")


def framing(evidence: Evidence) -> AspectMeasure:
    """Return 1 less the cost of each distinct loaded word, and of each sign of a writer who judges, urges or shouts.

    An added loaded word costs more than one repeated from the source.
    """
    used = set(LOADED.findall(evidence.response.normal))
    added = sorted(used - set(LOADED.findall(evidence.source.normal)))
    unspoken = _unspoken(evidence.response.normal)
    taken = (used - set(added)) & set(LOADED.findall(unspoken))
    voice = set(JUDGING.findall(unspoken)) - set(JUDGING.findall(evidence.source.normal))
    shouts = set(_SHOUT.findall(evidence.response.text)) - set(_SHOUT.findall(evidence.source.text))
    cost = ADDED_COST * (len(added) + len(shouts)) + TAKEN_COST * len(taken) + VOICE_COST * len(voice)
    noted = (("loaded", added), ("judging", sorted(voice)))
    return AspectMeasure(
        max(0.0, 1 - cost), ", ".join(f"{kind}: {', '.join(terms[:3])}" for kind, terms in noted if terms)
    )


def _unspoken(text: str) -> str:
    """Return `text`, normalised, without text in double or single quotation marks."""
    return _SPOKEN.sub(" ", unquoted(text))
