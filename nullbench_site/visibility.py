"""Make items private, or public again: their text moves between a domain file and a private file.

Imported answers to them become private with them.
"""

from __future__ import annotations

import copy
import secrets
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.interop.answers.kept import Salts, withheld_answers
from nullbench_site.runs.storage import write_all
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json
from nullbench_site.specs.document import Document, read_document
from nullbench_site.specs.json_lines import read_line
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.private import left_to_git, private_item, public_item, read_private, text_of
from nullbench_site.specs.rewriting import item_line, with_item
from nullbench_site.specs.types import DomainFile, Item, PrivateText
from nullbench_site.text import did_you_mean

_SALT_BYTES = 16


@dataclass(frozen=True)
class Hidden:
    """The result of hiding items. file: with their texts. answers: the imported answers that became private."""

    file: Path
    answers: int


def hide(specs: Path, private: Path, domain_id: str, names: Sequence[str]) -> Hidden:
    """Make public items of a domain private, and the imported answers to them; all or nothing.

    Raises UsageError for names that are not public items, if git would publish a private file, and if a file of
    answers is not the one that its contestant names.
    """
    benchmark = load_benchmark(specs)
    domain = _domain(benchmark, domain_id)
    items = [_item(domain, name) for name in dict.fromkeys(names)]
    for item in items:
        if item.visibility == "private":
            raise UsageError(f"the item {item.id!r} is private already")
        for name in item.public_only:
            if getattr(item, name) is not None:
                message = f"the item {item.id!r} has a {name!r}, which names a published text"
                raise UsageError(f"{message}; put the text in its prompt, and remove the key")
    path = private / f"{domain_id}.jsonl"
    if private.resolve().is_relative_to(specs.resolve()):
        raise UsageError(f"{private}: the private folder is inside {specs}, which every run copies; put it elsewhere")
    lines = _lines(private, domain, items[0].text_type)
    salts = _salts(items, lines)
    answers = withheld_answers(specs, private, salts)
    for left in left_to_git(specs.parent, [path, *answers.private]):
        raise UsageError(f"{left}: git would publish this file; add the line /{private.name}/ to .gitignore")
    texts = {item.id: text_of(item, salts[item.id].now) for item in items}
    hidden = {item.id: private_item(item, texts[item.id]) for item in items}
    kept = [*(line for line in lines if line.id not in texts), *texts.values()]
    # The private files first: `validate` reports texts in two places, but a text in no place is lost. The domain last:
    # while its items are public, an interrupted command can be run again.
    rewritten = _rewritten(specs, domain, hidden)
    write_all({path: _private_lines(kept), **answers.private, **answers.published, **rewritten})
    return Hidden(path, answers.answers)


def _salts(items: Sequence[Item], lines: Sequence[PrivateText]) -> Mapping[str, Salts]:
    """Return a new salt for each item, or the one that a killed `hide` left in the private file."""
    left = {line.id: line.salt for line in lines}
    return {
        item.id: Salts(item.salt, left[item.id])
        if left.get(item.id, item.salt) != item.salt
        else Salts(item.salt, secrets.token_hex(_SALT_BYTES))
        for item in items
    }


def reveal(specs: Path, private: Path, domain_id: str, names: Sequence[str]) -> None:
    """Make private items of a domain public, with the hash and the salt that prove their text.

    Raises UsageError for names that are not private items, or if their text is missing.
    """
    benchmark = load_benchmark(specs, private=private)
    domain = _domain(benchmark, domain_id)
    items = [_item(domain, name) for name in dict.fromkeys(names)]
    shown = {}
    for item in items:
        if item.visibility == "public":
            raise UsageError(f"item {item.id!r} is already public")
        if item.id not in benchmark.private:
            raise UsageError(f"{private}: found no {domain_id}.jsonl with the text of {item.id!r}; restore it")
        shown[item.id] = public_item(item, benchmark.private[item.id])
    kept = [line for line in _lines(private, domain, items[0].text_type) if line.id not in shown]
    left = {private / f"{domain_id}.jsonl": _private_lines(kept) or None}
    write_all({**_rewritten(specs, domain, shown), **left})


def _domain(benchmark: Benchmark, domain_id: str) -> DomainFile:
    if domain_id not in benchmark.domains:
        raise UsageError(f"there is no domain {domain_id!r}; {did_you_mean(domain_id, benchmark.domains)}")
    return benchmark.domains[domain_id]


