"""A plan, and its rows for `plan` and `plan --json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import ceil, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from nullbench_site.evaluation.forecast import NOTHING, Estimate, Range
from nullbench_site.evaluation.targets import Who
from nullbench_site.specs.types import CONTROLS

if TYPE_CHECKING:
    from nullbench_site.stats.power import Power

UNREACHED = "cannot be reached: clusters"


class DetectRow(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes that a board detects a difference.

    now: the smallest difference that the planned items detect, in points; null for none. items: how many items of the
    same sources it takes; null where sources have one item each, or where more items do not help. more_items: with
    more sources like these, and how many sources these are. calls, more_calls: for as many items. assumed: whether it
    follows from assumptions. absent: why a number is missing.
    """

    board: str
    now: float | None = None
    planned: int = 0
    items: int | None = None
    calls: int | None = None
    more_items: int | None = None
    sources: int | None = None
    more_calls: int | None = None
    assumed: bool = False
    absent: str | None = None


class PlanNotes(msgspec.Struct, kw_only=True):
    """The notes on the calls that a plan and its report share.

    withheld: why calls are missing, if texts of private items are not on this machine. retired: judge to call -> the
    day on which it retired. aliases: judge to call -> its unversioned model. keyless: endpoint to call -> the variable
    of its key, which is not set. detectable: board -> the smallest difference that the planned items detect, in
    points; None if not known. undetectable: board -> why it is not known. assumed: boards whose difference follows from
    assumptions. detect: what boards take to detect a difference, if requested. further_wordings: board with several
    wordings -> how many of its calls, made or known, are for those after the first. both_orders: boards whose judges
    see two answers in both orders, which takes twice the verdicts of one order. at_most: how many of the calls to make
    are questions that an answer that does not exist yet may turn out not to need.
    """

    withheld: str | None = None
    retired: Mapping[str, str] = {}
    aliases: Mapping[str, str] = {}
    keyless: Mapping[str, str] = {}
    detectable: Mapping[str, float | None] = {}
    undetectable: Mapping[str, str] = {}
    assumed: tuple[str, ...] = ()
    detect: tuple[DetectRow, ...] = ()
    further_wordings: Mapping[str, int] = {}
    both_orders: tuple[str, ...] = ()
    at_most: int = 0


