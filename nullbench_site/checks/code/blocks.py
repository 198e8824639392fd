"""The Python code of a response."""

from __future__ import annotations

from textwrap import dedent

from nullbench_site.checks.reading.response import Response

_LABELS = frozenset(("python", "py", "python3", "py3", "pycon", "ipython", "python-repl"))
_PROMPTS = (">>> ", "... ")
_BARE_PROMPTS = (">>>", "...")
_STATEMENTS = ("def ", "class ", "import ", "from ", "async def ", "@", "#!", '"""')


def python_blocks(response: Response) -> list[str]:
    """The code blocks marked as Python; without any, those not marked; without code blocks, the whole response if its
    first line begins like a program.
    """
    marked = [fence.code for fence in response.fences if fence.label in _LABELS]
    found = marked or [fence.code for fence in response.fences if not fence.label]
    if not response.fences:
        text = response.text.strip()
        found = [text] if text.startswith(_STATEMENTS) else []
    return [_program(code) for code in found if code.strip()]


def _program(code: str) -> str:
    """`code` without common indent, and of a transcript only what was typed."""
    lines = dedent(code).split("\n")
    if any(line.startswith(_PROMPTS[0]) for line in lines):
        typed = (line for line in lines if line.startswith(_PROMPTS) or line in _BARE_PROMPTS)
        return "\n".join(line[4:] for line in typed)
    return "\n".join(lines)
