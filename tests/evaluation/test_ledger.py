"""What a run books is what the server charged, in three dialects, live, in batches and mixed, with faults and kills."""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from support.benchmarks import write_spec
from support.commands import start
from support.ledger_server import COUNTED, FREE, GARBLED, KINDS, LedgerServer
from support.live import PRICES, live_repository
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.endpoints.completion import Dialect
from nullbench_site.evaluation.endpoints.dialects import MessagesDialect, ResponsesDialect
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.repository import Repository
from nullbench_site.runs.manifest import Manifest, read_manifest

MOST_OUTPUT = 300
CONCURRENCY = 4
TOLD = (*COUNTED, *FREE)
"""Faults after which the client can know what was charged."""
WAYS = [
    ("openai", "live"), ("openai-responses", "live"), ("anthropic", "live"),
    ("openai", "batch"), ("openai-responses", "batch"), ("openai", "mixed"), ("anthropic", "mixed"),
]  # fmt: skip
"""A backend and how its calls go; if mixed, contestants of OpenAI are in batches, judges of the backend live."""

REST, SWEEP = (WAYS[0], *WAYS[3:]), pytest.mark.sweep
"""`make test` has one small build for each dialect; that of OpenAI is killed."""
PATHS = {"openai": "/chat/completions", "openai-responses": "/responses", "anthropic": "/messages"}


def board(folder: Path, server: LedgerServer, backend: str, way: str) -> Repository:
    repository = live_repository(
        folder,
        server.url,
        contestants=("alpha",),
        judges=("judge-one", "judge-two"),
        prices=PRICES,
        decoding={"max_tokens": MOST_OUTPUT, "temperature": None},
        limits={"first_wait": 0.001, "concurrency": CONCURRENCY, "attempts": 4},
        endpoint={"batch": way != "live"},
    )
    specs = repository.specs
    if way == "mixed":
        limits = {"first_wait": 0.001, "concurrency": CONCURRENCY, "attempts": 4}
        both = [{"id": name, "base_url": server.url, "limits": limits} for name in ("local", "live")]
        write_spec(specs / "endpoints.yaml", {"endpoints": [{**both[0], "batch": True}, both[1]]})
        judges = specs / "judges.yaml"
        judges.write_text(re.sub(r"(endpoint\W+)local", r"\1live", judges.read_text("utf-8")), "utf-8")
    for path in (specs / "judges.yaml", *(() if way == "mixed" else (specs / "models").glob("*.yaml"))):
        path.write_text(re.sub(r"(backend\W+)openai\b", rf"\1{backend}", path.read_text("utf-8")), "utf-8")
    return repository


def once(repository: Repository, budget: Budget) -> BuildReport | None:
    with suppress(StoppedEarly):
        return api.build(repository, BuildOptions(budget=budget), render_site=False)
    return None


def manifest(repository: Repository) -> Manifest:
    """That of a sealed run, with the sums over its records."""
    found: Manifest = read_manifest(run_dir(repository))
    return found


def until_sealed(repository: Repository, server: LedgerServer, most: float) -> None:
    """Build again and again. No build costs more than its limit."""
    for _ in range(60):
        before, budget = server.charged, Budget(max_usd=most)
        report = once(repository, budget)
        assert server.charged - before <= most + 1e-9
        if report is not None and not report.partial and not report.calls.failed:
            return
    pytest.fail("the run was never sealed")


def unknown(found: Manifest) -> int:
    used = [*found.usage.contestants.values(), *found.usage.judges.values()]
    return sum(usage.unknown + usage.unpriced for usage in used)


@pytest.mark.parametrize(("backend", "way"), [WAYS[1], WAYS[2], *(pytest.param(*way, marks=SWEEP) for way in REST)])
def test_what_is_booked_is_what_the_server_charged(backend: str, way: str, tmp_path: Path) -> None:
    with LedgerServer(kinds=TOLD) as server:
        repository = board(tmp_path / "board", server, backend, way)
        until_sealed(repository, server, most=0.02)
        spoken = {seen.path for seen in server.seen} | {batch["endpoint"] for batch in server.batches.values()}
        assert f"/v1{PATHS[backend]}" in spoken
        assert (unknown(manifest(repository)), len(server.lost)) == (0, 0)
        assert manifest(repository).cost_usd == pytest.approx(server.charged, abs=1e-8)


