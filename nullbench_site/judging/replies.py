"""The messages to a judge, and the parsing of its reply: JSON in a code block, in prose, after thinking.

An ambiguous reply is refused with a reason: a judge quotes what it judges, and a response may contain scores itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.judging.calls import Message, Reply
from nullbench_site.judging.quoting import Fence, nonce
from nullbench_site.packaged import text_parts
from nullbench_site.text import JSON_STRING, end_of_json
from nullbench_site.thinking import split_thinking


def parts_beside(module: str, name: str = "judge.txt") -> Mapping[str, str]:
    """Return the parts of a text file in the folder of a module. module: its `__file__`."""
    return text_parts(Path(module).with_name(name).read_text("utf-8"))


_SHARED = parts_beside(__file__)
"""The texts for judges of every protocol: about quoted texts, and for second turns."""


def judge_messages(
    wording: Mapping[str, str],
    shown: Mapping[str, str],
    judged: Mapping[str, str],
    *,
    before: Sequence[str] = (),
    after: Sequence[str],
) -> tuple[Message, ...]:
    """Return the system and user messages for a judge.

    Instructions come first, then the texts that all answers to an item share, then the answers: endpoints charge
    less for a cached beginning. wording: the parts of a protocol's `judge.txt`. shown, judged: quoted texts by part;
    the part `no <name>` replaces an empty text of `shown`. before, after: sections before and after all texts.
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
QUOTED = "the verdict stands word for word in a text that was judged; give your own"

# An object begins at a brace before a name and a colon; a brace in prose does not count. A list that begins with an
# object is no reply and is skipped.
_OPENING = re.compile(rf"(?:\[\s*)?\{{\s*(?:\Z|{JSON_STRING}\s*(?:\Z|:))", re.DOTALL)
_FEW = 100
"""The most brackets in a reply whose nesting need not be checked."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,15}")
_EXACT = 10**15
"""Below this, every whole float is exact."""
_BARE = len("[[A>>B]]")
"""The most characters of a verdict without a word about it."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class _RefusedError(ValueError):
    """JSON that Python accepts and we do not; the message says why."""


def json_object(text: str) -> dict[str, Any] | str:
    """Return the one JSON object of a reply, or why there is none.

    Text around it and repeats of it are allowed. Takes time linear in the length of the text.
    """
    try:
        plain = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _object_within(text)
    if not isinstance(plain, dict):
        return NO_OBJECT
    # Each name has a colon; with as many colons as names, no name is repeated.
    names = len(plain) + sum(len(value) for value in plain.values() if isinstance(value, dict))
    return plain if text.count(":") == names and text.count("[") < _FEW else _object_within(text)


def _object_within(text: str) -> dict[str, Any] | str:
    split = split_thinking(text)
    if split.cut and not split.answer:
        return STILL_THINKING
    reply: dict[str, Any] | None = None
    try:
        for span in dict.fromkeys(_spans(split.answer)):
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


def quotes(reply: str, texts: Iterable[str]) -> bool:
    """Return True if every member of the JSON object of a reply is in one of the texts that the judge was shown.

    A verdict that repeats one of an answer, rationale included, is not the judge's own. Without an object, the lines
    with a verdict in brackets count as members, unless they are bare. Takes linear time.
    """
    own = json_object(reply)
    if isinstance(own, dict):
        members = [_packed(json.dumps({name: value}, ensure_ascii=False))[1:-1] for name, value in own.items()]
    else:
        verdicts = [_packed(line) for line in reply.splitlines() if "[[" in line]
        members = [] if any(len(each) <= _BARE for each in verdicts) else verdicts
    if not members:
        return False
    return any(all(member in text for member in members) for text in map(_packed, texts))


def _packed(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def _spans(text: str) -> list[str]:
    """Return the outermost objects and lists of objects of the text.

    Raises _RefusedError if one does not close, and RecursionError if one is nested too deeply.
    """
    spans: list[str] = []
    start = 0
    while opening := _OPENING.search(text, start):
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
    """Return equal texts for equal JSON; 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def score_schema(name: str, lowest: int, highest: int) -> dict[str, Any]:
    """Return the JSON Schema of a reply for `score_reply`."""
    score = {"type": "integer", "minimum": lowest, "maximum": highest}
    return closed_object({"rationale": {"type": "string"}, name: score})


def score_reply(text: str, name: str, lowest: int, highest: int, *, whole: bool) -> Reply:
    """Parse a reply with a rationale and one score named `name`. whole: only integers are valid."""
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
    """Return "4" and 4.0 as integers, and everything else unchanged."""
    if isinstance(value, str) and _INTEGER.fullmatch(stripped := value.strip()):
        return int(stripped)
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def boolean(value: object) -> object:
    """Return "true" and "False" as booleans, and everything else unchanged."""
    if isinstance(value, str) and len(value) < 20:
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    return value


def prose(value: object) -> str:
    """Return a text with lone surrogates replaced; empty for other values."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else ""


def shown_value(value: object) -> str:
    """Return an invalid value in a few characters."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(str(value)[:40])


def repair_message(reply: Reply) -> str:
    """Return the message after a reply that was not valid."""
    return _SHARED["repair"].format(faults="\n".join(f"- {name}: {why}" for name, why in reply.invalid.items()))
