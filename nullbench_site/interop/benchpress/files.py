"""The types of BenchPress' files, as far as they are read; further keys are left alone.

evals/general.json holds the prompts, results/MODEL.json a history of entries for each prompt, the newest last.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Raw, Struct

from nullbench_site.checks.check import Line, Prose
from nullbench_site.specs.types.common import Difficulty

_Name = Annotated[str, Meta(min_length=1, max_length=80)]
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]
_Tokens = Annotated[int, Meta(ge=0, le=10**12)]
_Whole = Annotated[int, Meta(ge=0, le=100_000)]


class Constraints(Struct, frozen=True, forbid_unknown_fields=True):
    """What a constraint_check counts. Another key would be a constraint that nobody checks, so it is refused."""

    count: _Whole | None = None
    excluded: tuple[Line, ...] = ()
    max_words_per_item: _Whole | None = None


class Prompt(Struct, frozen=True, kw_only=True):
    """One of `prompts`: what is asked, and the parameters of its check."""

    id: _Name
    category: _Name
    subcategory: _Name
    difficulty: Difficulty
    prompt: Prose
    ideal: Prose
    criteria: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=20)]
    check_type: Line
    target_word_count: _Whole | None = None
    tolerance: _Whole | None = None
    max_words: _Whole | None = None
    banned_words: tuple[Line, ...] | None = None
    constraints: Constraints | None = None
    expected_answer: Line | None = None
    expected_columns: _Whole | None = None
    expected_rows: _Whole | None = None
    checklist_items: tuple[Line, ...] | None = None
    wrong_position: Line | None = None
    fake_thing: Line | None = None
    trap: Line | None = None
    should_refuse: bool | None = None


class PromptsFile(Struct, frozen=True):
    """evals/general.json."""

    prompts: Annotated[list[Raw], Meta(min_length=1)]


class Checked(Struct, frozen=True, gc=False):
    """What their automatic checks found: a line for each thing."""

    flags: list[str]


class Verdict(Struct, frozen=True, gc=False):
    """What a judge gave. A score may be anything, for one that is no mark is recorded as such."""

    score: Any
    rationale: str


class Metrics(Struct, frozen=True, gc=False):
    """The G-Eval scores of 0-1 that DeepEval gave; None where it gave none."""

    correctness: Any = None
    coherence: Any = None
    instruction_following: Any = None


class Entry(Struct, frozen=True, kw_only=True, gc=False):
    """One answer of a model to a prompt, or the error in its place. Seconds, tokens."""

    timestamp: datetime
    api_model: Line
    content: str | None
    latency_s: _Seconds
    auto_checks: Checked
    judge_scores: dict[_Name, Verdict]
    deepeval_scores: Metrics | None = None
    input_tokens: _Tokens | None = None
    output_tokens: _Tokens | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        return self.error is not None or self.content is None


HistoriesT = TypeVar("HistoriesT")


class ResultsFile(Struct, Generic[HistoriesT], frozen=True):
    """results/MODEL.json. Beside the prompts of evals/general.json most hold those of other suites."""

    model_name: Line
    runs: dict[str, HistoriesT]
