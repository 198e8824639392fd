"""Import BenchPress (github.com/markstent/BenchPress): its prompts, answers, verdicts and G-Eval scores.

The newest entry of a prompt is sample 0, the one before it sample 1, and so on. The key of a response is the sha256 of
"benchpress MODEL ITEM PLACE", a line end, and the text or error; PLACE 0 is the oldest of the history. The key of a
judgment is the first half of this key and the first half of the sha256 of the judge's id, or of "deepeval geval". So
the same entry has the same keys in every import.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nullbench_site.checks.registry import AUTOMATIC
from nullbench_site.interop.benchpress.checkout import (
    BenchPressEntry,
    BenchPressModel,
    Checkout,
    Metrics,
    read_checkout,
)
from nullbench_site.interop.benchpress.specs import (
    BOARD,
    GEVAL_JUDGE,
    HOMEPAGE,
    BenchPressPanel,
    items_of,
    licence_line,
    panel_of,
    specs_of,
)
from nullbench_site.interop.imported_repository import check_empty, make_repository
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.packaged import data_text
from nullbench_site.protocols.rubric.judging import GEVAL, HIGHEST, LOWEST, SCORE
from nullbench_site.protocols.rubric.specs import RubricItem
from nullbench_site.runs.records import CheckResult, Judgment, Response, Score
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import VERBATIM
from nullbench_site.text import in_markdown, listed, one_line, plural, quoted

GEVAL_FIELDS = (
    ("correctness", "correctness"),
    ("coherence", "coherence"),
    ("instruction-following", "instruction_following"),
)
"""The metrics by our names and by those of BenchPress."""
_FLAG, _ERROR, _HALF = 200, 1000, 32
_Verdict: TypeAlias = tuple[tuple[str, str], str | None, dict[str, Score], dict[str, str], str]
"""Judge and half of its keys; template; scores; why scores are missing; reply."""
# Errors of HTTP clients repeat the URL, which contains the key of some providers.
_CREDENTIAL = re.compile(r"(?i)((?:key|token|secret|password|authorization)[\"']?\s*[=:]\s*(?:bearer\s+)?)[^\s&\"',;]+")
_KEYS = re.compile(r"\b(?:sk-|AIza|gsk_|hf_|xai-|AKIA|gh[pousr]_)[A-Za-z0-9_-]{12,}")


def records_of(
    contestant: BenchPressModel, items: Mapping[str, RubricItem], panel: BenchPressPanel
) -> tuple[list[Response], list[Judgment]]:
    """Return the records of all entries of a contestant."""
    # A judge never scores its own family, and in BenchPress each model is its own family.
    named = {**panel.judges, **panel.former}
    writer = _Writer(
        model=contestant.id,
        api_model=contestant.api_model,
        judges={name: (judge, _half(judge)) for name, judge in named.items() if judge != contestant.id},
        due=panel.due(contestant),
        geval=panel.geval and contestant.id != GEVAL_JUDGE,
    )
    for prompt, history in contestant.histories.items():
        if prompt in items:
            writer.add(items[prompt], history)
    return writer.responses, writer.judgments


@dataclass
class _Writer:
    """Make the records of one contestant.

    judges: the id and the second half of the keys of each judge whose verdicts are kept, by name. due: the names of
    the judges that must have a verdict on each newest answer.
    """

    model: str
    api_model: str
    judges: Mapping[str, tuple[str, str]]
    due: Set[str]
    geval: bool
    responses: list[Response] = field(default_factory=list)
    judgments: list[Judgment] = field(default_factory=list)

    def add(self, item: RubricItem, history: Sequence[BenchPressEntry]) -> None:
        """Add the records of the entries of one prompt."""
        check = (item.checks or ())[0].type_id()
        # No program runs the checks that are left to judges, so a missing flag says nothing there.
        unflagged = (CheckResult(check, "", "passed" if check in AUTOMATIC else "not-applicable"),)
        for place, entry in enumerate(history):
            text, why, sample = entry.content or "", None, len(history) - 1 - place
            checks: tuple[CheckResult, ...] = unflagged
            served = entry.api_model
            words = text if entry.error is None else entry.error
            key = sha256(f"benchpress {self.model} {item.id} {place}\n{words}".encode())
            at = entry.timestamp.isoformat()
            if entry.failed:
                text, why, checks, served = "", _why_failed(entry), (), self.api_model
            elif flags := entry.auto_checks.flags:
                checks = (CheckResult(check, "", "failed", tuple(map(_flag, flags))),)
            self.responses.append(Response(
                key, BOARD, self.model, item.id, VERBATIM, sample, "answered" if why is None else "errored", text, why,
                at, entry.latency_s, entry.input_tokens, None, entry.output_tokens, checks=checks,
                served_model=None if served == self.api_model else served,
            ))  # fmt: skip
            if why is None:
                half = key[:_HALF]
                self.judgments += [
                    Judgment(
                        half + of_judge, BOARD, self.model, item.id, VERBATIM, sample, judge, template, None,
                        "scored" if scores else "unparsed", scores, invalid, words, None, None, at, None,
                    )
                    for (judge, of_judge), template, scores, invalid, words in self._verdicts(entry, newest=not sample)
                ]  # fmt: skip

    def _verdicts(self, entry: BenchPressEntry, *, newest: bool) -> Iterator[_Verdict]:
        given = entry.judge_scores
        for name, verdict in given.items():
            if (judge := self.judges.get(name)) is None:
                continue
            mark = verdict.score
            if type(mark) is int and LOWEST <= mark <= HIGHEST:
                yield judge, None, {SCORE: mark}, {}, verdict.rationale
            else:
                yield judge, None, {}, {SCORE: _no_mark(mark)}, _redacted(verdict.rationale)
        if newest and not self.due <= given.keys():
            for name in self.due - given.keys():
                yield self.judges[name], None, {}, {SCORE: "BenchPress recorded no verdict"}, ""
        if self.geval and (newest or entry.deepeval_scores is not None):
            yield _GEVAL, GEVAL, *_metrics(entry.deepeval_scores), ""


def _half(judge: str) -> str:
    return sha256(judge.encode())[:_HALF]


_GEVAL = (GEVAL_JUDGE, _half(f"{GEVAL_JUDGE} {GEVAL}"))


def _why_failed(entry: BenchPressEntry) -> str:
    if entry.error is None:
        return "BenchPress recorded neither a text nor an error"
    return _redacted(one_line(entry.error))[:_ERROR] or "an error without words"


def _no_mark(score: Any) -> str:
    if score is None:
        return "BenchPress recorded no score"
    return f"found {_shown(score)}; expected a whole number from {LOWEST} to {HIGHEST}"


def _metrics(recorded: Metrics | None) -> tuple[dict[str, Score], dict[str, str]]:
    """Return the valid scores of an answer by metric, and why each other one is missing."""
    scores: dict[str, Score] = {}
    invalid: dict[str, str] = {}
    for metric, there in GEVAL_FIELDS:
        value = getattr(recorded, there, None)
        if type(value) is float and 0 <= value <= 1:
            scores[metric] = value
        elif type(value) is int and value in (0, 1):
            scores[metric] = float(value)
        else:
            no_score = value is None
            invalid[metric] = "DeepEval gave no score" if no_score else f"found {_shown(value)}; expected 0 to 1"
    return scores, invalid


def _shown(value: Any) -> str:
    """Return an invalid score, shortened for a record."""
    return quoted(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"


def _flag(text: str) -> str:
    """Return a flag on one line."""
    return one_line(text)[:_FLAG] or "flagged without words"


def _redacted(text: str) -> str:
    """Return the text of a failed call without keys and tokens, because it is published."""
    return _KEYS.sub("[key]", _CREDENTIAL.sub(r"\1[key]", text))


_LENIENT = "Fix them, or import the rest with --lenient"


class BenchPressReport(msgspec.Struct, frozen=True):
    """The report of an import. earlier: answers before the newest of their prompt, kept as samples that do not count.

    missing: verdicts of the panel that the newest answers lack. elsewhere: histories of prompts of other suites.
    skipped: the problems whose data were left out.
    """

    directory: str
    run: str
    commit: str | None
    models: int
    prompts: int
    judges: tuple[str, ...]
    former_judges: tuple[str, ...]
    geval: bool
    answers: int
    earlier: int
    verdicts: int
    missing: int
    elsewhere: int
    skipped: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Return the lines to print."""
        commit = f"commit {self.commit[:12]}" if self.commit else "commit unknown"
        models, prompts = plural(self.models, "model"), plural(self.prompts, "prompt")
        yield f"imported {models} and {prompts} of BenchPress ({commit})"
        earlier = f"; {plural(self.earlier, 'earlier answer')} kept as further samples" if self.earlier else ""
        yield f"Answers:  {plural(self.answers, 'answer')}{earlier}"
        geval = ", and G-Eval" if self.geval else ""
        yield f"Judges:   {plural(self.verdicts, 'verdict')}; the panel is {listed(self.judges)}{geval}"
        if self.missing:
            missing = plural(self.missing, "verdict")
            yield f"Note:     {missing} of the panel missing: kept as unparsed; only judges of every answer count"
        if self.former_judges:
            yield f"Note:     {listed(self.former_judges)} judged only earlier answers"
        if self.elsewhere:
            where = plural(self.elsewhere, "history", "histories")
            yield f"Note:     {where} of prompts outside evals/general.json left out: another suite"


