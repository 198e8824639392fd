"""A prompt is the task and the source in the words of a template, and nothing else."""

from __future__ import annotations

import tracemalloc

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
        (
            "{{ source }}\n{{ task | bogus }}",
            [
                (
                    2,
                    "the filter 'bogus' has no place in a prompt; known: capitalize, count, default, first, indent, "
                    "join, last, length, list, lower, replace, sort, string, title, trim, truncate, upper, wordcount, "
                    "wordwrap",
                )
            ],
        ),
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
            [(1, "'extends' has no place in a prompt; it is made of text, variables, filters, if, for and set")],
        ),
        ("{% set draft = task | upper %}{{ draft }}{% for s in source.split('.') %}{{ s }}{% endfor %}", []),
    ],
)
def test_what_is_wrong_with_a_template_is_said_with_its_line(text: str, found: list[tuple[int, str]]) -> None:
    assert list(problems(text)) == found


WORK = "the template cannot be filled in: this takes too much work; repeat less, or write the text out"
DEPTH = "expressions stand more than 40 deep inside one another; write it simpler"
LENGTH = "the template cannot be filled in: the prompt has more than 200,000 characters; shorten what it repeats"


def no_place(name: str) -> str:
    return f"{name!r} has no place in a prompt; it is made of text, variables, filters, if, for and set"


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        ("{{ 'a'*4*10**9 }}", no_place("pow")),
        ("{{ 'a' * 4000000000 }}", WORK),
        ("{{ 4000000000 * 'a' }}", WORK),
        ("{{ 'a' * 3000 * 3000 * 3000 }}", WORK),
        ("{{ source.split() * 4000000000 }}", WORK),
        ("{{ 99999 * 99999 * 99999 }}", WORK),
        ("{{ 10 ** 10 ** 10 }}", no_place("pow")),
        ("{{ '%4000000000d' % 1 }}", "the template cannot be filled in: % takes numbers; write the text out"),
        ("{{ '%4000000000d' | format(1) }}", "the filter 'format' has no place in a prompt"),
        ("{{ '{:4000000000}'.format(1) }}", "only methods of texts are called in a prompt"),
        ("{{ 'a' | center(4000000000) }}", "the filter 'center' has no place in a prompt"),
        ("{{ 'a'.ljust(4000000000) }}", "only methods of texts are called in a prompt"),
        ("{{ '\t'.expandtabs(4000000000) }}", "only methods of texts are called in a prompt"),
        ("{{ 'a' | indent(4000000000, first=true) }}", WORK),
        ("{{ 'a a' | wordwrap(1, wrapstring='a' * 9000000) }}", WORK),
        ("{{ ('a' * 9000) | replace('a', 'b' * 9000) }}", WORK),
        ("{{ ('a' * 9000).replace('', 'b' * 9000) }}", WORK),
        ("{{ ('a' * 9000) | list | join('b' * 9000) }}", WORK),
        ("{{ ('b' * 9000).join('a' * 9000) }}", WORK),
        ("{% set a = 'a' * 2000000 %}{{ a ~ a ~ a ~ a ~ a ~ a }}", WORK),
        ("{% set a = 'a' * 2000000 %}{{ a ~ (a ~ (a ~ (a ~ (a ~ a)))) }}", WORK),
        ("{{ 'a' * 200001 }}", LENGTH),
        ("{% set a = 'a' * 9000 %}{% for c in a %}{{ a }}{% endfor %}", LENGTH),
        ("{% set a = 'a' * 999 %}{% for b in a %}{% for c in a %}{{ '' }}{% endfor %}{% endfor %}", WORK),
        ("{% for c in 'a' * 999999 %}{% endfor %}", WORK),
        ("{% set a = 'a' * 4000000 %}{% for c in 'a' * 900 %}{% if a == a ~ 'b' %}{% endif %}{% endfor %}", WORK),
        ("{% set a = 'a' * 4000000 %}{% for c in 'a' * 900 %}{% set b = a[1:] %}{% endfor %}", WORK),
        ("{% set a = 'a' * 4000000 %}{% for c in 'a' * 900 %}{% if a is eq(a) %}{% endif %}{% endfor %}", WORK),
        ("{% set a = ['a'] %}{% set b = [a, a] %}", no_place("list")),
        ("{% set a = ('a', 'a') %}", no_place("tuple")),
        ("{% set a = {'a': 'a'} %}", no_place("dict")),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", no_place("macro")),
        ("{% call source() %}{% endcall %}", no_place("callblock")),
        ("{% for c in source recursive %}{{ loop(source) }}{% endfor %}", "only methods of texts are called"),
        ("{% for c in source recursive %}{% endfor %}", "recursive loops have no place in a prompt"),
        ("{% set a %}{{ source }}{% endset %}", no_place("assignblock")),
        ("{% filter upper %}{{ source }}{% endfilter %}", no_place("filterblock")),
        ("{% set a = namespace(b='') %}", "only methods of texts are called in a prompt"),
        ("{{ lipsum(100000) }}", "only methods of texts are called in a prompt"),
        ("{{ cycler('a') }}", "only methods of texts are called in a prompt"),
        ("{{ lipsum }}", "the template uses 'lipsum', which nothing gives it"),
        ("{% for i in range(4000000000) %}{% endfor %}", "only methods of texts are called in a prompt"),
        ("{{ source | batch(4000000000, 'a') | list }}", "the filter 'batch' has no place in a prompt"),
        ("{{ source | xmlattr }}", "the filter 'xmlattr' has no place in a prompt"),
        ("{{ source | map('upper') | list }}", "the filter 'map' has no place in a prompt"),
        ("{{ source | random }}", "the filter 'random' has no place in a prompt"),
        ("{{ source['upper'] }}", "the template cannot be filled in: string indices must be integers"),
        ("{{ source.upper }}", "'upper' is no value that a text has"),
        ("{{ source.__class__ }}", "'__class__' is no value that a text has"),
        ("{{ " + "(" * 9000 + ")" * 9000 + " }}", DEPTH),
        ("{{ " + "not " * 4000 + "a }}", DEPTH),
        ("{{ " + "-" * 60 + "1 }}", DEPTH),
        ("{% for c in source %}" * 25 + "{% endfor %}" * 25, "the template cannot be filled in: too many"),
        ("{{ " + "9" * 5000 + " }}", "the template cannot be read: Exceeds the limit"),
        ("a" * 20_000, "the template has 20,023 characters; at most 20,000 are allowed"),
    ],
    ids=lambda text: text[:50],
)  # fmt: skip
def test_what_a_template_can_do_to_memory_and_time_is_bounded(attack: str, said: str) -> None:
    tracemalloc.start()
    try:
        line, message = next(problems(f"{{{{ task }}}}{{{{ source }}}}\n{attack}"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert said in message
    assert line == 2 or message != WORK
    assert peak < 100_000_000


def test_a_long_source_in_an_ordinary_template_is_within_the_bounds() -> None:
    text = "{% for line in source.splitlines() %}{{ loop.index }}. {{ line | trim | upper }}\n{% endfor %}{{ task }}"
    source = "one\n" * 5_000
    assert list(problems(text, [{"task": "t" * 20_000, "source": source}])) == []
    assert prompt(text, task="T", source=source).endswith("5000. ONE\nT")
    each = "{{ task }}{% for c in source %}{{ c }}{% endfor %}"
    assert prompt(each, task="T", source=source) == f"T{source}".strip()


def test_a_prompt_of_the_longest_task_and_source_is_within_the_bounds() -> None:
    assert len(prompt(SHIPPED, task="t" * 20_000, source="s" * 20_000)) == 40_002
