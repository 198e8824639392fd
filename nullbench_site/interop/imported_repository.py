"""Write imported data as a benchmark repository, or as a board of one: its files, its specs as YAML, its sealed run."""

from __future__ import annotations

import csv
import io
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.evaluate import evaluate
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan import plan_calls
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.git import IMPORTED, Source
from nullbench_site.interop.importer import ImportRefused, SourceProblem
from nullbench_site.packaged import data_text, packaged
from nullbench_site.runs.catalog import next_run_name
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, TOOL, Manifest, RecordTally, used_extensions
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.runs.storage import exclusive, storage_errors, write_all
from nullbench_site.scoring.board import reduce_board
from nullbench_site.scoring.observations import Observations, ShardReader
from nullbench_site.scoring.recomputation import score_run
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.screening import screened_boards
from nullbench_site.scoring.tables import write_results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import BenchmarkFile, BoardFile, DomainFile, JudgesFile, ModelFile, Spec
from nullbench_site.specs.yaml_text import yaml_text


def check_empty(into: Path) -> None:
    """Raise UsageError unless `into` is a new or empty folder."""
    with storage_errors(into):
        if into.is_symlink() or (into.exists() and not into.is_dir()):
            raise UsageError(f"{into}: this is not a folder; give the path of a new folder")
        if into.is_dir() and any(into.iterdir()):
            raise UsageError(f"{into}: the folder is not empty; give the path of a new folder")
        if into.exists() and into.resolve() == Path.cwd():
            raise UsageError(f"{into}: this is the folder you are in; give the path of a new folder")


def make_repository(
    source: Path,
    into: Path,
    specs: Iterable[Spec],
    files: Mapping[str, str],
    shards: Iterable[tuple[Sequence[Response], Sequence[Judgment]]],
) -> Results:
    """Make the repository `into`, whole or not at all; return the results of its run.

    files: further files, text by path. shards: the responses and judgments of one contestant each, so that only these
    are in memory. Raises ImportRefused if specs made from `source` break a rule, and StorageError.
    """
    with new_folder(into) as folder:
        _write(folder, repository_files() | spec_files(specs) | dict(files))
        return _write_run(folder, load_imported(folder / "specs", str(source)), shards)


def repository_files() -> dict[str, str]:
    """Return the files of every new repository other than specs, text by path."""
    ours = {name: data_text(f"starter/{name[1:]}") for name in (".gitignore", ".gitattributes")}
    return ours | {"mkdocs.yml": packaged("mkdocs.yml").read_text("utf-8")}


@contextmanager
def new_folder(into: Path) -> Iterator[Path]:
    """Yield a folder that is moved to `into` on success and deleted otherwise."""
    with storage_errors(into):
        into.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".import-", dir=into.parent))
        made = unfinished / "made"
        made.mkdir()
    try:
        yield made
        with storage_errors(into):
            made.rename(into)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write_run(
    folder: Path, benchmark: Benchmark, shards: Iterable[tuple[Sequence[Response], Sequence[Judgment]]]
) -> Results:
    """Write, score and seal the run. It has the digests of these specs and calls, so a build continues it."""
    builder, now = RequestBuilder(benchmark, backends()), datetime.now(UTC).isoformat(timespec="milliseconds")
    name = next_run_name([], benchmark.about.version, builder.spec_digest)
    manifest = Manifest(
        format=FORMAT,
        run=name,
        benchmark=benchmark.about.id,
        version=benchmark.about.version,
        spec_digest=builder.spec_digest,
        calls_digest=builder.calls_digest,
        tool=TOOL,
        source=Source(absent=IMPORTED),
        scored_by=TOOL,
        extensions=used_extensions(benchmark),
        state="open",
        fresh=False,
        created_at=now,
    )
    runs = folder / "runs"
    with storage_errors(runs):
        runs.mkdir()
    run, tally = RunFolder.create(runs / name, manifest, folder / "specs"), RecordTally()
    (board,) = benchmark.boards.values()
    scorer = scorer_of(benchmark, board)
    reader = ShardReader(scorer)

    def observed() -> Iterator[Observations]:
        """Write each shard, and score it from memory."""
        for responses, judgments in shards:
            tally.add(responses)
            tally.add(judgments)
            in_order = run.write_shard(responses), run.write_shard(judgments)
            if responses:
                yield reader.observe_records(responses[0].model, *in_order)

    results = reduce_board(scorer, name, observed())
    if (screened := screened_boards(benchmark, run).get(board.id)) and screened.rows:
        results = msgspec.structs.replace(results, screening=screened.rows)
    run.note(tally)
    write_results(run.path, results)
    run.seal(now)
    return results


