"""A key in the ways that software writes what it was sent, and a server that answers with all of them."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from support.fault_server import Canned, Fault, FaultServer, answer_to, completion

_PART = 12
"""Characters of a form that may not be left of it."""


@dataclass(frozen=True)
class Form:
    """What a server shows, and the part of it that is the key."""

    text: str
    core: str


def _base64(key: str, before: str, after: str = "", encode: Callable[[bytes], bytes] = b64encode) -> Form:
    text = encode(f"{before}{key}{after}".encode()).decode()
    end = 8 * len(before + key) // 6
    return Form(text, text[-(-8 * len(before) // 6) : end + text[:end].count("\n")])


def written(key: str) -> dict[str, Form]:
    """The forms of a key, each by its name."""
    units = [f"\\u{ord(letter):04x}" for letter in key]
    escaped = json.dumps(key)[1:-1]
    percent = "".join(f"%{ord(letter):02x}" for letter in key)
    half = len(key) // 2
    mixed = "".join(key[i] if i % 2 else unit for i, unit in enumerate(units))
    named = {"_": "&lowbar;", "/": "&sol;", "+": "&plus;", "=": "&equals;"}
    whole = {
        "as it is": key,
        "in capitals": key.upper(),
        "escaped in JSON": escaped,
        "escaped in JSON twice": json.dumps(escaped)[1:-1],
        "escaped with slashes": escaped.replace("/", "\\/"),
        "escaped for Markdown": "".join(letter if letter.isalnum() else f"\\{letter}" for letter in key),
        "as code units": "".join(units),
        "as code units of capital digits": "".join(unit[:2] + unit[2:].upper() for unit in units),
        "as code units, escaped once more": "".join(units).replace("\\", "\\\\"),
        "as code units whose backslashes are code units": "".join(units).replace("\\", "\\u005c"),
        "every second letter as a code unit": mixed,
        "as code points": "".join(f"\\u{{{ord(letter):x}}}" for letter in key),
        "as bytes of a program": "".join(f"\\x{ord(letter):02x}" for letter in key),
        "in a URL": quote(key, safe=""),
        "in a URL in a URL": quote(quote(key, safe=""), safe=""),
        "in a URL, every letter": percent,
        "in a URL, every letter, in capital digits": percent.upper(),
        "in a URL whose percent signs are code units": percent.replace("%", "\\u0025"),
        "half in a URL, half escaped": quote(key[:half], safe="") + "".join(units[half:]),
        "in mail": percent.replace("%", "=").upper(),
        "in HTML": html.escape(key),
        "in HTML in HTML": html.escape(html.escape(key)),
        "in HTML by an encoder of JSON that escapes &": html.escape(key).replace("&", "\\u0026"),
        "in HTML by number": "".join(f"&#{ord(letter)};" for letter in key),
        "in HTML by hexadecimal number": "".join(f"&#X{ord(letter):04X};" for letter in key),
        "in HTML by name": "".join(named.get(letter, letter) for letter in key),
        "broken into lines": "\r\n ".join(key[i : i + 24] for i in range(0, len(key), 24)),
        "in hex with spaces": key.encode().hex(" "),
        "in hex": key.encode().hex(),
        "in capital hex": key.encode().hex().upper(),
    }
    encoded = {
        "in base64": _base64(key, ""),
        "in base64, one byte in": _base64(key, ":"),
        "in base64, two bytes in": _base64(key, "n:"),
        "in base64, broken into lines": _base64(key, "x" * 50, "y" * 50, encodebytes),
        "in base64 of a header": _base64(key, '{"authorization": "Bearer ', '", "n": 1}'),
        "in base64 of a user and a password": _base64(key, "user:"),
        "in base64 for URLs": _base64(key, "~", "~", urlsafe_b64encode),
    }
    for name, wrap in (("in JSON", lambda text: text.replace("/", "\\/")), ("in a URL", lambda text: quote(text, ""))):
        found = encoded["in base64, one byte in"]
        encoded[f"in base64 {name}"] = Form(wrap(found.text), wrap(found.core))
    return {name: Form(text, text) for name, text in whole.items()} | encoded


def survivors(text: str, key: str) -> list[str]:
    """The forms of a key of which a part stands in a text. What holds the text may have escaped it."""
    bare = _bare(text)
    return [name for name, parts in _searched(key).items() if any(part in bare for part in parts)]


@cache
def _searched(key: str) -> dict[str, list[str]]:
    return {name: _parts(_bare(form.core)) for name, form in written(key).items()}


def _parts(core: str) -> list[str]:
    """Some of it, so that nothing much longer can stand without one of them."""
    return [core[i : i + _PART] for i in range(0, max(1, len(core) - _PART + 1), _PART // 3)]


def _bare(text: str) -> str:
    """Without line breaks and backslashes, which another escape may have added."""
    return re.sub(r"\\[rn]|[\r\n\\]", "", html.unescape(re.sub(r"\\[rn]|[\r\n\\]", "", text))).lower()


class KeyEcho(FaultServer):
    """Shows the key that it is sent, in every form, in every field of an answer, of an error and of the headers.

    How depends on the model: `alpha` answers, `beta` fails, `gamma` is stopped; `judge-two` gives no valid verdict.
    """

    def _fault(self, body: Mapping[str, Any]) -> Fault:
        key = self.seen[-1].headers["Authorization"].removeprefix("Bearer ")
        shown = "; ".join(form.text for form in written(key).values())
        line = shown.translate(dict.fromkeys(map(ord, "\r\n")))
        headers = {"X-Request-Id": line, "Retry-After": line, "X-RateLimit-Remaining-Requests": line}
        match body["model"].removeprefix("model-"):
            case "beta":
                error = {"message": shown, "code": "context_length_exceeded", "type": shown, "param": shown}
                return Canned({"error": error}, 400, headers)
            case "gamma":
                return Canned({"error": {"message": shown, "code": "model_not_found"}}, 404, headers)
            case "judge-two":
                content = json.dumps({"rationale": shown, "scores": shown, shown: shown})
            case name if name.startswith("judge"):
                verdict = json.loads(answer_to(body))
                content = json.dumps({**verdict, "rationale": shown})
            case _:
                content = shown
        called = [{"id": shown, "type": shown, "function": {"name": shown, "arguments": shown}}]
        made = completion(body, content, reasoning=shown, finish_reason=shown, tool_calls=called)
        made |= {"id": shown, "model": shown, "system_fingerprint": shown, "usage": {"prompt_tokens": shown, shown: 1}}
        return Canned(made, headers=headers)
