"""A prompt is the task and the source in the words of a template, and nothing else."""

from __future__ import annotations

import pytest

from nullbench_site.packaged import packaged
from nullbench_site.specs.templates import filled, problems, wording

SHIPPED = (packaged("specs") / "templates/zero-context.txt").read_text("utf-8")
BOTH = "'{{ source }}' and '{{ task }}'"
VARIABLES = {"task": True, "source": True}


def test_the_shipped_prompt_holds_the_task_and_the_source_alone() -> None:
    assert list(problems(SHIPPED, VARIABLES)) == []
    assert (
        filled(SHIPPED, {"task": "Say it shortly.", "source": "It rained.\n\nA lot."})
        == "Say it shortly.\n\nIt rained.\n\nA lot."
    )


def test_readers_see_a_template_without_its_canary() -> None:
    assert wording(SHIPPED) == "{{ task }}\n\n{{ source }}"
    assert wording("{# nullbench-canary:new #}\n{{ task }}") == "{{ task }}"


def test_texts_and_all_else_in_a_template_are_sent_as_they_are() -> None:
    text = "{{ 7 * 7 }} {{ task }} {% include 'x' %} <b>&amp;</b> {# no comment #}"
    assert filled("{% raw %} {{task}} | {{ source }}", {"task": "T", "source": text}) == f"{{% raw %}} T | {text}"
    assert filled("# Read this\n{{ task }}{{ source }}", {"task": "T", "source": "S"}) == "# Read this\nTS"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ task }}", [(1, f"the template does not use 'source'; it must contain {BOTH}")]),
        (
            "{{ task }}\n{{ source }}\n{{ facts }} {{ goal }}",
            [
                (3, f"unknown variable 'facts'; a template can use {BOTH}"),
                (3, f"unknown variable 'goal'; a template can use {BOTH}"),
            ],
        ),
        (
            "{# nullbench-canary:new #}\n{{ task }}{{ source }}\n{{ task | upper }}",
            [(3, f"unexpected '{{{{'; only {BOTH} are replaced")],
        ),
        ("{{ task }}{{ source }}\n{{ source", [(2, f"unexpected '{{{{'; only {BOTH} are replaced")]),
        ("a" * 20_001, [(1, "the template has 20,001 characters; at most 20,000 are allowed")]),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_is_wrong_with_a_template_is_said_with_its_line(text: str, found: list[tuple[int, str]]) -> None:
    assert list(problems(text, VARIABLES)) == found


def test_a_template_that_makes_prompts_too_long_is_refused() -> None:
    assert list(problems("{{ task }}" + "{{ source }}" * 8, VARIABLES)) == []
    assert [message for _, message in problems("{{ task }}" + "{{ source }}" * 9, VARIABLES)] == [
        "the template uses variables 10 times, which makes prompts too long; use each variable once"
    ]


def test_a_template_may_leave_out_an_optional_variable_and_an_item_may_lack_it() -> None:
    variables = {"prompt": True, "source": False}
    assert list(problems("{{ prompt }}", variables)) == []
    assert list(problems("{{ source }}", variables)) == [
        (1, "the template does not use 'prompt'; it must contain '{{ prompt }}'")
    ]
    assert filled("{{ source }}\n\n{{ prompt }}", {"prompt": "P"}) == "P"
