"""The options of commands that read a table of scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class Scale(click.ParamType):
    """Two numbers, LOW:HIGH."""

    name = "LOW:HIGH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        try:
            low, high = map(float, str(value).split(":"))
        except ValueError:
            self.fail(f"{value!r} is not LOW:HIGH, as in 0:100", param, ctx)
        if not low < high:
            self.fail(f"{value!r} is invalid: the first end must be lower than the second", param, ctx)
        return low, high


_ROLES = (
    click.option("--model", metavar="COLUMN", help="The column that names the model."),
    click.option("--item", metavar="COLUMN", help="The column that names the item."),
    click.option("--score", metavar="COLUMN", help="The column with the score, or the metric of a log."),
    click.option("--group", metavar="COLUMN", help="The column with the group of each item; `none` for no groups."),
    click.option(
        "--groups",
        type=click.Path(dir_okay=False, exists=True, path_type=Path),
        metavar="FILE.json",
        help="A JSON object with a list of items for each group.",
    ),
    click.option("--cluster", metavar="COLUMN", help="The column with the source of each item, if sources repeat."),
    click.option(
        "--family", metavar="COLUMN|REGEX", help="Group the variants of a model and correct the best of them."
    ),
    click.option("--scale", type=Scale(), help="The ends of the scale of all scores."),
)
_RANKING = (
    click.option("--lower-is-better", is_flag=True, help="Rank the lowest score first."),
    click.option(
        "--coverage",
        type=click.FloatRange(0, 1, min_open=True),
        default=1.0,
        show_default=True,
        metavar="SHARE",
        help="The share of items that a model needs for a rank.",
    ),
)


def table_options(command: CommandT) -> CommandT:
    """Add the options for the columns of a table (the fields of Chosen) and for how it is ranked."""
    for option in reversed((*_ROLES, *_RANKING)):
        command = option(command)
    return command
