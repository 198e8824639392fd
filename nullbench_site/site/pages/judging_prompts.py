"""Make the page on how the judging prompts were chosen, from the studies that are recorded in audits/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from nullbench_site.audit.judge_decisions import Screened
from nullbench_site.audit.prompt_results import BoardResult, PromptResult
from nullbench_site.audit.recorded_studies import RecordedStudy, screened
from nullbench_site.audit.study_data import prompt_id
from nullbench_site.evaluation.endpoints.model_files import catalogue
from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page
from nullbench_site.specs.judging_prompts import FULL, replies_of
from nullbench_site.specs.types import FLOOR
from nullbench_site.stats.measure import Bounded

_SAME = 0.005
"""Differences between advantages below this read as 0 on the page."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge did with a prompt, in words. name: of the prompt; empty in a row for one prompt."""

    name: str = ""
    above: str = words.ABSENT
    why: str = ""
    tokens: float | None = None
    seconds: float | None = None


class Line(msgspec.Struct, frozen=True):
    """A row with a cell for each judge."""

    title: str
    cells: Sequence[Measured]


class OfProtocol(msgspec.Struct, frozen=True, kw_only=True):
    """The studies of a protocol. judges: their titles. main: today's prompt, the chosen one, short questions.

    every: each prompt. methods: sentences on questions and verdicts. attacks: a row an attack on short questions.
    """

    protocol: str
    board: str
    judges: Sequence[str]
    items: Sequence[str]
    main: Sequence[Line]
    every: Sequence[Line]
    methods: Sequence[str]
    attacks: Sequence[tuple[str, str, Sequence[tuple[str, str]]]]


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page, if a study is recorded."""
    if not site.studies:
        return
    studies = sorted(site.studies, key=lambda each: (_size(each) or 0, each.title))
    protocols = list(dict.fromkeys(each.result.protocol for each in studies))
    of_protocol = {name: [each for each in studies if each.result.protocol == name] for name in protocols}
    titles = {each.judge: each.title for each in studies}
    yield Page(
        url=paths.PROMPTS,
        title="How we chose the judging prompts",
        template="judging_prompts.md.j2",
        context={
            "changes": [says for own in of_protocol.values() for says in changes_with_size(own)],
            "models": words.listed([words.isolated(title) for title in titles.values()]),
            "n_models": len(titles),
            "only_small": all(_size(each) is not None for each in studies),
            "protocols": [_of_protocol(own) for own in of_protocol.values()],
            "decisions": [_decision(titles[each.judge], each) for each in _screened(studies)],
            "records": sorted({(each.folder, each.title, each.result.board, each.date) for each in studies}),
        },
        description="How often each judging prompt puts right answers above wrong ones, and which judges pass.",
    )


def _screened(studies: Sequence[RecordedStudy]) -> list[Screened]:
    """Return the decisions, those that pass first."""
    return sorted(screened(studies), key=lambda each: not each.passed)


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a judge passes by a prompt, in words. lowest: the control that comes nearest to the right response."""

    judge: str
    protocol: str
    prompt: str
    skill: str
    valid: str
    position: str
    lowest: str
    result: str


def _decision(title: str, screened: Screened) -> Decision:
    tried = screened.tried
    known = {kind: floor for kind, floor in tried.floors.items() if floor.value is not None}
    lowest = min(known, key=lambda kind: known[kind].value or 0.0, default=None)
    position = "does not apply" if tried.position is None else words.percent(tried.position.value)
    return Decision(
        judge=title,
        protocol=screened.protocol,
        prompt=tried.name,
        skill=f"{_share(tried.skill)} ({tried.measured})",
        valid=words.percent(tried.valid),
        position=position,
        lowest=words.ABSENT if lowest is None else f"{_share(known[lowest])} ({FLOOR[lowest][0].lower()})",
        result="passes" if screened.passed else f"fails: {'; '.join(screened.reasons)}",
    )


def _size(study: RecordedStudy) -> int | None:
    """Return the bytes of a model of the catalogue; None for another one."""
    return next((each.size for each in catalogue().values() if each.name == study.model), None)


