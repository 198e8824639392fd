"""The whole of a benchmark, loaded and checked: what travels through the rest of the program."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from nullbench_site.specs import types
from nullbench_site.specs.types import (
    AxesBoardFile,
    AxesCategory,
    AxesDomainFile,
    AxesFile,
    AxesItem,
    Axis,
    BenchmarkFile,
    BoardFile,
    Category,
    DomainFile,
    Endpoint,
    Goal,
    HideableItem,
    Item,
    Judge,
    JudgedBoardFile,
    ModelFile,
    OracleBoardFile,
    Panel,
    PrivateText,
    RubricBoardFile,
)

if TYPE_CHECKING:
    from nullbench_site.answer_keys import AnyKey
    from nullbench_site.checks.registry import AnyCheck
    from nullbench_site.specs.types import OracleCategory, OracleItem, RubricCategory, RubricItem

ItemT = TypeVar("ItemT", bound=Item)
TextT = TypeVar("TextT", bound=PrivateText)

OPENAI = Endpoint(id="openai", base_url_env="OPENAI_BASE_URL", key_env="OPENAI_API_KEY")
"""The endpoint of models and judges that name none, unless endpoints.yaml defines another of this id."""
OPENAI_BASE_URL = "https://api.openai.com/v1"
"""What holds where the variable OPENAI_BASE_URL is not set."""


@dataclass(frozen=True)
class PlacedItem:
    """An item with the groups it stands in. salt: of one that is private and here, or was private before."""

    item: Item
    category: Category
    domain: DomainFile

    salt: str | None = field(default=None, kw_only=True)

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def private(self) -> bool:
        """Whether nothing of its text, or of what is said to it, may be published."""
        return isinstance(self.item, HideableItem) and self.item.visibility == "private"

    @property
    def withheld(self) -> bool:
        """Whether its text is private and not here, so that nobody can be asked."""
        return self.private and self.salt is None


@dataclass(frozen=True)
class AxesPlacedItem(PlacedItem):
    """An item of an `axes` board, with the goal that holds for it."""

    item: AxesItem
    category: AxesCategory
    goal: Goal


@dataclass(frozen=True)
class RubricPlacedItem(PlacedItem):
    """A prompt of a `rubric` board, with its text, which of a private item stands elsewhere."""

    item: RubricItem
    category: RubricCategory
    prompt: str
    ideal: str
    criteria: tuple[str, ...]
    checks: tuple[AnyCheck, ...]


@dataclass(frozen=True)
class OraclePlacedItem(PlacedItem):
    """A prompt of an `oracle` board with its key, which of a private item stand elsewhere; None: they are not here."""

    item: OracleItem
    category: OracleCategory
    prompt: str
    key: AnyKey | None


@dataclass(frozen=True)
class Benchmark:
    """Every spec of one benchmark, by id, each map in the order of its files.

    models, judges and panels are those that its boards use. profile: the one that was put in, of all those in profiles;
    the boards are as it makes them and have none themselves. private: the texts of private items that are here, by id.
    """

    about: BenchmarkFile
    axes_file: AxesFile | None
    goals: Mapping[str, Goal]
    domains: Mapping[str, DomainFile]
    judges: Mapping[str, Judge]
    panels: Mapping[str, Panel]
    models: Mapping[str, ModelFile]
    boards: Mapping[str, BoardFile]
    templates: Mapping[str, str]
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    profiles: tuple[str, ...] = ()
    profile: str | None = None
    private: Mapping[str, PrivateText] = field(default_factory=dict)

    @property
    def without_texts(self) -> Benchmark:
        """The same as somebody has it who has no private text: all that may be published."""
        return dataclasses.replace(self, private={})

    @property
    def hideable_items(self) -> Iterator[tuple[DomainFile, HideableItem]]:
        """Every item that can be private, with its domain."""
        for domain in self.domains.values():
            for category in domain.categories:
                yield from ((domain, item) for item in category.items if isinstance(item, HideableItem))

    @cached_property
    def axes(self) -> Mapping[str, Axis]:
        """Every axis by id, baseline axes first, in their fixed order; none where no board is of the axes protocol."""
        groups = () if self.axes_file is None else (*self.axes_file.baseline, *self.axes_file.special)
        return MappingProxyType({axis.id: axis for axis in groups})

    @property
    def baseline_axes(self) -> tuple[str, ...]:
        return () if self.axes_file is None else tuple(axis.id for axis in self.axes_file.baseline)

    def contestants(self, board: BoardFile) -> tuple[ModelFile, ...]:
        """The models that stand on a board, by id."""
        wanted = self.models if board.contestants == "all" else board.contestants
        return tuple(self.models[model] for model in sorted(wanted))

    def endpoint_of(self, who: ModelFile | Judge) -> Endpoint:
        """Where a model or judge is reached: the endpoint it names, else `openai`."""
        name = who.endpoint or OPENAI.id
        return OPENAI if name == OPENAI.id and name not in self.endpoints else self.endpoints[name]

    def items(self, board: BoardFile) -> Iterator[PlacedItem]:
        """The items of a board, in the order of its domains, categories and files."""
        match board:
            case AxesBoardFile():
                yield from self.axes_items(board)
            case RubricBoardFile():
                yield from self.rubric_items(board)
            case OracleBoardFile():
                yield from self.oracle_items(board)

    def axes_items(self, board: AxesBoardFile) -> Iterator[AxesPlacedItem]:
        """The same of an `axes` board, with their goals."""
        for domain_id in board.domains:
            domain = self.domains[domain_id]
            assert isinstance(domain, AxesDomainFile)  # noqa: S101 - the rules see to it
            for category in domain.categories:
                for item in category.items:
                    yield AxesPlacedItem(item, category, domain, self.goals[item.goal or category.goal])

    def rubric_items(self, board: RubricBoardFile) -> Iterator[RubricPlacedItem]:
        """The same of a `rubric` board."""
        for domain_id in board.domains:
            domain = self.domains[domain_id]
            assert isinstance(domain, types.RubricDomainFile)  # noqa: S101 - the rules see to it
            for category in domain.categories:
                for item in category.items:
                    text = self._text(item, types.RubricText)
                    yield RubricPlacedItem(
                        item,
                        category,
                        domain,
                        prompt=text.prompt or "",
                        ideal=text.ideal or "",
                        criteria=text.criteria or (),
                        checks=text.checks or (),
                        salt=text.salt,
                    )

    def oracle_items(self, board: OracleBoardFile) -> Iterator[OraclePlacedItem]:
        """The same of an `oracle` board."""
        for domain_id in board.domains:
            domain = self.domains[domain_id]
            assert isinstance(domain, types.OracleDomainFile)  # noqa: S101 - the rules see to it
            for category in domain.categories:
                for item in category.items:
                    text = self._text(item, types.OracleText)
                    yield OraclePlacedItem(
                        item, category, domain, prompt=text.prompt or "", key=text.key, salt=text.salt
                    )

    def _text(self, item: ItemT, kind: type[TextT]) -> ItemT | TextT:
        """What has the text of an item: the item itself, or what stands in a private file."""
        text = self.private.get(item.id)
        return text if isinstance(text, kind) else item

    def judges_for(self, board: BoardFile, model: ModelFile) -> tuple[Judge, ...]:
        """The judges of a board's panel that may score a contestant, in the panel's order.

        A judge never scores its own family unless the panel says so.
        """
        if not isinstance(board, JudgedBoardFile):
            return ()
        panel = self.panels[board.panel]
        judges = (self.judges[judge] for judge in panel.judges)
        return tuple(judge for judge in judges if panel.same_family or judge.family != model.family)

    def geval_judge_for(self, board: BoardFile, model: ModelFile) -> Judge | None:
        """The judge that G-Eval asks about a contestant; None where there is none, or none of another family."""
        if not isinstance(board, RubricBoardFile) or board.geval is None:
            return None
        judge = self.judges[board.geval.judge]
        return judge if self.panels[board.panel].same_family or judge.family != model.family else None
