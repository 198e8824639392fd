"""The whole of a benchmark, loaded and checked: what travels through the rest of the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from nullbench_site.specs.types import (
    AxesFile,
    Axis,
    BenchmarkFile,
    BoardFile,
    Category,
    DomainFile,
    Endpoint,
    Goal,
    Item,
    Judge,
    ModelFile,
    Panel,
)

OPENAI = Endpoint(id="openai", base_url_env="OPENAI_BASE_URL", key_env="OPENAI_API_KEY")
"""The endpoint of models and judges that name none, unless endpoints.yaml defines another of this id."""
OPENAI_BASE_URL = "https://api.openai.com/v1"
"""What holds where the variable OPENAI_BASE_URL is not set."""


@dataclass(frozen=True)
class PlacedItem:
    """An item with the groups it stands in and the goal that holds for it."""

    item: Item
    category: Category
    domain: DomainFile
    goal: Goal

    @property
    def id(self) -> str:
        return self.item.id


@dataclass(frozen=True)
class Benchmark:
    """Every spec of one benchmark, by id, each map in the order of its files.

    models, judges and panels are those that its boards use. profile: the one that was put in, of all those in profiles;
    the boards are as it makes them and have none themselves.
    """

    about: BenchmarkFile
    axes_file: AxesFile
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

    @cached_property
    def axes(self) -> Mapping[str, Axis]:
        """Every axis by id, baseline axes first, in their fixed order."""
        return MappingProxyType({axis.id: axis for axis in (*self.axes_file.baseline, *self.axes_file.special)})

    @property
    def baseline_axes(self) -> tuple[str, ...]:
        return tuple(axis.id for axis in self.axes_file.baseline)

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
        for domain_id in board.domains:
            domain = self.domains[domain_id]
            for category in domain.categories:
                for item in category.items:
                    yield PlacedItem(item, category, domain, self.goals[item.goal or category.goal])

    def judges_for(self, board: BoardFile, model: ModelFile) -> tuple[Judge, ...]:
        """The judges of a board's panel that may score a contestant, in the panel's order.

        A judge never scores its own family unless the panel says so.
        """
        panel = self.panels[board.panel]
        judges = (self.judges[judge] for judge in panel.judges)
        return tuple(judge for judge in judges if panel.same_family or judge.family != model.family)
