"""The ledger: entries in the order of days, each of something that is there or that an entry says is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.days import wrong_day
from nullbench_site.specs.rules.files import Source, SpecFiles
from nullbench_site.text import did_you_mean


def ledger_is_kept(files: SpecFiles, *, new: bool) -> Iterator[Problem]:
    """Days are in order; what the last entry of a spec says of it, there or withdrawn, is so."""
    source = files.ledger
    if source is None:
        return
    entries = source.spec.entries
    last = {(entry.kind, entry.id): number for number, entry in enumerate(entries)}
    for number, entry in enumerate(entries):
        if wrong := wrong_day(entry.date, "the day on which it was done", past=new):
            yield source.document.problem(["entries", number, "date"], wrong)
        elif number and entry.date < entries[number - 1].date:
            message = f"{entry.date} comes after {entries[number - 1].date}; entries stand oldest first"
            yield source.document.problem(["entries", number, "date"], f"{message}, so add this one at the end")
    yield from _of_what_is_there(source, last, _ids(files))


def _of_what_is_there(
    source: Source[types.LedgerFile], last: Mapping[tuple[types.LedgerKind, str], int], ids: Mapping[str, set[str]]
) -> Iterator[Problem]:
    for (kind, name), number in last.items():
        withdrawn, there = source.spec.entries[number].what == "withdrawn", name in ids[kind]
        if withdrawn and there:
            message = f"the {kind} {name!r} is there, and this last entry on it says it was withdrawn"
            yield source.document.problem(["entries", number, "what"], f"{message}; add an entry that says what it is")
        elif not withdrawn and not there:
            message = f"there is no {kind} {name!r}; {did_you_mean(name, ids[kind])}"
            advice = "where it is gone, add an entry that says it was withdrawn"
            yield source.document.problem(["entries", number, "id"], f"{message}; {advice}")


def _ids(files: SpecFiles) -> Mapping[str, set[str]]:
    categories = [category for source in files.domains for category in source.spec.categories]
    return {
        "board": {source.spec.id for source in files.boards},
        "domain": {source.spec.id for source in files.domains},
        "category": {category.id for category in categories},
        "item": {item.id for category in categories for item in category.items},
        "goal": {goal.id for source in files.goals for goal in source.spec.goals},
        "axis": set(files.axis_ids),
        "template": set(files.templates),
        "contestant": {source.spec.id for source in files.models},
        "judge": {judge.id for judge in files.all_judges},
        "panel": {panel.id for panel in files.panels},
    }
