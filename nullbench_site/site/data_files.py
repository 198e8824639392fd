"""The site's data for programs: data/v1, each kind of file with its JSON Schema beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar

import msgspec

from nullbench_site.protocols.axes.results import BoardRow, GroupRow
from nullbench_site.protocols.oracle.results import OracleRow, OracleScores
from nullbench_site.protocols.rubric.results import RubricRow, RubricScores
from nullbench_site.runs.manifest import Usage, Usages
from nullbench_site.scoring.metrics import Metric
from nullbench_site.site.gather import SiteData, shown_metrics
from nullbench_site.site.views import AxesView, BoardView, OracleView, RubricView

ROOT = "data/v1"

BOARD_SCHEMAS = {
    "axes": "boards/board.schema.json",
    "rubric": "boards/rubric-board.schema.json",
    "oracle": "boards/oracle-board.schema.json",
}
"""The schema of a board's file by its protocol."""


_RowT = TypeVar("_RowT", GroupRow, RubricScores, OracleScores)


class BoardEntry(msgspec.Struct):
    """A board and where its files are, relative to index.json."""

    id: str
    title: str
    question: str
    construct: str
    protocol: str
    json: str
    schema: str
    csv: str
    evidence: str


class ModelEntry(msgspec.Struct):
    """A contestant and where its file is, relative to index.json."""

    id: str
    title: str
    kind: str
    json: str


class Index(msgspec.Struct):
    """data/v1/index.json: what there is."""

    benchmark: str
    title: str
    version: str
    license: str
    run: str
    profile: str | None
    boards: list[BoardEntry]
    models: list[ModelEntry]
    runs: str
    metrics: list[Metric]


class AxesOnBoard(msgspec.Struct, tag_field="protocol", tag="axes"):
    """A contestant's row on an `axes` board, in its domains, in its categories and at its difficulties."""

    board: BoardRow
    domains: dict[str, GroupRow]
    categories: dict[str, GroupRow]
    difficulties: dict[str, GroupRow]


class RubricOnBoard(msgspec.Struct, tag_field="protocol", tag="rubric"):
    """The same on a `rubric` board."""

    board: RubricRow
    domains: dict[str, RubricScores]
    categories: dict[str, RubricScores]
    difficulties: dict[str, RubricScores]


class OracleOnBoard(msgspec.Struct, tag_field="protocol", tag="oracle"):
    """The same on an `oracle` board, and by type of key."""

    board: OracleRow
    domains: dict[str, OracleScores]
    categories: dict[str, OracleScores]
    difficulties: dict[str, OracleScores]
    key_types: dict[str, OracleScores]


OnBoard: TypeAlias = AxesOnBoard | RubricOnBoard | OracleOnBoard


class ModelData(msgspec.Struct):
    """data/v1/models/<model>.json: all figures of one contestant.

    usage: what its answers took, on all boards of the run together; null for programs.
    """

    id: str
    title: str
    description: str
    kind: str
    backend: str
    family: str
    vendor: str | None
    license: str | None
    open_weights: bool | None
    parameters_b: float | None
    released: str | None
    run: str
    usage: Usage | None
    boards: dict[str, OnBoard]


class RunEntry(msgspec.Struct):
    """A run as its manifest describes it; the digest of each of its files stands in the manifest itself.

    cost_usd: at least; null where no price is known. usage: tells what is not in it.
    """

    run: str
    version: str
    profile: str | None
    state: str
    spec_digest: str
    manifest_digest: str
    tool: str
    created_at: str
    sealed_at: str | None
    responses: int
    judgments: int
    failed: int
    cost_usd: float | None
    usage: Usages


class Runs(msgspec.Struct):
    """data/v1/runs.json: every run, newest first."""

    shown: str
    runs: list[RunEntry]


