"""A key for options: the answer is the right option, or all of several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated, TypeAlias

from msgspec import Meta

from nullbench_site.answer_keys.claims import Claims
from nullbench_site.answer_keys.key import (
    Key,
    Line,
    Marked,
    Visible,
    about,
    correct,
    cut,
    invalid,
    spelled,
    unarticled,
    without_markup,
    wrong,
)
from nullbench_site.answer_keys.statements import LONGEST, RETRACTED, SENTENCE_END, declines, ends, statements
from nullbench_site.answer_keys.stopped import in_progress

Letter = Annotated[str, Meta(pattern="^[A-Z]$", description="A single capital letter.")]
# The letters that a response chooses.
Choice: TypeAlias = frozenset[str]

_SEVERAL: Choice = frozenset()
"""Means several different answers."""
_UNKNOWN: Choice = frozenset("?")
"""Means a letter without an option."""
_PUNCTUATION = " .,;:!*)]}\"'"
_LETTER = re.compile(r"(?<![\w'])[A-Za-z](?![\w'])")
_LETTERS = re.compile(
    r"(?P<open>[(\[{\"']*)(?P<first>[A-Za-z])(?![\w'])"
    r"(?P<rest>(?:[)\]}\"']* ?(?:(?:,|/|&|;|\+|\(?\b(?:or|oder|ou|o|oppure|\u0438\u043b\u0438|\u0623\u0648)\b|"
    r"\u6216\u8005?|\ub610\ub294"
    r"|\u307e\u305f\u306f|\b(?:and|und|et|y|e|\u0438|\u0648)\b|[\u548c\u4e0e\u3068])[ ,]*)+"
    r"(?:and |or )?(?:option |choice )?[(\[{\"']*[A-Za-z](?![\w'])){0,25})(?P<close>[)\]}\"']*)"
)
_TOGETHER = re.compile(r"[(\[{\"']*([A-Z]{2,26})(?!\w)")
# A capital A at the start of a sentence is not an answer, as in "A good way". With one of these after it, it is.
_BEHIND = re.compile(
    r" *(?:$|[.):,;\-\u2013\]]| (?:because|since|as|for|with|which|that|is|due|based|given|from|in|are)\b|\()",
    re.IGNORECASE,
)
# The pronoun I is followed by a verb, the letter by a mark or a reason.
_BEHIND_I = re.compile(
    r" *(?:$|[.):;\]]|, (?:because|since|as|which)\b| - | (?:because|since|as|which|is)\b|\()", re.IGNORECASE
)
_OR = re.compile(
    r"\b(?:or|oder|ou|o|oppure|\u0438\u043b\u0438|\u0623\u0648)\b|\u6216|\ub610\ub294|\u307e\u305f\u306f", re.IGNORECASE
)
_LAST = re.compile(r"[,:;] ?[(\[]?([A-Z])[)\]]?[.! ]*$")
_MARKED = re.compile(r"(?:option |choice )?[(\[]?([A-Z])(?:[)\].:]|$| - | \| )", re.IGNORECASE)
# A letter before a verb, but for the article and the pronoun: "D is the only one that is blue".
_SUBJECT = re.compile(
    r"(?:^|(?<=[.,;:] ))(?:[Oo]ption |[Cc]hoice )?[(\[]?([B-HJ-Z])[)\]]?(?= (?:is|are|was|would be)\b)"
)
# "A alternativa correta \u00e9 a C".
_ARTICLE = re.compile(r"^ ?(?:a|o|la|el|il|le|die|der) (?=[(\[]?[A-Z](?![\w']))")
_ITEM = re.compile(r"(?<![\w(])[A-Z]\)")
_FEW = 3
"""The lines of a short response, whose only mentioned option is its answer."""
_MOST_LINES = 20
"""The last lines in which a claim is looked for."""
# The first item of a list that was cut.
_FIRST_ITEM = re.compile(r"(?:[-*] )?\(?[Aa][).]")
_COLON = re.compile(r": ?[(\[]?([A-Z])[)\]]?[.! ]*$")
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
        choice = next(_choices(visible, _Options(self, visible)), None)
        if choice is None or choice == _UNKNOWN:
            named = "names another letter than" if choice == _UNKNOWN else "chooses none of"
            return invalid(
                f"{named} the options {', '.join(self.options)}", "other form" if choice == _UNKNOWN else "no answer"
            )
        return _verdict(choice, self)


def _verdict(choice: Choice, key: MultipleChoice) -> Marked:
    if choice == _SEVERAL or (len(key.correct) == 1 and len(choice) > 1):
        return invalid("chooses options that differ, where one answer is asked for", "several answers")
    chosen = ", ".join(sorted(choice))
    if choice == frozenset(key.correct):
        return correct(chosen, f"chooses {chosen}")
    return wrong(chosen, f"chooses {chosen}; {', '.join(sorted(key.correct))} is right")


class _Options:
    """The options in the form in which texts are compared with them."""

    def __init__(self, key: MultipleChoice, visible: Visible) -> None:
        self.letters = frozenset(key.options)
        self.several = len(key.correct) > 1
        self.cues = visible.cues
        by_text = {spelled(text): letter for letter, text in key.options.items()}
        self._by_text = {unarticled(text): letter for text, letter in by_text.items()} | by_text
        self._texts = {letter: without_markup(text) for letter, text in key.options.items()}
        self._asked = visible.asked

    @cached_property
    def _claims(self) -> Claims:
        return Claims(self._asked, self._texts.values(), self.cues)

    def chosen(self, text: str) -> Choice | None:
        """Return the choice in the text of a statement; None if it names no option."""
        text = _ARTICLE.sub("", text[:LONGEST])
        by_text = self.with_text(text) or self.with_text(cut(text))
        if by_text:
            return by_text
        text = self.cues.denied_letters.sub("", text)
        start = self._lead(text)
        if self.several and (together := _TOGETHER.match(text, start)) and self.letters.issuperset(together[1]):
            return frozenset(together[1])
        match = _LETTERS.match(text, start)
        named = None if match is None else self._named(match)
        if named is None:
            named = self.with_text(text[start:]) or self.with_text(cut(text[start:]))
        if named is None:
            last = _LAST.search(SENTENCE_END.split(text, maxsplit=1)[0])
            named = self.concluded(text) or (frozenset(last[1]) if last and last[1] in self.letters else None)
        return named

    def concluded(self, text: str) -> Choice | None:
        """Return the capital letter with which the first sentence ends, as in "the force doubles, so D"."""
        first = SENTENCE_END.split(self.cues.denied_letters.sub("", text), maxsplit=1)[0]
        for match in reversed(list(self.cues.concluded.finditer(first))):
            clause = re.split(r"[,.;:]", first[: match.start(1)].rstrip(" ,:"))[-1]
            if not (self.cues.wrong.search(clause) or self.cues.denies.search(clause)):
                return frozenset(match[1]) if match[1] in self.letters else None
        return None

    def predicate(self, sentence: str) -> Choice | None:
        """Return the option that a sentence ends with: its text behind "is", or its letter behind a colon."""
        if self.cues.denies.search(sentence) or self.cues.wrong.search(sentence):
            return None
        last = _COLON.search(sentence)
        if last and last[1] in self.letters:
            return frozenset(last[1])
        verbs = list(self.cues.verbs.finditer(sentence))
        return self.with_text(sentence[verbs[-1].end() :]) if verbs else None

    def claimed(self, lines: Sequence[str]) -> Choice | None:
        """Return the option whose text a sentence claims in the words of the question; the last of several."""
        listed = len({match[1] for line in lines if (match := _MARKED.match(line.lstrip("-*\u2022 ")))}) > 1
        prose = [line for line in lines if len(_ITEM.findall(line)) <= 1 and not (listed and _MARKED.match(line))]
        named = [_SUBJECT.sub(self._text_of, line) for line in prose]
        claim = self._claims.best(named, others=False)
        if claim or listed or len(lines) > _FEW:
            return self.with_text(claim.text) if claim else None
        # "C is the odd one out": the last line may name the letter, and the ones before it other options.
        said = named[-1:] if named and named[-1] != prose[-1] else named
        single = self._claims.single(self.cues.denied_letters.sub("", " ".join(said)))
        return self.with_text(single) if single else None

    def _text_of(self, match: re.Match[str]) -> str:
        """Return the text of an option for its letter."""
        return self._texts.get(match[1], match[0])

    def ticked(self, lines: Iterable[str]) -> Iterator[Choice]:
        """Yield the one option of a list that is called right."""
        marked = [(match[1].upper(), line) for line in lines if (match := _MARKED.match(line.lstrip("-*\u2022 ")))]
        right = {
            letter for letter, line in marked if self.cues.ticked.search(line) and not self.cues.denies.search(line)
        }
        if len(right) == 1 and right <= self.letters:
            yield frozenset(right)

    def alone(self, text: str) -> Choice | None:
        """Return the choice in a line that has only letters, or the text of an option."""
        if len(text) > LONGEST:
            return None
        text = self.cues.hedge.sub("", text)
        start = self._lead(text)
        match = _LETTERS.match(text, start) or (_TOGETHER.match(text, start) if self.several else None)
        behind = (
            "" if match is None else self.cues.ending.sub("", self.cues.denied_letters.sub("", text[match.end() :]))
        )
        if match is None or behind.strip(_PUNCTUATION):
            return self.with_text(text) or self.with_text(text[start:]) or self.with_text(cut(text))
        return self.chosen(text[: match.end()])

    def with_text(self, text: str) -> Choice | None:
        """Return the option with this text. A letter of the options is always that letter."""
        bare = spelled(text)
        letter = (
            None if bare.upper() in self.letters else self._by_text.get(bare) or self._by_text.get(unarticled(bare))
        )
        return frozenset(letter) if letter else None

    def _named(self, match: re.Match[str]) -> Choice | None:
        text, letters = match.string, [match["first"], *_LETTER.findall(match["rest"])]
        behind = text[match.end() :]
        enclosed = bool(match["close"]) or text[: match.start("first")].endswith(("(", "[", "{"))
        ending = self.cues.ending.sub("", behind)
        if any(map(str.islower, letters)) and not enclosed and ending.strip(_PUNCTUATION):
            return None
        chosen = frozenset(map(str.upper, letters))
        if not chosen <= self.letters:
            alone = len(letters) == 1 and letters[0].isupper() and not re.match(r" ?\w", ending)
            return _UNKNOWN if alone else None
        # An article or a pronoun is not a letter: "A good way", "I think".
        if chosen == {"A"} and not (enclosed or _BEHIND.match(ending)):
            return None
        if chosen == {"I"} and not (enclosed or _BEHIND_I.match(ending)):
            return None
        named = self.with_text(behind.lstrip(" .:)-]}")) or chosen
        return _SEVERAL if named != chosen or _OR.search(match["rest"]) else chosen

    def _lead(self, text: str) -> int:
        """Return the end of the words before a letter."""
        lead = self.cues.lead.match(text)
        return lead.end() if lead else 0


def _choices(visible: Visible, options: _Options) -> Iterator[Choice]:
    """Yield the choices of the response, the most reliable reading first."""
    stated, retracted = _stated(visible, options)
    yield from stated[:1]
    if retracted:
        return
    lines = visible.lines
    if len(lines) > 1 and lines[-2].endswith(":") and _FIRST_ITEM.fullmatch(lines[-1]):
        return
    edges = dict.fromkeys(ends(visible))
    if options.several and len(lines) <= len(options.letters):
        listed = [options.alone(line) for line in lines]
        if all(listed):
            yield frozenset(letter for choice in listed if choice for letter in choice)
    yield from _agreed(map(options.alone, edges))
    if lines and declines(lines[0], options.cues):
        return
    # All lines, because a list of the options must not be taken for an answer.
    openings = {match[1].upper() for line in lines if (match := _MARKED.match(line.lstrip("-*\u2022 ")))}
    if len(openings) == 1:
        marked = (line for line in edges if _MARKED.match(line) and not options.cues.denied_letters.match(line))
        yield from _agreed(options.chosen(line) for line in marked)
    if len(openings) > 1:
        yield from options.ticked(lines)
    for line in edges:
        for sentence in reversed(SENTENCE_END.split(line[-LONGEST:])):
            concluded = options.concluded(sentence) or options.predicate(sentence)
            if concluded and not options.cues.supposed.search(sentence) and not line.endswith(f"{sentence}?"):
                yield concluded
    cut_off = visible.stopped and in_progress(visible)
    claimed = None if cut_off else options.claimed(lines[-_MOST_LINES:])
    if claimed is not None:
        yield claimed
    raw = [line for line in visible.raw.split("\n") if line.strip()]
    bold = (
        letter
        for line in (*raw[:1], *([] if visible.unfinished else raw[-1:]))
        for letter in _BOLD.findall(options.cues.denied_bold.sub("", line))
    )
    yield from _agreed(frozenset(letter) for letter in bold if letter in options.letters)


def _stated(visible: Visible, options: _Options) -> tuple[Sequence[Choice], bool]:
    """Return the choices of the statements, the last first, and whether an answer was taken back before them.

    A response that calls each option the answer chooses several.
    """
    stated: list[Choice] = []
    for group in statements(visible, letters=True):
        if group[0] == RETRACTED:
            return stated, True
        stated += _agreed(map(options.chosen, group))
    every = options.letters <= {letter for choice in stated for letter in choice}
    return [_SEVERAL] if every and len(options.letters) > 2 and not options.several else stated, False


def _agreed(choices: Iterable[Choice | None]) -> Iterator[Choice]:
    """Yield the choice if there is one, or _SEVERAL if the choices differ."""
    different = {choice for choice in choices if choice is not None}
    if different:
        yield different.pop() if len(different) == 1 else _SEVERAL
