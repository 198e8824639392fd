"""Screen answers for text that tries to win a judge's vote, and for one answer to different prompts.

A flag is a reason to read an answer. It changes no score.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import groupby
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import re2

from nullbench_site.packaged import data_text
from nullbench_site.text import hidden_character

INVISIBLE, KEY, CONSTANT = "invisible-characters", "key-string", "constant"
"""The kinds that no pattern finds."""
_OWN_TITLES = {
    INVISIBLE: "has invisible characters",
    KEY: "has no content, or only the opening of an answer",
    CONSTANT: "nearly repeats an answer to another prompt",
}
SHINGLE, NEAR = 5, 0.5
"""An answer is a near-duplicate if this share of its sequences of 5 words is in answers to other prompts.

Source: Pomikalek (2011), Removing boilerplate and duplicate content from web corpora: the share of n-grams that are in
other texts, threshold 0.5. Its sequences have 7 words; 5 was chosen on the answers that the lexicon was tuned on.
"""
_POOL = 1 << 24
"""How many hashes of sequences are kept; with more, every second one of all is dropped, again and again."""


class _Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    because: str


class _Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    title: str
    patterns: tuple[_Pattern, ...]


class _Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    because: str
    texts: tuple[str, ...]


class Lexicon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of data/screening.yaml."""

    words: dict[str, str]
    kinds: tuple[_Kind, ...]
    keys: _Keys

    def expanded(self, pattern: str) -> str:
        """Return a pattern with the words that its names stand for."""
        while (filled := re.sub(r"<(\w+)>", lambda name: self.words.get(name[1], name[0]), pattern)) != pattern:
            pattern = filled
        return pattern


@cache
def lexicon() -> Lexicon:
    """Return the packaged lexicon."""
    return msgspec.yaml.decode(data_text("screening.yaml"), type=Lexicon)


@cache
def kinds() -> Mapping[str, str]:
    """Return every kind of flag, with what it says of an answer."""
    return {each.kind: each.title for each in lexicon().kinds} | _OWN_TITLES


@cache
def _compiled() -> Sequence[tuple[str, Any]]:
    words = lexicon()
    return [
        (each.kind, re2.compile("|".join(f"(?:{words.expanded(one.pattern)})" for one in each.patterns)))
        for each in words.kinds
    ]


@cache
def _keys() -> frozenset[str]:
    return frozenset(" ".join(_words(text)) for text in lexicon().keys.texts)


def flags(text: str) -> tuple[str, ...]:
    """Return the kinds found in one answer, in the order of `kinds()`; empty if nothing was found."""
    plain = _plain(text)
    found = {kind for kind, pattern in _compiled() if pattern.search(plain)}
    if hidden_character(_KEYCAP.sub("", text)) is not None:
        found.add(INVISIBLE)
    if _is_blank(plain) or (len(plain) < _LONGEST_KEY and " ".join(_words(plain)) in _keys()):
        found.add(KEY)
    return tuple(kind for kind in kinds() if kind in found)


def constant(answers: Mapping[str, str | Sequence[str]] | Iterable[str | tuple[str, str]]) -> float:
    """Return the share of answers, 0-1, that are near-duplicates of an answer to a different prompt.

    answers: by prompt, one or several texts each; or pairs of a prompt and a text; or texts, each the answer to
    another prompt. A text may be replaced by its sha256 in hex; of hashes, only exact repeats are found. 0 without
    answers. Time and memory grow linearly.
    """
    repeated = near_duplicates(_pairs(answers))
    return float(repeated.mean()) if repeated.size else 0.0


def _pairs(answers: Mapping[str, str | Sequence[str]] | Iterable[str | tuple[str, str]]) -> Iterator[tuple[str, str]]:
    if isinstance(answers, Mapping):
        for prompt, texts in answers.items():
            yield from ((prompt, text) for text in ([texts] if isinstance(texts, str) else texts))
        return
    for number, answer in enumerate(answers):
        yield (str(number), answer) if isinstance(answer, str) else answer