def _item(domain: DomainFile, name: str) -> Item:
    items = {item.id: item for category in domain.categories for item in category.items}
    if name not in items:
        raise UsageError(f"domain {domain.id!r} has no item {name!r}; {did_you_mean(name, items)}")
    item = items[name]
    if not isinstance(item, Item):
        raise UsageError(f"items of the protocol {domain.protocol!r} cannot be private")
    return item


def _lines(private: Path, domain: DomainFile, kind: type[PrivateText]) -> list[PrivateText]:
    """Return the lines of the private file of the domain. Raises SpecError for an invalid line."""
    read = read_private(private, {domain.id: kind}, beside=private.parent)
    wrong = [problem for problem in read.problems if problem.file.endswith(f"/{domain.id}.jsonl")]
    if wrong:
        raise SpecError(wrong)
    return [line.text for line in read.lines.get(domain.id, ())]


def _private_lines(texts: Sequence[PrivateText]) -> bytes:
    return b"".join(canonical_json(text) + b"\n" for text in texts)


def _rewritten(specs: Path, domain: DomainFile, items: Mapping[str, Item]) -> dict[Path, bytes]:
    """Return the changed files of the domain, with these items instead of those of the same ids."""
    folder = specs / "domains"
    path = folder / f"{domain.id}.yaml"
    left = {name: _data(item) for name, item in items.items()}
    files = {path: _rewritten_yaml(path, left)}
    for category in domain.categories:
        if category.items_file is not None:
            files[folder / category.items_file] = _rewritten_lines(folder / category.items_file, left)
    return {path: content for path, content in files.items() if content != path.read_bytes()}


def _data(item: Item) -> dict[str, Any]:
    """Return the item as a spec file has it."""
    return msgspec.json.decode(msgspec.json.encode(item), type=dict[str, Any])


def _rewritten_yaml(path: Path, left: dict[str, dict[str, Any]]) -> bytes:
    """Return the domain file with its changed items, which are removed from `left`."""
    raw = path.read_bytes()
    for name in sorted(left):
        document = _parsed(path, raw)
        steps = _steps_to(document.data, name)
        if steps is None:
            continue
        wanted = left.pop(name)
        text = with_item(document, steps, wanted)
        changed = None if text is None else (BOM_UTF8 if raw.startswith(BOM_UTF8) else b"") + text.encode()
        # The rest must read back unchanged, and the new item as intended.
        if changed is None or not _reads_back(path, changed, document.data, steps, wanted):
            advice = "write it without anchors and aliases, then run the command again"
            raise UsageError(f"{path}: the item {name!r} cannot be rewritten in place; {advice}")
        raw = changed
    return raw


def _rewritten_lines(path: Path, left: dict[str, dict[str, Any]]) -> bytes:
    """Return the same for a file with one item a line."""
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines):
        data: Any = {}
        if line.strip():
            document, problems = read_line(str(path), line.rstrip(b"\r"), number + 1)
            if document is None or problems:
                raise SpecError(problems)
            data = document.data
        if data.get("id") in left:
            end = b"\r" if line.endswith(b"\r") else b""
            lines[number] = item_line(left.pop(data["id"])).encode() + end
    return b"\n".join(lines)


def _parsed(path: Path, raw: bytes) -> Document:
    """Return the document in `raw`. Raises SpecError if it cannot be read."""
    document, problems = read_document(str(path), raw)
    if document is None or problems:
        raise SpecError(problems)
    return document


def _steps_to(data: Any, name: str) -> tuple[str | int, ...] | None:
    """Return the path of keys to an item in a domain file; None if it is not in this file."""
    for c, category in enumerate(data["categories"]):
        for i, item in enumerate(category.get("items", ())):
            if item["id"] == name:
                return ("categories", c, "items", i)
    return None


def _reads_back(path: Path, raw: bytes, before: Any, steps: tuple[str | int, ...], item: Any) -> bool:
    """Return True if `raw` has the data `before` with `item` at `steps`."""
    try:
        now: Any = _parsed(path, raw).data
    except SpecError:
        return False
    wanted = copy.deepcopy(before)
    _, category, _, place = steps
    wanted["categories"][category]["items"][place] = item
    return bool(now == wanted)
