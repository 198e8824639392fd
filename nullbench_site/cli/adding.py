"""The commands `add`, which write specs. At a terminal they ask for what no option gives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
import msgspec

from nullbench_site import adding
from nullbench_site.adding import Asked
from nullbench_site.cli.app import NamesBelow, NamesOf, say
from nullbench_site.errors import UsageError
from nullbench_site.extensions import registered
from nullbench_site.repository import Repository
from nullbench_site.specs.protocol import specs_of

Command = TypeVar("Command", bound=Callable[..., Any])


class _Group(click.Group):
    """The options of `add item` are the columns of every protocol, so the command is made when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), "item"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _item() if cmd_name == "item" else super().get_command(ctx, cmd_name)


@click.group(cls=_Group)
def add() -> None:
    """Add a model, judge, domain, item or board to the specs.

    Comments in existing files are kept. At a terminal, the commands ask for what is missing.

    \b
    Examples:
      nullbench-site add model
      nullbench-site add item --help
    """


def at_terminal() -> bool:
    """Return True if somebody can answer a question."""
    return sys.stdin.isatty()


def _asked(value: str | None, option: str, question: str) -> str:
    """Return the value of an option, or the answer at a terminal. Raises UsageError in a script."""
    if value is not None:
        return value
    if not at_terminal():
        raise UsageError(f"missing {option}: {question[:1].lower()}{question[1:]}")
    answer: str = click.prompt(question, err=True)
    return answer


def _say(files: Sequence[str], then: str) -> None:
    for path in files:
        say(f"wrote {path}")
    say(f"Next: {then}")


_boards = click.option(
    "--board", "boards", multiple=True, type=NamesBelow("board", "specs/boards/*.yaml"),
    help="The board that lists it; may be repeated. By default the only board.",
)  # fmt: skip
_title = click.option("--title", help="Its title; by default its id.")
_protocol = click.option("--protocol", type=NamesOf("protocols"), help="How answers are scored.")


