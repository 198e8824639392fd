"""The specs of the `pairwise` protocol: prompts, whose answers are compared, and the verdicts of judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, field

from nullbench_site.errors import Problem
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.judging_prompts import FULL
from nullbench_site.specs.protocol import PROMPT, REFERENCE, Column, ProtocolSpecs, Starter
from nullbench_site.specs.sources import BoardTables, SpecFile, SpecFiles, Steps
from nullbench_site.specs.types import (
    PROFILES,
    Category,
    DomainFile,
    Figures,
    Id,
    Item,
    JudgedBoardFile,
    JudgedProfile,
    Panel,
    PrivateText,
    PromptItem,
    PromptText,
    Prose,
    Spec,
)
from nullbench_site.text import did_you_mean, plural

Finite = Annotated[float, Meta(ge=-1e6, le=1e6)]
# Not Id alone: msgspec 0.22 frees a union of a text with a pattern and a list wrongly, and the process dies. That it is
# a contestant of the board is a rule.
Baseline = Annotated[
    str | Annotated[tuple[Id, ...], Meta(min_length=1, max_length=20)],
    Meta(description="One or more contestants of equal weight. Without one all pairs meet, or those of `schedule`."),
]
GamedRow = Annotated[
    tuple[Finite, Finite, Annotated[float, Meta(ge=0, le=1)]],
    Meta(description="Difference of lengths in standard deviations, difficulty, share of the game."),
]

PublishedFigures = Mapping[Literal["win_rate", "lc_win_rate"], Figures]


class PairwiseText(PromptText, frozen=True, kw_only=True):
    """A line of a private file of the `pairwise` protocol."""

    reference: Annotated[Prose | None, Meta(description="Shown to judges; controls are made from it.")] = None


class PairwiseItem(PromptItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt, and optionally an answer that is known to be good.

    A private item has a hash instead; prompt and answer are in a private file.
    """

    text_type: ClassVar[type[PrivateText]] = PairwiseText
    reference: Annotated[Prose, Meta(description="Shown to judges; controls are made from it.")] | None = None
    lc_difficulty: (
        Annotated[Finite, Meta(description="Its fixed difficulty in the length-controlled win rate.")] | None
    ) = None


class PairwiseCategory(Category, frozen=True, kw_only=True):
    """A group of prompts."""

    items: tuple[PairwiseItem, ...] = ()


class PairwiseDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `pairwise` protocol."""

    protocol: Literal["pairwise"]
    categories: Annotated[tuple[PairwiseCategory, ...], Meta(min_length=1)]


class LengthControl(Spec, frozen=True, kw_only=True):
    """How length is controlled for. gamed_rows: published games of baselines that were told to be short or long."""

    difficulty_by: Annotated[
        Literal["item", "row"],
        Meta(description="row: the k-th answer of a contestant takes the k-th difficulty, as the published code does."),
    ] = "item"
    gamed_rows: tuple[GamedRow, ...] = ()


class Schedule(Spec, frozen=True, kw_only=True):
    """The number of games on a board where judging every pair on every prompt would cost too much."""

    budget: Annotated[
        int,
        Meta(ge=1, description="The number of pairs of answers to judge, over all prompts and for each judge."),
    ]


Scheduled = Annotated[
    Schedule | None, Meta(description="On a board without a baseline: how many pairs meet, if not all do.")
]


class PairwiseProfile(JudgedProfile, frozen=True, kw_only=True):
    """The settings of a `pairwise` board that `--profile` replaces."""

    baseline: Baseline | None = None
    schedule: Scheduled = None


class PairwiseBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `pairwise` protocol. Its domains may be of any protocol whose items have prompts."""

    protocol: Literal["pairwise"]
    baseline: Baseline | None = None
    schedule: Scheduled = None
    judging: Annotated[
        Literal["preference", "verdicts"],
        Meta(
            description="preference: how likely the second answer is better. verdicts: one of five, from A>>B to B>>A."
        ),
    ] = "preference"
    orders: Annotated[
        Literal["both", "drawn"],
        Meta(description="both: judge each game in both orders. drawn: in one order, drawn for each item."),
    ] = "both"
    agree: (
        Annotated[
            Literal["both-orders"],
            Meta(
                description="A game is won or lost only if the verdicts in both orders say so; otherwise it is a tie."
            ),
        ]
        | None
    ) = None
    position_limit: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="The board makes no comparative claim if a judge chooses one position in more decided games.",
        ),
    ] = 0.75
    length_control: LengthControl = LengthControl()
    published: Annotated[
        PublishedFigures,
        Meta(description="Figures of the source by column and contestant, shown next to those computed here."),
    ] = field(default_factory=dict)  # type: ignore[assignment]  # other columns than those of every board
    profiles: Annotated[Mapping[Id, PairwiseProfile], PROFILES] = field(default_factory=dict)

    @property
    def baselines(self) -> tuple[str, ...]:
        """The contestants that all others are compared with; empty if contestants meet each other."""
        return _listed(self.baseline)

    @property
    def by_points(self) -> bool:
        """Whether verdicts have points, more points for decisive ones."""
        return self.judging == "verdicts" and self.agree is None


