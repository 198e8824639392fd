"""The offline contestants: functions of the spec's params and of what is asked, and of nothing else.

Asked is either a task with its source or a bare prompt. The programs of both read a prompt as a source without a task.
"""

from collections.abc import Callable, Mapping

from ..params import Params
from .copy_source import copy_source
from .lead import lead
from .null_constant import null_constant
from .null_empty import null_empty
from .null_persuasive import null_persuasive
from .null_structured import null_structured, null_structured_rubric
from .paraphrase import paraphrase
from .prompted import Prompted
from .prompted.agree import agree
from .prompted.ask_back import ask_back
from .prompted.calculator import calculator
from .prompted.essay import essay
from .prompted.fill_form import fill_form
from .prompted.first_option import first_option
from .prompted.glossary import glossary
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


def _of_prompt(contestant: Contestant) -> Prompted:
    return lambda params, prompt: contestant(params, "", prompt)


PROMPTED: Mapping[str, Prompted] = {
    **{
        name: _of_prompt(CONTESTANTS[name])
        for name in ("copy", "lead", "null-constant", "null-empty", "null-persuasive", "paraphrase", "refuse")
    },
    "agree": agree,
    "ask-back": ask_back,
    "calculator": calculator,
    "essay": essay,
    "fill-form": fill_form,
    "first-option": first_option,
    "glossary": glossary,
    "null-structured": null_structured_rubric,
}
