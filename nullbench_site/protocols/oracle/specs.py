"""The specs of the `oracle` protocol: a prompt, and the key that decides what is right. No judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from nullbench_site.answer_keys import AnyKey
from nullbench_site.errors import Problem
from nullbench_site.protocols.oracle.questions import read_items
from nullbench_site.protocols.oracle.second_answers import HEADERS
from nullbench_site.specs import templates
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import PROMPT, Column, ProtocolSpecs, Starter
from nullbench_site.specs.sources import Problems, SpecFile, SpecFiles, each_item, unique
from nullbench_site.specs.types import BoardFile, Category, DomainFile, Id, PrivateText, PromptItem, PromptText, Prose
from nullbench_site.text import did_you_mean

_ANSWERS = (
    "answers", "correct_answer", "correct", "expected", "target", "label", "solution", "gold", "key", "ideal",
    "answerkey", "answer_key", "answer_idx", "answer_index", "answer_letter", "correct_option", "correct_choice",
    "correct_index", "correct_idx", "correct_letter", "correct_label", "correctanswer", "correct_answers",
    "best_answer", "gold_answer", "gold_index", "ground_truth", "groundtruth", "reference_answer", "expected_answer",
    "final_answer", "cop", "answers_spans",
)  # fmt: skip
COLUMNS = (
    PROMPT,
    Column(
        "answer", "the right answers with | between them, a number, or the letter of an option", required=True,
        raw=True, names=_ANSWERS, same=HEADERS,
    ),
    Column(
        "options", "the options of a choice with | between them", raw=True,
        names=("choices", "endings", "candidates", "alternatives", "mc1_targets", "target_scores"),
    ),
    Column("context", "a text that the prompt is about", names=("passage", "paragraph", "story", "premise", "article")),
)  # fmt: skip


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
        items=read_items,
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
