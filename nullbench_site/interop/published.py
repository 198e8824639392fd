"""A published board of recorded verdicts -> a repository with its specs and a sealed run, or nothing at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from nullbench_site.interop.importer import ImportRefused, SourceProblem
from nullbench_site.interop.source_files import SourceFolder
from nullbench_site.packaged import data_parts, data_text
from nullbench_site.runs.records import CheckResult, Judgment, Response, Score
from nullbench_site.specs import types
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.types import VERBATIM
from nullbench_site.text import in_markdown, number, one_line, plural, quoted, slug, title_of

_LENIENT = "Fix them, or leave out the broken models with --lenient"


class PublishedReport(msgspec.Struct, frozen=True):
    """The report of an import. notes: peculiarities of the data. skipped: the problems of the models left out."""

    directory: str
    run: str
    board: str
    models: int
    items: int
    judge: str
    verdicts: int
    notes: tuple[str, ...]
    skipped: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Return the lines to print."""
        yield f"imported {plural(self.models, 'model')} and {plural(self.items, 'item')} of {self.board}"
        yield f"Verdicts: {number(self.verdicts, 0)} of {self.judge}"
        for note in self.notes:
            yield f"Note:     {note}"


@dataclass
class PublishedShard:
    """The records of a model with published verdicts but no answers. id: as in the specs. name: as published.

    key: the parts that distinguish a record from the others of the model. The same record has the same key in every
    import.
    """

    board: str
    id: str
    name: str
    responses: list[Response] = field(default_factory=list)
    judgments: list[Judgment] = field(default_factory=list)

    def answer(
        self, item: str, *key: str, sample: int = 0, turn: int = 1, checks: tuple[CheckResult, ...] = ()
    ) -> Response:
        """Add an answer whose text is unknown. checks: the known facts about it."""
        self.responses.append(Response(
            self._key(key), self.board, self.id, item, VERBATIM, sample, "answered", "", None, "", None, checks=checks,
            turn=turn,
        ))  # fmt: skip
        return self.responses[-1]

    def verdict(
        self,
        of: Response,
        *key: str,
        judge: str,
        template: str,
        scores: dict[str, Score],
        invalid: dict[str, str],
        position: Literal[0, 1] | None = None,
        words: str = "",
    ) -> None:
        """Add the judge's verdict on an answer. invalid: why a score is missing. words: the judge's reply."""
        self.judgments.append(Judgment(
            self._key(key), self.board, self.id, of.item, VERBATIM, of.sample, judge, template, position,
            "scored" if scores else "unparsed", scores, invalid, words, None, None, "", None, turn=of.turn,
        ))  # fmt: skip

    def _key(self, key: Sequence[str]) -> str:
        return sha256("\n".join((self.board, self.id, *key)).encode())


@dataclass(frozen=True)
class PublishedCategory:
    """The items of a category, each as in a file of items."""

    title: str
    description: str
    items: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class PublishedBoard:
    """A published board. id: of board, domain and panel, and the name of its format, which data/published/ describes.

    judge: as published. settings: of the board, as its protocol defines them. categories: by id. shards: one per model.
    """

    id: str
    judge: str
    protocol: str
    settings: Mapping[str, Any]
    categories: Mapping[str, PublishedCategory]
    shards: Sequence[PublishedShard]
    notes: Sequence[str]


def about_format(form: str) -> Mapping[str, str]:
    """Return the texts about a format: for its help, its README and its specs."""
    return data_parts(f"published/{form}.txt")


def help_of(form: str) -> str:
    """Return the text of `import <form> --help`."""
    about = about_format(form)
    return f"""{about["help"]}

DIR becomes a benchmark repository with specs and a sealed run. `build` then makes its site without calling a model.
If a row is broken, nothing is written; --lenient leaves out the models with broken rows.

\b
Examples:
  nullbench-site import {form} {about["example"]}
  nullbench-site import {form} {about["example"]} --lenient --json
"""


