"""Checks of the requested form: JSON, a table or a list."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

from nullbench_site.checks.check import (
    Check,
    Count,
    Flag,
    Line,
    Patterns,
    ResponseText,
    Result,
    about,
    at_least_one,
    failed,
    verdict,
)
from nullbench_site.checks.patterns import occurs, shown
from nullbench_site.checks.reading import (
    CodeBlock,
    Listing,
    MarkdownTable,
    listing,
    read_words,
    sentence_count,
    tables,
    word_count,
)
from nullbench_site.checks.wording import used
from nullbench_site.text import end_of_json

Kind = Literal["string", "number", "integer", "boolean", "array", "object", "null", "any"]
_BYTE_ORDER_MARK = "\ufeff"
_TYPES = {"null": type(None), "integer": int, "number": float, "string": str, "array": list}


class Between(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The ends of a range, both included."""

    low: Annotated[float, Meta(description="The lowest right answer.")]
    high: Annotated[float, Meta(description="The highest right answer.")]

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is more than high")


class JsonValid(Check, frozen=True, tag="json-valid"):
    """Parameters of json-valid."""

    title, looks_at, cannot_see = about("json-valid")
    revision = 1

    code_block: Annotated[bool, Meta(description="True: the JSON may be in a code block.")] = False
    keys: Annotated[
        dict[Line, Kind],
        Meta(max_length=100, description="The required keys of the object, with the kind of each value."),
    ] = field(default_factory=dict)
    other_keys: Annotated[bool, Meta(description="True: other keys are allowed.")] = False
    ranges: Annotated[dict[Line, Between], Meta(description="The allowed ranges of numbers, by key.")] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        strangers = [key for key in self.ranges if self.keys.get(key) not in ("number", "integer")]
        if strangers:
            raise ValueError(f"ranges are for keys that are a number or an integer; not so: {', '.join(strangers)}")

    def check(self, response: ResponseText) -> Result:
        """Fail if the whole response is not JSON, or not an object with the requested keys."""
        text = response.text.removeprefix(_BYTE_ORDER_MARK).strip()
        wrapped = _wrapped(response)
        if wrapped is not None:
            if not self.code_block:
                return failed("in_code_block", "the JSON stands in a code block; only the JSON itself was asked for")
            text = wrapped.code
        try:
            if text.startswith(("{", "[")):
                end_of_json(text, 0)
            value = msgspec.json.decode(text.encode())
        except RecursionError:
            return failed("too_deep", "nested deeper than can be read")
        except UnicodeEncodeError:
            return failed("not_json", "holds half of a character, which is no text")
        except msgspec.DecodeError:
            return failed("not_json", "the response as a whole is not valid JSON")
        if not self.keys:
            return verdict()
        if not isinstance(value, dict):
            return failed("not_an_object", f"is {_kind(value)}, expected an object")
        return verdict(*_wrong_keys(value, self))


def _wrapped(response: ResponseText) -> CodeBlock | None:
    """Return the only code block of a response with nothing around it."""
    fences = response.fences
    return fences[0] if len(fences) == 1 and not any(map(str.strip, response.prose)) else None


def _wrong_keys(value: dict[str, object], params: JsonValid) -> list[Flag]:
    missing = [key for key in params.keys if key not in value]
    further = sum(key not in params.keys for key in value)
    flags = [Flag("missing_keys", f"has no {', '.join(missing)}")] if missing else []
    if further and not params.other_keys:
        flags.append(Flag("other_keys", f"{further} more than the keys {', '.join(params.keys)}"))
    for key, kind in params.keys.items():
        if key not in value:
            continue
        entry = value[key]
        if not _fits(entry, kind):
            flags.append(Flag("wrong_kind", f"{key} is {_kind(entry)}, expected {kind}"))
        elif key in params.ranges and isinstance(entry, (int, float)):
            within = params.ranges[key]
            if not within.low <= entry <= within.high:
                flags.append(Flag("out_of_range", f"{key} is outside {within.low:g} to {within.high:g}"))
    return flags


def _fits(value: object, kind: Kind) -> bool:
    actual = _kind(value)
    return kind in ("any", actual) or (kind == "number" and actual == "integer")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next((kind for kind, type_ in _TYPES.items() if isinstance(value, type_)), "object")


