"""The messages to a judge, and the parsing of its reply: JSON in a code block, in prose, after thinking.

An ambiguous reply is refused with a reason: a judge quotes what it judges, and a response may contain scores itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.judging.calls import Message, Reply
from nullbench_site.judging.forms import NAMED, WORDS
from nullbench_site.judging.loose_json import RepeatedError
from nullbench_site.judging.members import (
    Found,
    canonical,
    folded,
    found_in,
    holds_verdict,
    integer,
    member,
    only_member,
    verdicts_of,
)
from nullbench_site.judging.quoting import Fence, nonce
from nullbench_site.judging.scales import NONE, Choices, Marks, Scale
from nullbench_site.judging.stated import (
    DIFFER,
    DOUBTFUL,
    NO_VERDICT,
    ONLY_QUOTED,
    one_of,
    stated,
    statements,
)
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
REPEATED = "ambiguous: {name!r} is given twice, with different values"
SEVERAL = "ambiguous: several JSON objects that differ"
QUOTED = "the verdict stands word for word in a text that was judged; give your own"

# An object begins at a brace before a name and a colon; a brace in prose does not count. A list that begins with an
# object is no reply and is skipped.
_OPENING = re.compile(rf"(?:\[\s*)?\{{\s*(?:\Z|{JSON_STRING}\s*(?:\Z|:))", re.DOTALL)
_FEW = 100
"""The most brackets in a reply whose nesting need not be checked."""
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
            if reply is not None and canonical(reply) != canonical(value):
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


def repeats(groups: Iterable[Sequence[str]], texts: Iterable[str]) -> bool:
    """Return True if all parts of one of the groups are in one of the texts that the judge was shown."""
    packed = [*map(_packed, texts)]
    return any(
        all(part in text for part in parts)
        for parts in ([*map(_packed, group)] for group in groups if group)
        for text in packed
    )


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
        if name in members and canonical(members[name]) != canonical(value):
            raise _RefusedError(REPEATED.format(name=name[:40]))
        members[name] = value
    return members


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise _RefusedError(f"no JSON: {number[:40]} is no finite number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_float=_finite, parse_constant=_finite)


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def score_schema(name: str, lowest: int, highest: int) -> dict[str, Any]:
    """Return the JSON Schema of a reply for `score_reply`."""
    score = {"type": "integer", "minimum": lowest, "maximum": highest}
    return closed_object({"rationale": {"type": "string"}, name: score})


def score_reply(text: str, name: str, lowest: int, highest: int, *, whole: bool) -> Reply:
    """Parse a reply with a rationale and one score named `name`. whole: only integers are valid."""
    return verdict_reply(text, name, Marks(lowest, highest, whole))


_UNBRACED = re.compile(r"\s{0,20}[\"'][A-Za-z_ ]{1,40}[\"']\s{0,3}:")
"""The beginning of an object without its brace."""


def verdict_reply(text: str, name: str, scale: Scale) -> Reply:
    """Parse a reply with a rationale and one verdict named `name`, in any form that states exactly one of the scale.

    docs/reference/judge-replies.md lists the forms. Takes time linear in the length of the text.
    """
    split = split_thinking(text)
    if split.cut and not split.answer:
        return _refused(STILL_THINKING)
    answer = f"{{{split.answer}}}" if _UNBRACED.match(split.answer) else split.answer
    strict = json_object(answer)
    plain = answer == split.answer and isinstance(strict, dict) and _is_one_object(answer)
    try:
        found, objects, outside = found_in(answer, holds_verdict(name, scale), plain=plain)
    except RepeatedError as error:
        return _refused(REPEATED.format(name=str(error)))
    except RecursionError:
        return _refused(TOO_DEEP)
    if objects.broken:
        only = only_member(answer, [name, *scale.keys])
        if only is None:
            return _refused(strict if isinstance(strict, str) else NO_OBJECT)
        found, outside = [only], answer.partition(only.span)[0]
    stated_in = [each for one in found for each in verdicts_of(one, name, scale)]
    rationale = next((said for one in found if (said := _rationale(one)) is not None), "")
    if all(each.value == NONE for each, _ in stated_in):
        if any(each.cut for each in objects.found):
            return Reply({}, {"reply": CUT_OFF}, rationale)
        return _in_words(
            outside, name, scale, {name: "missing"} if isinstance(strict, dict) else {"reply": strict}, rationale
        )
    value = one_of([*(each for each, _ in stated_in), *(() if plain else statements(outside, scale))])
    if isinstance(value, str):
        why = SEVERAL if value.startswith(DIFFER) and len(found) > 1 else value
        return Reply({}, {"reply" if value.startswith((DIFFER, ONLY_QUOTED)) else name: why}, rationale)
    forms = next(tuple(dict.fromkeys(forms)) for each, forms in stated_in if each.value.value is not None)
    return Reply({name: value}, {}, rationale, forms, _groups(found) if forms else ())


def _refused(why: str) -> Reply:
    return Reply({}, {"reply": why}, "")


def _in_words(outside: str, name: str, scale: Scale, problem: dict[str, str], rationale: str) -> Reply:
    """Read the verdict in the text outside of objects. problem: if it has none. rationale: that of an object."""
    spoken = stated(outside, scale)
    if not isinstance(spoken, str):
        groups = (spoken.words,) if spoken.words else ()
        return Reply({name: spoken.value}, {}, prose(rationale or spoken.rest), (spoken.form,), groups)
    return Reply({}, problem if spoken in (NO_VERDICT, DOUBTFUL) else {name: spoken}, rationale)


def _is_one_object(text: str) -> bool:
    """Return True if a text is a JSON object and nothing else."""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


_RATIONALES = frozenset(
    ("rationale", "reason", "reasons", "reasoning", "explanation", "feedback", "justification", "comment", "analysis")
)


def _rationale(found: Found) -> str | None:
    """Return the reasons in an object, under the asked name or another."""
    named = [value for name, value in found.members.items() if folded(name) in _RATIONALES and isinstance(value, str)]
    given = found.members.get("rationale", named[0] if named else None)
    return prose(given) if isinstance(given, str) else None


def _groups(found: Sequence[Found]) -> tuple[tuple[str, ...], ...]:
    """Return the texts by which a quotation is recognised: the members of an object, or the object as written."""
    members = [
        tuple(json.dumps({key: value}, ensure_ascii=False)[1:-1] for key, value in one.members.items()) for one in found
    ]
    return (*members, *((one.span,) for one in found))


class ObjectReply:
    """The one object of a reply that has asked members. rationale: its reasons."""

    def __init__(self, found: Found) -> None:
        self._found, self._forms = found, dict.fromkeys(found.forms)
        self._members = found.complete
        exact = "rationale" in found.members and isinstance(found.members["rationale"], str)
        self.rationale = (
            prose(found.members["rationale"]) if exact else (_rationale(found) or "") if found.forms else ""
        )

    def member(self, name: str, members: Mapping[str, Any] | None = None, *, elsewhere: bool = False) -> Any:
        """Return a member of the object, or of one in it; None if there is none. elsewhere: it belongs in another."""
        value, is_other = member(self._members if members is None else members, name)
        if is_other or (elsewhere and value is not None):
            self._forms[NAMED] = None
        return value

    def value(self, given: Any, scale: Scale) -> Any:
        """Return the value of a scale that a member states; other values unchanged, and whole numbers as integers."""
        given = boolean(given) if isinstance(scale, Choices) else integer(given)
        read = scale.read(given) if isinstance(given, str) else NONE
        if read.value is None:
            return given
        self._forms[WORDS] = None
        return read.value

    @property
    def written(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """Return the forms in which the object is written, and the texts by which a quotation is recognised."""
        return tuple(self._forms), _groups([self._found]) if self._forms else ()


def object_reply(text: str, names: Collection[str]) -> ObjectReply | str:
    """Return the one object of a reply that has members with asked names, or why there is none."""
    split = split_thinking(text)
    strict = json_object(text)
    wanted = {*map(folded, names)}
    plain = isinstance(strict, dict) and _is_one_object(text)
    try:
        found, objects, _ = found_in(
            split.answer, lambda members: any(folded(key) in wanted for key in members), plain=plain
        )
        differ = len(found) > 1 and len({canonical(one.members) for one in found}) > 1
    except RepeatedError as error:
        return REPEATED.format(name=str(error))
    except RecursionError:
        return TOO_DEEP
    if differ:
        return SEVERAL
    own = [one for one in found if not one.told and one.complete]
    if own:
        return ObjectReply(own[0])
    if found and found[0].told:
        return ONLY_QUOTED
    if isinstance(strict, str):
        return CUT_OFF if any(each.cut for each in objects.found) else strict
    return ObjectReply(Found(strict, (), "", told=False, cut=False))


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
