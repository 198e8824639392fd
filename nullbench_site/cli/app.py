"""The command group, and what commands share. They are imported when called: `--version` and completion are instant."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from nullbench_site import __version__
from nullbench_site.cli import begin, exit_interrupted
from nullbench_site.errors import NullbenchError
from nullbench_site.text import nearest

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


_MODULES = {
    "init": "specs",
    "validate": "specs",
    "hide": "specs",
    "reveal": "specs",
    "plan": "plan",
    "diff": "diff",
    "comment": "diff",
    "build": "build",
    "rejudge": "build",
    "score": "runs",
    "render": "runs",
    "serve": "runs",
    "verify": "runs",
    "runs": "runs",
    "import": "importing",
    "submit": "importing",
    "completion": "app",
}
"""Where each command stands, in the order of the help."""


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"nullbench_site.cli.{_MODULES[cmd_name]}")
        command = getattr(module, f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _MODULES and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = nearest(args[0], _MODULES)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {close!r}?" if close else ""))
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nullbench-site")
@click.option(
    "-C",
    "--directory",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    default=Path(),
    help="The benchmark repository to work in, instead of the current folder.",
)
@click.pass_context
def app(context: click.Context, directory: Path) -> None:
    """Leaderboards with their evidence: specs in, a static site out.

    \b
    A first board:
      nullbench-site init my-board
      cd my-board
      nullbench-site build
      nullbench-site serve
    """
    from nullbench_site.api import Repository

    context.obj = Repository(directory)
    begin()


@app.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that teaches a shell to complete commands, options, boards, models and runs.

    \b
    Examples:
      nullbench-site completion bash >> ~/.bashrc
      nullbench-site completion fish > ~/.config/fish/completions/nullbench-site.fish
    """
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    if maker is not None:
        root = context.find_root().command
        click.echo(maker(root, {}, "nullbench-site", "_NULLBENCH_SITE_COMPLETE").source())


def run() -> None:
    """Run a command; every error a user can mend becomes one message and its exit code."""
    # Arrays are small here: threads of a linear algebra library would cost time and gain none.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = app.main(prog_name="nullbench-site", standalone_mode=False) or 0
        # A report that does not fit on the disk it is sent to is refused here, not when the process ends.
        sys.stdout.flush()
        sys.exit(code)
    except NullbenchError as error:
        click.echo(f"Error: {error}" if "\n" not in str(error) else str(error), err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        exit_interrupted()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except OSError as error:
        _exit_if_the_disk_refused(error)
        raise


def _exit_if_the_disk_refused(error: OSError) -> None:
    """Specs that may not be read, a report that does not fit on the disk it is sent to."""
    from nullbench_site.runs.storage import is_refusal, refusal

    if is_refusal(error):
        # What a buffered stdout still holds would be refused again, and noisily, when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        refused = refusal(error)
        click.echo(f"Error: {refused}", err=True)
        sys.exit(refused.exit_code)
