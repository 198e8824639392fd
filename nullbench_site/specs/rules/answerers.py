"""Rules about contestants, judges, panels, endpoints and prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import BUILT_IN
from nullbench_site.specs.rules.lifecycle import wrong_date
from nullbench_site.specs.sources import BackendNames, SpecFile, SpecFiles, Steps, each_item, folded, unique
from nullbench_site.stats.scores import gate_votes_needed
from nullbench_site.text import did_you_mean, quoted


def _backend_problem(
    source: SpecFile[types.Spec],
    steps: Steps,
    runs: types.Judge | types.ModelFile,
    known: Mapping[str, frozenset[str] | None],
    backends: BackendNames,
) -> Iterator[Problem]:
    backend, model = runs.backend, runs.model
    if backend not in known:
        yield source.document.problem(
            [*steps, "backend"], f"unknown backend {backend!r}; {did_you_mean(backend, known)}"
        )
        return
    names = known[backend]
    if names is not None:
        for key in _only_of_endpoints(runs):
            message = f"{key!r} has no effect: backend {backend!r} calls no endpoint; remove it"
            yield source.document.problem([*steps, key], message, at_key=True)
    if names is not None and model not in names:
        message = f"backend {backend!r} has no model {model!r}; {did_you_mean(model, names, limit=20)}"
        yield source.document.problem([*steps, "model"], message)
    elif wrong := backends.params_problem(backend, model, runs.params):
        yield source.document.problem([*steps, "params"], f"wrong params for {model!r}: {wrong}")


def _only_of_endpoints(runs: types.Judge | types.ModelFile) -> Iterator[str]:
    """Yield the keys of a model or judge that only have an effect at an endpoint."""
    if runs.endpoint is not None:
        yield "endpoint"
    if runs.prices is not None:
        yield "prices"
    if runs.decoding not in (None, types.Decoding()):
        yield "decoding"


def judges_can_run(judges: SpecFile[types.JudgesFile] | None, backends: BackendNames | None) -> Iterator[Problem]:
    """Check that judges have unique ids and usable decoding, and that a backend can run each."""
    if judges is None:
        return
    entries = enumerate(judges.spec.judges)
    yield from unique("judge", ((judges, ["judges", i, "id"], judge.id) for i, judge in entries))
    for number, judge in enumerate(judges.spec.judges):
        if judge.decoding.logprobs:
            message = "'logprobs' is for contestants: questions to judges request what they use; remove it"
            yield judges.document.problem(["judges", number, "decoding", "logprobs"], message, at_key=True)
        if backends is not None:
            yield from _backend_problem(judges, ["judges", number], judge, backends.judges, backends)


def panels_can_vote(judges: SpecFile[types.JudgesFile] | None) -> Iterator[Problem]:
    """Check that the judges of a panel exist and are listed once, and that its refusal gates can be reached."""
    if judges is None:
        return
    known = [judge.id for judge in judges.spec.judges]
    yield from unique("panel", ((judges, ["panels", i, "id"], panel.id) for i, panel in enumerate(judges.spec.panels)))
    for number, panel in enumerate(judges.spec.panels):
        steps: list[str | int] = ["panels", number]
        for place, judge in enumerate(panel.judges):
            if judge not in known:
                message = f"unknown judge {judge!r}; {did_you_mean(judge, known)}"
                yield judges.document.problem([*steps, "judges", place], message)
            elif judge in panel.judges[:place]:
                message = f"judge {judge!r} is listed twice; remove one"
                yield judges.document.problem([*steps, "judges", place], message)
        for key, message in _gates(panel):
            yield judges.document.problem([*steps, "refusal_gates", key], message)


def _gates(panel: types.Panel) -> Iterator[tuple[str, str]]:
    size = len(panel.judges)
    needed = gate_votes_needed(size)
    sample = max(needed, panel.refusal_gates.sample or size)
    votes = panel.refusal_gates.votes or needed
    if sample > size:
        yield "sample", f"sample {sample} is larger than the panel of {size} judges"
    if votes < needed:
        yield (
            "votes",
            f"{votes} votes are less than two thirds of the panel of {size}; at least {needed} are needed",
        )
    elif votes > sample:
        advice = f"lower votes to {sample} at most" + (f", or raise sample to {votes}" if votes <= size else "")
        yield "votes", f"{votes} votes can never be reached: only {sample} judges are asked about a refusal; {advice}"


def contestants_can_run(
    models: Sequence[SpecFile[types.ModelFile]], backends: BackendNames | None
) -> Iterator[Problem]:
    """Check that contestants have unique titles and that a backend can run each.

    Titles in tables of scores are those of their source, and may differ only in case.
    """
    first: dict[str, SpecFile[types.ModelFile]] = {}
    for source in models:
        other = first.setdefault(folded(source.spec.title), source)
        of_tables = all(each.document.file.endswith(".csv") for each in (source, other))
        if other is not source and not (of_tables and source.spec.title != other.spec.title):
            taken = f"already used in {other.document.file}; choose another"
            yield source.document.problem(["title"], f"duplicate title {quoted(source.spec.title)}, {taken}")
        if source.spec.aware and source.spec.kind != "null":
            message = "`aware` is only for null models"
            yield source.document.problem(["aware"], f'{message}; write kind: "null", or remove it', at_key=True)
        if backends is not None:
            if source.spec.id.startswith(types.PREFIX):
                message = f"ids that begin with {types.PREFIX!r} are reserved for controls; rename this model"
                yield source.document.problem(["id"], message)
            yield from _backend_problem(source, [], source.spec, backends.contestants, backends)
            at_endpoint = backends.contestants.get(source.spec.backend, frozenset()) is None
            if source.spec.kind == "seen" and source.spec.backend != types.PROGRAMS:
                message = "kind 'seen' is only for programs, as what they have seen must be known"
                yield source.document.problem(["kind"], f'{message}; write kind: "model", or choose a program')
            if source.spec.kind == "null" and at_endpoint and source.spec.backend != types.RECORDED:
                message = "a model at an endpoint cannot be a null model, as it may do the task"
                yield source.document.problem(["kind"], f'{message}; write kind: "model", or choose a null program')


def unanswered_items_exist(files: SpecFiles) -> Iterator[Problem]:
    """Check that items which imported responses do not answer are on the board."""
    boards = {board.spec.id: frozenset(board.spec.domains) for board in files.boards}
    for source in files.models:
        spec, problem = source.spec, source.document.problem
        if spec.unanswered and spec.backend != types.RECORDED:
            message = f"`unanswered` is only for imported responses (backend: {types.RECORDED}); remove it"
            yield problem(["unanswered"], message, at_key=True)
        for name, items in spec.unanswered.items():
            if name not in boards:
                yield problem(
                    ["unanswered", name], f"unknown board {name!r}; {did_you_mean(name, boards)}", at_key=True
                )
                continue
            domains = [domain for domain in files.domains if domain.spec.id in boards[name]]
            known = {item.id for _, item, _ in each_item(domains)}
            for place, item in enumerate(items):
                if item not in known:
                    message = f"{name!r} has no item {item!r}; {did_you_mean(item, known)}"
                    yield problem(["unanswered", name, place], message)


_KEY_HEADERS = frozenset({"authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"})
_KEY_PARAMETERS = frozenset({"key", "api-key", "api_key", "apikey", "access_token", "token"})
_FRAMING = frozenset(
    {"accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
"""Headers that the client sets for each request."""
_CALLED = "/chat/completions"


def endpoints_are_valid(source: SpecFile[types.EndpointsFile] | None) -> Iterator[Problem]:
    """Check that endpoints have unique ids, a usable address and no key."""
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
        advice = "set base_url, or name its variable in base_url_env"
        yield [], f"endpoint {endpoint.id!r} has no address; {advice}"
    if endpoint.base_url is None:
        return
    if endpoint.base_url_env is not None:
        message = "base_url is set too; keep one of base_url and base_url_env"
        yield ["base_url_env"], message
    try:
        parts = urlsplit(endpoint.base_url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        yield ["base_url"], "invalid address: cannot read its host or port"
        return
    if "@" in parts.netloc:
        yield ["base_url"], "the base URL contains a user or password, and specs are public; name a variable in key_env"
    if "?" in endpoint.base_url or "#" in endpoint.base_url:
        yield ["base_url"], "the base URL contains '?' or '#'; move its parameters to `query`"
    if parts.path.rstrip("/").endswith(_CALLED):
        yield ["base_url"], f"remove {_CALLED}; it is added to the base URL for each call"


def _keys(endpoint: types.Endpoint) -> Iterator[tuple[Steps, str]]:
    advice = "name the variable in key_env and the header in key_header"
    if endpoint.key_header is not None and endpoint.key_env is None:
        yield ["key_header"], "key_header is set but key_env is not; name the variable of the key in key_env"
    for name in endpoint.headers:
        if name.casefold() in _KEY_HEADERS | {(endpoint.key_header or "authorization").casefold()}:
            yield ["headers", name], f"header {name} carries keys, and specs are public; {advice}"
    for name in endpoint.query:
        if name.casefold() in _KEY_PARAMETERS:
            yield ["query", name], f"parameter {name} carries keys, and specs are public; {advice}"


def _headers(endpoint: types.Endpoint) -> Iterator[tuple[Steps, str]]:
    for name in endpoint.headers:
        if name.casefold() in _FRAMING:
            yield ["headers", name], f"header {name} is set automatically; remove it"
    if (endpoint.key_header or "").casefold() in _FRAMING | {"host"}:
        message = f"header {endpoint.key_header} is set automatically; choose another header for the key"
        yield ["key_header"], message


def endpoints_exist(files: SpecFiles) -> Iterator[Problem]:
    """Check that the endpoints of models and judges are defined."""
    defined = () if files.endpoints is None else files.endpoints.spec.endpoints
    known = {*BUILT_IN, *(endpoint.id for endpoint in defined)}
    for source, steps, runs in _models_and_judges(files):
        if runs.endpoint is not None and runs.endpoint not in known:
            message = f"unknown endpoint {runs.endpoint!r}; {did_you_mean(runs.endpoint, known)}"
            yield source.document.problem([*steps, "endpoint"], message)


def prices_have_a_date(files: SpecFiles, *, new: bool) -> Iterator[Problem]:
    """Check that the date of a price is valid and, in new specs, not in the future."""
    for source, steps, runs in _models_and_judges(files):
        what = "the date when the prices were looked up"
        if runs.prices is not None and (wrong := wrong_date(runs.prices.date, what, past=new)):
            yield source.document.problem([*steps, "prices", "date"], wrong)


def no_variable_is_used(files: SpecFiles) -> Iterator[Problem]:
    """Check that no value uses `${NAME}`, which would be sent unexpanded."""
    places: list[tuple[SpecFile[types.Spec], Steps, str]] = [
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
            advice = "name the variable in base_url_env or key_env, or write the value"
            yield source.document.problem(steps, f"`${{...}}` is never expanded; {advice}")


def _models_and_judges(files: SpecFiles) -> Iterator[tuple[SpecFile[types.Spec], Steps, types.ModelFile | types.Judge]]:
    for source in files.models:
        yield source, [], source.spec
    for number, judge in enumerate(files.all_judges):
        assert files.judges is not None  # noqa: S101 - it holds the judge
        yield files.judges, ["judges", number], judge
