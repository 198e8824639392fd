"""Contestants and judges over time: marks, bridges from a judge to its successor, and what will not stay as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.days import today, wrong_day
from nullbench_site.specs.rules.files import BackendNames, Source, SpecFiles
from nullbench_site.text import did_you_mean, quoted

_PINNED = re.compile(
    r"(19|20)[0-9]{2}-?(0[1-9]|1[0-2])(-?[0-3][0-9])?(?![0-9])"  # 2026-03-17, 20251001, 2025-12
    r"|-(0[1-9]|1[0-2])[0-3][0-9](?![0-9])"  # 0613: month and day
    r"|-2[0-9](0[1-9]|1[0-2])(?![0-9])"  # 2411: year and month
    r"|-0[0-9]{2}(?![0-9])"  # 001, a version
    r"|-v[0-9]"
    r"|[@:](sha256:)?[0-9a-f]{7,64}$"
)
"""What in the name of a model says which of its versions is meant."""


def marks_are_sound(models: Sequence[Source[types.ModelFile]], *, new: bool) -> Iterator[Problem]:
    """A contestant has one mark at most, since a day that was."""
    for source in models:
        given = {"provisional": source.spec.provisional, "retired": source.spec.retired}
        if all(given.values()):
            message = "a contestant that is retired is no longer provisional; keep one of the two marks"
            yield source.document.problem(["provisional"], message, at_key=True)
        for key, mark in given.items():
            if mark is not None and (wrong := wrong_day(mark.since, "the day since when it is so", past=new)):
                yield source.document.problem([key, "since"], wrong)


def judges_succeed(judges: Source[types.JudgesFile] | None) -> Iterator[Problem]:
    """The day on which a judge retires is one; a judge bridges from another that is there and bridges from nobody."""
    if judges is None:
        return
    known = {judge.id: judge for judge in judges.spec.judges}
    for number, judge in enumerate(judges.spec.judges):
        steps: list[str | int] = ["judges", number]
        if judge.retires is not None and (wrong := wrong_day(judge.retires, "the day on which it ends", past=False)):
            yield judges.document.problem([*steps, "retires"], wrong)
        if judge.bridges is None:
            continue
        place, other = [*steps, "bridges", "judge"], judge.bridges.judge
        if other == judge.id:
            yield judges.document.problem(place, f"the judge {other!r} cannot bridge from itself; name the one before")
        elif other not in known:
            yield judges.document.problem(place, f"unknown judge {other!r}; {did_you_mean(other, known)}")
        elif types.RECORDED in (judge.backend, known[other].backend):
            message = f"verdicts of the backend {types.RECORDED!r} were brought, and nobody can be asked for more"
            yield judges.document.problem(place, f"{message}; take `bridges` out")
        for panel in judges.spec.panels:
            if other != judge.id and {judge.id, other} <= set(panel.judges):
                message = f"the panel {panel.id!r} has both {judge.id!r} and {other!r}; a judge bridges before it joins"
                yield judges.document.problem(place, f"{message}. Take `bridges` out, or one of them off the panel")


def not_to_last(files: SpecFiles, backends: BackendNames) -> Iterator[Problem]:
    """Judges past the day on which they retire, and those whose model may become another under the same name."""
    voting = {judge for panel in files.panels for judge in panel.judges}
    for number, judge in enumerate(files.all_judges):
        assert files.judges is not None  # noqa: S101 - it holds the judge
        document = files.judges.document
        if judge.id in voting and is_past(judge):
            advice = "let a successor bridge from it and take its place on the panel"
            message = f"the judge {judge.id!r} retired on {judge.retires} and is on a panel still; {advice}"
            yield document.problem(["judges", number, "retires"], message)
        chats = judge.backend != types.RECORDED and backends.judges.get(judge.backend, frozenset()) is None
        if chats and (judge.model.endswith("latest") or not _PINNED.search(judge.model)):
            message = f"{quoted(judge.model)} names no version, so that another model may come to answer by this name"
            yield document.problem(["judges", number, "model"], f"{message}; name one with its date or version")


def is_past(judge: types.Judge) -> bool:
    """Whether the day on which a judge retires is over."""
    return judge.retires is not None and judge.retires < today().isoformat()
