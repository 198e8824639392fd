"""A folder of spec files -> one checked Benchmark, or every problem in it at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

import msgspec

from nullbench_site.errors import Problem, SpecError, StorageError, UsageError
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.document import Document, read_document, read_text
from nullbench_site.specs.rules import BackendNames, Source, SpecFiles, check_rules
from nullbench_site.specs.validate import did_you_mean, typed

SpecT = TypeVar("SpecT", bound=types.Spec)


def load_benchmark(folder: Path, *, backends: BackendNames | None = None, profile: str | None = None) -> Benchmark:
    """The benchmark whose `specs/` folder is `folder`, its boards as `profile` makes them.

    backends: the names each backend knows, to check models and judges against; None skips that check, for the specs
    of an old run, which may name what a newer program no longer has.
    profile: what it replaces on a board that has a profile of that name is replaced; other boards keep their own.
    Every profile is checked, whichever is chosen; then models, judges and panels that no board uses are left out, so
    that a spec for another profile changes nothing here.
    Raises SpecError with every problem, UsageError where there is no such folder or profile, StorageError where a file
    cannot be read.
    """
    if not (folder / "benchmark.yaml").is_file():
        advice = "run the command in a benchmark's folder, or make one with: nullbench-site init DIR"
        raise UsageError(f"{folder}: found no benchmark.yaml here; {advice}")
    reader = _Reader(folder)
    about = reader.one("benchmark.yaml", types.BenchmarkFile)
    axes = reader.one("axes.yaml", types.AxesFile)
    judges = reader.one("judges.yaml", types.JudgesFile)
    endpoints = reader.optional("endpoints.yaml", types.EndpointsFile)
    goals = reader.every("goals", types.GoalsFile)
    domains = [reader.with_items_file(domain) for domain in reader.every("domains", types.DomainFile)]
    models = reader.every("models", types.ModelFile)
    boards = reader.every("boards", types.BoardFile)
    templates = reader.templates()
    reader.refuse_strangers()
    if about is None or axes is None or judges is None or reader.problems:
        raise SpecError(reader.problems)

    files = SpecFiles(about, axes, judges, goals, domains, models, boards, templates, endpoints)
    problems = check_rules(files, backends)
    if problems:
        raise SpecError(problems)
    profiles = tuple(sorted({name for source in boards for name in source.spec.profiles}))
    if profile is not None and profile not in profiles:
        known = did_you_mean(profile, profiles) if profiles else "add one under `profiles` in specs/boards/"
        raise UsageError(f"no board has a profile {profile!r}; {known}")
    models_by_id = _by_id(source.spec for source in models)
    resolved = [_resolved(source.spec, profile, models_by_id) for source in boards]
    on_boards = {model for board in resolved for model in board.contestants}
    used = {board.panel for board in resolved}
    panels = [panel for panel in judges.spec.panels if panel.id in used]
    voting = {judge for panel in panels for judge in panel.judges}
    return Benchmark(
        about=about.spec,
        axes_file=axes.spec,
        goals=_by_id(goal for source in goals for goal in source.spec.goals),
        domains=_by_id(source.spec for source in domains),
        judges=_by_id(judge for judge in judges.spec.judges if judge.id in voting),
        panels=_by_id(panels),
        models=_by_id(model for model in models_by_id.values() if model.id in on_boards),
        boards=_by_id(resolved),
        templates=MappingProxyType(templates),
        endpoints=_by_id(() if endpoints is None else endpoints.spec.endpoints),
        profiles=profiles,
        profile=profile,
    )


def _resolved(board: types.BoardFile, profile: str | None, models: Iterable[str]) -> types.BoardFile:
    """The board as `profile` makes it, with its contestants by name and in order, and without profiles."""
    chosen = board.profiles.get(profile) if profile is not None else None
    replaced = {} if chosen is None else msgspec.structs.asdict(chosen)
    board = msgspec.structs.replace(board, **{name: value for name, value in replaced.items() if value is not None})
    contestants = models if board.contestants == "all" else board.contestants
    return msgspec.structs.replace(board, contestants=tuple(sorted(contestants)), profiles={})


def _bytes(path: Path) -> bytes:
    with _readable(path):
        return path.read_bytes()


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into what to tell the user."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{path}: cannot read ({reason}); mend that and run the command again") from error


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


HasIdT = TypeVar("HasIdT", bound=_HasId)


def _by_id(specs: Iterable[HasIdT]) -> Mapping[str, HasIdT]:
    return MappingProxyType({spec.id: spec for spec in specs})


@dataclass
class _Reader:
    """Reads spec files below one folder and collects what is wrong with them."""

    folder: Path
    problems: list[Problem] = field(default_factory=list)
    seen: set[Path] = field(default_factory=set)

    def one(self, name: str, kind: type[SpecT]) -> Source[SpecT] | None:
        path = self.folder / name
        self.seen.add(path)
        if not path.is_file():
            there = path.exists() or path.is_symlink()
            message = "this is a folder or a broken link" if there else "the file is missing; every benchmark has one"
            self.problems.append(Problem(self._shown(path), 1, 1, message))
            return None
        document, problems = read_document(self._shown(path), _bytes(path))
        self.problems += problems
        if document is None or problems:
            return None
        spec, problems = typed(document, kind)
        self.problems += problems
        return None if spec is None else Source(spec, document)

    def optional(self, name: str, kind: type[SpecT]) -> Source[SpecT] | None:
        path = self.folder / name
        return self.one(name, kind) if path.exists() or path.is_symlink() else None

    def every(self, subfolder: str, kind: type[SpecT]) -> list[Source[SpecT]]:
        paths = sorted((self.folder / subfolder).glob("*.yaml"))
        if not paths:
            place = self._shown(self.folder / subfolder)
            self.problems.append(
                Problem(place, 1, 1, f"no .yaml file in specs/{subfolder}/; a benchmark needs one or more")
            )
        found = (self.one(f"{subfolder}/{path.name}", kind) for path in paths)
        return [source for source in found if source is not None]

    def with_items_file(self, source: Source[types.DomainFile]) -> Source[types.DomainFile]:
        """The domain with the items of its categories' JSONL files added; each line keeps its own document."""
        categories = []
        documents = dict(source.item_documents)
        for number, category in enumerate(source.spec.categories):
            items = list(category.items)
            if category.items_file is not None:
                place = source.document.problem(["categories", number, "items_file"], "")
                for item, document in self._items(category.items_file, place):
                    documents[number, len(items)] = document
                    items.append(item)
            categories.append(msgspec.structs.replace(category, items=tuple(items)))
        spec = msgspec.structs.replace(source.spec, categories=tuple(categories))
        return Source(spec, source.document, documents)

    def _items(self, name: str, place: Problem) -> Iterable[tuple[types.Item, Document]]:
        path = self.folder / "domains" / name
        self.seen.add(path)
        if not path.is_file():
            message = f"there is no file {name!r} in specs/domains/"
            self.problems.append(Problem(place.file, place.line, place.column, message))
            return
        with _readable(path), path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                # A JSON object is a YAML flow mapping, so the same reader gives places. The data goes, the item stays.
                document, problems = read_document(self._shown(path), line.rstrip(b"\r\n"), line=number)
                self.problems += problems
                if document is not None and not problems:
                    item, problems = typed(document, types.Item)
                    self.problems += problems
                    if item is not None:
                        yield item, dataclasses.replace(document, data=None)

    def templates(self) -> dict[str, str]:
        found = {}
        for path in sorted((self.folder / "templates").glob("*.j2")):
            self.seen.add(path)
            text, problems = read_text(self._shown(path), _bytes(path))
            self.problems += problems
            if text is not None:
                found[path.stem] = text.replace("\r\n", "\n")
        return found

    def refuse_strangers(self) -> None:
        """A spec in a place nobody reads is a silent no-op, so it is an error."""
        kinds = {".yaml", ".yml", ".j2", ".jsonl"}
        if any(problem.file.startswith(self._shown(self.folder / "domains")) for problem in self.problems):
            kinds.remove(".jsonl")  # a domain that could not be read may have named it
        for path in sorted(self.folder.rglob("*")):
            if path.suffix.lower() in kinds and path.is_file() and path not in self.seen:
                single = "benchmark.yaml, axes.yaml, judges.yaml, endpoints.yaml"
                places = ".yaml files in boards/, domains/, goals/ and models/"
                others = "templates/*.j2, and .jsonl files in domains/ that a category names as its items_file"
                message = f"nothing reads this file; specs are {single}, {places}, {others}"
                self.problems.append(Problem(self._shown(path), 1, 1, message))

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.folder.parent).as_posix()
