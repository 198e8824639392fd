"""The rules a JSON Schema cannot say: names that must exist, coverage, reachable gates, weights, constructs.

Each function checks one thing and yields every violation at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil, isclose
from typing import Generic, TypeVar

from nullbench_site.errors import Problem
from nullbench_site.specs import templates as prompt_templates
from nullbench_site.specs import types
from nullbench_site.specs.document import Document, shown
from nullbench_site.specs.validate import did_you_mean

SpecT_co = TypeVar("SpecT_co", bound=types.Spec, covariant=True)
Steps = Sequence[str | int]
RESERVED = frozenset({
    "above_null_floor", "absent", "category", "ci_high", "ci_low", "domain", "error_rate", "goal_alignment", "item",
    "max_response_time_ms", "mean_time_s", "median_response_length", "median_response_time_ms", "model",
    "model_disk_gb", "n_errored", "n_items", "n_refused", "n_scored", "n_unparsed", "overall", "p95_response_time_ms",
    "qpr", "qpr_pct", "quality", "rank", "rank_high", "rank_low", "refusal_rate", "refused_answer", "refused_prompt",
    "reply", "se", "spread", "stability", "state", "throughput_rps", "throughput_tps", "tie_group", "tokens_exact",
})  # fmt: skip
"""Names that stand beside axes in records and tables; a test holds them to the columns there are."""


@dataclass(frozen=True)
class BackendNames:
    """What the backends can run: names of contestants and of judges by backend, and what is wrong with parameters.

    params_problem: of a backend, a name and its parameters; None where nothing is wrong.
    """

    contestants: Mapping[str, frozenset[str]]
    judges: Mapping[str, frozenset[str]]
    params_problem: Callable[[str, str, Mapping[str, types.Parameter]], str | None] = lambda backend, model, params: (
        None
    )


@dataclass(frozen=True)
class Source(Generic[SpecT_co]):
    """A spec and the document it came from; items of a JSONL file have documents of their own."""

    spec: SpecT_co
    document: Document
    item_documents: Mapping[tuple[int, int], Document] = field(default_factory=dict)

    def item_problem(self, category: int, item: int, steps: Steps, message: str) -> Problem:
        own = self.item_documents.get((category, item))
        if own is not None:
            return own.problem(steps, message)
        return self.document.problem(["categories", category, "items", item, *steps], message)


@dataclass(frozen=True)
class SpecFiles:
    """Every spec file of a benchmark, each well-formed by itself."""

    about: Source[types.BenchmarkFile]
    axes: Source[types.AxesFile]
    judges: Source[types.JudgesFile]
    goals: Sequence[Source[types.GoalsFile]]
    domains: Sequence[Source[types.DomainFile]]
    models: Sequence[Source[types.ModelFile]]
    boards: Sequence[Source[types.BoardFile]]
    templates: Mapping[str, str]

    @property
    def all(self) -> tuple[Source[types.Spec], ...]:
        return (self.about, self.axes, self.judges, *self.goals, *self.domains, *self.models, *self.boards)


def check_rules(files: SpecFiles, backends: BackendNames | None) -> list[Problem]:
    """Every violation of the semantic rules, in file order."""
    axes, goals, domains = files.axes, files.goals, files.domains
    axis_ids = [axis.id for axis in (*axes.spec.baseline, *axes.spec.special)]
    baseline = axis_ids[: len(axes.spec.baseline)]
    goals_by_id = {goal.id: goal for source in goals for goal in source.spec.goals}
    found = chain(
        _unique_canaries(files.all),
        _axis_ids(axes),
        _unique("goal", ((s, ["goals", i, "id"], g.id) for s in goals for i, g in enumerate(s.spec.goals))),
        _unique("category", _category_ids(domains)),
        _unique_items(domains),
        _file_names([*domains, *files.models, *files.boards]),
        _goal_axes(goals, axis_ids),
        _category_axes(domains, axis_ids, baseline),
        _category_goals(domains, goals_by_id, axis_ids),
        _coverage(domains, axis_ids),
        _items(domains),
        _judges(files.judges, backends),
        _panels(files.judges),
        _models(files.models, backends),
        _boards(files),
    )
    return sorted(found)


def _unique(noun: str, entries: Iterable[tuple[Source[types.Spec], Steps, str]]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for source, steps, name in entries:
        problem = source.document.problem(steps, "")
        if name in first:
            message = f"the {noun} id {name!r} is taken: it stands at {first[name]} already; ids are unique"
            yield source.document.problem(steps, message)
        first.setdefault(name, f"{problem.file}:{problem.line}")


def _unique_canaries(sources: Sequence[Source[types.Spec]]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for source in sources:
        canary = str(getattr(source.spec, "canary"))  # noqa: B009 - every file type has one, the base type has not
        if canary in first:
            message = f"this canary is that of {first[canary]}; every file has a fresh one (a new UUID)"
            yield source.document.problem(["canary"], message)
        first.setdefault(canary, source.document.file)


def _axis_ids(axes: Source[types.AxesFile]) -> Iterator[Problem]:
    places: list[tuple[Source[types.AxesFile], Steps, str]] = []
    for key, group in (("baseline", axes.spec.baseline), ("special", axes.spec.special)):
        places += [(axes, [key, place, "id"], axis.id) for place, axis in enumerate(group)]
    yield from _unique("axis", places)
    for _, steps, axis_id in places:
        if axis_id in RESERVED:
            message = f"{axis_id!r} is the name of another score; call the axis something else"
            yield axes.document.problem(steps, message)


def _category_ids(
    domains: Sequence[Source[types.DomainFile]],
) -> Iterator[tuple[Source[types.DomainFile], Steps, str]]:
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            yield source, ["categories", number, "id"], category.id


def _each_item(
    domains: Sequence[Source[types.DomainFile]],
) -> Iterator[tuple[types.Category, types.Item, Callable[[Steps, str], Problem]]]:
    for source in domains:
        for c, category in enumerate(source.spec.categories):
            for i, item in enumerate(category.items):

                def problem(
                    steps: Steps, message: str, source: Source[types.DomainFile] = source, c: int = c, i: int = i
                ) -> Problem:
                    return source.item_problem(c, i, steps, message)

                yield category, item, problem


def _unique_items(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    first: dict[str, Problem] = {}
    for _, item, problem in _each_item(domains):
        if item.id in first:
            place = f"{first[item.id].file}:{first[item.id].line}"
            yield problem(["id"], f"the item id {item.id!r} is taken: it stands at {place} already; ids are unique")
        first.setdefault(item.id, problem(["id"], ""))


def _file_names(
    sources: Sequence[Source[types.DomainFile] | Source[types.ModelFile] | Source[types.BoardFile]],
) -> Iterator[Problem]:
    for source in sources:
        stem = source.document.file.rsplit("/", 1)[-1].removesuffix(".yaml")
        if source.spec.id != stem:
            message = (
                f"the id {source.spec.id!r} differs from the file's name; rename the file to {source.spec.id}.yaml"
            )
            yield source.document.problem(["id"], f"{message} or the id to {stem!r}")


def _goal_axes(goals: Sequence[Source[types.GoalsFile]], axis_ids: Sequence[str]) -> Iterator[Problem]:
    for source in goals:
        for number, goal in enumerate(source.spec.goals):
            for axis in goal.alignment_target:
                if axis not in axis_ids:
                    steps: Steps = ["goals", number, "alignment_target", axis]
                    hint = did_you_mean(axis, axis_ids)
                    message = f"the goal {goal.id!r} has a target for an unknown axis {axis!r}; {hint}"
                    yield source.document.problem(steps, message, at_key=True)


def _category_axes(
    domains: Sequence[Source[types.DomainFile]], axis_ids: Sequence[str], baseline: Sequence[str]
) -> Iterator[Problem]:
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            steps: list[str | int] = ["categories", number, "axes"]
            for place, axis in enumerate(category.axes):
                if axis not in axis_ids:
                    yield source.document.problem(
                        [*steps, place], f"unknown axis {axis!r}; {did_you_mean(axis, axis_ids)}"
                    )
                elif axis in category.axes[:place]:
                    yield source.document.problem([*steps, place], f"the axis {axis!r} stands twice in this category")
            if list(category.axes[: len(baseline)]) != list(baseline):
                message = f"a category begins with the baseline axes in their fixed order: {', '.join(baseline)}"
                yield source.document.problem(steps, f"{message}; found {', '.join(category.axes[: len(baseline)])}")


def _category_goals(
    domains: Sequence[Source[types.DomainFile]], goals: Mapping[str, types.Goal], axis_ids: Sequence[str]
) -> Iterator[Problem]:
    def check(name: str, category: types.Category) -> Iterator[str]:
        goal = goals.get(name)
        if goal is None:
            yield f"unknown goal {name!r}; {did_you_mean(name, goals)}"
            return
        for axis in category.axes:
            if axis in axis_ids and axis not in goal.alignment_target:
                where = f"the axis {axis!r} of the category {category.id!r}"
                yield f"the goal {name!r} has no alignment_target for {where}; add one"

    for source in domains:
        for number, category in enumerate(source.spec.categories):
            for message in check(category.goal, category):
                yield source.document.problem(["categories", number, "goal"], message)
    for category, item, problem in _each_item(domains):
        if item.goal is not None:
            for message in check(item.goal, category):
                yield problem(["goal"], message)


def _coverage(domains: Sequence[Source[types.DomainFile]], axis_ids: Sequence[str]) -> Iterator[Problem]:
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            if not category.items:
                message = f"the category {category.id!r} has no items; add items, or an items_file that has some"
                yield source.document.problem(["categories", number], message)
                continue
            probed = {axis for item in category.items for axis in item.probes}
            for place, axis in enumerate(category.axes):
                if axis in axis_ids and axis not in probed:
                    message = (
                        f"no item of {category.id!r} probes the axis {axis!r}; a radar needs items for each of its axes"
                    )
                    yield source.document.problem(["categories", number, "axes", place], message)
    for category, item, problem in _each_item(domains):
        misspelt = not set(category.axes) <= set(axis_ids)  # said already, and the cause of what would be said here
        for place, axis in enumerate(item.probes):
            if axis not in category.axes and not (misspelt and axis in axis_ids):
                message = f"probes {axis!r}, which is no axis of {category.id!r}; {did_you_mean(axis, category.axes)}"
                yield problem(["probes", place], message)


def _items(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    for _, item, problem in _each_item(domains):
        source, task = _folded(item.source), _folded(item.task)
        for number, fact in enumerate(item.facts):
            for place, key in enumerate(fact.keys):
                if not all(option.strip() for option in key.split("|")):
                    message = f"the key {shown(key)} has an empty alternative; take out a | or fill it in"
                    yield problem(["facts", number, "keys", place], message)
                elif not _has_key(source, key):
                    message = f"the source does not contain {shown(key)}; a fact's keys are strings of the source"
                    yield problem(["facts", number, "keys", place], message)
            if all(_has_key(task, key) for key in fact.keys):
                yield problem(["task"], f"the task gives away the fact {shown(fact.text)}; ask without its keys")
        limits = item.constraints
        for unit in ("sentences", "words"):
            low, high = getattr(limits, f"min_{unit}"), getattr(limits, f"max_{unit}")
            if low is not None and high is not None and low > high:
                yield problem(
                    ["constraints"], f"min_{unit} {low} is more than max_{unit} {high}; no answer can meet both"
                )
        if limits.bullets is not None and limits.format != "bullets":
            yield problem(
                ["constraints", "bullets"], "bullets are counted only with format: bullets; add that or drop this"
            )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _has_key(folded: str, key: str) -> bool:
    return any(option in folded for option in map(_folded, key.split("|")) if option)


def _backend_problem(
    source: Source[types.Spec],
    steps: Steps,
    runs: types.Judge | types.ModelFile,
    known: Mapping[str, frozenset[str]],
    backends: BackendNames,
) -> Iterator[Problem]:
    backend, model = runs.backend, runs.model
    if backend not in known:
        yield source.document.problem(
            [*steps, "backend"], f"unknown backend {backend!r}; {did_you_mean(backend, known)}"
        )
    elif model not in known[backend]:
        message = f"the backend {backend!r} has no {model!r} here; {did_you_mean(model, known[backend], limit=20)}"
        yield source.document.problem([*steps, "model"], message)
    elif wrong := backends.params_problem(backend, model, runs.params):
        yield source.document.problem([*steps, "params"], f"{model!r} cannot run with these params: {wrong}")


def _judges(judges: Source[types.JudgesFile], backends: BackendNames | None) -> Iterator[Problem]:
    entries = enumerate(judges.spec.judges)
    yield from _unique("judge", ((judges, ["judges", i, "id"], judge.id) for i, judge in entries))
    for number, judge in enumerate(judges.spec.judges):
        if backends is not None:
            yield from _backend_problem(judges, ["judges", number], judge, backends.judges, backends)


def _panels(judges: Source[types.JudgesFile]) -> Iterator[Problem]:
    known = [judge.id for judge in judges.spec.judges]
    yield from _unique("panel", ((judges, ["panels", i, "id"], panel.id) for i, panel in enumerate(judges.spec.panels)))
    for number, panel in enumerate(judges.spec.panels):
        steps: list[str | int] = ["panels", number]
        for place, judge in enumerate(panel.judges):
            if judge not in known:
                message = f"unknown judge {judge!r}; {did_you_mean(judge, known)}"
                yield judges.document.problem([*steps, "judges", place], message)
            elif judge in panel.judges[:place]:
                message = f"the judge {judge!r} is listed twice; a judge has one vote. Remove one"
                yield judges.document.problem([*steps, "judges", place], message)
        for key, message in _gates(panel):
            yield judges.document.problem([*steps, "refusal_gates", key], message)


def _two_thirds(panel: types.Panel) -> int:
    return ceil(2 * len(panel.judges) / 3)


def _gates(panel: types.Panel) -> Iterator[tuple[str, str]]:
    size = len(panel.judges)
    two_thirds = _two_thirds(panel)
    sample = max(two_thirds, panel.refusal_gates.sample or 0)
    votes = panel.refusal_gates.votes or two_thirds
    if sample > size:
        yield "sample", f"a sample of {sample} judges cannot be drawn from a panel of {size}; at most {size}"
    if votes < two_thirds:
        yield (
            "votes",
            f"{votes} votes are less than two thirds of the panel of {size}; at least {two_thirds} are needed",
        )
    elif votes > sample:
        advice = f"lower votes to {sample} at most, or raise sample to {votes}"
        yield "votes", f"{votes} votes can never be reached: only {sample} judges are asked about a refusal; {advice}"


def _models(models: Sequence[Source[types.ModelFile]], backends: BackendNames | None) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for source in models:
        title = _folded(source.spec.title)
        if title in first:
            message = f"{first[title]} has the title {shown(source.spec.title)} too; readers tell contestants by it"
            yield source.document.problem(["title"], f"{message}, so give this one another")
        first.setdefault(title, source.document.file)
        if backends is not None:
            yield from _backend_problem(source, [], source.spec, backends.contestants, backends)


def _boards(files: SpecFiles) -> Iterator[Problem]:
    judges, templates = files.judges.spec, files.templates
    panels = {panel.id: panel for panel in judges.panels}
    families = {judge.id: judge.family for judge in judges.judges}
    domains_by_id = {source.spec.id: source.spec for source in files.domains}
    models_by_id = {source.spec.id: source.spec for source in files.models}
    for source in files.boards:
        board = source.spec
        contestants = tuple(models_by_id) if board.contestants == "all" else board.contestants
        yield from _known_and_once(source, "domains", "domain", board.domains, domains_by_id)
        if board.contestants != "all":
            yield from _known_and_once(source, "contestants", "model", board.contestants, models_by_id)
        if board.template not in templates:
            message = f"unknown template {board.template!r}; {did_you_mean(board.template, templates)}"
            yield source.document.problem(["template"], message)
        else:
            for line, message in prompt_templates.problems(templates[board.template]):
                yield Problem(f"specs/templates/{board.template}.j2", line, 1, message)
        panel = panels.get(board.panel)
        if panel is None:
            message = f"unknown panel {board.panel!r}; {did_you_mean(board.panel, panels)}"
            yield source.document.problem(["panel"], message)
        elif not panel.same_family:
            for model in contestants:
                if model in models_by_id:
                    for message in _own_family(panel, models_by_id[model], families):
                        yield source.document.problem(["panel"], message)
        yield from _constructs(source, domains_by_id)


def _own_family(panel: types.Panel, model: types.ModelFile, families: Mapping[str, str]) -> Iterator[str]:
    """A panel without the judges of a contestant's family must still be able to score it and to find a refusal."""
    judges = sum(families.get(judge) != model.family for judge in panel.judges)
    votes = panel.refusal_gates.votes or _two_thirds(panel)
    if not judges:
        message = f"no judge of the panel {panel.id!r} may score {model.id!r}: all are of its family {model.family!r}"
        yield f"{message}. Add a judge of another family"
    elif judges < votes <= len(panel.judges):
        message = (
            f"a refusal of {model.id!r} takes {votes} votes, but only {judges} of the panel {panel.id!r} may score it"
        )
        yield f"{message}: the others are of its family {model.family!r}. Add judges of another family"


