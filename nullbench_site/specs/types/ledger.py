"""specs/ledger.yaml: what of a benchmark was added, changed or withdrawn, when, by whom and why."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from nullbench_site.specs.types.common import Canary, Day, Id, Line, Name, Spec

LedgerKind = Literal[
    "board", "domain", "category", "item", "goal", "axis", "template", "contestant", "judge", "panel",
]  # fmt: skip
Deed = Literal["added", "changed", "withdrawn"]


class LedgerEntry(Spec, frozen=True, kw_only=True):
    """One thing that happened to one spec."""

    date: Day
    kind: LedgerKind
    id: Annotated[Id, Meta(description="Of a spec that is there, or that an entry says was withdrawn.")]
    what: Deed
    reason: Line
    by: Annotated[Name, Meta(description="Who answers for it: a person, a group, a bot.")]


class LedgerFile(Spec, frozen=True, kw_only=True):
    """specs/ledger.yaml: entries are added at its end, and none is ever edited or taken out. Changes no score."""

    canary: Canary
    entries: Annotated[tuple[LedgerEntry, ...], Meta(min_length=1, description="Oldest first.")]
