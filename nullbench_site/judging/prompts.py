"""Write the messages of a named judging prompt, and read the replies to it.

What all contestants share comes first, then what programs noticed, then the response, then the question. So a server
with a prompt cache reads the shared beginning once an item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import msgspec

from nullbench_site.judging.calls import JudgeTask, Message, Reply
from nullbench_site.judging.quoting import BREAK, neutralised, nonce
from nullbench_site.judging.replies import parts_beside, shown_value
from nullbench_site.judging.verdict_lines import bare_or_line, verdict_lines
from nullbench_site.judging.yes_no import MISSING_MASS, share_of_yes
from nullbench_site.specs.judging_prompts import JudgingPrompt
from nullbench_site.specs.types import Judge

_SHARED = parts_beside(__file__, "prompts.txt")
_SLOT = re.compile(r"\{([a-z]+)\}")
_DIGITS = 8
"""The digits of a fence. A text cannot contain them, however few they are; fewer cost fewer tokens."""
NOTES = "notes"
"""The section with what programs noticed in the response."""
_NO_VALUES: Mapping[str, str] = MappingProxyType({})


def digits_outside(*texts: str) -> str:
    """Return 8 hex digits that are determined by the texts and occur in none of them."""
    digits = nonce(*texts)[:_DIGITS]
    while any(digits in each for each in texts):
        digits = nonce(digits, *texts)[:_DIGITS]
    return digits


class Texts(msgspec.Struct, frozen=True):
    """The texts of a judging prompt by section.

    shown: those that all contestants share. judged: the responses. notes: what programs noticed in the response.
    values: other slots of the prompt, from the specs.
    """

    shown: Mapping[str, str]
    judged: Mapping[str, str]
    notes: str = ""
    values: Mapping[str, str] = _NO_VALUES


def prompt_messages(prompt: JudgingPrompt, reply: str, texts: Texts) -> tuple[Message, ...]:
    """Return the system and user messages of a prompt that asks for a reply of a form.

    A section with an empty shared text, or without notes, is left out. `{text}` is the text between two lines with
    digits, `{plain}` the text alone, `{nonce}` the digits around the response.

    The digits around shared texts depend on these alone, so all contestants share the beginning of the prompt. A
    contestant can compute them from public specs. It cannot use them: the blocks of the shared texts are closed before
    its own text begins, and its text shows these digits with a dot inside. The digits around a response depend on all
    texts and occur in none, so it cannot end its own block either.
    """
    shared = digits_outside(*texts.shown.values(), *texts.values.values())
    judged = {name: neutralised(text).replace(shared, f"{shared[0]}{BREAK}{shared[1:]}") for name, text in _own(texts)}
    last = digits_outside(*judged.values(), *texts.shown.values(), *texts.values.values(), shared)

    def filled(name: str, template: str) -> str:
        text = judged[name] if name in judged else neutralised(texts.shown.get(name, ""))
        digits = last if name in judged else shared
        slots = {
            "text": f"[{digits} {name} begins]\n{text}\n[{digits} {name} ends]",
            "plain": text,
            "nonce": last,
            **texts.values,
        }
        return _SLOT.sub(lambda slot: slots.get(slot[1], slot[0]), template)

    optional = {name for name, text in texts.shown.items() if not text} | ({NOTES} if not texts.notes else set())
    sections = [filled(name, text) for name, text in prompt.sections if name not in optional]
    sections.append(filled("", prompt.replies[reply]))
    return Message("system", prompt.system), Message("user", "\n\n".join(sections))


def _own(texts: Texts) -> Iterable[tuple[str, str]]:
    return (*texts.judged.items(), (NOTES, texts.notes))


class PromptedQuestion(msgspec.Struct, frozen=True):
    """A question to a judge that names its prompt. asked: the fields of the protocol's own question."""

    task: JudgeTask
    prompt: JudgingPrompt
    reply: str
    asked: Mapping[str, Any]
    texts: Texts
    reader: Callable[[str], Reply]

    def fields(self) -> dict[str, Any]:
        return dict(self.asked)

    def messages(self) -> tuple[Message, ...]:
        return prompt_messages(self.prompt, self.reply, self.texts)

    def reply_schema(self) -> None:
        return None

    def read(self, text: str) -> Reply:
        return self.reader(text)

    def quoted(self, reply: str, texts: Iterable[str]) -> bool:
        """Return True if a reply of several words stands word for word in a text that was judged.

        texts: those that the judge was shown. A bare verdict is never a quotation.
        """
        own = "".join(reply.split())
        return len(reply.split()) > 2 and any(own in "".join(text.split()) for text in texts)

    def repair(self, reply: Reply) -> str:
        """Return the message after a reply that was not valid."""
        faults = "\n".join(f"- {name}: {why}" for name, why in reply.invalid.items())
        form = _SLOT.sub(lambda slot: self.texts.values.get(slot[1], slot[0]), self.prompt.replies[self.reply])
        return _SHARED["repair"].format(faults=faults, reply=form)


