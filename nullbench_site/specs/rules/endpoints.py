"""Endpoints and prices: names that exist, one base URL each, keys in variables and nowhere else, days that are days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import OPENAI
from nullbench_site.specs.rules.files import Source, SpecFiles, Steps
from nullbench_site.specs.rules.names import unique
from nullbench_site.text import did_you_mean

_KEY_HEADERS = frozenset({"authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"})
_KEY_PARAMETERS = frozenset({"key", "api-key", "api_key", "apikey", "access_token", "token"})
_FRAMING = frozenset(
    {"accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
"""Headers that follow from each request, and that garble it where they do not."""
_CALLED = "/chat/completions"


def endpoints_are_sound(source: Source[types.EndpointsFile] | None) -> Iterator[Problem]:
    """Each endpoint is there once, can be reached, and holds no key."""
    if source is None:
        return
    entries = enumerate(source.spec.endpoints)
    yield from unique("endpoint", ((source, ["endpoints", i, "id"], endpoint.id) for i, endpoint in entries))
    for number, endpoint in enumerate(source.spec.endpoints):
        for steps, message in _address(endpoint):
            yield source.document.problem(["endpoints", number, *steps], message)
        for steps, message in [*_keys(endpoint), *_headers(endpoint)]:
            yield source.document.problem(["endpoints", number, *steps], message, at_key=True)


def _address(endpoint: types.Endpoint) -> Iterator[tuple[Steps, str]]:
    if endpoint.base_url is None and endpoint.base_url_env is None:
        advice = "give a base_url, or in base_url_env the variable that holds it"
        yield [], f"nothing says where the endpoint {endpoint.id!r} is; {advice}"
    if endpoint.base_url is None:
        return
    if endpoint.base_url_env is not None:
        message = "base_url says where the endpoint is already; keep one of base_url and base_url_env"
        yield ["base_url_env"], message
    try:
        parts = urlsplit(endpoint.base_url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        yield ["base_url"], "this is no address: its host or port cannot be read"
        return
    if "@" in parts.netloc:
        yield ["base_url"], "the base URL holds a user or password; specs are public. Name a variable in key_env"
    if "?" in endpoint.base_url or "#" in endpoint.base_url:
        yield ["base_url"], "the base URL holds a ? or #; what follows a ? belongs into query, a # into neither"
    if parts.path.rstrip("/").endswith(_CALLED):
        yield ["base_url"], f"{_CALLED} is added to the base URL for each call; take it out here"


def _keys(endpoint: types.Endpoint) -> Iterator[tuple[Steps, str]]:
    advice = "Name the variable in key_env and the header in key_header"
    if endpoint.key_header is not None and endpoint.key_env is None:
        yield ["key_header"], "no key goes into this header; name the variable that holds it in key_env"
    for name in endpoint.headers:
        if name.casefold() in _KEY_HEADERS | {(endpoint.key_header or "authorization").casefold()}:
            yield ["headers", name], f"the header {name} holds keys, and specs are public. {advice}"
    for name in endpoint.query:
        if name.casefold() in _KEY_PARAMETERS:
            yield ["query", name], f"the parameter {name} holds keys, and specs are public. {advice}"


def _headers(endpoint: types.Endpoint) -> Iterator[tuple[Steps, str]]:
    for name in endpoint.headers:
        if name.casefold() in _FRAMING:
            yield ["headers", name], f"the header {name} follows from each request; take it out here"
    if (endpoint.key_header or "").casefold() in _FRAMING | {"host"}:
        message = f"the header {endpoint.key_header} follows from each request; name one of its own for the key"
        yield ["key_header"], message


def endpoints_exist(files: SpecFiles) -> Iterator[Problem]:
    """The endpoints that models and judges name are defined."""
    defined = () if files.endpoints is None else files.endpoints.spec.endpoints
    known = {endpoint.id for endpoint in (*defined, OPENAI)}
    for source, steps, runs in _models_and_judges(files):
        if runs.endpoint is not None and runs.endpoint not in known:
            message = f"endpoints.yaml defines no {runs.endpoint!r}; {did_you_mean(runs.endpoint, known)}"
            yield source.document.problem([*steps, "endpoint"], message)


def prices_have_a_day(files: SpecFiles, *, new: bool) -> Iterator[Problem]:
    """The day of a price is in the calendar, and of new specs not to come. Somewhere it is tomorrow already."""
    last = (datetime.now(UTC) + timedelta(days=1)).date()
    for source, steps, runs in _models_and_judges(files):
        if runs.prices is None:
            continue
        try:
            to_come = new and date.fromisoformat(runs.prices.date) > last
        except ValueError:
            message = f"{runs.prices.date!r} is no day of the calendar; write the day the prices held"
            yield source.document.problem([*steps, "prices", "date"], message)
            continue
        if to_come:
            message = f"{runs.prices.date!r} is a day to come; write the day on which the prices were looked up"
            yield source.document.problem([*steps, "prices", "date"], message)


def nothing_is_to_be_put_in(files: SpecFiles) -> Iterator[Problem]:
    """Nothing names a variable the way a shell does: it would be sent as it stands."""
    places: list[tuple[Source[types.Spec], Steps, str]] = [
        (source, [*steps, "model"], runs.model) for source, steps, runs in _models_and_judges(files)
    ]
    for number, endpoint in enumerate(() if files.endpoints is None else files.endpoints.spec.endpoints):
        assert files.endpoints is not None  # noqa: S101 - it holds the endpoint
        texts: list[tuple[Steps, str]] = [(["base_url"], endpoint.base_url or "")]
        texts += ((["headers", name], value) for name, value in endpoint.headers.items())
        texts += ((["query", name], value) for name, value in endpoint.query.items())
        places += ((files.endpoints, ["endpoints", number, *steps], text) for steps, text in texts)
    for source, steps, text in places:
        if "${" in text:
            advice = "name the variable in base_url_env or key_env, or write the value out"
            yield source.document.problem(steps, f"nothing is put in for ${{...}} in a spec; {advice}")


def _models_and_judges(files: SpecFiles) -> Iterator[tuple[Source[types.Spec], Steps, types.ModelFile | types.Judge]]:
    for source in files.models:
        yield source, [], source.spec
    for number, judge in enumerate(files.all_judges):
        assert files.judges is not None  # noqa: S101 - it holds the judge
        yield files.judges, ["judges", number], judge
