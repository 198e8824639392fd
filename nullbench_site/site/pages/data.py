"""Make the pages of data (downloads, dictionary, citation) and of evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nullbench_site.extensions import protocol_folder
from nullbench_site.packaged import word_lines
from nullbench_site.site import paths, wellknown
from nullbench_site.site.data_files import ROOT, board_schema
from nullbench_site.site.evidence.explorer_files import CONTROLS_BELOW
from nullbench_site.site.gather import SiteData, shown_metrics
from nullbench_site.site.pages.page import Page, panel_words
from nullbench_site.site.protocol import answered, pages_of
from nullbench_site.site.trust import controls

_SCHEMA = ".schema.json"


@dataclass(frozen=True)
class _Kind:
    """Files of one kind below data/v1.

    name: the form of their paths, with a word in capitals, or a folder, if there are many; with {board} in it there is
    a row per board. In name, holds and schema, {board}, {title}, {more}, {protocol} and {board_schema} are those of the
    board.
    """

    name: str
    holds: str
    schema: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the kind's paths."""
        path = re.sub("[A-Z]+", ".+", re.escape(self.name)).replace(r"\{board\}", "(?P<board>[^/]+)")
        return re.compile(f"{path}.+" if path.endswith("/") else path)


_KINDS = tuple(_Kind(*line.split(" | ")) for line in word_lines("downloads"))


def pages(site: SiteData, sizes: Mapping[str, int], address: str | None) -> Iterator[Page]:
    """Yield the page of data. sizes: bytes of every file of the site that is no page. address: of the site."""
    protocols = sorted(site.protocols)
    yield Page(
        url=paths.DATA,
        title="Data",
        template="data.md.j2",
        context={
            "first": [(name, sizes[f"{ROOT}/{name}"]) for name in ("archive.zip", "answers.csv")],
            "downloads": _downloads(site, sizes),
            "stored": [name for name in sizes if name.endswith(f"-results{_SCHEMA}")],
            "address": address or "ADDRESS/",
            "columns": " ".join(note for protocol in protocols if (note := pages_of(protocol).dictionary)),
            "numbers": [metric for metric in shown_metrics(site) if metric.columns],
            "protocols": protocols if len(protocols) > 1 else [],
            "about": site.benchmark.about,
            "sealed": site.entry.manifest.sealed,
            "cite": {
                "text": wellknown.citation(site),
                "bibtex": wellknown.bibtex(site, address),
                "file": wellknown.CITATION_FILE,
            },
        },
        description="How to cite (BibTeX) and download: one archive, CSV, JSON, and the dictionary of columns.",
    )


def explorer(site: SiteData) -> Iterator[Page]:
    """Yield the page of evidence. Its texts are data files, outside the search index."""
    yield Page(
        url=paths.EVIDENCE,
        title="Evidence",
        template="evidence.md.j2",
        context={
            "boards": [{"board": view.board, "panel": panel_words(view)} for view in site.views],
            "browsed": [
                *((view.board.id, view.board.title) for view in site.views),
                *(
                    (view.board.id + CONTROLS_BELOW, f"{view.board.title}: controls")
                    for view in site.views
                    if controls.are_judged(view)
                ),
            ],
            "judged": any(view.panel for view in site.views),
            "answered": bool(answered(site.views)),
            "dispute": wellknown.dispute(site),
            "protocols": [
                protocol for protocol in site.protocols if (protocol_folder(protocol) / "explorer.js").is_file()
            ],
        },
        description="Prompt, answer (response, output), verdicts (ratings) and rationales behind every score.",
    )


def _downloads(site: SiteData, sizes: Mapping[str, int]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Return the ids and titles of boards, each with a row for each kind of file; those of no board come first."""
    below = {name.removeprefix(f"{ROOT}/"): size for name, size in sizes.items() if name.startswith(f"{ROOT}/")}
    of_kind: dict[tuple[int, str], list[str]] = {}
    for name in below:
        if not name.endswith(_SCHEMA):
            place, board = _kind_of(name)
            of_kind.setdefault((place, board), []).append(name)
    titles = {"": "All boards together", **{view.board.id: view.board.title for view in site.views}}
    return [
        (
            board,
            title,
            [
                _row(site, _KINDS[place], of, names, below)
                for (place, of), names in sorted(of_kind.items())
                if of == board
            ],
        )
        for board, title in titles.items()
    ]


def _kind_of(name: str) -> tuple[int, str]:
    for place, kind in enumerate(_KINDS):
        if match := kind.pattern.fullmatch(name):
            return place, match.groupdict().get("board", "")
    raise NotImplementedError(f"{ROOT}/{name} stands in no row of the page of data")


def _row(site: SiteData, kind: _Kind, board: str, names: list[str], sizes: Mapping[str, int]) -> dict[str, Any]:
    view = next((view for view in site.views if view.board.id == board), None)
    protocol = view.board.protocol if view else ""
    title, texts = (view.board.title, not pages_of(protocol).not_asked) if view else ("", True)
    gaps = {
        "board": board,
        "title": title,
        "more": pages_of(protocol).holds if view else "",
        "prompts": " with their prompts; private ones by hash only" if texts else "",
        "answers": f"Answers on the board {title} with their verdicts; for private items only the scores"
        if texts
        else f"The scores of one contestant on the board {title}, as the explorer reads them",
        "protocol": protocol,
        "board_schema": board_schema(protocol).removesuffix(_SCHEMA) if protocol else "",
    }
    name = kind.name.format(**gaps)
    schema = f"{kind.schema.format(**gaps)}{_SCHEMA}"
    return {
        "name": name,
        "holds": kind.holds.format(**gaps),
        "link": f"{ROOT}/{name}" if name in sizes else "",
        "schema": schema if schema in sizes else "",
        "size": sum(sizes[name] for name in names),
        "n_files": len(names),
    }
