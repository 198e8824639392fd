"""Add a model, judge, domain, item or board to the specs. Comments and all other text of existing files are kept."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from nullbench_site.audit.chosen_way import chosen_way
from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.endpoints.local_server import is_loopback
from nullbench_site.evaluation.endpoints.model_files import catalogue
from nullbench_site.evaluation.endpoints.served_models import served_models
from nullbench_site.interop.answers.kept import with_files
from nullbench_site.interop.questions import one_item
from nullbench_site.repository import Repository
from nullbench_site.runs.storage import write_all
from nullbench_site.specs.benchmark import BUILT_IN
from nullbench_site.specs.document import Document, read_document
from nullbench_site.specs.judging_prompts import FULL, reply_tokens
from nullbench_site.specs.load import read_specs
from nullbench_site.specs.protocol import Column
from nullbench_site.specs.rewriting import item_line, with_entry, with_value
from nullbench_site.specs.sources import SpecFiles
from nullbench_site.specs.types import Endpoint, JudgedBoardFile
from nullbench_site.specs.yaml_text import spec_text
from nullbench_site.starter import Shipped, board_file, domain_files, starter_of
from nullbench_site.text import did_you_mean, slug, some_of, title_of

_NAMED = 20
_THINKING = 4_000
"""The most output tokens of a judge that may think."""
_ONE_AT_A_TIME = {"concurrency": 1}
"""The limits of a new endpoint on this machine."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A model at an endpoint. endpoint: its id or its URL. model: its name there; None if it serves only one.

    key_env: the environment variable with the key of a new endpoint. max_tokens: the most output tokens. backend: the
    API of the endpoint. prompt, reply: of a judge, as in judges.yaml.
    """

    endpoint: str
    backend: str = "openai"
    model: str | None = None
    title: str | None = None
    family: str | None = None
    key_env: str | None = None
    max_tokens: int | None = None
    prompt: str | None = None
    reply: str | None = None

    @property
    def decoding(self) -> dict[str, Any]:
        """Return its decoding. Anthropic's API refuses a temperature."""
        limit = {} if self.max_tokens is None else {"max_tokens": self.max_tokens}
        return {"temperature": None if self.backend == "anthropic" else 0, **limit}


class Changes:
    """Changes of the specs, which are checked together and written together."""

    def __init__(self, repository: Repository) -> None:
        """Raise SpecError if a file of the specs cannot be read."""
        self.repository = repository
        self.files: SpecFiles = read_specs(repository.specs, new=True)
        self.texts: dict[str, str] = {}

    def document(self, name: str) -> Document | None:
        """Return a file as changed so far; None if there is none."""
        path = self.repository.specs / name
        if name not in self.texts and not path.is_file():
            return None
        raw = self.texts[name].encode() if name in self.texts else path.read_bytes()
        document, problems = read_document(f"specs/{name}", raw)
        if problems:
            raise SpecError(problems)
        return document

    def create(self, name: str, text: str) -> None:
        """Add a file. Raises UsageError if it exists."""
        if (self.repository.specs / name).exists():
            raise UsageError(f"specs/{name} exists already; choose another id")
        self.texts[name] = text

    def append(self, name: str, steps: tuple[str | int, ...], entry: str | Mapping[str, Any]) -> None:
        """Add an entry to a list in a file."""
        document = self.document(name)
        text = None if document is None else with_entry(document, steps, entry)
        if text is None:
            where = ".".join(map(str, steps))
            raise UsageError(f"specs/{name}: the list {where!r} cannot be extended; write it out, and try again")
        self.texts[name] = text

    def replace(self, name: str, steps: tuple[str | int, ...], value: str) -> None:
        """Replace an id in a file."""
        document = self.document(name)
        text = None if document is None else with_value(document, steps, value)
        if text is None:
            raise UsageError(f"specs/{name}: {'.'.join(map(str, steps))} cannot be replaced; write it on one line")
        self.texts[name] = text

    def write(self) -> list[str]:
        """Check the specs with the changes and write them; return the paths. Raises SpecError with every problem."""
        specs = self.repository.specs
        files = {specs / name: text.encode() for name, text in self.texts.items()}
        with tempfile.TemporaryDirectory(prefix="nullbench-add-") as trial:
            with_files(specs, files, Path(trial), self.repository.private)
        write_all(files)
        return [f"specs/{name}" for name in self.texts]

    def boards(self, names: Sequence[str], key: str) -> Iterator[str]:
        """Yield the boards whose list `key` gets a new entry: those named, else the only board.

        A board that takes all has no list, and needs no entry.
        """
        boards = {source.spec.id: source for source in self.files.boards}
        for name in names:
            if name not in boards:
                raise UsageError(f"there is no board {name!r}; {did_you_mean(name, boards)}")
        chosen = [boards[name] for name in names] or list(boards.values())
        listing = [each.spec.id for each in chosen if isinstance(each.document.data.get(key), list)]  # type: ignore[union-attr]
        if not names and len(listing) > 1:
            raise UsageError(f"choose a board with --board: {', '.join(listing)}")
        yield from listing


