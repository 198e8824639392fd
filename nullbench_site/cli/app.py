"""The command group, and the shared parts of commands. Commands are imported when called, so `--version` is instant."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from nullbench_site import __version__
from nullbench_site.cli import begin, exit_interrupted
from nullbench_site.errors import NullbenchError
from nullbench_site.text import nearest, short_line

if TYPE_CHECKING:
    from nullbench_site.extensions import Kind

UNEXPECTED = 1
"""The exit code after an unexpected error, as for an uncaught exception of Python."""
_MOST_ERROR = 500
Command = TypeVar("Command", bound=Callable[..., Any])


class InputFile(click.Path):
    """An existing file to read. A device is refused, since reading it may not end."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.is_char_device() or path.is_block_device():
            self.fail(f"File {str(path)!r} is a device; name a regular file.", param, ctx)
        return path


class NamesBelow(click.types.StringParamType):
    """A parameter that shell completion fills with names of files or folders in the repository."""

    def __init__(self, name: str, pattern: str) -> None:
        self.name, self.pattern = name, pattern

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        # Completion only parses the command line, so there is no repository yet.
        root: Path = ctx.find_root().params.get("directory") or Path()
        names = sorted(path.stem if path.is_file() else path.name for path in root.glob(self.pattern))
        return [CompletionItem(name) for name in names if name.startswith(incomplete) and not name.startswith(".")]


class NamesOf(click.Choice[str]):
    """A parameter whose values are the names of registered extensions, which are read when it is used."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        super().__init__([])

    @property
    def choices(self) -> Sequence[str]:
        from nullbench_site.extensions import registered

        return tuple(registered(self.kind))

    @choices.setter
    def choices(self, value: Sequence[str]) -> None:
        pass


def selection_options(command: Command) -> Command:
    """Add the options that limit the calls, and pass them on as `selection`. Other recorded answers are still used."""

    @functools.wraps(command)
    def with_selection(*arguments: Any, **options: Any) -> Any:
        from nullbench_site.evaluation.targets import Selection

        chosen = {name: options.pop(name) for name in ("boards", "models", "domains", "items", "limit")}
        return command(*arguments, selection=Selection(**chosen), **options)

    made: Any = with_selection
    made = click.option(
        "--limit", type=click.IntRange(1), metavar="N",
        help="Make the calls of the first N items of each board only, such as for a smoke test.",
    )(made)  # fmt: skip
    for name, where, what in (
        ("item", "", "Make the calls of this item only"),
        ("domain", "specs/domains/*.yaml", "Make the calls of this domain only"),
        ("model", "specs/models/*.yaml", "Call this contestant only"),
        ("board", "specs/boards/*.yaml", "Make the calls of this board only"),
    ):
        kind = NamesBelow(name, where) if where else click.STRING
        made = click.option(f"--{name}", f"{name}s", multiple=True, type=kind, help=f"{what}; may be repeated.")(made)
    wrapped: Command = made
    return wrapped


def profile_option(command: Command) -> Command:
    """Add --profile, which selects other panels and contestants of the boards."""
    return click.option(
        "--profile", metavar="NAME", help="Use this profile of the boards: its panels and contestants."
    )(command)


def run_argument(command: Command) -> Command:
    """Add RUN, a run's name or folder."""
    return click.argument("run", required=False, type=NamesBelow("run", "runs/*"))(command)


def table_lines(rows: Sequence[Sequence[str]], words: int | None = None) -> Iterator[str]:
    """Lay out rows in columns. words: the number of left-aligned columns; numbers follow, right-aligned."""
    # Not rich: its import takes as long as a small plan.
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:{'<' if words is None or at < words else '>'}{widths[at]}}" for at, cell in enumerate(row))
        yield "  ".join(cells).rstrip()


def say(message: str) -> None:
    """Print a line for readers on stderr; stdout is for programs."""
    click.echo(message, err=True)


_MODULES = {
    "init": "specs",
    "validate": "specs",
    "add": "adding",
    "hide": "specs",
    "reveal": "specs",
    "plan": "plan",
    "diff": "diff",
    "comment": "diff",
    "build": "build",
    "rejudge": "build",
    "ingest": "batches",
    "merge": "batches",
    "score": "runs",
    "render": "runs",
    "serve": "serving",
    "model": "model",
    "verify": "runs",
    "runs": "runs",
    "import": "importing",
    "submit": "importing",
    "export": "exporting",
    "rank": "rank",
    "audit": "audit",
    "overlap": "overlap",
    "label": "labels",
    "screen-judges": "screening",
    "completion": "app",
}
"""The module of each command, in the order of --help."""


class _LazyGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"nullbench_site.cli.{_MODULES[cmd_name]}")
        name = cmd_name.replace("-", "_")
        command = getattr(module, f"{name}_" if iskeyword(name) else name)
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
    help="The repository to work in; the current folder by default.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.pass_context
def app(context: click.Context, directory: Path, *, debug: bool) -> None:
    """Build leaderboards with their evidence, from YAML specs to a static site.

    \b
    A first board:
      nullbench-site init my-board
      cd my-board
      nullbench-site build
      nullbench-site serve
    """
    from nullbench_site.repository import Repository

    context.obj = Repository(directory)
    begin()


@app.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets a shell complete commands, options, boards, models and runs.

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
    """Run a command. Every error becomes one message and an exit code."""
    # Arrays are small, so threads of a linear algebra library cost more time than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = app.main(prog_name="nullbench-site", standalone_mode=False) or 0
        # Report a full disk behind stdout here, not when the process ends.
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
    except Exception as error:
        if isinstance(error, OSError):
            _exit_if_the_disk_refused(error)
        if "--debug" in sys.argv:
            raise
        click.echo(f"Error: {_unexpected(error)}", err=True)
        sys.exit(UNEXPECTED)


def _unexpected(error: Exception) -> str:
    """Describe an error of ours, of an extension or of a file, with the place that raised it."""
    from nullbench_site.extensions import raised_in

    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "unknown place"
    extension = raised_in(error)
    if extension is not None:
        package = f"{extension.package} {extension.version}"
        where += f", in {package}, which registers {extension.name!r} among {extension.kind}"
    text = "; ".join(filter(None, (str(error), *getattr(error, "__notes__", ()))))
    named = type(error).__name__ + (f": {short_line(text, _MOST_ERROR)}" if text else "")
    return f"unexpected {named} ({where}); run `nullbench-site --debug ...` for the traceback"


def _exit_if_the_disk_refused(error: OSError) -> None:
    """Exit with a message for unreadable specs or a full disk."""
    from nullbench_site.runs.storage import is_refusal, refusal

    if is_refusal(error):
        # The rest of a buffered stdout would be refused again when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        refused = refusal(error)
        click.echo(f"Error: {refused}", err=True)
        sys.exit(refused.exit_code)