def _endpoint_options(command: Command) -> Command:
    """Add the options of a model or judge."""
    options = (
        click.argument("name", required=False, metavar="[ID]"),
        click.option("--endpoint", metavar="URL", help="The URL or the id of its server."),
        click.option("--model", metavar="NAME", help="Its name there; by default the only one in /v1/models."),
        _title,
        click.option("--family", metavar="ID", help="Default: its id. No judge scores its own family."),
        click.option("--key-env", metavar="VARIABLE", help="The environment variable with the key of a new endpoint."),
        click.option("--max-tokens", type=click.IntRange(1), help="The most output tokens of one response."),
        click.option(
            "--backend", type=NamesOf("backends"), default="openai", show_default=True, help="The API of its server."
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _of_options(options: dict[str, Any]) -> Asked:
    question = "The URL of the server, such as http://localhost:8091/v1"
    endpoint = _asked(options.pop("endpoint"), "--endpoint", question)
    names = ("model", "title", "family", "key_env", "max_tokens", "backend")
    return Asked(endpoint=endpoint, **{name: options.pop(name) for name in names})


@add.command()
@_endpoint_options
@_boards
@click.pass_obj
def model(repository: Repository, /, name: str | None, boards: tuple[str, ...], **options: Any) -> None:
    """Add a contestant that a server answers for, and the endpoint if it is new.

    \b
    Examples:
      nullbench-site add model --endpoint http://localhost:8091/v1
      nullbench-site add model gpt-large --endpoint openai --model gpt-large-2026-11-01 --family gpt
      nullbench-site add model ours --endpoint https://llm.example.org/v1 --key-env OUR_KEY --model ours-1
      nullbench-site add model --backend anthropic --endpoint anthropic --model claude-haiku-4-5 --max-tokens 999
    """
    _say(adding.add_model(repository, name, _of_options(options), boards), "nullbench-site plan")


@add.command()
@_endpoint_options
@click.option("--prompt", metavar="NAME", help="Its judging prompt, such as short; by default full.")
@click.option("--reply", type=click.Choice(["letter", "yes-no", "mark", "reasons"]), help="The form of its reply.")
@click.option("--panel", metavar="ID", help="The panel it joins, or a new one. By default that of the boards.")
@click.pass_obj
def judge(repository: Repository, /, name: str | None, panel: str | None, **options: Any) -> None:
    """Add a model as a judge to a panel, and the endpoint if it is new.

    Without --prompt and --reply, a model that `screen-judges --prompts` measured is asked as its study chose: by short
    questions, or by a prompt and a form of reply. A model on this machine, or one that `nullbench-site model` serves,
    is asked as the shipped study chose. Other judges get the full prompt.

    Without --max-tokens, a model that `nullbench-site model` serves gets the limit that its form of reply needs. Other
    judges may think first, and get 4,000.

    \b
    Examples:
      nullbench-site add judge --endpoint http://127.0.0.1:8093/v1 --prompt short --reply reasons
      nullbench-site add judge --endpoint openai --model gpt-large-2026-11-01 --family gpt --panel models
    """
    own = {key: options.pop(key) for key in ("prompt", "reply")}
    asked = msgspec.structs.replace(_of_options(options), **own)
    _say(adding.add_judge(repository, name, asked, panel, say), "nullbench-site plan")


@add.command()
@click.argument("name", required=False, metavar="[ID]")
@_protocol
@_title
@_boards
@click.pass_obj
def domain(
    repository: Repository, name: str | None, protocol: str | None, title: str | None, boards: tuple[str, ...]
) -> None:
    """Add a domain, a group of items. It has none yet.

    \b
    Example:
      nullbench-site add domain rivers --title "Rivers and lakes"
    """
    own = _asked(name, "ID", "The id of the domain, such as rivers")
    _say(adding.add_domain(repository, own, protocol, title, boards), f"nullbench-site add item {own}")


@add.command()
@click.argument("name", required=False, metavar="[ID]")
@_protocol
@_title
@click.option(
    "--domain", "domains", multiple=True, type=NamesBelow("domain", "specs/domains/*.yaml"),
    help="A domain of the board; may be repeated. By default all of its protocol.",
)  # fmt: skip
@click.option("--panel", metavar="ID", help="The panel that scores; by default rule-based judges.")
@click.pass_obj
def board(repository: Repository, /, name: str | None, protocol: str | None, **options: Any) -> None:
    """Add a board over domains that exist.

    \b
    Example:
      nullbench-site add board rivers --protocol oracle --domain rivers
    """
    own = _asked(name, "ID", "The id of the board, such as rivers")
    chosen = _asked(protocol, "--protocol", f"The protocol: {', '.join(registered('protocols'))}")
    if chosen not in registered("protocols"):
        raise UsageError(f"unknown protocol {chosen!r}; choose one of {', '.join(registered('protocols'))}")
    _say(adding.add_board(repository, own, chosen, **options), "nullbench-site plan")


def _item() -> click.Command:
    """Return the command `add item`, with an option for each column of a protocol."""
    starters = [starter for name in registered("protocols") if (starter := specs_of(name).starter) is not None]
    columns = {column.name: column for starter in starters for column in starter.every_column}

    @click.command("item")
    @click.argument("domain", required=False, type=NamesBelow("domain", "specs/domains/*.yaml"))
    @click.pass_obj
    def item(repository: Repository, /, domain: str | None, **given: str | None) -> None:
        """Add an item to DOMAIN. Its protocol decides which options are required.

        \b
        Examples:
          nullbench-site add item capitals --prompt "What is the capital of Peru?" --answer Lima
          nullbench-site add item reviews --prompt "..." --ideal "..." --criteria "Names a cause|Is short"
        """
        own = _asked(domain, "DOMAIN", "The domain")
        cells = {name: cell for name, cell in given.items() if cell is not None}
        for column in adding.required_columns(repository, own):
            cells[column.name] = _asked(cells.get(column.name), f"--{column.name}", column.about.capitalize())
        _say(adding.add_item(repository, own, cells), "nullbench-site plan")

    for column in reversed(columns.values()):
        item = click.option(f"--{column.name}", help=f"{column.about[:1].upper()}{column.about[1:]}.")(item)
    return item
