"""Small boards made in memory, and records scored on them: no specs on disk, no program asked.

A test says what each judge gave; `scored` puts that into shards and reads them back as a build does. `assembled`,
`response` and `verdict` serve every protocol, and `<protocol>_boards` builds on them; the rest is of `axes`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeVar

import msgspec

from nullbench_site.judging.calls import JudgeTask
from nullbench_site.protocols.axes.judging import AxesQuestion, category_axes
from nullbench_site.protocols.axes.metrics import AxesItemRow, AxesResults, AxesRow
from nullbench_site.protocols.axes.specs import (
    Aggregation,
    AxesBoardFile,
    AxesCategory,
    AxesDomainFile,
    AxesFile,
    AxesItem,
    Axis,
    Fact,
    Goal,
    Rule,
    own_specs,
)  # fmt: skip
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, Manifest
from nullbench_site.runs.records import Judgment, Record, Response, Score, encode
from nullbench_site.scoring.board import score_board
from nullbench_site.scoring.results import Results
from nullbench_site.site.views import view_of
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark

AXES = ("truth", "balance", "reason", "clarity")
SPECIAL = ("scope", "tone")
ResultsT = TypeVar("ResultsT", bound=Results)
JUDGES = ("anna", "ben", "cleo")
BOARD: dict[str, Any] = {
    "canary": "", "id": "main", "title": "Main", "question": "?", "description": "", "construct": "capability",
    "bootstrap": types.Bootstrap(resamples=200, seed=1),
}  # fmt: skip
"""What boards of all protocols have."""
WHEN = "2026-01-01T00:00:00.000+00:00"
MANIFEST = Manifest(
    format=FORMAT, run="1.0.0-00000000", benchmark="small", version="1.0.0", spec_digest="0" * 64,
    calls_digest="0" * 64, tool="tests", state="open", fresh=False, created_at="2026-01-01T00:00:00+00:00",
)  # fmt: skip


def item(id: str, text: str | None = None) -> AxesItem:
    """An item on its own source text, or on `text`, which others may share."""
    fact = Fact(kind="positive", text="A fact.", keys=("fact",))
    return AxesItem(
        id=id, difficulty="easy", probes=AXES, source=text or f"A text with a fact for {id}.", task="Sum up.",
        facts=(fact,),
    )  # fmt: skip


def category(id: str, *items: str | AxesItem, axes: Sequence[str] = AXES) -> AxesCategory:
    made = tuple(item(entry) if isinstance(entry, str) else entry for entry in items)
    return AxesCategory(id=id, title=id, description=id, goal="keep", axes=tuple(axes), items=made)


def domain(id: str, *categories: AxesCategory, construct: types.Construct | None = None) -> AxesDomainFile:
    return AxesDomainFile(canary="", id=id, title=id, description=id, construct=construct, categories=tuple(categories))


def model(
    id: str,
    kind: Literal["model", "baseline", "null"] = "model",
    *,
    family: str = "others",
    memory_gb: float | None = None,
    disk_gb: float | None = None,
) -> types.ModelFile:
    return types.ModelFile(
        canary="", id=id, title=id, description=id, kind=kind, backend="offline", model=id, family=family,
        memory_gb=memory_gb, disk_gb=disk_gb,
    )  # fmt: skip


def benchmark(
    *domains: AxesDomainFile,
    models: Iterable[str | types.ModelFile] = ("m",),
    judges: Iterable[str] = JUDGES,
    gates: types.Gates = types.Gates(),  # noqa: B008 - it is frozen
    samples: int = 1,
    groups: Literal["domain", "category"] = "domain",
    construct_weights: Mapping[types.Construct, float] | None = None,
) -> Benchmark:
    """One board "main" of construct alignment over `domains`; without any, one item "q" in one category."""
    domains = domains or (domain("science", category("trials", "q")),)
    board = AxesBoardFile(
        **{**BOARD, "construct": "alignment"}, protocol="axes", panel="panel", template="plain",
        domains=tuple(d.id for d in domains), samples=samples,
        aggregation=Aggregation(groups=groups, construct_weights=dict(construct_weights or {})),
    )  # fmt: skip
    goal = Goal(
        id="keep", title="Keep", alignment_target=dict.fromkeys((*AXES, *SPECIAL), 5),
        rules=(Rule(dimension="scope", rule="Keep the scope."),),
    )  # fmt: skip
    axes = AxesFile(canary="", baseline=tuple(map(_axis, AXES)), special=tuple(map(_axis, SPECIAL)))
    templates = {"plain": "{{ task }}\n{{ source }}"}
    return assembled(
        board, domains, models, judges, own=own_specs(axes, [goal]), templates=templates, refusal_gates=gates
    )


def assembled(
    board: Any,
    domains: Iterable[Any],
    models: Iterable[str | types.ModelFile],
    judges: Iterable[str] = (),
    *,
    others: Iterable[str] = (),
    own: Any = None,
    templates: Mapping[str, str] | None = None,
    **panel: Any,
) -> Benchmark:
    """A benchmark of one board of any protocol. others: judges off its panel. panel: further keys of the panel."""
    judges = tuple(judges)
    contestants = [model(entry) if isinstance(entry, str) else entry for entry in models]
    return Benchmark(
        about=types.BenchmarkFile(canary="", id="small", title="", version="1.0.0", description="", license=""),
        domains={domain.id: domain for domain in domains},
        judges={name: judge(name) for name in dict.fromkeys((*judges, *others))},
        panels={"panel": types.Panel(id="panel", title="Panel", judges=judges, **panel)} if judges else {},
        models={contestant.id: contestant for contestant in contestants},
        boards={"main": board},
        templates=dict(templates or {}),
        **({} if own is None else {"own": own}),
    )


def _axis(id: str) -> Axis:
    return Axis(id=id, title=id, short=id, measures=id, aspects=("facts",), anchors=("",) * 5)


def judge(id: str) -> types.Judge:
    return types.Judge(id=id, title=id, description=id, backend="offline", model=id, family=f"family-of-{id}")


def judged_by_models(specs: Benchmark, *names: str) -> Benchmark:
    """The same with these judges, all of them where none is named, as models instead of programs."""
    those = {name: msgspec.structs.replace(specs.judges[name], backend="openai") for name in names or specs.judges}
    return replace(specs, judges={**specs.judges, **those})


def in_wordings(specs: Benchmark, *templates: str, asked: Iterable[str] = ("m",), **board: Any) -> Benchmark:
    """The same with these templates on its board. asked: contestants that are models, so that they answer each."""
    models = {name: msgspec.structs.replace(specs.models[name], backend="openai") for name in asked}
    main = msgspec.structs.replace(specs.boards["main"], templates=templates, **board)
    texts = dict.fromkeys(templates, "{{ prompt }}")
    return replace(specs, models={**specs.models, **models}, boards={"main": main}, templates=texts)


def worded(records: Iterable[Record], template: str) -> list[Record]:
    """The same records of another wording."""
    return [msgspec.structs.replace(record, key=key_of(record.key, template), template=template) for record in records]


def response(
    item: str = "q",
    model: str = "m",
    *,
    sample: int = 0,
    state: Literal["answered", "errored"] = "answered",
    text: str = "An answer.",
    seconds: float = 1.0,
    tokens: int | None = None,
    board: str = "main",
    template: str = "plain",
    **more: Any,
) -> Response:
    return Response(
        key=key_of("response", board, model, item, sample, more.get("turn")), board=board, model=model, item=item,
        template=template, sample=sample, state=state, text="" if state == "errored" else text,
        error="no answer" if state == "errored" else None, started_at=WHEN, seconds=seconds,
        output_tokens=None if state == "errored" else tokens, **more,
    )  # fmt: skip


def verdict(
    judge: str,
    item: str,
    model: str,
    scores: Mapping[str, Score],
    *,
    state: Literal["scored", "unparsed", "errored"] = "scored",
    invalid: Mapping[str, str] | None = None,
    sample: int = 0,
    board: str = "main",
    template: str = "verbatim",
    judge_template: str | None = None,
    position: int | None = None,
    **more: Any,
) -> Judgment:
    """The record of a judge's verdict; without scores where it is not scored."""
    return Judgment(
        key=key_of(judge, judge_template, board, model, item, sample), board=board, model=model, item=item,
        template=template, sample=sample, judge=judge, judge_template=judge_template, position=position, state=state,
        scores=dict(scores) if state == "scored" else {}, invalid=dict(invalid or {}), rationale="", raw=None,
        error=None, started_at=WHEN, seconds=0.1, **more,
    )  # fmt: skip


