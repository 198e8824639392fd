"""What a judge is told, and what can be read of its reply as it came: JSON in a code block, in prose, after thinking.

A reply is read only where it can mean one thing. Whatever is ambiguous is refused with its reason, since a judge quotes
what it judges and a response may hold a verdict of its own.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.judging.calls import Message, Reply
from nullbench_site.judging.quoting import Fence, nonce
from nullbench_site.packaged import text_parts
from nullbench_site.text import JSON_STRING, end_of_json


def parts_beside(module: str, name: str = "judge.txt") -> Mapping[str, str]:
    """The parts of a text that stands in the folder of a module; module: its `__file__`."""
    return text_parts(Path(module).with_name(name).read_text("utf-8"))


_SHARED = parts_beside(__file__)
"""What judges of every protocol are told: of the lines around texts and what is changed within, and after a reply."""


def judge_messages(
    wording: Mapping[str, str],
    shown: Mapping[str, str],
    judged: Mapping[str, str],
    *,
    before: Sequence[str] = (),
    after: Sequence[str],
) -> tuple[Message, ...]:
    """The system message and the user message for a judge; the same for the same texts.

    The instructions come first, what is the same for every answer to an item next, the answers last: endpoints charge
    less for a beginning they know. wording: the parts of a protocol's `judge.txt`. shown, judged: texts by the parts
    they stand below, between lines they cannot forge; where one of `shown` is empty `no <name>` stands in its place.
    before, after: what is said before all texts, and behind them.
    """
    data, answers = "\n".join(shown.values()), "\n".join(judged.values())
    fence, last = Fence(nonce(data, *judged.values())), Fence(nonce(answers, data))

    def quoted(name: str, text: str, by: Fence) -> str:
        return f"{wording[name]}\n\n{by.around(text, name)}"

    sections = (
        *before,
        *(quoted(name, text, fence) if text else wording.get(f"no {name}") for name, text in shown.items()),
        *(quoted(name, text, last) for name, text in judged.items()),
        wording["reminder"].format(nonce=last.nonce),
        *after,
    )
    user = "\n\n".join(section for section in sections if section)
    return Message("system", wording["role"].format(**_SHARED)), Message("user", user)


CUT_OFF = "no JSON: it is cut off"
STILL_THINKING = "no JSON: it ends before the thinking does"
TOO_DEEP = "no JSON: it is nested too deeply"
NO_OBJECT = "no JSON object"
SEVERAL = "ambiguous: several JSON objects that differ"

# An object begins at a brace before a name and a colon, as far as the text goes: a brace in prose is none. An object at
# the beginning of a list is no reply, and the list is passed over whole.
_OPENING = re.compile(rf"(?:\[\s*)?\{{\s*(?:\Z|{JSON_STRING}\s*(?:\Z|:))|</think>", re.DOTALL)
_FEW = 100
"""Lists that may stand in a reply without a look at how they are nested."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_EXACT = 10**15
"""Below this every float that is a whole number is that number."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class _RefusedError(ValueError):
    """JSON that Python would read and we do not; the message says why."""


def json_object(text: str) -> dict[str, Any] | str:
    """The one JSON object of a reply, or why there is none to be had.

    Text around it and repeats of it are no harm. Takes time linear in the length of the text.
    """
    try:
        plain = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _object_within(text)
    if not isinstance(plain, dict):
        return NO_OBJECT
    # A name has a colon after it: as many colons as names that were kept, and no name was repeated.
    names = len(plain) + sum(len(value) for value in plain.values() if isinstance(value, dict))
    return plain if text.count(":") == names and text.count("[") < _FEW else _object_within(text)


def _object_within(text: str) -> dict[str, Any] | str:
    start = 0
    if text.lstrip("\ufeff \t\r\n").startswith("<think>"):
        start = text.find("</think>")
        if start < 0:
            return STILL_THINKING
    reply: dict[str, Any] | None = None
    try:
        for span in dict.fromkeys(_spans(text, start)):
            value = _DECODER.decode(span)
            if not isinstance(value, dict):
                return NO_OBJECT
            if reply is not None and _canonical(reply) != _canonical(value):
                return SEVERAL
            reply = value
    except json.JSONDecodeError as error:
        return f"no JSON: {error.msg} at character {error.pos + 1} of the object"
    except _RefusedError as error:
        return str(error)
    except ValueError:
        return "no JSON: a number has too many digits"
    except RecursionError:
        return TOO_DEEP
    return NO_OBJECT if reply is None else reply


def _spans(text: str, start: int) -> list[str]:
    """The objects and lists of objects that stand in the text, none within another, none that was only thought.

    Raises _RefusedError where one does not close, and RecursionError where one is nested too deeply.
    """
    spans: list[str] = []
    while opening := _OPENING.search(text, start):
        start = opening.end()
        if opening[0] == "</think>":
            spans.clear()
            continue
        end = end_of_json(text, opening.start())
        if end is None:
            raise _RefusedError(CUT_OFF)
        spans.append(text[opening.start() : end])
        start = end
    return spans


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members and _canonical(members[name]) != _canonical(value):
            raise _RefusedError(f"ambiguous: {name[:40]!r} is given twice, with different values")
        members[name] = value
    return members


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise _RefusedError(f"no JSON: {number[:40]} is no finite number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_float=_finite, parse_constant=_finite)


def _canonical(value: Any) -> str:
    """Equal for equal JSON; 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object that has all of `properties` and nothing else."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def score_schema(name: str, lowest: int, highest: int) -> dict[str, Any]:
    """The JSON Schema of a reply that `score_reply` reads."""
    score = {"type": "integer", "minimum": lowest, "maximum": highest}
    return closed_object({"rationale": {"type": "string"}, name: score})


def score_reply(text: str, name: str, lowest: int, highest: int, *, whole: bool) -> Reply:
    """A reply with a rationale and, under `name`, one score on a scale. whole: no score stands between its points."""
    reply = json_object(text)
    if isinstance(reply, str):
        return Reply({}, {"reply": reply}, "")
    score, rationale = integer(reply.get(name)), prose(reply.get("rationale"))
    if isinstance(score, int if whole else int | float) and not isinstance(score, bool) and lowest <= score <= highest:
        return Reply({name: score}, {}, rationale)
    kind = "an integer" if whole else "a number"
    why = "missing" if score is None else f"{shown_value(score)} is not {kind} from {lowest} to {highest}"
    return Reply({}, {name: why}, rationale)


def integer(value: object) -> object:
    """`value` as the integer it writes: "4", 4.0; everything else as it is."""
    if isinstance(value, str) and _INTEGER.fullmatch(stripped := value.strip()):
        return int(stripped)
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def boolean(value: object) -> object:
    """`value` as the boolean it writes: "true", "False"; everything else as it is."""
    if isinstance(value, str) and len(value) < 20:
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    return value


def prose(value: object) -> str:
    """`value` if it is a text, fit to be encoded: halves of surrogate pairs are replaced."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else ""


def shown_value(value: object) -> str:
    """An invalid value in a few characters, whatever it is."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(str(value)[:40])


def shorter_message() -> str:
    """What to add to the question for a judge, once, whose reply was cut off at its limit of tokens."""
    return _SHARED["shorter"]


def repair_message(reply: Reply) -> str:
    """What to say to a judge, once, whose reply was not wholly valid."""
    return _SHARED["repair"].format(faults="\n".join(f"- {name}: {why}" for name, why in reply.invalid.items()))
