"""Models and judges: decoding, endpoints, prices, panels."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, field
from msgspec.structs import replace

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
"""The backend of imported responses, which calls no model."""


UNRANKED = ("null", "seen")
"""The kinds of contestants without a rank."""


class Decoding(Spec, frozen=True, kw_only=True):
    """Decoding parameters of a model. Temperature 0 makes answers as repeatable as the model allows."""

    temperature: Annotated[
        Annotated[float, Meta(ge=0, le=2)] | None, Meta(description="null: do not send it, for models that refuse one.")
    ] = 0.0
    max_tokens: Annotated[Count, Meta(description="The most output tokens, thinking included.")] | None = None
    logprobs: Annotated[
        bool,
        Meta(description="Contestants only: request the log probabilities of the answer's tokens, for its confidence."),
    ] = False


class Prices(Spec, frozen=True, kw_only=True):
    """US dollars per million tokens, with a date and a public source."""

    input: Annotated[Price, Meta(description="The price of input.")]
    output: Annotated[Price, Meta(description="The price of output, thinking included.")]
    cached_input: Annotated[Price, Meta(description="Default: the price of other input.")] | None = None
    date: Day
    source: Annotated[Line, Meta(description="Where the prices are published.")]


class Limits(Spec, frozen=True, kw_only=True):
    """Limits of the load on an endpoint. Its rate-limit headers apply too."""

    concurrency: Annotated[int, Meta(ge=1, le=4096, description="The most requests in flight.")] = 16
    requests_per_minute: Annotated[Count | None, Meta(description="The most requests a minute.")] = None
    tokens_per_minute: Annotated[
        Annotated[int, Meta(ge=1, le=10**9)] | None,
        Meta(description="The most tokens a minute, of requests and responses."),
    ] = None
    attempts: Annotated[int, Meta(ge=1, le=20, description="How often a call is tried before it counts as failed.")] = 8
    first_wait: Annotated[
        float,
        Meta(gt=0, le=60, description="Seconds before the second attempt; twice as long before each further one."),
    ] = 0.5


class Timeouts(Spec, frozen=True, kw_only=True):
    """Timeouts of an endpoint in seconds."""

    connect: Annotated[float, Meta(gt=0, le=600, description="Until the connection is made.")] = 10.0
    total: Annotated[float, Meta(gt=0, le=7200, description="From the request to the last byte of its answer.")] = 600.0


class Endpoint(Spec, frozen=True, kw_only=True):
    """A server that speaks /v1/chat/completions, or the path of another backend. Keys are in environment variables."""

    id: Id
    base_url: (
        Annotated[
            WebAddress, Meta(description="From http:// or https:// up to and including /v1, if the server has it.")
        ]
        | None
    ) = None
    base_url_env: (
        Annotated[
            Variable, Meta(description="The environment variable with the base URL. OPENAI_BASE_URL may be unset.")
        ]
        | None
    ) = None
    key_env: (
        Annotated[Variable, Meta(description="The environment variable with the key; leave it out for none.")] | None
    ) = None
    key_header: (
        Annotated[
            HeaderName, Meta(description="The header of the key, such as api-key; default 'Authorization: Bearer'.")
        ]
        | None
    ) = None
    headers: Annotated[
        dict[HeaderName, HeaderValue], Meta(description="Sent with each request, such as an organisation; no secrets.")
    ] = field(default_factory=dict)
    query: Annotated[
        dict[Name, Name], Meta(description="Added to the query of each request, such as an api-version; no secrets.")
    ] = field(default_factory=dict)
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()
    batch: Annotated[
        bool,
        Meta(description="Submit the calls as batches (/v1/files and /v1/batches), and wait until these end."),
    ] = False

    def shared_by(self, n: int) -> Endpoint:
        """Return the endpoint with the limits of one of n builds that call it at the same time."""
        if n == 1:
            return self
        limits = self.limits

        def part(limit: int | None) -> int | None:
            return None if limit is None else max(1, limit // n)

        shared = replace(
            limits,
            concurrency=max(1, limits.concurrency // n),
            requests_per_minute=part(limits.requests_per_minute),
            tokens_per_minute=part(limits.tokens_per_minute),
        )
        return replace(self, limits=shared)


class EndpointsFile(Spec, frozen=True, kw_only=True):
    """specs/endpoints.yaml: the endpoints of models and judges at servers. They change no score."""

    canary: Canary
    endpoints: Annotated[tuple[Endpoint, ...], Meta(min_length=1)]


class Bridge(Spec, frozen=True, kw_only=True):
    """A judge that marks the same responses as its predecessor before it replaces it on a panel.

    It judges on every board whose panel includes the predecessor. Its verdicts change no score.
    """

    judge: Annotated[Id, Meta(description="The judge that it will replace.")]
    items: Annotated[Count | Literal["all"], Meta(description="The number of items of each board, drawn by id.")] = 24


ReplyForm: TypeAlias = Literal["letter", "yes-no", "mark", "reasons"]
"""The form of a judge's reply."""
REPLY = (
    "The form of its reply, of those that its prompt asks for. letter: one of two answers. yes-no: one word. mark: a "
    "mark alone. reasons: reasons with the verdict."
)
Method: TypeAlias = Literal["verdict", "questions"]
"""How a judge is asked about a response: for one verdict, or by short questions, one a call."""
QuestionValue: TypeAlias = Literal["raw", "relative", "yes-no"]
"""How the probability of "yes" becomes the value of a question."""


