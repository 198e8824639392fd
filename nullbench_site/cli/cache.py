"""`nullbench-site cache`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from nullbench_site import api
from nullbench_site.cli.app import profile_option
from nullbench_site.text import escaped, plural

if TYPE_CHECKING:
    from nullbench_site.evaluation.explain import KeyStanding, Standing
    from nullbench_site.evaluation.held import Held

_DIGITS = 12


@click.group()
def cache() -> None:
    """Look at what earlier runs know.

    \b
    Examples:
      nullbench-site cache explain aspirin-trial
      nullbench-site cache explain 3f9a2c
    """


@cache.command()
@click.argument("name", metavar="KEY|ITEM")
@click.option("--board", help="Only calls of this board.")
@click.option("--model", help="Only calls of this contestant and of its judges.")
@click.option("--judge", help="Only calls of this judge.")
@profile_option
@click.pass_obj
def explain(
    repository: api.Repository,
    *,
    name: str,
    board: str | None,
    model: str | None,
    judge: str | None,
    profile: str | None,
) -> None:
    """Say why a call is known, or why it is not and the next build makes it.

    ITEM: every call on the item. KEY: one call, by its key or the first 6 hex digits of it, or more.

    \b
    Examples:
      nullbench-site cache explain aspirin-trial --model lead-3
      nullbench-site cache explain 3f9a2c
    """
    explained = api.explain(repository, name, board=board, model=model, judge=judge, profile=profile)
    for line in _table(explained) if isinstance(explained, list) else _of_key(explained):
        click.echo(escaped(line))  # records and specs are anybody's


def _table(standings: list[Standing]) -> Iterator[str]:
    several = max((each.call.target.sample for each in standings), default=0) > 0
    rows = []
    board = None
    for each in standings:
        call = each.call
        who = f"{call.who} on {call.target.model.id}" if call.seat else call.who
        if several:
            who += f", sample {call.target.sample}"
        key = call.request.key()[:_DIGITS] if call.request else ""
        rows.append((call.target.board.id, who, key, each.why))
    width = max((len(row[1]) for row in rows), default=0)
    for row in rows:
        if row[0] != board:
            board = row[0]
            yield f"Board {board}"
        yield f"  {row[1]:{width}}  {row[2]:{_DIGITS}}  {row[3]}"
    known = sum(each.known for each in standings)
    yield f"{plural(len(standings), 'call', thousands='')}: {known} known, {len(standings) - known} not"


def _of_key(known: KeyStanding) -> Iterator[str]:
    yield f"Key {known.key}"
    for held in known.held:
        yield f"  {held.where}: {_record(held)}"
    if not known.held:
        yield "  no run holds it"
    if known.standing is None:
        yield f"It is no call of these boards as they are now: {known.why}"
        return
    target = known.standing.call.target
    about = f"item {target.placed.id} of board {target.board.id}, sample {target.sample}"
    of = f" about contestant {target.model.id}" if known.standing.call.seat else ""
    yield f"It is the call of {known.standing.call.who}{of} on {about}: {known.standing.why}"


def _record(held: Held) -> str:
    record = held.record
    parts = [f"{record.state} {record.started_at}"]
    parts += [
        f"{count} {noun} tokens"
        for count, noun in ((record.input_tokens, "input"), (record.output_tokens, "output"))
        if count is not None
    ]
    if record.cost_usd is not None:
        parts.append(f"{record.cost_usd:.6f} US dollars")
    if record.error is not None:
        parts.append(f"error: {record.error}")
    return ", ".join(parts)
