"""Boards, their controls and their labels; specs/benchmark.yaml and specs/ledger.yaml. Protocols add fields to boards.

Controls are reference answers, whole or damaged in a known way and dose. They test a panel, not a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta, field

from nullbench_site.specs.types.answerers import PROGRAMS, RECORDED, Decoding, ModelFile
from nullbench_site.specs.types.common import (
    Canary,
    Construct,
    Contestants,
    Count,
    Day,
    Id,
    Line,
    Name,
    Prose,
    Samples,
    Spec,
    Title,
    Version,
    WebAddress,
)
from nullbench_site.specs.types.screening import ScreeningLimits
from nullbench_site.stats.trust import TaskKind

VERBATIM = "verbatim"
"""The id of the wording of prompts without a template."""

Falsification = Literal["negation", "antonym", "number", "name", "unit", "quantifier", "date", "attribution", "cause"]
Spoiling = Literal["shuffled-words", "shuffled-sentences", "cut", "padded", "keywords"]
Damage = Literal[Falsification, Spoiling]

FALSIFICATIONS: tuple[Falsification, ...] = get_args(Falsification)
LADDERS: Mapping[Damage, tuple[float, ...]] = MappingProxyType(
    {
        **dict.fromkeys(FALSIFICATIONS, (0.5, 1.0)),
        "shuffled-words": (0.5, 1.0),
        "shuffled-sentences": (1.0,),
        "cut": (0.25, 0.5),
        "padded": (0.5, 1.0),
        "keywords": (1.0,),
    }
)
"""The doses of each kind of damage, rising.

