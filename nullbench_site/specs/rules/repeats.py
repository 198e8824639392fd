"""What stands twice and would count twice: prompts of a board, and the parts of an item or a goal."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.files import Problems, SpecFiles, each_item


def prompts_are_asked_once(files: SpecFiles) -> Iterator[Problem]:
    """No two items of a board ask the same. No text is repeated in the message: it may be private."""
    private = {line.text.id: line.text for lines in files.private.values() for line in lines}
    domains = {source.spec.id: source for source in files.domains}
    for board in files.boards:
        first: dict[Hashable, tuple[str, Problem]] = {}
        names = dict.fromkeys(board.spec.domains)
        for _, item, problem in each_item(domains[name] for name in names if name in domains):
            asked = _asked(item, private)
            other, place = first.get(asked, (item.id, None))
            if place is not None and other != item.id:
                message = f"{item.id!r} asks the same as {other!r} at {place.file}:{place.line}"
                yield problem(["id"], f"{message}, so that it would count twice; change one or take it out")
            elif asked is not None:
                first[asked] = (item.id, problem(["id"], ""))


def _asked(item: Any, private: dict[str, types.PrivateText]) -> Hashable | None:
    """What a contestant is asked; None where that is private and not here."""
    if isinstance(item, types.AxesItem):
        return item.task.strip(), item.source.strip()
    prompt: str | None = getattr(private.get(item.id, item), "prompt", None)
    return None if prompt is None else prompt.strip()


def parts_stand_once(files: SpecFiles) -> Iterator[Problem]:
    """No rule of a goal, and no criterion, check or fact of an item, stands twice."""
    for source in files.goals:
        for number, goal in enumerate(source.spec.goals):
            for place in _repeated((rule.dimension, rule.rule) for rule in goal.rules):
                yield source.document.problem(["goals", number, "rules", place], _twice("rule"))
    for _, item, problem in each_item(files.domains):
        yield from _of_item(item, problem)
    for line in (line for lines in files.private.values() for line in lines):
        yield from _of_item(line.text, line.document.problem)


def _of_item(item: Any, problem: Problems) -> Iterator[Problem]:
    for name, noun in (("criteria", "criterion"), ("checks", "check"), ("facts", "fact")):
        for place in _repeated(getattr(item, name, None) or ()):
            yield problem([name, place], _twice(noun))


def _repeated(parts: Iterable[object]) -> Iterator[int]:
    """The places of parts that stood before."""
    before: list[object] = []
    for place, part in enumerate(parts):
        if part in before:
            yield place
        before.append(part)


def _twice(noun: str) -> str:
    return f"this {noun} stands here already, and would count twice; change it or take it out"