def _known_and_once(
    source: Source[types.BoardFile], key: str, noun: str, names: Sequence[str], known: Mapping[str, object]
) -> Iterator[Problem]:
    for place, name in enumerate(names):
        if name not in known:
            yield source.document.problem([key, place], f"unknown {noun} {name!r}; {did_you_mean(name, known)}")
        elif name in names[:place]:
            yield source.document.problem([key, place], f"the {noun} {name!r} is listed twice; remove one")


def _constructs(source: Source[types.BoardFile], domains: Mapping[str, types.DomainFile]) -> Iterator[Problem]:
    board = source.spec
    weights = board.aggregation.construct_weights
    measured = {domains[name].construct or board.construct for name in board.domains if name in domains}
    named = ", ".join(sorted(measured))
    if not weights:
        if measured != {board.construct} and measured:
            message = (
                f"this board of {board.construct} would average over {named}; different constructs are not one number"
            )
            advice = "Take those domains out, or say how much each counts in aggregation.construct_weights"
            yield source.document.problem(["domains"], f"{message}. {advice}")
        return
    steps: Steps = ["aggregation", "construct_weights"]
    if set(weights) != measured:
        yield source.document.problem(
            steps, f"the weights are for {', '.join(sorted(weights))}; the domains measure {named}"
        )
    if not isclose(sum(weights.values()), 1.0, abs_tol=1e-9):
        yield source.document.problem(steps, f"the weights sum to {sum(weights.values()):g}; they must sum to 1")
