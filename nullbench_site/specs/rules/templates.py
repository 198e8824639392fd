"""Rules about the wordings of the prompts of boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import templates
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import SpecFile, SpecFiles
from nullbench_site.specs.types import VERBATIM, BoardFile
from nullbench_site.text import did_you_mean

FEWEST = 5
"""The fewest wordings that measure sensitivity to wording."""


def wordings_are_valid(files: SpecFiles) -> Iterator[Problem]:
    """Check that the templates of boards exist, fit their protocol and differ, and that there are one or enough."""
    checked: set[tuple[str, str]] = set()
    for source in files.boards:
        board = source.spec
        yield from _known(source, files)
        yield from _first_only(source, files)
        if 1 < len(board.templates) < FEWEST:
            message = f"{len(board.templates)} templates are too few to measure sensitivity to wording"
            yield source.document.problem(["templates"], f"{message}; add some up to {FEWEST}, or leave one")
        for name in board.wordings:
            if name in files.templates and (name, board.protocol) not in checked:
                checked.add((name, board.protocol))
                for line, message in templates.problems(files.templates[name], specs_of(board.protocol).variables):
                    yield Problem(f"specs/templates/{name}.txt", line, 1, message)


def _known(source: SpecFile[BoardFile], files: SpecFiles) -> Iterator[Problem]:
    """Check that each template has a file, and a text of its own."""
    board = source.spec
    texts: dict[str, str] = {}
    for place, name in enumerate(board.wordings):
        steps: Sequence[str | int] = ["templates", place] if board.templates else ["template"]
        if name == VERBATIM:
            if board.templates:
                message = f"{VERBATIM!r} names prompts without a template; give the template another name"
                yield source.document.problem(steps, message)
        elif name not in files.templates:
            message = f"unknown template {name!r}; {did_you_mean(name, files.templates)}"
            yield source.document.problem(steps, message)
        elif name in board.wordings[:place]:
            yield source.document.problem(steps, f"template {name!r} is listed twice; remove one")
        else:
            text = templates.wording(files.templates[name])
            if (other := texts.setdefault(text, name)) != name:
                message = f"template {name!r} has the same text as {other!r}; change its text, or remove it"
                yield source.document.problem(steps, message)


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