class TableFormat(Check, frozen=True, tag="table-format"):
    """Parameters of table-format. Rows do not include the header; columns include the one that names the rows."""

    title, looks_at, cannot_see = about("table-format")

    columns: Annotated[Count | None, Meta(description="The number of columns.")] = None
    rows: Annotated[Count | None, Meta(description="The number of rows.")] = None
    either_way: Annotated[
        bool,
        Meta(
            description="True: rows and columns, with their headers, may be exchanged, if the prompt leaves that open."
        ),
    ] = False
    only_table: Annotated[bool, Meta(description="True: no text around the table is allowed.")] = False
    cells: Annotated[Patterns, Meta(description="Texts that must occur in the header or in the first column.")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.either_way and (self.columns is None or self.rows is None):
            raise ValueError("either_way needs columns and rows")

    def check(self, response: ResponseText) -> Result:
        """Fail if there is not exactly one table outside code blocks, or if it differs from the request."""
        present, around = tables(response.prose)
        if not present:
            if any(tables(fence.code.split("\n"))[0] for fence in response.fences):
                return failed("in_code_block", "the table stands in a code block, where it is not shown as one")
            return failed("no_table", "holds no Markdown table")
        table = present[0]
        flags = [] if _shaped(table, self) else _wrong_shape(table, self)
        if len(present) > 1:
            flags.append(Flag("more_tables", f"{len(present)} tables, expected one"))
        ragged = sum(len(row) != len(table.header) for row in table.rows)
        if ragged:
            flags.append(Flag("ragged", f"{ragged} of {len(table.rows)} rows have not as many cells as the header"))
        if self.only_table and (response.fences or any(map(str.strip, around))):
            flags.append(Flag("text_around", "there is text around the table; only the table was asked for"))
        flags += _missing(table, self)
        return verdict(*flags)


def _shaped(table: MarkdownTable, params: TableFormat) -> bool:
    columns, rows = len(table.header), len(table.rows)
    if params.columns in (None, columns) and params.rows in (None, rows):
        return True
    return params.either_way and (params.columns, params.rows) == (rows + 1, columns - 1)


def _wrong_shape(table: MarkdownTable, params: TableFormat) -> list[Flag]:
    flags = []
    if params.columns not in (None, len(table.header)):
        flags.append(Flag("column_count", f"{len(table.header)} columns, expected {params.columns}"))
    if params.rows not in (None, len(table.rows)):
        flags.append(Flag("row_count", f"{len(table.rows)} rows below the header, expected {params.rows}"))
    return flags


def _missing(table: MarkdownTable, params: TableFormat) -> list[Flag]:
    if not params.cells:
        return []
    heads = [*table.header, *(row[0] for row in table.rows)]
    words = read_words([line for head in heads for line in (head, "")])
    missing = [text for text in params.cells if not occurs(words, (text,))]
    return [Flag("missing_cells", f"no header or first column has: {shown(*missing)}")] if missing else []


# A name at the start of an item ends here, or at the end of a short bold line.
_LABEL_END = re.compile(r":(?:\*\*)?\s|\s-{1,2}\s|\*\*\s*\n")
_LONGEST_LABEL = 60


class ConstraintCheck(Check, frozen=True, tag="constraint-check"):
    """Parameters of constraint-check; at least one."""

    title, looks_at, cannot_see = about("constraint-check")

    items: Annotated[Count, Meta(description="The exact number of items of the list.")] | None = None
    max_words_per_item: Annotated[Count, Meta(description="Not counting the name at the start of an item.")] | None = (
        None
    )
    one_sentence_per_item: Annotated[bool, Meta(description="True: each item of the list is one sentence.")] = False
    only_list: Annotated[bool, Meta(description="True: no text around the list is allowed.")] = False
    excluded: Annotated[Patterns, Meta(description="Phrases that must not occur anywhere.")] = ()
    required: Annotated[Patterns, Meta(description="Phrases that must all occur somewhere.")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one(self, "items", "max_words_per_item", "one_sentence_per_item", "only_list", "excluded", "required")

    def check(self, response: ResponseText) -> Result:
        """Fail with every broken constraint."""
        # Without marks, each line is an item.
        items = listing(response.prose) or Listing(tuple(line for line in response.prose if line.strip()), "", "")
        excluded = used(response.all_words, self.excluded, inflected=True)
        absent = [text for text in self.required if not occurs(response.words, (text,))]
        return verdict(
            _count(items, self),
            _long_items(items, self.max_words_per_item),
            _many_sentences(items) if self.one_sentence_per_item else None,
            Flag("text_around", "there is text around the list; only the list was asked for")
            if self.only_list and (items.before or items.after)
            else None,
            Flag("excluded_used", f"tells what was excluded: {shown(*excluded)}") if excluded else None,
            Flag("required_missing", f"does not tell, in words the check knows: {shown(*absent)}") if absent else None,
        )


def _count(listed: Listing, params: ConstraintCheck) -> Flag | None:
    if params.items is None or len(listed.items) == params.items:
        return None
    return Flag("item_count", f"{len(listed.items):,} items, expected {params.items}")


def _long_items(listed: Listing, most: int | None) -> Flag | None:
    if most is None:
        return None
    longest = max((word_count(_unlabelled(item)) for item in listed.items), default=0)
    return Flag("item_too_long", f"an item of {longest:,} words, at most {most:,}") if longest > most else None


def _many_sentences(listed: Listing) -> Flag | None:
    many = sum(sentence_count(_unlabelled(item)) > 1 for item in listed.items)
    return Flag("item_sentences", f"{many} of {len(listed.items)} items have more than one sentence") if many else None


def _unlabelled(item: str) -> str:
    """Return an item without the name at its start."""
    label = _LABEL_END.search(item, 0, _LONGEST_LABEL)
    return item[label.end() :] if label else item
