"""Find the object in a reply that has the asked members, and read its values: wrapped, in a list, under other names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import msgspec

from nullbench_site.judging.forms import CUT, LABEL, LIST, LOOSE, NAMED, WORDS, WRAPPED
from nullbench_site.judging.loose_json import AtEnd, Objects, Unfinished, Written, objects_in
from nullbench_site.judging.scales import NONE, Choices, Marks, Scale, Value
from nullbench_site.judging.stated import Statement, is_told, stated

_EXACT = 10**15
"""Below this, every whole float is exact."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_DEEPEST_WRAPPER = 3
_OF_OTHERS = frozenset(
    [
        "response",
        "answer",
        "text",
        "candidate",
        "quote",
        "quoted",
        "example",
        "input",
        "prompt",
        "source",
        "original",
        "content",
        "output",
        "schema",
    ]
)
"""Names of members that hold judged texts, not verdicts."""
_NOT_LETTERS = re.compile(r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]|[^a-z0-9(\[]+|[(\[]")
_QUALIFIERS = re.compile(r"(?:my|the|final|overall|total|combined)+(?=[a-z])")
_HIGHEST = frozenset(
    ["outof", "max", "maximum", "maxscore", "maximumscore", "highest", "maxmark", "maxrating", "scalemax", "maxpoints"]
)
_DIGIT = re.compile(r"[0-9]")
_SPAN = re.compile(r"\s*([0-9]{1,3})\s*(?:-|\u2013|to)\s*([0-9]{1,3})\s*")
_NOTED = re.compile(r"[0-9]{1,3} ?(?:-|\u2013|to) ?[0-9]{1,3}")
_AFTER = re.compile(r"[\"'`\u201d\u2019]{0,3}[ \t]{0,3}(?:[,;][ \t]{0,3}\S|(?!(?:is|are) my\b|as my\b)[a-z])")
_FENCE = re.compile(r"\s{0,8}[`~]{3,}[\w-]{0,20}\s*")

Holds = Callable[[Mapping[str, Any]], bool]
"""Whether an object has an asked member."""


class Found(NamedTuple):
    """An object of a reply. span: its text. told: it is quoted or denied."""

    members: dict[str, Any]
    forms: tuple[str, ...]
    span: str
    told: bool
    cut: bool

    @property
    def complete(self) -> dict[str, Any]:
        """Return the members that the end of the reply has not cut."""
        return _finished(self.members) if self.cut else self.members


def folded(name: str) -> str:
    """Return a name as it is compared: its lower-case letters, without a note in brackets."""
    return _NOT_LETTERS.sub("", str(name).lower())


def unqualified(name: str) -> str:
    """Return a folded name without words such as "overall"."""
    return _QUALIFIERS.sub("", folded(name))


def member(members: Mapping[str, Any], name: str) -> tuple[Any, bool]:
    """Return the value of a member, None if there is none, and whether its name is written otherwise.

    Two that differ have the value None.
    """
    if name in members:
        return members[name], False
    same = [value for other, value in members.items() if folded(other) == folded(name)]
    return (same[0] if same and all(value == same[0] for value in same) else None), bool(same)


def found_in(text: str, holds: Holds, *, plain: bool = False) -> tuple[list[Found], Objects, str]:
    """Return the objects of a text that hold an asked member, all its objects, and the text outside of them.

    plain: the text is one JSON object. Raises as `objects_in`.
    """
    if plain:
        value = msgspec.json.decode(text)
        objects = Objects((Written(value, 0, len(text), loose=False, cut=False),), broken=False)
    else:
        objects = objects_in(text)
    found, outside, end = [], list[str](), 0
    for written in objects.found:
        outside.append(text[end : written.start])
        end = written.end
        forms = ((LOOSE,) if written.loose else ()) + ((CUT,) if written.cut else ())
        for members, around in _held(written.value, holds, 0):
            told = not plain and (_is_told(text, written) or _AFTER.match(text, written.end) is not None)
            found.append(Found(members, forms + around, text[written.start : end], told, written.cut))
    return found, objects, "\n".join([*outside, text[end:]])


def _held(value: Any, holds: Holds, depth: int) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """Return the objects in a value that hold an asked member, and the forms of what is around them."""
    if isinstance(value, list):
        # Values beside an object are no list of verdicts.
        if depth > _DEEPEST_WRAPPER or not all(isinstance(each, dict) for each in value):
            return []
        return [(members, (LIST, *forms)) for each in value for members, forms in _held(each, holds, depth + 1)]
    if not isinstance(value, dict):
        return []
    if holds(value):
        return [(value, ())]
    if depth > _DEEPEST_WRAPPER:
        return []
    inner = [each for name, each in value.items() if isinstance(each, dict | list) and folded(name) not in _OF_OTHERS]
    return [(members, (WRAPPED, *forms)) for each in inner for members, forms in _held(each, holds, depth + 1)]


def _is_told(text: str, written: Written) -> bool:
    """Return True if the words before an object, on its line or on one before that ends in a colon, tell of others."""
    start = max(0, written.start - 400)
    lines = text[start : written.start].split("\n")
    same = lines[-1].strip(" \t`\"'\u201c")
    if same:
        return is_told(same.rstrip(": "))
    above = next((line.strip() for line in reversed(lines[:-1]) if line.strip() and not _FENCE.fullmatch(line)), "")
    return above.endswith((":", "\uff1a")) and is_told(above.rstrip(": "))


def _finished(value: Any) -> Any:
    """Return a value without members that the end of the reply may have cut; texts stay as far as they go."""
    if isinstance(value, dict):
        return {name: _finished(each) for name, each in value.items() if not isinstance(each, AtEnd | Unfinished)}
    return (
        [_finished(each) for each in value if not isinstance(each, AtEnd | Unfinished)]
        if isinstance(value, list)
        else value
    )


def integer(value: object) -> object:
    """Return "4" and 4.0 as integers, and everything else unchanged."""
    if isinstance(value, str) and _INTEGER.fullmatch(stripped := value.strip()):
        return int(stripped)
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def value_of(given: Any, scale: Scale, name: str) -> tuple[Value, tuple[str, ...]]:
    """Return the value of the scale that a member states, and the forms in which it does."""
    if isinstance(given, dict) and given:
        keys = {*map(folded, scale.keys), folded(name), "value"}
        inner = [each for key, each in given.items() if unqualified(key) in keys and not isinstance(each, dict | list)]
        if len(inner) == 1:
            value, forms = value_of(inner[0], scale, name)
            return value, (WRAPPED, *forms)
    if isinstance(given, list) and len(given) == 1 and not isinstance(given[0], dict | list):
        value, forms = value_of(given[0], scale, name)
        return value, (LIST, *forms)
    if given is None or isinstance(given, Unfinished):
        return NONE, ()
    if isinstance(given, AtEnd):
        if isinstance(scale, Choices) or not given.isdecimal() or scale.begins_another(given):
            return NONE, ()
        return scale.read(given, reasons=False), ()
    if isinstance(scale, Choices):
        if isinstance(given, bool) and {True, False} == {*scale.spellings.values()}:
            return Value(given), (WORDS,)
        if not isinstance(given, str):
            return Value(None, scale.problem(_shown(given))), ()
        return (
            (Value(scale.spellings[given]), ())
            if given in (scale.asked or scale.spellings)
            else _in_words(given, scale)
        )
    number = integer(given)
    if isinstance(number, bool) or not isinstance(number, int | float | str):
        return Value(None, _problem(given, scale)), ()
    if isinstance(number, str):
        return _in_words(number, scale)
    fits = scale.lowest <= number <= scale.highest and (isinstance(number, int) or not scale.whole)
    return (Value(number) if fits else Value(None, _problem(given, scale))), ()


def _in_words(words: str, scale: Scale) -> tuple[Value, tuple[str, ...]]:
    value = scale.read(words)
    if value.value is None and not isinstance(named := stated(words, scale, only=(LABEL,)), str):
        value = Value(named.value)
    if value.value is not None or (isinstance(scale, Marks) and value == NONE and not words.strip()):
        return value, (WORDS,)
    if value == NONE and _is_template(words):
        return NONE, ()
    return Value(None, _problem(words, scale)), ()


def _is_template(words: str) -> bool:
    return (
        _SPAN.fullmatch(words.strip(" <>[]")) is not None
        or words.strip()[:1] == "<"
        or words.strip() in ("...", "\u2026", "X", "N")
    )


def _problem(value: Any, scale: Scale) -> str:
    if isinstance(scale, Choices):
        return scale.problem(_shown(value))
    kind = "an integer" if scale.whole else "a number"
    return f"{_shown(value, quoted=True)} is not {kind} from {scale.lowest} to {scale.highest}"


def _shown(value: Any, *, quoted: bool = False) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(str(value)[:40]) if quoted else str(value)[:40]


def verdicts_of(found: Found, name: str, scale: Scale) -> list[tuple[Statement, tuple[str, ...]]]:
    """Return what the members of an object state as the asked verdict, with their forms."""
    keys = {folded(name), *map(folded, scale.keys)}
    stated = []
    for key, given in found.members.items():
        if key != name and unqualified(key) not in keys:
            continue
        value, forms = value_of(given, scale, name)
        if (
            key != name
            and value.value is None
            and not (isinstance(given, int | float) or _DIGIT.search(str(given)[:80]))
        ):
            continue
        noted = {key: span[0]} if (span := _NOTED.search(str(key))) else {}
        if (
            isinstance(scale, Marks)
            and value.value is not None
            and (other := _other_scale(found.members, scale, noted))
        ):
            value = Value(None, f"{other} is another scale than {scale.lowest} to {scale.highest}")
        named = () if key == name else (NAMED,)
        stated.append((Statement(value, "json", found.span, found.told), (*found.forms, *named, *forms)))
    return stated


def _other_scale(members: Mapping[str, Any], scale: Marks, noted: Mapping[str, str]) -> str:
    """Return what an object says of the scale, if that is another one: {"score": 4, "out_of": 10}.

    noted: a range that the name of the member has: {"score (1-10)": 4}.
    """
    for name, value in (*members.items(), *noted.items()):
        given = integer(value)
        if (
            folded(name) in _HIGHEST
            and isinstance(given, int)
            and not isinstance(given, bool)
            and given != scale.highest
        ):
            return f"{str(name)[:40]!r} {given}"
        is_span = isinstance(value, str) and (folded(name) in ("scale", "range") or noted.get(name) == value)
        span = _SPAN.fullmatch(value) if is_span else None
        if span is not None and (int(span[1]), int(span[2])) != (scale.lowest, scale.highest):
            return f"{str(name)[:40]!r} {value.strip()[:40]!r}"
    return ""


def holds_verdict(name: str, scale: Scale) -> Holds:
    """Return a test of objects: whether one has the asked member, under any of its names."""
    keys = {folded(name), *map(folded, scale.keys)}
    return lambda members: any(key == name or unqualified(key) in keys for key in members)


def only_member(text: str, names: Collection[str]) -> Found | None:
    """Return the object of the one member with an asked name in broken JSON, if it comes first or last.

    A string with plain quotes can break an object so that only this can be read safely: the text has the name once.
    """
    name = rf"[\"'\u201c\u2018](?:{'|'.join(map(re.escape, names))})[\"'\u201d\u2019]\s{{0,3}}:"
    found = [*re.finditer(name, text, re.IGNORECASE)]
    if len(found) != 1:
        return None
    start, end = found[0].span()
    value = re.compile(r"\s{0,3}([\"'\u201c]?)([^\"',{}\[\]\n\u201d]{1,40})([\"'\u201d]?)\s*([,}])").match(text, end)
    if value is None or bool(value[1]) != bool(value[3]):
        return None
    before, after = text[:start].rstrip(), text[value.end() :]
    first = (
        before.endswith("{")
        and text.find("{") == len(before) - 1
        and value[4] == ","
        and after.lstrip()[:1] in "\"'\u201c"
    )
    last = before.endswith(",") and value[4] == "}" and not after.strip(" \t\r\n`")
    if not (first or last):
        return None
    given = {found[0][0].strip("\"'\u201c\u201d\u2018\u2019: "): value[2].strip()}
    opening = text.find("{")
    written = Written(given, opening, len(text), loose=True, cut=False)
    return Found(given, (LOOSE,), text[opening:], told=_is_told(text, written), cut=False)


def canonical(value: Any) -> str:
    """Return equal texts for equal JSON; 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)
