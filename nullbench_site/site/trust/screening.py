"""What a board shows of screening: which contestants are flagged, by which answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nullbench_site.audit.screening import kinds
from nullbench_site.scoring.board_tables import ScreeningRow
from nullbench_site.site import paths, words
from nullbench_site.site.views import AnyRow, BoardView


@dataclass(frozen=True)
class ShownScreening:
    """The screening of a board in words, and the contestants with a finding, with what was found."""

    sentences: Sequence[str]
    rows: Sequence[tuple[ScreeningRow, str]]


@dataclass(frozen=True)
class Finding:
    """What screening finds of a contestant, in one sentence. items: a few of the items; link: to its answers."""

    sentence: str
    items: Sequence[str]
    link: str


def finding(view: BoardView, row: AnyRow) -> Finding | None:
    """Return what the page of a contestant says; None if nothing was found."""
    own = view.screened.get(row.model)
    if own is None or not (own.is_flagged or own.n_with_flags):
        return None
    lead = "Flagged by screening" if own.is_flagged else "Screening found"
    items = list(dict.fromkeys(item for some in own.examples.values() for item in some))[:3]
    return Finding(f"{lead}: {in_words(own)}.", items, paths.evidence_url(view.board.id, model=row.model))


def in_words(row: ScreeningRow) -> str:
    """Return what screening finds of a contestant, as a part of a sentence."""
    parts = []
    if row.constant:
        like = "have the same sha256 as" if row.n_hashed == row.n_compared else "repeat, exactly or nearly,"
        parts.append(f"{words.of(row.n_repeated, row.n_compared)} answers {like} the answer to another item")
    if row.n_with_flags:
        titles = kinds()
        named = "; ".join(f"{titles.get(kind, kind)}: {words.number(n, 0)}" for kind, n in row.counts.items())
        like = "looks like a known attack" if row.n_with_flags == 1 else "look like known attacks"
        parts.append(f"{words.of(row.n_with_flags, row.n_read)} answers {like} ({named})")
    return "; ".join(parts)


def shown_screening(view: BoardView) -> ShownScreening | None:
    """Return the screening on the page of a board; None if there is none."""
    rows = view.screened
    if not rows:
        return None
    flagged = [model for model, row in rows.items() if row.is_flagged]
    nulls = sum(view.is_null(model) for model in flagged)
    counts = {"contestant": len(flagged) - nulls, "null model": nulls}
    who = words.listed([words.plural(n, noun) for noun, n in counts.items() if n]) or "none"
    n_answers, n_read, n_hashed = (
        sum(getattr(row, name) for row in rows.values()) for name in ("n_responses", "n_read", "n_hashed")
    )
    among = f"of the {len(rows)} here" if len(rows) > 1 else "here"
    sentences = [f"Screening flags {who} {among}. A flag changes no score: read the answers."]
    if n_hashed:
        sentences.append(
            f"The sha256 is all that is known of {words.of(n_hashed, n_answers)} answers, so only exact repeats show."
        )
    if rest := n_answers - n_read - n_hashed:
        sentences.append(
            f"{words.of(rest, n_answers)} answers were not screened: neither their texts nor comparable hashes are "
            "published, as with answers to private items."
        )
    found = [(row, in_words(row)) for row in rows.values() if row.is_flagged or row.n_with_flags]
    found.sort(key=lambda each: (not each[0].is_flagged, view.is_null(each[0].model), each[0].model))
    return ShownScreening(sentences, found)