def near_duplicates(answers: Iterable[tuple[str, str]]) -> npt.NDArray[np.bool_]:
    """Return, for each pair of a prompt and an answer, whether the answer nearly repeats one to another prompt."""
    prompts: dict[str, int] = {}
    of_prompt, wholes, shingles = [], [], list[npt.NDArray[np.uint64]]()
    rate = np.uint64(1)
    kept = 0
    for prompt, text in answers:
        of_prompt.append(prompts.setdefault(prompt, len(prompts)))
        whole, hashes = _hashes(_words(_plain(text)))
        wholes.append(whole)
        shingles.append(hashes[hashes % rate == 0])
        kept += shingles[-1].size
        if kept > _POOL:
            rate *= np.uint64(2)
            shingles = [each[each % rate == 0] for each in shingles]
            kept = sum(each.size for each in shingles)
    order = np.argsort(of_prompt, kind="stable")
    repeats = _of_several(order, of_prompt, [np.array([each], np.uint64) for each in wholes])
    shared = _of_several(order, of_prompt, shingles)
    return np.array(
        [
            _share(np.array([whole], np.uint64), repeats) == 1 or _share(own, shared) >= NEAR
            for whole, own in zip(wholes, shingles, strict=True)
        ],
        dtype=np.bool_,
    )


def _of_several(
    order: npt.NDArray[np.int64], of_prompt: Sequence[int], hashes: Sequence[npt.NDArray[np.uint64]]
) -> npt.NDArray[np.uint64]:
    """Return the hashes, sorted, that answers to more than one prompt have."""
    pool, start = np.empty(sum(each.size for each in hashes), np.uint64), 0
    for _, places in groupby(order, key=of_prompt.__getitem__):
        own = [hashes[place] for place in places]
        distinct = own[0] if len(own) == 1 else np.unique(np.concatenate(own))
        pool[start : start + distinct.size] = distinct
        start += distinct.size
    pool = pool[:start]
    pool.sort()
    return np.unique(pool[1:][pool[1:] == pool[:-1]])


def _share(own: npt.NDArray[np.uint64], shared: npt.NDArray[np.uint64]) -> float:
    """Return the share of the hashes of an answer that are among the shared ones."""
    if not own.size or not shared.size:
        return 0.0
    at = np.minimum(np.searchsorted(shared, own), shared.size - 1)
    return float((shared[at] == own).mean())


_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|\w+")
"""A character of a script without spaces, or a run of letters and digits."""
_KEYCAP = re.compile("(?<=[0-9#*\u00a9\u00ae])\ufe0f")
"""The selector that makes an emoji of a digit or sign is invisible, and has a use."""
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\xad\u034f\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_STRAIGHT = {"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"}
_LONGEST_KEY = 80
_FACTORS = np.random.default_rng(5).integers(2**63, size=SHINGLE, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def is_short(text: str) -> bool:
    """Return True if a text has fewer words than a sequence."""
    return len(_WORD.findall(text)) < SHINGLE


def _plain(text: str) -> str:
    """Return a text in lower case, on one line, in compatible letters, without invisible characters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for curved, straight in _STRAIGHT.items():
            text = text.replace(curved, straight)
    text = _UNSEEN.sub("", text)
    return " ".join(text.lower().split())


def _is_blank(plain: str) -> bool:
    return all(unicodedata.category(character)[0] in "PZC" for character in plain)


def _words(plain: str) -> list[str]:
    """Return the words of a text; its characters if it has none, so that punctuation can repeat."""
    return _WORD.findall(plain) or ["".join(plain.split())]


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


_code = lru_cache(maxsize=1 << 20)(_digest)


def _hashes(words: Sequence[str]) -> tuple[int, npt.NDArray[np.uint64]]:
    """Return the hash of all words, and the distinct hashes of their sequences."""
    whole = _digest("\n".join(words))
    if len(words) < SHINGLE:
        return whole, np.empty(0, np.uint64)
    codes = np.fromiter(map(_code, words), np.uint64, len(words))
    n = codes.size - SHINGLE + 1
    sums = np.zeros(n, np.uint64)
    for offset, factor in enumerate(_FACTORS):
        sums += codes[offset : offset + n] * factor
    # The low bits decide which are dropped; mix the high ones into them.
    return whole, np.unique(sums ^ (sums >> np.uint64(32)))
