"""Write a new benchmark repository: with examples, empty, or made of a table of questions or scores."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any
from uuid import uuid4

from nullbench_site import __version__
from nullbench_site.errors import UsageError
from nullbench_site.extensions import registered
from nullbench_site.interop.importer import TableImporter, importer
from nullbench_site.interop.questions import read_questions
from nullbench_site.packaged import data_text, packaged
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.document import read_document
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import Starter, default_protocol, specs_of
from nullbench_site.specs.rewriting import item_line
from nullbench_site.specs.schema import schema_name, write_schemas
from nullbench_site.specs.table_files import distinct_ids
from nullbench_site.specs.types import PROGRAMS
from nullbench_site.specs.yaml_text import spec_text
from nullbench_site.text import slug, title_of

LIVE = "live"
"""The profile and the panel of a board with examples whose judges are models."""
OWN = {
    ".github/workflows/review.yml": "review.yml",
    ".github/workflows/preview.yml": "preview.yml",
    ".github/workflows/comment.yml": "comment.yml",
    ".github/workflows/publish.yml": "publish.yml",
    ".github/ISSUE_TEMPLATE/submit-a-model.yml": "submit-a-model.yml",
    ".github/ISSUE_TEMPLATE/dispute-an-answer.yml": "dispute-an-answer.yml",
    ".gitlab-ci.yml": "gitlab-ci.yml",
    ".ci/install.sh": "install.sh",
    ".ci/comment.sh": "comment.sh",
    "requirements-nullbench-site.txt": "requirements-nullbench-site.txt",
    ".gitignore": "gitignore",
    ".gitattributes": "gitattributes",
    "README.md": "README.md",
    "specs/benchmark.yaml": "benchmark.yaml",
}
"""Files of the new repository, each with its name in data/starter/."""
COMMON = ("mkdocs.yml", ".github/dependabot.yml", "requirements.txt")
"""Files that a new repository copies from ours."""
_EXAMPLES = """
The items here are examples from the nullbench benchmark (CC-BY-4.0); replace them with your own.
"""
_CANARY = re.compile(r"nullbench-canary:(?:[0-9a-f-]{36}|new)")
Items = Mapping[str, Sequence[Mapping[str, Any]]]
"""Items by the title of their category; "" if they have none."""


def make_repository(
    directory: Path,
    title: str | None = None,
    protocol: str | None = None,
    items: Items | None = None,
    *,
    empty: bool = False,
) -> Path:
    """Write a benchmark repository into `directory`, which must be new or empty except for `.git`; returns it.

    items: None for those of shipped domains. empty: write no example: no contestant and, without `items`, no item.
    Raises UsageError if the folder is not empty, SpecError if the specs would have problems, StorageError if the disk
    refuses.
    """
    check_new(directory)
    name = directory.resolve().name
    title = title_of(title or "") or title_of(name) or repository_id(name)
    files = common_files(name, title, examples=items is None and not empty) | board_files(
        protocol or default_protocol(), title, name, items, empty=empty
    )
    with tempfile.TemporaryDirectory(prefix="nullbench-init-") as trial:
        _write(Path(trial), files)
        load_benchmark(Path(trial) / "specs")
    _write(directory, files)
    with storage_errors(directory):
        write_schemas(directory / "specs" / "schema")
    return directory


def check_new(directory: Path) -> None:
    """Raise UsageError unless the folder is new, or empty except for `.git`."""
    with storage_errors(directory):
        if directory.exists() and any(entry.name != ".git" for entry in directory.iterdir()):
            raise UsageError(f"{directory}: the folder is not empty; give the path of a new folder")


def _write(directory: Path, files: Mapping[str, str]) -> None:
    with storage_errors(directory):
        for path, text in files.items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")


def common_files(name: str, title: str, *, examples: bool) -> dict[str, str]:
    """Return the text of each file of a repository without a board, by its path.

    name: of the folder. examples: whether its items are copied from the shipped benchmark.
    """
    words = {"id": repository_id(name), "version": __version__, "examples": _EXAMPLES if examples else ""}
    files = {}
    for path, own in OWN.items():
        in_place = _quoted(title) if path.endswith(".yaml") else title
        # Other texts with a dollar, such as `$schema`, stay.
        files[path] = _fresh(Template(data_text(f"starter/{own}")).safe_substitute(words, title=in_place))
    return files | {name: packaged(name).read_text("utf-8") for name in COMMON}


def board_files(protocol: str, title: str, name: str, items: Items | None, *, empty: bool) -> dict[str, str]:
    """Return the specs of a board with its domains, contestants and judges, by path."""
    starter = starter_of(protocol)
    shipped = Shipped()
    if starter.importer:
        return {} if empty else shipped.board_of_tables(starter.example)
    if items is None and not empty:
        domains = list(starter.domains)
        files = shipped.files(*(f"domains/{each}.yaml" for each in domains))
        files |= shipped.files(*(path.format(domain=each) for path in starter.written for each in domains))
    else:
        domains = [repository_id(name)]
        files = domain_files(protocol, domains[0], title, items or {})
    board = {"id": "main", "title": title, **starter.board, "protocol": protocol, "domains": domains}
    board |= {"contestants": "all", "ask_canaries": True}
    contestants = [] if empty else [*shipped.contestants(starter, every=items is None)]
    if "baseline" in board and board["baseline"] not in contestants:
        del board["baseline"]
    panels = [board["panel"]] if "panel" in board else []
    if panels and not empty:
        board["profiles"] = {LIVE: {"panel": LIVE}}
        panels.append(LIVE)
    files |= board_file(protocol, board) | shipped.judges(panels)
    return files | shipped.files(*starter.copied, *(f"models/{each}.yaml" for each in contestants))


def starter_of(protocol: str) -> Starter:
    """Return what to write for a board of a protocol. Raises UsageError if it does not say."""
    starter = specs_of(protocol).starter
    if starter is None:
        raise UsageError(f"the protocol {protocol!r} has no starter; write its specs by hand")
    return starter


def board_file(protocol: str, board: Mapping[str, Any]) -> dict[str, str]:
    """Return the file of a board."""
    schema = f"../schema/{schema_name(specs_of(protocol).board)}.json"
    return {f"specs/boards/{board['id']}.yaml": spec_text(schema, board)}


def domain_files(protocol: str, domain: str, title: str, items: Items) -> dict[str, str]:
    """Return the files of a domain: its categories, their items, and what its protocol needs."""
    specs, starter = specs_of(protocol), starter_of(protocol)
    titles = list(items) or [""]
    ids = [domain] if titles == [""] else distinct_ids(titles, "other", f"{domain}-")
    names = [f"{own}.jsonl" for own in ids]
    categories = [
        {
            "id": own, "title": each or title, "description": f"Items of {each or title}.",
            **starter.category, "items_file": file,
        }
        for own, each, file in zip(ids, titles, names, strict=True)
    ]  # fmt: skip
    data = {
        "id": domain, "title": title, "description": f"Items of {title}.", "protocol": protocol,
        "categories": categories,
    }  # fmt: skip
    schema = f"../schema/{schema_name(specs.domain)}.json"
    files = {f"specs/domains/{domain}.yaml": spec_text(schema, data)}
    for each, file in zip(titles, names, strict=True):
        files[f"specs/domains/{file}"] = "".join(f"{item_line(item)}\n" for item in items.get(each, ()))
    for path, (of_file, content) in starter.written.items():
        files[f"specs/{path.format(domain=domain)}"] = spec_text(f"../schema/{of_file}.json", content)
    return files


class Shipped:
    """The shipped specs, from which examples are copied."""

    folder = packaged("specs")

    def files(self, *names: str) -> dict[str, str]:
        """Return the text of shipped files with fresh canaries, by path."""
        return {f"specs/{name}": _fresh((self.folder / name).read_text("utf-8")) for name in names}

    def data(self, name: str) -> Any:
        """Return the data of a shipped file."""
        document, _ = read_document(name, (self.folder / name).read_bytes())
        return None if document is None else document.data

    def contestants(self, starter: Starter, *, every: bool) -> Iterator[str]:
        """Yield the programs of the example; without `every`, null models and baselines of pairs only."""
        needed = starter.board.get("baseline")
        for name in self.data(f"boards/{starter.example}.yaml")["contestants"]:
            model = self.data(f"models/{name}.yaml")
            if model["backend"] == PROGRAMS and (every or model["kind"] == "null" or name == needed):
                yield name

    def judges(self, panels: Sequence[str]) -> dict[str, str]:
        """Return judges.yaml with these panels, and the endpoints of its judges."""
        if not panels:
            return {}
        file = self.data("judges.yaml")
        chosen = [panel for panel in file["panels"] if panel["id"] in panels]
        names = {judge for panel in chosen for judge in panel["judges"]}
        judges = [judge for judge in file["judges"] if judge["id"] in names]
        files = {"specs/judges.yaml": spec_text("schema/judges.json", {"judges": judges, "panels": chosen})}
        used = {judge["endpoint"] for judge in judges if "endpoint" in judge}
        endpoints = [each for each in self.data("endpoints.yaml")["endpoints"] if each["id"] in used]
        if endpoints:
            files["specs/endpoints.yaml"] = spec_text("schema/endpoints.json", {"endpoints": endpoints})
        return files

    def panel(self, name: str) -> tuple[list[dict[str, Any]], str]:
        """Return the judges of a shipped panel, and its title. Raises UsageError for another name."""
        file = self.data("judges.yaml")
        panel = next((each for each in file["panels"] if each["id"] == name), None)
        if panel is None:
            raise UsageError(f"there is no panel {name!r}; make it first: nullbench-site add judge --panel {name}")
        return [judge for judge in file["judges"] if judge["id"] in panel["judges"]], panel["title"]

    def board_of_tables(self, name: str) -> dict[str, str]:
        """Return a shipped board whose results are in tables."""
        protocol = self.data(f"boards/{name}.yaml")["protocol"]
        tables = sorted((self.folder / protocol / name).iterdir())
        return self.files(f"boards/{name}.yaml", *(f"{protocol}/{name}/{path.name}" for path in tables))


def _fresh(text: str) -> str:
    """Return the text with new canaries: each file has its own."""
    return _CANARY.sub(lambda _: f"nullbench-canary:{uuid4()}", text)


def repository_id(name: str) -> str:
    """Return the id of a benchmark in a folder of this name."""
    return slug(name) or "my-board"


def _quoted(text: str) -> str:
    """Return a text in quotes, as YAML and JSON read it."""
    return json.dumps(text, ensure_ascii=False)


def start(
    directory: Path,
    *,
    title: str | None,
    protocol: str | None,
    source: Path | None,
    columns: Mapping[str, str],
    empty: bool,
    answers: str = "",
) -> Sequence[str]:
    """Write a new repository into `directory`; return notes on how `source` was read. Arguments as of `api.init`."""
    check_new(directory)
    if source is None:
        make_repository(directory, title, protocol, empty=empty)
        return ()
    if protocol is None:
        known = ", ".join(registered("protocols"))
        raise UsageError(f"--from needs --protocol, which says how answers are scored: {known}")
    if form := starter_of(protocol).importer:
        return _of_scores(directory, title, protocol, source, form)
    questions = read_questions(source, protocol, columns, repository_id(directory.resolve().name), answers)
    make_repository(directory, title, protocol, questions.items, empty=empty)
    return questions.notes


def _of_scores(directory: Path, title: str | None, protocol: str, source: Path, form: str) -> Sequence[str]:
    """Write a repository whose board is made of a table by the importer of a format."""
    chosen = importer(form)
    assert isinstance(chosen, TableImporter)  # noqa: S101 - protocols name importers of tables
    with tempfile.TemporaryDirectory(prefix="nullbench-init-") as made:
        folder = Path(made) / directory.resolve().name
        make_repository(folder, title, protocol, {}, empty=True)
        try:
            report = chosen.make(str(source), {"into": folder, "title": title})
        except UsageError as error:
            other = f"nullbench-site import {form} {source} --into {directory}"
            raise UsageError(f"{error}\nIf the table needs options, make the repository with: {other}") from error
        with storage_errors(directory):
            shutil.copytree(folder, directory, dirs_exist_ok=True)
    return list(report.lines())
