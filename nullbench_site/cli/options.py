"""Options, arguments and lines that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


class NamesBelow(click.types.StringParamType):
    """The names of files or folders in a part of the repository, offered by shell completion."""

    def __init__(self, name: str, pattern: str) -> None:
        self.name, self.pattern = name, pattern

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        # Completion only parses the command line, so there is no repository yet.
        root: Path = ctx.find_root().params.get("directory") or Path()
        names = sorted(path.stem if path.is_file() else path.name for path in root.glob(self.pattern))
        return [CompletionItem(name) for name in names if name.startswith(incomplete) and not name.startswith(".")]


def selection_options(command: Command) -> Command:
    """--board and --model, to ask for a part only; what is known of the rest is taken all the same."""
    model = click.option(
        "--model", "models", multiple=True, type=NamesBelow("model", "specs/models/*.yaml"),
        help="Ask this contestant only; may be repeated.",
    )  # fmt: skip
    board = click.option(
        "--board", "boards", multiple=True, type=NamesBelow("board", "specs/boards/*.yaml"),
        help="Ask on this board only; may be repeated.",
    )  # fmt: skip
    return board(model(command))


def profile_option(command: Command) -> Command:
    """--profile, to choose other panels and contestants than a board's own."""
    return click.option("--profile", metavar="NAME", help="Evaluate the boards as this profile of theirs has them.")(
        command
    )


def run_argument(command: Command) -> Command:
    """RUN: a run's name or folder; the newest sealed run if it is left out."""
    return click.argument("run", required=False, type=NamesBelow("run", "runs/*"))(command)


def table_lines(rows: Sequence[Sequence[str]], words: int | None = None) -> Iterator[str]:
    """Rows as lines of columns. words: how many columns stand to the left; numbers, those after them, to the right."""
    # By hand: to import rich takes as long as all of a small plan.
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:{'<' if words is None or at < words else '>'}{widths[at]}}" for at, cell in enumerate(row))
        yield "  ".join(cells).rstrip()


def say(message: str) -> None:
    """A line for the reader, not for a program: stderr."""
    click.echo(message, err=True)