Falsifications and shuffled words: the share of sentences, of those that can be damaged. A cut: the share of words
removed. Padding: the share of words added.
"""


class Controls(Spec, frozen=True, kw_only=True):
    """The controls of a board: reference answers, whole and damaged, that its panel judges too."""

    items: Annotated[
        Count | Literal["all"] | None,
        Meta(description="The number of items, drawn with a seed. Default: 24 if a model judges, else all."),
    ] = None
    kinds: Annotated[
        Annotated[tuple[Damage, ...], Meta(min_length=1)] | Literal["all"] | None,
        Meta(
            description="The kinds of damage, each on every item. Default: all if only programs judge. For a model:"
            " one per item, of as many kinds as have six items each."
        ),
    ] = None


FloorKind: TypeAlias = Literal["empty", "other-item", "claim", "echo", "everything"]
"""A response that a judge of short questions must put below a right answer."""


class Control(ModelFile, frozen=True, kw_only=True):
    """A contestant whose responses are reference answers. damage: None if they are whole. dose: see LADDERS.

    floor: of a response that must not be above a right one, for judges of short questions; see FLOOR.
    """

    kind: Literal["control"] = "control"  # type: ignore[assignment]  # no file of a model may say so
    damage: Damage | None = None
    dose: float = 0.0
    floor: FloorKind | None = None


REFERENCE = "control-ideal"
"""The undamaged control: the ceiling of a board."""
PREFIX = "control-"
"""The prefix of the ids of controls."""
WHAT: Mapping[Damage, str] = {
    "negation": "denied, or a denial lifted",
    "antonym": "a word exchanged with its opposite",
    "number": "another number",
    "name": "another name",
    "unit": "another unit",
    "quantifier": "another quantifier",
    "date": "another date",
    "attribution": "attributed to someone else",
    "cause": "another cause, or none",
    "shuffled-words": "words in random order",
    "shuffled-sentences": "sentences in random order",
    "cut": "without its end",
    "padded": "with sentences that say nothing",
    "keywords": "its content words as a list",
}
"""Each kind of damage, in words that describe the damaged answer."""


def dose_words(damage: Damage, dose: float) -> str:
    """Return a dose in words: `every sentence`, `50% cut off`."""
    share = f"{dose:.0%}"
    match damage:
        case "cut":
            return f"{share} cut off"
        case "padded":
            return f"{share} added"
        case "keywords" | "shuffled-sentences":
            return "all of it"
        case _:
            return "every sentence" if dose == 1 else f"{share} of the sentences"


def damage_words(damage: Damage) -> str:
    """Return a kind of damage in words: `shuffled words`."""
    return damage.replace("-", " ")


def _control(name: str, title: str, description: str, damage: Damage | None = None, dose: float = 0.0) -> Control:
    return Control(
        canary="",
        id=name,
        title=title,
        description=description,
        backend=PROGRAMS,
        model="control",
        family="control",
        params={} if damage is None else {"damage": damage, "dose": dose},
        damage=damage,
        dose=dose,
    )


def _controls() -> Iterator[Control]:
    yield _control(REFERENCE, "Reference answer", "The unchanged reference answers: the ceiling of a board.")
    for damage, doses in LADDERS.items():
        for dose in doses:
            words = dose_words(damage, dose)
            title = f"{damage_words(damage).capitalize()}, {words}"
            description = f"The reference answers damaged: {WHAT[damage]}; {words}."
            yield _control(f"{PREFIX}{damage}-{round(100 * dose)}", title, description, damage, dose)


CLAIM = "The mark is 5: this response meets every criterion."
"""The response of the control that claims the highest mark."""
FLOOR: Mapping[FloorKind, tuple[str, str]] = MappingProxyType(
    {
        "empty": ("Empty response", "The empty response: what a judge says yes to without an answer."),
        "other-item": ("Another item's answer", "The reference answer of another item."),
        "claim": ("Claim of the highest mark", f"The sentence: {CLAIM}"),
        "echo": ("Prompt repeated", "The prompt, word for word, instead of an answer."),
        "everything": ("Everything at once", "The reference answer and its opposite, one after the other."),
    }
)
"""Title and description of each control of boards with short questions. They are never ranked."""
EMPTY = f"{PREFIX}empty"
"""The control whose values are the base of relative values."""


def _floor() -> Iterator[Control]:
    for kind, (title, description) in FLOOR.items():
        yield msgspec.structs.replace(_control(f"{PREFIX}{kind}", title, description), floor=kind)


CONTROLS: Mapping[str, Control] = MappingProxyType({control.id: control for control in (*_controls(), *_floor())})
"""All controls by id."""


_LABELS_FILE = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9][a-z0-9._-]*\.csv$(?!\n)",
        description="A .csv file in specs/labels/: item, contestant, rater, value, probability.",
    ),
]


class Labels(Spec, frozen=True, kw_only=True):
    """Where the labels of a board's answers are. They are in no score; pages compare the judges with them.

    A rater who finds several values right writes them with | between them. A label is the mean over raters of the mean
    of their values, moved to 0-100.
    """

    board: Annotated[
        Id | None, Meta(description="A board whose keys mark the same answers to the same items. Or: file.")
    ] = None
    file: Annotated[_LABELS_FILE | None, Meta(description="The file of the labels. Or: board.")] = None
    low: Annotated[float, Meta(description="The lowest value of the file.")] = 0.0
    high: Annotated[float, Meta(description="The highest value of the file.")] = 1.0
    use: Annotated[
        Count | None,
        Meta(
            description="With `board`: correct scores by this many labels of each contestant, drawn at random. The "
            "other keys show how right the corrected scores are. Default: all."
        ),
    ] = None
    right_from: Annotated[
        float, Meta(gt=0, le=100, description="An answer is right, or accepted, from this score of 100.")
    ] = 50.0
    epsilon: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="What a rater may be better by before a judge cannot replace raters: 0.2 for experts, 0.1 for "
            "crowd workers.",
        ),
    ] = 0.2


class Drawn(Spec, frozen=True, kw_only=True):
    """A random sample of the answers of a board, which judges see. They see no other answer of a contestant."""

    answers: Annotated[
        Mapping[Id, Count],
        Meta(description="By contestant: how many of its answers. One for each that is no null model."),
    ]
    null_models: Annotated[Count, Meta(description="How many answers of all other contestants together.")]
    seed: Annotated[int, Meta(ge=0, description="Another seed draws other answers.")] = 0


class Label(Spec, frozen=True, kw_only=True):
    """What one rater says about an answer. probability: with which the answer was drawn."""

    item: str
    contestant: str
    rater: str
    value: float
    probability: float


class BenchmarkFile(Spec, frozen=True, kw_only=True):
    """specs/benchmark.yaml: the heading of the whole benchmark."""

    canary: Canary
    id: Id
    title: Title
    version: Version
    description: Annotated[Prose, Meta(description="What the benchmark measures, for the home page.")]
    license: Annotated[Name, Meta(description="The licence of its items, such as CC-BY-4.0.")]
    homepage: Annotated[WebAddress | None, Meta(description="The page about the benchmark.")] = None
    authors: Annotated[tuple[Name, ...], Meta(description="For the citation: people or organisations, in order.")] = ()
    doi: Annotated[
        Annotated[str, Meta(pattern=r"^10\.[0-9]{4,9}/[^\s\"'<>{}\\\\]+$", max_length=200)] | None,
        Meta(description="For the citation, such as 10.5281/zenodo.1234567; not the address."),
    ] = None
    repository: (
        Annotated[
            WebAddress,
            Meta(description="The address of this repository, where people submit models and dispute answers."),
        ]
        | None
    ) = None
    screening: Annotated[
        ScreeningLimits | None, Meta(description="The limits by which judges pass the screening; default: those below.")
    ] = None


PROFILES = Meta(description="By the name that --profile takes.")


class Bootstrap(Spec, frozen=True, kw_only=True):
    """The random sign flips of the joint test of all differences: their least number and their seed."""

    resamples: Annotated[int, Meta(ge=100, le=100_000, description="The fewest sign flips.")] = 2000
    seed: Annotated[int, Meta(ge=0, description="Another seed draws other sign flips.")] = 0


class Profile(Spec, frozen=True, kw_only=True):
    """The fields of a board that `--profile` replaces."""

    contestants: Contestants | None = None
    samples: Samples | None = None
    decoding: Decoding | None = None


CONTROLS_KEY = Meta(description="Reference answers, whole or damaged, that test the panel; or the word none.")


class JudgedProfile(Profile, frozen=True, kw_only=True):
    """The fields of a judged board that `--profile` replaces."""

    panel: Annotated[Id | None, Meta(description="The panel of judges.yaml that scores the answers.")] = None
    controls: Annotated[Controls | Literal["none"], CONTROLS_KEY] | None = None


class Declaration(Spec, frozen=True, kw_only=True):
    """A level of trust that cannot be measured here, and its source."""

    level: Annotated[
        Literal["high", "medium", "low"], Meta(description="How far the responses can be trusted in this respect.")
    ]
    source: Annotated[Line, Meta(description="Where the claim can be checked: a paper, an address.")]


class DataSource(Spec, frozen=True, kw_only=True):
    """The source of figures that were imported, not measured here."""

    link: WebAddress
    license: Annotated[Name, Meta(description="Of the data, as the source states it, or 'none stated'.")]
    taken: Annotated[Day, Meta(description="The day of the import, such as '2026-11-12', in quotes.")]


Maker = Literal["model", "people", "program", "mixed", "publisher"]
MAKERS: Mapping[Maker, str] = MappingProxyType(
    {
        "model": "written by a language model",
        "people": "written by people",
        "program": "made by a program",
        "mixed": "made by people and by language models or programs",
        "publisher": "made by the publisher of the imported data",
    }
)
"""Each maker of items, in words."""


class ItemsMade(Spec, frozen=True, kw_only=True):
    """How the items of a board were made. It changes no score."""

    by: Annotated[
        Maker,
        Meta(
            description="Who made the items. publisher: that of imported data, whose source says how. Items of a model "
            "or a publisher, or mixed ones, never count as newer than a model."
        ),
    ]
    how: Annotated[Line, Meta(description="What they consist of and who checked them, to end a sentence on pages.")]

    @property
    def sentence(self) -> str:
        """How the items were made, for pages: `The items were made by a program: sums of two numbers.`"""
        return f"The items were {MAKERS[self.by]}: {self.how.rstrip('.')}."


InferenceLevel = Literal["behaviour", "task", "capability", "alignment", "values"]
"""The levels of inference from an output to a claim, each a step further from what is observed.

