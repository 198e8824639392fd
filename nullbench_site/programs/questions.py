"""Contestants for questions about a text: what words, positions and chance reach without understanding.

A question has options ("A) ..." on lines of their own), or asks for yes or no, for a number or for a name. Without a
source, the prompt is the text. Each program answers in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from nullbench_site.programs.baselines import OrderSeed, random_order
from nullbench_site.programs.english import DENIALS, STOP_WORDS, content_words, figures, normalise, spelled_figures
from nullbench_site.programs.passages import Passage, contains
from nullbench_site.programs.program import BarePrompt, SourcedPrompt, contestant

_OPTION = re.compile(r"^[ \t]{0,8}[(*]{0,3}(?P<letter>[A-Z])[).:*]{1,4}[ \t]", re.MULTILINE)
_YES_OR_NO = re.compile(r"(?:did|do|does|is|are|was|were|has|have|had|must|may|can|should|will)\b")
_ALTERNATIVES = re.compile(r"\bor\b")
_NUMBER = re.compile(
    r"\bhow (?:many|much|long|large|old)\b|\b(?:number|percentage|age|year|ratio|margin|length|amount|points)\b|%"
)
# The first word of a sentence is always capitalised, so a name is not looked for there.
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")
_FALLBACK = "A"


class Question(msgspec.Struct, frozen=True, dict=True):
    """A prompt read as a question about a text."""

    prompt: str

    @cached_property
    def _parts(self) -> Sequence[str]:
        """Return the text before the options, then letter and text of each option."""
        return _OPTION.split(self.prompt)

    @cached_property
    def asked(self) -> str:
        """Return the question without its options, normalised."""
        return normalise(self._parts[0])

    @cached_property
    def options(self) -> Mapping[str, str]:
        """Return the options by letter, normalised."""
        return dict(zip(self._parts[1::2], map(normalise, self._parts[2::2]), strict=True))

    @property
    def choices(self) -> Sequence[str]:
        """Return the letters of the options, or yes and no; empty for an open question."""
        is_open = not _YES_OR_NO.match(self.asked) or _ALTERNATIVES.search(self.asked)
        return list(self.options) or ([] if is_open else ["yes", "no"])

    def candidates(self, text: str) -> Sequence[str]:
        """Return the different numbers of a text, or its names if no number is asked for, without the question's."""
        if _NUMBER.search(self.asked):
            known = {*figures(self.asked), *spelled_figures(self.asked)}
            found = [number.removesuffix("%") for number in figures(text) if number not in known]
            found += [number for number in spelled_figures(text) if number not in known]
        else:
            runs = _NAME.findall(text.replace("\u2019", "'"))
            found = [
                run for run in runs if run.casefold() not in STOP_WORDS and not contains(self.asked, normalise(run))
            ]
        return list(dict.fromkeys(found))


class Constants(Struct, frozen=True, forbid_unknown_fields=True):
    """The answers of a program that does not read the text: to questions with options, and to others."""

    choice: Annotated[str, Meta(min_length=1, max_length=100)]
    open: Annotated[str, Meta(min_length=1, max_length=100)]


@contestant(BarePrompt, SourcedPrompt)
def first_option(asked: BarePrompt) -> str:
    """Give the letter of the first option; without options the first number of the text, or the first name.

    This is the floor of multiple choice, and of every prompt that contains its own answer. A prompt without a source
    is never read for names or for yes and no: without options and numbers, the answer is A.
    """
    question = Question(asked.prompt)
    if isinstance(asked, SourcedPrompt):
        among = [*question.choices, *question.candidates(asked.text)]
    else:
        among = [*question.options, *figures(asked.prompt)]
    return f"Answer: {among[0] if among else _FALLBACK}"


@contestant(SourcedPrompt)
def nearest_sentence(asked: SourcedPrompt) -> str:
    """Answer from the sentence that shares most words with the question.

    A choice gets the option that occurs in that sentence, else the one that shares most with it. Yes or no follows
    denials in it. Otherwise the first number or name in it that the question does not have, else the sentence.
    """
    question, passage = Question(asked.prompt), Passage.of(asked.text)
    sentence = _nearest(passage, question.asked)
    plain = normalise(sentence)
    if question.options:
        words = _terms(plain)
        shared = {
            letter: (contains(plain, text) if text else False, len(words & _terms(text)))
            for letter, text in question.options.items()
        }
        return max(shared, key=shared.__getitem__)
    if question.choices:
        return "no" if DENIALS.search(plain) else "yes"
    return next(iter(question.candidates(sentence)), sentence)


def _nearest(passage: Passage, question: str) -> str:
    """Return the sentence that shares most terms with the question, among equals the first."""
    terms = _terms(question)
    ranked = max(enumerate(passage.sentence_terms), key=lambda pair: (len(pair[1] & terms), -pair[0]), default=(0, ()))
    return passage.sentences[ranked[0]] if passage.sentences else ""


def _terms(text: str) -> frozenset[str]:
    return frozenset(content_words(text) + figures(text))


@contestant(SourcedPrompt, params=Constants)
def majority(asked: SourcedPrompt, params: Constants) -> str:
    """Give one answer to every question with options, and another to every question without."""
    return params.choice if Question(asked.prompt).options else params.open


@contestant(SourcedPrompt, params=OrderSeed)
def random_answer(asked: SourcedPrompt, params: OrderSeed) -> str:
    """Draw an option, yes or no, or a number or name of the text; a function of `seed`, text and prompt."""
    question = Question(asked.prompt)
    among = question.choices or question.candidates(asked.text) or [_FALLBACK]
    return among[random_order(len(among), params.seed, f"{asked.text}\n{asked.prompt}")[0]]


@contestant(SourcedPrompt)
def all_options(asked: SourcedPrompt) -> str:
    """Give every option at once; without options, the empty answer."""
    return ", ".join(Question(asked.prompt).choices)
