"""specs/axis-questions.yaml: which axis is made of which short questions, and the rules of this file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import Meta, field

from nullbench_site.errors import Problem
from nullbench_site.programs.aspects import Dimension
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.sources import SpecFile, SpecFiles, Steps
from nullbench_site.specs.types import Canary, Id, Spec
from nullbench_site.text import did_you_mean

if TYPE_CHECKING:
    from nullbench_site.protocols.axes.specs import Goal

FILE = "axis-questions.yaml"
OWN = "axis_questions"
"""The name of the file's content among the specs of the protocol."""
QuestionsOfAxis: TypeAlias = Literal["sentences", "facts"] | Dimension
"""sentences: whether the source says each sentence of the response. facts: whether the response says each reference
fact. A dimension: the rules of the goal in it."""
RuleNumber: TypeAlias = Annotated[int, Meta(ge=1)]


class AxisQuestionsFile(Spec, frozen=True, kw_only=True):
    """specs/axis-questions.yaml. Only judges with `method: questions` use it; without one it changes nothing."""

    canary: Canary
    axes: Annotated[
        dict[Id, Annotated[tuple[QuestionsOfAxis, ...], Meta(min_length=1)]],
        Meta(
            min_length=1,
            description="Axis -> what its rating is made of. sentences: whether the source says each sentence. facts: "
            "whether the response says each reference fact. scope, causality, hedging, salience, framing: the rules of "
            "the goal in this dimension. An axis that is not listed has no rating from these judges.",
        ),
    ]
    prohibitions: Annotated[
        dict[Id, Annotated[tuple[RuleNumber, ...], Meta(min_length=1)]],
        Meta(
            description="Goal -> the numbers, from 1, of its rules that an empty response keeps, such as `Praises no "
            "method`. Their mean multiplies that of the others."
        ),
    ] = field(default_factory=dict)
    gate: Annotated[
        float,
        Meta(gt=0, le=1, description="The probability of yes from which a judge votes for a refusal."),
    ] = 0.5


def axis_questions(benchmark: Benchmark) -> AxisQuestionsFile | None:
    """Return which axis is made of which short questions; None if no judge is asked any."""
    file: AxisQuestionsFile | None = benchmark.own.get("axes", {}).get(OWN)
    return file


def file_rules(files: SpecFiles, axes: Sequence[str], goals: Mapping[str, Goal]) -> Iterator[Problem]:
    """Check that the file names axes and rules that exist, each once, and that it fits the boards that need it."""
    source: SpecFile[AxisQuestionsFile] | None = next(iter(files.own.get(FILE, ())), None)
    if source is not None:
        yield from _names_exist(source, axes, goals)
    asking = {judge.id for judge in files.all_judges if judge.asks_questions}
    panels = {panel.id: panel for panel in files.panels if asking.intersection(panel.judges)}
    used: dict[str, set[str]] = {}
    for board in files.boards:
        if board.spec.protocol != "axes":
            continue
        of_board: list[tuple[Steps, Any]] = [([], board.spec)]
        of_board += ((["profiles", name], profile) for name, profile in board.spec.profiles.items())
        chosen = [([*steps, "panel"], getattr(each, "panel", None)) for steps, each in of_board]
        asked = [(steps, panels[panel]) for steps, panel in chosen if panel in panels]
        for steps, panel in asked:
            if source is None:
                message = f"panel {panel.id!r} asks short questions, and no file says which axis is made of which"
                yield board.document.problem(steps, f"{message}; add specs/{FILE}")
            elif panel.refusal_gates.sample is not None:
                message = f"panel {panel.id!r} asks short questions, and then every judge is asked about refusal"
                yield board.document.problem(steps, f"{message}; remove `sample` from its refusal_gates")
        if asked and source is not None:
            for domain in files.domains:
                if domain.spec.id in board.spec.domains and domain.spec.protocol == "axes":
                    yield from _of_domain(domain, source, goals, used)
    if source is not None:
        yield from _only_prohibitions(source, goals, used)


def _names_exist(
    source: SpecFile[AxisQuestionsFile], axes: Sequence[str], goals: Mapping[str, Goal]
) -> Iterator[Problem]:
    problem = source.document.problem
    for axis, kinds in source.spec.axes.items():
        if axis not in axes:
            yield problem(["axes", axis], f"unknown axis {axis!r}; {did_you_mean(axis, axes)}", at_key=True)
        for place, kind in enumerate(kinds):
            if kind in kinds[:place]:
                yield problem(["axes", axis, place], f"{kind!r} is listed twice; remove one")
    for goal, numbers in source.spec.prohibitions.items():
        if goal not in goals:
            yield problem(["prohibitions", goal], f"unknown goal {goal!r}; {did_you_mean(goal, goals)}", at_key=True)
            continue
        n = len(goals[goal].rules)
        for place, number in enumerate(numbers):
            if number > n:
                message = f"goal {goal!r} has {n} rules, so it has no rule {number}; remove it"
                yield problem(["prohibitions", goal, place], message)
            elif number in numbers[:place]:
                yield problem(["prohibitions", goal, place], f"rule {number} is listed twice; remove one")


def _of_domain(
    domain: SpecFile[Any],
    source: SpecFile[AxisQuestionsFile],
    goals: Mapping[str, Goal],
    used: dict[str, set[str]],
) -> Iterator[Problem]:
    """Check that each category has an axis with questions. used: collects the goals, each with its axes."""
    for number, category in enumerate(domain.spec.categories):
        own = [axis for axis in category.axes if axis in source.spec.axes]
        if not own:
            message = f"no axis of category {category.id!r} has short questions, so its answers have no goal alignment"
            yield domain.document.problem(["categories", number, "axes"], f"{message}; list one in specs/{FILE}")
        for goal in {category.goal, *(item.goal for item in category.items if item.goal is not None)}:
            if goal in goals:
                used.setdefault(goal, set()).update(own)


def _only_prohibitions(
    source: SpecFile[AxisQuestionsFile], goals: Mapping[str, Goal], used: Mapping[str, set[str]]
) -> Iterator[Problem]:
    """Check that prohibitions never stand alone: an empty response would earn something."""
    for goal in sorted(used):
        prohibited, rules = set(source.spec.prohibitions.get(goal, ())), goals[goal].rules
        if prohibited >= set(range(1, len(rules) + 1)):
            message = f"all rules of goal {goal!r} are prohibitions, which an empty response keeps"
            yield source.document.problem(
                ["prohibitions", goal], f"{message}; add a rule about what the response has to say", at_key=True
            )
            continue
        for axis in sorted(used[goal]):
            kinds = source.spec.axes[axis]
            own = [number for number, rule in enumerate(rules, 1) if rule.dimension in kinds]
            if own and prohibited.issuperset(own) and not {"sentences", "facts"} & {*kinds}:
                message = f"axis {axis!r} is made of prohibitions only for goal {goal!r}"
                yield source.document.problem(
                    ["axes", axis], f"{message}; add `sentences` or `facts`, so that an answer has to say something",
                    at_key=True,
                )  # fmt: skip
