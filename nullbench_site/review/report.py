"""The result of `diff` for programs: typed and bounded, with places; every foreign text is one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Any, TypeAlias

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.review.calls import Spec
from nullbench_site.review.evidence import Altered
from nullbench_site.review.reranking import BoardRanks, Count, RankChange, Some, Submission, TrustChange
from nullbench_site.site.data_files import schema_of
from nullbench_site.site.run_changes import fields_in_words
from nullbench_site.specs.changes import Change, Kind, What
from nullbench_site.specs.document import Document
from nullbench_site.specs.json_lines import JsonLine
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.sources import SpecFiles
from nullbench_site.text import short_line, some_of

_MOST_BYTES = 600_000
"""Size of the JSON of the listed changes; those with most calls come first."""
MOST_CONTESTANTS = 300
"""The most ranks and trust marks in the list."""
_MOST_TITLE = 120
_MOST_FIELDS = 12
_Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Calls(msgspec.Struct, frozen=True):
    """The calls of the head.

    asked: new calls. reused: calls that the base has answered. open: calls that the base needs too and has not
    answered. judges, contestants: those with new calls. controls: True if controls of the panel have new calls.
    brought: new calls that runs of the head answer.
    """

    asked: Count
    reused: Count
    open: Count
    judges: Some[str]
    contestants: Some[str]
    controls: bool
    brought: Count = 0

    @property
    def all(self) -> int:
        return self.asked + self.reused + self.open


class Cost(msgspec.Struct, frozen=True):
    """US dollars for the new calls that no run of the head answers. null: unknown; for `high`, no upper bound."""

    low: _Dollars | None
    high: _Dollars | None


class Trust(msgspec.Struct, frozen=True):
    """How many marks of the trust matrix move to a higher and to a lower class.

    Low and not measured are one class, so a move between them counts as neither.
    """

    gained: Count
    lost: Count


class SpecChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A changed spec. place: its id, or the start of the hash of a private item.

    calls: the new calls that count for this change. scored: True if it can move a score; otherwise it is cosmetic.
    before: its earlier id. fields: the changed fields. file, line, column: its place in the head, relative to the
    folder of specs/, for the formats that show places; empty for removed specs.
    """

    kind: Kind
    place: str
    what: What
    calls: Count
    scored: bool
    title: str = ""
    before: str = ""
    fields: Some[str] = ()
    file: str = ""
    line: Count = 0
    column: Count = 0


class RunFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run folder that differs between the sides. records: their number in the head.

    problems: the first problems that `--verify` found; null without `--verify`, or if the head has no such run.
    digest: the digest of the manifest of a sealed run.
    """

    run: str
    what: What
    records: Count
    sealed: bool
    problems: Some[str] | None = None
    digest: str = ""


class Diff(msgspec.Struct, frozen=True):
    """The output of `diff --format json`. calls, cost_usd: null if the head cannot be compared.

    problems: reasons why something cannot be read or compared. evidence: edits of the ledger and of runs. notices:
    changes that reviewers should ask about. base_read: True if the specs of the base load.
    more_changes, more_ranks, more_trust: how many are not listed. unexplained: new calls without a changed spec:
    earlier attempts failed, or this version asks differently. withheld: why some calls on private items are not
    counted; uncounted: how many.
    boards: how much of each board was ranked; ranks: the contestants that move. trust: null if nothing was measured;
    trust_changes: the marks that move. submissions: the contestants that the head adds. altered: the record check.
    head_run: the head's sealed run of its specs. runs: the run folders that differ.
    """

    base: str
    head: str
    tool: str
    problems: Some[str] = ()
    evidence: Some[str] = ()
    notices: Some[str] = ()
    calls: Calls | None = None
    cost_usd: Cost | None = None
    changes: Some[SpecChange] = ()
    more_changes: Count = 0
    unexplained: Count = 0
    withheld: str | None = None
    uncounted: Count = 0
    boards: Some[BoardRanks] = ()
    ranks: Some[RankChange] = ()
    more_ranks: Count = 0
    trust: Trust | None = None
    trust_changes: Some[TrustChange] = ()
    more_trust: Count = 0
    submissions: Some[Submission] = ()
    altered: Altered | None = None
    head_run: str | None = None
    runs: Some[RunFile] = ()
    base_read: bool = True

    @property
    def compared(self) -> bool:
        """Return True if the head could be read."""
        return self.calls is not None

    @property
    def tampered(self) -> bool:
        """Return True if the ledger, a run or a record was edited."""
        runs = any(run.problems for run in self.runs)
        return bool(self.evidence or runs or (self.altered is not None and self.altered.all))


def within_bounds(
    specs: Sequence[Change],
    calls: Mapping[Spec, int],
    private: Mapping[str, str],
    place_of: Callable[[Change], Problem | None] = lambda change: None,
) -> tuple[tuple[SpecChange, ...], int]:
    """Return the listed changes, with most calls first, then scored ones, and the number of the other changes.

    private: the hashes of private items, by id. place_of: returns the place of a change in the head.
    """
    listed_changes = []
    for change in specs:
        hidden = private.get(change.id) if change.kind == "item" else None
        place = bounded(change.id) if hidden is None else hidden
        title = "" if hidden is not None or change.title == change.id else bounded(change.title)
        renamed = "" if hidden is not None else bounded(change.before)
        fields = some_of([bounded(field) for field in fields_in_words(change)], _MOST_FIELDS, thousands="")
        asked = 0 if change.what == "removed" else calls.get((change.kind, change.id), 0)
        scored = change.scored
        at = place_of(change)
        where: dict[str, Any] = {} if at is None else {"file": bounded(at.file), "line": at.line, "column": at.column}
        listed_changes.append(
            SpecChange(change.kind, place, change.what, asked, scored, title, renamed, tuple(fields), **where)
        )
    listed_changes.sort(key=lambda change: (-change.calls, not change.scored))
    sizes = accumulate(len(msgspec.json.encode(change)) for change in listed_changes)
    fitting = sum(1 for size in sizes if size <= _MOST_BYTES)
    return tuple(listed_changes[:fitting]), len(listed_changes) - fitting


def bounded(text: str) -> str:
    """Return a foreign text as one short line."""
    return short_line(text, _MOST_TITLE)


def json_schema() -> bytes:
    """Return the JSON Schema of a Diff."""
    return schema_of(Diff)


_Place: TypeAlias = tuple[Document | JsonLine, Sequence[str | int]]
"""A document, and the path of a spec in it."""


@dataclass(frozen=True)
class Places:
    """The places of the specs of a folder."""

    files: SpecFiles

    def of(self, change: Change) -> Problem | None:
        """Return the place of a change in the newer specs, as a problem without a message; None for removed specs."""
        if change.what == "removed":
            return None
        if change.kind == "template":
            return Problem(f"specs/templates/{change.id}.txt", 1, 1, "")
        place = self._of_spec.get((change.kind, change.id))
        if place is None:
            return None
        moved = sorted(change.fields, key=lambda field: not field.scored)
        field: Sequence[str | int] = moved[0].path if change.what == "changed" and moved else ("id",)
        document, steps = place
        return document.problem([*steps, *field], "", at_key=True)

    @cached_property
    def _of_spec(self) -> Mapping[tuple[Kind, str], _Place]:
        return dict(self._every())

    def _every(self) -> Iterator[tuple[tuple[Kind, str], _Place]]:
        files = self.files
        yield ("benchmark", files.about.spec.id), (files.about.document, ())
        yield from ((("board", source.spec.id), (source.document, ())) for source in files.boards)
        yield from ((("contestant", source.spec.id), (source.document, ())) for source in files.contestants)
        yield from self._in_domains()
        for protocol in files.protocols:
            listed = specs_of(protocol).listed(files)
            yield from (((kind, name), (source.document, steps)) for kind, name, source, steps in listed)
        if files.judges is not None:
            document, judges = files.judges.document, files.judges.spec
            yield from _listed("judge", document, "judges", (judge.id for judge in judges.judges))
            yield from _listed("panel", document, "panels", (panel.id for panel in judges.panels))
        if files.endpoints is not None:
            endpoints = (endpoint.id for endpoint in files.endpoints.spec.endpoints)
            yield from _listed("endpoint", files.endpoints.document, "endpoints", endpoints)

    def _in_domains(self) -> Iterator[tuple[tuple[Kind, str], _Place]]:
        for source in self.files.domains:
            yield ("domain", source.spec.id), (source.document, ())
            for c, category in enumerate(source.spec.categories):
                yield ("category", f"{source.spec.id}/{category.id}"), (source.document, ("categories", c))
                for i, item in enumerate(category.items):
                    own = source.item_documents.get((c, i))
                    steps = ("categories", c, "items", i)
                    yield ("item", item.id), (source.document, steps) if own is None else (own, ())


def _listed(
    kind: Kind, document: Document | JsonLine, key: str, ids: Iterable[str]
) -> Iterator[tuple[tuple[Kind, str], _Place]]:
    yield from (((kind, name), (document, (key, place))) for place, name in enumerate(ids))
