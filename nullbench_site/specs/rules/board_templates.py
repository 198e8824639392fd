"""Rules about the wordings of the prompts of boards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nullbench_site.errors import Problem
from nullbench_site.specs import templates
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import SpecFile, SpecFiles
from nullbench_site.specs.types import VERBATIM, BoardFile, JudgedBoardFile
from nullbench_site.stats.measure import LEAST_WORDINGS
from nullbench_site.text import did_you_mean

QUESTION = {"question": True}
"""The variable of a wording for judges, which it must have."""


def wordings_are_valid(files: SpecFiles) -> Iterator[Problem]:
    """Check that the templates of boards exist, fit their protocol and differ, and that there are one or enough."""
    found: dict[Problem, None] = {}
    for source in files.boards:
        board = source.spec
        if board.templates or getattr(board, "template", None):
            key, variables = "templates" if board.templates else "template", specs_of(board.protocol).variables
            found |= dict.fromkeys(_listed(source, files, key, board.wordings, variables))
        found |= dict.fromkeys(_first_only(source, files))
        if isinstance(board, JudgedBoardFile):
            found |= dict.fromkeys(_listed(source, files, "judge_templates", board.judge_templates, QUESTION))
            found |= dict.fromkeys(_judges(source, files))
    yield from found


def _listed(
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


def _judges(source: SpecFile[Any], files: SpecFiles) -> Iterator[Problem]:
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