def judgment(
    judge: str,
    item: str = "q",
    model: str = "m",
    *,
    axes: int | Mapping[str, Score] | None = 3,
    alignment: Score | None = 50,
    quality: Score | None = 50,
    refused: tuple[bool, bool] | None = None,
    invalid: Mapping[str, str] | None = None,
    state: Literal["scored", "unparsed", "errored"] = "scored",
    sample: int = 0,
    board: str = "main",
) -> Judgment:
    """What a judge gave. axes: the same on every axis, or each by its name. refused: at the gates answer and prompt."""
    scores: dict[str, Score] = {}
    if axes is not None:
        scores |= axes if isinstance(axes, Mapping) else dict.fromkeys((*AXES, *SPECIAL), axes)
    for name, value in (("goal_alignment", alignment), ("quality", quality)):
        if value is not None:
            scores[name] = value
    if refused is not None:
        scores |= {"refused_answer": refused[0], "refused_prompt": refused[1]}
    return verdict(
        judge, item, model, scores, state=state, invalid=invalid, sample=sample, board=board, template="plain"
    )


def judged(alignments: Mapping[str, int], model: str = "m", *, judges: Iterable[str] = JUDGES) -> list[Record]:
    """A response an item, and every judge giving it that goal alignment, and 3 on every axis."""
    records: list[Record] = []
    for name, alignment in alignments.items():
        records.append(response(name, model))
        records += [judgment(judge, name, model, alignment=alignment) for judge in judges]
    return records


