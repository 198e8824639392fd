"""A checkout of BenchPress -> a benchmark repository with its specs and a sealed run, or nothing at all."""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.interop.benchpress.panel import Panel, panel_of
from nullbench_site.interop.benchpress.reading import Checkout, read_checkout
from nullbench_site.interop.benchpress.readme import readme
from nullbench_site.interop.benchpress.records import shard_of
from nullbench_site.interop.benchpress.run import write_run
from nullbench_site.interop.benchpress.specs import items_of, spec_files
from nullbench_site.interop.problems import ImportRefused, SourceProblem
from nullbench_site.packaged import packaged
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.load import load_benchmark
from nullbench_site.starter import GITIGNORE

_LENIENT = "Mend them, or import the rest with --lenient"


class Imported(msgspec.Struct, frozen=True):
    """What an import made. earlier: answers before the newest of their prompt, kept as samples that count nowhere.

    missing: verdicts of the panel that the newest answers lack. elsewhere: histories of prompts of other suites.
    skipped: what was broken and left out, a line each.
    """

    directory: str
    run: str
    commit: str | None
    models: int
    prompts: int
    judges: tuple[str, ...]
    former_judges: tuple[str, ...]
    geval: bool
    answers: int
    earlier: int
    verdicts: int
    missing: int
    elsewhere: int
    skipped: tuple[str, ...]


def import_benchpress(source: Path, into: Path, *, lenient: bool = False) -> Imported:
    """Make the repository `into`, which must be new or empty, from the checkout `source`.

    lenient: leave out what is broken, instead of refusing all.
    Raises UsageError for folders that will not do, ImportRefused with every problem of every file, StorageError.
    """
    with _uncollected():
        return _import(source, into, lenient=lenient)


def _import(source: Path, into: Path, *, lenient: bool) -> Imported:
    _check_empty(into)
    checkout = read_checkout(source)
    items = items_of(checkout)
    panel = panel_of(checkout)
    specs = spec_files(checkout, items, panel)
    nothing = not (items and checkout.contestants and panel.judges)
    if checkout.problems and (nothing or not lenient):
        raise ImportRefused(checkout.problems, "There is nothing left to import" if lenient else _LENIENT)
    with _made_whole(into) as folder:
        _write(folder, checkout, specs)
        try:
            benchmark = load_benchmark(folder / "specs", backends=backend_names())
        except SpecError as error:
            message = "the specs that it gives break a rule, {}; change what stands there"
            found = [SourceProblem(str(source), "", message.format(problem)) for problem in error.problems]
            raise ImportRefused(found, "The places are those of the specs it gives") from error
        shards = ((each.id, shard_of(each, items, panel)) for each in checkout.contestants)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        manifest = write_run(folder / "runs", benchmark, specs, shards, now)
    return _told(into, checkout, panel, manifest.run, items)


def _told(into: Path, checkout: Checkout, panel: Panel, run: str, items: Collection[str]) -> Imported:
    every = [each.histories for each in checkout.contestants]
    histories = [history for one in every for prompt, history in one.items() if prompt in items]
    entries, known = sum(map(len, histories)), {*panel.judges, *panel.former}
    return Imported(
        directory=str(into),
        run=run,
        commit=checkout.commit,
        models=len(checkout.contestants),
        prompts=len(items),
        judges=tuple(panel.judges.values()),
        former_judges=tuple(panel.former.values()),
        geval=panel.geval,
        answers=len(histories),
        earlier=entries - len(histories),
        verdicts=sum(judge in known for history in histories for entry in history for judge in entry.judge_scores),
        missing=sum(
            len(due - history[-1].judge_scores.keys())
            for each, due in ((each, panel.due(each)) for each in checkout.contestants)
            for prompt, history in each.histories.items()
            if prompt in items and not history[-1].failed
        ),
        elsewhere=checkout.elsewhere,
        skipped=tuple(map(str, sorted(set(checkout.problems)))),
    )


def _write(folder: Path, checkout: Checkout, specs: dict[str, str]) -> None:
    files = {
        ".gitignore": GITIGNORE,
        "README.md": readme(checkout),
        **{name: packaged(name).read_text("utf-8") for name in ("mkdocs.yml", ".gitattributes")},
        **{f"specs/{name}": text for name, text in specs.items()},
    }
    if checkout.licence is not None:
        files["LICENSE-benchpress"] = checkout.licence
    for name, text in files.items():
        path = folder / name
        with storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def _check_empty(into: Path) -> None:
    with storage_errors(into):
        if into.is_symlink() or (into.exists() and not into.is_dir()):
            raise UsageError(f"{into}: this is no folder; name a new one")
        if into.is_dir() and any(into.iterdir()):
            raise UsageError(f"{into}: the folder is not empty; name a new one")
        if into.exists() and into.resolve() == Path.cwd():
            raise UsageError(f"{into}: this is the folder you are in; name a new one")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of cycles: what is read and made are trees, all of which it would walk again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _made_whole(into: Path) -> Iterator[Path]:
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