def changes_with_size(studies: Sequence[RecordedStudy]) -> list[str]:
    """Return a sentence for each prompt whose advantage over today's shrinks or turns from the smaller model on.

    studies: of one protocol. The prompts are the chosen ones, and short questions.
    """
    sized = sorted((size, each.judge, each) for each in studies if (size := _size(each)) is not None)
    if len({size for size, _, _ in sized}) < 2:
        return []
    small, large = sized[0][2], sized[-1][2]
    names = list(dict.fromkeys(
        each.name for study in (small, large) for each in (study.result.chosen, study.result.questions) if each
    ))  # fmt: skip
    found = []
    for name in names:
        before, after = (_advantage(study.result, name) for study in (small, large))
        if before is None or after is None or before < _SAME or after > before - _SAME:
            continue
        what = "turns into a disadvantage" if after < -_SAME else "shrinks"
        found.append(
            f"{small.result.protocol}: the advantage of {name} over today’s prompt {what} from {small.title} to "
            f"{large.title}: {words.signed(before, 2)}, then {words.signed(after, 2)}."
        )
    return found


def _advantage(result: BoardResult, name: str) -> float | None:
    """Return how far right above wrong of a prompt is above that of today's prompt, on the half that reports."""
    own, full = (_named(result, each) for each in (name, _today(result.protocol)))
    if own is None or full is None or own.report.value is None or full.report.value is None:
        return None
    return own.report.value - full.report.value


def _today(protocol: str) -> str:
    return prompt_id(FULL, replies_of(protocol, FULL)[0])


def _named(result: BoardResult, name: str) -> PromptResult | None:
    return next((each for each in result.prompts if each.name == name), None)


def _of_protocol(studies: Sequence[RecordedStudy]) -> OfProtocol:
    results = [each.result for each in studies]
    protocol = results[0].protocol
    main = [
        Line("Today’s prompt", [_cell(_named(each, _today(protocol)), named=True) for each in results]),
        Line("Chosen prompt", [_cell(each.chosen, named=True) for each in results]),
        Line("Short questions", [_cell(each.questions, named=True) for each in results]),
    ]
    names = dict.fromkeys(each.name for result in results for each in result.prompts)
    attacks = {each.letter: each for result in results for each in result.attacks}
    return OfProtocol(
        protocol=protocol,
        board=words.listed(sorted({each.board for each in results})),
        judges=[each.title for each in studies],
        items=[_items(each) for each in studies],
        main=main,
        every=[Line(name, [_cell(_named(each, name)) for each in results]) for name in names],
        methods=[_method(each) for each in studies],
        attacks=[
            (letter, each.means, [_rates(result, letter) for result in results]) for letter, each in attacks.items()
        ],
    )


def _items(study: RecordedStudy) -> str:
    n, n_selection = study.result.n_items, study.result.n_selection
    return f"{study.title}: {words.plural(n, 'item')}, of which {n_selection} chose and {n - n_selection} report."


def _cell(result: PromptResult | None, *, named: bool = False) -> Measured:
    if result is None:
        return Measured()
    spent = None if result.tokens_in is None else result.tokens_in + (result.tokens_out or 0)
    return Measured(
        name=result.name if named else "",
        above=_share(result.report),
        why=result.report.reason or "",
        tokens=spent,
        seconds=result.seconds,
    )


def _share(value: Bounded) -> str:
    return words.ABSENT if value.value is None else words.estimate(value.value, value.low, value.high, 2)


def _rates(result: BoardResult, letter: str) -> tuple[str, str]:
    """Return how often an attack is above the right response and above the empty one."""
    found: Mapping[str, tuple[str, str]] = {
        each.letter: (_share(each.above_right), _share(each.above_empty)) for each in result.attacks
    }
    return found.get(letter, (words.ABSENT, words.ABSENT))


def _method(study: RecordedStudy) -> str:
    """Say whether short questions or one verdict are asked, by the one test on the half that reports."""
    method = study.result.method
    if method is None:
        return f"{study.title}: short questions against one verdict: {words.ABSENT}."
    chosen = {"questions": "short questions", "verdict": "one verdict"}[method.method]
    figures = f"questions less verdict: {words.signed(method.difference, 2)}, p = {words.number(method.p, 3)}"
    if method.shown:
        return f"{study.title}: {chosen} ({figures})."
    return f"{study.title}: no difference shown, so {chosen} ({figures})."
