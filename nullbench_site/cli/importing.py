"""The commands `import`, with a subcommand for each registered format, and `submit`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import InputFile, NamesBelow, say
from nullbench_site.cli.rank import table_options
from nullbench_site.interop.importer import Importer, ImportReport, LabelsImporter, TableImporter, formats, importer
from nullbench_site.repository import Repository


class _Formats(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return formats()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in formats():
            return None
        chosen = importer(cmd_name)
        if isinstance(chosen, Importer):
            return _import_of_benchmarks(cmd_name, chosen.help)
        if isinstance(chosen, LabelsImporter):
            return _import_of_labels(cmd_name, chosen)
        make = _import_of_tables if isinstance(chosen, TableImporter) else _import_of_answers
        return make(cmd_name, chosen.help)


@click.group("import", cls=_Formats)
def import_() -> None:
    """Import responses for a board, or the results of another program.

    \b
    Examples:
      nullbench-site import answers --help
      nullbench-site import benchpress --help
    """


_as_json = click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object on stdout.")


def _print(made: object, lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(made)))
        return
    for line in lines:
        say(line)


def _import_of_benchmarks(form: str, about: str) -> click.Command:
    @click.command(form, help=about)
    @click.argument("source", type=click.Path(file_okay=False, exists=True, path_type=Path), metavar="SRC")
    @click.option(
        "--into", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
        help="A new or empty folder; for alpacaeval also a repository.",
    )  # fmt: skip
    @click.option("--lenient", is_flag=True, help="Skip and report broken entries instead of refusing the import.")
    @_as_json
    def import_results(source: Path, into: Path, *, lenient: bool, as_json: bool) -> None:
        made = api.import_results(form, source, into, lenient=lenient)
        for line in made.skipped:
            say(f"skipped {line}")
        _print_board(made, as_json=as_json)

    return import_results


def _import_of_tables(form: str, about: str) -> click.Command:
    @click.command(form, help=about)
    @click.argument("file", metavar="FILE")
    @click.option(
        "--into", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
        help="A new or empty folder, or a repository.",
    )  # fmt: skip
    @click.option("--board", metavar="ID", help="The id of the board; by default from the name of the file.")
    @click.option("--title", help="The title of a new board; by default its id.")
    @click.option(
        "--models", type=InputFile(), metavar="FILE",
        help="A table about the models: model, vendor, family, released, training_cutoff, ...",
    )  # fmt: skip
    @click.option("--category", metavar="COLUMN", help="The column of items for a cut beside their groups.")
    @click.option("--means", is_flag=True, help="Say that each score is a mean over items that are not in the table.")
    @click.option("--source", metavar="TEXT", help="Where the scores come from, for SOURCE.md.")
    @click.option("--license", metavar="TEXT", help="The licence of the data as its source states it.")
    @table_options
    @_as_json
    def import_table(file: str, *, as_json: bool, **options: Any) -> None:
        import_scores(form, file, options, as_json=as_json)

    return import_table


def import_scores(form: str, file: str, options: Mapping[str, Any], *, as_json: bool = False) -> None:
    """Make a board from a table and print the report."""
    _print_board(api.import_scores(form, file, options), as_json=as_json)


def _print_board(made: ImportReport, *, as_json: bool) -> None:
    run = f"Run:      {Path(made.directory) / 'runs' / made.run}" if made.run else "Run:      not made; there are calls"
    after = f"Next: cd {shlex.quote(made.directory)} && nullbench-site build && nullbench-site serve"
    _print(made, (*made.lines(), run, after), as_json=as_json)


def _import_of_answers(form: str, about: str) -> click.Command:
    @click.command(form, help=about)
    @click.argument("file", type=InputFile(), metavar="FILE")
    @click.option(
        "--board", "boards", required=True, multiple=True, type=NamesBelow("board", "specs/boards/*.yaml"),
        help="The board that the responses are for; may be repeated.",
    )  # fmt: skip
    @click.option(
        "--model", required=True, type=NamesBelow("model", "answers/*.jsonl"),
        help="The contestant's id: a new one, or one with imported responses.",
    )  # fmt: skip
    @click.option("--title", help="The contestant's title; by default from the file, or its id.")
    @click.option("--family", metavar="ID", help="Its family, by default its id; no judge of that family scores it.")
    @click.option("--by", metavar="NAME", help="Who imports the responses; the site shows it.")
    @click.option("--replace", is_flag=True, help="Replace imported responses.")
    @click.option(
        "--partial", is_flag=True,
        help="Accept items without a response, and keep earlier ones. The contestant then has no rank.",
    )  # fmt: skip
    @_as_json
    @click.pass_obj
    def import_answers(
        repository: Repository,
        file: Path,
        *,
        boards: tuple[str, ...],
        model: str,
        title: str | None,
        family: str | None,
        by: str | None,
        replace: bool,
        partial: bool,
        as_json: bool,
    ) -> None:
        from nullbench_site.interop.answers.importing import ImportRequest

        submission = ImportRequest(file, tuple(dict.fromkeys(boards)), model, title, family, by, replace, partial)
        made = api.import_answers(repository, form, submission)
        _print(made, (*made.lines(), "Next: nullbench-site build"), as_json=as_json)

    return import_answers


def _import_of_labels(form: str, chosen: LabelsImporter) -> click.Command:
    @click.command(form, help=chosen.help)
    @click.argument("file", type=InputFile(), metavar="FILE")
    @click.option(
        "--plan", required=True, type=InputFile(), metavar="FILE",
        help="The plan that the sheet was made from.",
    )  # fmt: skip
    @click.option(
        "--board", required=True, type=NamesBelow("board", "specs/boards/*.yaml"),
        help="The board whose answers were labelled.",
    )  # fmt: skip
    @click.option("--rater", required=True, metavar="ID", help="Who labelled the answers.")
    @_as_json
    @click.pass_obj
    def import_labels(repository: Repository, /, file: Path, *, as_json: bool, **options: Any) -> None:
        made = chosen.make(repository, file, options)
        _print(made, (*made.lines(), "Next: nullbench-site build"), as_json=as_json)

    return import_labels


@click.group()
def submit() -> None:
    """Check submissions: contestants with imported responses.

    \b
    Example:
      nullbench-site submit check ../their-answers
    """


@submit.command()
@click.argument("directory", type=click.Path(file_okay=False, exists=True, path_type=Path), metavar="DIR")
@click.option(
    "--model", type=NamesBelow("model", "specs/models/*.yaml"),
    help="The contestant to check, if DIR has several.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object on stdout.")
@click.pass_context
def check(context: click.Context, directory: Path, *, model: str | None, as_json: bool) -> None:
    """Check a submission against this repository: specs/models/<id>.yaml and answers/<id>.jsonl below DIR.

    \b
    It reports, with file and line:
      - digests that do not match, and responses to another wording of an item
      - items without a response, or with several
      - responses and response ids that occur twice, or belong to a known contestant
      - texts of private items
      - judges of the contestant's own family

    The command writes nothing and runs no code of the submission. It cannot check where the responses come from.
    Exit code 2: the submission needs changes.

    \b
    Examples:
      nullbench-site submit check ../their-answers
      nullbench-site submit check . --model our-model --json
    """
    checked = api.check_submission(context.obj, directory, model)
    if as_json:
        click.echo(msgspec.json.encode(checked).decode())
    else:
        click.echo("\n".join(checked.lines()))
    context.exit(0 if checked.taken else 2)
