"""Compare an evaluation at an endpoint with the same requests in a bare loop of the openai client.

`python -m benchmarks.runner` measures. To profile one of the two processes, start a server of `benchmarks.loopback` and
run `evaluate DIR RUNS` or `bare URL BODIES CONCURRENCY`.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.loopback import served
from benchmarks.measure import Outcome, Run, python, ratio, report

BARE_LIMIT, SLOW_LIMIT, MEMORY_LIMIT_MB, GROWTH_LIMIT = 1.6, 1.05, 300.0, 1.15
CONCURRENCY = 64
JUDGES = 3
ROUNDS = 5
_MB_PER_GIB = 1024


@dataclass(frozen=True)
class Size:
    """The number of contestants and items. Each response goes to every judge."""

    contestants: int
    items: int

    @property
    def calls(self) -> int:
        return self.contestants * self.items * (1 + JUDGES)


COLD = Size(5, 100)
SLOW = Size(5, 250)
SMALL, MANY_CONTESTANTS, MANY_ITEMS = Size(5, 500), Size(50, 500), Size(1, 25_000)


def outcomes() -> list[Outcome]:
    """Return the measurements that take less than a minute."""
    return [against_bare(), against_slow()]


def against_bare() -> Outcome:
    """Compare the CPU time of a whole evaluation with that of its requests alone."""
    with TemporaryDirectory() as folder:
        recorded, bodies = Path(folder) / "recorded.jsonl", Path(folder) / "bodies.jsonl"
        with served(record=recorded) as url:
            repository = write(Path(folder), url, COLD)
            evaluated(repository)
            shutil.copy(recorded, bodies)
            posting = ("-m", __spec__.name, "bare", url, str(bodies), str(CONCURRENCY))
            rounds = [(evaluated(repository).cpu, python(*posting).cpu) for _ in range(ROUNDS)]
    ours, least = zip(*rounds, strict=True)
    return ratio(f"CPU of {COLD.calls:,} calls", ours, least, BARE_LIMIT)


def against_slow() -> Outcome:
    """Compare the wall time of an evaluation with that of the bare loop, at one second per response.

    The detail also gives the time of an endpoint that is never idle.
    """
    latency, concurrency = 1, 256
    with TemporaryDirectory() as folder:
        recorded, bodies = Path(folder) / "recorded.jsonl", Path(folder) / "bodies.jsonl"
        with served(latency=latency, record=recorded) as url:
            seconds = told(evaluated(write(Path(folder), url, SLOW, concurrency)))["seconds"]
            shutil.copy(recorded, bodies)
            posting = float(python("-m", __spec__.name, "bare", url, str(bodies), str(concurrency)).output)
    ideal = SLOW.calls / concurrency * latency
    detail = f"{seconds:.1f} s against {posting:.1f} s; never left idle, the endpoint would take {ideal:.1f} s"
    return Outcome("calls of a second each", seconds / posting, SLOW_LIMIT, detail)


def large() -> list[Outcome]:
    """Measure the peak memory of 100,000 calls, with sorting, and the CPU time per call among many and few."""
    with TemporaryDirectory() as folder, served() as url:
        few = write(Path(folder) / "few", url, SMALL)
        before = [_cpu_a_call(evaluated(few), SMALL)]
        wide = evaluated(write(Path(folder) / "wide", url, MANY_CONTESTANTS))
        before += [_cpu_a_call(evaluated(few), SMALL)]
        deep = evaluated(write(Path(folder) / "deep", url, MANY_ITEMS))
        before += [_cpu_a_call(evaluated(few), SMALL)]
    found = []
    for name, size, run in (("50 contestants", MANY_CONTESTANTS, wide), ("25,000 items", MANY_ITEMS, deep)):
        peak, cost = run.peak_gib * _MB_PER_GIB, _cpu_a_call(run, size)
        detail = f"{told(run)['peak_mb']:.0f} MB before the shards are sorted"
        found.append(Outcome(f"memory, {name}", peak, MEMORY_LIMIT_MB, detail, noun="peak MB"))
        detail = f"{cost * 1000:.2f} ms of CPU among {size.calls:,}, {median(before) * 1000:.2f} among {SMALL.calls:,}"
        found.append(Outcome(f"cost a call, {name}", cost / median(before), GROWTH_LIMIT, detail))
    return found


def _cpu_a_call(run: Run, size: Size) -> float:
    return told(run)["cpu"] / size.calls


def write(folder: Path, url: str, size: Size, concurrency: int = CONCURRENCY) -> Path:
    """A repository for calls to the server at `url`. In a process of its own, for this one must stay small."""
    repository = folder / "repository"
    numbers = (size.contestants, size.items, JUDGES, concurrency)
    python("-m", "benchmarks.live", str(repository), url, *map(str, numbers))
    return repository


def evaluated(repository: Path) -> Run:
    """A process that evaluates the repository from nothing."""
    with TemporaryDirectory(dir=repository.parent) as runs:
        return python("-m", __spec__.name, "evaluate", str(repository), runs)


def told(run: Run) -> dict[str, float]:
    """What the process that evaluated says of itself."""
    found: dict[str, float] = json.loads(run.output)
    return found


def evaluate(repository: Path, runs: Path) -> dict[str, float]:
    """Evaluate into a new run and sort its shards.

    seconds: of the evaluation. cpu: of all but the imports. peak_mb: before sorting.
    """
    import resource

    from nullbench_site.evaluation.backends import backend_names, backends
    from nullbench_site.evaluation.endpoints import client  # noqa: F401 - imported before the clock starts
    from nullbench_site.evaluation.evaluate import evaluate as evaluate_calls
    from nullbench_site.evaluation.options import BuildOptions
    from nullbench_site.evaluation.requests import RequestBuilder
    from nullbench_site.specs.load import load_benchmark

    cpu = time.process_time()
    builder = RequestBuilder(load_benchmark(repository / "specs", backends=backend_names()), backends())
    start = time.perf_counter()
    evaluation = evaluate_calls(builder, repository / "specs", runs, BuildOptions())
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    evaluation.folder.note(evaluation.folder.sort_shards())
    assert evaluation.complete
    assert evaluation.tally.made + evaluation.tally.reused == evaluation.planned
    return {"seconds": seconds, "cpu": time.process_time() - cpu, "peak_mb": peak}


def bare(url: str, bodies: Path, concurrency: int) -> float:
    """Post each body, so many at once, and keep nothing; the seconds from the first request to the last answer."""
    import httpx2
    import msgspec
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async def post_all() -> None:
        limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        requests = map(msgspec.json.decode, bodies.read_bytes().splitlines())
        async with AsyncOpenAI(
            base_url=url, api_key="none", max_retries=0, http_client=DefaultAioHttpClient(limits=limits)
        ) as client:

            async def work() -> None:
                for body in requests:
                    await client.post("/chat/completions", body=body, cast_to=object)

            await asyncio.gather(*(work() for _ in range(concurrency)))

    start = time.perf_counter()
    asyncio.run(post_all())
    return time.perf_counter() - start


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["evaluate", repository, runs]:
            print(json.dumps(evaluate(Path(repository), Path(runs))))
        case ["bare", url, bodies, concurrency]:
            print(bare(url, Path(bodies), int(concurrency)))
        case _:
            sys.exit(report([*outcomes(), *large()]))
