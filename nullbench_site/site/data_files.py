"""The site's data for programs: data/v1, each kind of file with its JSON Schema beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from nullbench_site.runs.manifest import Usage, Usages
from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.scoring.results import BoardResults, BoardRow, GroupRow
from nullbench_site.site.gather import SiteData

ROOT = "data/v1"


class BoardEntry(msgspec.Struct):
    """A board and where its files are, relative to index.json."""

    id: str
    title: str
    question: str
    construct: str
    protocol: str
    json: str
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


class ModelOnBoard(msgspec.Struct):
    """A contestant's row on a board, in its domains and in its categories."""

    board: BoardRow
    domains: dict[str, GroupRow]
    categories: dict[str, GroupRow]


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
    boards: dict[str, ModelOnBoard]


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
        metrics=list(METRICS.values()),
    )
    yield from _with_schema("index.json", "index.schema.json", index)
    for board, results in site.boards.items():
        yield from _with_schema(f"boards/{board}.json", "boards/board.schema.json", results, BoardResults)
        csv = site.entry.path / "results" / board / "leaderboard.csv"
        yield f"{ROOT}/boards/{board}.csv", csv.read_bytes()
    for model in models:
        yield from _with_schema(f"models/{model}.json", "models/model.schema.json", _model(site, model))
    yield from _with_schema("runs.json", "runs.schema.json", _runs(site))


def _model(site: SiteData, model: str) -> ModelData:
    spec = site.benchmark.models[model]
    boards = {}
    for view in site.views:
        if model in view.rows:
            boards[view.board.id] = ModelOnBoard(
                board=view.rows[model],
                domains={g.id: row for g in view.results.domains for row in g.rows if row.model == model},
                categories={g.id: row for g in view.results.categories for row in g.rows if row.model == model},
            )
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
        boards=boards,
    )


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


def _with_schema(path: str, schema_path: str, value: Any, kind: type | None = None) -> Iterator[tuple[str, bytes]]:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(kind or type(value))}
    yield f"{ROOT}/{path}", msgspec.json.encode(value)
    yield f"{ROOT}/{schema_path}", msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