def _listed(baseline: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if baseline is None:
        return ()
    return (baseline,) if isinstance(baseline, str) else baseline


@dataclass(frozen=True)
class PairwisePlacedItem(PlacedItem):
    """A prompt with its text, which a private item has in a private file. reference: empty without one."""

    prompt: str
    reference: str

    @property
    def lc_difficulty(self) -> float | None:
        """The difficulty in the spec of the item, if it has one."""
        return getattr(self.item, "lc_difficulty", None)


class PairwiseSpecs(ProtocolSpecs):
    """The specs of the `pairwise` protocol."""

    board = PairwiseBoardFile
    domain = PairwiseDomainFile
    item = PairwiseItem
    starter = Starter(
        example="side-by-side",
        domains=("practical-reasoning",),
        board={
            "question": "Whose answer is the better of two?",
            "description": "How likely judges say that an answer is better than that of the baseline.",
            "construct": "capability",
            "panel": "rules-pairwise",
            "baseline": "essay",
        },
        columns=(
            PROMPT,
            Column("reference", "an answer that is known to be good", names=REFERENCE),
        ),
    )
    references: ClassVar[Mapping[tuple[str, str], str]] = {("board", "baseline"): "contestant"}

    def places(self, kind: type[Item]) -> bool:
        """Return True for every item with a prompt."""
        return "prompt" in kind.__struct_fields__

    def place(self, benchmark: Benchmark, item: Any, category: Any, domain: Any, text: Any) -> PairwisePlacedItem:
        return PairwisePlacedItem(
            item, category, domain, prompt=text.prompt or "", reference=_reference(text), salt=text.salt
        )

    def read_tables(
        self, board: SpecFile[PairwiseBoardFile], folder: str, files: Mapping[str, bytes]
    ) -> tuple[BoardTables | None, list[Problem]]:
        """Read the tables of a board, if it has any: most boards have none."""
        if not files:
            return None, []
        from nullbench_site.protocols.pairwise.tables import read_tables  # noqa: PLC0415 - other boards need no numpy

        return read_tables(board.spec, folder, files)

    def judge_replies(self, board: PairwiseBoardFile, prompt: str, replies: tuple[str, ...]) -> tuple[str, ...]:
        """Leave out the letter where verdicts are asked for. The board decides on the reply to the full prompt."""
        if prompt == FULL:
            return ("letter",) if board.judging == "preference" else ("reasons",)
        return replies if board.judging == "preference" else tuple(each for each in replies if each != "letter")

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        for source in files.boards:
            board = source.spec
            if not isinstance(board, PairwiseBoardFile):
                continue
            yield from _agreeing(source, board)
            yield from _games(files, source, [], board)
            for name, profile in board.profiles.items():
                yield from _games(files, source, ["profiles", name], profile)


def _reference(text: Any) -> str:
    """Return the reference answer of an item of any protocol, turn by turn if each has one; empty without one."""
    by_turn: Sequence[str] = getattr(text, "references", None) or ()
    if len(by_turn) > 1:
        return "\n\n".join(f"Turn {turn}:\n\n{answer}" for turn, answer in enumerate(by_turn, start=1))
    return getattr(text, "reference", None) or getattr(text, "ideal", None) or "".join(by_turn)


def _agreeing(source: SpecFile[Any], board: PairwiseBoardFile) -> Iterator[Problem]:
    """Check that `agree` is used with verdicts in both orders."""
    for name, needed in (("judging", "verdicts"), ("orders", "both")):
        if board.agree is not None and (given := getattr(board, name)) != needed:
            message = f"`agree: {board.agree}` needs `{name}: {needed}`, found `{name}: {given}`"
            yield source.document.problem(["agree"], f"{message}; change it, or remove `agree`")


def _games(
    files: SpecFiles, source: SpecFile[Any], steps: Steps, part: PairwiseBoardFile | PairwiseProfile
) -> Iterator[Problem]:
    """Check that the baselines are on the board, each once, and that some judge may judge each game.

    A profile uses the board's settings for what it leaves out.
    """
    board, models = source.spec, {model.spec.id: model.spec for model in files.contestants}
    contestants = part.contestants or board.contestants
    everybody = [model.spec.id for model in files.models] if contestants == "all" else contestants
    names = [name for name in everybody if name in models]
    baseline = part.baseline or board.baseline
    named, listed = _listed(baseline), not isinstance(baseline, str)
    for place, name in enumerate(named):
        at = [*(steps if part.baseline else []), "baseline", *([place] if listed else [])]
        if name not in names:
            message = f"baseline {name!r} is not a contestant of the board; {did_you_mean(name, names)}"
            yield source.document.problem(at, message)
        elif name in named[:place]:
            yield source.document.problem(at, f"baseline {name!r} is listed twice; remove one")
    for name in named or names:
        if name in models and board.id in models[name].unanswered:
            message = f"answers of {name!r} are compared with all others, but some were not imported; import the rest"
            yield source.document.problem([*steps, "contestants"], message)
    yield from _schedule(files, source, steps, part, len(names))
    if not files.models and contestants == "all":
        return  # a new board, without contestants yet
    if len(names) < 2:
        alone = f"{names[0]!r} is the only contestant" if names else "there are no contestants"
        yield source.document.problem([*steps, "contestants"], f"{alone}; name two or more contestants")
        return
    panel = next((panel for panel in files.panels if panel.id == (part.panel or board.panel)), None)
    if panel is None or panel.same_family or not all(name in names for name in named):
        return
    families = {judge.id: judge.family for judge in files.all_judges}
    for one, other in _unjudged(panel, named or names, names, {name: models[name].family for name in names}, families):
        message = f"no judge of panel {panel.id!r} may compare {one!r} and {other!r}: each is of the family of one"
        yield source.document.problem([*steps, "panel"], f"{message}; add a judge of another family")


def _schedule(
    files: SpecFiles, source: SpecFile[Any], steps: Steps, part: PairwiseBoardFile | PairwiseProfile, k: int
) -> Iterator[Problem]:
    """Check that a budget connects the `k` contestants, is at most the number of games, and no baseline is set."""
    board, schedule = source.spec, part.schedule or source.spec.schedule
    if schedule is None or k < 2 or not (part.schedule or part.baseline or part.contestants):
        return  # there is none, or the profile does not change it
    if part.baseline or board.baseline:
        if not (part.schedule or part.baseline):
            return
        at = [*steps, "schedule" if part.schedule else "baseline"]
        message = "a board with a baseline has no schedule"
        yield source.document.problem(at, f"{message}; remove `schedule` or `baseline`")
        return
    domains = [domain.spec for domain in files.domains if domain.spec.id in board.domains]
    items = sum(len(category.items) for domain in domains for category in domain.categories)
    least, most = k - 1, items * k * (k - 1) // 2
    if items and not least <= schedule.budget <= most:
        at = [*(steps if part.schedule else []), "schedule", "budget"]
        who = f"{k} contestants{f' of the profile {steps[1]!r}' if steps else ''}"
        few = f"a budget of {schedule.budget:,} does not connect {who}"
        many = f"{who} on {plural(items, 'prompt')} have no more than {most:,} pairs, found {schedule.budget:,}"
        advice = f"expected {least:,} to {most:,}; without `schedule` every pair is judged"
        yield source.document.problem(at, f"{few if schedule.budget < least else many}; {advice}")


def _unjudged(
    panel: Panel,
    against: Sequence[str],
    names: Sequence[str],
    family: Mapping[str, str],
    families: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Yield the first two contestants of each two families that no judge may compare: each judge is of one of them."""
    seen: set[frozenset[str]] = set()
    for other in against:
        for one in names:
            pair = frozenset({family[one], family[other]})
            if one != other and pair not in seen and all(families.get(judge) in pair for judge in panel.judges):
                seen.add(pair)
                yield one, other


SPECS = PairwiseSpecs()
