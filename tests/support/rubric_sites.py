"""A small board of the `rubric` protocol and a run of it whose records are written by hand: no program, no call.

Four contestants answer twelve prompts of three domains, two of them private. Of the panel's three judges, sage is of
the family of Wordy and never marks it; ben's reply on Hasty's last answer cannot be read, so he counts in no mean of
Hasty. G-Eval failed once on Hasty, so Hasty stands on its judges alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from support.benchmarks import model_at_endpoint, write_benchmark, write_model, write_spec
from support.hostile import Texts, change_words
from support.sites import Site, site_once

from nullbench_site import api
from nullbench_site.protocols.rubric.specs import RubricPlacedItem
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, Manifest
from nullbench_site.runs.records import CheckResult, Hidden, Judgment, Record, Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark

BOARD = "tasks"
PRIVATE = ("reasoning-02", "writing-04")
METRICS = ("correctness", "coherence", "instruction-following")
_WHEN = "2026-01-01T00:00:00.000+00:00"

_DOMAINS = {
    "coding": ("Coding", "Finding and fixing faults in short programs.", ("Bug detection", "Refactoring")),
    "reasoning": ("Reasoning", "Estimates, logic and premises that do not hold.", ("Estimation", "False premise")),
    "writing": ("Writing", "Texts of a given length and tone.", ("Editing", "Email drafting")),
}
_CHECKS: tuple[list[dict[str, Any]], ...] = (
    [{"type": "word-count", "target": 40, "tolerance": 10}],
    [{"type": "banned-words", "words": ["delve"]}, {"type": "word-count", "target": 30, "tolerance": 20}],
    [{"type": "reasoning"}],
    [{"type": "response-length", "max_words": 80}],
)
_MODELS: tuple[dict[str, Any], ...] = (
    {"id": "clear", "title": "Clear", "kind": "model", "family": "acme", "vendor": "Acme", "open_weights": True,
     "provenance": "self-reported", "parameters_b": 7.5,
     "prices": {"input": 0.075, "output": 1.5, "date": "2026-01-01", "source": "a list"}},
    {"id": "wordy", "title": "Wordy", "kind": "model", "family": "sages", "vendor": "Sages & Sons",
     "open_weights": False, "parameters_b": 70,
     "prices": {"input": 2, "output": 12, "date": "2026-01-01", "source": "a list"}},
    {"id": "hasty", "title": "Hasty", "kind": "baseline", "family": "others"},
    {"id": "silent", "title": "Null: silence", "kind": "null", "family": "null"},
)  # fmt: skip
_JUDGES = (("anna", "annas"), ("ben", "bens"), ("sage", "sages"))


def write_rubric_specs(specs: Path, *, coverage: float = 0.95) -> None:
    """Write the specs of the board into `specs`, beside those of other boards. coverage: that of its G-Eval."""
    write_spec(specs / "boards" / f"{BOARD}.yaml", _board(coverage))
    for number, (name, (title, description, categories)) in enumerate(_DOMAINS.items()):
        domain = {
            "id": f"tasks-{name}", "title": title, "description": description, "protocol": "rubric",
            "categories": [_category(name, number, place, words) for place, words in enumerate(categories)],
        }  # fmt: skip
        write_spec(specs / "domains" / f"tasks-{name}.yaml", domain)
    for model in _MODELS:
        write_model(specs, **model, description=f"{model['title']}, for tests.")


def judges() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The judges of the board, and their panel."""
    asked = [model_at_endpoint(judge, family=family) for judge, family in (*_JUDGES, ("gina", "ginas"))]
    return asked, {"id": "three", "title": "Three models", "judges": [judge for judge, _ in _JUDGES]}


def _board(coverage: float) -> dict[str, Any]:
    return {
        "id": BOARD, "title": "Tasks", "question": "Who helps with everyday work?",
        "description": "Twelve short tasks, for tests.", "construct": "capability", "protocol": "rubric",
        "panel": "three", "controls": "none", "domains": [f"tasks-{name}" for name in _DOMAINS],
        "contestants": [model["id"] for model in _MODELS],
        "geval": {"judge": "gina", "metrics": list(METRICS), "coverage": coverage},
        "composite": {"judge": 2, "geval": 1}, "bootstrap": {"resamples": 200, "seed": 3},
    }  # fmt: skip