class Judge(Spec, frozen=True, kw_only=True):
    """A model or a rule set that scores answers."""

    id: Id
    title: Title
    description: Annotated[Line, Meta(description="How it judges, for the page of judges.")]
    backend: Annotated[Id, Meta(description="offline: a program. openai: an endpoint. Packages add others.")]
    model: Annotated[Name, Meta(description="The name that its endpoint or its program has.")]
    family: Annotated[Id, Meta(description="Judges do not score contestants of their own family.")]
    params: Annotated[dict[Id, Parameter], Meta(description="Parameters of the program or the request, by name.")] = (
        field(default_factory=dict)
    )
    endpoint: EndpointId | None = None
    decoding: Decoding = Decoding()
    top_logprobs: Annotated[
        int,
        Meta(
            ge=2,
            le=100_000,
            description=(
                "How many log probabilities to request if the verdict is one of two letters. OpenAI's limit is 20; "
                "a model that seldom writes a letter needs more."
            ),
        ),
    ] = 5
    prompt: Annotated[Id, Meta(description="Its judging prompt; full is the default.")] | None = None
    reply: Annotated[ReplyForm, Meta(description=REPLY)] | None = None
    method: Annotated[
        Method,
        Meta(
            description="verdict: one verdict on a response. questions: short questions about it, one a call, each "
            "answered with yes or no. A judge with recorded calls keeps its method; another method is another judge."
        ),
    ] = "verdict"
    value: Annotated[
        QuestionValue | None,
        Meta(
            description="With `method: questions`, the value of a question. raw: the probability of yes. relative, the "
            "default: how far it is above that of the empty response. yes-no: 1 from 0.5 on, else 0."
        ),
    ] = None
    prices: Prices | None = None
    retires: Annotated[Day, Meta(description="The date from which it is unavailable or no longer used.")] | None = None
    bridges: Bridge | None = None

    @property
    def is_program(self) -> bool:
        """Return True if it is a program, not a model."""
        return self.backend == PROGRAMS

    @property
    def asks_questions(self) -> bool:
        """Return True if it answers short questions instead of giving a verdict."""
        return self.method == "questions"

    @property
    def question_value(self) -> QuestionValue:
        """Return how its probability of "yes" becomes the value of a question."""
        return self.value or "relative"


class WordedJudge(Judge, frozen=True, kw_only=True):
    """A judge in one of the wordings of a board's question. base: the judge of the specs. No file has one."""

    base: Id
    template: Id


class Gates(Spec, frozen=True, kw_only=True):
    """How many judges of a panel are asked about refusal, and how many must agree.

    By default all are asked, and two thirds, rounded up, must agree. If judges of the contestant's family are excluded,
    both shrink in proportion.
    """

    sample: Annotated[Count | None, Meta(description="How many judges are asked.")] = None
    votes: Annotated[Count | None, Meta(description="How many of them must agree.")] = None


Defence: TypeAlias = Literal["both-orders", "median-wording", "lexicon", "repeats"]
"""What keeps an answer that does not answer from winning; see scoring/defences.py."""


class Panel(Spec, frozen=True, kw_only=True):
    """A list of judges that score together."""

    id: Id
    title: Title
    judges: Annotated[tuple[Id, ...], Meta(min_length=1, description="The judges of the panel, by id.")]
    refusal_gates: Gates = Gates()
    same_family: Annotated[bool, Meta(description="Whether a judge may score contestants of its own family.")] = False
    defences: Annotated[
        tuple[Defence, ...],
        Meta(
            extra_json_schema={"uniqueItems": True},
            description="What its boards do against answers that do not answer, all together. Their scores stay; a "
            "table has the defended ones. Each defence is measured alone in any case.",
        ),
    ] = ()


class WordedPanel(Panel, frozen=True, kw_only=True):
    """A panel whose judges are asked in several wordings. base: the panel of the specs. No file has one."""

    base: Id


class JudgesFile(Spec, frozen=True, kw_only=True):
    """specs/judges.yaml."""

    canary: Canary
    judges: Annotated[tuple[Judge, ...], Meta(min_length=1)]
    panels: Annotated[tuple[Panel, ...], Meta(min_length=1)]