def add_model(repository: Repository, name: str | None, asked: Asked, boards: Sequence[str]) -> list[str]:
    """Add a contestant; return the files. name: by default from the model's name.

    Raises UsageError for wrong names and if the model cannot be looked up, SpecError, StorageError.
    """
    changes = Changes(repository)
    own, data, _ = _at_endpoint(changes, name, asked)
    decoding = {} if asked.max_tokens is None else {"decoding": asked.decoding}
    model = {"id": own, "title": data["title"], "description": data["description"], "kind": "model"}
    changes.create(f"models/{own}.yaml", spec_text("../schema/model.json", {**model, **data, **decoding}))
    for board in changes.boards(boards, "contestants"):
        changes.append(f"boards/{board}.yaml", ("contestants",), own)
    return changes.write()


def add_judge(
    repository: Repository,
    name: str | None,
    asked: Asked,
    panel: str | None,
    on_note: Callable[[str], None] = lambda note: None,
) -> list[str]:
    """Add a judge to a panel, which is made if it is new; return the files. panel: that of the boards by default.

    Without a prompt and a form of reply, it is asked as a study of judging prompts says, if there is one: see
    `chosen_way`. Without a limit on output tokens, a model of the catalogue gets the one that its form of reply needs.
    Other models may think first, and get 4,000. on_note: what was chosen for it, in words.
    """
    changes = Changes(repository)
    judged = [source.spec for source in changes.files.boards if isinstance(source.spec, JudgedBoardFile)]
    used = sorted({board.panel for board in judged})
    if panel is None and len(used) != 1:
        raise UsageError(f"choose a panel with --panel: {', '.join(used) or 'a new id'}")
    limited = msgspec.structs.replace(asked, max_tokens=asked.max_tokens or _THINKING)
    own, data, is_local = _at_endpoint(changes, name, limited)
    joined = panel or used[0]
    protocols = {board.protocol for board in judged if board.panel == joined} or {each.protocol for each in judged}
    way = None
    if asked.prompt is None and asked.reply is None:
        way = chosen_way(repository.specs, Shipped.folder, data["model"], sorted(protocols), is_local=is_local)
    if way is not None and way.method == "questions":
        room = _room_for_questions(changes, joined, may_move=panel is None)
        if room is None:
            on_note(
                f"panel {joined!r} asks for verdicts, so short questions, which {way.source} chooses, are not asked"
            )
            on_note("to ask them, add the judge with --panel NEW, and name that panel in the board's file")
            way = way.by_verdict
        else:
            joined = room
    named = {key: value for key in ("prompt", "reply") if (value := getattr(asked, key)) is not None}
    tokens = reply_tokens(sorted(protocols), asked.prompt or FULL, asked.reply)
    if way is not None:
        named, tokens = way.fields(protocols), way.tokens(protocols)
        on_note(f"{way.source} chooses: {', '.join(f'{key}: {value}' for key, value in named.items())}")
    if asked.max_tokens is None and data["model"] in {each.name for each in catalogue().values()}:
        limited = msgspec.structs.replace(asked, max_tokens=tokens)
    _with_judges(changes, [{"id": own, **data, **named, "decoding": limited.decoding}], joined, title_of(joined))
    for board in (board for board in judged if board.panel != joined and board.panel == used[0] and panel is None):
        changes.replace(f"boards/{board.id}.yaml", ("panel",), joined)
        on_note(f"board {board.id!r} has the panel {joined!r} now, since a panel asks all its judges by one method")
    return changes.write()


def _room_for_questions(changes: Changes, panel: str, *, may_move: bool) -> str | None:
    """Return the panel that a judge of short questions can join; None if there is none.

    may_move: whether the boards may get a new panel in place of one of programs only. They do not if anything was run.
    """
    panels = {each.id: each for each in changes.files.panels}
    judges = {each.id: each for each in changes.files.all_judges}
    others = [judges[name] for name in panels[panel].judges if name in judges] if panel in panels else []
    if all(each.asks_questions for each in others):
        return panel
    if (
        not may_move
        or not all(each.is_program for each in others)
        or any(changes.repository.runs.glob("*/manifest.json"))
    ):
        return None
    return next(
        own for n in range(1, len(panels) + 2) if (own := f"questions-{n}" if n > 1 else "questions") not in panels
    )


