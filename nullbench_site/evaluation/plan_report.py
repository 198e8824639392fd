"""A plan, and the rows of it, as commands show them and `plan --json` prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from nullbench_site.evaluation.forecast import NOTHING, Estimate, Range
from nullbench_site.evaluation.targets import Who
from nullbench_site.specs.types import CONTROLS


class Plan(msgspec.Struct):
    """Calls by who answers them: to make and known.

    endpoints: of those that answer at one. estimates: what their calls to make may take; absent where there is none.
    withheld: why calls are neither to make nor known, where the texts of private items are not here. controls: those of
    all these calls that measure a panel, the answers of controls and the verdicts on them; None where there are none.
    Of what is to be asked: retired: judge -> the day on which it retired. aliases: judge -> its model, where that names
    no version. keyless: endpoint -> the variable that is to hold its key, where it is not set here.
    why: who is asked -> the reasons for their calls to make, with the number of calls; filled only where asked for.
    run: the newest sealed run of these specs, by its name. detectable: board -> the smallest difference that it could
    detect in that run, in points, None where that was not measured.
    """

    endpoints: dict[Who, str]
    to_make: Counter[Who] = msgspec.field(default_factory=Counter)
    known: Counter[Who] = msgspec.field(default_factory=Counter)
    estimates: dict[Who, Estimate] = {}
    withheld: str | None = None
    controls: Plan | None = None
    retired: Mapping[str, str] = {}
    aliases: Mapping[str, str] = {}
    keyless: Mapping[str, str] = {}
    why: dict[Who, Counter[str]] = {}
    run: str | None = None
    detectable: Mapping[str, float | None] = {}

    @property
    def planned(self) -> int:
        return self.to_make.total() + self.known.total()

    @property
    def encoded(self) -> bytes:
        """It in bytes."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def decoded(cls, encoded: bytes) -> Plan:
        """The one of which these are the bytes."""
        return msgspec.msgpack.decode(encoded, type=cls, dec_hook=lambda kind, counts: kind(counts))


class PlanRow(msgspec.Struct, frozen=True):
    """Calls of one contestant or judge, of an endpoint, of controls, or of all. Ranges are [low, high],
    high null: no upper bound.

    Tokens and cost are of the calls to make at endpoints, null where a program answers; cost_usd also where there is no
    price. A sum in which some have no price has no upper bound. why: reason -> calls to make, with `plan --why`.
    """

    kind: str
    id: str
    endpoint: str | None
    to_make: int
    known: int
    input_tokens: Range | None
    output_tokens: Range | None
    cost_usd: Range | None
    why: Mapping[str, int] = {}


class PlanReport(msgspec.Struct, frozen=True):
    """What `plan --json` prints.

    calls: of each contestant and judge, and the answers of all controls; their sum is `all`. endpoints, controls:
    subtotals, by endpoint, and of what measures panels, answers and verdicts.
    no_price: who answers at an endpoint for nobody knows how much. no_upper_bound: whose tokens nothing limits.
    withheld: why calls of private items are not in it; null where all are. retired: judges that are to be asked past
    the day on which they retired. aliases: those whose model is named without its version. keyless: endpoints that are
    to be asked, with the variables that are to hold their keys and are not set here. detectable: board -> the smallest
    difference that it could detect in the newest sealed run of these specs, in points, null where that was not
    measured; empty before a first run.
    """

    calls: tuple[PlanRow, ...]
    endpoints: tuple[PlanRow, ...]
    controls: PlanRow | None
    all: PlanRow
    no_price: tuple[str, ...]
    no_upper_bound: tuple[str, ...]
    withheld: str | None
    retired: Mapping[str, str] = {}
    aliases: Mapping[str, str] = {}
    keyless: Mapping[str, str] = {}
    detectable: Mapping[str, float | None] = {}


class _Detectable(msgspec.Struct):
    """Of results.json what the smallest difference is; without the types of scoring, which take long to import."""

    median: float | None


class _Results(msgspec.Struct):
    detectable: _Detectable | None = None


def detectable(run: Path, boards: Collection[str]) -> dict[str, float | None]:
    """Return the smallest difference that each board could detect in a run; boards: the only ones, if any are named."""
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


def report(plan: Plan) -> PlanReport:
    """The plan in rows: by who answers, by endpoint, and all of it."""
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
        withheld=plan.withheld,
        retired=plan.retired,
        aliases=plan.aliases,
        keyless=plan.keyless,
        detectable=plan.detectable,
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
        why=dict(sum((plan.why.get(one, Counter()) for one in who), Counter[str]()).most_common()),
    )