Provenance: TypeAlias = Literal["self-reported", "reproduced", "signed"]
Origin: TypeAlias = Provenance | Literal["asked", "imported"]
"""The origin of responses: the claim of the spec or, without one, what the run did."""
PROVENANCE = (
    "The claimed origin of its responses: reported by the submitter, reproduced by the maintainers, or "
    "signed by a third party. Signatures are not verified. Leave it out if the run collects the responses."
)


UNANSWERED = Meta(
    description="Imported responses only: board -> the items that they do not answer. These have no score, and the "
    "contestant has no rank on the board. Written by `import answers --partial`."
)


class Mark(Spec, frozen=True, kw_only=True):
    """A mark of a contestant, with its date and reason."""

    since: Annotated[Day, Meta(description="The day from which the mark holds.")]
    reason: Annotated[Line, Meta(description="Why, for readers of the board.")]


KIND = Meta(
    description="null: it does not do the task, and its score is the floor. seen: a program that has seen some "
    "items, a control of the probes for contamination. Neither has a rank."
)


class ModelFile(Spec, frozen=True, kw_only=True):
    """specs/models/<id>.yaml: one contestant. Null models and baselines are contestants too."""

    canary: Canary
    id: Id
    title: Title
    description: Annotated[Line, Meta(description="What it is, for its page.")]
    kind: Annotated[Literal["model", "baseline", "null", "seen"], KIND]
    aware: Annotated[bool, Meta(description="Null models only: it knows the request but does not do it.")] = False
    backend: Annotated[
        Id,
        Meta(description="offline: a program. openai: an endpoint. recorded: imported responses. Packages add others."),
    ]
    model: Annotated[Name, Meta(description="The name that its endpoint or its program has.")]
    family: Annotated[
        Id, Meta(description="Models of one family are variants of each other; judges of it do not score them.")
    ]
    params: Annotated[dict[Id, Parameter], Meta(description="Parameters of the program or the request, by name.")] = (
        field(default_factory=dict)
    )
    endpoint: EndpointId | None = None
    decoding: Annotated[Decoding | None, Meta(description="Replaces the decoding of the board.")] = None
    prices: Prices | None = None
    provisional: Annotated[
        Mark | None, Meta(description="Its rank may change: a preview, or disputed responses. It is ranked.")
    ] = None
    retired: Annotated[
        Mark | None, Meta(description="It is no longer available, or kept for reference. It is not ranked.")
    ] = None
    vendor: Annotated[Name | None, Meta(description="Who makes it.")] = None
    license: Annotated[Name | None, Meta(description="The licence of its weights.")] = None
    open_weights: Annotated[bool | None, Meta(description="True: its weights can be downloaded.")] = None
    parameters_b: Annotated[PositiveNumber, Meta(description="Parameters in billions (10^9).")] | None = None
    memory_gb: Annotated[PositiveNumber, Meta(description="Memory it runs in, for quality per resource.")] | None = None
    disk_gb: Annotated[PositiveNumber, Meta(description="Size of its files on disk.")] | None = None
    released: Annotated[
        Released | None, Meta(description="When it was released: a year, month or day, such as 2026-11, in quotes.")
    ] = None
    base: Annotated[Name | None, Meta(description="The model that it is derived from.")] = None
    training_cutoff: Annotated[Released | None, Meta(description="The newest date of its training data.")] = None
    runtime: Annotated[Name | None, Meta(description="The program that runs it, with its version.")] = None
    timed: Annotated[
        bool, Meta(description="False: its answers were recorded on a busy machine, so their times are in no number.")
    ] = True
    homepage: Annotated[WebAddress | None, Meta(description="The page about it.")] = None
    provenance: Annotated[Provenance | None, Meta(description=PROVENANCE)] = None
    unanswered: Annotated[dict[Id, tuple[Id, ...]], UNANSWERED] = field(default_factory=dict)

    def lacks(self, board: str, item: str) -> bool:
        """Return True if its imported responses do not answer an item of a board, so no answer is due."""
        return item in self.unanswered.get(board, ())

    @property
    def origin(self) -> Origin:
        """Return the claim of its spec or, without one, whether runs call it or its responses were imported."""
        return self.provenance or ("imported" if self.backend == RECORDED else "asked")

    @property
    def is_language_model(self) -> bool:
        """Return True if it is a model that is called, or whose answers or scores were published."""
        return self.kind == "model" and self.backend != PROGRAMS

    @property
    def status(self) -> Literal["active", "provisional", "retired"]:
        """Return its status according to its marks."""
        return "retired" if self.retired is not None else "provisional" if self.provisional is not None else "active"

    @property
    def mark(self) -> Mark | None:
        """Return its mark; None if it is active."""
        return self.retired or self.provisional