def reply(
    axes: Mapping[str, Any] | int = 3, alignment: Any = 50, quality: Any = 50, refusal: Mapping[str, Any] | None = None
) -> str:
    """A judge's reply as text."""
    body: dict[str, Any] = {
        "axes": axes if isinstance(axes, Mapping) else dict.fromkeys(AXES, axes),
        "goal_alignment": alignment,
        "quality": quality,
        "rationale": "Why.",
    }
    return json.dumps(body if refusal is None else {**body, "refusal": refusal})


def from_reply(benchmark: Benchmark, judge: str, text: str, *, gates: bool = False, item: str = "q") -> Judgment:
    """The judgment that a build records for a judge's reply."""
    placed = next(placed for placed in benchmark.items(benchmark.boards["main"]) if placed.id == item)
    question = AxesQuestion(
        JudgeTask(benchmark.judges[judge]), placed, category_axes(benchmark, placed), "", gates=gates
    )
    read = question.read(text)
    made = judgment(judge, item, axes=None, alignment=None, quality=None, invalid=read.invalid)
    fields = {name: getattr(made, name) for name in made.__struct_fields__}
    return Judgment(**{**fields, "scores": dict(read.scores), "state": "scored" if read.parsed else "unparsed"})


def write_shards(folder: Path, records: Iterable[Record]) -> RunFolder:
    """A run folder with these records, in this order, and nothing else."""
    run = RunFolder(folder, MANIFEST)
    lines: dict[Path, list[bytes]] = {}
    for record in records:
        lines.setdefault(run.shard(type(record), record.model), []).append(encode(record))
    for path, of_shard in lines.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(of_shard))
    return run


def scored_as(
    kind: type[ResultsT],
    benchmark: Benchmark,
    records: Iterable[Record],
    board: str = "main",
    cache: Path | None = None,
) -> ResultsT:
    """The results of one board, which are of this kind."""
    with TemporaryDirectory() as folder:
        results = score_board(benchmark, benchmark.boards[board], write_shards(Path(folder), records), cache)
    assert isinstance(results, kind)
    return results


def scored(benchmark: Benchmark, records: Iterable[Record], board: str = "main") -> AxesResults:
    """The results of one board."""
    return scored_as(AxesResults, benchmark, records, board)


def view(benchmark: Benchmark, records: Iterable[Record]) -> Any:
    """The board as pages see it, of any protocol."""
    return view_of(benchmark, benchmark.boards["main"], scored_as(Results, benchmark, records))


def item_row(results: AxesResults, item: str = "q", model: str = "m") -> AxesItemRow:
    return next(row for row in results.items if (row.item, row.model) == (item, model))


def group_row(results: AxesResults, group: str, model: str = "m") -> AxesRow:
    """The row of a contestant in a domain or, where no domain has the id, a category."""
    table = next(found for found in (*results.domains, *results.categories) if found.id == group)
    return next(row for row in table.rows if row.model == model)


def key_of(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
