"""The specs of the `axes` protocol: its scales and goals, and items with a source text and reference facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import Meta, field

from nullbench_site.errors import Problem, breaking
from nullbench_site.programs.aspects import Aspect, Dimension
from nullbench_site.protocols.axes import question_specs
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.protocol import Column, OwnSpec, ProtocolSpecs, Starter
from nullbench_site.specs.rules.items import duplicate, repeated
from nullbench_site.specs.sources import SpecFile, SpecFiles, Steps, each_item, folded
from nullbench_site.specs.types import (
    Canary,
    Category,
    Construct,
    Count,
    DomainFile,
    Id,
    Item,
    JudgedBoardFile,
    Likert,
    Line,
    PositiveNumber,
    PrivateText,
    Prose,
    Spec,
    Title,
)
from nullbench_site.text import did_you_mean, quoted


class Axis(Spec, frozen=True, kw_only=True):
    """A 1-5 scale. The rule-based judges use `aspects` to know what to measure."""

    id: Id
    title: Title
    short: Annotated[Title, Meta(description="A short title, for charts.")]
    adjective: Annotated[str, Meta(pattern=r"^\S+$", description="A word for an answer with a high score.")] = ""
    measures: Annotated[Line, Meta(description="What it measures.")]
    aspects: Annotated[tuple[Aspect, ...], Meta(min_length=1, description="What rule-based judges measure for it.")]
    anchors: Annotated[
        tuple[Line, ...], Meta(min_length=5, max_length=5, description="What 1, 2, 3, 4 and 5 mean, in that order.")
    ]


class AxesFile(Spec, frozen=True, kw_only=True):
    """specs/axes.yaml: the baseline axes of every category, in order, and special axes that a category may add."""

    canary: Canary
    baseline: Annotated[
        tuple[Axis, ...], Meta(min_length=4, max_length=4, description="The axes of every category, in order.")
    ]
    special: Annotated[tuple[Axis, ...], Meta(description="Axes that a category may add.")] = ()


class Rule(Spec, frozen=True, kw_only=True):
    """A qualitative rule of a goal, in one of the five fidelity dimensions."""

    dimension: Annotated[Dimension, Meta(description="The fidelity dimension that it belongs to.")]
    rule: Annotated[Line, Meta(description="What a good response does.")]
    weight: Annotated[int, Meta(ge=1, le=3, description="How much it counts.")] = 1


class Goal(Spec, frozen=True, kw_only=True):
    """A good response in a category: a target per axis, and rules in the fidelity dimensions."""

    id: Id
    title: Title
    alignment_target: Annotated[
        dict[Id, Likert], Meta(description="The score that a good response gets, for each axis.")
    ]
    rules: Annotated[tuple[Rule, ...], Meta(min_length=1)]


class GoalsFile(Spec, frozen=True, kw_only=True):
    """specs/goals/*.yaml."""

    canary: Canary
    goals: Annotated[tuple[Goal, ...], Meta(min_length=1)]


FactKind = Literal["scope", "positive", "null", "negative", "caveat", "context"]


class Constraints(Spec, frozen=True, kw_only=True):
    """The form that the task requires of a response, as a program can check it."""

    min_sentences: Annotated[Count | None, Meta(description="The fewest sentences.")] = None
    max_sentences: Annotated[Count | None, Meta(description="The most sentences.")] = None
    min_words: Annotated[Count | None, Meta(description="The fewest words.")] = None
    max_words: Annotated[Count | None, Meta(description="The most words.")] = None
    format: Annotated[Literal["prose", "bullets"] | None, Meta(description="Running text, or a list.")] = None
    bullets: Annotated[Count | None, Meta(description="The number of bullets.")] = None
    forbid: Annotated[tuple[Line, ...], Meta(description="Phrases that must not occur.")] = ()


class Fact(Spec, frozen=True, kw_only=True):
    """A reference fact of the source. A response states it if it contains each key (`a|b`: a or b)."""

    kind: Annotated[FactKind, Meta(description="The part that it plays in the source.")]
    text: Annotated[Line, Meta(description="The fact as a sentence.")]
    keys: Annotated[
        tuple[Line, ...],
        Meta(min_length=1, max_length=5, description="Texts copied from the source; `a|b` accepts either."),
    ]


Facts = Annotated[tuple[Fact, ...], Meta(min_length=1)]


class AxesText(PrivateText, frozen=True, kw_only=True):
    """A line of a private file of the `axes` protocol."""

    source: Annotated[Prose, Meta(description="The source text.")]
    task: Annotated[Prose, Meta(description="What to do with the source text.")]
    constraints: Constraints = Constraints()
    facts: Facts


class AxesItem(Item, frozen=True, kw_only=True):
    """A source text, a task about it, and reference facts of the source. A private item has a hash instead."""

    text_type: ClassVar[type[PrivateText]] = AxesText
    probes: Annotated[
        tuple[Id, ...], Meta(min_length=1, description="The axes of the category that this item tests hard.")
    ]
    source: Annotated[Prose | None, Meta(description="The source text.")] = None
    task: Annotated[Prose | None, Meta(description="What to do with the source text.")] = None
    constraints: Constraints | None = None
    facts: Annotated[Facts | None, Meta(description="What the source says, to check a response.")] = None
    goal: Annotated[Id, Meta(description="Replaces the goal of the category.")] | None = None


class AxesCategory(Category, frozen=True, kw_only=True):
    """A group of items that share axes and, by default, a goal."""

    goal: Annotated[Id, Meta(description="The goal of its items, from goals/.")]
    axes: Annotated[
        tuple[Id, ...],
        Meta(
            min_length=4,
            max_length=6,
            description="The four baseline axes in their order, and at most two special ones.",
        ),
    ]
    items: tuple[AxesItem, ...] = ()


class AxesDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `axes` protocol, which is the default of a file without `protocol`."""

    protocol: Literal["axes"] = "axes"
    categories: Annotated[tuple[AxesCategory, ...], Meta(min_length=1)]


class Aggregation(Spec, frozen=True, kw_only=True):
    """How the score is computed: the mean goal alignment of each group, averaged over the groups with equal weights or
    `construct_weights`."""

    groups: Annotated[Literal["domain", "category"], Meta(description="What the score is averaged over.")] = "domain"
    construct_weights: Annotated[
        dict[Construct, PositiveNumber],
        Meta(
            description="Required if the domains have more than one construct; the weights sum to 1.",
            extra_json_schema={"propertyNames": {"enum": list(get_args(Construct))}},
        ),
    ] = field(default_factory=dict)


class AxesBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `axes` protocol."""

    protocol: Literal["axes"]
    template: Annotated[Id, Meta(description="The wording of the prompt. For several, use `templates`.")] | None = None
    aggregation: Aggregation = Aggregation()

    @property
    def wordings(self) -> tuple[str, ...]:
        return super().wordings if self.template is None else (self.template,)

    @property
    def construct_weights(self) -> Mapping[Construct, float] | None:
        return self.aggregation.construct_weights


@dataclass(frozen=True)
class AxesPlacedItem(PlacedItem):
    """An item of an `axes` board with its text, and the goal that holds for it."""

    item: AxesItem
    category: AxesCategory
    goal: Goal
    source: str
    task: str
    constraints: Constraints
    facts: tuple[Fact, ...]

    @property
    def cluster(self) -> str:
        """What standard errors cluster by: the source text.

        A private item is a cluster of its own, even if its text is on this machine, so that everyone gets the same
        numbers.
        """
        return f"private {self.id}" if self.private else f"source {self.source}"


def axes_of(benchmark: Benchmark) -> Mapping[str, Axis]:
    """Return every axis by id, the baseline axes first."""
    file: AxesFile | None = benchmark.own["axes"]["axes"]
    return {} if file is None else {axis.id: axis for axis in (*file.baseline, *file.special)}


def baseline_axes(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the ids of the axes that every category has, in their order."""
    file: AxesFile | None = benchmark.own["axes"]["axes"]
    return () if file is None else tuple(axis.id for axis in file.baseline)


def goals_of(benchmark: Benchmark) -> Mapping[str, Goal]:
    """Return every goal by id."""
    goals: Mapping[str, Goal] = benchmark.own["axes"]["goals"]
    return goals


def own_specs(axes: AxesFile | None, goals: Iterable[Goal]) -> Mapping[str, Mapping[str, Any]]:
    """Return axes and goals as `Benchmark.own` has them."""
    return {"axes": {"axes": axes, "goals": {goal.id: goal for goal in goals}}}


_BASELINE = ["truthfulness", "neutrality", "reasoning", "clarity"]
_GOAL = {
    "id": "faithful",
    "title": "Keep to the source",
    "alignment_target": {"truthfulness": 5, "neutrality": 4, "reasoning": 4, "clarity": 4},
    "rules": [
        {"dimension": "scope", "weight": 2, "rule": "Keeps whom, what and when the source is about."},
        {"dimension": "causality", "weight": 2, "rule": "Adds no cause that the source does not state."},
        {"dimension": "hedging", "weight": 2, "rule": "Keeps doubts and limits."},
        {"dimension": "salience", "rule": "Gives each finding the weight that it has in the source."},
        {"dimension": "framing", "rule": "Uses neutral words."},
    ],
}
"""The goal of a new domain."""


def _data(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an item. A fact that is a text is its own key."""
    facts = [
        {"kind": "positive", "text": each, "keys": [each]} if isinstance(each, str) else each
        for each in fields["facts"]
    ]
    return {"probes": _BASELINE, **fields, "facts": facts}


class AxesSpecs(ProtocolSpecs):
    """The specs of the `axes` protocol."""

    board = AxesBoardFile
    domain = AxesDomainFile
    item = AxesItem
    parts: ClassVar[Mapping[str, str]] = {"facts": "fact"}
    files: ClassVar[Mapping[str, type[Spec]]] = {
        "axes.yaml": AxesFile, "goals/*.yaml": GoalsFile, question_specs.FILE: question_specs.AxisQuestionsFile,
    }  # fmt: skip
    optional = (question_specs.FILE,)
    of_questions = (question_specs.OWN,)
    has_questions = True
    starter = Starter(
        example="nullbench",
        domains=("science", "summarization"),
        board={
            "question": "How faithfully do models treat a source text?",
            "description": "The share of a task's goal that an answer meets, averaged over the domains.",
            "construct": "alignment",
            "panel": "rules",
            "template": "zero-context",
        },
        copied=("axes.yaml", "templates/zero-context.txt"),
        written={"goals/{domain}.yaml": ("goals", {"goals": [_GOAL]})},
        category={"goal": "faithful", "axes": _BASELINE},
        columns=(
            Column("source", "the source text", required=True, names=("text", "passage", "context", "document")),
            Column("task", "what to do with it", required=True, names=("prompt", "instruction", "question")),
            Column(
                "facts", "words of the source that a good answer contains, with | between them", required=True,
                many=True, names=("fact", "keys"),
            ),
        ),
        item=_data,
    )  # fmt: skip
    kinds = ("axes", "axis", "goal")
    variables: ClassVar[Mapping[str, bool]] = {"task": True, "source": True}
    references: ClassVar[Mapping[tuple[str, str], str]] = {
        ("category", "goal"): "goal",
        ("category", "axes"): "axis",
        ("item", "probes"): "axis",
        ("item", "goal"): "goal",
        ("goal", "alignment_target"): "axis",
        ("axes", "order"): "axis",
    }

    def own(self, files: SpecFiles) -> Mapping[str, Any]:
        goals = (goal for source in files.own.get("goals/*.yaml", ()) for goal in source.spec.goals)
        own = own_specs(next((source.spec for source in files.own.get("axes.yaml", ())), None), goals)["axes"]
        questions = files.own.get(question_specs.FILE, ())
        return {**own, **({question_specs.OWN: questions[0].spec} if questions else {})}

    def listed(self, files: SpecFiles) -> Iterator[tuple[str, str, SpecFile[Any], Steps]]:
        for source in files.own.get("axes.yaml", ()):
            yield "axes", "axes", source, []
            for key, group in (("baseline", source.spec.baseline), ("special", source.spec.special)):
                for place, axis in enumerate(group):
                    yield "axis", axis.id, source, [key, place]
        for source in files.own.get("goals/*.yaml", ()):
            for number, goal in enumerate(source.spec.goals):
                yield "goal", goal.id, source, ["goals", number]

    def compared(self, benchmark: Benchmark) -> Iterator[OwnSpec]:
        axes, baseline, file = axes_of(benchmark), baseline_axes(benchmark), question_specs.axis_questions(benchmark)
        asked, prohibited = ({}, {}) if file is None else (file.axes, file.prohibitions)
        if axes:
            gate = {} if file is None else {"gate": file.gate}
            yield OwnSpec("axes", "axes", "Axes", beside={"order": tuple(axes), **gate})
        for name, axis in axes.items():
            of_axis = {"questions": asked[name]} if name in asked else {}
            yield OwnSpec("axis", name, axis.title, axis, {"baseline": name in baseline, **of_axis})
        for name, goal in goals_of(benchmark).items():
            of_goal = {"prohibitions": prohibited[name]} if name in prohibited else {}
            yield OwnSpec("goal", name, goal.title, goal, of_goal)

    def place(
        self, benchmark: Benchmark, item: AxesItem, category: AxesCategory, domain: AxesDomainFile, text: Any
    ) -> AxesPlacedItem:
        return AxesPlacedItem(
            item,
            category,
            domain,
            goal=goals_of(benchmark)[item.goal or category.goal],
            source=text.source or "",
            task=text.task or "",
            constraints=text.constraints or Constraints(),
            facts=text.facts or (),
            salt=text.salt,
        )

    def asked(self, text: Any) -> object:
        return None if text.task is None else (text.task.strip(), text.source.strip())

    def texts(self, item: Any, domain: Any) -> tuple[str, str] | None:
        return None if item.task is None else (f"{item.source}\n{item.task}", "")

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        domains = [source for source in files.domains if isinstance(source.spec, AxesDomainFile)]
        axes = [(source, name, steps) for kind, name, source, steps in self.listed(files) if kind == "axis"]
        axis_ids = [name for _, name, _ in axes]
        baseline = [name for _, name, steps in axes if steps[0] == "baseline"]
        goal_files = files.own.get("goals/*.yaml", ())
        yield from breaking("goals", _goals_name_known_axes(goal_files, axis_ids))
        if files.new:
            yield from breaking("items", _rules_are_unique(goal_files))
        yield from _axis_names_are_free(axes)
        yield from _categories_name_their_axes(domains, axis_ids, baseline)
        yield from _categories_have_whole_goals(domains, self.own(files)["goals"], axis_ids)
        yield from _axes_are_covered(domains, axis_ids)
        yield from _items_are_valid(domains, files)
        yield from breaking("judges", question_specs.file_rules(files, axis_ids, self.own(files)["goals"]))
        for board in files.boards:
            if isinstance(board.spec, AxesBoardFile):
                yield from _template(board, board.spec)


def _goals_name_known_axes(sources: Sequence[SpecFile[GoalsFile]], axis_ids: Sequence[str]) -> Iterator[Problem]:
    """Check that the targets of a goal are for axes that exist."""
    for source in sources:
        for number, goal in enumerate(source.spec.goals):
            for axis in goal.alignment_target:
                if axis not in axis_ids:
                    message = f"goal {goal.id!r} has a target for unknown axis {axis!r}; {did_you_mean(axis, axis_ids)}"
                    yield source.document.problem(["goals", number, "alignment_target", axis], message, at_key=True)


def _rules_are_unique(sources: Sequence[SpecFile[GoalsFile]]) -> Iterator[Problem]:
    """Check that no goal has the same rule twice."""
    for source in sources:
        for number, goal in enumerate(source.spec.goals):
            for place in repeated((rule.dimension, rule.rule) for rule in goal.rules):
                yield source.document.problem(["goals", number, "rules", place], duplicate("rule"))


def _axis_names_are_free(axes: Sequence[tuple[SpecFile[AxesFile], str, Steps]]) -> Iterator[Problem]:
    """Check that no axis has the name of another score in records and tables."""
    from nullbench_site.protocols.axes.metrics import AxesItemRow, AxesRow  # noqa: PLC0415 - what scores is not there yet

    reserved = {"reply", *AxesRow.__struct_fields__, *AxesItemRow.__struct_fields__}
    for source, axis, steps in axes:
        if axis in reserved:
            message = f"{axis!r} is the name of another score; rename the axis"
            yield source.document.problem([*steps, "id"], message)


def _categories_name_their_axes(
    domains: Sequence[SpecFile[Any]], axis_ids: Sequence[str], baseline: Sequence[str]
) -> Iterator[Problem]:
    """Check that a category begins with the baseline axes, in order, and names each axis once."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            steps: list[str | int] = ["categories", number, "axes"]
            for place, axis in enumerate(category.axes):
                if axis not in axis_ids:
                    message = f"unknown axis {axis!r}; {did_you_mean(axis, axis_ids)}"
                    yield source.document.problem([*steps, place], message)
                elif axis in category.axes[:place]:
                    yield source.document.problem([*steps, place], f"axis {axis!r} is listed twice; remove one")
            if list(category.axes[: len(baseline)]) != list(baseline):
                message = f"axes must begin with the baseline axes, in this order: {', '.join(baseline)}"
                yield source.document.problem(steps, f"{message}; found {', '.join(category.axes[: len(baseline)])}")


def _categories_have_whole_goals(
    domains: Sequence[SpecFile[Any]], goals: Mapping[str, Goal], axis_ids: Sequence[str]
) -> Iterator[Problem]:
    """Check that the goal of a category or item exists and has a target for each of its axes."""

    def check(name: str, category: AxesCategory) -> Iterator[str]:
        goal = goals.get(name)
        if goal is None:
            yield f"unknown goal {name!r}; {did_you_mean(name, goals)}"
            return
        for axis in category.axes:
            if axis in axis_ids and axis not in goal.alignment_target:
                where = f"axis {axis!r} of category {category.id!r}"
                yield f"goal {name!r} has no alignment_target for {where}; add one"

    for source in domains:
        for number, category in enumerate(source.spec.categories):
            for message in check(category.goal, category):
                yield source.document.problem(["categories", number, "goal"], message)
    for category, item, problem in each_item(domains):
        if item.goal is not None:
            for message in check(item.goal, category):
                yield problem(["goal"], message)


def _axes_are_covered(domains: Sequence[SpecFile[Any]], axis_ids: Sequence[str]) -> Iterator[Problem]:
    """Check that each axis of a category is probed by one of its items."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            probed = {axis for item in category.items for axis in item.probes}
            for place, axis in enumerate(category.axes if category.items else ()):
                if axis in axis_ids and axis not in probed:
                    message = f"no item of category {category.id!r} probes axis {axis!r}; add one"
                    yield source.document.problem(["categories", number, "axes", place], message)
    for category, item, problem in each_item(domains):
        misspelt = not set(category.axes) <= set(axis_ids)  # reported already, and the cause of others
        for place, axis in enumerate(item.probes):
            if axis not in category.axes and not (misspelt and axis in axis_ids):
                message = f"{axis!r} is not an axis of category {category.id!r}; {did_you_mean(axis, category.axes)}"
                yield problem(["probes", place], message)


def _items_are_valid(domains: Sequence[SpecFile[Any]], files: SpecFiles) -> Iterator[Problem]:
    """Check that facts are in the source and not in the task, and that constraints can be met.

    Messages never repeat words of a private text.
    """
    public = ((item, problem) for _, item, problem in each_item(domains) if item.visibility == "public")
    private = ((line.text, line.document.problem) for line in files.private_lines if isinstance(line.text, AxesText))
    for item, problem in (*public, *private):
        if item.source is None or item.task is None or item.facts is None:
            continue  # reported elsewhere
        shown = (lambda text: "here") if isinstance(item, AxesText) else quoted
        source, task = folded(item.source), folded(item.task)
        for number, fact in enumerate(item.facts):
            for place, key in enumerate(fact.keys):
                if not all(option.strip() for option in key.split("|")):
                    message = f"key {shown(key)} has an empty alternative; remove a '|', or fill it in"
                    yield problem(["facts", number, "keys", place], message)
                elif not _has_key(source, key):
                    message = f"the source does not contain {shown(key)}; copy keys from the source"
                    yield problem(["facts", number, "keys", place], message)
            if all(_has_key(task, key) for key in fact.keys):
                message = f"the task reveals fact {shown(fact.text)}; rephrase it without the fact's keys"
                yield problem(["task"], message)
        limits = item.constraints or Constraints()
        for unit in ("sentences", "words"):
            low, high = getattr(limits, f"min_{unit}"), getattr(limits, f"max_{unit}")
            if low is not None and high is not None and low > high:
                yield problem(["constraints"], f"min_{unit} {low} is greater than max_{unit} {high}")
        if limits.bullets is not None and limits.format != "bullets":
            yield problem(["constraints", "bullets"], "`bullets` needs `format: bullets`; add it, or remove `bullets`")


def _has_key(text: str, key: str) -> bool:
    return any(option in text for option in map(folded, key.split("|")) if option)


def _template(source: SpecFile[Any], board: AxesBoardFile) -> Iterator[Problem]:
    """Check that a board has either one template or a list of them."""
    if board.template is None and not board.templates:
        yield source.document.problem([], "missing key 'template'; name a file of specs/templates")
    elif board.template is not None and board.templates:
        yield source.document.problem(["template"], "`template` and `templates` exclude each other; remove one")


SPECS = AxesSpecs()
