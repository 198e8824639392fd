"""The types of the spec files. JSON Schemas, validation and digests are all derived from them.

One Struct is one mapping of a file; unknown keys are refused. What a field means stands in its `Meta(description=...)`,
which reaches the JSON Schema and with it the editor of whoever writes a spec. Where somebody may put a key by mistake,
the schema says `writeOnly`, and no message repeats what stands there.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct, field

# Python's `$` matches before a last line end too, JavaScript's does not; this means the very end to both.
_END = r"$(?!\n)"

ID_FORM = "Lower-case letters, digits, dots, underscores and hyphens; starts with a letter or digit."
Id = Annotated[
    str,
    Meta(
        pattern=rf"^[a-z0-9][a-z0-9._-]*{_END}",
        max_length=80,
        description=ID_FORM,
    ),
]
Line = Annotated[str, Meta(min_length=1, max_length=500)]
Prose = Annotated[str, Meta(min_length=1, max_length=20_000)]
Version = Annotated[str, Meta(pattern=rf"^[0-9]+\.[0-9]+\.[0-9]+{_END}", description="A semantic version, in quotes.")]
Canary = Annotated[
    str,
    Meta(
        pattern=r"^nullbench-canary:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" + _END,
        description="A string found nowhere else, so that training on this file can be detected later: "
        "'nullbench-canary:' and a new UUID. One a file.",
    ),
]
ItemsFile = Annotated[
    str,
    Meta(
        pattern=rf"^[a-z0-9][a-z0-9._-]*\.jsonl{_END}",
        description="A .jsonl file beside this one with an item a line, after the items given here.",
    ),
]
Released = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?" + _END,
        description="A year, month or day, such as '2026-11', in quotes.",
    ),
]
WebAddress = Annotated[
    str,
    Meta(
        pattern=rf"^https?://[^\s\"'<>]+{_END}",
        max_length=500,
        description="It begins with https:// or http:// and has no spaces.",
    ),
]
Count = Annotated[int, Meta(ge=1, le=100_000)]
Likert = Annotated[int, Meta(ge=1, le=5)]
PositiveNumber = Annotated[float, Meta(gt=0, le=1e9)]
Price = Annotated[float, Meta(ge=0, le=1e6)]
Variable = Annotated[
    str,
    Meta(
        pattern=rf"^[A-Za-z_][A-Za-z0-9_]*{_END}",
        max_length=100,
        description="The name of an environment variable.",
        extra_json_schema={"writeOnly": True},
    ),
]
HeaderName = Annotated[
    str, Meta(pattern=rf"^[A-Za-z0-9_-]+{_END}", max_length=100, description="The name of an HTTP header.")
]
HeaderValue = Annotated[
    str,
    Meta(
        pattern=rf"^[!-~]([ -~]*[!-~])?{_END}",
        max_length=500,
        description="ASCII on one line, without spaces at its ends: all an HTTP header can hold.",
        extra_json_schema={"writeOnly": True},
    ),
]
Day = Annotated[
    str,
    Meta(pattern=rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_END}", description="A day, such as '2026-11-12', in quotes."),
]
EndpointId = Annotated[
    Id, Meta(description="An endpoint of endpoints.yaml; without one, openai: OPENAI_BASE_URL and OPENAI_API_KEY.")
]
Contestants = Annotated[
    Annotated[tuple[Id, ...], Meta(min_length=1)] | Literal["all"],
    Meta(description="Model ids, or the word all for every file in models/."),
]
Samples = Annotated[int, Meta(ge=1, le=100)]
Parameter = bool | int | float | Annotated[str, Meta(max_length=500)]

Construct = Literal["capability", "alignment", "deployment"]
Difficulty = Literal["easy", "medium", "hard"]
FactKind = Literal["scope", "positive", "null", "negative", "caveat", "context"]
Dimension = Literal["scope", "causality", "hedging", "salience", "framing"]
DIMENSIONS: tuple[Dimension, ...] = ("scope", "causality", "hedging", "salience", "framing")
Aspect = Literal[
    "facts",
    "numbers",
    "names",
    "scope",
    "causality",
    "hedging",
    "salience",
    "framing",
    "task",
    "readability",
    "concision",
]


class Spec(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of every mapping in a spec file."""


class BenchmarkFile(Spec, frozen=True, kw_only=True):
    """specs/benchmark.yaml: what the whole benchmark is."""

    canary: Canary
    id: Id
    title: Line
    version: Version
    description: Prose
    license: Line
    homepage: WebAddress | None = None


class Axis(Spec, frozen=True, kw_only=True):
    """A 1-5 scale. `aspects` says what of an answer it looks at; the rule-based judges read it."""

    id: Id
    title: Line
    short: Line
    measures: Line
    aspects: Annotated[tuple[Aspect, ...], Meta(min_length=1)]
    anchors: Annotated[
        tuple[Line, ...], Meta(min_length=5, max_length=5, description="What 1, 2, 3, 4 and 5 mean, in that order.")
    ]


