"""A folder of spec files -> one checked Benchmark, or all problems at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from nullbench_site.errors import Problem, SpecError, UsageError, breaking, naming
from nullbench_site.extensions import registered
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.document import MAX_BYTES, Document, read_document, read_text
from nullbench_site.specs.json_lines import JsonLine, read_line
from nullbench_site.specs.label_files import read_labels
from nullbench_site.specs.listing import SpecListing, listing, readable
from nullbench_site.specs.private import left_to_git, read_private
from nullbench_site.specs.protocol import default_protocol, in_digest, protocol_tables, specs_of
from nullbench_site.specs.rules import check_rules, warnings
from nullbench_site.specs.sources import BackendNames, BoardTables, LabelRow, PrivateLine, SpecFile, SpecFiles
from nullbench_site.specs.validate import cut_texts, hidden_texts, kind_and_value, typed
from nullbench_site.text import did_you_mean

SpecT = TypeVar("SpecT", bound=types.Spec)
FileKind = Literal["domain", "board"]
"""A kind of file whose type depends on the protocol that it names."""


def load_benchmark(
    folder: Path, *, backends: BackendNames | None = None, profile: str | None = None, private: Path | None = None
) -> Benchmark:
    """Load the benchmark in the `specs/` folder `folder`.

    backends: the names that each backend knows. None, for the specs of an old run, skips this check and newer rules.
    profile: applied to the boards that have a profile of this name. All profiles are checked. Then models, judges and
    panels that no board uses are left out, so that specs of other profiles change nothing.
    private: the folder with the texts of private items. Without it these items are withheld.
    Raise SpecError with all problems, UsageError if there is no such folder or profile, StorageError if a file cannot
    be read.
    """
    files = read_specs(folder, new=backends is not None, private=private)
    problems = check_rules(files, backends)
    if problems:
        raise SpecError(problems)
    profiles = tuple(sorted({name for source in files.boards for name in source.spec.profiles}))
    if profile is not None and profile not in profiles:
        known = did_you_mean(profile, profiles) if profiles else "add one under `profiles` in specs/boards/"
        raise UsageError(f"no board has a profile {profile!r}; {known}")
    models_by_id = _by_id(source.spec for source in files.contestants)
    resolved = [_resolved(source.spec, profile, files) for source in files.boards]
    on_boards = {model for board in resolved for model in board.contestants}
    used = {board.panel for board in resolved if isinstance(board, types.JudgedBoardFile)}
    panels = [panel for panel in files.panels if panel.id in used]
    voting = {judge for panel in panels for judge in panel.judges}
    voting |= {judge.id for judge in files.all_judges if judge.bridges is not None and judge.bridges.judge in voting}
    voting |= {judge for board in resolved for _, judge, _ in specs_of(board.protocol).further_judges(board)}
    here = {("contestant", model) for model in models_by_id} | {("panel", panel.id) for panel in files.panels}
    here |= {("judge", judge.id) for judge in files.all_judges}
    inside = {("contestant", model) for model in on_boards} | {("panel", panel) for panel in used}
    judges = {judge.id: judge for judge in files.all_judges if judge.id in voting}
    boards, known_panels, judges = _worded(resolved, {panel.id: panel for panel in panels}, judges)
    return Benchmark(
        about=files.about.spec,
        domains=_by_id(source.spec for source in files.domains),
        judges=judges,
        panels=known_panels,
        models=_by_id(model for model in models_by_id.values() if model.id in on_boards),
        boards=_by_id(boards),
        templates=dict(files.templates),
        own=_own(files, judges.values()),
        endpoints=_by_id(() if files.endpoints is None else files.endpoints.spec.endpoints),
        profiles=profiles,
        profile=profile,
        private=_by_id(line.text for lines in files.private.values() for line in lines),
        ledger=() if files.ledger is None else files.ledger.spec.entries,
        tables={board: tables.content for board, tables in files.tables.items()},
        overlaps=_by_id(source.spec for source in files.overlaps),
        labels={board: tuple(row.label for row in rows) for board, rows in files.labels.items()},
        prohibitions=_prohibitions(files, judges.values()),
        warnings=() if backends is None else tuple(warnings(files, backends, voting)),
        unused=frozenset(here - inside - {("judge", judge) for judge in voting}),
    )


def _own(files: SpecFiles, judges: Iterable[types.Judge]) -> dict[str, Mapping[str, Any]]:
    """Return the specs of single protocols; without a judge of short questions, not those that only they use."""
    asking, own = any(judge.asks_questions for judge in judges), dict[str, Mapping[str, Any]]()
    for protocol in in_digest(files.protocols):
        left_out = () if asking else specs_of(protocol).of_questions
        own[protocol] = {name: each for name, each in specs_of(protocol).own(files).items() if name not in left_out}
    return own


def _prohibitions(files: SpecFiles, judges: Iterable[types.Judge]) -> Mapping[str, tuple[int, ...]]:
    """Return the criteria that an empty response meets, by item; none if no judge answers short questions."""
    if files.questions is None or not any(judge.asks_questions for judge in judges):
        return {}
    return {item: tuple(sorted(numbers)) for item, numbers in files.questions.spec.prohibitions.items()}


def read_specs(folder: Path, *, new: bool, private: Path | None = None) -> SpecFiles:
    """Read every file of a `specs/` folder, each valid by itself, with positions.

    new: False for the specs of a run. private: as above. Raise the errors of `load_benchmark`.
    """
    if not (folder / "benchmark.yaml").is_file():
        advice = "run the command in a benchmark's folder, or make one with: nullbench-site init DIR"
        raise UsageError(f"{folder}: no benchmark.yaml here; {advice}")
    reader = _Reader(folder, listing(folder), new=new)
    about = reader.one("benchmark.yaml", types.BenchmarkFile)
    endpoints = reader.optional("endpoints.yaml", types.EndpointsFile)
    ledger = reader.optional("ledger.yaml", types.LedgerFile)
    questions = reader.optional("questions.yaml", types.QuestionsFile)
    domains = [reader.with_items_file(domain) for domain in reader.every("domains", "domain")]
    boards = reader.every("boards", "board")
    named = any(board.spec.contestants != "all" for board in boards)
    models = reader.every("models", types.ModelFile, required=named)
    overlaps = reader.every("overlap", types.OverlapFile, required=False)
    tables = {source.spec.id: read for source in boards if (read := reader.tables(source)) is not None}
    labels = {source.spec.id: rows for source in boards if (rows := reader.labels(source)) is not None}
    boards = [_with_tables(source, tables.get(source.spec.id)) for source in boards]
    # A new benchmark has neither. With one of them, the files of the default protocol are required, unless a protocol
    # is unknown.
    names = reader.protocols or (set() if reader.unknown_protocols or reader.is_new else {default_protocol()})
    protocols = [specs_of(name) for name in sorted(names)]
    own = {
        path: reader.own(path, kind, optional=path in protocol.optional)
        for protocol in protocols
        for path, kind in protocol.files.items()
    }
    judged = any(issubclass(protocol.board, types.JudgedBoardFile) for protocol in protocols)
    in_tables = bool(boards) and all(board.spec.id in tables for board in boards)  # so are their judges
    reads = reader.optional if in_tables else reader.one
    judges = reads("judges.yaml", types.JudgesFile) if judged else None
    judges = _with_judges(judges, [(source, tables[source.spec.id]) for source in boards if source.spec.id in tables])
    templates = reader.templates()
    reader.refuse_strangers()
    texts = {} if private is None else reader.private(private, domains)
    if about is None or reader.problems:
        raise SpecError(reader.problems)
    domains += (domain for read in tables.values() for domain in read.domains)
    return SpecFiles(
        new,
        about,
        own,
        judges,
        domains,
        models,
        boards,
        templates,
        endpoints,
        ledger,
        texts,
        tables,
        overlaps,
        labels,
        questions,
    )


def _with_tables(source: SpecFile[Any], tables: BoardTables | None) -> SpecFile[Any]:
    """Return a board that names the domains and contestants of its tables."""
    if tables is None:
        return source
    names: dict[str, Any] = {"domains": tuple(domain.spec.id for domain in tables.domains), **tables.settings}
    if source.spec.contestants == "all":
        names["contestants"] = tuple(model.spec.id for model in tables.models)
    return msgspec.structs.replace(source, spec=msgspec.structs.replace(source.spec, **names))


def _with_judges(
    judges: SpecFile[types.JudgesFile] | None, boards: Sequence[tuple[SpecFile[Any], BoardTables]]
) -> SpecFile[types.JudgesFile] | None:
    """Return the judges and panels of the file and of the tables of boards."""
    for board, tables in boards:
        if tables.judges:
            names = tuple(judge.id for judge in tables.judges)
            panel = types.Panel(id=board.spec.id, title=f"Judges of {board.spec.title}", judges=names)
            known = types.JudgesFile(canary="", judges=(), panels=()) if judges is None else judges.spec
            both = msgspec.structs.replace(known, judges=(*known.judges, *tables.judges), panels=(*known.panels, panel))
            judges = SpecFile(both, board.document if judges is None else judges.document)
    return judges


def _worded(
    boards: Iterable[types.BoardFile], panels: Mapping[str, types.Panel], judges: Mapping[str, types.Judge]
) -> tuple[list[types.BoardFile], dict[str, types.Panel], dict[str, types.Judge]]:
    """Return the boards, panels and judges of a benchmark, with panels of their own for boards with judge wordings."""
    every, known, asked = list(boards), dict(panels), dict(judges)
    for place, board in enumerate(every):
        if isinstance(board, types.JudgedBoardFile) and board.judge_templates:
            base = panels[board.panel]
            members = [member for name in base.judges for member in _members(judges[name], board.judge_templates)]
            panel = _panel(base, f"{base.id}.{board.id}", tuple(member.id for member in members))
            known[panel.id], every[place] = panel, replace(board, panel=panel.id)
            asked |= {member.id: member for member in members}
    return every, known, asked


def _members(judge: types.Judge, templates: Iterable[str]) -> Iterator[types.Judge]:
    """Yield a judge in each wording. A program reads fields, and a recorded judge is not asked: each is one member."""
    if judge.backend in (types.PROGRAMS, types.RECORDED):
        yield judge
        return
    for name in templates:
        own: dict[str, Any] = asdict(judge) | {"id": f"{judge.id}.{name}", "title": f"{judge.title}, wording {name}"}
        yield types.WordedJudge(**own, base=judge.id, template=name)


def _panel(base: types.Panel, id: str, members: tuple[str, ...]) -> types.Panel:
    """Return the panel of these members. Its refusal gates ask, and need, the same shares as those of the base."""
    gates, times = base.refusal_gates, len(members) / len(base.judges)
    sample, votes = (None if n is None else ceil(n * times) for n in (gates.sample, gates.votes))
    return types.WordedPanel(
        **asdict(base) | {"id": id, "judges": members, "refusal_gates": types.Gates(sample=sample, votes=votes)},
        base=base.id,
    )


def _resolved(board: types.BoardFile, profile: str | None, files: SpecFiles) -> types.BoardFile:
    """Return the board with `profile` applied, its contestants listed and sorted, and without profiles."""
    chosen = board.profiles.get(profile) if profile is not None else None
    replaced = {} if chosen is None else msgspec.structs.asdict(chosen)
    board = msgspec.structs.replace(board, **{name: value for name, value in replaced.items() if value is not None})
    contestants = sorted(source.spec.id for source in files.of_board(board.contestants))
    return msgspec.structs.replace(board, contestants=tuple(contestants), profiles={})


def _protocol_of(document: Document) -> str | Problem:
    """Return the protocol that a file names, or the problem."""
    default = default_protocol()
    named = document.data.get("protocol", default) if isinstance(document.data, dict) else default
    if isinstance(named, str) and named in registered("protocols"):
        return named
    return document.problem(
        ["protocol"], f"found {kind_and_value(named)}; {did_you_mean(str(named), registered('protocols'))}"
    )


def _bytes(path: Path) -> bytes:
    """Return the content of a file, cut just after the largest allowed size."""
    with readable(path), path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _by_id(specs: Iterable[Any]) -> dict[str, Any]:
    return {spec.id: spec for spec in specs}


class _Reader(msgspec.Struct):
    """Read the spec files of one folder and collect their problems.

    new: False for the specs of a run, whose texts are no longer checked. protocols: those that files name, valid or
    not. unknown_protocols: True if a file cannot be read or names another protocol, so that other files may belong to
    it.
    """

    folder: Path
    listing: SpecListing
    new: bool
    problems: list[Problem] = []
    seen: set[Path] = set()
    protocols: set[str] = set()
    unknown_protocols: bool = False

    @property
    def is_new(self) -> bool:
        """Return True if there is neither a board nor an item yet."""
        return not any(path.parent.name in ("boards", "domains") for path in self.listing.files)

    def one(self, name: str, kind: type[SpecT] | FileKind) -> SpecFile[Any] | None:
        path = self.folder / name
        self.seen.add(path)
        if path not in self.listing.files:
            if path not in self.listing.refused:
                message = "missing file; every benchmark needs one"
                self.problems.append(Problem(self._shown(path), 1, 1, message, "files"))
            return None
        with naming(path):
            return self._read(path, kind)

    def _read(self, path: Path, kind: type[SpecT] | FileKind) -> SpecFile[Any] | None:
        document, problems = read_document(self._shown(path), _bytes(path))
        self.problems += problems
        if document is None or problems:
            self.unknown_protocols |= isinstance(kind, str)
            return None
        if isinstance(kind, str):
            named = _protocol_of(document)
            if isinstance(named, Problem):
                self.problems.append(named)
                self.unknown_protocols = True
                return None
            self.protocols.add(named)
            own: type[types.Spec] = getattr(specs_of(named), kind)
        spec = self._typed(document, own if isinstance(kind, str) else kind)
        return None if spec is None else SpecFile(spec, document)

    def _typed(self, document: Document | JsonLine, kind: type[SpecT]) -> SpecT | None:
        spec, problems = typed(document, kind)
        self.problems += problems
        if spec is not None and self.new:
            self.problems += breaking("text", chain(cut_texts(document, kind), hidden_texts(document, kind)))
        return spec

    def optional(self, name: str, kind: type[SpecT]) -> SpecFile[SpecT] | None:
        return self.one(name, kind) if self.folder / name in self.listing.files else None

    def every(self, subfolder: str, kind: type[SpecT] | FileKind, *, required: bool = True) -> list[SpecFile[Any]]:
        """Read the files of a folder. kind: one type for all, or chosen by the protocol of each file."""
        paths = self.listing.every(subfolder, ".yaml")
        in_tables = subfolder in ("domains", "models") and any(map(self.listing.is_table, self.listing.files))
        if (
            required
            and not paths
            and not in_tables
            and not self.is_new
            and self.folder / subfolder not in self.listing.refused
        ):
            place = self._shown(self.folder / subfolder)
            message = f"no .yaml file in specs/{subfolder}/; a benchmark needs at least one"
            self.problems.append(Problem(place, 1, 1, message, "files"))
        sources = (self.one(f"{subfolder}/{path.name}", kind) for path in paths)
        return [source for source in sources if source is not None]

    def own(self, path: str, kind: type[types.Spec], *, optional: bool = False) -> list[SpecFile[Any]]:
        """Read the files of one protocol at `name.yaml` or `folder/*.yaml`."""
        subfolder, _, name = path.rpartition("/")
        if subfolder:
            return self.every(subfolder, kind)
        source = self.optional(name, kind) if optional else self.one(name, kind)
        return [] if source is None else [source]

    def tables(self, source: SpecFile[types.BoardFile]) -> BoardTables | None:
        """Read the table files of a board, if its protocol has some."""
        board = source.spec
        names = protocol_tables().get(board.protocol)
        if names is None:
            return None
        folder, files = self.folder / board.protocol / board.id, dict[str, bytes]()
        for path in (folder / name for name in names):
            self.seen.add(path)
            if path in self.listing.files:
                with readable(path), naming(path):
                    files[path.name] = path.read_bytes()
        read, problems = specs_of(board.protocol).read_tables(source, self._shown(folder), files)
        self.problems += problems
        return read

    def labels(self, source: SpecFile[types.BoardFile]) -> list[LabelRow] | None:
        """Read the file of a board's labels, if it has one."""
        labels = getattr(source.spec, "labels", None)
        if labels is None or labels.file is None:
            return None
        path = self.folder / "labels" / labels.file
        self.seen.add(path)
        if path not in self.listing.files:
            message = f"no file {labels.file!r} in specs/labels/; make one with: nullbench-site label plan"
            self.problems.append(source.document.problem(["labels", "file"], message))
            return None
        with readable(path), naming(path):
            read, problems = read_labels(self._shown(path.parent), labels.file, path.read_bytes())
        self.problems += breaking("boards", problems)
        return read

    def with_items_file(self, source: SpecFile[types.DomainFile]) -> SpecFile[types.DomainFile]:
        """Add the items of the JSONL files of a domain. Each line has its own position."""
        categories = []
        documents = dict(source.item_documents)
        for number, category in enumerate(source.spec.categories):
            items = list(category.items)
            if category.items_file is not None:
                place = source.document.problem(["categories", number, "items_file"], "")
                for item, document in self._items(category.items_file, specs_of(source.spec.protocol).item, place):
                    documents[number, len(items)] = document
                    items.append(item)
            categories.append(msgspec.structs.replace(category, items=tuple(items)))
        spec = msgspec.structs.replace(source.spec, categories=tuple(categories))
        return SpecFile(spec, source.document, documents)

    def _items(self, name: str, kind: type[types.Item], place: Problem) -> Iterable[tuple[types.Item, JsonLine]]:
        path = self.folder / "domains" / name
        self.seen.add(path)
        if path not in self.listing.files:
            if path not in self.listing.refused:
                message = f"no file {name!r} in specs/domains/"
                self.problems.append(Problem(place.file, place.line, place.column, message, "files"))
            return
        shown = self._shown(path)
        with readable(path), naming(path), path.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_BYTES + 2), b""), start=1):
                if not line.strip():
                    continue
                document, problems = read_line(shown, line.rstrip(b"\r\n"), number)
                self.problems += problems
                if len(line) > MAX_BYTES + 1:  # otherwise the rest would be read as more lines
                    return
                if document is not None and not problems:
                    item = self._typed(document, kind)
                    if item is not None:
                        yield item, JsonLine(shown, number)  # without the data, which takes more memory than the item

    def templates(self) -> dict[str, str]:
        wordings = {}
        # Runs made before version 0.1.0 have templates that end with .j2.
        for path in (*self.listing.every("templates", ".txt"), *self.listing.every("templates", ".j2")):
            self.seen.add(path)
            text, problems = read_text(self._shown(path), _bytes(path))
            self.problems += problems
            if text is not None:
                wordings[path.stem] = text.replace("\r\n", "\n")
        return wordings

    def private(
        self, folder: Path, domains: Iterable[SpecFile[types.DomainFile]]
    ) -> Mapping[str, Sequence[PrivateLine]]:
        """Read the private texts on this machine, by domain. Their files must be ignored by git."""
        texts = {source.spec.id: specs_of(source.spec.protocol).item.text_type for source in domains}
        files = read_private(folder, texts, beside=self.folder.parent)
        # If a domain could not be read, its private file cannot be checked.
        self.problems += () if self.problems else breaking("private", files.problems)
        for path in left_to_git(self.folder.parent, sorted(folder.glob("*.jsonl"))):
            shown = path.relative_to(self.folder.parent) if path.is_relative_to(self.folder.parent) else path
            message = "git would publish this file; add its folder to .gitignore, and remove it from git"
            self.problems.append(Problem(str(shown), 1, 1, message, "private"))
        return files.lines

    def refuse_strangers(self) -> None:
        """Report files that nothing reads, symlinks, and files that are not specs."""
        strangers = [*self.listing.refused.items(), *(self.listing.foreign() if self.new else ())]
        broken = any(problem.file.startswith(self._shown(self.folder / "domains")) for problem in self.problems)
        for path, message in () if self.unknown_protocols else self.listing.unread(self.seen):
            if not (broken and path.suffix == ".jsonl"):  # a domain that could not be read may name it
                strangers.append((path, message))
        self.problems += (Problem(self._shown(path), 1, 1, message, "files") for path, message in strangers)

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.folder.parent).as_posix()
