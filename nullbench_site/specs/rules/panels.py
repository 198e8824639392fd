"""Contestants, judges and panels: programs that exist, parameters that fit, gates that can be reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.files import BackendNames, Source, Steps, folded
from nullbench_site.specs.rules.names import unique
from nullbench_site.stats.refusal import gate_votes_needed
from nullbench_site.text import did_you_mean, quoted


def _backend_problem(
    source: Source[types.Spec],
    steps: Steps,
    runs: types.Judge | types.ModelFile,
    known: Mapping[str, frozenset[str] | None],
    backends: BackendNames,
) -> Iterator[Problem]:
    backend, model = runs.backend, runs.model
    if backend not in known:
        yield source.document.problem(
            [*steps, "backend"], f"unknown backend {backend!r}; {did_you_mean(backend, known)}"
        )
        return
    names = known[backend]
    if names is not None:
        for key in _only_of_endpoints(runs):
            message = f"the backend {backend!r} asks no endpoint, so {key!r} would do nothing; take it out"
            yield source.document.problem([*steps, key], message, at_key=True)
    if names is not None and model not in names:
        message = f"the backend {backend!r} has no {model!r} here; {did_you_mean(model, names, limit=20)}"
        yield source.document.problem([*steps, "model"], message)
    elif wrong := backends.params_problem(backend, model, runs.params):
        yield source.document.problem([*steps, "params"], f"{model!r} cannot run with these params: {wrong}")


def _only_of_endpoints(runs: types.Judge | types.ModelFile) -> Iterator[str]:
    """The keys of a model or judge that mean something only where a server answers for it."""
    if runs.endpoint is not None:
        yield "endpoint"
    if runs.prices is not None:
        yield "prices"
    if runs.decoding not in (None, types.Decoding()):
        yield "decoding"


def judges_can_run(judges: Source[types.JudgesFile] | None, backends: BackendNames | None) -> Iterator[Problem]:
    """Judges are there once, and a backend can run each."""
    if judges is None:
        return
    entries = enumerate(judges.spec.judges)
    yield from unique("judge", ((judges, ["judges", i, "id"], judge.id) for i, judge in entries))
    for number, judge in enumerate(judges.spec.judges):
        if backends is not None:
            yield from _backend_problem(judges, ["judges", number], judge, backends.judges, backends)


def panels_can_vote(judges: Source[types.JudgesFile] | None) -> Iterator[Problem]:
    """The judges of a panel exist, each is listed once, and its refusal gates can be reached."""
    if judges is None:
        return
    known = [judge.id for judge in judges.spec.judges]
    yield from unique("panel", ((judges, ["panels", i, "id"], panel.id) for i, panel in enumerate(judges.spec.panels)))
    for number, panel in enumerate(judges.spec.panels):
        steps: list[str | int] = ["panels", number]
        for place, judge in enumerate(panel.judges):
            if judge not in known:
                message = f"unknown judge {judge!r}; {did_you_mean(judge, known)}"
                yield judges.document.problem([*steps, "judges", place], message)
            elif judge in panel.judges[:place]:
                message = f"the judge {judge!r} is listed twice; a judge has one vote. Remove one"
                yield judges.document.problem([*steps, "judges", place], message)
        for key, message in _gates(panel):
            yield judges.document.problem([*steps, "refusal_gates", key], message)


def _gates(panel: types.Panel) -> Iterator[tuple[str, str]]:
    size = len(panel.judges)
    needed = gate_votes_needed(size)
    sample = max(needed, panel.refusal_gates.sample or 0)
    votes = panel.refusal_gates.votes or needed
    if sample > size:
        yield "sample", f"a sample of {sample} judges cannot be drawn from a panel of {size}; at most {size}"
    if votes < needed:
        yield (
            "votes",
            f"{votes} votes are less than two thirds of the panel of {size}; at least {needed} are needed",
        )
    elif votes > sample:
        advice = f"lower votes to {sample} at most, or raise sample to {votes}"
        yield "votes", f"{votes} votes can never be reached: only {sample} judges are asked about a refusal; {advice}"


def contestants_can_run(models: Sequence[Source[types.ModelFile]], backends: BackendNames | None) -> Iterator[Problem]:
    """Contestants have titles of their own, and a backend can run each."""
    first: dict[str, str] = {}
    for source in models:
        title = folded(source.spec.title)
        if title in first:
            message = f"{first[title]} has the title {quoted(source.spec.title)} too; readers tell contestants by it"
            yield source.document.problem(["title"], f"{message}, so give this one another")
        first.setdefault(title, source.document.file)
        if backends is not None:
            yield from _backend_problem(source, [], source.spec, backends.contestants, backends)
            if source.spec.kind == "null" and backends.contestants.get(source.spec.backend, frozenset()) is None:
                message = "a null model ignores what it is asked, and this one is asked: it would set the null floor"
                yield source.document.problem(["kind"], f"{message}. Write model, or choose a program of null models")
