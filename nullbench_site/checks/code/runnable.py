"""Whether the Python of a response parses, and, where asked for, runs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.code.blocks import python_blocks
from nullbench_site.checks.code.sandbox import Ending, execute
from nullbench_site.checks.code.syntax import UnparsableError, parse
from nullbench_site.checks.params import Params, Prose
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.result import Flag, Result, not_applicable, verdict

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


class CodeRunnable(Params, frozen=True, tag="code-runnable"):
    """Parameters of code-runnable."""

    language: Literal["python"] = "python"
    defines: Annotated[Names, Meta(description="Functions and classes that must be defined, methods included.")] = ()
    forbidden_calls: Annotated[Names, Meta(description="Functions and methods that must not be called, by name.")] = ()
    run: Annotated[
        bool, Meta(description="Whether to execute the code, all blocks in order, in a sandbox. Needs bubblewrap.")
    ] = False
    tests: Annotated[Prose, Meta(description="Python that runs after the code in the same module.")] | None = None
    seconds: Annotated[float, Meta(gt=0, le=60)] = 5.0
    megabytes: Annotated[int, Meta(ge=64, le=4096)] = 512

    def __post_init__(self) -> None:
        if self.tests is not None and not self.run:
            raise ValueError("tests need run: true")


def code_runnable(response: Response, params: CodeRunnable) -> Result:
    """Fails where there is no Python or a block does not parse; where `run` asks for it, where it does not run.

    Code that imports what is not in the standard library is not run. Raises SandboxUnavailableError.
    """
    blocks = python_blocks(response)
    if not blocks:
        return verdict(Flag("no_code", "holds no Python code block"))
    trees: list[ast.Module] = []
    flags: list[Flag] = []
    for at, block in enumerate(blocks, 1):
        try:
            trees.append(parse(block))
        except UnparsableError as error:
            flags.append(Flag(error.flag, f"code block {at} of {len(blocks)}: {error.why}"))
    if flags:
        return verdict(*flags)
    if not (params.defines or params.forbidden_calls or params.run):
        return verdict()
    nodes = [node for tree in trees for node in ast.walk(tree)]
    flags = [*_undefined(nodes, params), *_forbidden(nodes, params)]
    if not params.run or flags:
        return verdict(*flags)
    if any(module not in sys.stdlib_module_names for module in _imported(nodes)):
        return not_applicable(Flag("needs_modules", "parses; not run, for it imports more than the standard library"))
    ending = execute("\n\n".join(blocks), tests=params.tests or "", seconds=params.seconds, megabytes=params.megabytes)
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


CHECK = Check(
    title="Runnable code",
    looks_at="The Python code blocks: whether each parses as the Python that runs this program, what they define and "
    "call, and, where the spec asks, whether they run in a sandbox and pass the spec's tests.",
    cannot_see="Without running: names that are not defined, wrong types, wrong results. When run: code that pretends "
    "to have passed, what needs input, files, a network, other processes or packages. Other languages.",
    params=CodeRunnable,
    function=code_runnable,
)
