"""One short question to a judge about a response: its messages, and the reading of yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from nullbench_site.judging.calls import Answer, JudgeTask, Message, Reply
from nullbench_site.judging.quoting import Fence, nonce
from nullbench_site.judging.replies import parts_beside, shown_value
from nullbench_site.judging.yes_no import MISSING_MASS, share_of_yes, word_of

WORDING = parts_beside(__file__, "wordings.txt")
YES = "yes"
"""The name of the probability of yes, of yes and no only, in a judgment's scores."""
PREFIX = "question."
"""The prefix of the template of a judgment that answers a short question."""
_WORD = re.compile(r"\w+")


def is_question(template: str | None) -> bool:
    """Return True if a judgment with this template answers a short question."""
    return template is not None and template.startswith(PREFIX)


class ShortQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question about one response, or about one sentence of it, that is answered with yes or no.

    shared: quoted texts by part of the wording that are the same for all contestants and come before the response.
    asked: the part of the wording with the question. about: quoted texts by label that belong to the question. item:
    the other texts of the item, so that the digits of fences stand in none of them. wording: the parts. what: the part
    and label of the judged text. context: quoted texts by part between the shared ones and the judged one.
    """

    task: JudgeTask
    response: str
    asked: str
    shared: Mapping[str, str] = {}
    about: Mapping[str, str] = {}
    item: tuple[str, ...] = ()
    wording: Mapping[str, str] = WORDING
    what: str = "response"
    context: Mapping[str, str] = {}

    def fields(self) -> dict[str, Any]:
        return {**self.shared, **self.context, self.what: self.response, "question": self.asked, **self.about}

    def messages(self) -> tuple[Message, ...]:
        """Return the messages: what all share, the response, the reminder that it was data, the question.

        The digits of the fence come from the response, so they are the same for all its questions, and a server's
        prompt cache keeps all that stands before the question.
        """
        return self.worded(lambda question: question)

    def worded(self, wrap: Callable[[str], str]) -> tuple[Message, ...]:
        """Return the messages with the part after the response wrapped, as templates of a board do."""
        shown = {*self.item, *self.shared.values(), *self.context.values(), *self.about.values()}
        texts, words = sorted(shown), self.wording
        of_what = "" if self.what == "response" else f" of a {self.what}"
        own = Fence(nonce(self.response, *texts))
        before = Fence(nonce("\n".join(self.shared.values()), self.response, *texts))
        question = (
            words[self.asked],
            *(own.around(text, label) for label, text in self.about.items()),
            words["reply"],
        )
        sections = (
            *(f"{words[name]}\n\n{before.around(text, name)}" for name, text in self.shared.items()),
            *(f"{words[name]}\n\n{own.around(text, name)}" for name, text in self.context.items()),
            f"{words[self.what]}\n\n{own.around(self.response, self.what)}",
            words[f"reminder{of_what}"],
            wrap("\n\n".join(question)),
        )
        return Message("system", words[f"role{of_what}"]), Message("user", "\n\n".join(sections))

    def reply_schema(self) -> None:
        return None

    @property
    def top_logprobs(self) -> int:
        return self.task.judge.top_logprobs

    def decided_by_first_token(self, answer: Answer) -> bool:
        """Return True if the first token of a reply is its answer: it is one word, or begins with yes or no.

        A judge that thinks first, or ends with the opposite of its first word, is read from its last line.
        """
        words = _WORD.findall(answer.text)
        if answer.reasoning or not words:
            return False
        if len(words) == 1:
            return True
        first, last = word_of(words[0]), _in_line(_last_line(answer.text))
        return answer.text.lstrip().startswith(words[0]) and first is not None and last in (None, first)

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        """Return P(yes) / (P(yes) + P(no)), over all returned tokens that are yes or no without case and spaces."""
        found = share_of_yes(logprobs)
        if isinstance(found, str):
            return Reply({}, {YES: found}, "")
        return Reply({YES: found.share, MISSING_MASS: found.missing}, {}, "")

    def read(self, text: str) -> Reply:
        """Read the last line that is not empty; without log probabilities the value is 1 or 0."""
        line = _last_line(text)
        answer = _in_line(line)
        if answer is None:
            return Reply({}, {YES: f"{shown_value(line)} is neither yes nor no"}, "")
        return Reply({YES: 1.0 if answer else 0.0}, {}, "")


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def _in_line(line: str) -> bool | None:
    """Return the answer of a line: its first or its last word is yes or no, and the other is nowhere in it."""
    words = [word_of(word) for word in _WORD.findall(line)]
    if not words or (True in words and False in words):
        return None
    return words[0] if words[0] is not None else words[-1]