class AxesFile(Spec, frozen=True, kw_only=True):
    """specs/axes.yaml: the baseline axes every category has, in order, and the special ones it may add."""

    canary: Canary
    baseline: Annotated[tuple[Axis, ...], Meta(min_length=4, max_length=4)]
    special: tuple[Axis, ...] = ()


class Rule(Spec, frozen=True, kw_only=True):
    """A qualitative expectation of a goal, under one of the five fidelity dimensions."""

    dimension: Dimension
    rule: Line
    weight: Annotated[int, Meta(ge=1, le=3)] = 1


class Goal(Spec, frozen=True, kw_only=True):
    """What a good answer is in a category: a target per axis and rules over the fidelity dimensions."""

    id: Id
    title: Line
    alignment_target: dict[Id, Likert]
    rules: Annotated[tuple[Rule, ...], Meta(min_length=1)]


class GoalsFile(Spec, frozen=True, kw_only=True):
    """specs/goals/*.yaml."""

    canary: Canary
    goals: Annotated[tuple[Goal, ...], Meta(min_length=1)]


class Constraints(Spec, frozen=True, kw_only=True):
    """What the task asks of the form of an answer, in a form a program can check."""

    min_sentences: Count | None = None
    max_sentences: Count | None = None
    min_words: Count | None = None
    max_words: Count | None = None
    format: Literal["prose", "bullets"] | None = None
    bullets: Count | None = None
    forbid: tuple[Line, ...] = ()


class Fact(Spec, frozen=True, kw_only=True):
    """A reference fact of the source; each key (`a|b`: either) is a string that an answer telling it would contain."""

    kind: FactKind
    text: Line
    keys: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=5)]


class Item(Spec, frozen=True, kw_only=True):
    """An evaluation unit: a source text, a task about it, and what is known to be in the source."""

    id: Id
    difficulty: Difficulty
    tags: tuple[Id, ...] = ()
    probes: Annotated[
        tuple[Id, ...], Meta(min_length=1, description="The axes of the category that this item is a hard test of.")
    ]
    source: Prose
    task: Prose
    constraints: Constraints = Constraints()
    facts: Annotated[tuple[Fact, ...], Meta(min_length=1)]
    goal: Annotated[Id, Meta(description="Instead of the category's goal.")] | None = None


class Category(Spec, frozen=True, kw_only=True):
    """A group of items that share axes and, by default, a goal."""

    id: Id
    title: Line
    description: Line
    goal: Id
    axes: Annotated[
        tuple[Id, ...],
        Meta(
            min_length=4,
            max_length=6,
            description="The four baseline axes in their order, and at most two special ones.",
        ),
    ]
    items: tuple[Item, ...] = ()
    items_file: ItemsFile | None = None


