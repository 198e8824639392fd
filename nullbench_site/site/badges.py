"""Badges: a board, or the score of a contestant on it, as a small picture for a README."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from nullbench_site.site import words
from nullbench_site.site.charts.style import cut, width
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import score_words

_BADGE = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" width="{both}" height="20" role="img" aria-label="{left}: {right}">'
    '<rect width="{both}" height="20" rx="3" fill="#0b6e99"/><rect width="{edge}" height="20" rx="3" fill="#1b1f24"/>'
    '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
    '<text x="{middle}" y="14">{left}</text><text x="{other}" y="14">{right}</text></g></svg>\n'
)
_FONT, _PADDING, _ROOM = 11, 12, 30


def badge(name: str, said: str) -> bytes:
    """Return an SVG with a name on the left and a text about it on the right, each cut to 30 em."""
    left, right = cut(name, _ROOM), cut(said, _ROOM)
    edge, rest = (round(_FONT * width(text)) + _PADDING for text in (left, right))
    places = {"both": edge + rest, "edge": edge, "middle": edge / 2, "other": edge + rest / 2}
    return _BADGE.format(left=left, right=right, **places).encode()


def badge_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content: a badge for each board and for each of its rows."""
    for view in site.views:
        of, counted = (
            view.board,
            f"{words.plural(len(view.contestants), 'contestant')}, {words.plural(view.results.n_items, 'item')}",
        )
        yield f"{ROOT}/boards/{of.id}.svg", badge(of.title, counted)
        for row in view.rows.values():
            yield (
                f"{ROOT}/boards/{of.id}/badges/{row.model}.svg",
                badge(f"{view.title(row.model)} on {of.title}", score_words(row)),
            )
