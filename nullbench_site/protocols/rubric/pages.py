"""The pages of boards of the `rubric` protocol: the view of a board, its evidence, and parts of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.checks import Check
from nullbench_site.checks.registry import AUTOMATIC, CHECKS, JUDGED
from nullbench_site.judging.geval import METRICS as GEVAL_METRICS
from nullbench_site.judging.short_questions.asking import is_question
from nullbench_site.protocols.rubric.judging import SCORE, geval_judge
from nullbench_site.protocols.rubric.metrics import (
    JudgeOnModel,
    JudgePair,
    Parts,
    RubricItemRow,
    RubricResults,
    RubricRow,
    flagged_share,
    geval_coverage,
)
from nullbench_site.protocols.rubric.question_pages import AnswersOfJudge, answers_of_judges
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricItem, RubricPlacedItem
from nullbench_site.runs.records import Response, Score
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.question_tables import QuestionRow
from nullbench_site.site import words
from nullbench_site.site.evidence import Apart, BoardEvidence, ItemShown, ListedScore, Sample, Titles, Verdict
from nullbench_site.site.pages.judges import SHOWN, JudgeColumn, judged
from nullbench_site.site.pages.page import in_words
from nullbench_site.site.pages.panel_words import NOTHING, Matrix, MatrixCell, MatrixRow, alpha_range, matrix_cell
from nullbench_site.site.protocol import (
    Context,
    Layout,
    ProtocolPages,
    failed_words,
)
from nullbench_site.site.views import BoardView, is_private
from nullbench_site.specs.types import Judge, ModelFile


@dataclass(frozen=True)
class RubricView(BoardView):
    """The view of a `rubric` board."""

    board: RubricBoardFile
    results: RubricResults

    @property
    def geval_judge(self) -> Judge | None:
        """Return the judge of G-Eval; None on a board without G-Eval."""
        judge = self.results.geval_judge
        return None if judge is None else self.benchmark.judges[judge]

    def judges_of_family(self, model: ModelFile) -> Sequence[Judge]:
        """Return the judges of a contestant's family, including that of G-Eval."""
        of_panel, asked = super().judges_of_family(model), geval_judge(self.benchmark, self.board, model)
        if asked is None or asked.family != model.family or asked in of_panel:
            return of_panel
        return [*of_panel, asked]

    @property
    def has_geval(self) -> bool:
        """Return True if the board has G-Eval."""
        return bool(self.results.geval_metrics)

    @property
    def rule_based(self) -> bool:
        return super().rule_based and (self.geval_judge is None or self.geval_judge.is_program)

    @property
    def judges_called(self) -> str:
        metrics = len(self.results.geval_metrics)
        return (
            f"{super().judges_called} and {words.plural(metrics, 'G-Eval metric')}"
            if metrics
            else super().judges_called
        )

    @property
    def asked_beside(self) -> str:
        return f"G-Eval asks {self.geval_judge.title}." if self.geval_judge else ""

    @cached_property
    def given(self) -> Mapping[tuple[str, str], JudgeOnModel]:
        """Return the rows of what a judge gave a contestant, by both ids."""
        return {(row.judge, row.model): row for row in self.results.judge_models}


def check_types(item: RubricItem) -> tuple[str, ...]:
    """Return the types of an item's checks, the item's own first; none for a private item."""
    return () if is_private(item) else tuple(check.type_id() for check in item.checks or ())


def geval_title(metric: str) -> str:
    """Return the title of a G-Eval metric."""
    return GEVAL_METRICS[metric].title if metric in GEVAL_METRICS else metric


def check_title(kind: str) -> str:
    """Return the title of a type of check."""
    return CHECKS[kind].title if kind in CHECKS else kind


class RubricItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt with its ideal answer and criteria; for a private one only its hash."""

    ideal: str | UnsetType | None = UNSET
    criteria: tuple[str, ...] | UnsetType | None = UNSET
    checks: tuple[str, ...] | UnsetType = UNSET


class RubricScore(msgspec.Struct):
    """The score of an answer: overall 0-100, marks 1-5, G-Eval 0-1. spread: highest less lowest mark."""

    state: str
    overall: float | None
    judge_mean: float | None
    geval_mean: float | None
    spread: float | None


class Checked(msgspec.Struct):
    """The result of a check."""

    type: str
    outcome: str
    flags: tuple[str, ...]


class RubricSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with its checks, the verdict of each judge, and each metric of G-Eval.

    answers: of judges that are asked short questions; absent if there is none.
    """

    checks: list[Checked] | UnsetType = UNSET
    verdicts: list[Verdict]
    geval: list[Verdict]
    answers: list[AnswersOfJudge] | UnsetType = UNSET


class GEvalTitles(msgspec.Struct):
    """The judge of G-Eval and the titles of its metrics."""

    judge: str
    metrics: dict[str, str]


class RubricTitles(Titles, kw_only=True, omit_defaults=True):
    """The titles of checks and of G-Eval."""

    geval: GEvalTitles | None = None


class RubricEvidence(BoardEvidence[RubricView, RubricPlacedItem, RubricItemRow]):
    """The evidence of a `rubric` board."""

    item_type, score_type, sample_type, titles_type = RubricItemShown, RubricScore, RubricSample, RubricTitles
    states: ClassVar[Mapping[str, str]] = {
        "scored": "scored",
        "errored": "failed",
        "unparsed": "mark not readable",
        "unjudged": "not judged yet",
    }
    apart = Apart("mark", 4)
    marked, scale = "mark", (1, 5)

    def titles(self) -> Titles:
        judge, results = self.view.geval_judge, self.view.results
        metrics = {metric: geval_title(metric) for metric in results.geval_metrics}
        return RubricTitles(
            checks={row.type: check_title(row.type) for row in results.checks},
            geval=None if judge is None else GEvalTitles(judge.title, metrics),
        )

    def item_fields(self, placed: RubricPlacedItem) -> dict[str, Any]:
        item = placed.item
        return {
            "prompt": placed.prompt,
            "ideal": item.ideal,
            "criteria": item.criteria,
            "checks": check_types(item),
        }

    def marks(self, sample: RubricSample) -> Iterable[Score | None]:
        if sample.answers is not UNSET:
            return (answers.mark for answers in sample.answers)
        return (verdict.scores.get(SCORE) for verdict in sample.verdicts)

    @cached_property
    def _questions(self) -> Mapping[str, Mapping[tuple[str, str], QuestionRow]]:
        """Item -> judge and question -> what the results say about the question."""
        found: dict[str, dict[tuple[str, str], QuestionRow]] = {}
        for row in self.view.results.questions or ():
            found.setdefault(row.item, {})[row.judge, row.question] = row
        return found

    def cell(self, row: RubricItemRow) -> ListedScore:
        return ListedScore(row.state, row.overall, row.spread, row.failed)

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        metrics = self.view.results.geval_metrics
        geval = sorted(
            (
                (_place(metrics, wording), verdict)
                for wording in verdicts
                if wording and not is_question(wording)
                for verdict in verdicts[wording]
            ),
            key=lambda placed: placed[0],
        )
        own: dict[str, Any] = {"verdicts": list(verdicts.get(None, ())), "geval": [verdict for _, verdict in geval]}
        if answers := answers_of_judges(self.view.benchmark, self._questions.get(response.item, {}), verdicts):
            own["answers"] = answers
        if not hidden:
            own["checks"] = [Checked(check.type, check.outcome, check.flags) for check in response.checks]
        return own


def _place(metrics: Sequence[str], wording: str) -> int:
    metric = wording.removeprefix("geval.")
    return metrics.index(metric) if metric in metrics else 0


_LENIENCY = JudgeColumn(
    "Leniency", METRICS["leniency"], lambda row: in_words(words.signed(row.leniency), row, "leniency")
)


@dataclass(frozen=True)
class Given:
    """The marks that a judge gave a contestant. note: why they count in no mean; empty if they do."""

    judge: Judge
    asked: bool
    n: int
    due: int
    mean: float | None
    note: str


