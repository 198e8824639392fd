"""One response on one metric, by one call of a judge."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from nullbench_site.evaluation.geval.quiet import scope
from nullbench_site.protocols.geval.metrics import FIELDS, METRICS, Field
from nullbench_site.protocols.geval.reply import read
from nullbench_site.protocols.quoting import nonce

if TYPE_CHECKING:
    from nullbench_site.evaluation.geval.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged, and by what. A metric is shown only the texts that it looks at."""

    prompt: str
    ideal: str
    response: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A score 0-1 with its reason; or None, no reason, and what was wrong with the reply."""

    score: float | None
    reason: str
    problem: str | None


@cache
def prepare() -> type[Conversation]:
    """Imports deepeval, for some 2 s: call it before the event loop has work. ImportError where it is not installed."""
    scope()
    from nullbench_site.evaluation.geval.conversation import Conversation

    return Conversation


def worded(metric: str, case: Case) -> str:
    """The prompt that has `case` judged on a metric of METRICS, the same for the same case.

    KeyError for an unknown metric, ImportError where `missing` says so.
    """
    with closing(_conversation(metric, case)) as conversation:
        return conversation.prompt


def measured(metric: str, case: Case, reply: str) -> Measured:
    """What the judge's reply to that prompt makes of `case`.

    Source of the score: Liu et al. 2023, G-Eval, in deepeval's form without token probabilities: (points - 0) / 10.
    """
    verdict = read(reply)
    if isinstance(verdict, str):
        return Measured(None, "", verdict)
    with closing(_conversation(metric, case)) as conversation:
        return Measured(conversation.score(verdict), verdict.reason, None)


def _conversation(metric: str, case: Case) -> Conversation:
    chosen = METRICS[metric]
    given: dict[Field, str] = {
        "input": case.prompt,
        "expected_output": case.ideal,
        "actual_output": case.response,
    }
    texts = {name: given[name] for name in FIELDS if name in chosen.looks_at}
    digits = nonce(case.response, *(text for name, text in texts.items() if name != "actual_output"))
    return prepare()(chosen, texts, digits)
