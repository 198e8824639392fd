"""The specs of the `oracle` protocol: a prompt, and the key that decides what is right. No judges."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from nullbench_site.answer_keys import AnyKey
from nullbench_site.errors import Problem
from nullbench_site.specs import templates
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import PROMPT, Column, ProtocolSpecs, Starter
from nullbench_site.specs.sources import Problems, SpecFile, SpecFiles, each_item, unique
from nullbench_site.specs.types import BoardFile, Category, DomainFile, Id, PrivateText, PromptItem, PromptText, Prose
from nullbench_site.text import did_you_mean

_ANSWERS = ("answers", "correct_answer", "correct", "expected", "target", "label", "solution", "gold", "key")
COLUMNS = (
    PROMPT,
    Column(
        "answer", "the right answers with | between them, a number, or the letter of an option", required=True,
        many=True, names=_ANSWERS,
    ),
    Column("options", "the options of a choice with | between them", many=True, names=("choices",)),
)  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def item_data(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an item: the answer as a key, and the options as lines of the prompt."""
    answers, options = fields.pop("answer"), fields.pop("options", None)
    if options:
        lines = [f"{letter}) {text}" for letter, text in zip(string.ascii_uppercase, options, strict=False)]
        if not all(line in fields["prompt"] for line in lines):
            fields["prompt"] = "\n".join([fields["prompt"], *lines])
        return {**fields, "key": _choice(answers, options)}
    return {**fields, "key": _key(answers)}


def _key(answers: Sequence[Any]) -> Any:
    """Return the key of one or more right answers, also within a sentence. An object is a key as specs have it."""
    first = answers[0] if answers else ""
    if isinstance(first, dict):
        return first
    if len(answers) == 1 and isinstance(first, int | float) and not isinstance(first, bool):
        return {"type": "numeric", "value": first}
    if len(answers) == 1 and _NUMBER.fullmatch(str(first)):
        return {"type": "numeric", "value": float(first) if "." in first else int(first)}
    texts = [str(each).lower() if isinstance(each, bool) else each for each in answers]
    return {"type": "exact", "accepted": texts, "in_sentence": True}


def _choice(answers: Sequence[Any], options: Sequence[Any]) -> Any:
    """Return the key of a choice. An answer is the text of an option, or a letter."""
    by_letter = {letter: str(text) for letter, text in zip(string.ascii_uppercase, options, strict=False)}
    letters = {text: letter for letter, text in by_letter.items()}
    return {
        "type": "multiple-choice",
        "options": by_letter,
        "correct": [letters.get(str(each), str(each).upper()) for each in answers],
    }


class OracleText(PromptText, frozen=True, kw_only=True):
    """A line of a private file of the `oracle` protocol."""

    key: AnyKey


class OracleItem(PromptItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt and its answer key. With several turns, the key is for the last.

    A private item has a hash instead; prompt and key are in a private file.
    """

    text_type: ClassVar[type[PrivateText]] = OracleText
    public_only: ClassVar[tuple[str, ...]] = ("source",)
    bundle: Annotated[Id, Meta(description="Shared by items that ask the same thing in several ways.")] | None = None
    key: Annotated[AnyKey, Meta(description="What a right answer is.")] | None = None
    source: Annotated[Id, Meta(description="The text of `sources` that the prompt is about.")] | None = None


class OracleCategory(Category, frozen=True, kw_only=True):
    """A group of prompts with keys."""

    items: tuple[OracleItem, ...] = ()


class OracleDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `oracle` protocol."""

    protocol: Literal["oracle"]
    sources: Annotated[dict[Id, Prose], Meta(description="Texts that prompts are about, by id.")] = msgspec.field(
        default_factory=dict
    )
    categories: Annotated[tuple[OracleCategory, ...], Meta(min_length=1)]


LANGUAGES: Mapping[str, str] = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
    "zh": "Chinese",
}
"""The languages whose phrases of answers keys know, by their ISO 639 codes."""


class OracleBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board of the `oracle` protocol: a key decides whether an answer is right. There are no judges."""

    protocol: Literal["oracle"]
    languages: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=40)], ...],
        Meta(
            max_length=len(LANGUAGES),
            description="The languages whose phrases of answers are looked for, such as `the answer is`, as codes of "
            f"two letters: {', '.join(LANGUAGES)}. Default: all of these.",
        ),
    ] = ()


@dataclass(frozen=True)
class OraclePlacedItem(PlacedItem):
    """A prompt with its key, which a private item has in a private file. key: None if it is not on this machine.

    languages: those of the board.
    """

    item: OracleItem
    category: OracleCategory
    domain: OracleDomainFile
    prompt: str = ""
    key: AnyKey | None = None
    languages: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The text that the prompt is about; empty if there is none."""
        return "" if self.item.source is None else self.domain.sources[self.item.source]

    @property
    def bundle(self) -> str:
        """The variants of one question; another item is a bundle of its own."""
        return f"item {self.id}" if self.item.bundle is None else f"bundle {self.item.bundle}"

    @property
    def cluster(self) -> str:
        """What standard errors cluster by: the source text, or without one the bundle."""
        return f"source {self.source}" if self.source else self.bundle