def _category(name: str, number: int, place: int, title: str) -> dict[str, Any]:
    items = []
    for n in (2 * place + 1, 2 * place + 2):
        item: dict[str, Any] = {"id": f"{name}-{n:02}", "difficulty": ("easy", "medium", "hard")[(number + n) % 3]}
        if item["id"] in PRIVATE:
            item |= {"visibility": "private", "hash": f"sha256:{hashlib.sha256(item['id'].encode()).hexdigest()}"}
        else:
            item |= {
                "prompt": f"Prompt {item['id']}: say it in about 40 words.", "ideal": f"Ideal of {item['id']}.",
                "criteria": [f"Keeps to {title.lower()}.", "Says why."], "checks": _CHECKS[n - 1],
            }  # fmt: skip
        items.append(item)
    slug = f"{name}-{title.lower().replace(' ', '-')}"
    return {"id": slug, "title": title, "description": f"Tests {title.lower()}.", "items": items}


# --- records --------------------------------------------------------------------------------------------------------


def rubric_records(benchmark: Benchmark) -> Iterator[Record]:
    """Every answer with its checks, marks and G-Eval scores."""
    board = benchmark.boards[BOARD]
    for place, placed in enumerate(benchmark.items(board)):
        for model in benchmark.contestants(board):
            response = _response(placed, model.id, place)
            yield response
            if response.state == "errored":
                continue
            for judge in benchmark.judges_for(board, model):
                yield _mark(response, judge.id, place)
            for metric in METRICS:
                yield _geval(response, metric, place)


def _response(placed: RubricPlacedItem, model: str, place: int) -> Response:
    private = placed.id in PRIVATE
    text = "" if model == "silent" else f"{model} answers {placed.id}: because {'so ' * (5 + place)}."
    hidden = Hidden(placed.item.hash or "", len(text)) if private else None
    failed = model == "hasty" and place == 3
    told = {"input_tokens": 20, "output_tokens": 40 + place} if model in ("clear", "wordy") else {}
    return Response(
        key=_key(model, placed.id), board=BOARD, model=model, item=placed.id, template="prompt", sample=0,
        state="errored" if failed else "answered", text="" if private or failed else text,
        error="the line is dead" if failed else None, started_at=_WHEN, seconds=0.5 + place / 10,
        checks=() if private or failed else _checks(placed, model, place), hidden=hidden, **told,
    )  # fmt: skip


def _checks(placed: RubricPlacedItem, model: str, place: int) -> tuple[CheckResult, ...]:
    found = []
    for params in placed.checks:
        kind = str(type(params).__struct_config__.tag)
        if kind != "reasoning":
            fails = model != "clear" and place % 2 == 0
            flags = ("too-short: 9 words, where 30 are wanted.",) if fails else ()
            found.append(CheckResult(kind, "p", "failed" if fails else "passed", flags))
    return tuple(found)


def _mark(response: Response, judge: str, place: int) -> Judgment:
    base = {"clear": 5, "wordy": 4, "hasty": 3, "silent": 1}[response.model]
    mark = max(1, min(5, base - (place % 3 == 0) - (judge == "anna" and place % 4 == 1)))
    unread = judge == "ben" and response.model == "hasty" and place == 11
    return _judgment(response, judge, None, {} if unread else {"score": mark}, f"{judge} says {mark}.")


def _geval(response: Response, metric: str, place: int) -> Judgment:
    base = {"clear": 0.9, "wordy": 0.8, "hasty": 0.5, "silent": 0.0}[response.model]
    if response.model == "hasty" and metric == "coherence" and place == 5:
        return msgspec.structs.replace(
            _judgment(response, "gina", f"geval.{metric}", {}, ""), state="errored", error="no reply", raw=None
        )
    share = 0.0 if response.model == "silent" else round(base - place % 3 / 10 + METRICS.index(metric) / 20, 3)
    return _judgment(response, "gina", f"geval.{metric}", {metric: share}, f"gina finds {share}.")


def _judgment(response: Response, judge: str, template: str | None, scores: dict[str, Any], why: str) -> Judgment:
    state = "scored" if scores else "unparsed"
    return Judgment(
        key=_key(judge, template, response.model, response.item), board=BOARD, model=response.model,
        item=response.item, template="prompt", sample=0, judge=judge, judge_template=template, position=None,
        state=state, scores=scores, invalid={} if scores else {"score": "missing"},
        rationale="" if response.hidden else why, raw=None if scores or response.hidden else "I would rather not say.",
        error=None, started_at=_WHEN, seconds=0.25, hidden=response.hidden,
    )  # fmt: skip


