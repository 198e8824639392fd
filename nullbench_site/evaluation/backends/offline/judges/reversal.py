"""Sentences of the response that say the contrary of a source sentence in nearly its words."""

import re

from ..text import STOP_WORDS, normalise, stem, words
from .evidence import Evidence
from .lexicon import DENIALS

LIKENESS = 0.5  # share of the terms of both sentences; below it they may speak of different things
REACH = 3  # words after a denial within which the word it denies is looked for

_UP = re.compile(
    r"\b(?:rose|rises?|risen|rising|increas\w*|grew|grow[ns]?|growing|gain\w*|higher|more|climb\w*|above)\b"
)
_DOWN = re.compile(r"\b(?:fell|falls?|fallen|falling|decreas\w*|declined|drop\w*|lost|shrank|lower|fewer|less|below)\b")


def reversals(evidence: Evidence) -> int:
    """Sentences turned around: a denial dropped or added, a rise made a fall or a fall a rise.

    A sentence that has dropped the whole denied clause is shorter, not contrary. Blind to a reversal in
    other words, and to one by exchange of two names or figures.
    """
    source = evidence.source
    count = 0
    for sentence, terms in zip(evidence.response.sentences, evidence.response.sentence_terms, strict=True):
        closest = source.closest(terms)
        if closest is not None and len(terms & (own := source.sentence_terms[closest])) >= LIKENESS * len(terms | own):
            count += _contrary(normalise(sentence), normalise(source.sentences[closest]))
    return count


def _contrary(one: str, other: str) -> bool:
    turned = {_moves(one), _moves(other)} == {(True, False), (False, True)}
    return turned or _undenied(one, other) or _undenied(other, one)


def _moves(text: str) -> tuple[bool, bool]:
    return bool(_UP.search(text)), bool(_DOWN.search(text))


def _undenied(denying: str, plain: str) -> bool:
    """Whether `plain`, which denies nothing, uses a word that `denying` denies."""
    return not DENIALS.search(plain) and not _denied_stems(denying).isdisjoint(map(stem, words(plain)))


def _denied_stems(text: str) -> set[str]:
    """The first content word after each denial, within reach."""
    tokens = words(text)
    found = set()
    for at, token in enumerate(tokens):
        if DENIALS.fullmatch(token):
            found.update([stem(word) for word in tokens[at + 1 : at + 1 + REACH] if word not in STOP_WORDS][:1])
    return found
