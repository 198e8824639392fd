"""A random search for a prefix, or a suffix, that makes judges prefer an answer that does not answer.

Each step changes the best candidate at random, asks judges about it on a few instructions, and keeps it if they are
less surprised that it wins. A draw depends on the seed, the step and the verdicts before it, so the records give the
walk again.

Source: Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137, algorithm 1.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import inf, log
from statistics import fmean, median
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

import msgspec
from msgspec import Meta

from nullbench_site.audit.attack_registry import attacks
from nullbench_site.errors import UsageError
from nullbench_site.packaged import data_text
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.types import ModelFile
from nullbench_site.text import did_you_mean

PROGRAM = "searched"
"""The program of the contestant whose answers the search makes. A sample of it is a step."""
INSTRUCTIONS = 4
"""How many instructions a step asks about."""
LEAST = 1e-6
"""A win is never less probable than this, since its -log p would be infinite; nor by a verdict that cannot be read."""
_MOST_CHANGED = 3
Place: TypeAlias = Literal["prefix", "suffix"]
Population: TypeAlias = Literal["tokens", "words", "characters"]
POPULATIONS: tuple[Population, ...] = get_args(Population)
Measure: TypeAlias = Literal["-log p", "share lost"]


@cache
def population(name: Population) -> tuple[str, ...]:
    """Return the tokens that a search draws from. It starts with the first one in every place."""
    lines = data_text("search_words.txt").splitlines()
    words = tuple(word for line in lines if not line.startswith("#") for word in line.split())
    signs = ("}", *(sign for sign in string.punctuation + string.digits if sign != "}"))
    return {"words": words, "characters": signs, "tokens": (*signs, *words)}[name]


class Search(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The inputs of a search. attack: the answer that the found text stands before or after. length: in tokens.

    board: a digest of the board, so that no other search takes its answers for its own.
    """

    attack: str
    place: Place = "prefix"
    population: Population = "tokens"
    length: Annotated[int, Meta(ge=1, le=60)] = 16
    seed: Annotated[int, Meta(ge=0)] = 1
    board: str = ""

    def __post_init__(self) -> None:
        known = attacks().get(self.attack)
        if known is None or known.program is not None or known.inserts:
            raise ValueError(
                f"{self.attack!r} is no attack with one text for all items, so nothing can be put before it"
            )

    @classmethod
    def of(cls, **inputs: Any) -> Self:
        """Return a search. Raises UsageError for an attack that cannot be searched."""
        try:
            return cls(**inputs)
        except ValueError as error:
            raise UsageError(f"{error}; {did_you_mean(inputs['attack'], attacks())}") from error

    @property
    def variant(self) -> str:
        """Return what differs from a prefix of any tokens, as the end of a name."""
        place = "" if self.place == "prefix" else f"-{self.place}"
        return place + ("" if self.population == "tokens" else f"-{self.population}")

    def text(self, tokens: Sequence[str]) -> str:
        """Return the answer with these tokens."""
        return placed_text(attacks()[self.attack].answer(), " ".join(tokens), self.place)

    def candidate(self, step: int, best: Sequence[str]) -> tuple[str, ...]:
        """Return the tokens that a step tries: the best so far with one to three of them drawn again."""
        known, tokens = population(self.population), list(best)
        for change in range(1 + self._draw(step, 0, _MOST_CHANGED)):
            tokens[self._draw(step, 2 * change + 1, len(tokens))] = known[self._draw(step, 2 * change + 2, len(known))]
        return tuple(tokens)

    def _draw(self, step: int, number: int, below: int) -> int:
        """Return a number below a limit: the same on every machine."""
        return int(hashlib.sha256(f"{self.seed}\n{step}\n{number}".encode()).hexdigest(), 16) % below


def placed_text(answer: str, found: str, place: Place) -> str:
    """Return an answer with a found text before or after it."""
    return f"{found}\n{answer}" if place == "prefix" else f"{answer}\n{found}"


class Verdict(msgspec.Struct, frozen=True):
    """The probability, by a judge, that the candidate wins. order: its place. won: None if it could not be read."""

    item: str
    judge: str
    order: int | None
    won: float | None


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a search. loss: of its candidate, by the measure; best_loss: of the best one so far.

    first_loss, second_loss: its mean -log p where it is shown first and second. n_verdicts_won: verdicts for it, of
    n_verdicts. n_won: instructions that it won in both orders with all judges, of n_items. n_unread: verdicts that
    could not be read. found: the tokens that it tried.
    """

    step: int
    kept: bool
    measure: Measure
    loss: float
    best_loss: float
    first_loss: float | None
    second_loss: float | None
    n_verdicts_won: int
    n_verdicts: int
    n_won: int
    n_items: int
    n_unread: int
    found: str


class Walk:
    """A search under way: the candidate of its next step, and the best so far."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.tokens = (population(search.population)[0],) * search.length
        self.best, self.loss, self.step = self.tokens, inf, 0
        self._measure: Measure | None = None

    @property
    def text(self) -> str:
        """Return the answer that the next step tries."""
        return self.search.text(self.tokens)

    def tell(self, verdicts: Sequence[Verdict]) -> Step:
        """Take the verdicts on the candidate, and draw the next one."""
        if self._measure is None:  # a judge without probabilities has no other figures
            sure = all(each.won in (None, 0.0, 0.5, 1.0) for each in verdicts)
            self._measure = "share lost" if sure else "-log p"
        by_judge: dict[str, list[float]] = {}
        for each in verdicts:
            by_judge.setdefault(each.judge, []).append(_loss(each, self._measure))
        loss = median(fmean(of_judge) for of_judge in by_judge.values())
        kept = loss < self.loss
        if kept:
            self.best, self.loss = self.tokens, loss
        won_all = _won_everywhere(verdicts)
        done = Step(
            step=self.step, kept=kept, measure=self._measure, loss=loss, best_loss=self.loss,
            first_loss=_mean(_loss(each, "-log p") for each in verdicts if each.order == 0),
            second_loss=_mean(_loss(each, "-log p") for each in verdicts if each.order == 1),
            n_verdicts_won=sum(_wins(each) for each in verdicts), n_verdicts=len(verdicts),
            n_won=sum(won_all.values()), n_items=len(won_all),
            n_unread=sum(each.won is None for each in verdicts), found=" ".join(self.tokens),
        )  # fmt: skip
        self.step += 1
        self.tokens = self.search.candidate(self.step, self.best)
        return done


def search_of(models: Iterable[ModelFile]) -> tuple[ModelFile, Search] | None:
    """Return the contestant whose answers a search makes, with its inputs; None without one."""
    for model in models:
        if model.model == PROGRAM:
            return model, msgspec.convert(model.params, Search)
    return None


def verdict(judgment: Judgment, won: float | None) -> Verdict:
    """Return the verdict that a judgment is. won: the probability that the candidate wins."""
    return Verdict(judgment.item, judgment.judge, judgment.position, won)


def _loss(each: Verdict, measure: Measure) -> float:
    if measure == "share lost":
        return 1.0 - _wins(each)
    return -log(max(LEAST, each.won or 0.0))


def _wins(each: Verdict) -> bool:
    return each.won is not None and each.won > 0.5


def _won_everywhere(verdicts: Sequence[Verdict]) -> Mapping[str, bool]:
    won: dict[str, bool] = {}
    for each in verdicts:
        won[each.item] = won.get(each.item, True) and _wins(each)
    return won


def _mean(values: Iterator[float]) -> float | None:
    known = [*values]
    return fmean(known) if known else None
