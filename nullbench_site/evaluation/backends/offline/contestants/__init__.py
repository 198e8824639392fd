"""The offline contestants: functions of the spec's params, the task and the source, and of nothing else."""

from collections.abc import Callable, Mapping

from ..params import Params
from .copy_source import copy_source
from .lead import lead
from .null_constant import null_constant
from .null_empty import null_empty
from .null_persuasive import null_persuasive
from .null_structured import null_structured
from .paraphrase import paraphrase
from .random_sentences import random_sentences
from .refuse import refuse
from .task_aware import task_aware
from .textrank import textrank

Contestant = Callable[[Params, str, str], str]

CONTESTANTS: Mapping[str, Contestant] = {
    "copy": copy_source,
    "lead": lead,
    "null-constant": null_constant,
    "null-empty": null_empty,
    "null-persuasive": null_persuasive,
    "null-structured": null_structured,
    "paraphrase": paraphrase,
    "random-sentences": random_sentences,
    "refuse": refuse,
    "task-aware": task_aware,
    "textrank": textrank,
}
