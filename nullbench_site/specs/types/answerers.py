"""Who answers: models and judges, how they decode, where they are reached, what they cost."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, field

from nullbench_site.specs.types.common import (
    Canary,
    Count,
    Day,
    EndpointId,
    HeaderName,
    HeaderValue,
    Id,
    Line,
    Name,
    Parameter,
    PositiveNumber,
    Price,
    Released,
    Spec,
    Title,
    Variable,
    WebAddress,
)

PROGRAMS = "offline"
"""The backend whose models and judges are programs."""
RECORDED = "recorded"
"""The backend of answers that were brought, which asks nobody."""


class Decoding(Spec, frozen=True, kw_only=True):
    """How a model decodes. Temperature 0 makes answers as repeatable as the model allows."""

    temperature: Annotated[
        Annotated[float, Meta(ge=0, le=2)] | None, Meta(description="null: do not send it, for models that refuse one.")
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
    base_url: (
        Annotated[
            WebAddress, Meta(description="From http:// or https:// to the /v1 at its end, where the server has one.")
        ]
        | None
    ) = None
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
        dict[Name, Name], Meta(description="Goes into the query of each request: an api-version, say. No secrets.")
    ] = field(default_factory=dict)
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()


class EndpointsFile(Spec, frozen=True, kw_only=True):
    """specs/endpoints.yaml: where models and judges of the backend `openai` are reached. Changes no score."""

    canary: Canary
    endpoints: Annotated[tuple[Endpoint, ...], Meta(min_length=1)]


class Bridge(Spec, frozen=True, kw_only=True):
    """That a judge marks answers which another has marked, before it takes its place on a panel.

    It is asked on every board whose panel has the other, and no score counts what it says.
    """

    judge: Annotated[Id, Meta(description="The one whose place it is to take.")]
    items: Annotated[Count | Literal["all"], Meta(description="How many items of each board, drawn by their ids.")] = 24


class Judge(Spec, frozen=True, kw_only=True):
    """A model or a rule set that scores answers."""

    id: Id
    title: Title
    description: Line
    backend: Id
    model: Name
    family: Id
    params: dict[Id, Parameter] = field(default_factory=dict)
    endpoint: EndpointId | None = None
    decoding: Decoding = Decoding()
    prices: Prices | None = None
    retires: Annotated[Day, Meta(description="From when on it answers no more, or is not to be asked.")] | None = None
    bridges: Bridge | None = None

    @property
    def is_program(self) -> bool:
        """Whether it is a program of ours or of an extension, and no model."""
        return self.backend == PROGRAMS


class Gates(Spec, frozen=True, kw_only=True):
    """How many judges of a panel are asked about refusal, and how many must agree.

    By default all are asked, and two thirds, rounded up, must agree. Where a judge may not score a contestant, as it is
    of its family, both shrink in proportion.
    """

    sample: Count | None = None
    votes: Count | None = None


class Panel(Spec, frozen=True, kw_only=True):
    """A list of judges that score together."""

    id: Id
    title: Title
    judges: Annotated[tuple[Id, ...], Meta(min_length=1)]
    refusal_gates: Gates = Gates()
    same_family: Annotated[bool, Meta(description="Whether a judge may score contestants of its own family.")] = False


class JudgesFile(Spec, frozen=True, kw_only=True):
    """specs/judges.yaml."""

    canary: Canary
    judges: Annotated[tuple[Judge, ...], Meta(min_length=1)]
    panels: Annotated[tuple[Panel, ...], Meta(min_length=1)]


Provenance: TypeAlias = Literal["self-reported", "reproduced", "signed"]
Origin: TypeAlias = Provenance | Literal["asked", "brought"]
"""Where answers come from: as a spec claims or, where it claims nothing, as the run knows."""
PROVENANCE = (
    "Where its answers come from, as this file claims: reported by whoever submits them, reproduced by the "
    "maintainers, or signed by somebody else. Nothing here verifies a signature. Leave it out where the run asked."
)


class Mark(Spec, frozen=True, kw_only=True):
    """What is said of a contestant, since which day, and why."""

    since: Day
    reason: Line


class ModelFile(Spec, frozen=True, kw_only=True):
    """specs/models/<id>.yaml: one contestant. Null models and baselines are contestants too."""

    canary: Canary
    id: Id
    title: Title
    description: Line
    kind: Literal["model", "baseline", "null"]
    aware: Annotated[bool, Meta(description="Of a null model: it knows the request, and does not do it.")] = False
    backend: Id
    model: Name
    family: Id
    params: dict[Id, Parameter] = field(default_factory=dict)
    endpoint: EndpointId | None = None
    decoding: Annotated[Decoding, Meta(description="Instead of the board's.")] | None = None
    prices: Prices | None = None
    provisional: (
        Annotated[Mark, Meta(description="Its place may not stay: a preview, an answer in dispute. It is ranked.")]
        | None
    ) = None
    retired: (
        Annotated[Mark, Meta(description="It can be had no more, or is kept as it was. It is not ranked.")] | None
    ) = None
    vendor: Name | None = None
    license: Name | None = None
    open_weights: bool | None = None
    parameters_b: (
        Annotated[PositiveNumber, Meta(description="The number of its parameters, in billions (10^9).")] | None
    ) = None
    memory_gb: Annotated[PositiveNumber, Meta(description="Memory it runs in, for quality per resource.")] | None = None
    disk_gb: Annotated[PositiveNumber, Meta(description="Size of its files on disk.")] | None = None
    released: Released | None = None
    homepage: WebAddress | None = None
    provenance: Annotated[Provenance | None, Meta(description=PROVENANCE)] = None

    @property
    def origin(self) -> Origin:
        """What its spec claims or, without a claim, whether runs ask it or its answers were brought."""
        return self.provenance or ("brought" if self.backend == RECORDED else "asked")

    @property
    def status(self) -> Literal["active", "provisional", "retired"]:
        """What its marks say."""
        return "retired" if self.retired is not None else "provisional" if self.provisional is not None else "active"

    @property
    def mark(self) -> Mark | None:
        """What is said of it; None of one that is active."""
        return self.retired or self.provisional