def import_published(
    files: SourceFolder,
    into: Path,
    names: Mapping[str, str],
    board_of: Callable[[Mapping[str, str]], PublishedBoard],
    *,
    lenient: bool,
) -> PublishedReport:
    """Make the repository `into`, a new or empty folder.

    files: the source files, with their problems; if lenient, models with problems are left out. names: the file of each
    remaining model. board_of: return the board of models, given their ids by name. Raises as Importer.make.
    """
    # Scoring takes 0.5 s to import, and `import --help` does not need it.
    from nullbench_site.interop.imported_repository import check_empty, make_repository  # noqa: PLC0415

    check_empty(into)
    ids, problems = contestant_ids(files, names, lenient=lenient)
    published = board_of(ids)
    shards = sorted(published.shards, key=lambda shard: shard.id)
    texts = {"README.md": _readme(published)} | {
        f"specs/domains/{name}.jsonl": "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in category.items)
        for name, category in published.categories.items()
    }
    records = ((shard.responses, shard.judgments) for shard in shards)
    results = make_repository(files.folder, into, _specs(published), texts, records)
    taken = {own: name for name, own in ids.items()}
    unranked = [(row.model, row.absent["rank"]) for row in results.leaderboard if row.rank is None]
    return PublishedReport(
        directory=str(into),
        run=results.run,
        board=about_format(published.id)["title"],
        models=len(shards),
        items=sum(len(category.items) for category in published.categories.values()),
        judge=published.judge,
        verdicts=sum(len(shard.judgments) for shard in shards),
        notes=(*published.notes, *(f"{taken[own]} has no rank: {why}" for own, why in unranked)),
        skipped=tuple(map(str, problems)),
    )


def contestant_ids(
    files: SourceFolder, names: Mapping[str, str], *, lenient: bool
) -> tuple[dict[str, str], list[SourceProblem]]:
    """Return the id of each model, and the problems of the models left out.

    names: the file of each model. Raises ImportRefused if there are problems and nothing may be left out.
    """
    ids: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, file in names.items():
        own = slug(name)
        if not own or own in taken:
            why = f"has the id {own!r} of {quoted(taken[own])}" if own else "has no letters or digits for an id"
            files.note(file, f"the model {quoted(name)} {why}; rename it")
        else:
            ids[name], taken[own] = own, name
    problems = files.problems_once()
    if problems and (not lenient or len(ids) < 2):
        raise ImportRefused(problems, "Nothing is left to import" if lenient else _LENIENT)
    return ids, problems


def _specs(published: PublishedBoard) -> list[types.Spec]:
    judge, protocol, about = slug(published.judge), specs_of(published.protocol), about_format(published.id)
    heading: dict[str, Any] = {"canary": "", "id": published.id, "title": about["title"]}
    ours = heading | {"protocol": published.protocol}
    return [
        types.BenchmarkFile(
            **heading,
            version="1.0.0",
            description=about["description"],
            license=about["license"],
            homepage=about["homepage"],
        ),
        types.JudgesFile(
            canary="",
            judges=(recorded_judge(judge, title_of(published.judge)),),
            panels=(types.Panel(id=published.id, title=f"Judge of {about['title']}", judges=(judge,)),),
        ),
        protocol.board(
            **ours,
            question=about["question"],
            description=about["about_board"],
            construct="capability",
            domains=(published.id,),
            **{"panel": published.id, **published.settings},
        ),
        protocol.domain(
            **ours,
            description=about["about_items"],
            categories=tuple(
                types.Category(
                    id=name, title=category.title, description=category.description, items_file=f"{name}.jsonl"
                )
                for name, category in published.categories.items()
            ),
        ),
        *(
            recorded_model(
                shard.id, title_of(shard.name), title_of(shard.name), f"Verdicts recorded by {about['title']}."
            )
            for shard in published.shards
        ),
    ]


def recorded_judge(id: str, name: str, about: str = "Judge of the imported verdicts.") -> types.Judge:
    """Return a judge whose verdicts are imported. It is its own family. name: as recorded."""
    return types.Judge(id=id, title=title_of(name), description=about, backend=types.RECORDED, model=name, family=id)


def recorded_model(id: str, title: str, name: str, about: str) -> types.ModelFile:
    """Return a contestant whose answers or verdicts are imported. It is its own family."""
    return types.ModelFile(
        canary="", id=id, title=title, description=about, kind="model", backend=types.RECORDED, model=name, family=id
    )


def _readme(published: PublishedBoard) -> str:
    return data_text("published/README.md").format(
        **about_format(published.id),
        format=published.id,
        notes="\n".join(f"* {in_markdown(one_line(note))}." for note in published.notes),
    )
