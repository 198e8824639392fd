"""A sealed run made of shards that are in memory: scored, and every digest taken of what is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from nullbench_site import __version__
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.plan import Caller
from nullbench_site.interop.benchpress.records import Shards
from nullbench_site.runs.catalog import next_run_name
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, Counts, FileDigest, Manifest, Usages, write_manifest
from nullbench_site.runs.storage import storage_errors
from nullbench_site.scoring.results import AnyResults
from nullbench_site.scoring.score import score_board
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark


def write_run(
    runs: Path, benchmark: Benchmark, specs: Mapping[str, str], shards: Mapping[str, Shards], now: str
) -> tuple[Manifest, list[AnyResults]]:
    """Write the run of `benchmark` below `runs` and seal it. specs: its files; shards: by contestant; now: ISO time.

    A build takes it for its own: it has the digests of these specs and calls.
    """
    caller = Caller(benchmark, backends())
    name = next_run_name([], benchmark.about.version, caller.spec_digest)
    manifest = Manifest(
        format=FORMAT,
        run=name,
        benchmark=benchmark.about.id,
        version=benchmark.about.version,
        spec_digest=caller.spec_digest,
        calls_digest=caller.calls_digest,
        tool=f"nullbench-site {__version__}",
        state="open",
        fresh=False,
        created_at=now,
        counts=_sum(shard.counts for shard in shards.values()),
        usage=Usages(contestants={
            model: shard.usage for model, shard in sorted(shards.items()) if shard.usage.uncounted < shard.usage.calls
        }),
    )  # fmt: skip
    writer = _Writer(runs / name)
    for file, text in specs.items():
        writer.write(f"specs/{file}", text.encode())
    for model, shard in shards.items():
        writer.write(f"responses/{model}.jsonl", shard.responses)
        if shard.judgments:
            writer.write(f"judgments/{model}.jsonl", shard.judgments)
    folder = RunFolder(runs / name, manifest)
    boards = []
    for board in benchmark.boards.values():
        results = score_board(benchmark, board, folder, None)
        for file, content in result_files(results).items():
            writer.write(f"results/{board.id}/{file}", content)
        boards.append(results)
    sealed = msgspec.structs.replace(manifest, state="sealed", sealed_at=now, files=writer.digests)
    return write_manifest(runs / name, sealed), boards


def _sum(counts: Iterable[Counts]) -> Counts:
    parts = [msgspec.structs.astuple(each) for each in counts]
    return Counts(*map(sum, zip(*parts, strict=True)))


class _Writer:
    """Writes files below one folder and knows the digest of each, by its path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digests: dict[str, FileDigest] = {}
        self._made: set[Path] = set()

    def write(self, name: str, content: bytes) -> None:
        path = self._folder / name
        with storage_errors(path):
            if path.parent not in self._made:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._made.add(path.parent)
            path.write_bytes(content)
        self._digests[name] = FileDigest(hashlib.sha256(content).hexdigest(), len(content))

    @property
    def digests(self) -> dict[str, FileDigest]:
        """In the order in which a folder is sealed."""
        return dict(sorted(self._digests.items(), key=lambda file: Path(file[0])))
