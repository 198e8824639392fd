"""The parts of pages that are peculiar to the `oracle` protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nullbench_site.site.pages.oracle import board, domains, judges, methodology, models
from nullbench_site.site.views import OracleView
from nullbench_site.specs.types import DomainFile, ModelFile


@dataclass(frozen=True)
class OraclePages:
    """ProtocolPages of a `oracle` board."""

    view: OracleView

    def board(self) -> dict[str, Any]:
        return board.context(self.view)

    def domains(self) -> Iterator[tuple[DomainFile, dict[str, Any]]]:
        return domains.contexts(self.view)

    def overview(self) -> dict[str, Any]:
        return domains.overview(self.view)

    def fingerprints(self) -> dict[str, Any]:
        return models.overview(self.view)

    def fingerprint(self, model: ModelFile) -> dict[str, Any]:
        return models.context(self.view, model)

    def judges(self) -> dict[str, Any]:
        return judges.context(self.view)

    def method(self) -> dict[str, Any]:
        return methodology.context(self.view)
