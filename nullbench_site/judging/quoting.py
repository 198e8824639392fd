"""Quote texts for a judge: between lines that the texts cannot forge, without hidden characters or chat tokens.

Only the judge's view is changed; records keep every text unchanged. Ordinary text stays the same, byte for byte.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Any

import msgspec

NONCE_DIGITS = 16
BREAK = "\N{MIDDLE DOT}"
"""Inserted after the first character of a chat token, which breaks it."""

_TAIL_OF_FLAG = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in f"{region}\x7f") for region in ("gbeng", "gbsct", "gbwls")
)
_FLAG = "\N{WAVING BLACK FLAG}"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINER = "\u200c\u200d"
_HIDDEN = (
    "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f"  # controls except tab, line feed and carriage return
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_BEFORE = f"[^\\x00-\\x7f{_JOINER}{_HIDDEN}]"
_AFTER = f"[^\\x00-\\x7f{_JOINER}{_HIDDEN}{_SELECTOR}]"
# One set of characters first, so that most of a text is skipped quickly.
_SUSPECT = re.compile(f"[<\\[\r{_HIDDEN}{_JOINER}{_SELECTOR}{_FLAG}](?:(?<={_FLAG})(?:{_TAIL_OF_FLAG}))?")
# Joiners are ordinary within emoji and several scripts, selectors after the character they select; elsewhere they hide
# text.
_UNSEEN = re.compile(
    f"[{_HIDDEN}]|\r(?!\n)|(?<!{_BEFORE})[{_JOINER}]|[{_JOINER}](?!{_AFTER})|(?<=[{_SELECTOR}])[{_SELECTOR}]"
)

# The tokens by which chat templates of common model families mark turns, systems, tools and thoughts.
_TOKENS = (
    r"<\|[^\s|<>\[\]\uff5c]{1,100}\|?>",  # ChatML, Llama 3, Phi, Qwen, GLM, Harmony: <|im_start|>; Gemma: <|turn>
    r"<[a-z_]{1,40}\|>",  # Gemma: <turn|>
    r"<\uff5c[^\s|<>\[\]\uff5c]{1,100}\uff5c>",  # DeepSeek
    r"<</?SYS>>",  # Llama 2
    r"</?(?:s|bos|eos|pad|unk|sop|eop)>",  # Llama 2, Mistral, Gemma, GLM
    r"<(?:start|end)_of_(?:turn|image)>",  # Gemma
    r"</?(?:think|tool_call|tool_response|tools)>",  # Qwen, DeepSeek and others
    r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|THINK|[gs]MASK)\]",
)
_TOKEN = re.compile("|".join(_TOKENS))


@lru_cache(maxsize=32)  # all judges of a panel see the same texts
def neutralised(text: str) -> str:
    """Return `text` with hidden characters written out, <U+202E>, and chat tokens broken, <·|im_end|>.

    Takes time linear in the length of the text.
    """
    return _SUSPECT.sub(_harmless, text)


def _harmless(match: re.Match[str]) -> str:
    text, at, suspect = match.string, match.start(), match[0]
    if suspect in ("<", "["):
        return suspect + BREAK if _TOKEN.match(text, at) else suspect
    return f"<U+{ord(suspect):04X}>" if _UNSEEN.match(text, at) else suspect


def nonce(text: str, *others: str) -> str:
    """Return 16 hex digits that are determined by the texts and occur in none of them."""
    texts = (text, *others)
    digits = _digits(text)
    while any(digits in each for each in texts):
        digits = _digits("\n".join((digits, *texts)))
    return digits


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:NONCE_DIGITS]


class Fence(msgspec.Struct, frozen=True):
    """Quotes neutralised texts between two lines with a nonce that occurs in no text of the prompt."""

    nonce: str

    def around(self, text: str, label: str) -> str:
        return f"[{self.nonce} {label} begins]\n{neutralised(text)}\n[{self.nonce} {label} ends]"


def asked_in_context(placed: Any) -> str:
    """Return the prompt of the item's turn as judges see it: after the earlier prompts and answers."""
    if not placed.earlier:
        return str(placed.prompt)
    parts: list[str] = []
    for number, (prompt, earlier) in enumerate(zip(placed.turns, placed.earlier, strict=False), start=1):
        answer = Fence(nonce(earlier, *placed.turns)).around(earlier, "answer")
        parts += (f"Turn {number}:", prompt, f"The answer to turn {number}:", answer)
    return "\n\n".join([*parts, f"Turn {placed.turn}:", placed.prompt])