def import_benchpress(source: Path, into: Path, *, lenient: bool = False) -> BenchPressReport:
    """Make the repository `into`, a new or empty folder, from the checkout `source`.

    lenient: leave out broken data instead of refusing everything. Raises as Importer.make.
    """
    check_empty(into)
    checkout = read_checkout(source)
    items = items_of(checkout)
    panel = panel_of(checkout)
    nothing = not (items and checkout.contestants and panel.judges)
    problems = checkout.files.problems
    if problems and (nothing or not lenient):
        raise ImportRefused(problems, "Nothing is left to import" if lenient else _LENIENT)
    shards = (records_of(each, items, panel) for each in checkout.contestants)
    results = make_repository(source, into, specs_of(checkout, items, panel), _files(checkout), shards)
    return _imported(into, checkout, panel, results.run, items)


def _imported(
    into: Path, checkout: Checkout, panel: BenchPressPanel, run: str, items: Collection[str]
) -> BenchPressReport:
    every = [each.histories for each in checkout.contestants]
    histories = [history for one in every for prompt, history in one.items() if prompt in items]
    entries, known = sum(map(len, histories)), {*panel.judges, *panel.former}
    return BenchPressReport(
        directory=str(into),
        run=run,
        commit=checkout.commit,
        models=len(checkout.contestants),
        prompts=len(items),
        judges=tuple(panel.judges.values()),
        former_judges=tuple(panel.former.values()),
        geval=panel.geval,
        answers=len(histories),
        earlier=entries - len(histories),
        verdicts=sum(judge in known for history in histories for entry in history for judge in entry.judge_scores),
        missing=sum(
            len(due - history[-1].judge_scores.keys())
            for each, due in ((each, panel.due(each)) for each in checkout.contestants)
            for prompt, history in each.histories.items()
            if prompt in items and not history[-1].failed
        ),
        elsewhere=checkout.elsewhere,
        skipped=tuple(map(str, sorted(set(checkout.files.problems)))),
    )


def _files(checkout: Checkout) -> dict[str, str]:
    """Return the files of the repository other than its specs and its run."""
    licence, commit = in_markdown(licence_line(checkout.licence)), checkout.commit or "unknown"
    readme = data_text("benchpress/README.md").format(homepage=HOMEPAGE, commit=commit, licence=licence)
    return {"README.md": readme} | ({} if checkout.licence is None else {"LICENSE-benchpress": checkout.licence})