def _with_panel(changes: Changes, panel: str) -> None:
    """Add a shipped panel with its judges, unless a panel has its id."""
    if panel not in {each.id for each in changes.files.panels}:
        judges, title = Shipped().panel(panel)
        _with_judges(changes, judges, panel, title)


def _with_judges(changes: Changes, judges: Sequence[Mapping[str, Any]], panel: str, title: str) -> None:
    """Add judges and put them on a panel. Judges that exist are only put on it."""
    names = [judge["id"] for judge in judges]
    new = {"id": panel, "title": title, "judges": names}
    document = changes.document("judges.yaml")
    if document is None:
        changes.texts["judges.yaml"] = spec_text("schema/judges.json", {"judges": list(judges), "panels": [new]})
        return
    known: Any = document.data
    taken = {judge["id"] for judge in known["judges"]}
    for judge in judges:
        if judge["id"] not in taken:
            changes.append("judges.yaml", ("judges",), judge)
    places = [place for place, each in enumerate(known["panels"]) if each["id"] == panel]
    if not places:
        changes.append("judges.yaml", ("panels",), new)
    for place in places:
        for name in names:
            changes.append("judges.yaml", ("panels", place, "judges"), name)


def _at_endpoint(changes: Changes, name: str | None, asked: Asked) -> tuple[str, dict[str, Any], bool]:
    """Return the id and the fields of a model or judge, after adding its endpoint if that is new.

    The last is True if the endpoint is on this machine.
    """
    if asked.backend == "anthropic" and asked.max_tokens is None:
        raise UsageError("Anthropic's API needs a limit on the output; add --max-tokens")
    written = () if changes.files.endpoints is None else changes.files.endpoints.spec.endpoints
    known = {**BUILT_IN, **{each.id: each for each in written}}
    endpoint = next((each for each in known.values() if asked.endpoint in (each.id, each.base_url)), None)
    if endpoint is None:
        endpoint = _new_endpoint(changes, asked, set(known))
    model = asked.model
    if model is None:
        served = served_models(endpoint, {**changes.repository.variables, **os.environ})
        if len(served) > 1:
            raise UsageError(
                f"the endpoint serves several models; choose one with --model: {', '.join(some_of(served, _NAMED))}"
            )
        model = served[0]
    own = name or slug(model.rpartition("/")[2].partition("@")[0])
    title = title_of(asked.title or own)
    where = "on this machine" if _host_is_local(endpoint) else f"at the endpoint {endpoint.id}"
    return own, {
        "title": title, "description": f"{title}, {where}.", "backend": asked.backend, "endpoint": endpoint.id,
        "model": model, "family": asked.family or own,
    }, _host_is_local(endpoint)  # fmt: skip


def _new_endpoint(changes: Changes, asked: Asked, taken: set[str]) -> Endpoint:
    url = asked.endpoint.rstrip("/")
    if not url.startswith(("http://", "https://")):
        advice = did_you_mean(url, taken) if taken else "give the URL of one, such as http://localhost:8091/v1"
        raise UsageError(f"there is no endpoint {url!r}; {advice}")
    host = urlsplit(url).hostname or ""
    wanted = "local" if is_loopback(host) else slug(host) or "endpoint"
    own = next(each for each in (wanted, *(f"{wanted}-{n}" for n in range(2, len(taken) + 3))) if each not in taken)
    data: dict[str, Any] = {"id": own, "base_url": url}
    data |= {} if asked.key_env is None else {"key_env": asked.key_env}
    data |= {"limits": _ONE_AT_A_TIME} if is_loopback(host) else {}
    try:
        endpoint = msgspec.convert(data, Endpoint)
    except msgspec.ValidationError as error:
        raise UsageError(f"--endpoint {url}: {error}") from error
    if changes.document("endpoints.yaml") is None:
        changes.texts["endpoints.yaml"] = spec_text("schema/endpoints.json", {"endpoints": [data]})
    else:
        changes.append("endpoints.yaml", ("endpoints",), data)
    return endpoint


def _host_is_local(endpoint: Endpoint) -> bool:
    return is_loopback(urlsplit(endpoint.base_url or "").hostname or "")


