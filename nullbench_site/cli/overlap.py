"""The command `overlap`."""

from __future__ import annotations

from pathlib import Path

import click

from nullbench_site.cli.app import NamesBelow, say
from nullbench_site.repository import Repository


@click.command()
@click.argument("board", type=NamesBelow("board", "specs/boards/*.yaml"))
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--training", metavar="NAME",
    help="The training data that FILES are from, such as 'The Pile'. Only such files test contamination.",
)  # fmt: skip
@click.option("--boards", is_flag=True, help="Also compare with the text of the other boards.")
@click.option(
    "--similarity", type=click.Choice(["tf-idf", "embeddings", "none"]), default="tf-idf", show_default=True,
    help="How to find passages that resemble an item. Both read each file a second time.",
)  # fmt: skip
@click.option("--model", metavar="NAME", help="The model of the embeddings.")
@click.option("--endpoint", metavar="ID", default="openai", show_default=True, help="Its endpoint in endpoints.yaml.")
@click.option(
    "--tau", type=click.FloatRange(0.5, 1), help="The least similarity of a contaminated item; 0.9 in a new file."
)
@click.option("--lenient", is_flag=True, help="Skip lines that cannot be read, and count them.")
@click.pass_obj
def overlap(
    repository: Repository,
    board: str,
    files: tuple[Path, ...],
    *,
    training: str | None,
    boards: bool,
    similarity: str,
    model: str | None,
    endpoint: str,
    tau: float | None,
    lenient: bool,
) -> None:
    """Compare the items of BOARD with the text in FILES, and write specs/overlap/BOARD.yaml.

    FILES are training data or other text: .jsonl and .ndjson, whose strings are read, or plain text; each may end in
    .gz. An item is contaminated if it shares 13 words in a row with them, or is similar to a passage. Private items are
    left out. The next build shows the contamination rate and the inflation of each score.

    A model's mark of contamination is medium only if FILES are from data that it was, or may have been, trained on:
    name that data with --training. Other text, such as that of other boards, tests something else.

    \b
    Examples:
      nullbench-site overlap facts --boards
      nullbench-site overlap facts pile/*.jsonl.gz --training "The Pile" --similarity none
      nullbench-site overlap facts books.txt --similarity embeddings --model text-embedding-3-small
    """
    from nullbench_site.interop.overlap import Comparison, find_overlap

    chosen = Comparison(files, boards, similarity, model, endpoint, tau, lenient, training)  # type: ignore[arg-type]
    path, found = find_overlap(repository, board, chosen)
    states = [found.contaminated(item) for item in found.items]
    tested = sum(state is not None for state in states)
    say(f"{sum(map(bool, states))} of {tested} tested items are contaminated; {len(states) - tested} not testable")
    for corpus in (corpus for corpus in found.corpora if corpus.skipped):
        say(f"{corpus.name}: {corpus.skipped} broken lines were skipped, so an item in them was not found")
    say(f"wrote {path}")