def _given(view: RubricView, model: str) -> list[Given]:
    """Return the marks of each judge of the panel for a contestant."""
    asked = {judge.id for judge in view.judges_of(view.benchmark.models[model])}
    wanted = view.n_wanted(model) - view.rows[model].n_errored
    rows = []
    for judge in view.judges:
        given = view.given.get((judge.id, model))
        if judge.id not in asked:
            rows.append(Given(judge, False, 0, 0, None, "it never judges its own family"))
        elif given is None:
            rows.append(Given(judge, True, 0, wanted, None, "it gave no mark"))
        else:
            note = "" if given.complete else "some of its marks are missing, so it counts in no mean"
            due = wanted if given.n_due is None else given.n_due
            rows.append(Given(judge, True, given.n, due, given.mean, note))
    return rows


def _given_to(view: RubricView, rows: Iterable[RubricRow]) -> list[Context]:
    return [{"model": view.benchmark.models[row.model], "row": row, "judges": _given(view, row.model)} for row in rows]


def judges(view: RubricView) -> Context:
    """Return the section of the page of judges."""
    results, checks = view.results, sorted(view.results.checks, key=lambda row: (-(row.passed + row.failed), row.type))
    return {
        "template": "rubric/judges.md.j2",
        "judged": judged(view, "Marks", [_LENIENCY]),
        "matrix": matrix(view),
        "geval": view.geval_judge and {
            "judge": view.geval_judge,
            "metrics": [geval_title(metric).lower() for metric in results.geval_metrics],
        },
        "models": _given_to(view, list(view.rows.values())[:SHOWN]),
        "complete": not any(row.incomplete_judges for row in view.rows.values()),
        "judges": view.benchmark.judges,
        "pairs": results.judge_pairs,
        "divergence": results.divergence,
        "checks": [(check_title(row.type), row) for row in checks if row.n_items],
    }  # fmt: skip


def matrix(view: RubricView) -> Matrix | None:
    """Return the agreement of each pair of judges on the answers both marked; None without a pair."""
    pairs = {frozenset((pair.judge, pair.other)): pair for pair in view.results.judge_pairs}
    if not pairs:
        return None
    marking = [judge for judge in view.judges if any(judge.id in pair for pair in pairs)]
    named = [
        (pair.alpha, words.listed([view.benchmark.judges[judge].title for judge in (pair.judge, pair.other)]))
        for pair in view.results.judge_pairs
        if pair.alpha is not None
    ]
    return Matrix(
        caption=f"Agreement α of each pair of judges, {view.board.title}",
        first="Judge",
        columns=[judge.title for judge in marking],
        rows=[
            MatrixRow(judge.title, "", [_of_pair(pairs.get(frozenset((judge.id, other.id)))) for other in marking])
            for judge in marking
        ],
        says=alpha_range(named),
    )


def _of_pair(pair: JudgePair | None) -> MatrixCell:
    if pair is None:
        return NOTHING
    behind = f"{words.plural(pair.n, 'answer')}, {words.percent(pair.exact)} with the same mark"
    return matrix_cell(pair.alpha, pair.absent.get("alpha"), behind)


_PARTS: dict[Parts, str] = {"judge+geval": "", "judge": "judges only", "geval": "G-Eval only"}


# How marks become one number, and the columns of tables.


def composite_words(view: RubricView) -> str:
    """Return what the composite of an answer is on this board, in words."""
    judge, geval = view.results.weights["judge"], view.results.weights["geval"]
    if not view.has_geval:
        return "the mean mark of the judges, mapped from 1-5 to 0-100"
    how = "the mean" if judge == geval else f"the mean, weighted {judge:g} to {geval:g},"
    return f"{how} of the judges' mean mark, mapped from 1-5 to 0-100, and the G-Eval mean"


