"""A judge keeps its method: its recorded answers to questions and verdicts of the same name would be mixed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from nullbench_site.errors import Problem, SpecError
from nullbench_site.runs.folder import SHARDS
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.document import read_document
from nullbench_site.specs.types import Judge

_JUDGES = "judges.yaml"


def check_methods(benchmark: Benchmark, specs: Path, runs: Path) -> None:
    """Raise SpecError for each judge that has recorded calls by another method than its spec has now."""
    asking = any(judge.asks_questions for judge in benchmark.judges.values())
    problems: dict[str, Problem] = {}
    for path in sorted(runs.glob(f"*/specs/{_JUDGES}")):
        raw = path.read_bytes()
        if not asking and b"questions" not in raw:
            continue
        for name, method in _methods(path, raw):
            judge = benchmark.judges.get(name)
            if judge is None or judge.method == method or name in problems or not _has_calls(path.parent.parent, name):
                continue
            problems[name] = _problem(specs, judge, method, path.parent.parent.name)
    if problems:
        raise SpecError(list(problems.values()))


def _methods(path: Path, raw: bytes) -> Iterator[tuple[str, str]]:
    """Yield the judges of a file, each with its method. A file that cannot be read has none; `verify` reports it."""
    document, _ = read_document(str(path), raw)
    listed = document.data.get("judges") if document is not None and isinstance(document.data, dict) else None
    for judge in listed if isinstance(listed, list) else ():
        if isinstance(judge, dict) and isinstance(judge.get("id"), str):
            yield str(judge["id"]), str(judge.get("method", "verdict"))


def _has_calls(run: Path, judge: str) -> bool:
    """Return True if a run has a judgment by a judge."""
    needle = f'"judge":{json.dumps(judge)}'.encode()
    for shard in (run / SHARDS[Judgment]).glob("*.jsonl"):
        with shard.open("rb") as lines:
            if any(needle in line for line in lines):
                return True
    return False


def _problem(specs: Path, judge: Judge, method: str, run: str) -> Problem:
    document, _ = read_document(f"{specs.resolve().name}/{_JUDGES}", (specs / _JUDGES).read_bytes())
    message = f"judge {judge.id!r} has recorded calls by `method: {method}` in run {run}"
    advice = f"keep that method, or give the judge with `method: {judge.method}` another id"
    listed = document.data.get("judges") if document is not None and isinstance(document.data, dict) else None
    places = enumerate(listed) if isinstance(listed, list) else ()
    number = next((n for n, each in places if isinstance(each, dict) and each.get("id") == judge.id), 0)
    if document is None:
        return Problem(_JUDGES, 1, 1, f"{message}; {advice}", "judges")
    found = document.problem(["judges", number, "method"], f"{message}; {advice}")
    return Problem(found.file, found.line, found.column, found.message, "judges")
