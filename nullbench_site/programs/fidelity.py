"""Measures of what is told: facts, numbers, names, scope, causes, hedges and the balance of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nullbench_site.programs.english import names as names_in
from nullbench_site.programs.english import normalise, printable, stem
from nullbench_site.programs.lexicon import BOOSTERS, CAUSAL_CAUTION, CAUSES, CONDITIONS, DENIALS, HEDGES
from nullbench_site.programs.program import mean
from nullbench_site.programs.source_case import Evidence, Fact, Measure, keys_found, mean_support


def facts(evidence: Evidence) -> Measure:
    """Facts told, as a share of what source sentences in the same room tell, times what is sound of the answer."""
    known = evidence.facts()
    value = evidence.attained(known)
    whole = sum(len(keys_found(fact, evidence.answer.normal)) == len(fact.keys) for fact in known)
    note = ", ".join(note for note in (f"{whole} of {len(known)} facts found", contradictions(evidence)) if note)
    return Measure(None if value is None else value * evidence.soundness, note)


def borne_out(evidence: Evidence) -> Measure:
    """What is sound of the answer, statement by statement; 0 for a response without content."""
    return Measure(evidence.soundness if evidence.response.terms else 0.0, contradictions(evidence))


def contradictions(evidence: Evidence) -> str:
    """What is wrong with the statements of the response, the most frequent first; empty if nothing is."""
    kinds = Counter(finding.what for own in evidence.findings for finding in own)
    return ", ".join(f"{kind} ({times})" for kind, times in kinds.most_common(NOTED))


NOTED = 2  # kinds of what is wrong that a note names


INVENTED_FIGURE_COST = 0.5  # one invented figure halves the measure, two end it


def numbers(evidence: Evidence) -> Measure:
    """Half for keeping key figures, half for the rest; then what invented figures leave of it.

    None if the reference has no key figure and the response no figure at all.
    """
    invented = sorted(set(evidence.response.figures) - evidence.source.known_figures)
    keeping = evidence.attained(_figure_facts(evidence))
    if keeping is None and not evidence.response.figures:
        return Measure(None)
    kept = 1.0 if keeping is None else (1 + keeping) / 2
    note = _invented("number", invented)
    return Measure(kept * max(0.0, 1 - INVENTED_FIGURE_COST * len(invented)) * evidence.soundness, note)


def _invented(what: str, invented: Sequence[str]) -> str:
    """The first of what is not in the source, and how many; empty for nothing."""
    shown = ", ".join(printable(each, 20) for each in invented[:3])
    return f"{len(invented)} {what}{'s' * (len(invented) != 1)} not in the source: {shown}" if invented else ""


def _figure_facts(evidence: Evidence) -> list[Fact]:
    """The reference facts reduced to their keys with a digit."""
    reduced = [
        Fact(fact.kind, tuple(key for key in fact.keys if any(map(str.isdigit, key.partition("|")[0]))))
        for fact in evidence.facts()
    ]
    return [fact for fact in reduced if fact.keys]


INVENTED_NAME_COST = 0.4  # a capitalised word that is new may be mere emphasis, so it costs less than a figure


def names(evidence: Evidence) -> Measure:
    """Half, and as much again for the share of names kept; then what invented names leave of it.

    One name per sentence of the room is as much as is expected. None if neither side has a name.
    """
    known = {name.casefold() for name in names_in(evidence.source.text)}
    used = {name.casefold() for name in names_in(evidence.response.text)}
    invented = sorted(used - evidence.source.words)
    if not known and not invented:
        return Measure(None)
    expected = min(len(known), max(1, len(evidence.answer.sentences)))
    kept = min(1.0, len(known & evidence.answer.words) / expected) if expected else 1.0
    note = _invented("name", invented)
    return Measure((1 + kept) / 2 * max(0.0, 1 - INVENTED_NAME_COST * len(invented)) * evidence.soundness, note)


def scope(evidence: Evidence) -> Measure:
    """Scope facts in the room, as a share of what source sentences could support there."""
    value = evidence.attained(evidence.facts("scope"))
    return Measure(
        None if value is None else value * evidence.soundness, "" if value is None else f"scope {_word(value)}"
    )


def _word(value: float) -> str:
    return "kept" if value > 0.99 else "lost" if value < 0.01 else "partly kept"


def salience(evidence: Evidence) -> Measure:
    """Findings told, as far as the room could hold them; if there are both sorts, half depends on balance.

    Balance is 1 less the difference between the shares told of favourable findings and of null or negative
    ones. None without findings.
    """
    share = evidence.attained(evidence.facts("positive", "null", "negative"))
    if share is None:
        return Measure(None)
    favourable, other = evidence.facts("positive"), evidence.facts("null", "negative")
    if not favourable or not other:
        return Measure(share * evidence.soundness)
    shares = mean_support(favourable, evidence.answer.normal), mean_support(other, evidence.answer.normal)
    note = "" if all(shares) else f"no {'null or negative' if shares[0] else 'favourable'} finding told"
    value = share * (1 - abs(shares[0] - shares[1]) / 2)
    return Measure(value * evidence.soundness, note if any(shares) else "no finding told")


def evenness(evidence: Evidence) -> Measure:
    """1 less the difference between the shares told of favourable findings and of null or negative ones, times what is
    sound of the answer. None where the source has one sort only; 0 where neither is told."""
    favourable, other = evidence.facts("positive"), evidence.facts("null", "negative")
    if not favourable or not other:
        return Measure(None)
    shares = mean_support(favourable, evidence.answer.normal), mean_support(other, evidence.answer.normal)
    return Measure((1 - abs(shares[0] - shares[1])) * any(shares) * evidence.soundness)


BOOSTER_COST = 0.25


def hedging(evidence: Evidence) -> Measure:
    """Mean of two: the caveat facts told, and the share of qualified source sentences used that stay so.

    Each word of certainty that the source does not use takes a quarter off. None without caveats and
    qualified sentences.
    """
    caveats = evidence.attained(evidence.facts("caveat"))
    parts = [part for part in (caveats, _still_qualified(evidence)) if part is not None]
    if not parts:
        return Measure(None)
    boosters = set(BOOSTERS.findall(evidence.response.normal)) - set(BOOSTERS.findall(evidence.source.normal))
    value = mean(parts) * max(0.0, 1 - BOOSTER_COST * len(boosters))
    return Measure(value * evidence.soundness, "no caveat told" if caveats == 0 else "")


def _still_qualified(evidence: Evidence) -> float | None:
    """Of the answer's sentences whose closest source sentence is qualified, the share that are too."""
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
CAUTION_SHARE = 0.25  # the axis asks, at its top, that the answer also say why cause is or is not shown


