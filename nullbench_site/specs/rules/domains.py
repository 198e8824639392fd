"""Domains of the `axes` protocol, their items and goals: axes, coverage, facts that are in the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.files import Source, Steps, each_item
from nullbench_site.text import did_you_mean, quoted


def goals_name_known_axes(goals: Sequence[Source[types.GoalsFile]], axis_ids: Sequence[str]) -> Iterator[Problem]:
    """A goal has targets for axes that exist."""
    for source in goals:
        for number, goal in enumerate(source.spec.goals):
            for axis in goal.alignment_target:
                if axis not in axis_ids:
                    steps: Steps = ["goals", number, "alignment_target", axis]
                    hint = did_you_mean(axis, axis_ids)
                    message = f"the goal {goal.id!r} has a target for an unknown axis {axis!r}; {hint}"
                    yield source.document.problem(steps, message, at_key=True)


def categories_name_their_axes(
    domains: Sequence[Source[types.AxesDomainFile]], axis_ids: Sequence[str], baseline: Sequence[str]
) -> Iterator[Problem]:
    """A category begins with the baseline axes, in order, and names each of its axes once."""
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


def categories_have_whole_goals(
    domains: Sequence[Source[types.AxesDomainFile]], goals: Mapping[str, types.Goal], axis_ids: Sequence[str]
) -> Iterator[Problem]:
    """The goal of a category or item exists and has a target for each of its axes."""

    def check(name: str, category: types.AxesCategory) -> Iterator[str]:
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
    for category, item, problem in each_item(domains):
        if item.goal is not None:
            for message in check(item.goal, category):
                yield problem(["goal"], message)


def categories_have_items(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    """No category is empty, of whichever protocol."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            if not category.items:
                message = f"the category {category.id!r} has no items; add items, or an items_file that has some"
                yield source.document.problem(["categories", number], message)


def axes_are_covered(domains: Sequence[Source[types.AxesDomainFile]], axis_ids: Sequence[str]) -> Iterator[Problem]:
    """Each axis of a category is probed by one of its items."""
    for source in domains:
        for number, category in enumerate(source.spec.categories):
            if not category.items:
                continue
            probed = {axis for item in category.items for axis in item.probes}
            for place, axis in enumerate(category.axes):
                if axis in axis_ids and axis not in probed:
                    message = (
                        f"no item of {category.id!r} probes the axis {axis!r}; a radar needs items for each of its axes"
                    )
                    yield source.document.problem(["categories", number, "axes", place], message)
    for category, item, problem in each_item(domains):
        misspelt = not set(category.axes) <= set(axis_ids)  # said already, and the cause of what would be said here
        for place, axis in enumerate(item.probes):
            if axis not in category.axes and not (misspelt and axis in axis_ids):
                message = f"probes {axis!r}, which is no axis of {category.id!r}; {did_you_mean(axis, category.axes)}"
                yield problem(["probes", place], message)


def items_are_sound(domains: Sequence[Source[types.AxesDomainFile]]) -> Iterator[Problem]:
    """Facts are in the source and not in the task; constraints can be met."""
    for _, item, problem in each_item(domains):
        source, task = folded(item.source), folded(item.task)
        for number, fact in enumerate(item.facts):
            for place, key in enumerate(fact.keys):
                if not all(option.strip() for option in key.split("|")):
                    message = f"the key {quoted(key)} has an empty alternative; take out a | or fill it in"
                    yield problem(["facts", number, "keys", place], message)
                elif not _has_key(source, key):
                    message = f"the source does not contain {quoted(key)}; a fact's keys are strings of the source"
                    yield problem(["facts", number, "keys", place], message)
            if all(_has_key(task, key) for key in fact.keys):
                yield problem(["task"], f"the task gives away the fact {quoted(fact.text)}; ask without its keys")
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


def folded(text: str) -> str:
    """`text` as keys and titles are compared: spaces and case aside."""
    return " ".join(text.split()).casefold()


def _has_key(text: str, key: str) -> bool:
    return any(option in text for option in map(folded, key.split("|")) if option)
