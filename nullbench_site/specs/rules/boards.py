"""Rules about boards: their domains, contestants, panels, constructs and templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import isclose
from typing import Any

from nullbench_site.errors import Problem
from nullbench_site.specs import templates, types
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import BackendNames, SpecFile, SpecFiles, Steps
from nullbench_site.specs.types import VERBATIM, BoardFile, JudgedBoardFile
from nullbench_site.stats.measure import LEAST_WORDINGS
from nullbench_site.text import did_you_mean, some_of

_NAMED = 10
"""The most domains or contestants that one warning names."""


def boards_can_be_scored(files: SpecFiles) -> Iterator[Problem]:
    """Check that names exist, each contestant can be judged, and constructs are averaged only with weights."""
    domains_by_id = {source.spec.id: source.spec for source in files.domains}
    for source in files.boards:
        board = source.spec
        yield from _known_and_once(source, ["domains"], "domain", board.domains, domains_by_id)
        for place, name in enumerate(board.domains):
            other = domains_by_id[name].protocol if name in domains_by_id else board.protocol
            if not specs_of(board.protocol).places(specs_of(other).item):
                message = f"domain {name!r} has protocol {other!r}, but this board has {board.protocol!r}"
                yield source.document.problem(["domains", place], f"{message}; remove the domain")
        yield from _constructs(source, domains_by_id)
        for column, figures in board.published.items():
            on_board = [model.spec.id for model in files.of_board(board.contestants)]
            for name in sorted(figures.keys() - set(on_board)):
                message = f"{name!r} is not a contestant of this board; {did_you_mean(name, on_board)}"
                yield source.document.problem(["published", column, name], message)
        if board.about == "judges" and not isinstance(board, JudgedBoardFile):
            message = f"this board is about judges, but a board with protocol {board.protocol!r} has none"
            yield source.document.problem(["about"], f"{message}; remove 'about', or write models")
        panel = board.panel if isinstance(board, types.JudgedBoardFile) else None
        yield from _judged(files, source, [], types.JudgedProfile(panel=panel, contestants=board.contestants))
        for name, profile in board.profiles.items():
            steps = ["profiles", name]
            if profile == type(profile)():
                message = f"profile {name!r} changes nothing; set {_listed(profile.__struct_fields__)}"
                yield source.document.problem(steps, message, at_key=True)
            yield from _judged(files, source, steps, profile)


def unused_specs(files: SpecFiles) -> Iterator[Problem]:
    """Warn of domains and contestants that no board uses, such as new ones."""
    boards = [source.spec for source in files.boards]
    domains = {domain for board in boards for domain in board.domains}
    profiles = (profile for board in boards for profile in board.profiles.values())
    listed = [*(board.contestants for board in boards), *(profile.contestants or () for profile in profiles)]
    everybody = {source.spec.id for source in files.models}
    contestants = everybody if "all" in listed else {model for models in listed for model in models}
    for noun, key, sources, on_boards in (
        ("domain", "domains", files.domains, domains),
        ("contestant", "contestants", files.models, contestants),
    ):
        unused = [source for source in sources if source.spec.id not in on_boards]
        if unused:
            names = ", ".join(some_of([repr(source.spec.id) for source in unused], _NAMED, thousands=","))
            which, them = (f"{noun} {names} is", "it") if len(unused) == 1 else (f"{noun}s {names} are", "them")
            message = f"{which} not used by any board; name {them} in the `{key}` of one, or delete {them}"
            yield unused[0].document.problem(["id"], message)


def programs_fit_their_boards(files: SpecFiles, backends: BackendNames | None) -> Iterator[Problem]:
    """Check that the programs of a board and of its profiles support its protocol."""
    if backends is None:
        return
    for source in files.boards:
        chosen: list[tuple[Steps, types.BoardFile | types.Profile]] = [([], source.spec)]
        chosen += ((["profiles", name], profile) for name, profile in source.spec.profiles.items())
        for steps, part in chosen:
            for unfit in (_unfit_contestants, _unfit_judges):
                for place, message in unfit(files, source.spec.protocol, part, backends):
                    yield source.document.problem([*steps, *place], message)


def _unfit_contestants(
    files: SpecFiles, protocol: str, part: types.BoardFile | types.Profile, backends: BackendNames
) -> Iterator[tuple[Steps, str]]:
    listed = part.contestants or ()
    unfit: list[str] = []
    for model in (source.spec for source in files.models if listed == "all" or source.spec.id in listed):
        if model.model not in (backends.contestants.get(model.backend) or ()):
            continue  # at an endpoint, or already reported as unknown
        known = backends.contestants_for(model.backend, protocol)
        if known is None or model.model in known:
            continue
        unfit.append(model.id)
        if listed != "all":
            message = f"program {model.model!r} of {model.id!r} does not support {protocol!r}"
            advice = f"remove it, or choose one of: {', '.join(sorted(known)) or 'none'}"
            yield ["contestants", listed.index(model.id)], f"{message}; {advice}"
    if unfit and listed == "all":
        message = f"all contestants, the default, include programs that do not support {protocol!r}"
        yield ["contestants"], f"{message}: {', '.join(unfit)}; list this board's contestants in `contestants`"


def _unfit_judges(
    files: SpecFiles, protocol: str, part: types.BoardFile | types.Profile, backends: BackendNames
) -> Iterator[tuple[Steps, str]]:
    panels = {panel.id: panel.judges for panel in files.panels}
    on_panel = panels.get(getattr(part, "panel", None) or "", ())
    asked = [("panel", judge, "") for judge in on_panel]
    bridging = (judge for judge in files.all_judges if judge.bridges is not None and judge.bridges.judge in on_panel)
    asked += (("panel", judge.id, "") for judge in bridging)
    asked += specs_of(protocol).further_judges(part)
    judges = {judge.id: judge for judge in files.all_judges}
    for key, name, asker in asked:
        judge = judges.get(name)
        if judge is None or judge.backend not in backends.judges:
            continue
        known = backends.judges_for(judge.backend, None if asker else protocol)
        if known is not None and judge.model not in known:
            message = f"program {judge.model!r} of judge {name!r} does not support {asker or repr(protocol)}"
            listed = f"; choose one of: {', '.join(sorted(known))}" if known else "; choose a judge at an endpoint"
            yield [key], f"{message}{listed}"


def _judged(
    files: SpecFiles, source: SpecFile[types.BoardFile], steps: Steps, chosen: types.Profile
) -> Iterator[Problem]:
    """Check that the panel and contestants at `steps` exist, and that the panel can judge each contestant.

    `chosen` inherits what it does not set from the board.
    """
    panels = {panel.id: panel for panel in files.panels}
    families = {judge.id: judge.family for judge in files.all_judges}
    models = {model.spec.id: model.spec for model in files.contestants}
    if chosen.contestants is not None and chosen.contestants != "all":
        yield from _known_and_once(source, [*steps, "contestants"], "model", chosen.contestants, models)
    chosen_panel = chosen.panel if isinstance(chosen, types.JudgedProfile) else None
    if chosen_panel is not None and chosen_panel not in panels:
        message = f"unknown panel {chosen_panel!r}; {did_you_mean(chosen_panel, panels)}"
        yield source.document.problem([*steps, "panel"], message)
    own = source.spec.panel if isinstance(source.spec, types.JudgedBoardFile) else ""
    panel = panels.get(chosen_panel or own)
    contestants = chosen.contestants or source.spec.contestants
    if (chosen_panel or chosen.contestants) and panel is not None and not panel.same_family:
        place = "contestants" if chosen_panel is None else "panel"
        for model in files.of_board(contestants):
            for message in _own_family(panel, model.spec, families):
                yield source.document.problem([*steps, place], message)


def looks_rise(files: SpecFiles) -> Iterator[Problem]:
    """Check that the looks of a board rise to all items, and that the board asks its items."""
    for source in files.boards:
        looks = source.spec.looks
        if looks is None:
            continue
        if any(one >= other for one, other in pairwise(looks)) or looks[-1] != 1:
            message = f"looks must rise to 1, such as [0.25, 0.5, 1], not {[*looks]}"
            yield source.document.problem(["looks"], message)
        if source.spec.id in files.tables:
            message = "the scores of this board are in tables, so no build can stop early; remove 'looks'"
            yield source.document.problem(["looks"], message, at_key=True)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _own_family(panel: types.Panel, model: types.ModelFile, families: Mapping[str, str]) -> Iterator[str]:
    """Check that a panel has a judge of another family than the contestant's."""
    if all(families.get(judge) == model.family for judge in panel.judges):
        message = f"no judge of panel {panel.id!r} may score {model.id!r}: all are of family {model.family!r}"
        yield f"{message}; add a judge of another family"


