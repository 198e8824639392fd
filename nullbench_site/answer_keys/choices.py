"""Keys for short texts and for options: the answer is one of the accepted texts, or the right option."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, TypeAlias

from msgspec import Meta

from nullbench_site.answer_keys.key import Key, Line, Marked, Visible, about, correct, cut, invalid, spelled, wrong
from nullbench_site.answer_keys.statements import LONGEST, declines, ends, statements

_OPENING = re.compile(r"^(?:so|thus|therefore|it is|it's|that is|that's|this is)\b[ ,:]*", re.IGNORECASE)
# A response of one line may have this many words more than the longest accepted answer.
_SLACK = 5
# A sentence that surrounds an accepted answer may have this many words more.
_SENTENCE = 20
# Words of a sentence that denies an answer or offers alternatives.
_UNDECIDED = re.compile(r"(?<!\bplus )\bor\b|\b(?:nor|no|not|neither|never)\b|n't\b", re.IGNORECASE)


class Exact(Key, frozen=True, tag="exact"):
    """The right answers, as short texts."""

    title, looks_at, cannot_see = about("exact")

    accepted: Annotated[
        tuple[Line, ...],
        Meta(min_length=1, max_length=100, description="Every right wording, each on one line."),
    ]
    case_sensitive: Annotated[bool, Meta(description="True: upper and lower case differ.")] = False
    in_sentence: Annotated[
        bool,
        Meta(
            description="True: an accepted answer within a short sentence counts too, unless the sentence denies it or "
            "offers others."
        ),
    ] = False

    def __post_init__(self) -> None:
        if any("\n" in text for text in self.accepted):
            raise ValueError("an accepted answer has several lines; only answers of one line are read")
        if not all(spelled(text) for text in self.accepted):
            raise ValueError("an accepted answer holds nothing but punctuation")

    def mark(self, visible: Visible) -> Marked:
        """Right if the answer is one of the accepted texts."""
        accepted = {spelled(text, case_sensitive=self.case_sensitive) for text in self.accepted}
        answers = next(_answers(visible, self, accepted), None)
        if answers is None:
            return invalid("states no answer, and its last line is none by itself", "no answer")
        if len({answer if self.case_sensitive else answer.casefold() for answer in answers}) > 1:
            return invalid("gives answers that differ, where one is asked for", "several answers")
        if _among(answers[0], accepted, self):
            return correct(answers[0], "is an accepted answer")
        return wrong(answers[0], f"is not among the accepted answers ({len(accepted)})")


def _among(answer: str, accepted: set[str], key: Exact) -> bool:
    text = answer if key.case_sensitive else answer.casefold()
    return text in accepted or (key.in_sentence and any(_surrounds(text, each) for each in accepted))


def _surrounds(sentence: str, answer: str) -> bool:
    """Return True if a short sentence contains the answer as whole words, without alternatives; 3 is not in 3.1."""
    if len(sentence.split()) > len(answer.split()) + _SENTENCE:
        return False
    match = re.search(rf"(?<![\w.,]){re.escape(answer)}(?!\w|[.,][0-9])", sentence)
    return match is not None and not _UNDECIDED.search(sentence[: match.start()] + sentence[match.end() :])


def _answers(visible: Visible, key: Exact, accepted: set[str]) -> Iterator[Sequence[str]]:
    """Yield the answers of the response, the most reliable reading first."""

    def read(text: str) -> str:
        whole = spelled(text, case_sensitive=True)
        return whole if _among(whole, accepted, key) else spelled(cut(text), case_sensitive=True)

    for group in statements(visible):
        yield from _some(map(read, group))
    lines = visible.lines
    if not lines or declines(lines[0]):
        return
    more = _SENTENCE if key.in_sentence else _SLACK if len(lines) == 1 else 0
    words = max(len(text.split()) for text in accepted) + more
    edges = [(len(line.split()), _OPENING.sub("", line)) for line in ends(lines)]
    # A short sentence may surround a shorter answer.
    fewest = min((count for count, _ in edges), default=0)
    yield from _some(read(line) for count, line in edges if count == fewest and count <= words)


def _some(answers: Iterable[str]) -> Iterator[Sequence[str]]:
    different = [answer for answer in dict.fromkeys(answers) if answer]
    if different:
        yield different


Letter = Annotated[str, Meta(pattern="^[A-Z]$", description="A single capital letter.")]
# The letters that a response chooses.
Choice: TypeAlias = frozenset[str]

_SEVERAL: Choice = frozenset()
"""Means several different answers."""
_PUNCTUATION = " .,;:!*)]}\"'"
_LETTER = re.compile(r"(?<![\w'])[A-Za-z](?![\w'])")
_LEAD = re.compile(
    r"[\W_]*(?:(?:so|it's|it is|the|option|choice|letter|answer|response|statement|correct|is|only|definitely|clearly|"
    r"most likely|probably|therefore|thus|boxed|with)\b[\W_]*)*",
    re.IGNORECASE,
)
_LETTERS = re.compile(
    r"(?P<open>[(\[{\"']*)(?P<first>[A-Za-z])(?![\w'])"
    r"(?P<rest>(?:[)\]}\"']* ?(?:(?:,|/|&|;|\+|\(?\bor\b|\band\b)[ ,]*)+"
    r"(?:and |or )?(?:option |choice )?[(\[{\"']*[A-Za-z](?![\w'])){0,25})(?P<close>[)\]}\"']*)"
)
_TOGETHER = re.compile(r"[(\[{\"']*([A-Z]{2,26})(?!\w)")
# A capital A at the start of a sentence is not an answer, as in "A good way". With one of these after it, it is.
_BEHIND = re.compile(
    r" *(?:$|[.):,;\-\u2013\]]| (?:because|since|as|for|with|which|that|is|due|based|given|from|in|are)\b|\()",
    re.IGNORECASE,
)
_MARKED = re.compile(r"(?:option |choice )?[(\[]?([A-Z])(?:[)\].:]|$)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*(?:[Oo]ption )?[(\[]?([A-Z])(?:[)\].:]+(?:\*\*| )|\*\*)")


class MultipleChoice(Key, frozen=True, tag="multiple-choice"):
    """The options by letter, and the right letter; a list if the answer is all of several and no other."""

    title, looks_at, cannot_see = about("multiple-choice")

    options: Annotated[dict[Letter, Line], Meta(min_length=2, max_length=26, description="The options by letter.")]
    # Not Letter alone: msgspec 0.22 frees a union of a text with a pattern and a list wrongly. A check below ensures
    # that it is one of the options.
    correct: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1)]
        | Annotated[tuple[Letter, ...], Meta(min_length=1, max_length=26)],
        Meta(description="The letter of the right option; a list if the answer is all of these together."),
    ]

    def __post_init__(self) -> None:
        strangers = [letter for letter in self.correct if letter not in self.options]
        if strangers:
            raise ValueError(f"correct names {', '.join(strangers)}, but the options are {', '.join(self.options)}")
        if len(set(self.correct)) < len(self.correct):
            raise ValueError("correct names an option twice")
        if len({spelled(text) for text in self.options.values()}) < len(self.options):
            raise ValueError("two options have the same text")

    def mark(self, visible: Visible) -> Marked:
        """Right if exactly the right letters are chosen."""
        options = _Options(self)
        choice = next(_choices(visible, options), None)
        if choice is not None:
            return _verdict(choice, self)
        return invalid(f"chooses none of the options {', '.join(self.options)}", "no answer")


def _verdict(choice: Choice, key: MultipleChoice) -> Marked:
    if choice == _SEVERAL or (isinstance(key.correct, str) and len(choice) > 1):
        return invalid("chooses options that differ, where one answer is asked for", "several answers")
    chosen = ", ".join(sorted(choice))
    if choice == frozenset(key.correct):
        return correct(chosen, f"chooses {chosen}")
    return wrong(chosen, f"chooses {chosen}; {', '.join(sorted(key.correct))} is right")


class _Options:
    """The options in the form in which texts are compared with them."""

    def __init__(self, key: MultipleChoice) -> None:
        self.letters = frozenset(key.options)
        self.several = not isinstance(key.correct, str)
        self._by_text = {spelled(text): letter for letter, text in key.options.items()}

    def chosen(self, text: str) -> Choice | None:
        """Return the choice in the text of a statement; None if it names no option."""
        text = text[:LONGEST]
        by_text = self.with_text(text) or self.with_text(cut(text))
        if by_text:
            return by_text
        start = _lead(text)
        if self.several and (together := _TOGETHER.match(text, start)) and self.letters.issuperset(together[1]):
            return frozenset(together[1])
        match = _LETTERS.match(text, start)
        if match is None:
            return self.with_text(text[start:]) or self.with_text(cut(text[start:]))
        return self._named(match)

    def alone(self, text: str) -> Choice | None:
        """Return the choice in a line that has only letters, or the text of an option."""
        if len(text) > LONGEST:
            return None
        start = _lead(text)
        match = _LETTERS.match(text, start) or (_TOGETHER.match(text, start) if self.several else None)
        if match is None or text[match.end() :].strip(_PUNCTUATION):
            return self.with_text(text)
        return self.chosen(text)

    def with_text(self, text: str) -> Choice | None:
        """Return the option with this text. A letter of the options is always that letter."""
        bare = spelled(text)
        letter = None if bare.upper() in self.letters else self._by_text.get(bare)
        return frozenset(letter) if letter else None

    def _named(self, match: re.Match[str]) -> Choice | None:
        text, letters = match.string, [match["first"], *_LETTER.findall(match["rest"])]
        behind = text[match.end() :]
        enclosed = bool(match["close"]) or text[: match.start("first")].endswith(("(", "[", "{"))
        if any(map(str.islower, letters)) and not enclosed and behind.strip(_PUNCTUATION):
            return None
        chosen = frozenset(map(str.upper, letters))
        # An article is not a letter: "A good way".
        if not chosen <= self.letters or (chosen == {"A"} and not (enclosed or _BEHIND.match(behind))):
            return None
        named = self.with_text(behind.lstrip(" .:)-]}")) or chosen
        alternatives = re.search(r"\bor\b", match["rest"], re.IGNORECASE)
        return _SEVERAL if named != chosen or alternatives else chosen


def _lead(text: str) -> int:
    """Return the end of the words before a letter."""
    lead = _LEAD.match(text)
    return lead.end() if lead else 0


def _choices(visible: Visible, options: _Options) -> Iterator[Choice]:
    """Yield the choices of the response, the most reliable reading first."""
    for group in statements(visible, letters=True):
        yield from _agreed(map(options.chosen, group))
    lines = visible.lines
    edges = dict.fromkeys(ends(lines))
    if options.several and len(lines) <= len(options.letters):
        listed = [options.alone(line) for line in lines]
        if all(listed):
            yield frozenset(letter for choice in listed if choice for letter in choice)
    yield from _agreed(map(options.alone, edges))
    # All lines, because a list of the options must not be taken for an answer.
    openings = {match[1].upper() for line in lines if (match := _MARKED.match(line))}
    if len(openings) == 1:
        yield from _agreed(options.chosen(line) for line in edges if _MARKED.match(line))
    raw = [line for line in visible.raw.split("\n") if line.strip()]
    bold = (letter for line in (*raw[:1], *raw[-1:]) for letter in _BOLD.findall(line))
    yield from _agreed(frozenset(letter) for letter in bold if letter in options.letters)


def _agreed(choices: Iterable[Choice | None]) -> Iterator[Choice]:
    """Yield the choice if there is one, or _SEVERAL if the choices differ."""
    different = {choice for choice in choices if choice is not None}
    if different:
        yield different.pop() if len(different) == 1 else _SEVERAL