class Plan(PlanNotes):
    """Calls to make and known calls, by contestant and judge.

    endpoints: of contestants and judges at endpoints. estimates: the tokens and cost of calls to make at endpoints.
    controls: the calls that measure a panel (answers of controls and judgments of them), a part of all calls; None if
    there are none. why: reason -> number of calls to make; only if requested. run: the newest sealed run of the specs.
    of_board: board -> its calls, made or known.
    """

    endpoints: dict[Who, str]
    to_make: Counter[Who] = msgspec.field(default_factory=Counter)
    known: Counter[Who] = msgspec.field(default_factory=Counter)
    estimates: dict[Who, Estimate] = {}
    controls: Plan | None = None
    why: dict[Who, Counter[str]] = {}
    run: str | None = None
    of_board: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def planned(self) -> int:
        return self.to_make.total() + self.known.total()

    @property
    def encoded(self) -> bytes:
        """Return the plan as bytes, for the stamp of a build."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def decoded(cls, encoded: bytes) -> Plan:
        """Return the plan of these bytes."""
        return msgspec.msgpack.decode(encoded, type=cls, dec_hook=lambda kind, counts: kind(counts))


class PlanRow(msgspec.Struct, frozen=True):
    """Calls of one contestant or judge, of an endpoint, of controls, or of all.

    Ranges are [low, high]; high null: no upper bound. Tokens and cost are of the calls to make at endpoints; null for
    programs, and cost_usd also without a price. A sum that includes calls without a price has no upper bound.
    seconds: of the calls to make at endpoints, one after another, at the pace of earlier answers; null if not known.
    why: reason -> calls to make, with `plan --why`.
    """

    kind: str
    id: str
    endpoint: str | None
    to_make: int
    known: int
    input_tokens: Range | None
    output_tokens: Range | None
    cost_usd: Range | None
    seconds: float | None = None
    why: Mapping[str, int] = {}


class PlanReport(PlanNotes):
    """The object that `plan --json` prints.

    calls: of each contestant and judge, and the answers of all controls; their sum is `all`. endpoints: subtotals.
    controls: the subtotal of the calls that measure panels. no_price: calls at endpoints without a price.
    no_upper_bound: calls whose tokens have no limit. The others: as in PlanNotes.
    """

    calls: tuple[PlanRow, ...]
    endpoints: tuple[PlanRow, ...]
    controls: PlanRow | None
    all: PlanRow
    no_price: tuple[str, ...]
    no_upper_bound: tuple[str, ...]


class _Detectable(msgspec.Struct):
    """The smallest difference in results.json."""

    median: float | None


class _Results(msgspec.Struct):
    detectable: _Detectable | None = None


def detectable(run: Path, boards: Collection[str]) -> dict[str, float | None]:
    """Return the smallest difference that each board could detect in a run. boards: a filter; empty for all."""
    found: dict[str, float | None] = {}
    for path in sorted(run.glob("results/*/results.json")):
        if boards and path.parent.name not in boards:
            continue
        try:
            measured = msgspec.json.decode(path.read_bytes(), type=_Results).detectable
        except msgspec.DecodeError:
            measured = None  # `verify` reports damaged results
        found[path.parent.name] = None if measured is None else measured.median
    return found


def detect_row(board: str, power: Power | str, points: float, calls: int) -> DetectRow:
    """Return what it takes that a board detects `points`. calls: those of the planned items."""
    if isinstance(power, str):
        return DetectRow(board=board, absent=power)
    from nullbench_site.stats.power import clusters_of  # noqa: PLC0415 - arrays, which most plans do not need

    design = power.design
    same = power.items_for(points, same_clusters=True) if design.several_in_a_cluster else None
    more = power.items_for(points, same_clusters=False)
    return DetectRow(
        board=board,
        now=power.detects if isfinite(power.detects) else None,
        planned=design.n,
        items=same,
        calls=_calls(calls, same, design.n),
        more_items=more,
        sources=None if more is None else clusters_of(more, design),
        more_calls=_calls(calls, more, design.n),
        assumed=power.assumed,
        absent=UNREACHED if same is None and design.several_in_a_cluster else None,
    )


def _calls(calls: int, items: int | None, planned: int) -> int | None:
    return None if items is None else ceil(calls * items / planned)


def report(plan: Plan) -> PlanReport:
    """Return the rows of a plan: by contestant and judge, by endpoint, and the sum."""
    who = sorted({*plan.known, *plan.to_make})
    estimates = plan.estimates
    unpriced = (one for one in who if one in estimates and estimates[one].cost_usd is None)
    answers = [one for one in who if one[0] == "contestant" and one[1] in CONTROLS]
    rows = [_row(plan, [one], *one, endpoint=plan.endpoints.get(one)) for one in who if one not in answers]
    if answers:
        rows.append(_row(plan, answers, "controls", "answers", endpoint=None))
    unbounded = (one for one in who if one in estimates and estimates[one].total_tokens.high is None)
    return PlanReport(
        calls=tuple(rows),
        endpoints=tuple(
            _row(plan, [one for one in who if plan.endpoints.get(one) == name], "endpoint", name, endpoint=name)
            for name in sorted(set(plan.endpoints.values()))
        ),
        controls=None if plan.controls is None else _row(plan.controls, who, "controls", "", endpoint=None),
        all=_row(plan, who, "all", "", endpoint=None),
        no_price=tuple(" ".join(one) for one in unpriced),
        no_upper_bound=tuple(" ".join(one) for one in unbounded),
        **{name: getattr(plan, name) for name in PlanNotes.__struct_fields__},
    )


def _row(plan: Plan, who: Sequence[Who], kind: str, name: str, *, endpoint: str | None) -> PlanRow:
    at_endpoints = [plan.estimates.get(one, Estimate()) for one in who if one in plan.endpoints]
    tokens = [(each.input_tokens, each.output_tokens) for each in at_endpoints]
    priced = [each.cost_usd for each in at_endpoints if each.cost_usd is not None]
    cost = sum(priced, NOTHING) if len(priced) == len(at_endpoints) else sum(priced, Range(0, None))
    return PlanRow(
        kind=kind,
        id=name,
        endpoint=endpoint,
        to_make=sum(plan.to_make[one] for one in who),
        known=sum(plan.known[one] for one in who),
        input_tokens=sum((given for given, _ in tokens), NOTHING) if tokens else None,
        output_tokens=sum((taken for _, taken in tokens), NOTHING) if tokens else None,
        cost_usd=cost if priced else None,
        seconds=_sum([each.seconds for each in at_endpoints]) if tokens else None,
        why=dict(sum((plan.why.get(one, Counter()) for one in who), Counter[str]()).most_common()),
    )


def _sum(seconds: Sequence[float | None]) -> float | None:
    """Return the sum; None if a part is not known."""
    known = [each for each in seconds if each is not None]
    return sum(known) if len(known) == len(seconds) else None