def _known_and_once(
    source: SpecFile[types.BoardFile], steps: Steps, noun: str, names: Sequence[str], known: Mapping[str, object]
) -> Iterator[Problem]:
    for place, name in enumerate(names):
        if name not in known:
            yield source.document.problem([*steps, place], f"unknown {noun} {name!r}; {did_you_mean(name, known)}")
        elif name in names[:place]:
            yield source.document.problem([*steps, place], f"{noun} {name!r} is listed twice; remove one")


def _constructs(source: SpecFile[types.BoardFile], domains: Mapping[str, types.DomainFile]) -> Iterator[Problem]:
    board = source.spec
    weights = board.construct_weights
    measured = {domains[name].construct or board.construct for name in board.domains if name in domains}
    named = ", ".join(sorted(measured))
    if not weights:
        if measured != {board.construct} and measured:
            message = f"this {board.construct} board would average over several constructs ({named})"
            advice = "remove the other domains"
            if weights is not None:
                advice += ", or set aggregation.construct_weights"
            yield source.document.problem(["domains"], f"{message}; {advice}")
        return
    steps: Steps = ["aggregation", "construct_weights"]
    if set(weights) != measured:
        yield source.document.problem(
            steps, f"the weights are for {', '.join(sorted(weights))}; the domains measure {named}"
        )
    if not isclose(sum(weights.values()), 1.0, abs_tol=1e-9):
        yield source.document.problem(steps, f"the weights sum to {sum(weights.values()):g}; they must sum to 1")


