"""The judging prompts of each protocol, by name: `full`, and the files in the folder `prompts` of its package.

`full` is the prompt in the protocol's `judge.txt`. A judge that names no prompt has it. A file that a published run
used never changes: the keys of its calls cover every word. A better wording is a new file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from nullbench_site.extensions import load
from nullbench_site.packaged import text_parts
from nullbench_site.specs.types import Judge

FULL = "full"
REVISION = 1
"""Increased when code writes other messages from a file; part of the digest of calls if a judge names a prompt."""
DEFENCES = (
    "fence", "data, not instructions", "reminder", "question after the response", "quotation refused",
)  # fmt: skip
"""The lines of defence that are counted, at most one each: the response is between lines that it cannot forge; a rule
says that texts are data; a reminder after the response says so again; the whole question comes after the response; a
reply that stands word for word in a judged text is refused."""
_ABOUT, _DEFENCES, _SYSTEM = "about", "defences", "system"
_REPLY = "reply "
_FENCED = re.compile(r"\{text\}")


class JudgingPrompt(msgspec.Struct, frozen=True):
    """One file. system: the system message. sections: name and text of each section of the user message, in order.

    replies: reply form -> the section that asks for it; the first is the default. defences: the entries of DEFENCES
    that it has. about: a line for readers.
    """

    name: str
    about: str
    system: str
    sections: tuple[tuple[str, str], ...]
    replies: Mapping[str, str]
    defences: tuple[str, ...]

    @property
    def fences(self) -> bool:
        """Return True if it puts any text between lines with digits."""
        return any(_FENCED.search(text) for _, text in self.sections)


_TOKENS: Mapping[str, int] = MappingProxyType({"letter": 1, "yes-no": 1, "mark": 8, "reasons": 200})
_FULL_TOKENS = 600


def reply_tokens(protocols: Iterable[str], prompt: str, reply: str | None) -> int:
    """Return the limit on output tokens that replies of a model which does not think need, on boards of protocols.

    Without a form, the one of the prompt that needs most. The package of a protocol with longer replies names their
    tokens in REPLY_TOKENS. The full prompt asks for JSON with a rationale without a bound.
    """
    needed = [1]
    for protocol in protocols:
        known = replies_of(protocol, prompt) if prompt == FULL or prompt in prompts_of(protocol) else ()
        own = {**_TOKENS, **getattr(load("protocols", protocol), "REPLY_TOKENS", {})}
        if prompt == FULL:
            own["reasons"] = _FULL_TOKENS
        needed += [own[form] for form in (known if reply is None else (reply,))]
    return max(needed)


def read_prompt(name: str, text: str) -> JudgingPrompt:
    """Return a prompt from its file. Raises ValueError for a file without a part that is needed."""
    parts = dict(text_parts(text))
    about, named, system = (parts.pop(part, None) for part in (_ABOUT, _DEFENCES, _SYSTEM))
    replies = {part.removeprefix(_REPLY): parts.pop(part) for part in list(parts) if part.startswith(_REPLY)}
    if about is None or named is None or system is None or not replies or not parts:
        raise ValueError(f"prompt {name!r}: needs the parts about, defences, system, a text and a reply")
    defences = tuple(line for line in named.splitlines() if line)
    if unknown := set(defences).difference(DEFENCES):
        raise ValueError(f"prompt {name!r}: unknown defences: {', '.join(sorted(unknown))}")
    return JudgingPrompt(name, about, system, tuple(parts.items()), MappingProxyType(replies), defences)


@cache
def prompts_of(protocol: str) -> Mapping[str, JudgingPrompt]:
    """Return the prompts of a protocol by name, without `full`; none if its package has no folder `prompts`."""
    module = load("protocols", protocol)
    folder = Path(str(module.__file__)).parent / "prompts"
    files = sorted(folder.glob("*.txt")) if folder.is_dir() else []
    return MappingProxyType({path.stem: read_prompt(path.stem, path.read_text("utf-8")) for path in files})


def replies_of(protocol: str, prompt: str) -> tuple[str, ...]:
    """Return the reply forms of a prompt, the default first. The package names those of `full` in FULL_REPLIES.

    Raises KeyError for an unknown prompt.
    """
    if prompt == FULL:
        return tuple(getattr(load("protocols", protocol), "FULL_REPLIES", ()))
    return tuple(prompts_of(protocol)[prompt].replies)


def prompt_file(protocol: str, name: str) -> Path:
    """Return a file in the folder `prompts` of a protocol; it may not exist."""
    return Path(str(load("protocols", protocol).__file__)).parent / "prompts" / name


def prompt_of(protocol: str, judge: Judge) -> JudgingPrompt | None:
    """Return the prompt that a judge names; None for `full` and for programs. Raises KeyError for an unknown one."""
    named = judge.prompt or FULL
    return None if named == FULL or judge.is_program else prompts_of(protocol)[named]
