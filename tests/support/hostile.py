"""A benchmark whose every text tries to become markup, script, template or formula, and a run that answers alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.fakes import FakeBackend, is_judging, use
from support.sites import Site, site_once, write_two_boards

from nullbench_site import api
from nullbench_site.evaluation.backends.base import BackendError
from nullbench_site.judging.calls import Request
from nullbench_site.specs.document import CONTROL
from nullbench_site.text import hidden_character

PAYLOADS = (
    "<script>alert(1)</script>",
    "</title><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "{{ 7*7 }} {% raw %} {# no comment #}",
    '--8<-- "mkdocs.yml"',
    "!!! note\n    indented\n\n# heading\n\n---\n",
    "[x](javascript:alert(4)) ![y](javascript:alert(5)) <javascript:alert(6)>",
    "word {: onclick=alert(7) .x #y }",
    "</script><script>alert(8)</script><!-- <![CDATA[ -->",
    "\u202eright to left\u202c and \u2066isolated",
    "=1+1",
    "' onmouseover='alert(9)' x=\"` ${alert(10)} `",
    "&lt;b&gt; &#60;i&#62; &amp;copy; \\u003cscript\\u003e",
    "</div></article></main><h1>outside</h1><style>*{display:none}</style>",
    "emoji \U0001f3c6 and letters \u00e9\u66f8 \u2028 separators \u0085",
    '0;url=https://evil.invalid/" http-equiv="refresh',
    "escape \x1b[31m bell \x07 and no character \ufffe",
)
LONG = "x" * 100_000


@dataclass
class Texts:
    """Hands out hostile texts in turn, no two alike."""

    handed_out: int = 0

    def line(self) -> str:
        self.handed_out += 1
        return f"{PAYLOADS[self.handed_out % len(PAYLOADS)]} zq{self.handed_out}q"

    def of_specs(self) -> str:
        """As a spec may hold it: without control characters."""
        return CONTROL.sub("", self.line())


def _hostile_specs(specs: Path, texts: Texts) -> None:
    for path in sorted(specs.rglob("*.yaml")):
        spec = yaml.safe_load(path.read_text("utf-8"))
        change_words(spec, texts.of_specs)
        if path.name == "benchmark.yaml":
            spec["title"] = as_seen(f"{PAYLOADS[2]} {PAYLOADS[-1]} {PAYLOADS[1]}")
        path.write_text(yaml.safe_dump(spec, allow_unicode=False, sort_keys=False), "utf-8")
    template = specs / "templates" / "zero-context.txt"
    hostile = texts.of_specs().replace("{{", "{%").replace("}}", "%}")  # double braces are refused
    template.write_text(f"{template.read_text('utf-8')}\n{hostile}\n", "utf-8")


_WORDS = frozenset(("description", "question", "measures", "rule", "text", "ideal", "reason"))
_ON_ONE_LINE = frozenset(("title", "short", "vendor", "license", "by"))
_READ_BY_PROGRAMS = frozenset(("source", "task", "prompt"))


def change_words(value: Any, line: Callable[[], str]) -> None:
    """Put hostile texts in place of all words in a spec; what programs read of a text stays in it."""
    if isinstance(value, list):
        for entry in value:
            change_words(entry, line)
    if isinstance(value, dict):
        for key, entry in value.items():
            if key in _READ_BY_PROGRAMS:
                value[key] = f"{entry} {line()}"
            elif key in _WORDS:
                value[key] = as_seen(line())
            elif key in _ON_ONE_LINE:
                value[key] = " ".join(as_seen(line()).split()).replace(" #", "#")
            elif key in ("anchors", "criteria"):
                value[key] = [as_seen(line()) for _ in entry]
            else:
                change_words(entry, line)


def as_seen(text: str) -> str:
    """As a title or a description may be: without characters that steer or are invisible."""
    return "".join(each for each in CONTROL.sub("", text) if hidden_character(each) is None)


def _answers(texts: Texts) -> FakeBackend:
    def fails(request: Request) -> bool:
        return not is_judging(request) and request.model == "lead" and "310 salmon" in str(request.messages)

    def reply(request: Request, text: str) -> str:
        if not is_judging(request):
            return f"{text}\n{texts.line()}\n{LONG if request.model == 'textrank' else ''}"
        if request.model == "form" and "63 trout" in text + str(request):
            return texts.line()
        verdict = json.loads(text)
        verdict["rationale"] = texts.line()
        if request.model == "restraint":
            verdict["axes"] = dict.fromkeys(verdict["axes"], PAYLOADS[2])
        return json.dumps(verdict)

    class Failing(FakeBackend):
        async def ask(self, request: Request) -> Any:
            try:
                return await super().ask(request)
            except BackendError:
                raise BackendError(texts.line()) from None

    return Failing(fails=fails, reply=reply)


def _hostile_site(folder: Path) -> Site:
    repository = write_two_boards(folder)
    texts = Texts()
    _hostile_specs(repository.specs, texts)
    with pytest.MonkeyPatch.context() as patch:
        use(patch, _answers(texts))
        api.build(repository)
    return Site(repository)


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The small site with hostile texts everywhere; see `sites.site_once`."""
    return site_once(tmp_path_factory, "hostile-site", _hostile_site)