class PromptedTokenQuestion(PromptedQuestion, frozen=True):
    """The same with a reply of one token, whose log probabilities are requested."""

    weigher: Callable[[Mapping[str, float]], Reply]

    @property
    def top_logprobs(self) -> int:
        return self.task.judge.top_logprobs

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        return self.weigher(logprobs)


def read_mark(text: str, name: str, lowest: int, highest: int, *, reply: str) -> Reply:
    """Read a whole mark: with reasons the last line `Mark: 4`, else nothing but a mark or this line."""
    allowed = [str(mark) for mark in range(lowest, highest + 1)]
    if reply == "reasons":
        found = verdict_lines(text, {"Mark": allowed})
        if found.invalid:
            return Reply({}, {name: found.invalid["Mark"]}, found.before)
        return Reply({name: int(found.values["Mark"])}, {}, found.before)
    value = bare_or_line(text, "Mark", allowed)
    if value is None:
        return Reply({}, {name: f"{shown_value(text)} is not one whole number from {lowest} to {highest}"}, "")
    return Reply({name: int(value)}, {}, "")


def weigh_yes(name: str, lowest: int, highest: int, logprobs: Mapping[str, float]) -> Reply:
    """Return a grade: the lowest + the range x the share of yes."""
    found = share_of_yes(logprobs)
    if isinstance(found, str):
        return Reply({}, {name: found}, "")
    return Reply({name: round(lowest + (highest - lowest) * found.share, 6), MISSING_MASS: found.missing}, {}, "")


def read_yes(name: str, lowest: int, highest: int, text: str) -> Reply:
    """Read the word alone, if no log probabilities came."""
    word = text.strip().rstrip(".").casefold()
    if word not in ("yes", "no"):
        return Reply({}, {name: f"{shown_value(text)} is neither yes nor no"}, "")
    return Reply({name: highest if word == "yes" else lowest}, {}, "")


def reply_form(judge: Judge, prompt: JudgingPrompt) -> str:
    """Return the reply form that a judge names, else the first of its prompt. One token is a yes or no by default."""
    if judge.reply is not None:
        return judge.reply
    return "yes-no" if judge.decoding.max_tokens == 1 and "yes-no" in prompt.replies else next(iter(prompt.replies))


def marking(
    task: JudgeTask,
    prompt: JudgingPrompt,
    asked: Mapping[str, Any],
    texts: Texts,
    *,
    name: str,
    scale: tuple[int, int],
) -> PromptedQuestion:
    """Return the question that asks for one mark of a scale, in the reply form of the judge or the prompt's first."""
    reply = reply_form(task.judge, prompt)
    if reply == "yes-no":
        read, weigh = partial(read_yes, name, *scale), partial(weigh_yes, name, *scale)
        return PromptedTokenQuestion(task, prompt, reply, asked, texts, read, weigh)
    lowest, highest = scale
    read_line = partial(read_mark, name=name, lowest=lowest, highest=highest, reply=reply)
    return PromptedQuestion(task, prompt, reply, asked, texts, read_line)


_ROUGH = re.compile(r"[^\W\d_]{1,8}|\d|\n+|[^\w\s]|_")


def rough_tokens(text: str) -> int:
    """Return about how many tokens a text has: each run of up to 8 letters, each digit, each sign, each line end.

    Spaces count with what follows. Tokenizers of current models take fewer for English prose.
    """
    return len(_ROUGH.findall(text))
