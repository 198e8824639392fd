"""Texts of private items: a folder that git ignores, with one JSONL file per domain and one line per item.

The specs have a salted hash of each line. Messages never quote a line, as logs may be published.
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
from nullbench_site.specs.types import FORMS, Item, PrivateText, PromptText
from nullbench_site.specs.validate import validator
from nullbench_site.text import plural

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def text_hash(text: PrivateText) -> str:
    """Return `sha256:` and the sha256 of the line as RFC 8785 writes it, with the salt and without default values.

    Anyone can recompute it for an item that is public again, from its `id`, `salt` and text.
    """
    try:
        canonical = rfc8785.dumps(msgspec.to_builtins(text))
    except rfc8785.IntegerDomainError:  # for 2^53 itself, which a spec may contain
        canonical = canonical_json(text)
    return f"sha256:{sha256(canonical)}"


def is_hash_of(known: str | None, text: PrivateText) -> bool:
    """Return True if a published hash is that of the text.

    Hashes made before RFC 8785 was used are of our canonical JSON, which differs for some numbers and key orders.
    """
    return known in (text_hash(text), f"sha256:{sha256(canonical_json(text))}")


def text_fields(item: Item) -> tuple[str, ...]:
    """Return the names of the fields that a private item hides."""
    return tuple(name for name in item.text_type.__struct_fields__ if name not in PrivateText.__struct_fields__)


def text_of(item: Item, salt: str) -> PrivateText:
    """Return the line of a private file for a public item with a complete text."""
    fields = {name: getattr(item, name) for name in text_fields(item)}
    return item.text_type(id=item.id, salt=salt, **fields)


def public_item(item: Item, text: PrivateText) -> Item:
    """Return the item with its text, and with the hash and salt that prove it."""
    fields = {name: getattr(text, name) for name in text_fields(item)}
    return msgspec.structs.replace(item, **fields, visibility="public", salt=text.salt)


def private_item(item: Item, text: PrivateText) -> Item:
    """Return the item with the hash of its text instead of the text."""
    nothing: dict[str, Any] = dict.fromkeys(text_fields(item))
    if isinstance(text, PromptText) and text.turns:
        nothing["turns"] = len(text.turns)
    return msgspec.structs.replace(item, **nothing, visibility="private", hash=text_hash(text), salt=None)


def withheld_words(benchmark: Benchmark) -> str | None:
    """Return a message if private items have no text on this machine, as in a clone; else None."""
    hidden = [(domain.id, item.id) for domain, item in benchmark.every_item if item.visibility == "private"]
    absent = [(domain, item) for domain, item in hidden if item not in benchmark.private]
    if not absent:
        return None
    files = " and ".join(f"{domain}.jsonl" for domain in dict.fromkeys(domain for domain, _ in absent))
    have = f"{plural(len(absent), 'private item')} {'has' if len(absent) == 1 else 'have'}"
    return f"{have} no text here; set NULLBENCH_PRIVATE to the folder with {files}"


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
"""Keyword of the JSON Schema -> message. The limit is ours and not private."""
_OF_A_MAPPING = frozenset({"required", "additionalProperties"})


class PrivateFiles(msgspec.Struct, frozen=True):
    """The lines of each domain that has a file, and the problems."""

    lines: Mapping[str, Sequence[PrivateLine]]
    problems: Sequence[Problem]


def read_private(folder: Path, kinds: Mapping[str, type[PrivateText]], beside: Path) -> PrivateFiles:
    """Read the files of a private folder.

    kinds: the type of a line, by domain. beside: messages show paths relative to it.
    Raise StorageError if a file cannot be read.
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
    """Return the text in a line and its position, or the problems."""
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
            schema = error.schema if isinstance(error.schema, dict) else {}
            described = FORMS.get(str(limit)) or schema.get("description", "")
            yield document.problem(path, f"the value has the wrong form. {described}".rstrip(". "))
        case keyword:
            rule = _RULES.get(str(keyword), "the value breaks a rule of the schema")
            yield document.problem(path, rule.format(limit))


def _meant(error: ValidationError) -> list[ValidationError]:
    """Return the errors of the alternative of a union that the key `type` names; none if it names none."""
    alternatives: dict[Any, list[ValidationError]] = {}
    for sub in error.context or ():
        alternatives.setdefault(sub.schema_path[0], []).append(sub)
    for errors in alternatives.values():
        if all(sub.path and sub.path[-1] != "type" for sub in errors if sub.validator not in _OF_A_MAPPING):
            return errors
    return []


def left_to_git(folder: Path, paths: Sequence[Path]) -> list[Path]:
    """Return those of `paths` in the work tree around `folder` that git does not ignore. They need not exist."""
    tree = _work_tree(folder)
    if tree is None:
        return []
    absolute = {str(path.resolve()): path for path in paths if path.resolve().is_relative_to(tree)}
    if not absolute:
        return []
    asked = "\0".join(absolute).encode(errors="surrogateescape")
    try:
        answer = git(folder, "check-ignore", "-z", "--stdin", given=asked, refuses_from=2)  # 1: git ignores none
    except OSError:
        return []
    if answer is None:  # no work tree, or another user's
        return []
    ignored = set(answer.decode(errors="surrogateescape").split("\0"))
    return [path for name, path in absolute.items() if name not in ignored]


def _work_tree(folder: Path) -> Path | None:
    """Return the nearest folder with .git, if any."""
    here = folder.resolve()
    return next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), None)