def remarks(view: RubricView, row: Any, whole_board: bool) -> Iterator[str]:
    """Yield why a contestant has no rank, how many answers failed, and which judges left out some of the others."""
    if lacking := view.lacking(row):
        yield lacking
    if not whole_board:
        return
    if failed := failed_words(row):
        yield failed
    for judge, marks in sorted(row.incomplete_judges.items()):
        title = view.benchmark.judges[judge].title
        given = view.given.get((judge, row.model))
        due = None if given is None else given.n_due
        wanted = view.n_wanted(row.model) - row.n_errored if due is None else due
        yield f"{title} left out: {words.of(marks, wanted)} marks"
    if lacking := geval_coverage(row):
        yield lacking


def _parts(scores: RubricRow) -> str:
    """Return the only part of a composite; empty if it has both, or is absent."""
    return "" if scores.composite_of is None else _PARTS[scores.composite_of]


LAYOUT: Layout[RubricView] = Layout(
    overall="rubric_overall",
    in_part="rubric_overall",
    remarks=remarks,
    note=lambda view, row: _parts(row) if view.has_geval else "",
)


# The pages of a board and of its domains.


def _board(view: RubricView) -> Context:
    rows = view.results.leaderboard
    given = _given_to(view, rows)
    cells = [cell for row in given for cell in row["judges"]]
    return {
        "template": "rubric/board.md.j2",
        "composite": composite_words(view),
        "geval": view.has_geval,
        "given": given,
        "bracketed": any(cell.asked and cell.note and cell.mean is not None for cell in cells),
        "own_family": any(not cell.asked for cell in cells),
        "efficient": any(row.efficiency is not None for row in rows),
        "flagged": any(row.n_flagged for row in rows),
    }


def _checks_of(item: RubricItem) -> str:
    return "hidden" if is_private(item) else ", ".join(CHECKS[check].title for check in check_types(item))


# The page of a contestant.


def _fingerprint(view: RubricView, model: ModelFile) -> Context:
    row = view.rows[model.id]
    return {
        "template": "rubric/model.md.j2",
        "parts": _parts(row),
        "flagged": flagged_share(row),
        "judges": _given(view, model.id),
        "geval": view.has_geval,
        "geval_metrics": [(geval_title(metric), row.geval.get(metric)) for metric in view.results.geval_metrics],
        "geval_judge": view.geval_judge.title if view.geval_judge else "",
        "geval_coverage": geval_coverage(row),
    }


# The page of the method.


def _method(view: RubricView) -> Context:
    geval = view.board.geval
    return {
        "template": "rubric/methodology.md.j2",
        "composite": composite_words(view),
        "decimals": view.board.composite.judge_decimals,
        "geval": view.geval_judge and {
            "judge": view.geval_judge.title,
            "coverage": f"{100 * geval.coverage:.6g} %" if geval else "",
            "metrics": [GEVAL_METRICS[metric] for metric in view.results.geval_metrics if metric in GEVAL_METRICS],
        },
        "automatic": _checks(view, AUTOMATIC),
        "to_judges": _checks(view, JUDGED),
    }  # fmt: skip


def _checks(view: RubricView, kinds: Mapping[str, type[Check]]) -> list[dict[str, Any]]:
    """Return the types of checks on public prompts: on how many they are the first, and on how many another."""
    types = [check_types(placed.item) for placed in view.items]
    first = Counter(own[0] for own in types if own)
    further = Counter(name for own in types for name in set(own[1:]) - set(own[:1]))
    return [
        {"check": check, "first": first[name], "further": further[name]}
        for name, check in kinds.items()
        if first[name] + further[name]
    ]


PAGES: ProtocolPages[RubricView] = ProtocolPages(
    marks=lambda scores: [scores[SCORE]] if SCORE in scores else [],
    view=RubricView,
    layout=LAYOUT,
    board=_board,
    domain=lambda view, group: {"notes": {"Checks": _checks_of}},
    fingerprint=_fingerprint,
    judges=judges,
    method=_method,
    evidence=RubricEvidence,
    holds="its domains, categories, difficulties, items, judges, their agreement, and checks",
)
