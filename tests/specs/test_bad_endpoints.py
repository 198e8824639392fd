"""What is wrong with endpoints, prices and profiles is said once, at its place, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, edit, write_live_benchmark
from support.mistakes import Case, bad, bad_in_several

from nullbench_site.errors import SpecError
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.sources import BackendNames

BOARD, ENDPOINTS, JUDGES = "boards/small.yaml", "endpoints.yaml", "judges.yaml"
LEAD, TALKER = "models/lead-2.yaml", "models/talker.yaml"
URL = "https://jury.example/v1"
KEY = "sk-" + "a1" * 12
KEY_PLACE = "name the variable in key_env and the header in key_header"
API_KEY = (
    "this looks like an API key; specs are public. Put it in an environment variable and name the variable, and "
    "revoke the key if the file was ever pushed"
)

SUBSTITUTED = "`${...}` is never expanded; name the variable in base_url_env or key_env, or write the value"

OF_ENDPOINTS = [
    bad("a variable in a base URL", ENDPOINTS, URL, "▸https://${HOST}/v1", SUBSTITUTED),
    bad("a variable in a header", ENDPOINTS, "x-team: tests", 'x-team: ▸"${TEAM}"', SUBSTITUTED),
    bad("a variable in a query", ENDPOINTS, 'api-version: "1"', 'api-version: ▸"${VERSION}"', SUBSTITUTED),
    bad("a variable in the name of a model", TALKER, "model: talker-1", 'model: ▸"${MODEL}"', SUBSTITUTED),
    bad("a variable in the name of a judge's model", JUDGES, "model: anna-1", 'model: ▸"${MODEL}"', SUBSTITUTED),
    bad(
        "an unknown key of an endpoint",
        ENDPOINTS,
        "key_env: JURY_KEY",
        "▸api_key: JURY_KEY",
        "unknown key 'api_key'; known: base_url, base_url_env, headers, id, key_env, key_header, limits, query, "
        "timeouts",
    ),
    bad_in_several(
        "two endpoints of one id",
        [(ENDPOINTS, "id: lab", "id: ▸jury"), (TALKER, "endpoint: lab", "endpoint: jury")],
        "duplicate endpoint id 'jury', already used at specs/endpoints.yaml:3",
    ),
    bad(
        "an endpoint that is nowhere",
        ENDPOINTS,
        "- id: lab\n    base_url_env: LAB_URL",
        "- ▸id: lab",
        "endpoint 'lab' has no address; set base_url, or name the variable that holds it in base_url_env",
    ),
    bad(
        "an endpoint that is in two places",
        ENDPOINTS,
        "base_url_env: LAB_URL",
        "base_url_env: ▸LAB_URL\n    base_url: https://lab.example/v1",
        "base_url is set too; keep one of base_url and base_url_env",
    ),
    bad(
        "a base URL without its scheme",
        ENDPOINTS,
        URL,
        "▸jury.example/v1",
        "'jury.example/v1' has the wrong form. From http:// or https:// up to and including /v1, if the server has it",
    ),
    bad(
        "a base URL with a password",
        ENDPOINTS,
        URL,
        "▸https://ann:secret@jury.example/v1",
        "the base URL contains a user or password, and specs are public; name a variable in key_env",
    ),
    bad(
        "a base URL with a query",
        ENDPOINTS,
        URL,
        "▸https://jury.example/v1?api-version=1",
        "the base URL contains '?' or '#'; move its parameters to `query`",
    ),
    bad(
        "a base URL with a port that is none",
        ENDPOINTS,
        URL,
        "▸https://jury.example:http/v1",
        "invalid address: cannot read its host or port",
    ),
    bad(
        "a base URL with an open bracket",
        ENDPOINTS,
        URL,
        '▸"https://[::1/v1"',
        "invalid address: cannot read its host or port",
    ),
    bad(
        "a base URL with the path of a call",
        ENDPOINTS,
        URL,
        "▸https://jury.example/v1/chat/completions/",
        "remove /chat/completions; it is added to the base URL for each call",
    ),
    bad(
        "a value for the name of a variable",
        ENDPOINTS,
        "key_env: JURY_KEY",
        "key_env: ▸$JURY_KEY",
        "this has the wrong form. The variable that holds the key; leave it out for none",
    ),
    bad(
        "a header for no key",
        ENDPOINTS,
        "base_url_env: LAB_URL",
        "base_url_env: LAB_URL\n    ▸key_header: api-key",
        "key_header is set but key_env is not; name the variable that holds the key in key_env",
    ),
    bad(
        "a header that authorizes",
        ENDPOINTS,
        "x-team: tests",
        "▸authorization: Bearer me",
        f"header authorization carries keys, and specs are public; {KEY_PLACE}",
    ),
    bad(
        "the header of the key among the others",
        ENDPOINTS,
        "headers: {x-team: tests}",
        "key_header: x-team\n    headers: {▸X-Team: tests}",
        f"header X-Team carries keys, and specs are public; {KEY_PLACE}",
    ),
    bad(
        "a header that follows from the request",
        ENDPOINTS,
        "x-team: tests",
        '▸Content-Length: "5"',
        "header Content-Length is set automatically; remove it",
    ),
    bad(
        "a key in a header that follows from the request",
        ENDPOINTS,
        "key_env: JURY_KEY",
        "key_env: JURY_KEY\n    ▸key_header: Host",
        "header Host is set automatically; choose another header for the key",
    ),
    bad(
        "a key in the query",
        ENDPOINTS,
        'api-version: "1"',
        "▸key: mine",
        f"parameter key carries keys, and specs are public; {KEY_PLACE}",
    ),
    bad("a literal key in a header", ENDPOINTS, "x-team: tests", f"x-team: ▸{KEY}", API_KEY),
    bad("a literal key in the query", ENDPOINTS, 'api-version: "1"', f"api-version: ▸{KEY}", API_KEY),
    bad("a literal key for its variable", ENDPOINTS, "key_env: JURY_KEY", f"key_env: ▸{KEY}", API_KEY),
    bad(
        "a header of two lines",
        ENDPOINTS,
        "x-team: tests",
        'x-team: ▸"tests\\nhost: elsewhere"',
        "this has the wrong form. ASCII on one line, without spaces at its ends: all an HTTP header can hold",
    ),
    bad(
        "a header with a space in its name",
        ENDPOINTS,
        "x-team: tests",
        "▸x team: tests",
        "'x team' has the wrong form. The name of an HTTP header",
    ),
    bad(
        "a number in the query",
        ENDPOINTS,
        'api-version: "1"',
        "api-version: ▸1",
        "found the number 1; expected text; put it in quotes",
    ),
    bad("no concurrency", ENDPOINTS, "concurrency: 4", "concurrency: ▸0", "found 0; expected at least 1"),
    bad("a negative limit", ENDPOINTS, "concurrency: 4", "tokens_per_minute: ▸-1", "found -1; expected at least 1"),
    bad("no requests a minute", ENDPOINTS, "concurrency: 4", "requests_per_minute: ▸0", "found 0; expected at least 1"),
    bad("no attempts", ENDPOINTS, "concurrency: 4", "attempts: ▸0", "found 0; expected at least 1"),
    bad("no wait", ENDPOINTS, "concurrency: 4", "first_wait: ▸0", "found 0; expected more than 0"),
    bad(
        "no time",
        ENDPOINTS,
        "limits: {concurrency: 4}",
        "timeouts: {total: ▸-5}",
        "found -5; expected more than 0",
    ),
    bad(
        "an unknown limit",
        ENDPOINTS,
        "concurrency: 4",
        "▸rpm: 60",
        "unknown key 'rpm'; known: attempts, concurrency, first_wait, requests_per_minute, tokens_per_minute",
    ),
    bad(
        "an unknown endpoint of a model",
        TALKER,
        "endpoint: lab",
        "endpoint: ▸lap",
        "unknown endpoint 'lap'; did you mean 'lab'? known: jury, lab, openai",
    ),
    bad(
        "an unknown endpoint of a judge",
        JUDGES,
        "endpoint: jury, model: ben-1",
        "endpoint: ▸jurors, model: ben-1",
        "unknown endpoint 'jurors'; did you mean 'jury'? known: jury, lab, openai",
    ),
    bad(
        "the canary of another file",
        ENDPOINTS,
        '"nullbench-canary:5a000000-0000-4000-8000-000000000008"',
        '▸"nullbench-canary:5a000000-0000-4000-8000-000000000001"',
        "duplicate canary, already used in specs/benchmark.yaml; give every file its own (a new UUID)",
    ),
]

OF_PROGRAMS = [
    bad(
        f"{key} of a program",
        LEAD,
        "model: lead\n",
        f"model: lead\n▸{key}: {value}\n",
        f"'{key}' has no effect: backend 'offline' calls no endpoint; remove it",
    )
    for key, value in {
        "endpoint": "lab",
        "decoding": "{max_tokens: 10}",
        "prices": '{input: 1, output: 1, date: "2026-11-12", source: a list}',
    }.items()
] + [
    bad(
        "an endpoint of a judge that is a program",
        JUDGES,
        "model: form\n",
        "model: form\n    ▸endpoint: jury\n",
        "'endpoint' has no effect: backend 'offline' calls no endpoint; remove it",
    ),
]

OF_PRICES = [
    bad(
        "a null model that is asked at an endpoint",
        TALKER,
        "kind: model",
        'kind: ▸"null"',
        "a model at an endpoint cannot be a null model, as it may do the task; write kind: "
        '"model", or choose a null program',
    ),
    bad(
        "a model that is said to be a null model that knows the request",
        TALKER,
        "kind: model",
        "kind: model\n▸aware: true",
        "`aware` is only for null models; write kind: \"null\", or remove it",
    ),
    bad(
        "a model whose kind is a bare null",
        TALKER,
        "kind: model",
        "kind: ▸null",
        "found no value (empty, ~ or a bare null; quote it if it is text); known: baseline, model, null",
    ),
    bad(
        "a price of a day to come",
        TALKER,
        '"2026-11-12"',
        '▸"2999-01-01"',
        "'2999-01-01' is in the future; write the date when the prices were looked up",
    ),
    bad("a negative price", TALKER, "input: 1", "input: ▸-1", "found -1; expected at least 0"),
    bad("a price in words", TALKER, "input: 1", "input: ▸free", "found the text 'free'; expected a number"),
    bad(
        "a price that is no number",
        TALKER,
        "input: 1",
        "input: ▸.nan",
        "'.nan' is ambiguous: programs read it as different values; write a plain decimal number, or put it in "
        "quotes if it is text",
    ),
    bad(
        "a price without end",
        TALKER,
        "input: 1",
        "input: ▸.inf",
        "'.inf' is ambiguous: programs read it as different values; write a plain decimal number, or put it in "
        "quotes if it is text",
    ),
    bad("NaN in words", TALKER, "input: 1", "input: ▸NaN", "found the text 'NaN'; expected a number"),
    bad(
        "a price too large for any number",
        TALKER,
        "input: 1",
        "input: ▸1e999",
        "the number '1e999' is too large; quote it if it is text",
    ),
    bad("a price a token", TALKER, "input: 1", "input: ▸2000000", "found 2000000; expected at most 1000000.0"),
    bad(
        "no price",
        TALKER,
        "input: 1",
        "input: ▸~",
        "found no value (empty, ~ or a bare null; quote it if it is text); expected a number",
    ),
    bad(
        "prices without a source",
        TALKER,
        '{input: 1, output: 2.5, date: "2026-11-12", source: a price list}',
        '▸{input: 1, output: 2.5, date: "2026-11-12"}',
        "missing key 'source'",
    ),
    bad(
        "a date that is none",
        TALKER,
        '"2026-11-12"',
        "▸today",
        "'today' has the wrong form. A day, such as '2026-11-12', in quotes",
    ),
    bad(
        "a date that no calendar has",
        TALKER,
        '"2026-11-12"',
        '▸"2026-02-30"',
        "'2026-02-30' is not a date; write the date when the prices were looked up",
    ),
    bad(
        "a date of a judge's prices that no calendar has",
        JUDGES,
        '"2026-11-12"',
        '▸"2026-13-01"',
        "'2026-13-01' is not a date; write the date when the prices were looked up",
    ),
    bad(
        "a key of decoding beside it",
        TALKER,
        "model: talker-1\n",
        "model: talker-1\n▸max_tokens: 100\n",
        "unknown key 'max_tokens'; it belongs in `decoding`",
    ),
    bad(
        "a key of two mappings beside them",
        TALKER,
        "model: talker-1\n",
        'model: talker-1\n▸since: "2026-11-12"\n',
        "unknown key 'since'; it belongs in `provisional` or `retired`",
    ),
    bad(
        "a field of requests beside params",
        JUDGES,
        "model: anna-1\n",
        "model: anna-1\n    ▸top_p: 0.9\n",
        "unknown key 'top_p'; put other fields of a request in `params`; known: backend, bridges, decoding, "
        "description, endpoint, family, id, model, params, prices, retires, title",
    ),
    bad("decoding without tokens", TALKER, "max_tokens: 100", "max_tokens: ▸0", "found 0; expected at least 1"),
]  # fmt: skip

OF_PROFILES = [
    bad(
        "a profile that replaces nothing",
        BOARD,
        "  live:\n",
        "  ▸idle: {}\n  live:\n",
        "profile 'idle' changes nothing; set contestants, samples, decoding, panel or controls",
    ),
    bad(
        "an unknown key of a profile",
        BOARD,
        "    panel: live",
        "    ▸panels: live",
        "unknown key 'panels'; did you mean 'panel'? known: contestants, controls, decoding, panel, samples",
    ),
    bad(
        "an unknown panel of a profile",
        BOARD,
        "panel: live",
        "panel: ▸life",
        "unknown panel 'life'; did you mean 'live'? known: live, rules",
    ),
    bad(
        "an unknown contestant of a profile",
        BOARD,
        "[talker, null-empty]",
        "[▸walker, null-empty]",
        "unknown model 'walker'; did you mean 'talker'? known: lead-2, null-constant, null-empty, talker, textrank-2",
    ),
    bad(
        "a contestant that a profile lists twice",
        BOARD,
        "[talker, null-empty]",
        "[talker, null-empty, ▸talker]",
        "model 'talker' is listed twice; remove one",
    ),
    bad_in_several(
        "contestants of a profile that are all of the board's own judges' family",
        [
            (BOARD, "    panel: live\n    contestants: [talker", "    contestants: ▸[talker"),
            (TALKER, "family: talkers", "family: rules"),
        ],
        "no judge of panel 'rules' may score 'talker': all are of family 'rules'; add a judge of another family",
    ),
    bad("no samples", BOARD, "    samples: 2", "    samples: ▸0", "found 0; expected at least 1"),
    bad(
        "a profile with a name that is none",
        BOARD,
        "  live:\n",
        "  ▸Live!:\n",
        "'Live!' has the wrong form. Lower-case letters, digits, dots, underscores and hyphens; starts with a letter "
        "or digit",
    ),
]


@pytest.mark.parametrize("case", OF_ENDPOINTS + OF_PROGRAMS + OF_PRICES + OF_PROFILES, ids=lambda case: case.name)
def test_a_mistake_is_named_once_at_its_place(case: Case, tmp_path: Path) -> None:
    specs = write_live_benchmark(tmp_path)
    expected = case.expected(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert [str(problem) for problem in refused.value.problems] == expected


def test_the_live_benchmark_has_no_mistake(tmp_path: Path) -> None:
    load_benchmark(write_live_benchmark(tmp_path), backends=BACKENDS, profile="live")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x-team: tests", f"x-team: {KEY}"),
        ("x-team: tests", "x-team: 'my secret '"),
        ("x-team: tests", "authorization: my secret"),
        ("key_env: JURY_KEY", "key_env: my secret"),
        (URL, "https://ann:my%20secret@jury.example/v1"),
    ],
)
def test_no_message_repeats_a_secret(tmp_path: Path, old: str, new: str) -> None:
    specs = write_live_benchmark(tmp_path)
    edit(specs, ENDPOINTS, old, new)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert len(refused.value.problems) == 1
    assert KEY not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_an_endpoint_needs_the_file_that_defines_it(tmp_path: Path) -> None:
    specs = write_live_benchmark(tmp_path)
    (specs / ENDPOINTS).unlink()
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert [str(problem) for problem in refused.value.problems] == [
        "specs/judges.yaml:26:15: unknown endpoint 'jury'; known: openai",
        "specs/judges.yaml:31:77: unknown endpoint 'jury'; known: openai",
        "specs/models/talker.yaml:7:11: unknown endpoint 'lab'; known: openai",
    ]


def test_endpoints_that_are_a_folder_are_refused(tmp_path: Path) -> None:
    specs = write_live_benchmark(tmp_path)
    (specs / ENDPOINTS).unlink()
    (specs / ENDPOINTS).mkdir()
    with pytest.raises(SpecError, match=r"^specs/endpoints.yaml:1:1: expected a file, found a folder"):
        load_benchmark(specs, backends=BACKENDS)


def test_parameters_are_checked_of_a_backend_that_takes_any_model(tmp_path: Path) -> None:
    specs = write_live_benchmark(tmp_path)
    edit(specs, TALKER, "model: talker-1\n", "model: talker-1\nparams: {k: 2}\n")
    names = BackendNames(
        contestants=BACKENDS.contestants,
        judges=BACKENDS.judges,
        params_problem=lambda backend, model, params: "it takes no k" if backend == "openai" and params else None,
    )
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=names)
    assert [str(problem) for problem in refused.value.problems] == [
        "specs/models/talker.yaml:9:9: wrong params for 'talker-1': it takes no k"
    ]
