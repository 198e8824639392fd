"""The names of the models that an endpoint serves, from its list at /models."""

from __future__ import annotations

import http.client
import json
import urllib.request
from collections.abc import Mapping
from typing import Any

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.endpoints.endpoint import resolve
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.evaluation.endpoints.local_server import START, is_stopped
from nullbench_site.specs.types import Endpoint
from nullbench_site.text import short_line

_SECONDS = 10
_MOST_BYTES = 4 * 2**20
_MOST_WHY = 200


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def served_models(endpoint: Endpoint, environ: Mapping[str, str]) -> list[str]:
    """Return the names of the models, sorted. Raises UsageError if the endpoint does not list them."""
    try:
        address = resolve(endpoint, environ)
    except Fault as fault:
        raise UsageError(f"{fault}; or name the model with --model") from fault
    url = f"{address.base_url.rstrip('/')}/models"
    if is_stopped(endpoint):
        raise UsageError(f"{url}: no server is running there; {START}, or name the model with --model")
    try:
        request = urllib.request.Request(url, headers=dict(address.headers))  # noqa: S310 - http or https, by its type
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS) as reply:
            listed = json.loads(reply.read(_MOST_BYTES))
        names = sorted({str(each["id"]) for each in listed["data"]})
    except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError, RecursionError) as error:
        why = short_line(f"{type(error).__name__}: {error}", _MOST_WHY)
        raise UsageError(f"{url}: no list of models ({why}); name the model with --model") from error
    if not names:
        raise UsageError(f"{url}: the list of models is empty; name the model with --model")
    return names
