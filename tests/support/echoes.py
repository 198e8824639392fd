"""A key in the ways that software writes what it was sent, and a server that answers with all of them."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from support.fault_server import Canned, Fault, FaultServer, answer_to, completion


def written(key: str) -> dict[str, str]:
    """The forms of a key, each by its name."""
    in_json = json.dumps(key)[1:-1]
    return {
        "as it is": key,
        "in JSON": in_json,
        "in JSON with escaped slashes": in_json.replace("/", "\\/"),
        "in a URL": quote(key, safe=""),
        "in a URL in lower case": re.sub("%..", lambda escape: escape[0].lower(), quote(key, safe="")),
        "in base64": b64encode(key.encode()).decode(),
        "in base64, one byte in": b64encode(f":{key}".encode()).decode(),
        "in base64, two bytes in": b64encode(f"n:{key}~".encode()).decode(),
        "in base64 for URLs": urlsafe_b64encode(f"~{key}~".encode()).decode(),
    }


def survivors(text: str, key: str) -> list[str]:
    """The forms of a key that are in a text, escaped or not; of base64 the middle, which the key alone decides."""
    bare = text.replace("\\", "").lower()
    middles = {name: form[2:-4] if "base64" in name else form for name, form in written(key).items()}
    return [name for name, middle in middles.items() if middle.replace("\\", "").lower() in bare]


class KeyEcho(FaultServer):
    """Shows the key that it is sent, in every form, in every field of an answer, of an error and of the headers.

    How depends on the model: `alpha` answers, `beta` fails, `gamma` is stopped; `judge-two` gives no valid verdict.
    """

    def _fault(self, body: Mapping[str, Any]) -> Fault:
        key = self.seen[-1].headers["Authorization"].removeprefix("Bearer ")
        shown = "; ".join(written(key).values())
        headers = {"X-Request-Id": shown, "Retry-After": shown, "X-RateLimit-Remaining-Requests": shown}
        match body["model"].removeprefix("model-"):
            case "beta":
                error = {"message": shown, "code": "context_length_exceeded", "type": shown, "param": shown}
                return Canned({"error": error}, 400, headers)
            case "gamma":
                return Canned({"error": {"message": shown, "code": "model_not_found"}}, 404, headers)
            case "judge-two":
                content = json.dumps({"rationale": key, "scores": key, key: key})
            case name if name.startswith("judge"):
                verdict = json.loads(answer_to(body))
                content = json.dumps({**verdict, "rationale": key})
            case _:
                content = shown
        called = [{"id": shown, "type": shown, "function": {"name": shown, "arguments": shown}}]
        made = completion(body, content, reasoning=shown, finish_reason=shown, tool_calls=called)
        made |= {"id": shown, "model": shown, "system_fingerprint": shown, "usage": {"prompt_tokens": shown, shown: 1}}
        return Canned(made, headers=headers)