_CANARIES = uuid.UUID("0b0c1cf4-5f5c-4a5e-9d3b-52c3f9ad5a0e")
_PATHS: Mapping[type[Spec], str] = {
    BenchmarkFile: "benchmark.yaml",
    JudgesFile: "judges.yaml",
    BoardFile: "boards/{id}.yaml",
    DomainFile: "domains/{id}.yaml",
    ModelFile: "models/{id}.yaml",
}


def spec_files(specs: Iterable[Spec]) -> dict[str, str]:
    """Return the text of each spec by its path, with a canary that follows from the content."""
    files = {}
    for spec in specs:
        data = {key: value for key, value in msgspec.to_builtins(spec).items() if key != "canary"}
        name = next(path for kind, path in _PATHS.items() if isinstance(spec, kind)).format_map(data)
        text = yaml_text(data)
        canary = uuid.uuid5(_CANARIES, f"{name}\n{text}")
        files[f"specs/{name}"] = f'canary: "nullbench-canary:{canary}"\n{text}'
    return files


def is_repository(into: Path) -> bool:
    """Return True if a folder has the specs of a benchmark, so that a board can be added."""
    return (into / "specs" / "benchmark.yaml").is_file()


def place_board(
    into: Path, files: Mapping[str, str | None], name: str, about: BenchmarkFile, form: str
) -> tuple[Benchmark, str]:
    """Write the files of a board into a repository and build a run, or change nothing; return specs and run.

    files: text by path; None removes one. name: of the source, for messages. about, form: of a new repository: its
    heading and the format that it was made from. The run is empty if there are calls to make, which an import does not.
    Raises UsageError for a folder with other files, ImportRefused if the specs would break a rule, and StorageError.
    """
    if not is_repository(into):
        check_empty(into)
        readme = f"# {about.title}\n\nMade with `nullbench-site import {form}`.\n"
        with new_folder(into) as folder:
            _write(folder, {**files, **repository_files(), **spec_files([about]), "README.md": readme})
            benchmark = load_imported(folder / "specs", name)
            return benchmark, _build(folder, benchmark)
    with tempfile.TemporaryDirectory(prefix="nullbench-import-") as trial:
        shutil.copytree(into / "specs", Path(trial) / "specs")
        _write(Path(trial), files)
        load_imported(Path(trial) / "specs", name)
    _write(into, files)
    benchmark = load_imported(into / "specs", name)
    return benchmark, _build(into, benchmark)


def load_imported(specs: Path, name: str) -> Benchmark:
    """Return imported specs. Raises ImportRefused if they break a rule."""
    try:
        return load_benchmark(specs, backends=backend_names())
    except SpecError as error:
        problems = [SourceProblem(name, 0, "", f"the specs would break a rule: {each}") for each in error.problems]
        raise ImportRefused(problems, "The places are those in the specs; change the data, or the specs") from error


def _write(folder: Path, files: Mapping[str, str | None]) -> None:
    write_all({folder / name: None if text is None else text.encode() for name, text in files.items()})


def _build(root: Path, benchmark: Benchmark) -> str:
    """Score and seal a run; return its name. Empty if the benchmark has calls to make, which an import does not."""
    builder, runs, options = RequestBuilder(benchmark, backends()), root / "runs", BuildOptions()
    if plan_calls(builder, runs, options).to_make.total():
        return ""
    with exclusive(runs):
        evaluation = evaluate(builder, root / "specs", runs, options)
        folder = evaluation.folder
        if not evaluation.sealed:
            folder.note(folder.sort_shards())
            for results in score_run(folder):
                write_results(folder.path, results)
            folder.seal(folder.manifest.created_at, TOOL)
    return folder.manifest.run


def csv_text(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
