"""Jinja templates of wordings, read and filled in within a sandbox.

Filling one in takes bounded work, counted and not timed, so that it is refused on every machine or on none: a
template may come from somebody who means no good, and `validate` fills it in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from math import prod
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateError, TemplateSyntaxError, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.meta import find_undeclared_variables
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_PROMPT = 200_000
"""Characters; the longest task and source have 20,000 each."""
MAX_WORK = 10_000_000
"""Characters handled in filling a template in; a node inside a loop counts as a hundred, each time round."""
_NODE = 100
_MAX_DEPTH = 40
_TOO_DEEP = f"expressions stand more than {_MAX_DEPTH} deep inside one another; write it simpler"
_WORK, _PAID, _EACH_ROUND = "work left", "paid for", "each round"
"""A variable and two filters that no template can name, for their spaces."""

_FILTERS = frozenset({
    "capitalize", "count", "default", "first", "indent", "join", "last", "length", "list", "lower", "replace", "sort",
    "string", "title", "trim", "truncate", "upper", "wordcount", "wordwrap",
})  # fmt: skip
_METHODS = frozenset({
    "capitalize", "count", "endswith", "find", "join", "lower", "lstrip", "partition", "removeprefix", "removesuffix",
    "replace", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "title", "upper",
})  # fmt: skip
_NODES = frozenset({
    "Add", "And", "Assign", "Call", "Compare", "Concat", "CondExpr", "Const", "Div", "Filter", "FloorDiv", "For",
    "Getattr", "Getitem", "If", "Keyword", "Mod", "Mul", "Name", "Neg", "Not", "Operand", "Or", "Output", "Pos",
    "Slice", "Sub", "Template", "TemplateData", "Test",
})  # fmt: skip
"""What works on texts, numbers and flat lists of texts alone, so that the size of a value is known when it is made."""
_ERRORS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, SyntaxError)
"""What an expression may raise besides the errors of Jinja."""


def template_problems(
    text: str, variables: Set[str], fillings: Iterable[Mapping[str, str]]
) -> Iterator[tuple[int, str]]:
    """What is wrong with a template: a line and words for each. variables: all that it is given, and has to use.
    fillings: values of these that it is to be used on."""
    try:
        tree = _environment().parse(text)
        foreign = sorted(set(_foreign(tree)))
        used = frozenset() if foreign else find_undeclared_variables(tree)
    except TemplateSyntaxError as error:
        yield error.lineno, f"the template cannot be read: {error.message}"
        return
    except RecursionError:
        yield 1, _TOO_DEEP
        return
    except _ERRORS as error:
        yield 1, f"the template cannot be read: {error}"
        return
    if foreign:
        yield from foreign
        return
    known = ", ".join(sorted(variables))
    for name in sorted(used - variables):
        line = next(node.lineno for node in tree.find_all(nodes.Name) if node.name == name)
        yield line, f"the template uses {name!r}, which nothing gives it; it may use {known}"
    for name in sorted(variables - used):
        yield 1, f"the template never uses {name!r}; a prompt holds both {known}"
    if used == variables:
        try:
            for filling in fillings:
                filled_in(text, filling)
        except (TemplateError, *_ERRORS) as error:
            yield _line_of(error), f"the template cannot be filled in: {error}"


def _line_of(error: Exception) -> int:
    """Where in a template an error was raised."""
    line, step = 1, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "<template>":
            line = step.tb_lineno
        step = step.tb_next
    return line


def filled_in(template: str, values: Mapping[str, str]) -> str:
    """The text of a template. Raises what `template_problems` takes for one."""
    pieces: list[str] = []
    length = 0
    for piece in _compiled(template).generate({**values, _WORK: [MAX_WORK]}):
        length += len(piece)
        if length > MAX_PROMPT:
            raise SecurityError(f"the prompt has more than {MAX_PROMPT:,} characters; shorten what it repeats")
        pieces.append(piece)
    return "".join(pieces).strip()


@cache
def _compiled(text: str) -> Template:
    environment = _environment()
    return environment.from_string(_counted(environment.parse(text)))


@cache
def _environment() -> Environment:
    class Bounded(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%"})

        def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
            if operator == "%" and isinstance(left, str):
                raise TypeError("% takes numbers; write the text out")
            _spend(context, left, right)
            return super().call_binop(context, operator, left, right)

        def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as Jinja
            _spend(__context, getattr(__obj, "__self__", ""), *args, *kwargs.values())
            return super().call(__context, __obj, *args, **kwargs)

        def getitem(self, obj: Any, argument: Any) -> Any:
            return obj[argument]  # never an attribute: a method printed shows where it is in memory

    plain = ImmutableSandboxedEnvironment(undefined=StrictUndefined)

    def bounded(name: str) -> Callable[..., Any]:
        @pass_context
        def apply(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
            _spend(context, value, *args, *kwargs.values())
            return plain.call_filter(name, value, args, kwargs, context=context)

        return apply

    @pass_context
    def paid(context: Context, value: Any) -> Any:
        _spend(context, value)
        return value

    @pass_context
    def each_round(context: Context, value: Any, size: int) -> Any:
        _take(context, len(value) * size * _NODE)
        return value

    environment = Bounded(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals.clear()
    environment.filters = {name: bounded(name) for name in _FILTERS} | {_PAID: paid, _EACH_ROUND: each_round}
    return environment


def _spend(context: Context, *values: Any) -> None:
    """Pay for an operation on `values`. None makes a result longer than the product of their sizes."""
    _take(context, prod(_size(value) + 1 for value in values))


def _take(context: Context, work: int) -> None:
    left = context[_WORK]
    left[0] -= work
    if left[0] < 0:
        raise SecurityError("this takes too much work; repeat less, or write the text out")


def _size(value: Any) -> int:
    match value:
        case str():
            return len(value)
        case int():
            return abs(value)
        case float():
            return int(min(abs(value), MAX_WORK)) if value == value else 0  # noqa: PLR0124 - nan
        case list() | tuple():
            return len(value) + sum(map(_size, value))
        case _:
            return 0


def _foreign(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """What a prompt template may not have, with the line: all whose work cannot be told beforehand."""
    to_visit: list[tuple[nodes.Node, int]] = [(tree, 0)]
    called = {id(call.node) for call in tree.find_all(nodes.Call)}
    while to_visit:
        node, depth = to_visit.pop()
        match node:
            case _ if depth > _MAX_DEPTH:
                yield node.lineno, _TOO_DEEP
                continue
            case nodes.Filter(name=name) if name not in _FILTERS:
                yield node.lineno, f"the filter {name!r} has no place in a prompt; known: {_listed(_FILTERS)}"
            case nodes.Call(node=nodes.Getattr(attr=name)) if name in _METHODS:
                pass
            case nodes.Call():
                yield node.lineno, f"only methods of texts are called in a prompt; known: {_listed(_METHODS)}"
            case nodes.Getattr() if id(node) not in called and node.node != nodes.Name("loop", "load"):
                yield node.lineno, f"{node.attr!r} is no value that a text has; known: task, source, loop.index ..."
            case nodes.For(recursive=True):
                yield node.lineno, "recursive loops have no place in a prompt; write the text out"
            case _ if (kind := type(node).__name__) not in _NODES:
                advice = "it is made of text, variables, filters, if, for and set"
                yield node.lineno, f"{kind.casefold()!r} has no place in a prompt; {advice}"
        step = len(node.nodes) if isinstance(node, nodes.Concat) else 1
        to_visit += ((child, depth + step) for child in node.iter_child_nodes())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _counted(tree: nodes.Template) -> nodes.Template:
    """The same template, in which the work that no operator or filter does is paid for too."""

    def paid(value: nodes.Node, name: str = _PAID, *args: nodes.Expr) -> nodes.Filter:
        return nodes.Filter(value, name, list(args), [], None, None, lineno=value.lineno)

    for node in list(tree.find_all((nodes.For, nodes.Concat, nodes.Compare, nodes.Operand, nodes.Getitem, nodes.Test))):
        match node:
            case nodes.For():
                node.iter = paid(node.iter, _EACH_ROUND, nodes.Const(1 + sum(1 for _ in node.find_all(nodes.Node))))
            case nodes.Concat():
                node.nodes = [paid(part) for part in node.nodes]
            case nodes.Compare() | nodes.Operand():
                node.expr = paid(node.expr)
            case nodes.Getitem():
                node.node = paid(node.node)
            case nodes.Test():
                node.node, node.args = paid(node.node), [paid(arg) for arg in node.args]
    return tree
