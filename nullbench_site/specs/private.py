"""Texts of items that are not published: read from a folder of their own that git leaves alone, known by salted hashes.

A file a domain, a line an item. What is wrong with a line is told without a word of it: logs are published, the line is
not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import rfc8785

from nullbench_site.errors import Problem
from nullbench_site.git import git
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.json_lines import JsonLine, read_line
from nullbench_site.specs.listing import readable
from nullbench_site.specs.schema import schema_name
from nullbench_site.specs.sources import PrivateLine
from nullbench_site.specs.types import Item, PrivateText, PromptText
from nullbench_site.specs.validate import validator
from nullbench_site.text import plural

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def text_hash(text: PrivateText) -> str:
    """`sha256:` and the sha256, in hex, of the whole line, salt included, as RFC 8785 writes it.

    So anybody can work it out from an item that is public again: `id`, `salt` and its text as JSON in the one form that
    the standard has, without what is as the schema has it by default.
    """
    try:
        canonical = rfc8785.dumps(msgspec.to_builtins(text))
    except rfc8785.IntegerDomainError:  # 2^53 itself, which a spec may hold, and for which the standard has no form
        canonical = canonical_json(text)
    return f"sha256:{sha256(canonical)}"


def is_hash_of(known: str | None, text: PrivateText) -> bool:
    """Whether the text is the one that a published hash names, be it one of before RFC 8785.

    Those were of our own canonical JSON, which writes some numbers and the order of some keys differently. Either form
    can be read back as one text alone, so that taking both lets nothing else pass.
    """
    return known in (text_hash(text), f"sha256:{sha256(canonical_json(text))}")


def text_fields(item: Item) -> tuple[str, ...]:
    """The names of what is hidden of a private item."""
    return tuple(name for name in item.text_type.__struct_fields__ if name not in PrivateText.__struct_fields__)


def text_of(item: Item, salt: str) -> PrivateText:
    """The line that a private file has, or had, of a public item. Its text must be whole."""
    fields = {name: getattr(item, name) for name in text_fields(item)}
    return item.text_type(id=item.id, salt=salt, **fields)


def public_item(item: Item, text: PrivateText) -> Item:
    """The item with its text, and with the hash and salt that prove it: the very hash by which it was known."""
    fields = {name: getattr(text, name) for name in text_fields(item)}
    return msgspec.structs.replace(item, **fields, visibility="public", salt=text.salt)


def private_item(item: Item, text: PrivateText) -> Item:
    """The item without its text, known by the hash of it."""
    nothing: dict[str, Any] = dict.fromkeys(text_fields(item))
    if isinstance(text, PromptText) and text.turns:
        nothing["turns"] = len(text.turns)
    return msgspec.structs.replace(item, **nothing, visibility="private", hash=text_hash(text), salt=None)


def withheld_words(benchmark: Benchmark) -> str | None:
    """How many private items have no text here, as in a clone, and what to do about it; None where every text is."""
    hidden = [(domain.id, item.id) for domain, item in benchmark.every_item if item.visibility == "private"]
    absent = [(domain, item) for domain, item in hidden if item not in benchmark.private]
    if not absent:
        return None
    files = " and ".join(f"{domain}.jsonl" for domain in dict.fromkeys(domain for domain, _ in absent))
    have = f"{plural(len(absent), 'private item')} {'has' if len(absent) == 1 else 'have'}"
    return f"{have} no text here; set NULLBENCH_PRIVATE to the folder that holds {files}"


TextT = TypeVar("TextT", bound=PrivateText)

_UNREADABLE = "invalid JSON; expected one object, with each key once"
_RULES = {
    "minLength": "the text has fewer characters than {}",
    "maxLength": "the text has more characters than {}",
    "minItems": "the list has fewer entries than {}",
    "maxItems": "the list has more entries than {}",
    "minimum": "the number is below {}",
    "maximum": "the number is above {}",
    "exclusiveMinimum": "the number is not above {}",
    "exclusiveMaximum": "the number is not below {}",
    "type": "the value is not of type {}",
}
"""By the keyword of the JSON Schema that refuses, with its limit. Limits are ours."""
_OF_A_MAPPING = frozenset({"required", "additionalProperties"})


class PrivateFiles(msgspec.Struct, frozen=True):
    """The lines of each domain that has a file, and what is wrong with the others."""

    lines: Mapping[str, Sequence[PrivateLine]]
    problems: Sequence[Problem]


def read_private(folder: Path, kinds: Mapping[str, type[PrivateText]], beside: Path) -> PrivateFiles:
    """The files of a private folder. kinds: what a line is, by domain. beside: paths below it are told from there.

    Raises StorageError where a file cannot be read.
    """
    lines: dict[str, Sequence[PrivateLine]] = {}
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.jsonl")):
        shown = path.relative_to(beside).as_posix() if path.is_relative_to(beside) else str(path)
        if path.stem not in kinds:
            message = "no domain has this id; a private file is called <domain id>.jsonl"
            problems.append(Problem(shown, 1, 1, message))
            continue
        lines[path.stem], wrong = _lines(path, shown, kinds[path.stem])
        problems += wrong
    return PrivateFiles(lines, problems)


def _lines(path: Path, shown: str, kind: type[PrivateText]) -> tuple[list[PrivateLine], list[Problem]]:
    texts: list[PrivateLine] = []
    problems: list[Problem] = []
    first: dict[str, int] = {}
    with readable(path):
        raw_lines = path.read_bytes().split(b"\n")
    for number, raw in enumerate(raw_lines, start=1):
        if not raw.strip():
            continue
        text, document, wrong = _read_line(shown, raw.rstrip(b"\r"), number, kind)
        problems += wrong
        if text is None or document is None:
            continue
        if text.id in first:
            message = f"duplicate item {text.id!r}, already on line {first[text.id]}; keep one"
            problems.append(document.problem(["id"], message))
            continue
        first[text.id] = number
        texts.append(PrivateLine(text, msgspec.structs.replace(document, data=None)))
    return texts, problems


def _read_line(
    file: str, raw: bytes, line: int, kind: type[TextT]
) -> tuple[TextT | None, JsonLine | None, list[Problem]]:
    """The text in a line of a private file and the document it stands in, or what is wrong with it."""
    document, problems = read_line(file, raw, line, private=True)
    if document is None or problems:
        return None, None, [Problem(file, line, 1, _UNREADABLE)] if problems else []
    try:
        return msgspec.convert(document.data, kind), document, []
    except msgspec.ValidationError:
        named = sorted(set(_problems(document, kind)))
        return None, None, named or [document.problem((), "invalid parameter of a check or an answer key")]


def _problems(document: JsonLine, kind: type[PrivateText]) -> Iterator[Problem]:
    for error in validator(schema_name(kind)).iter_errors(document.data):
        yield from _explained(document, error)


def _explained(document: JsonLine, error: ValidationError) -> Iterator[Problem]:
    limit: Any = error.validator_value
    path = list(error.absolute_path)
    match error.validator:
        case "required":
            for key in limit:
                if key not in error.instance:  # type: ignore[operator]
                    yield document.problem(path, f"missing key {key!r}")
        case "anyOf":
            meant = _meant(error)
            for sub in meant:
                yield from _explained(document, sub)
            if not meant:
                yield document.problem(path, "the value has none of the allowed types")
        case "additionalProperties":
            yield document.problem(path, "unknown key")
        case "pattern" | "enum" | "const":
            described = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
            yield document.problem(path, f"the value has the wrong form. {described}".rstrip(". "))
        case keyword:
            rule = _RULES.get(str(keyword), "the value breaks a rule of the schema")
            yield document.problem(path, rule.format(limit))


def _meant(error: ValidationError) -> list[ValidationError]:
    """Of the alternatives of a union, what is wrong with the one that the key `type` names; nothing where none is."""
    alternatives: dict[Any, list[ValidationError]] = {}
    for sub in error.context or ():
        alternatives.setdefault(sub.schema_path[0], []).append(sub)
    for errors in alternatives.values():
        if all(sub.path and sub.path[-1] != "type" for sub in errors if sub.validator not in _OF_A_MAPPING):
            return errors
    return []


def left_to_git(folder: Path, paths: Sequence[Path]) -> list[Path]:
    """Those of `paths` that the work tree around `folder` would take, or has taken already.

    Paths need not exist; those outside the work tree are not its own. None where there is no work tree.
    """
    tree = _work_tree(folder)
    if tree is None:
        return []
    absolute = {str(path.resolve()): path for path in paths if path.resolve().is_relative_to(tree)}
    if not absolute:
        return []
    asked = "\0".join(absolute).encode(errors="surrogateescape")
    try:
        answer = git(folder, "check-ignore", "-z", "--stdin", given=asked, refuses_from=2)  # 1: none is ignored
    except OSError:
        return []
    if answer is None:  # what has .git is no work tree, or that of somebody else
        return []
    ignored = set(answer.decode(errors="surrogateescape").split("\0"))
    return [path for name, path in absolute.items() if name not in ignored]


def _work_tree(folder: Path) -> Path | None:
    """The folder above that has .git: where there is none, no process has to be started."""
    here = folder.resolve()
    return next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), None)
