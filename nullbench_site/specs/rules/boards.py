"""Boards: names that exist, judges for every contestant, constructs never averaged without weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose

from nullbench_site.errors import Problem
from nullbench_site.specs import templates as prompt_templates
from nullbench_site.specs import types
from nullbench_site.specs.rules.files import Source, SpecFiles, Steps
from nullbench_site.specs.validate import did_you_mean
from nullbench_site.stats.refusal import gate_votes_needed


def boards_can_be_scored(files: SpecFiles) -> Iterator[Problem]:
    """Names exist, somebody may judge each contestant, and constructs are not averaged without weights."""
    templates = files.templates
    domains_by_id = {source.spec.id: source.spec for source in files.domains}
    for source in files.boards:
        board = source.spec
        yield from _known_and_once(source, ["domains"], "domain", board.domains, domains_by_id)
        if board.template not in templates:
            message = f"unknown template {board.template!r}; {did_you_mean(board.template, templates)}"
            yield source.document.problem(["template"], message)
        else:
            for line, message in prompt_templates.problems(templates[board.template]):
                yield Problem(f"specs/templates/{board.template}.j2", line, 1, message)
        yield from _constructs(source, domains_by_id)
        yield from _judged(files, source, [], types.Profile(panel=board.panel, contestants=board.contestants))
        for name, profile in board.profiles.items():
            steps = ["profiles", name]
            if profile == types.Profile():
                message = f"the profile {name!r} replaces nothing; give it {_listed(profile.__struct_fields__)}"
                yield source.document.problem(steps, message, at_key=True)
            yield from _judged(files, source, steps, profile)


def _judged(
    files: SpecFiles, source: Source[types.BoardFile], steps: Steps, chosen: types.Profile
) -> Iterator[Problem]:
    """The panel and contestants that stand at `steps` exist, and the panel can judge each contestant.

    Where `chosen` leaves one of them out, the board's own holds.
    """
    panels = {panel.id: panel for panel in files.judges.spec.panels}
    families = {judge.id: judge.family for judge in files.judges.spec.judges}
    models = {model.spec.id: model.spec for model in files.models}
    if chosen.contestants is not None and chosen.contestants != "all":
        yield from _known_and_once(source, [*steps, "contestants"], "model", chosen.contestants, models)
    if chosen.panel is not None and chosen.panel not in panels:
        message = f"unknown panel {chosen.panel!r}; {did_you_mean(chosen.panel, panels)}"
        yield source.document.problem([*steps, "panel"], message)
    panel = panels.get(chosen.panel or source.spec.panel)
    contestants = chosen.contestants or source.spec.contestants
    if (chosen.panel or chosen.contestants) and panel is not None and not panel.same_family:
        place = "contestants" if chosen.panel is None else "panel"
        for model in models if contestants == "all" else contestants:
            if model in models:
                for message in _own_family(panel, models[model], families):
                    yield source.document.problem([*steps, place], message)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _own_family(panel: types.Panel, model: types.ModelFile, families: Mapping[str, str]) -> Iterator[str]:
    """A panel without the judges of a contestant's family must still be able to score it and to find a refusal."""
    judges = sum(families.get(judge) != model.family for judge in panel.judges)
    votes = panel.refusal_gates.votes or gate_votes_needed(len(panel.judges))
    if not judges:
        message = f"no judge of the panel {panel.id!r} may score {model.id!r}: all are of its family {model.family!r}"
        yield f"{message}. Add a judge of another family"
    elif judges < votes <= len(panel.judges):
        message = (
            f"a refusal of {model.id!r} takes {votes} votes, but only {judges} of the panel {panel.id!r} may score it"
        )
        yield f"{message}: the others are of its family {model.family!r}. Add judges of another family"


def _known_and_once(
    source: Source[types.BoardFile], steps: Steps, noun: str, names: Sequence[str], known: Mapping[str, object]
) -> Iterator[Problem]:
    for place, name in enumerate(names):
        if name not in known:
            yield source.document.problem([*steps, place], f"unknown {noun} {name!r}; {did_you_mean(name, known)}")
        elif name in names[:place]:
            yield source.document.problem([*steps, place], f"the {noun} {name!r} is listed twice; remove one")


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