def data_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    about = site.benchmark.about
    models = {row.model for results in site.boards.values() for row in results.leaderboard}
    index = Index(
        benchmark=about.id,
        title=about.title,
        version=about.version,
        license=about.license,
        run=site.entry.manifest.run,
        profile=site.entry.manifest.profile,
        boards=[
            BoardEntry(
                id=view.board.id,
                title=view.board.title,
                question=view.board.question,
                construct=view.board.construct,
                protocol=view.board.protocol,
                json=f"boards/{view.board.id}.json",
                schema=BOARD_SCHEMAS[view.board.protocol],
                csv=f"boards/{view.board.id}.csv",
                evidence=f"evidence/{view.board.id}/index.json",
            )
            for view in site.views
        ],
        models=[
            ModelEntry(model.id, model.title, model.kind, f"models/{model.id}.json")
            for model in site.benchmark.models.values()
            if model.id in models
        ],
        runs="runs.json",
        metrics=shown_metrics(site),
    )
    yield from with_schema("index.json", "index.schema.json", index)
    for board, results in site.boards.items():
        yield from with_schema(f"boards/{board}.json", BOARD_SCHEMAS[results.protocol], results)
        csv = site.entry.path / "results" / board / "leaderboard.csv"
        yield f"{ROOT}/boards/{board}.csv", csv.read_bytes()
    for model in models:
        yield from with_schema(f"models/{model}.json", "models/model.schema.json", _model(site, model))
    yield from with_schema("runs.json", "runs.schema.json", _runs(site))


def _model(site: SiteData, model: str) -> ModelData:
    spec = site.benchmark.models[model]
    return ModelData(
        id=spec.id,
        title=spec.title,
        description=spec.description,
        kind=spec.kind,
        backend=spec.backend,
        family=spec.family,
        vendor=spec.vendor,
        license=spec.license,
        open_weights=spec.open_weights,
        parameters_b=spec.parameters_b,
        released=spec.released,
        run=site.entry.manifest.run,
        usage=site.entry.manifest.usage.contestants.get(spec.id),
        boards={view.board.id: _on_board(view, model) for view in site.views if model in view.rows},
    )


def _on_board(view: BoardView, model: str) -> OnBoard:
    match view:
        case AxesView():
            return AxesOnBoard(
                board=view.rows[model],
                domains=_of(model, view.in_domains),
                categories=_of(model, view.in_categories),
                difficulties=_of(model, view.in_difficulties),
            )
        case RubricView():
            return RubricOnBoard(
                board=view.rows[model],
                domains=_of(model, view.in_domains),
                categories=_of(model, view.in_categories),
                difficulties=_of(model, view.in_difficulties),
            )
        case OracleView():
            return OracleOnBoard(
                board=view.rows[model],
                domains=_of(model, view.in_domains),
                categories=_of(model, view.in_categories),
                difficulties=_of(model, view.in_difficulties),
                key_types=_of(model, view.in_key_types),
            )
    raise NotImplementedError(view.board.protocol)


def _of(model: str, rows: Mapping[str, Mapping[str, _RowT]]) -> dict[str, _RowT]:
    return {group: by_model[model] for group, by_model in rows.items() if model in by_model}


def _runs(site: SiteData) -> Runs:
    entries = []
    for entry in reversed(site.runs):
        manifest, counts = entry.manifest, entry.manifest.counts
        entries.append(
            RunEntry(
                run=manifest.run,
                version=manifest.version,
                profile=manifest.profile,
                state=manifest.state,
                spec_digest=manifest.spec_digest,
                manifest_digest=manifest.digest,
                tool=manifest.tool,
                created_at=manifest.created_at,
                sealed_at=manifest.sealed_at,
                responses=counts.answered + counts.errored,
                judgments=counts.scored + counts.unparsed + counts.judge_errored,
                failed=counts.failed,
                cost_usd=manifest.cost_usd,
                usage=manifest.usage,
            )
        )
    return Runs(site.entry.manifest.run, entries)


def with_schema(path: str, schema_path: str, value: msgspec.Struct) -> Iterator[tuple[str, bytes]]:
    """A data file and its schema, by path below the site's root; both paths are below data/v1."""
    yield f"{ROOT}/{path}", msgspec.json.encode(value)
    yield f"{ROOT}/{schema_path}", schema_of(type(value))


@cache
def schema_of(kind: Any) -> bytes:
    """The JSON Schema of a type of data, as the text of its file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(kind)}
    return msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