@pytest.mark.sweep
@pytest.mark.parametrize(("backend", "way"), [WAYS[0], WAYS[2], WAYS[5]])
def test_what_cannot_be_known_is_counted_and_never_exceeds_the_limit(backend: str, way: str, tmp_path: Path) -> None:
    with LedgerServer(kinds=KINDS, seed=11) as server:
        repository = board(tmp_path / "board", server, backend, way)
        until_sealed(repository, server, most=0.05)
        assert server.lost
        assert unknown(manifest(repository)) == len(server.lost)
        assert manifest(repository).cost_usd == pytest.approx(sum(server.known), abs=1e-8)


def open_requests(repository: Repository) -> int:
    """Requests that were sent and have no cost yet, by the file of the run."""
    lines = [line for path in repository.runs.rglob("in-flight.jsonl") for line in path.read_bytes().splitlines()]
    return sum((b'"sent"' in line) - (b'"cost"' in line) for line in lines)


def kill_in_flight(repository: Repository, server: LedgerServer, calls: int) -> None:
    """Kill a build when all its open requests are held by the server, which has counted them."""
    server.hold_after(calls)
    with start(repository.root, "build", "--no-render", "--max-cost", "0.02") as process:
        while process.poll() is None and not (server.held and open_requests(repository) == server.held):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    server.let_go()


def check_killed(folder: Path, backend: str, way: str, seed: int, kills: int) -> None:
    """Assert that booked is the ledger minus exactly the calls that the run counts as unknown."""
    dice = Random(seed)  # noqa: S311
    with LedgerServer(kinds=TOLD, seed=seed) as server:
        repository = board(folder, server, backend, way)
        for _ in range(kills):
            before = server.charged
            kill_in_flight(repository, server, dice.randint(1, 6))
            assert server.charged - before <= 0.02 + 1e-9
        until_sealed(repository, server, most=0.02)
        found = manifest(repository)
        assert 0 < len(server.held_usd) <= unknown(found) <= kills * CONCURRENCY
        assert found.cost_usd == pytest.approx(server.charged - sum(server.held_usd), abs=1e-8)
        assert not list(repository.runs.rglob("in-flight.jsonl"))


def test_a_killed_build_counts_the_calls_in_flight_as_unknown(tmp_path: Path) -> None:
    check_killed(tmp_path / "board", "openai", "live", seed=1, kills=1)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("backend", "way"), [each for each in WAYS if each[1] != "batch"])
def test_killed_builds_book_all_but_the_calls_in_flight(backend: str, way: str, seed: int, tmp_path: Path) -> None:
    check_killed(tmp_path / "board", backend, way, seed, kills=6)


STAGES = {
    "upload": ("POST", "/files"),
    "submit": ("POST", "/batches"),
    "wait": ("GET", "/batches/{id}"),
    "fetch": ("GET", "/files/{id}/content"),
}
"""Requests of a build in batches. The server does the work of one and holds its reply when the build is killed."""


def sizes(repository: Repository) -> dict[Path, int]:
    """The size of each shard of the open run, in bytes."""
    return {path: path.stat().st_size for path in repository.runs.glob("*/*/*.jsonl")}


def kill_in_batch(repository: Repository, server: LedgerServer, stage: str, cut: Random | None = None) -> bool:
    """Build until a build is killed at a stage. Return False if all calls were answered before that.

    cut: draws how many of its last records are cut, as if the kill had come before these were written.
    """
    server.hold_at(*STAGES[stage])
    code: int | None = 3
    while not server.held and code:
        before = sizes(repository)
        with start(repository.root, "build", "--no-render", "--strict", "--max-cost", "0.02") as process:
            while process.poll() is None and not server.held:
                time.sleep(0.002)
            code = process.poll()
            process.send_signal(signal.SIGKILL)
            _, said = process.communicate(timeout=60)
        assert code in (None, 0, 1, 3), said
    server.let_go()
    if cut is not None and code is None:
        grown = {path: size for path, size in sizes(repository).items() if size > before.get(path, 0)}
        later = {path for path in grown if path.parent.name == "judgments"}
        for path in later or grown:
            data, first = path.read_bytes(), before.get(path, 0)
            lines = data[first:].splitlines(keepends=True)
            path.write_bytes(data[:first] + b"".join(lines[: cut.randint(0, len(lines))]))
    return code is None