def _key(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _hostile(record: Record, texts: Texts) -> Record:
    """The record with hostile words wherever contestants, judges, endpoints and specs put theirs; none are private."""
    if record.hidden is not None:
        return record
    told: dict[str, Any] = {"served_model": texts.line(), "reasoning": texts.line()}
    if record.error:
        told["error"] = texts.line()
    if isinstance(record, Response):
        told["text"] = texts.line() if record.text else ""
        told["checks"] = tuple(
            msgspec.structs.replace(check, flags=tuple(texts.line() for _ in check.flags)) for check in record.checks
        )
    else:
        told |= {"rationale": texts.line(), "invalid": {name: texts.line() for name in record.invalid}}
        told["raw"] = texts.line() if record.raw else None
    return msgspec.structs.replace(record, **told)


# --- sites ----------------------------------------------------------------------------------------------------------


def write_rubric_run(repository: Repository, *others: Record, texts: Texts | None = None) -> RunFolder:
    """A sealed and scored run of the repository's specs: the records of the board, and `others`."""
    benchmark = load_benchmark(repository.specs)
    digest = spec_digest(benchmark)
    name = f"{benchmark.about.version}-{digest[:8]}"
    manifest = Manifest(
        format=FORMAT, run=name, benchmark=benchmark.about.id, version=benchmark.about.version, spec_digest=digest,
        calls_digest="0" * 64, tool="tests", state="open", fresh=False, created_at=_WHEN,
    )  # fmt: skip
    repository.runs.mkdir(exist_ok=True)
    run = RunFolder.create(repository.runs / name, manifest, repository.specs)
    for record in (*others, *rubric_records(benchmark)):
        run.append(record if texts is None else _hostile(record, texts))
    run.note(run.sort_shards())
    api.score(repository, name)
    RunFolder(run.path, run.manifest).seal(_WHEN)
    return run


def write_rubric_repository(folder: Path, texts: Texts | None = None) -> Repository:
    """A repository of the one board, with its run; with hostile texts where they are given."""
    repository = Repository(folder)
    write_rubric_specs(repository.specs)
    asked, panel = judges()
    write_spec(repository.specs / "judges.yaml", {"judges": asked, "panels": [panel]})
    about = {"id": "tasks", "title": "Tasks", "version": "0.1.0", "description": "Short tasks.", "license": "CC0"}
    write_spec(repository.specs / "benchmark.yaml", about)
    if texts is not None:
        for path in sorted(repository.specs.rglob("*.yaml")):
            spec = yaml.safe_load(path.read_text("utf-8"))
            change_words(spec, texts.of_specs)
            path.write_text(yaml.safe_dump(spec, sort_keys=False), "utf-8")
    write_rubric_run(repository, texts=texts)
    return repository


def write_mixed_repository(folder: Path) -> Repository:
    """A repository of an `axes` board and the `rubric` board, with a run of both."""
    axes = Repository(folder.with_name(f"{folder.name}-axes"))
    write_benchmark(axes.root)
    api.build(axes, render_site=False)
    built = api.find_run(axes, None)
    records = [
        record
        for model in RunFolder(built.path, built.manifest).models()
        for kind in (Response, Judgment)
        for record in RunFolder(built.path, built.manifest).records(kind, model)
    ]
    repository = Repository(folder)
    write_benchmark(folder)
    write_rubric_specs(repository.specs)
    asked, panel = judges()
    path = repository.specs / "judges.yaml"
    own = yaml.safe_load(path.read_text("utf-8"))
    write_spec(path, {"judges": [*own["judges"], *asked], "panels": [*own["panels"], panel]})
    write_rubric_run(repository, *records)
    return repository


def _rubric_site(folder: Path) -> Site:
    repository = write_rubric_repository(folder)
    api.render(repository)
    return Site(repository)


def _mixed_site(folder: Path) -> Site:
    repository = write_mixed_repository(folder)
    api.render(repository)
    return Site(repository)


def _hostile_rubric_site(folder: Path) -> Site:
    repository = write_rubric_repository(folder, Texts())
    api.render(repository)
    return Site(repository)


@pytest.fixture(scope="session")
def hostile_rubric_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The one board with hostile texts everywhere."""
    return site_once(tmp_path_factory, "hostile-rubric-site", _hostile_rubric_site)


@pytest.fixture(scope="session")
def rubric_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """One board of the `rubric` protocol; see `sites.site_once`."""
    return site_once(tmp_path_factory, "rubric-site", _rubric_site)


@pytest.fixture(scope="session")
def mixed_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A `rubric` board of language models and an `axes` board of programs."""
    return site_once(tmp_path_factory, "mixed-site", _mixed_site)
