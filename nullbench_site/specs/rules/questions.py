"""Rules about judges that answer short questions (`method: questions`)."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import SpecFile, SpecFiles, Steps, each_item
from nullbench_site.text import did_you_mean, listed


def judges_ask_by_one_method(judges: SpecFile[types.JudgesFile] | None) -> Iterator[Problem]:
    """Check that only judges that are called answer questions, and that the judges of a panel have one method."""
    if judges is None:
        return
    known = {judge.id: judge for judge in judges.spec.judges}
    for number, judge in enumerate(judges.spec.judges):
        for steps, message in _of_judge(judge, known):
            yield judges.document.problem(["judges", number, *steps], message, at_key=True)
    for number, panel in enumerate(judges.spec.panels):
        asked = [name for name in panel.judges if name in known and known[name].asks_questions]
        others = [name for name in panel.judges if name in known and not known[name].asks_questions]
        if asked and others:
            message = (
                f"{listed(asked)} by questions, {listed(others)} by verdict: a panel asks all judges by one method"
            )
            yield judges.document.problem(["panels", number, "judges"], f"{message}; make a panel for each method")


def _of_judge(judge: types.Judge, known: dict[str, types.Judge]) -> Iterator[tuple[Steps, str]]:
    if judge.value is not None and not judge.asks_questions:
        yield ["value"], "`value` has no effect without `method: questions`; add the method, or remove `value`"
    if judge.asks_questions and judge.backend in (types.PROGRAMS, types.RECORDED):
        what = "a program reads fields" if judge.is_program else "a recorded judge is not called"
        yield ["method"], f"{what} and cannot be asked short questions; remove `method`"
    predecessor = None if judge.bridges is None else known.get(judge.bridges.judge)
    if predecessor is not None and (judge.asks_questions or predecessor.asks_questions):
        message = "a judge of short questions cannot bridge, because its values need the empty response"
        yield ["bridges"], f"{message}; remove `bridges`, and put the new judge on a panel of its own"


def boards_have_questions(files: SpecFiles) -> Iterator[Problem]:
    """Check that the protocol of a board has short questions if its panel asks them, and its items no private text."""
    asking = {judge.id for judge in files.all_judges if judge.asks_questions}
    panels = {panel.id for panel in files.panels if asking.intersection(panel.judges)}
    for source in files.boards:
        board = source.spec
        chosen: list[tuple[Steps, str | None]] = [(["panel"], getattr(board, "panel", None))]
        chosen += ((["profiles", n, "panel"], getattr(each, "panel", None)) for n, each in board.profiles.items())
        for steps, panel in chosen:
            if panel in panels and not specs_of(board.protocol).has_questions:
                message = f"panel {panel!r} asks short questions, and the protocol {board.protocol!r} has none yet"
                yield source.document.problem(steps, f"{message}; choose a panel whose judges have `method: verdict`")
        if not any(panel in panels for _, panel in chosen):
            continue
        for _, item, problem in each_item([domain for domain in files.domains if domain.spec.id in board.domains]):
            if item.visibility == "private":
                advice = "move it to another board, or choose a panel whose judges have `method: verdict`"
                yield problem(["id"], f"private item {item.id!r} cannot be judged by short questions yet; {advice}")


def prohibitions_exist(files: SpecFiles) -> Iterator[Problem]:
    """Check that questions.yaml names criteria that exist, each once."""
    source = files.questions
    if source is None:
        return
    criteria = {item.id: getattr(item, "criteria", None) for _, item, _ in each_item(files.domains)}
    for line in files.private_lines:
        criteria[line.text.id] = getattr(line.text, "criteria", None)
    for item, numbers in source.spec.prohibitions.items():
        steps: list[str | int] = ["prohibitions", item]
        if item not in criteria:
            message = f"unknown item {item!r}; {did_you_mean(item, criteria)}"
            yield source.document.problem(steps, message, at_key=True)
            continue
        n = len(criteria[item] or ())
        for place, number in enumerate(numbers):
            if number > n:
                message = f"item {item!r} has {n} criteria, so it has no criterion {number}; remove it"
                yield source.document.problem([*steps, place], message)
            elif number in numbers[:place]:
                yield source.document.problem([*steps, place], f"criterion {number} is listed twice; remove one")
