"""The site's data for programs: data/v1, each kind of file with its JSON Schema beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import Any, get_args

import msgspec
from msgspec.structs import fields

from nullbench_site.extensions import registered
from nullbench_site.runs.manifest import Manifest, Usage, Usages
from nullbench_site.scoring.columns import MetricEntry
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import results_type
from nullbench_site.scoring.tables import stored_type
from nullbench_site.site import words
from nullbench_site.site.gather import SiteData, shown_metrics
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import Mark, Origin, Provenance

ROOT = "data/v1"


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
    metrics: list[MetricEntry]


class ModelFacts(msgspec.Struct):
    """data/v1/models/<model>.json: all figures of one contestant.

    usage: of its answers on all boards of the run together; null for programs. status: active, provisional or retired.
    mark: the date and the reason of that status; null if active. origin: where its answers come from. provenance: the
    origin that its spec claims; null if it claims none.
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
    status: str
    mark: Mark | None
    origin: Origin
    provenance: Provenance | None


class RunEntry(msgspec.Struct):
    """A run as its manifest describes it. The manifest has the digest of each file.

    cost_usd: the least that the run cost; null if no price is known; `usage` counts the calls that it leaves out.
    commit: of the specs; null if unknown. dirty: whether the specs differed from it.
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
    commit: str | None
    dirty: bool | None


class Runs(msgspec.Struct):
    """data/v1/runs.json: every run, newest first."""

    shown: str
    runs: list[RunEntry]


def board_schema(protocol: str) -> str:
    """The schema of a board's file."""
    return pages_of(protocol).board_schema or f"boards/{protocol}-board.schema.json"


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
                schema=board_schema(view.board.protocol),
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
        metrics=[MetricEntry.of(metric) for metric in shown_metrics(site)],
    )
    yield from with_schema("index.json", "index.schema.json", index)
    for board, results in site.boards.items():
        yield from with_schema(f"boards/{board}.json", board_schema(results.protocol), results)
        yield f"{ROOT}/runs/{results.protocol}-results.schema.json", schema_of(stored_type(type(results)))
        csv = site.entry.path / "results" / board / "leaderboard.csv"
        yield f"{ROOT}/boards/{board}.csv", csv.read_bytes()
        if results.differences:
            yield f"{ROOT}/boards/{board}/differences.csv", csv.with_name("differences.csv").read_bytes()
        for name in results.some:
            yield f"{ROOT}/boards/{board}/{name}.csv", csv.with_name(f"{name}.csv").read_bytes()
    on_boards = {view.board.id: _OnBoards(view) for view in site.views}
    for model in sorted(models):
        yield from with_schema(f"models/{model}.json", "models/model.schema.json", _model(site, model, on_boards))
    yield from with_schema("runs.json", "runs.schema.json", _runs(site))


def _model(site: SiteData, model: str, on_boards: Mapping[str, _OnBoards]) -> msgspec.Struct:
    spec = site.benchmark.models[model]
    return model_type()(
        **{name: getattr(spec, name) for name in ModelFacts.__struct_fields__ if name not in ("run", "usage")},
        run=site.entry.manifest.run,
        usage=site.entry.manifest.usage.contestants.get(model),
        boards={board: rows.of(model) for board, rows in on_boards.items() if model in rows.view.rows},
    )


@cache
def groupings(results: type[Results]) -> Mapping[str, Any]:
    """The fields of a board's results that hold contestants by group, such as its domains, with the type of a row."""
    tables = {field.name: field.type for field in fields(results)}
    rows = {}
    for name in results.GROUPS:
        (group,) = get_args(tables[name])
        (rows[name],) = get_args(next(field.type for field in fields(group) if field.name == "rows"))
    return rows


@cache
def on_board_type(protocol: str) -> type[msgspec.Struct]:
    """What the file of a contestant has of a board."""
    results = results_type(protocol)
    (row,) = get_args(next(field.type for field in fields(results) if field.name == "leaderboard"))
    groups = groupings(results)
    listed = words.listed([name.replace("_", " ") for name in groups])
    description = f"A contestant's row on a board of the protocol `{protocol}`, and its rows by {listed}."
    return msgspec.defstruct(
        f"{protocol.capitalize()}OnBoard",
        [("board", row), *((name, GenericAlias(dict, (str, of_group))) for name, of_group in groups.items())],
        namespace={"__doc__": description},
        tag_field="protocol",
        tag=protocol,
    )


@cache
def model_type() -> type[msgspec.Struct]:
    """What the file of a contestant has, on boards of every protocol there is."""
    kinds: Any = reduce(or_, map(on_board_type, registered("protocols")))
    boards = ("boards", GenericAlias(dict, (str, kinds)))
    return msgspec.defstruct("ModelData", [boards], bases=(ModelFacts,), namespace={"__doc__": ModelFacts.__doc__})


class _OnBoards:
    """The rows of contestants on one board."""

    def __init__(self, view: BoardView) -> None:
        self.view, self.type = view, on_board_type(str(view.board.protocol))
        self.groups = {
            name: {group.id: {row.model: row for row in group.rows} for group in getattr(view.results, name)}
            for name in groupings(results_type(view.board.protocol))
        }

    def of(self, model: str) -> msgspec.Struct:
        """Those of one of them."""
        groups = {
            name: {group: rows[model] for group, rows in of_model.items() if model in rows}
            for name, of_model in self.groups.items()
        }
        return self.type(board=self.view.rows[model], **groups)


def _runs(site: SiteData) -> Runs:
    return Runs(site.entry.manifest.run, [_run(entry.manifest) for entry in reversed(site.runs)])


def _run(manifest: Manifest) -> RunEntry:
    counts = manifest.counts
    own: dict[str, Any] = {
        "manifest_digest": manifest.digest,
        "responses": counts.answered + counts.errored,
        "judgments": counts.scored + counts.unparsed + counts.judge_errored,
        "failed": counts.failed,
        "commit": manifest.source and manifest.source.commit,
        "dirty": manifest.source and manifest.source.dirty,
    }
    same = {name: getattr(manifest, name) for name in RunEntry.__struct_fields__ if name not in own}
    return RunEntry(**own, **same)


def with_schema(path: str, schema_path: str, value: msgspec.Struct) -> Iterator[tuple[str, bytes]]:
    """A data file and its schema, by path below the site's root; both paths are below data/v1."""
    yield f"{ROOT}/{path}", msgspec.json.encode(value)
    yield f"{ROOT}/{schema_path}", schema_of(type(value))


@cache
def schema_of(kind: Any) -> bytes:
    """The JSON Schema of a type of data, as the text of its file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(kind)}
    return msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