class OracleSpecs(ProtocolSpecs):
    """The specs of the `oracle` protocol."""

    board = OracleBoardFile
    domain = OracleDomainFile
    item = OracleItem
    placed = OraclePlacedItem
    of_board = ("languages",)
    starter = Starter(
        example="facts",
        domains=("facts-science",),
        board={
            "question": "How often is the answer right?",
            "description": "The share of right answers, by key.",
            "construct": "capability",
        },
        columns=COLUMNS,
        item=item_data,
    )
    variables: ClassVar[Mapping[str, bool]] = {"prompt": True, "source": False}

    def asked(self, text: Any) -> object:
        asked, source = super().asked(text), getattr(text, "source", None)
        return asked if source is None else (source, asked)

    def texts(self, item: Any, domain: Any) -> tuple[str, str] | None:
        texts = super().texts(item, domain)
        return texts if texts is None or item.source is None else (texts[0], domain.sources.get(item.source, ""))

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        domains: list[SpecFile[Any]] = [each for each in files.domains if isinstance(each.spec, OracleDomainFile)]
        yield from unique("source", ((each, ["sources", name], name) for each in domains for name in each.spec.sources))
        yield from _sources_are_known(domains)
        yield from _bundles_are_whole(domains)
        for board in files.boards:
            if isinstance(board.spec, OracleBoardFile):
                yield from _languages_are_known(board, board.spec.languages)
                yield from _templates_show_sources(board.spec, domains, files.templates)


def _sources_are_known(domains: Sequence[SpecFile[Any]]) -> Iterator[Problem]:
    """Check that an item with a source names one of its domain, and has a single prompt."""
    for domain in domains:
        known = domain.spec.sources
        for _, item, problem in each_item([domain]):
            if item.source is not None and item.source not in known:
                yield problem(["source"], f"unknown source {item.source!r}; {did_you_mean(item.source, known)}")
            if item.source is not None and item.turns is not None:
                message = "an item with turns has no `source`; put the text in its first turn"
                yield problem(["source"], message)


def _languages_are_known(board: SpecFile[Any], languages: Sequence[str]) -> Iterator[Problem]:
    """Check that a board names languages that keys know, each once."""
    for place, language in enumerate(languages):
        problem = partial(board.document.problem, ["languages", place])
        if language in languages[:place]:
            yield problem(f"language {language!r} is listed twice; remove one")
        elif language not in LANGUAGES:
            code = re.split("[-_]", language.casefold())[0]
            named = (code for code, name in LANGUAGES.items() if name.casefold() == language.casefold())
            near = code if code in LANGUAGES else next(named, None)
            hint = f"did you mean {near!r}? known: {', '.join(LANGUAGES)}" if near else did_you_mean(code, LANGUAGES)
            yield problem(f"unknown language {language!r}; {hint}")


def _templates_show_sources(
    board: OracleBoardFile, domains: Sequence[SpecFile[Any]], texts: Mapping[str, str]
) -> Iterator[Problem]:
    """Check that the templates of a board use the source if one of its items has one."""
    if any(item.source for _, item, _ in each_item(each for each in domains if each.spec.id in board.domains)):
        for name in board.templates:
            if name in texts and "source" not in templates.used(texts[name]):
                message = f"the template does not use 'source', which items of board {board.id!r} have"
                yield Problem(f"specs/templates/{name}.txt", 1, 1, f"{message}; add '{{{{ source }}}}'")


def _bundles_are_whole(domains: Sequence[SpecFile[Any]]) -> Iterator[Problem]:
    """Check that a bundle has two or more items, all in one category and about one source."""
    bundles: dict[str, list[tuple[str, str | None, Problems]]] = {}
    for category, item, problem in each_item(domains):
        if item.bundle is not None:
            bundles.setdefault(item.bundle, []).append((category.id, item.source, problem))
    for bundle, variants in bundles.items():
        home, text, first = variants[0]
        if len(variants) == 1:
            message = f"bundle {bundle!r} has only this item"
            yield first(["bundle"], f"{message}; add a second variant of the question, or remove the key")
        for category, source, problem in variants:
            if source != text:
                message = f"bundle {bundle!r} has variants with other sources"
                yield problem(["bundle"], f"{message}; give all its variants one source, or rename this bundle")
            if category != home:
                there = first(["bundle"], "")
                message = f"bundle {bundle!r} is already used in category {home!r} at {there.file}:{there.line}"
                yield problem(["bundle"], f"{message}; move the variants to one category, or rename this bundle")


SPECS = OracleSpecs()
