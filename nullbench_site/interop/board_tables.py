"""Put the tables of a board into a repository, new or old, and build its run."""

from __future__ import annotations

import csv
import io
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.evaluate import evaluate
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan import plan_calls
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.interop.importer import ImportRefused, SourceProblem
from nullbench_site.interop.repository import new_folder
from nullbench_site.runs.manifest import TOOL
from nullbench_site.runs.storage import exclusive, storage_errors, write_atomically
from nullbench_site.scoring.recomputation import score_run
from nullbench_site.scoring.tables import write_results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark


def place_board(into: Path, files: Mapping[str, str | None], name: str, *, is_old: bool) -> tuple[Benchmark, str]:
    """Write the files of a board into a repository and build a run, or change nothing; return specs and run.

    files: text by path; None removes one. name: of the source, for messages. The run is empty if there are calls to
    make, which an import does not. Raises ImportRefused if the specs would break a rule, and StorageError.
    """
    if not is_old:
        with new_folder(into) as folder:
            _write(folder, files)
            run = _build(folder, load_imported(folder / "specs", name))
            return load_imported(folder / "specs", name), run
    with tempfile.TemporaryDirectory(prefix="nullbench-import-") as trial:
        shutil.copytree(into / "specs", Path(trial) / "specs")
        _write(Path(trial), files)
        load_imported(Path(trial) / "specs", name)
    _write(into, files)
    after = load_imported(into / "specs", name)
    return after, _build(into, after)


def load_imported(specs: Path, name: str) -> Benchmark:
    """Return imported specs. Raises ImportRefused if they break a rule."""
    try:
        return load_benchmark(specs, backends=backend_names())
    except SpecError as error:
        problems = [SourceProblem(name, 0, "", f"the specs would break a rule: {each}") for each in error.problems]
        raise ImportRefused(problems, "The places are those in the specs; change the table, or the specs") from error


def _write(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        with storage_errors(folder / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                (folder / name).unlink(missing_ok=True)
            else:
                write_atomically(folder / name, text.encode())


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