def overreach(board: types.BoardFile, domains: Mapping[str, types.DomainFile]) -> str:
    """Say why the scores of a board cannot carry what they are cited for; empty if they may.

    Source: the mathematical treatment of LLM evaluation, section 8, Exhibit 6: a capability score is no evidence for an
    alignment claim, and no static benchmark shows values.
    """
    if board.inference is None:
        return ""
    level = board.inference.level
    measured = {domains[name].construct or board.construct for name in board.domains if name in domains}
    if level in ("alignment", "values") and "capability" in measured | {board.construct}:
        return f"a capability score is cited as evidence of {level}"
    return "a fixed set of items is cited as evidence of values" if level == "values" else ""


def claims_go_too_far(files: SpecFiles) -> Iterator[Problem]:
    """Yield a warning for each board whose scores are cited for more than they can show."""
    domains = {source.spec.id: source.spec for source in files.domains}
    for source in files.boards:
        if why := overreach(source.spec, domains):
            yield source.document.problem(["inference", "level"], f"{why}; cite it for a lower level")


QUESTION = {"question": True}
"""The variable of a wording for judges, which it must have."""


def wordings_are_valid(files: SpecFiles) -> Iterator[Problem]:
    """Check that the templates of boards exist, fit their protocol and differ, and that there are one or enough."""
    found: dict[Problem, None] = {}
    for source in files.boards:
        board = source.spec
        if board.templates or getattr(board, "template", None):
            key, variables = "templates" if board.templates else "template", specs_of(board.protocol).variables
            found |= dict.fromkeys(_templates(source, files, key, board.wordings, variables))
        found |= dict.fromkeys(_first_only(source, files))
        if isinstance(board, JudgedBoardFile):
            found |= dict.fromkeys(_templates(source, files, "judge_templates", board.judge_templates, QUESTION))
            found |= dict.fromkeys(_judge_wordings(source, files))
    yield from found


