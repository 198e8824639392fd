"""Compare ingesting batch results with parsing them and with the same calls at a server, and merging with verifying.

`python -m benchmarks.batches` measures. `ingest DIR` and `merge DIR FILE` are the processes themselves, for a profiler.
Seconds are CPU time without imports.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.loopback import served
from benchmarks.measure import Outcome, python, ratio, report, seconds_of
from benchmarks.runner import Size, write

INGEST_LIMIT, LIVE_LIMIT, MERGE_LIMIT, CALLS_LIMIT = 3.0, 1.0, 2.0, 1.0
RESULTS = Size(5, 10_000)
"""Each contestant's answers; the judges' calls that follow are left."""
OF_SHARDS, SHARDS = Size(4, 500), 4
"""8,000 calls: about 2,000 in each of four shards."""
ROUNDS = 2
_TEXT = "The trial found no difference in the time to walking, but patients who got calls were more satisfied. " * 4


def outcomes() -> list[Outcome]:
    """Measure both in processes of their own."""
    with TemporaryDirectory() as folder, served() as url:
        repository = write(Path(folder), url, RESULTS)
        reading, whole, parsing, typed, live = json.loads(python("-m", __spec__.name, "ingest", str(repository)).output)
    count = f"{RESULTS.contestants * RESULTS.items:,} batch results"
    found = [
        ratio(f"reading {count}", reading, parsing, INGEST_LIMIT),
        ratio(f"ingesting {count}", whole, parsing, INGEST_LIMIT),
        ratio(f"ingesting {count}, against parsing by the openai client", whole, typed, INGEST_LIMIT),
        ratio(f"ingesting {count}, against calls at a server", whole, live, LIVE_LIMIT),
    ]
    with TemporaryDirectory() as folder:
        recorded = Path(folder) / "recorded.jsonl"
        with served(record=recorded) as url:
            repository = write(Path(folder), url, OF_SHARDS)
            merging, verifying, made = json.loads(
                python("-m", __spec__.name, "merge", str(repository), str(recorded)).output
            )
    in_one, in_shards = made
    detail = f"{in_shards:,} requests of {SHARDS} shards, {in_one:,} of one process"
    found.append(ratio(f"merging {SHARDS} shards", merging, verifying, MERGE_LIMIT))
    found.append(Outcome("calls of shards", in_shards / in_one, CALLS_LIMIT, detail))
    return found


def ingest(root: Path) -> tuple[list[float], ...]:
    """Return CPU seconds per round: reading, a whole `ingest`, parsing the lines as JSON and by openai, live calls."""
    from openai.types.chat import ChatCompletion

    from nullbench_site import batches
    from nullbench_site.evaluation.backends import backend_names, backends
    from nullbench_site.evaluation.endpoints.batch_files import BatchAnswers
    from nullbench_site.evaluation.evaluate import evaluate
    from nullbench_site.evaluation.options import BuildOptions
    from nullbench_site.evaluation.requests import RequestBuilder
    from nullbench_site.evaluation.targets import Scope, Selection
    from nullbench_site.repository import Repository
    from nullbench_site.specs.load import load_benchmark

    repository = Repository(root)
    files = batches.export_batch(repository, Selection(), root / "out").files
    answers = [_answered(root / "out" / name) for name in files]
    reading, whole, parsing, typed, live = [], [], [], [], []

    def parse() -> Iterator[Any]:
        for path in answers:
            with path.open("rb") as lines:
                yield from map(json.loads, lines)

    def parse_as_the_client() -> Iterator[ChatCompletion]:
        return (ChatCompletion.construct(**each["response"]["body"]) for each in parse())

    def call() -> None:
        builder = RequestBuilder(load_benchmark(repository.specs, backends=backend_names()), backends())
        made = evaluate(builder, repository.specs, root / "live", BuildOptions(scope=Scope(judges=())))
        assert made.tally.made
        assert not made.tally.failed
        made.folder.note(made.folder.sort_shards())

    for _ in range(ROUNDS):
        shutil.rmtree(repository.runs, ignore_errors=True)
        shutil.rmtree(root / "live", ignore_errors=True)
        parsing.append(seconds_of(lambda: deque(parse(), 0), time.process_time))
        typed.append(seconds_of(lambda: deque(parse_as_the_client(), 0), time.process_time))
        reading.append(seconds_of(lambda: BatchAnswers(answers), time.process_time))
        whole.append(seconds_of(lambda: batches.ingest(repository, answers), time.process_time))
        live.append(seconds_of(call, time.process_time))
    return reading, whole, parsing, typed, live


def _answered(path: Path) -> Path:
    """Write results for a file of requests."""
    used = {"prompt_tokens": 300, "completion_tokens": 100, "total_tokens": 400}
    answers = path.with_suffix(".answers")
    with path.open("rb") as lines, answers.open("w", encoding="utf-8") as file:
        for number, line in enumerate(lines):
            asked = json.loads(line)
            message = {"role": "assistant", "content": f"{_TEXT}{number}"}
            body = {
                "id": f"chatcmpl-{number}", "object": "chat.completion", "model": asked["body"]["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": used,
            }  # fmt: skip
            response = {"status_code": 200, "request_id": "r", "body": body}
            file.write(json.dumps({"id": "b", "custom_id": asked["custom_id"], "response": response, "error": None}))
            file.write("\n")
    return answers


def merge(root: Path, recorded: Path) -> tuple[list[float], list[float], tuple[int, int]]:
    """Return the CPU seconds of merging and of verifying per round, and the requests of one process and of shards."""
    from nullbench_site import api, batches
    from nullbench_site.evaluation.options import BuildOptions
    from nullbench_site.evaluation.targets import Selection
    from nullbench_site.repository import Repository

    def requests() -> int:
        return recorded.read_bytes().count(b"\n")

    repository = Repository(root)
    api.build(repository, render_site=False)
    in_one = requests()
    shutil.rmtree(repository.runs)
    parts = []
    for number in range(1, SHARDS + 1):
        report_of_shard = api.build(repository, BuildOptions(Selection(shard=(number, SHARDS))), render_site=False)
        parts.append(root / f"shard-{number}" / report_of_shard.run)
        shutil.move(repository.runs / report_of_shard.run, parts[-1])
        shutil.rmtree(repository.runs)
    in_shards = requests() - in_one
    merging, verifying = [], []
    for _ in range(ROUNDS):
        shutil.rmtree(repository.runs, ignore_errors=True)
        merging.append(seconds_of(lambda: batches.merge(repository, parts), time.process_time))
        verifying.append(seconds_of(lambda: api.verify(repository, None), time.process_time))
    return merging, verifying, (in_one, in_shards)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ingest", root]:
            print(json.dumps(ingest(Path(root))))
        case ["merge", root, recorded]:
            print(json.dumps(merge(Path(root), Path(recorded))))
        case _:
            sys.exit(report(outcomes()))
