"""The phrases of data/answer_cues.txt, by language and kind, and expressions for them.

Languages without spaces between words have no word boundaries; key.without_markup puts spaces around their letters and
digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from nullbench_site.packaged import data_parts

_ALWAYS = "en"
"""Labels such as "Answer:" are English in responses of any language."""
_WORD = re.compile(r"[^\W\d_]+")
LETTERS = "\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""The letters of scripts that have no spaces between words, or join endings to them."""
UNSPACED = re.compile(f"[{LETTERS}]")


@lru_cache(maxsize=1)
def all_phrases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the phrases by language and kind."""
    return {
        language: {
            kind.strip(): tuple(phrase.strip() for phrase in phrases.split(" | "))
            for kind, equals, phrases in (line.partition("=") for line in text.splitlines())
            if equals and not kind.startswith("#")
        }
        for language, text in data_parts("answer_cues.txt").items()
    }


def languages() -> tuple[str, ...]:
    """Return the ids of the languages that have phrases."""
    return tuple(all_phrases())


@lru_cache(maxsize=1)
def irregular() -> Mapping[str, str]:
    """Return the base of irregular English forms: "fell" is of "fall"."""
    forms = (each.split() for each in all_phrases()[_ALWAYS]["irregular"])
    return {form: base for base, *others in forms for form in others}


_OF_SCRIPTS = MappingProxyType(
    {
        "zh": re.compile("[\u3400-\u9fff]"),
        "ja": re.compile("[\u3040-\u30ff]|[\u6b63\u7b54][\u89e3\u3048]"),
        "ko": re.compile("[\uac00-\ud7af]"),
        "ru": re.compile("[\u0400-\u04ff]"),
        "ar": re.compile("[\u0600-\u06ff]"),
    }
)
_LOOKED_AT = 20_000


def spoken(text: str, named: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the languages of which a text has a letter or a usual word, English always; of `named` ones, if any.

    A text is searched for the phrases of these languages only, because a word of one is another word in others.
    """
    known = all_phrases()
    chosen = {name.split("-")[0].casefold() for name in named} & known.keys() if named else known.keys()
    looked_at = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    words = set(_WORD.findall(looked_at.casefold()))
    return tuple(
        language
        for language in known
        if language == _ALWAYS
        or (
            language in chosen
            and (
                not words.isdisjoint(known[language].get("words", ()))
                if language not in _OF_SCRIPTS
                else not looked_at.isascii() and _OF_SCRIPTS[language].search(looked_at) is not None
            )
        )
    )


_ANY_END = "[^\\W\\d_]{0,6}"


def _tokens(phrase: str) -> Iterator[str]:
    """Yield the expressions of the characters of a phrase; a * at the end of a word is any ending."""
    for at, word in enumerate(phrase.split()):
        if at:
            yield " "
        yield from map(re.escape, word.removesuffix("*"))
        if word.endswith("*"):
            yield _ANY_END


def _tree(phrases: Iterable[str]) -> str:
    """Return an expression for any of the phrases, the longest first, that reads a common beginning once."""
    root: dict[str, Any] = {}
    for phrase in phrases:
        node = root
        for token in _tokens(phrase):
            node = node.setdefault(token, {})
        node[""] = {}
    return _branches(root)


def _branches(node: Mapping[str, Any]) -> str:
    parts = [f"{token}{_branches(below)}" for token, below in node.items() if token]
    if not parts:
        return ""
    if len(parts) == 1 and "" not in node:
        return parts[0]
    return f"(?:{'|'.join(parts)}){'?' if '' in node else ''}"


def expression(phrases: Iterable[str]) -> str:
    """Return an expression for any of the phrases, as whole words where the script has spaces, the longest first."""
    words, ends, others = [], [], []
    for phrase in sorted(set(phrases), key=lambda each: (-len(each), each)):
        if UNSPACED.search(phrase) or not phrase[0].isalnum():
            others.append(phrase)
        elif phrase[-1].isalnum() or phrase[-1] == "*":
            words.append(phrase)
        else:
            ends.append(phrase)
    parts = [f"{_tree(words)}(?![^\\W_])"] if words else []
    # The set of first letters is compared much faster than the words.
    first = "".join(sorted({re.escape(phrase[0]) for phrase in (*words, *ends)}))
    start = f"(?<![^\\W_])(?=[{first}])(?:{'|'.join([*parts, *([_tree(ends)] if ends else [])])})" if first else ""
    return f"(?:{'|'.join(filter(None, [start, *([_tree(others)] if others else [])]))})" if start or others else "(?!)"
