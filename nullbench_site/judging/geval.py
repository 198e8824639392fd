"""G-Eval: a judge scores one response on one metric, 0-1, in one call.

The call is ours, so it is counted, cached and resumed like every other. The package deepeval writes the prompt and
computes the score of the reply. It is an optional extra, and importing this module does not import it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from contextvars import Context
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from nullbench_site.extensions import version_of
from nullbench_site.judging.quoting import nonce
from nullbench_site.judging.replies import closed_object, parts_beside, score_reply

if TYPE_CHECKING:
    from nullbench_site.judging.geval_conversation import Conversation

Field: TypeAlias = Literal["input", "expected_output", "actual_output"]

VERSION = "4.3.1"
"""The version of deepeval that defines the scores; part of the key of every call."""
REVISION = 1
"""Increased when a step, a title or the texts of a metric change."""

FIELDS: Mapping[Field, str] = MappingProxyType(
    {"input": "Input", "expected_output": "Expected Output", "actual_output": "Actual Output"}
)
"""The texts that a metric may show, in order, with deepeval's names for them."""


class GEvalMetric(msgspec.Struct, frozen=True):
    """One metric: the steps that a judge follows after QUOTED, numbered from 2."""

    id: str
    title: str
    looks_at: tuple[Field, ...]
    steps: tuple[str, ...]


_TEXTS = parts_beside(__file__, "geval.txt")
QUOTED = _TEXTS["quoted"]
"""The first step of every metric."""
_LOOKS_AT: Mapping[str, tuple[Field, ...]] = {
    "correctness": ("input", "expected_output", "actual_output"),
    "coherence": ("input", "actual_output"),
    "instruction-following": ("input", "actual_output"),
}
METRICS: Mapping[str, GEvalMetric] = MappingProxyType(
    {
        name: GEvalMetric(name, name.replace("-", " ").capitalize(), looks_at, tuple(_TEXTS[name].splitlines()))
        for name, looks_at in _LOOKS_AT.items()
    }
)
"""Id -> metric."""

_NAMES: Mapping[Field, str] = {"input": "prompt", "expected_output": "ideal", "actual_output": "response"}


def texts_of(metric: str) -> tuple[str, ...]:
    """Return the names of the texts that a metric shows: prompt, ideal, response."""
    return tuple(_NAMES[field] for field in METRICS[metric].looks_at)


LOWEST, HIGHEST = 0, 10
"""The range of scores in deepeval."""

SCHEMA: dict[str, Any] = closed_object(
    {"reason": {"type": "string"}, "score": {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}}
)
"""The JSON Schema of a reply, in the order of deepeval's prompt: the reason before the score."""


class GEvalScore(msgspec.Struct, frozen=True):
    """A valid reply: a score and its reason. forms, stated: as in Reply."""

    score: float
    reason: str
    forms: tuple[str, ...] = ()
    stated: tuple[tuple[str, ...], ...] = ()


def read(text: str) -> GEvalScore | str:
    """Return the score in a reply, or the problem of the reply. Like deepeval, it accepts fractions of points."""
    reply = score_reply(text, "score", LOWEST, HIGHEST, whole=False)
    for name, why in reply.invalid.items():
        return why if name == "reply" else f"{name}: {why}"
    if not reply.rationale.strip():
        return "reason: missing"
    return GEvalScore(reply.scores["score"], reply.rationale, reply.forms, reply.stated)


def missing() -> str | None:
    """Return the package that G-Eval needs and how to install it; None if nothing is missing."""
    install = "Run: pip install 'nullbench-site[geval]'"
    installed = version_of("deepeval")
    if installed is None:
        return f"G-Eval needs the package deepeval, version {VERSION}, which is not installed. {install}"
    if installed != VERSION:
        return f"G-Eval needs deepeval {VERSION}; installed is {installed}, whose scores may differ. {install}"
    return None


# By default deepeval reports each use to a server, reads .env files and a key file into the environment, makes folders
# in the working directory and in the home, and takes settings from more than 150 environment variables. It does so when
# it is imported and when it counts its uses; a measurement reads no setting. So it is imported in an environment with
# only our switches, and counts in a context of ours, which is never sent.

_SWITCHES = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
}
_KEPT = frozenset({"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TEMP", "TMP", "TMPDIR", "TZ"})
"""Variables that deepeval and the packages it imports may see."""


@cache
def scope() -> Context:
    """Import deepeval, which takes some 2 s, and return a context in which it sends no counts.

    Call it before any other import of deepeval. Raises ImportError.
    """
    with _environment_of_its_own():
        import_module("deepeval.metrics")
        counting: Any = import_module("deepeval.telemetry.context")
    # Outside of a run it counts in a global, and sends that from a thread and when the process ends.
    context = Context()
    context.run(counting.push_run, counting.Entrypoint.STANDALONE, "")
    return context


@contextmanager
def _environment_of_its_own() -> Iterator[None]:
    before = dict(os.environ)
    try:
        for name in before.keys() - _KEPT:
            del os.environ[name]
        os.environ.update(_SWITCHES)
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


class Case(msgspec.Struct, frozen=True):
    """The texts of a response to judge. A metric shows only some of them."""

    prompt: str
    ideal: str
    response: str


class Measured(msgspec.Struct, frozen=True):
    """A score 0-1 with its reason; or no score, and the problem of the reply. forms, stated: as in Reply."""

    score: float | None
    reason: str
    problem: str | None
    forms: tuple[str, ...] = ()
    stated: tuple[tuple[str, ...], ...] = ()


@cache
def prepare() -> type[Conversation]:
    """Import deepeval, before the event loop runs: it takes some 2 s. Raises ImportError if it is not installed."""
    scope()
    from nullbench_site.judging.geval_conversation import Conversation  # noqa: PLC0415 - deepeval, within `scope` alone

    return Conversation


def worded(metric: str, case: Case) -> str:
    """Return the prompt that judges a case on a metric of METRICS. Raises KeyError, and ImportError as `prepare`."""
    with closing(_conversation(metric, case)) as conversation:
        return conversation.prompt


def measured(metric: str, case: Case, reply: str) -> Measured:
    """Return the score of a case from the judge's reply to that prompt.

    Source of the score: Liu et al. 2023, G-Eval, in deepeval's form without token probabilities: (points - 0) / 10.
    """
    verdict = read(reply)
    if isinstance(verdict, str):
        return Measured(None, "", verdict)
    with closing(_conversation(metric, case)) as conversation:
        return Measured(conversation.score(verdict), verdict.reason, None, verdict.forms, verdict.stated)


def _conversation(metric: str, case: Case) -> Conversation:
    chosen = METRICS[metric]
    given: dict[Field, str] = {
        "input": case.prompt,
        "expected_output": case.ideal,
        "actual_output": case.response,
    }
    texts = {name: given[name] for name in FIELDS if name in chosen.looks_at}
    digits = nonce(case.response, *(text for name, text in texts.items() if name != "actual_output"))
    return prepare()(chosen, texts, digits, scope())