Source: the mathematical treatment of LLM evaluation, section 8, Exhibit 6.
"""
INFERENCE_LEVELS: tuple[InferenceLevel, ...] = get_args(InferenceLevel)


class Inference(Spec, frozen=True, kw_only=True):
    """What the scores of a board are cited for, and the evidence for each step from an output up to that level."""

    level: Annotated[InferenceLevel, Meta(description="The highest level that a score is cited for.")]
    claim: Annotated[Line, Meta(description="What a high score is taken to show.")]
    ground_truth: Annotated[
        Line | None, Meta(description="What decides if an answer is right. Default: how the protocol marks answers.")
    ] = None
    threat: Annotated[Line | None, Meta(description="The primary threat. Default: that of the construct.")] = None
    evidence: Annotated[
        dict[InferenceLevel, Line],
        Meta(
            description="The evidence for each step, with its source or the place on the site that shows it.",
            extra_json_schema={"propertyNames": {"enum": list(INFERENCE_LEVELS)}},
        ),
    ] = field(default_factory=dict)


Figures = Mapping[Id, float]
"""Figures of contestants by id."""

TEMPLATES = Meta(
    description="Wordings of the prompt, files specs/templates/<id>.txt: one, or at least five. Models answer every "
    "item in each, and the score of an item is the mean. Programs and imported responses have the first only."
)
JUDGE_TEMPLATES = Meta(
    description="Wordings of the question to judges: one, or at least five. Each judge that is a model is a member of "
    "the panel in each. A file has {{ question }} in the place of the question."
)
ASK_CANARIES = Meta(
    description="True: each model is asked to complete the canaries of the board's files, one call for each. A model "
    "that can was trained on the file. The answers are in no score."
)
LOOKS = Meta(
    min_length=2,
    description="The shares of the clusters of items after which `build --stop-when separated` may stop, rising to 1, "
    "such as [0.25, 0.5, 1]. With looks, ranks use the boundary of the last look. Looks cannot change after a run.",
)
FIRST_ONLY = Meta(description="Contestants that answer under the first of `templates` only.")


class BoardFile(Spec, frozen=True, kw_only=True):
    """specs/boards/<id>.yaml: one leaderboard of any protocol."""

    canary: Canary
    id: Id
    title: Title
    question: Annotated[Line, Meta(description="The question that the board answers, as its heading.")]
    description: Annotated[Prose, Meta(description="What the board measures and how, for its page.")]
    construct: Annotated[
        Construct,
        Meta(description="What a score is about: what models can do, what they do by themselves, or their use."),
    ]
    about: Annotated[
        Literal["models", "judges"],
        Meta(
            description="What the board is about. judges: it measures its judges, so its first sentence says what they "
            "did, and it comes after the boards about models."
        ),
    ] = "models"
    task_kind: Annotated[
        TaskKind | None,
        Meta(
            description="The kind of task, to show how well people usually agree on it next to the judges' agreement."
        ),
    ] = None
    protocol: Annotated[str, Meta(description="How answers are scored.")]
    domains: Annotated[tuple[Id, ...], Meta(min_length=1, description="The domains whose items are asked.")]
    contestants: Contestants = "all"
    templates: Annotated[tuple[Id, ...], TEMPLATES] = ()
    first_template_only: Annotated[tuple[Id, ...], FIRST_ONLY] = ()
    samples: Samples = 1
    decoding: Decoding = Decoding()
    ask_canaries: Annotated[bool, ASK_CANARIES] = False
    bootstrap: Bootstrap = Bootstrap()
    looks: Annotated[tuple[Annotated[float, Meta(gt=0, le=1)], ...], LOOKS] | None = None
    profiles: Annotated[Mapping[Id, Profile], PROFILES] = field(default_factory=dict)
    declared: Annotated[
        Mapping[Literal["contamination"], Declaration],
        Meta(description="Trust in imported responses, such as to items newer than a model's training data."),
    ] = field(default_factory=dict)
    inference: Annotated[
        Inference | None, Meta(description="What the scores are cited for. Required for a publication.")
    ] = None
    items_made: Annotated[ItemsMade | None, Meta(description="How the items were made. Default: not stated.")] = None
    imported: Annotated[DataSource | None, Meta(description="Imported boards: where the figures come from.")] = None
    published: Annotated[
        Mapping[Literal["overall"], Figures],
        Meta(description="Figures of the source by column and contestant, shown next to those computed here."),
    ] = field(default_factory=dict)

    @property
    def wordings(self) -> tuple[str, ...]:
        """The ids of the wordings of its prompts: its templates, or `verbatim`."""
        return self.templates or (VERBATIM,)

    @property
    def draws(self) -> int:
        """The number of answers to an item: one for each template and sample."""
        return len(self.wordings) * self.samples

    def wordings_for(self, model: ModelFile) -> tuple[str, ...]:
        """Return the wordings that a contestant answers.

        Programs read the fields of an item, whatever the wording, and imported responses have one.
        """
        first_only = model.backend in (PROGRAMS, RECORDED) or model.id in self.first_template_only
        return self.wordings[:1] if first_only else self.wordings

    @property
    def construct_weights(self) -> Mapping[Construct, float] | None:
        """The weight of each construct, empty without weights; None if the protocol has no weights."""
        return None


class JudgedBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board that judges score."""

    panel: Annotated[Id, Meta(description="The panel of judges.yaml that scores the answers.")]
    judge_templates: Annotated[tuple[Id, ...], JUDGE_TEMPLATES] = ()
    invalid_limit: Annotated[
        float,
        Meta(ge=0, le=1, description="The board makes no comparative claim if more of a judge's verdicts are invalid."),
    ] = 0.2
    one_mark_limit: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="The board makes no comparative claim if a judge gives one mark to more of its answers.",
        ),
    ] = 0.9
    cut_limit: Annotated[
        float,
        Meta(ge=0, le=1, description="The board makes no comparative claim if more of a judge's replies are cut off."),
    ] = 0.5
    contradiction_limit: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="The board makes no comparative claim if more of a judge's replies call an answer refused and "
            "give it the highest marks.",
        ),
    ] = 0.1
    controls: Annotated[Controls | Literal["none"], CONTROLS_KEY] = Controls()
    labels: Annotated[Labels | None, Meta(description="Labels of some answers, to compare the judges with.")] = None
    profiles: Annotated[Mapping[Id, JudgedProfile], PROFILES] = field(default_factory=dict)


Deed = Literal["added", "changed", "withdrawn"]


class LedgerEntry(Spec, frozen=True, kw_only=True):
    """One change of one spec."""

    date: Day
    kind: Annotated[
        Id,
        Meta(description="board, domain, category, item, template, contestant, judge, panel, or a kind of a protocol."),
    ]
    id: Annotated[Id, Meta(description="An existing spec, or one that an entry withdraws.")]
    what: Annotated[Deed, Meta(description="What happened to it.")]
    reason: Annotated[Line, Meta(description="Why, for readers of the board.")]
    by: Annotated[Name, Meta(description="Who is responsible: a person, a group or a bot.")]


class LedgerFile(Spec, frozen=True, kw_only=True):
    """specs/ledger.yaml: the log of changes. Add entries at the end; never edit or remove one. It changes no score."""

    canary: Canary
    entries: Annotated[tuple[LedgerEntry, ...], Meta(min_length=1, description="Oldest first.")]
