"""The kinds of values that spec files are made of."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

# Python's `$` also matches before a final line end, JavaScript's does not. This matches only at the end in both.
_END = r"$(?!\n)"

ID_FORM = "Lower-case letters, digits, dots, underscores and hyphens; starts with a letter or digit."
Id = Annotated[str, Meta(pattern=rf"^[a-z0-9][a-z0-9._-]*{_END}", max_length=80, description=ID_FORM)]
SEEN = r"[^\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0]"
"""Matches a text with a visible character."""
Line = Annotated[str, Meta(pattern=SEEN, max_length=500)]
Prose = Annotated[str, Meta(pattern=SEEN, max_length=20_000)]
_BREAK = r"\n\r\u0085\u2028\u2029"
Title = Annotated[str, Meta(pattern=rf"^(?![\s\S]*[{_BREAK}])[\s\S]*{SEEN}", max_length=500, description="One line.")]
Name = Annotated[
    str,
    Meta(
        pattern=rf"^(?!.* #)[^\s]([^{_BREAK}]*[^\s])?{_END}",
        max_length=500,
        description="One line, without spaces at its ends and without ' #'.",
    ),
]
Version = Annotated[
    str,
    Meta(
        pattern=rf"^[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.-]+)?{_END}",
        description="A semantic version such as '1.0.0', in quotes.",
    ),
]
Canary = Annotated[
    str,
    Meta(
        pattern=r"^nullbench-canary:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" + _END,
        description="A unique string, so that training on this file can be detected later: 'nullbench-canary:' and a "
        "new UUID, different in every file.",
    ),
]
ItemsFile = Annotated[
    str,
    Meta(
        pattern=rf"^[a-z0-9][a-z0-9._-]*\.jsonl{_END}",
        description="A .jsonl file in the same folder with one item per line, added after the items given here.",
    ),
]
Released = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?" + _END,
        description="A year, month or day, such as '2026-11', in quotes.",
    ),
]
WebAddress = Annotated[
    str,
    Meta(
        pattern=rf"^https?://[^\s\"'<>]+{_END}",
        max_length=500,
        description="It begins with https:// or http:// and has no spaces.",
    ),
]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Likert = Annotated[int, Meta(ge=1, le=5)]
PositiveNumber = Annotated[float, Meta(gt=0, le=1e9)]
Price = Annotated[float, Meta(ge=0, le=1e6)]
Variable = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z_][A-Za-z0-9_]*{_END}",
        max_length=100,
        description="The name of an environment variable.",
        extra_json_schema={"writeOnly": True},
    ),
]
HeaderName = Annotated[
    str, Meta(pattern=rf"^[A-Za-z0-9_-]+{_END}", max_length=100, description="The name of an HTTP header.")
]
HeaderValue = Annotated[
    str,
    Meta(
        pattern=rf"^[!-~]([ -~]*[!-~])?{_END}",
        max_length=500,
        description="ASCII on one line, without spaces at its ends, as HTTP headers require.",
        extra_json_schema={"writeOnly": True},
    ),
]
Hash = Annotated[
    str,
    Meta(
        pattern=rf"^sha256:[0-9a-f]{{64}}{_END}",
        description="The salted hash of the text of a private item.",
    ),
]
Salt = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-f]{32,128}$(?!\n)",
        description="32 or more random hex digits, which protect the hash against guesses.",
    ),
]
Day = Annotated[
    str,
    Meta(pattern=rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_END}", description="A day, such as '2026-11-12', in quotes."),
]
EndpointId = Annotated[
    Id, Meta(description="An endpoint of endpoints.yaml; default openai (OPENAI_BASE_URL and OPENAI_API_KEY).")
]
Contestants = Annotated[
    Annotated[tuple[Id, ...], Meta(min_length=1)] | Literal["all"],
    Meta(description="Model ids, or the word all for every file in models/."),
]
Samples = Annotated[int, Meta(ge=1, le=100, description="How many times each item is asked.")]
FORMS = {
    meta.pattern: meta.description
    for kind in list(globals().values())
    for meta in getattr(kind, "__metadata__", ())
    if isinstance(meta, Meta) and meta.pattern and meta.description
}
"""What a text has to look like, by its pattern: a key's own description says what the text is for."""
Parameter = bool | int | float | Annotated[str, Meta(max_length=500)]

Construct = Literal["capability", "alignment", "deployment"]
Difficulty = Literal["easy", "medium", "hard"]


class Spec(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of every mapping in a spec file."""


class PrivateText(Spec, frozen=True, kw_only=True):
    """A line of a private file: the text of one item. Its hash is that of the whole line."""

    id: Id
    salt: Salt


class Item(Spec, frozen=True, kw_only=True):
    """An item of any protocol, with its text or with the hash of its private text.

    A public item with hash and salt was private before. They prove that its text did not change.
    public_only: fields that name published texts; a private item has none of them. elsewhere: the text of an item of
    imported tables is at the source of its board; the hash is that of the text alone.
    """

    text_type: ClassVar[type[PrivateText]]
    public_only: ClassVar[tuple[str, ...]] = ()
    id: Id
    difficulty: Annotated[Difficulty, Meta(description="How hard it is meant to be.")]
    tags: Annotated[tuple[Id, ...], Meta(description="Free labels, for a score of each tag.")] = ()
    visibility: Annotated[
        Literal["public", "private", "elsewhere"],
        Meta(
            description="private: the benchmark has only its hash. elsewhere: its text is at the source of the board."
        ),
    ] = "public"
    hash: Hash | None = None
    salt: Salt | None = None


Turns = Annotated[
    tuple[Prose, ...],
    Meta(
        min_length=2,
        max_length=20,
        description="The prompts of a conversation, instead of `prompt`; each turn includes the responses before it.",
    ),
]


class PromptText(PrivateText, frozen=True, kw_only=True):
    """The private text of an item with a prompt or turns."""

    prompt: Annotated[Prose | None, Meta(description="What contestants are asked.")] = None
    turns: Turns | None = None


class PromptItem(Item, frozen=True, kw_only=True):
    """An item with either a prompt or turns. A private item with turns has their number."""

    prompt: Annotated[Prose | None, Meta(description="What contestants are asked.")] = None
    turns: Turns | Annotated[int, Meta(ge=2, le=20)] | None = None


class Category(Spec, frozen=True, kw_only=True):
    """A group of items of any protocol."""

    id: Id
    title: Title
    description: Annotated[Line, Meta(description="What its items have in common.")]
    items: Annotated[tuple[Item, ...], Meta(description="Items given here; large sets are in `items_file`.")] = ()
    items_file: ItemsFile | None = None


class DomainFile(Spec, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of any protocol."""

    canary: Canary
    id: Id
    title: Title
    description: Annotated[Line, Meta(description="What its items are about.")]
    construct: Annotated[Construct, Meta(description="If it differs from that of the board.")] | None = None
    protocol: Annotated[str, Meta(description="The protocol of its items.")]
    categories: Annotated[tuple[Category, ...], Meta(min_length=1)]