def _templates(
    source: SpecFile[Any], files: SpecFiles, key: str, names: Sequence[str], variables: Mapping[str, bool]
) -> Iterator[Problem]:
    """Check the templates that a field of a board names."""
    if 1 < len(names) < LEAST_WORDINGS:
        message = f"{len(names)} templates are too few to measure sensitivity to wording"
        yield source.document.problem([key], f"{message}; add some up to {LEAST_WORDINGS}, or leave one")
    texts: dict[str, str] = {}
    for place, name in enumerate(names):
        steps: Sequence[str | int] = [key] if key == "template" else [key, place]
        if name == VERBATIM:
            message = f"{VERBATIM!r} names prompts without a template; give the template another name"
            yield source.document.problem(steps, message)
        elif name not in files.templates:
            message = f"unknown template {name!r}; {did_you_mean(name, files.templates)}"
            yield source.document.problem(steps, message)
        elif name in names[:place]:
            yield source.document.problem(steps, f"template {name!r} is listed twice; remove one")
        else:
            text = templates.wording(files.templates[name])
            if (other := texts.setdefault(text, name)) != name:
                message = f"template {name!r} has the same text as {other!r}; change its text, or remove it"
                yield source.document.problem(steps, message)
            for line, message in templates.problems(files.templates[name], variables):
                yield Problem(f"specs/templates/{name}.txt", line, 1, message)


def _judge_wordings(source: SpecFile[Any], files: SpecFiles) -> Iterator[Problem]:
    """Check that some judge is asked in the wordings for judges, and that its names in them are free."""
    board = source.spec
    chosen = {board.panel, *(getattr(profile, "panel", None) for profile in board.profiles.values())}
    on_panels = {judge for panel in files.panels if panel.id in chosen for judge in panel.judges}
    asked = [judge for judge in files.all_judges if judge.id in on_panels and not judge.is_program]
    if board.judge_templates and not asked:
        message = "`judge_templates` has no effect: each judge of the panel is a program; remove it"
        yield source.document.problem(["judge_templates"], message)
    taken = {judge.id for judge in files.all_judges}
    for name in (f"{judge.id}.{template}" for judge in asked for template in board.judge_templates):
        if name in taken:
            message = f"a judge has the id {name!r}, which names a judge in a wording; rename the template"
            yield source.document.problem(["judge_templates"], message)


def _first_only(source: SpecFile[BoardFile], files: SpecFiles) -> Iterator[Problem]:
    """Check that those who answer the first template only are contestants, and that there are further templates."""
    board = source.spec
    if board.first_template_only and len(board.wordings) == 1:
        message = "`first_template_only` has no effect without further `templates`; remove it"
        yield source.document.problem(["first_template_only"], message)
        return
    chosen = [board.contestants, *(profile.contestants or () for profile in board.profiles.values())]
    known = {model.spec.id for contestants in chosen for model in files.of_board(contestants)}
    for place, name in enumerate(board.first_template_only):
        steps: Sequence[str | int] = ["first_template_only", place]
        if name not in known:
            message = f"{name!r} is not a contestant of this board; {did_you_mean(name, known)}"
            yield source.document.problem(steps, message)
        elif name in board.first_template_only[:place]:
            yield source.document.problem(steps, f"contestant {name!r} is listed twice; remove one")