def add_domain(
    repository: Repository, name: str, protocol: str | None, title: str | None, boards: Sequence[str]
) -> list[str]:
    """Add a domain without items to the boards of its protocol; return the files."""
    changes = Changes(repository)
    of_boards = sorted(
        {source.spec.protocol for source in changes.files.boards if source.spec.id in (boards or [source.spec.id])}
    )
    if protocol is None and len(of_boards) != 1:
        raise UsageError(
            f"choose a protocol with --protocol: {', '.join(of_boards) or 'see nullbench-site add board --help'}"
        )
    protocol = protocol or of_boards[0]
    if not starter_of(protocol).columns:
        raise UsageError(f"domains of the protocol {protocol!r} come from a table; see nullbench-site import --help")
    for path, text in domain_files(protocol, name, title_of(title or name), {}).items():
        changes.create(path.removeprefix("specs/"), text)
    for path, text in Shipped().files(*starter_of(protocol).copied).items():
        if not (repository.root / path).exists():
            changes.texts[path.removeprefix("specs/")] = text
    if changes.document("judges.yaml") is None and (panel := starter_of(protocol).board.get("panel")):
        _with_panel(changes, panel)
    fitting = [source.spec.id for source in changes.files.boards if source.spec.protocol == protocol]
    for board in changes.boards(boards or fitting[:1], "domains") if fitting or boards else ():
        changes.append(f"boards/{board}.yaml", ("domains",), name)
    return changes.write()


def required_columns(repository: Repository, domain: str) -> Sequence[Column]:
    """Return the columns that an item of a domain must have. Raises UsageError for an unknown domain."""
    sources = {source.spec.id: source for source in read_specs(repository.specs, new=True).domains}
    if domain not in sources:
        raise UsageError(f"there is no domain {domain!r}; {did_you_mean(domain, sources)}")
    return [column for column in starter_of(sources[domain].spec.protocol).every_column if column.required]


def add_item(repository: Repository, domain: str, cells: Mapping[str, str]) -> list[str]:
    """Add an item to a domain; return the files. cells: as in a row of a table, by column."""
    changes = Changes(repository)
    spec = next(source.spec for source in changes.files.domains if source.spec.id == domain)
    taken = {item.id for source in changes.files.domains for each in source.spec.categories for item in each.items}
    free = next(own for n in range(1, len(taken) + 2) if (own := f"{domain}-{n:02}") not in taken)
    categories = {name: place for place, each in enumerate(spec.categories) for name in (each.title, each.id)}
    wanted = cells.get("category", spec.categories[0].id)
    if wanted not in categories:
        raise UsageError(f"domain {domain!r} has no category {wanted!r}; {did_you_mean(wanted, categories)}")
    data = one_item(spec.protocol, {"id": free, **{key: cell for key, cell in cells.items() if key != "category"}})
    place = categories[wanted]
    file = spec.categories[place].items_file
    if file is None:
        changes.append(f"domains/{domain}.yaml", ("categories", place, "items"), data)
    else:
        before = (repository.specs / "domains" / file).read_text("utf-8")
        joint = "" if not before or before.endswith("\n") else "\n"
        changes.texts[f"domains/{file}"] = f"{before}{joint}{item_line(data)}\n"
    return changes.write()


def add_board(
    repository: Repository,
    name: str,
    protocol: str,
    *,
    title: str | None = None,
    domains: Sequence[str] = (),
    panel: str | None = None,
) -> list[str]:
    """Add a board over domains of its protocol, by default all of them; return the files."""
    changes, starter = Changes(repository), starter_of(protocol)
    if not starter.columns:
        raise UsageError(f"a board of the protocol {protocol!r} comes from a table; see nullbench-site import --help")
    known = [source.spec.id for source in changes.files.domains if source.spec.protocol == protocol]
    if not (domains or known):
        raise UsageError(
            f"no domain has the protocol {protocol!r}; first: nullbench-site add domain ID --protocol {protocol}"
        )
    board = {"id": name, "title": title_of(title or name), **starter.board, "protocol": protocol}
    board |= {"domains": list(domains) or known, "contestants": "all", "ask_canaries": True}
    if board.get("baseline") not in {source.spec.id for source in changes.files.models}:
        board.pop("baseline", None)
    if "panel" in board:
        board["panel"] = panel or board["panel"]
        _with_panel(changes, board["panel"])
    for path, text in board_file(protocol, board).items():
        changes.create(path.removeprefix("specs/"), text)
    return changes.write()