def check_killed_in_batches(folder: Path, backend: str, seed: int, stages: Sequence[str], *, cut: bool = False) -> int:
    """Assert that nothing is unknown: each batch is found again, its calls are booked, and no answer is paid twice.

    Returns how many builds were killed.
    """
    kills, dice = 0, Random(seed) if cut else None  # noqa: S311
    with LedgerServer(kinds=(*TOLD, GARBLED, GARBLED), seed=seed) as server:
        repository = board(folder, server, backend, "batch")
        for stage in stages:
            kills += kill_in_batch(repository, server, stage, dice)
        until_sealed(repository, server, most=0.02)
        found = manifest(repository)
        assert (unknown(found), server.held_usd) == (0, [])
        assert found.cost_usd == pytest.approx(server.charged, abs=1e-8)
        submitted = Counter(call["custom_id"] for call in server.requests)
        assert submitted == Counter({name: 1 + server.unanswered[name] for name in submitted})
        assert not list((repository.runs / ".batches").rglob("*.*"))
    return kills


def test_a_build_killed_at_each_stage_of_a_batch_books_all_and_submits_nothing_twice(tmp_path: Path) -> None:
    assert check_killed_in_batches(tmp_path / "board", "openai", seed=1, stages=list(STAGES)) == len(STAGES)


@pytest.mark.sweep
@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("backend", ["openai", "openai-responses"])
def test_builds_killed_in_batches_book_all(backend: str, seed: int, cut: bool, tmp_path: Path) -> None:
    stages = Random(seed).choices(list(STAGES), k=6)  # noqa: S311
    assert check_killed_in_batches(tmp_path / "board", backend, seed, stages, cut=cut) > 1


@pytest.mark.parametrize("wave", ["contestants", "judges", "repairs"])
def test_a_line_without_an_answer_is_booked_once_if_the_build_is_killed_before_it_drops_the_batch(
    wave: str, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    with LedgerServer(rate=1.0) as server:
        repository = board(tmp_path / "board", server, "openai", "batch")
        waves = ["contestants", "judges", "judges", "repairs", "repairs"]

        def note(text: str) -> None:
            if "the build waits" in text:
                now = waves[len(server.batches) - 1]
                server.kinds = ("429-usage",) if now == wave else (GARBLED,)
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(repository.runs / ".batches", kept)

        with suppress(StoppedEarly):
            api.build(repository, render_site=False, progress=Progress(on_note=note))
        assert len(server.batches) == waves.index(wave) + waves.count(wave)
        shutil.copytree(kept, repository.runs / ".batches", dirs_exist_ok=True)
        server.rate = 0.0
        until_sealed(repository, server, most=1.0)
        assert unknown(manifest(repository)) == 0
        assert manifest(repository).cost_usd == pytest.approx(server.charged, abs=1e-8)


@pytest.mark.parametrize("dialect", [Dialect(), ResponsesDialect(), MessagesDialect()])
@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ((7, 3), (7, 3)), ((7, 0), (7, 0)), ((0, 5), (0, 5)), ((7, None), (7, None)), ((None, 3), (None, 3)),
        ((-1, 3), (None, 3)), (("7", 3), (None, 3)), ((True, 3), (None, 3)), ((10**12, 3), (None, 3)),
    ],
)  # fmt: skip
def test_an_error_counts_the_tokens_that_it_tells(dialect: Dialect, usage: Any, tokens: Any) -> None:

    names = ("prompt_tokens", "completion_tokens") if type(dialect) is Dialect else ("input_tokens", "output_tokens")
    told = {name: value for name, value in zip(names, usage, strict=True) if value is not None}
    used = dialect.used(msgspec.json.encode({"error": {"message": "slow down"}, "usage": told}))
    assert used is not None
    assert (used.input_tokens, used.output_tokens) == tokens


@pytest.mark.parametrize("body", [b"", b"busy", b"<html>", b'{"usage": {"pro', b"[]", b"null", b"\xff", b'"text"'])
def test_an_error_without_usage_counts_none(body: bytes) -> None:
    for dialect in (Dialect(), ResponsesDialect(), MessagesDialect()):
        used = dialect.used(body)
        assert used is None or (used.input_tokens, used.output_tokens) == (None, None)
