"""A key for short texts: the answer is one of the accepted ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Annotated

from msgspec import Meta

from nullbench_site.answer_keys.claims import Claims, as_words
from nullbench_site.answer_keys.cues import Cues
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
    wrong,
)
from nullbench_site.answer_keys.statements import LONGEST, RETRACTED, SENTENCE_END, declines, ends, polite, statements

_OPENING = re.compile(r"^(?:so|thus|therefore|it is|it's|that is|that's|this is)\b[ ,:]*", re.IGNORECASE)
# A response of one line may have this many words more than the longest accepted answer.
_SLACK = 5
# A sentence that surrounds an accepted answer may have this many words more.
_SENTENCE = 20
# The last lines in which a claim is looked for.
_MOST_LINES = 20
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
# The characters of a script without spaces that count as one word.
_OF_A_WORD = 2
_HEDGE = re.compile(r",? (?:i think|i believe|i guess|i suppose|probably|for sure)[.!]?$", re.IGNORECASE)
# What begins an answer to a question of yes or no: "Yes, it is".
_SAID = re.compile(
    r"\W*(yes|no|true|false|ja|nein|oui|non|s\u00ed|s\u00ec|sim|n\u00e3o|\u0434\u0430|\u043d\u0435\u0442|\u306f\u3044|\u3044\u3044\u3048|\u662f|\uc608|\uc544\ub2c8\uc694|\u0646\u0639\u0645|\u0644\u0627)"
    r"(?:[,.;:!]|$| -|$)(?! ?(?:wait|or|but)\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^(?:[-*\u2022\u25cf\u2013]|[0-9]{1,2}[.)]) +(?=\D)")
_ARTICLE = re.compile(r"^(?:the|an?) (?=.)", re.IGNORECASE)
_COLON = re.compile(": ")
_LIST = re.compile(r",? (?:and|&|und|et|y|e|\u0438) |[,;](?: |(?![0-9]))")


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
        reader = _Reader(self, visible)
        answers = next(reader.answers(), None)
        if answers is None:
            lines = visible.lines
            declined = not lines or declines(lines[0], visible.cues)
            why = "states no answer, and its last line is none by itself"
            return invalid(why, "no answer" if declined else "other form")
        if len({answer if self.case_sensitive else answer.casefold() for answer in answers}) > 1:
            return invalid("gives answers that differ, where one is asked for", "several answers")
        if reader.among(answers[0]):
            return correct(answers[0], "is an accepted answer")
        if reader.holds_letter(answers[0]):
            return invalid("has the accepted letter within a sentence, where it may be a word", "other form")
        return wrong(answers[0], f"is not among the accepted answers ({len(self.accepted)})")


class _Reader:
    """Reads one response for one key."""

    def __init__(self, key: Exact, visible: Visible) -> None:
        self._key, self._visible = key, visible
        self._cues: Cues = visible.cues
        self._accepted = {spelled(text, case_sensitive=key.case_sensitive) for text in key.accepted}
        self._listed = {_ARTICLE.sub("", text) for text in self._accepted}
        self._lists = {items for text in self._accepted if len(items := _items(text)) > 1}

    @cached_property
    def _claims(self) -> Claims:
        names = [spelled(text, case_sensitive=True) for text in self._key.accepted]
        return Claims(self._visible.asked, names, self._cues, case_sensitive=self._key.case_sensitive)

    def among(self, answer: str) -> bool:
        """Return True if the answer is accepted, or surrounds an accepted one where the key allows this."""
        text = answer if self._key.case_sensitive else answer.casefold()
        return (
            self._is_listed(text)
            or (bool(self._lists) and _items(text) in self._lists)
            or (self._key.in_sentence and any(self._surrounds(text, each) for each in self._accepted))
        )

    def _is_listed(self, text: str) -> bool:
        """Return True if a text is accepted, with or without an article and quotation marks."""
        text = text if self._key.case_sensitive else text.casefold()
        bare = unarticled(text)
        return not self._listed.isdisjoint((text, bare))

    def _surrounds(self, sentence: str, answer: str) -> bool:
        """Return True if a short sentence contains the answer as whole words, without alternatives; 3 is not in 3.1."""
        if _words(sentence) > _words(answer) + _SENTENCE or (len(answer) == 1 and not answer.isdigit()):
            return False
        match = re.search(as_words(answer), sentence)
        if match is None or self._cues.denied_behind.match(sentence[match.end() :]):
            return False
        return not self._cues.undecided.search(f"{sentence[: match.start()]}\0{sentence[match.end() :]}")

    def holds_letter(self, answer: str) -> bool:
        """Return True if a sentence has an accepted answer of one letter as a word, which is never looked for in it."""
        letters = (text for text in self._key.accepted if len(text) == 1 and not text.isdigit())
        return len(answer) > 1 and any(
            re.search(rf"(?<!\w){re.escape(text)}(?!\w)", answer) is not None for text in letters
        )

    def answers(self) -> Iterator[Sequence[str]]:
        """Yield the answers of the response, the most reliable reading first."""
        for group in statements(self._visible):
            if group[0] == RETRACTED:
                return
            yield from _some(self._read(text) for text in group if not self._denies(text))
        lines = self._visible.lines
        if not lines or declines(lines[0], self._cues):
            return
        if self._lists and all(map(_BULLET.match, lines)):
            yield [", ".join(spelled(_BULLET.sub("", line), case_sensitive=True) for line in lines)]
        in_sentence = self._key.in_sentence
        more = _SENTENCE if in_sentence else _SLACK if len(lines) == 1 else 0
        longest = max(map(_words, self._accepted))
        edges = [(_words(line), _OPENING.sub("", self._without_bullet(line))) for line in self._edges()]
        # A short sentence may surround a shorter answer.
        fewest = min((count for count, _ in edges), default=0)
        yield from _some(self._read(line) for count, line in edges if count == fewest and count <= longest + more)
        last = [re.sub("[^,;.]*$", "", lines[-1])] if self._visible.unfinished else [lines[-1]]
        claimed = self._claimed([*lines[:-1][:1], *lines[1:-1][-_MOST_LINES:], *last])
        if claimed is not None:
            yield [claimed]
        if len(lines) > 1 or self._visible.stopped or len(SENTENCE_END.split(lines[0].rstrip(".! "))) > 1:
            return
        for _, line in edges:
            reason = self._cues.reason.search(line)
            head = line[: reason.start()] if reason else ""
            if head and _words(head) <= longest + 1 and not self._cues.filler.search(head) and not polite(head):
                yield [spelled(head, case_sensitive=True)]

    def _edges(self) -> Sequence[str]:
        """Return the last and the first line, without one that announces what follows, or ends before its answer."""
        lines = list(ends(self._visible))
        whole = [line for line in lines if not line.endswith(":") and not self._cues.open_end.search(line)]
        return whole if whole or len(self._visible.lines) > 1 or not lines else lines if lines[0].endswith(":") else []

    def _without_bullet(self, line: str) -> str:
        return line if self.among(spelled(line, case_sensitive=True)) else _BULLET.sub("", line)

    def _denies(self, text: str) -> bool:
        """Return True for "not X" and "X is wrong", which claim no answer."""
        bare = spelled(text, case_sensitive=self._key.case_sensitive)
        if bare in self._accepted:
            return False
        first = SENTENCE_END.split(text, maxsplit=1)[0]
        return re.match(r" ?(?:\w+ly )?(?:not|never) \w", text, re.IGNORECASE) is not None or (
            self._cues.denied_end.search(first.rstrip(" .!*\"'")) is not None
        )

    def _read(self, text: str) -> str:
        whole = spelled(text, case_sensitive=True)
        if self.among(whole):
            return whole
        short = spelled(cut(text), case_sensitive=True)
        if self.among(short):
            return short
        ended = spelled(self._cues.copula.sub("", text), case_sensitive=True)
        if self.among(ended):
            return ended
        if (said := _SAID.match(text)) and self._is_listed(said[1]):
            return said[1]
        hedged = spelled(_HEDGE.sub("", whole), case_sensitive=True)
        if self.among(hedged):
            return hedged
        return self._claimed([text]) or short

    def _claimed(self, lines: Sequence[str]) -> str | None:
        tails = self._behind_verbs(lines) if self._lists else []
        accepted = next(filter(self.among, tails), None)
        if accepted is not None:
            return accepted
        # A response that was cut may go on to the answer.
        claim = self._claims.best(lines, others=not (self._lists or self._visible.stopped))
        if claim or self._visible.stopped:
            return claim.text if claim else None
        return next((tail for tail in tails if len(_items(tail)) > 1), None)

    def _behind_verbs(self, lines: Sequence[str]) -> Sequence[str]:
        """Return what follows each verb and colon, which may be a list."""
        return [
            spelled(cut(line[match.end() :]), case_sensitive=True)
            for line in (each[:LONGEST] for each in lines)
            for start in (self._cues.verbs, _COLON)
            for match in start.finditer(line)
        ]


def _items(text: str) -> Sequence[str]:
    """Return the items of a list in one line."""
    return tuple(filter(None, _LIST.split(text.strip(" []()"))))


def _words(text: str) -> int:
    """Return the number of words; two characters of a script without spaces count as one."""
    return max(len(text.split()), len(_UNSPACED.findall(text)) // _OF_A_WORD)


def _some(answers: Iterable[str]) -> Iterator[Sequence[str]]:
    different = [answer for answer in dict.fromkeys(answers) if answer]
    if different:
        yield different
