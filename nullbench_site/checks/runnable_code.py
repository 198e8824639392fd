"""Check that the Python of a response parses and, if the spec asks for it, runs."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Annotated, Literal

from msgspec import Meta

from nullbench_site.checks.check import Check, Flag, Prose, ResponseText, Result, about, failed, not_applicable, verdict
from nullbench_site.checks.sandbox import Ending, execute

_LABELS = frozenset(("python", "py", "python3", "py3", "pycon", "ipython", "python-repl"))
_PROMPTS = (">>> ", "... ")
_BARE_PROMPTS = (">>>", "...")
_STATEMENTS = ("def ", "class ", "import ", "from ", "async def ", "@", "#!", '"""')


def python_blocks(response: ResponseText) -> list[str]:
    """Return the code blocks marked as Python; without any, the unmarked ones.

    Without code blocks, return the whole response if it begins like a program.
    """
    marked = [fence.code for fence in response.fences if fence.label in _LABELS]
    blocks = marked or [fence.code for fence in response.fences if not fence.label]
    if not response.fences:
        text = response.text.strip()
        blocks = [text] if text.startswith(_STATEMENTS) else []
    return [_program(code) for code in blocks if code.strip()]


def _program(code: str) -> str:
    """Return `code` without common indent; of a transcript, only the input."""
    lines = dedent(code).split("\n")
    if any(line.startswith(_PROMPTS[0]) for line in lines):
        typed = (line for line in lines if line.startswith(_PROMPTS) or line in _BARE_PROMPTS)
        return "\n".join(line[4:] for line in typed)
    return "\n".join(lines)


# The parser's time grows faster than the fields of an f-string, and its memory is many times the source's.
MOST_CHARACTERS, MOST_BRACES = 60_000, 5_000


class UnparsableError(Exception):
    """The source cannot be parsed. `flag` and `why` are a Flag's."""

    def __init__(self, flag: str, why: str) -> None:
        super().__init__(why)
        self.flag = flag
        self.why = why


def parse(source: str) -> ast.Module:
    """Return the tree of `source`, which is neither compiled nor executed. Raises UnparsableError.

    Compiling nested `finally` takes 2 to the power of its depth.
    """
    if len(source) > MOST_CHARACTERS:
        raise UnparsableError(
            "code_too_long", f"{len(source):,} characters of code, at most {MOST_CHARACTERS:,} are read"
        )
    if source.count("{") > MOST_BRACES:
        raise UnparsableError("code_too_complex", f"more than {MOST_BRACES:,} braces in the code")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (RecursionError, MemoryError):
        raise UnparsableError("code_too_complex", "the code is nested deeper than the parser can read") from None
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise UnparsableError("syntax_error", f"the code is no Python{where}") from None
    except ValueError:  # null characters, halves of characters
        raise UnparsableError("syntax_error", "the code holds characters that no program may") from None


Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$(?!\n)", max_length=100, description="A Python name.")]
Names = Annotated[tuple[Name, ...], Meta(max_length=50)]

_ENDINGS: dict[Ending, Flag] = {
    "raised": Flag("raised", "the code raises an exception when it is run"),
    "tests-failed": Flag("tests_failed", "the code runs, and the tests of the spec fail on it"),
    "exited": Flag("exited", "the code ends the program before it is through"),
    "out-of-memory": Flag("out_of_memory", "the code needs more memory than it may have"),
    "timed-out": Flag("timed_out", "the code takes longer than it may"),
    "killed": Flag("killed", "the code was stopped: it broke a limit of the sandbox or crashed"),
}


class CodeRunnable(Check, frozen=True, tag="code-runnable"):
    """Parameters of code-runnable."""

    title, looks_at, cannot_see = about("code-runnable")
    revision = 1

    language: Annotated[Literal["python"], Meta(description="The language of the code.")] = "python"
    defines: Annotated[Names, Meta(description="Functions and classes that must be defined, methods included.")] = ()
    forbidden_calls: Annotated[Names, Meta(description="Functions and methods that must not be called, by name.")] = ()
    run: Annotated[
        bool, Meta(description="True: execute the code, all blocks in order, in a sandbox. Needs bubblewrap.")
    ] = False
    tests: Annotated[Prose, Meta(description="Python that runs after the code in the same module.")] | None = None
    seconds: Annotated[float, Meta(gt=0, le=60, description="The most seconds that the code may take.")] = 5.0
    megabytes: Annotated[int, Meta(ge=64, le=4096, description="The most memory that the code may take.")] = 512

    def __post_init__(self) -> None:
        if self.tests is not None and not self.run:
            raise ValueError("tests need run: true")

    @property
    def executes(self) -> bool:
        """Return True if `run` asks for it."""
        return self.run

    def check(self, response: ResponseText) -> Result:
        """Fail if there is no Python or a block does not parse; with `run`, also if it does not run.

        Code that imports more than the standard library is not run. Raises SandboxUnavailableError.
        """
        blocks = python_blocks(response)
        if not blocks:
            return failed("no_code", "holds no Python code block")
        trees: list[ast.Module] = []
        flags: list[Flag] = []
        for at, block in enumerate(blocks, 1):
            try:
                trees.append(parse(block))
            except UnparsableError as error:
                flags.append(Flag(error.flag, f"code block {at} of {len(blocks)}: {error.why}"))
        if flags:
            return verdict(*flags)
        if not (self.defines or self.forbidden_calls or self.run):
            return verdict()
        nodes = [node for tree in trees for node in ast.walk(tree)]
        flags = [*_undefined(nodes, self), *_forbidden(nodes, self)]
        if not self.run or flags:
            return verdict(*flags)
        if any(module not in sys.stdlib_module_names for module in _imported(nodes)):
            return not_applicable("needs_modules", "parses; not run, for it imports more than the standard library")
        ending = execute("\n\n".join(blocks), tests=self.tests or "", seconds=self.seconds, megabytes=self.megabytes)
        return verdict(_ENDINGS.get(ending))


def _undefined(nodes: Sequence[ast.AST], params: CodeRunnable) -> Iterator[Flag]:
    defined = {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    missing = [name for name in params.defines if name not in defined]
    if missing:
        yield Flag("not_defined", f"does not define: {', '.join(missing)}")


def _forbidden(nodes: Sequence[ast.AST], params: CodeRunnable) -> Iterator[Flag]:
    called = {_name(node.func) for node in nodes if isinstance(node, ast.Call)}
    used = [name for name in params.forbidden_calls if name in called]
    if used:
        yield Flag("forbidden_calls", f"calls what it must not: {', '.join(used)}")


def _name(function: ast.expr) -> str | None:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None


def _imported(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(level=0, module=str(module)):
                yield module.partition(".")[0]
