"""A sealed run made of records that are in memory: scored, and every digest taken of what is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from nullbench_site import __version__
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.interop.benchpress.records import Shard
from nullbench_site.runs.catalog import next_run_name
from nullbench_site.runs.manifest import FORMAT, Counts, FileDigest, Manifest, Usages, write_manifest
from nullbench_site.runs.storage import storage_errors
from nullbench_site.scoring.rubric.board import score_board
from nullbench_site.scoring.rubric.shard import RubricSummariser
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import RubricBoardFile

_encoder = msgspec.json.Encoder()


def write_run(
    runs: Path, benchmark: Benchmark, specs: Mapping[str, str], shards: Iterable[tuple[str, Shard]], now: str
) -> Manifest:
    """Write the run of `benchmark` below `runs` and seal it.

    specs: its files; shards: by contestant, each written before the next is made; now: ISO time. A build takes it for
    its own: it has the digests of these specs and calls.
    """
    builder = RequestBuilder(benchmark, backends())
    name = next_run_name([], benchmark.about.version, builder.spec_digest)
    writer = _Writer(runs / name)
    for file, text in specs.items():
        writer.write(f"specs/{file}", text.encode())
    (board,) = (board for board in benchmark.boards.values() if isinstance(board, RubricBoardFile))
    summariser = RubricSummariser(benchmark, board)
    summaries, counts, usage = [], [], {}
    for model, shard in shards:
        writer.write(f"responses/{model}.jsonl", _encoder.encode_lines(shard.responses))
        if shard.judgments:
            writer.write(f"judgments/{model}.jsonl", _encoder.encode_lines(shard.judgments))
        summaries.append(summariser.summary_of(model, shard.responses, shard.judgments))
        counts.append(shard.counts)
        if shard.usage.uncounted < shard.usage.calls:
            usage[model] = shard.usage
    results = score_board(benchmark, board, name, summaries)
    for file, content in result_files(results).items():
        writer.write(f"results/{board.id}/{file}", content)
    manifest = Manifest(
        format=FORMAT,
        run=name,
        benchmark=benchmark.about.id,
        version=benchmark.about.version,
        spec_digest=builder.spec_digest,
        calls_digest=builder.calls_digest,
        tool=f"nullbench-site {__version__}",
        state="sealed",
        fresh=False,
        created_at=now,
        sealed_at=now,
        counts=_sum(counts),
        usage=Usages(contestants=dict(sorted(usage.items()))),
        files=writer.digests,
    )
    return write_manifest(runs / name, manifest)


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