class DomainFile(Spec, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml."""

    canary: Canary
    id: Id
    title: Line
    description: Line
    construct: Annotated[Construct, Meta(description="Where it is not that of the board.")] | None = None
    categories: Annotated[tuple[Category, ...], Meta(min_length=1)]


class Decoding(Spec, frozen=True, kw_only=True):
    """How a model decodes. Temperature 0 keeps a run reproducible."""

    temperature: Annotated[
        Annotated[float, Meta(ge=0, le=2)] | None,
        Meta(description="null: do not send it, for models that refuse one."),
    ] = 0.0
    max_tokens: Annotated[Count, Meta(description="The most output tokens, thinking included.")] | None = None


class Prices(Spec, frozen=True, kw_only=True):
    """US dollars per million tokens, on one day, from one place anybody can look up."""

    input: Price
    output: Price
    cached_input: Annotated[Price, Meta(description="Where it is left out, as for other input.")] | None = None
    date: Day
    source: Line


class Limits(Spec, frozen=True, kw_only=True):
    """How hard an endpoint may be worked. Its own rate-limit headers hold as well."""

    concurrency: Annotated[int, Meta(ge=1, le=4096, description="The most requests in flight.")] = 16
    requests_per_minute: Count | None = None
    tokens_per_minute: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    attempts: Annotated[int, Meta(ge=1, le=20, description="How often a call is tried before it counts as failed.")] = 8
    first_wait: Annotated[
        float,
        Meta(gt=0, le=60, description="Seconds before the second attempt; twice as long before each further one."),
    ] = 0.5


class Timeouts(Spec, frozen=True, kw_only=True):
    """Seconds an endpoint may take."""

    connect: Annotated[float, Meta(gt=0, le=600)] = 10.0
    total: Annotated[float, Meta(gt=0, le=7200, description="From the request to the last byte of its answer.")] = 600.0


class Endpoint(Spec, frozen=True, kw_only=True):
    """A server that speaks /v1/chat/completions. Keys stand in environment variables, never here."""

    id: Id
    base_url: Annotated[WebAddress, Meta(description="With the /v1 at its end, where the server has one.")] | None = (
        None
    )
    base_url_env: (
        Annotated[Variable, Meta(description="The variable that holds the base URL. OPENAI_BASE_URL may be unset.")]
        | None
    ) = None
    key_env: Annotated[Variable, Meta(description="The variable that holds the key; leave it out for none.")] | None = (
        None
    )
    key_header: (
        Annotated[HeaderName, Meta(description="Where the key goes, instead of 'Authorization: Bearer'; api-key, say.")]
        | None
    ) = None
    headers: Annotated[
        dict[HeaderName, HeaderValue], Meta(description="Sent with each request: an organisation, say. No secrets.")
    ] = field(default_factory=dict)
    query: Annotated[
        dict[Line, Line], Meta(description="Goes into the query of each request: an api-version, say. No secrets.")
    ] = field(default_factory=dict)
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()


class EndpointsFile(Spec, frozen=True, kw_only=True):
    """specs/endpoints.yaml: where models and judges of the backend `openai` are reached. Changes no score."""

    canary: Canary
    endpoints: Annotated[tuple[Endpoint, ...], Meta(min_length=1)]


class Judge(Spec, frozen=True, kw_only=True):
    """A model or a rule set that scores answers."""

    id: Id
    title: Line
    description: Line
    backend: Id
    model: Line
    family: Id
    params: dict[Id, Parameter] = field(default_factory=dict)
    endpoint: EndpointId | None = None
    decoding: Decoding = Decoding()
    prices: Prices | None = None


class Gates(Spec, frozen=True, kw_only=True):
    """How many judges of a panel are asked about refusal, and how many must agree; defaults: two thirds, rounded up."""

    sample: Count | None = None
    votes: Count | None = None


class Panel(Spec, frozen=True, kw_only=True):
    """A list of judges that score together."""

    id: Id
    title: Line
    judges: Annotated[tuple[Id, ...], Meta(min_length=1)]
    refusal_gates: Gates = Gates()
    same_family: Annotated[bool, Meta(description="Whether a judge may score contestants of its own family.")] = False


class JudgesFile(Spec, frozen=True, kw_only=True):
    """specs/judges.yaml."""

    canary: Canary
    judges: Annotated[tuple[Judge, ...], Meta(min_length=1)]
    panels: Annotated[tuple[Panel, ...], Meta(min_length=1)]


class ModelFile(Spec, frozen=True, kw_only=True):
    """specs/models/<id>.yaml: one contestant. Null models and baselines are contestants too."""

    canary: Canary
    id: Id
    title: Line
    description: Line
    kind: Literal["model", "baseline", "null"]
    backend: Id
    model: Line
    family: Id
    params: dict[Id, Parameter] = field(default_factory=dict)
    endpoint: EndpointId | None = None
    decoding: Annotated[Decoding, Meta(description="Instead of the board's.")] | None = None
    prices: Prices | None = None
    vendor: Line | None = None
    license: Line | None = None
    open_weights: bool | None = None
    parameters_b: Annotated[PositiveNumber, Meta(description="Parameters, in thousand millions.")] | None = None
    memory_gb: Annotated[PositiveNumber, Meta(description="Memory it runs in, for quality per resource.")] | None = None
    disk_gb: Annotated[PositiveNumber, Meta(description="Size of its files on disk.")] | None = None
    released: Released | None = None
    homepage: WebAddress | None = None


class Aggregation(Spec, frozen=True, kw_only=True):
    """From items to one number: the unweighted mean over groups of the mean goal alignment in the group."""

    groups: Literal["domain", "category"] = "domain"
    construct_weights: Annotated[
        dict[Construct, PositiveNumber],
        Meta(
            description="Needed, and sums to 1, where a board's domains are of more than one construct.",
            extra_json_schema={"propertyNames": {"enum": list(get_args(Construct))}},
        ),
    ] = field(default_factory=dict)


class Bootstrap(Spec, frozen=True, kw_only=True):
    """How rank intervals and tie groups are drawn."""

    resamples: Annotated[int, Meta(ge=100, le=100_000)] = 2000
    seed: Annotated[int, Meta(ge=0)] = 0


class Profile(Spec, frozen=True, kw_only=True):
    """What `--profile` puts in the place of the board's own."""

    panel: Id | None = None
    contestants: Contestants | None = None
    samples: Samples | None = None
    decoding: Decoding | None = None


class BoardFile(Spec, frozen=True, kw_only=True):
    """specs/boards/<id>.yaml: one leaderboard."""

    canary: Canary
    id: Id
    title: Line
    question: Line
    description: Prose
    construct: Construct
    protocol: Literal["axes"]
    panel: Id
    template: Id
    domains: Annotated[tuple[Id, ...], Meta(min_length=1)]
    contestants: Contestants = "all"
    samples: Samples = 1
    decoding: Decoding = Decoding()
    aggregation: Aggregation = Aggregation()
    bootstrap: Bootstrap = Bootstrap()
    profiles: Annotated[dict[Id, Profile], Meta(description="By the name that --profile takes.")] = field(
        default_factory=dict
    )