def causality(evidence: Evidence) -> Measure:
    """Each unfounded causal claim costs half. A quarter is for keeping a caution, if the source has one."""
    unfounded = _unfounded(evidence)
    value = max(0.0, 1 - UNFOUNDED_COST * unfounded)
    if CAUSAL_CAUTION.search(evidence.source.normal) and not CAUSAL_CAUTION.search(evidence.answer.normal):
        value *= 1 - CAUTION_SHARE
    return Measure(
        value * evidence.soundness,
        f"{unfounded} causal claim{'s' * (unfounded != 1)} beyond the source" if unfounded else "",
    )


def _unfounded(evidence: Evidence) -> int:
    """Sentences with a causal word that has no ground in the source.

    It has one if the same word stands anywhere in the source, or any causal word in the closest sentence.
    Denied and undenied claims are different claims: "did not reduce" founds no "reduced". A sentence counts
    as denied if a denial stands anywhere in it, which is crude.
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
    """Whether the source sentence closest to sentence `at` of the response claims a cause, denied alike."""
    closest = evidence.source.closest(evidence.response.sentence_terms[at])
    if closest is None:
        return False
    sentence = normalise(evidence.source.sentences[closest])
    return bool(CAUSES.search(sentence)) and _denied(sentence) == denied


def _denied(sentence: str) -> bool:
    return bool(DENIALS.search(sentence))
