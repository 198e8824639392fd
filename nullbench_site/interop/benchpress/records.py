"""The entries of a contestant -> its responses and judgments, as they stand in a run folder.

The newest entry of a prompt is sample 0, the one before it sample 1, and so on. The key of a response is the sha256 of
"benchpress MODEL ITEM PLACE", a line end, and the text or error; PLACE 0 is the oldest of the history. That of a
judgment is the first half of it and the first half of the sha256 of the judge's id, or of "deepeval geval". So the same
entry has the same keys in every import.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from nullbench_site.checks.registry import AUTOMATIC
from nullbench_site.interop.benchpress.checkout import Contestant
from nullbench_site.interop.benchpress.files import Entry, Metrics
from nullbench_site.interop.benchpress.specs import BOARD, GEVAL_JUDGE, Panel
from nullbench_site.protocols.base import VERBATIM
from nullbench_site.protocols.rubric.judging import GEVAL, HIGHEST, LOWEST, SCORE
from nullbench_site.protocols.rubric.specs import RubricItem
from nullbench_site.runs.records import CheckResult, Judgment, Response, Score
from nullbench_site.text import one_line, quoted

GEVAL_FIELDS = (
    ("correctness", "correctness"),
    ("coherence", "coherence"),
    ("instruction-following", "instruction_following"),
)
"""The metrics, each by its name here and its name there."""
_FLAG, _ERROR, _HALF = 200, 1000, 32
# Errors of HTTP clients repeat the address, and some providers want the key in it.
_CREDENTIAL = re.compile(r"(?i)((?:key|token|secret|password|authorization)[\"']?\s*[=:]\s*(?:bearer\s+)?)[^\s&\"',;]+")
_KEYS = re.compile(r"\b(?:sk-|AIza|gsk_|hf_|xai-|AKIA|gh[pousr]_)[A-Za-z0-9_-]{12,}")


def records_of(
    contestant: Contestant, items: Mapping[str, RubricItem], panel: Panel
) -> tuple[list[Response], list[Judgment]]:
    """All entries of the contestant."""
    # A judge never scores its own family, and with BenchPress a model is its family.
    named = {**panel.judges, **panel.former}
    judges = {name: (judge, _sha256(judge)[:_HALF]) for name, judge in named.items() if judge != contestant.id}
    writer = _Writer(
        model=contestant.id,
        api_model=contestant.api_model,
        judges=judges,
        due=panel.due(contestant),
        geval=panel.geval and contestant.id != GEVAL_JUDGE,
    )
    for prompt, history in contestant.histories.items():
        if prompt in items:
            writer.add(items[prompt], history)
    return writer.responses, writer.judgments


@dataclass
class _Writer:
    """Makes the records of one contestant.

    judges: of those whose verdicts are kept, by their names, the id and the second half of the keys. due: the names of
    those without whose verdict a newest answer is not whole.
    """

    model: str
    api_model: str
    judges: Mapping[str, tuple[str, str]]
    due: Set[str]
    geval: bool
    geval_key: str = field(default_factory=lambda: _sha256(f"{GEVAL_JUDGE} {GEVAL}")[:_HALF])
    responses: list[Response] = field(default_factory=list)
    judgments: list[Judgment] = field(default_factory=list)

    def add(self, item: RubricItem, history: Sequence[Entry]) -> None:
        """The records of the entries of one prompt."""
        check = (item.checks or ())[0].type_id()
        # No program looks at what is left to judges, so that no flag there says nothing.
        unflagged = (CheckResult(check, "", "passed" if check in AUTOMATIC else "not-applicable"),)
        for place, entry in enumerate(history):
            text = (entry.content or "") if entry.error is None else entry.error
            at = entry.timestamp.isoformat()
            digest = _sha256(f"benchpress {self.model} {item.id} {place}\n", text)
            sample = len(history) - 1 - place
            if entry.failed:
                self.responses.append(self._failed(entry, item.id, sample, digest))
                continue
            flags = entry.auto_checks.flags
            checks = (CheckResult(check, "", "failed", tuple(map(_flag, flags))),) if flags else unflagged
            self.responses.append(Response(
                digest, BOARD, self.model, item.id, VERBATIM, sample, "answered", text, None, at,
                entry.latency_s, entry.input_tokens, None, entry.output_tokens, checks=checks,
                served_model=None if entry.api_model == self.api_model else entry.api_model,
            ))  # fmt: skip
            self._add_verdicts(entry, at, item.id, sample, half=digest[:_HALF])

    def _failed(self, entry: Entry, item: str, sample: int, key: str) -> Response:
        why = "BenchPress recorded neither a text nor an error" if entry.error is None else _redacted_line(entry.error)
        return Response(
            key, BOARD, self.model, item, VERBATIM, sample, "errored", "", why or "an error without words",
            entry.timestamp.isoformat(), entry.latency_s, entry.input_tokens, None, entry.output_tokens,
        )  # fmt: skip

    def _add_verdicts(self, entry: Entry, at: str, item: str, sample: int, *, half: str) -> None:
        """half: of the keys, which names the entry."""

        def add(
            who: tuple[str, str], scores: dict[str, Score], invalid: dict[str, str], words: str = "",
            template: str | None = None,
        ) -> None:  # fmt: skip
            judge, key = who
            self.judgments.append(Judgment(
                half + key, BOARD, self.model, item, VERBATIM, sample, judge, template, None,
                "scored" if scores else "unparsed", scores, invalid, words, None, None, at, None,
            ))  # fmt: skip

        for name, verdict in entry.judge_scores.items():
            mark = verdict.score
            if name not in self.judges:
                continue
            if type(mark) is int and LOWEST <= mark <= HIGHEST:
                add(self.judges[name], {SCORE: mark}, {}, verdict.rationale)
            else:
                add(self.judges[name], {}, {SCORE: _no_mark(mark)}, _redacted(verdict.rationale))
        for name in self.due - entry.judge_scores.keys() if sample == 0 else ():
            add(self.judges[name], {}, {SCORE: "BenchPress recorded no verdict"})
        if self.geval and (sample == 0 or entry.deepeval_scores is not None):
            add((GEVAL_JUDGE, self.geval_key), *_metrics(entry.deepeval_scores), template=GEVAL)


def _sha256(*texts: str) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode())
    return digest.hexdigest()


def _no_mark(score: Any) -> str:
    if score is None:
        return "BenchPress recorded no score"
    return f"found {_shown(score)}; expected a whole number from {LOWEST} to {HIGHEST}"


def _metrics(recorded: Metrics | None) -> tuple[dict[str, Score], dict[str, str]]:
    """The valid scores of an answer by metric, and why each other is not."""
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
    """A value that is no score, short enough for a record."""
    return quoted(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"


def _flag(text: str) -> str:
    """A flag on one line."""
    return one_line(text)[:_FLAG] or "flagged without words"


def _redacted_line(text: str) -> str:
    return _redacted(one_line(text))[:_ERROR]


@lru_cache(maxsize=256)
def _redacted(text: str) -> str:
    """A text of a failed call without what would be published with it. Calls fail in few ways, each of them often."""
    return _KEYS.sub("[key]", _CREDENTIAL.sub(r"\1[key]", text))
