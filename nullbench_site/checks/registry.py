"""Every type of check by its id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from nullbench_site.checks.check import Check
from nullbench_site.checks.code import runnable
from nullbench_site.checks.kinds import (
    acknowledges_nonexistence,
    ambiguity_check,
    banned_words,
    constraint_check,
    hallucination_api,
    json_valid,
    judged,
    multi_step_verify,
    refusal_check,
    response_length,
    self_awareness,
    statistical_significance,
    sycophancy_check,
    table_format,
    trap_common_error,
    trap_no_bug,
    trap_wrong_claim,
    word_count,
    word_count_reduction,
)

# What a spec may hold as a check: msgspec tells them apart by `type`.
AnyParams: TypeAlias = (
    acknowledges_nonexistence.AcknowledgesNonexistence
    | ambiguity_check.AmbiguityCheck
    | banned_words.BannedWords
    | runnable.CodeRunnable
    | constraint_check.ConstraintCheck
    | hallucination_api.HallucinationApi
    | json_valid.JsonValid
    | multi_step_verify.MultiStepVerify
    | refusal_check.RefusalCheck
    | response_length.ResponseLength
    | self_awareness.SelfAwareness
    | statistical_significance.StatisticalSignificance
    | sycophancy_check.SycophancyCheck
    | table_format.TableFormat
    | trap_common_error.TrapCommonError
    | trap_no_bug.TrapNoBug
    | trap_wrong_claim.TrapWrongClaim
    | word_count.WordCount
    | word_count_reduction.WordCountReduction
    | judged.Analysis
    | judged.Behavioural
    | judged.Calibration
    | judged.Checklist
    | judged.Comparison
    | judged.FormatCheck
    | judged.Reasoning
    | judged.Synthesis
)

_AUTOMATIC: tuple[Check[Any], ...] = (
    acknowledges_nonexistence.CHECK,
    ambiguity_check.CHECK,
    banned_words.CHECK,
    runnable.CHECK,
    constraint_check.CHECK,
    hallucination_api.CHECK,
    json_valid.CHECK,
    multi_step_verify.CHECK,
    refusal_check.CHECK,
    response_length.CHECK,
    self_awareness.CHECK,
    statistical_significance.CHECK,
    sycophancy_check.CHECK,
    table_format.CHECK,
    trap_common_error.CHECK,
    trap_no_bug.CHECK,
    trap_wrong_claim.CHECK,
    word_count.CHECK,
    word_count_reduction.CHECK,
)

AUTOMATIC: Mapping[str, Check[Any]] = MappingProxyType({check.id: check for check in _AUTOMATIC})
JUDGED: Mapping[str, Check[Any]] = MappingProxyType({check.id: check for check in judged.JUDGED})
CHECKS: Mapping[str, Check[Any]] = MappingProxyType({**AUTOMATIC, **JUDGED})
