"""A benchmark repository made of imported data: its files, its specs as YAML, its sealed run; all of it or nothing."""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.git import IMPORTED, Source
from nullbench_site.interop.importer import ImportRefused, SourceProblem
from nullbench_site.packaged import data_text, packaged
from nullbench_site.runs.catalog import next_run_name
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, TOOL, Manifest, RecordTally, used_extensions
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.runs.storage import storage_errors
from nullbench_site.scoring.board import reduce_board
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.shards import ShardReader
from nullbench_site.scoring.tables import write_results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import Spec

_WIDTH = 120
# A plain word is text to every reader of YAML, unless it is one of the words that some take for a truth value.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ()/_.-]*[A-Za-z0-9)]")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})
# Control characters, line ends of other kinds, and what is invisible: these are written as escapes.
_ESCAPED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_EDGES = " \n"


def check_empty(into: Path) -> None:
    """Raises UsageError where `into` is neither new nor empty."""
    with storage_errors(into):
        if into.is_symlink() or (into.exists() and not into.is_dir()):
            raise UsageError(f"{into}: this is no folder; name a new one")
        if into.is_dir() and any(into.iterdir()):
            raise UsageError(f"{into}: the folder is not empty; name a new one")
        if into.exists() and into.resolve() == Path.cwd():
            raise UsageError(f"{into}: this is the folder you are in; name a new one")


@contextmanager
def new_repository(into: Path) -> Iterator[Path]:
    """A folder beside `into` that becomes it when all went well, and else is taken away."""
    with storage_errors(into):
        into.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".import-", dir=into.parent))
        made = unfinished / "made"
        made.mkdir()
    try:
        yield made
        with storage_errors(into):
            if into.exists():
                into.rmdir()  # is empty; Windows puts no folder in the place of another
            made.rename(into)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts by their path below `folder`."""
    for name, text in files.items():
        path = folder / name
        with storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def files_beside(readme: str) -> dict[str, str]:
    """What stands in a repository beside its specs and its run. readme: the text of its README."""
    return {
        ".gitignore": data_text("starter/gitignore"),
        "README.md": readme,
        ".gitattributes": data_text("starter/gitattributes"),
        "mkdocs.yml": packaged("mkdocs.yml").read_text("utf-8"),
    }


def load_made(source: Path, folder: Path) -> Benchmark:
    """The specs that were written. Raises ImportRefused where what they were made of gives some that break a rule."""
    try:
        return load_benchmark(folder / "specs", backends=backend_names())
    except SpecError as error:
        message = "the specs that it gives break a rule, {}; change what stands there"
        problems = [SourceProblem(str(source), "", message.format(problem)) for problem in error.problems]
        raise ImportRefused(problems, "The places are those of the specs it gives") from error


def write_run(
    folder: Path, benchmark: Benchmark, shards: Iterable[tuple[Sequence[Response], Sequence[Judgment]]]
) -> Manifest:
    """Write the run of the repository `folder` from records that are at hand, score it and seal it.

    shards: the responses and the judgments of a contestant each, so that no more than those are in memory. A build
    takes the run for its own: it has the digests of these specs and calls.
    """
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
        """What was written is scored as it stands in memory."""
        for responses, judgments in shards:
            tally.add(responses)
            tally.add(judgments)
            in_order = run.write_shard(responses), run.write_shard(judgments)
            if responses:
                yield reader.observe_records(responses[0].model, *in_order)

    results = reduce_board(scorer, name, observed())
    run.note(tally)
    write_results(run.path, results)
    return run.seal(now)


class _Dumper(yaml.CSafeDumper):
    """Texts of several lines stand as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        style = None
    elif "\n" in text and text[0] not in _EDGES and text[-1] not in _EDGES and not _ESCAPED.search(text):
        style = "|"
    else:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)


def yaml_text(data: Any) -> str:
    """The YAML of lists, mappings, texts, numbers and truth values that reads back as the same data, whatever the texts
    hold, and that people can edit; keys in the order they come."""
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)


_CANARIES = uuid.UUID("0b0c1cf4-5f5c-4a5e-9d3b-52c3f9ad5a0e")


def spec_text(name: str, spec: Spec) -> str:
    """The file of a spec, with a canary that the same content always gets. name: its path below specs/."""
    text = yaml_text({key: value for key, value in msgspec.to_builtins(spec).items() if key != "canary"})
    canary = uuid.uuid5(_CANARIES, f"{name}\n{text}")
    return f'canary: "nullbench-canary:{canary}"\n{text}'
