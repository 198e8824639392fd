"""Where a spec stands in its folder: file, line and column of the field that changed, or of its id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from nullbench_site.errors import Problem
from nullbench_site.specs.changes import Change, Kind
from nullbench_site.specs.document import Document, DocumentLine
from nullbench_site.specs.sources import SpecFiles

_Place: TypeAlias = tuple[Document | DocumentLine, Sequence[str | int]]
"""A document, and the steps to a spec in it."""


@dataclass(frozen=True)
class Places:
    """The places of the specs of a folder."""

    files: SpecFiles

    def of(self, change: Change) -> Problem | None:
        """Where a change stands in the newer specs, as a problem without words; None of what is there no more."""
        if change.what == "removed":
            return None
        if change.kind == "template":
            return Problem(f"specs/templates/{change.id}.j2", 1, 1, "")
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
        yield from ((("contestant", source.spec.id), (source.document, ())) for source in files.models)
        yield from self._in_domains()
        for source in files.goals:
            yield from _listed("goal", source.document, "goals", (goal.id for goal in source.spec.goals))
        if files.axes is not None:
            document, axes = files.axes.document, files.axes.spec
            yield ("axes", "axes"), (document, ())
            yield from _listed("axis", document, "baseline", (axis.id for axis in axes.baseline))
            yield from _listed("axis", document, "special", (axis.id for axis in axes.special))
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


def _listed(kind: Kind, document: Document, key: str, ids: Iterable[str]) -> Iterator[tuple[tuple[Kind, str], _Place]]:
    yield from (((kind, name), (document, (key, place))) for place, name in enumerate(ids))
