"""The inputs of a random search for a prefix, or a suffix, that makes judges prefer an answer that does not answer.

Each step changes the best candidate at random, asks judges about it on a few instructions, and keeps it if they are
less surprised that it wins (`search_walk.py`). A draw depends on the seed, the step and the verdicts before it, so the
records give the walk again.

Source: Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137, algorithm 1.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

import msgspec
from msgspec import Meta

from nullbench_site.audit.attack_registry import attacks
from nullbench_site.errors import UsageError
from nullbench_site.packaged import data_text
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import ModelFile
from nullbench_site.text import did_you_mean

PROGRAM = "searched"
"""The program of the contestant whose answers the search makes. A sample of it is a step."""
INSTRUCTIONS = 4
"""How many instructions a step asks about."""
_MOST_CHANGED = 3
Place: TypeAlias = Literal["prefix", "suffix"]
Population: TypeAlias = Literal["tokens", "words", "characters"]
POPULATIONS: tuple[Population, ...] = get_args(Population)


@cache
def population(name: Population) -> tuple[str, ...]:
    """Return the tokens that a search draws from. It starts with the first one in every place."""
    lines = data_text("search_words.txt").splitlines()
    words = tuple(word for line in lines if not line.startswith("#") for word in line.split())
    signs = ("}", *(sign for sign in string.punctuation + string.digits if sign != "}"))
    return {"words": words, "characters": signs, "tokens": (*signs, *words)}[name]


class Search(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The inputs of a search. attack: the answer that the found text stands before or after. length: in tokens.

    board: a digest of the board, so that no other search takes its answers for its own. filtered: whether a filter on
    perplexity has to let each candidate through.
    """

    attack: str
    place: Place = "prefix"
    population: Population = "tokens"
    length: Annotated[int, Meta(ge=1, le=60)] = 16
    seed: Annotated[int, Meta(ge=0)] = 1
    board: str = ""
    filtered: bool = False

    def __post_init__(self) -> None:
        known = attacks().get(self.attack)
        if known is None or known.program is not None or known.inserts:
            raise ValueError(
                f"{self.attack!r} is no attack with one text for all items, so no text can be searched for it"
            )

    @classmethod
    def of(cls, **inputs: Any) -> Self:
        """Return a search. Raises UsageError for an attack that cannot be searched."""
        try:
            return cls(**inputs)
        except ValueError as error:
            fit = [name for name, each in attacks().items() if each.program is None and not each.inserts]
            raise UsageError(f"{error}; {did_you_mean(inputs['attack'], fit)}") from error

    @property
    def variant(self) -> str:
        """Return what differs from a prefix of any tokens, as the end of a name."""
        place = "" if self.place == "prefix" else f"-{self.place}"
        population = "" if self.population == "tokens" else f"-{self.population}"
        return place + population + ("-filtered" if self.filtered else "")

    def text(self, tokens: Sequence[str]) -> str:
        """Return the answer with these tokens."""
        return placed_text(attacks()[self.attack].answer(), " ".join(tokens), self.place)

    def starts(self) -> Iterator[tuple[str, ...]]:
        """Yield the tokens that the first step may try: the same one in every place, then drawn ones."""
        known, draw = population(self.population), self._draws(0)
        yield (known[0],) * self.length
        while True:
            yield tuple(known[draw(len(known))] for _ in range(self.length))

    def candidates(self, step: int, best: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield the tokens that a step may try: the best so far with one to three of them drawn again."""
        known, draw = population(self.population), self._draws(step)
        while True:
            tokens = list(best)
            for _ in range(1 + draw(_MOST_CHANGED)):
                place = draw(len(tokens))
                tokens[place] = known[draw(len(known))]
            yield tuple(tokens)

    def _draws(self, step: int) -> Callable[[int], int]:
        """Return what draws a number below a limit, one after another: the same ones on every machine."""
        numbers = count()
        return lambda below: int(sha256(f"{self.seed}\n{step}\n{next(numbers)}".encode()), 16) % below


def placed_text(answer: str, found: str, place: Place) -> str:
    """Return an answer with a found text before or after it."""
    return f"{found}\n{answer}" if place == "prefix" else f"{answer}\n{found}"


def search_of(models: Iterable[ModelFile]) -> tuple[ModelFile, Search] | None:
    """Return the contestant whose answers a search makes, with its inputs; None without one."""
    for model in models:
        if model.model == PROGRAM:
            return model, msgspec.convert(model.params, Search)
    return None
