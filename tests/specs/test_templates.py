"""A prompt is the task and the source in the words of a template, and nothing else."""

from __future__ import annotations

import pytest

from nullbench_site.packaged import packaged
from nullbench_site.specs.templates import problems, prompt, wording

SHIPPED = (packaged("specs") / "templates/zero-context.j2").read_text("utf-8")


def test_the_shipped_prompt_holds_the_task_and_the_source_alone() -> None:
    assert list(problems(SHIPPED)) == []
    assert (
        prompt(SHIPPED, task="Say it shortly.", source="It rained.\n\nA lot.")
        == "Say it shortly.\n\nIt rained.\n\nA lot."
    )


def test_readers_see_a_template_without_its_canary() -> None:
    assert wording(SHIPPED) == "{{ task }}\n\n{{ source }}"
    assert wording("a{# one\n#}b{# two #}c") == "abc"


def test_what_a_source_says_is_never_run_as_a_template() -> None:
    text = "{{ 7 * 7 }} {% include 'x' %} <b>&amp;</b> {# no comment #}"
    assert prompt("{{ task }} | {{ source }}", task="T", source=text) == f"T | {text}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{{ task }}", [(1, "the template never uses 'source'; a prompt holds both source, task")]),
        (
            "{# {{ task }} {{ source }} #}",
            [
                (1, "the template never uses 'source'; a prompt holds both source, task"),
                (1, "the template never uses 'task'; a prompt holds both source, task"),
            ],
        ),
        (
            "{{ task }}\n{{ source }}\n{{ facts }} {{ goal }}\n{{ facts }}",
            [
                (3, "the template uses 'facts', which nothing gives it; it may use source, task"),
                (3, "the template uses 'goal', which nothing gives it; it may use source, task"),
            ],
        ),
        (
            "{{ task }}\n\n{{ source",
            [(3, "the template cannot be read: unexpected end of template, expected 'end of print statement'.")],
        ),
        ("{{ task }}{{ source }}\n{% bogus %}", [(2, "the template cannot be read: Encountered unknown tag 'bogus'.")]),
        ("{{ task | bogus }}{{ source }}", [(1, "the template cannot be read: No filter named 'bogus'.")]),
        (
            "{{ task / 2 }}{{ source }}",
            [
                (1, "the template cannot be filled in: unsupported operand type(s) for /: 'str' and 'int'"),
            ],
        ),
        (
            "{{ source }}{{ task }}{{ 1 / 0 }}",
            [(1, "the template cannot be filled in: division by zero")],
        ),
        (
            "{% extends 'base' %}{{ source }}{{ task }}",
            [
                (1, "the template cannot be filled in: no loader for this environment specified"),
            ],
        ),
        (
            "{% for i in range(999999999) %}{{ source }}{{ task }}{% endfor %}",
            [
                (
                    1,
                    "the template cannot be filled in: Range too big. "
                    "The sandbox blocks ranges larger than MAX_RANGE (100000).",
                ),
            ],
        ),
        ("{% set draft = task | upper %}{{ draft }}{% for s in source.split('.') %}{{ s }}{% endfor %}", []),
    ],
)
def test_what_is_wrong_with_a_template_is_said_with_its_line(text: str, found: list[tuple[int, str]]) -> None:
    assert list(problems(text)) == found
