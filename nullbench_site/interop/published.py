"""A published board of recorded verdicts -> a repository with its specs and a sealed run, or nothing at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.interop.published_rows import Source
from nullbench_site.judging.protocol import VERBATIM
from nullbench_site.packaged import data_parts, data_text
from nullbench_site.runs.records import CheckResult, Judgment, Response, Score
from nullbench_site.specs import types
from nullbench_site.specs.protocol import specs_of
from nullbench_site.text import number, one_line, plural, quoted, slug, title_of

_LENIENT = "Mend them, or leave out the models they are of with --lenient"


class Imported(msgspec.Struct, frozen=True):
    """What an import made. notes: what of the data reads otherwise than one may think. skipped: what was broken, a line
    each, with the models that were left out for it."""

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
        """What to say of it on a terminal."""
        yield f"imported {plural(self.models, 'model')} and {plural(self.items, 'item')} of {self.board}"
        yield f"Verdicts: {number(self.verdicts, 0)} of {self.judge}"
        for note in self.notes:
            yield f"Note:     {note}"


@dataclass
class Shard:
    """A model and its records, of which only verdicts were published. id: as in the specs. name: as published.

    key: what tells a record from the others of the model. Nobody here called for it: it is the same in every import.
    """

    board: str
    id: str
    name: str
    responses: list[Response] = field(default_factory=list)
    judgments: list[Judgment] = field(default_factory=list)

    def answer(
        self, item: str, *key: str, sample: int = 0, turn: int = 1, checks: tuple[CheckResult, ...] = ()
    ) -> Response:
        """Add an answer without its words. checks: what is known of it all the same."""
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
        """Add what the judge said of an answer. invalid: why a score is none. words: the judge's."""
        self.judgments.append(Judgment(
            self._key(key), self.board, self.id, of.item, VERBATIM, of.sample, judge, template, position,
            "scored" if scores else "unparsed", scores, invalid, words, None, None, "", None, turn=of.turn,
        ))  # fmt: skip

    def _key(self, key: Sequence[str]) -> str:
        return hashlib.sha256("\n".join((self.board, self.id, *key)).encode()).hexdigest()


@dataclass(frozen=True)
class Group:
    """The items of a category, each as in a file of items."""

    title: str
    description: str
    items: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Published:
    """A board as it was read. id: of board, domain and panel, the name of its format, of which more is said in
    data/published/. judge: as published. settings: of the board, as its protocol has them. categories: by id. shards:
    the records of each model.
    """

    id: str
    judge: str
    protocol: str
    settings: Mapping[str, Any]
    categories: Mapping[str, Group]
    shards: Sequence[Shard]
    notes: Sequence[str]


def _about(form: str) -> Mapping[str, str]:
    """What is to be said of a format: in its help, its README and its specs."""
    return data_parts(f"published/{form}.txt")


def help_of(form: str) -> str:
    """What `import <form> --help` says."""
    about = _about(form)
    return f"""{about["help"]}

DIR becomes a benchmark repository with specs and a sealed run, which builds a site at once and asks nobody; it appears
whole or not at all. --lenient leaves out the models whose rows are broken.

\b
Examples:
  nullbench-site import {form} {about["example"]}
  nullbench-site import {form} {about["example"]} --lenient --json
"""


def import_published(
    files: Source,
    into: Path,
    names: Mapping[str, str],
    published_of: Callable[[Mapping[str, str]], Published],
    *,
    lenient: bool,
) -> Imported:
    """Make the repository `into`, which must be new or empty.

    files: that were read, with what is wrong with them; where lenient, of models that were left out. names: the file of
    each model that is left. published_of: the board of models, given their ids by their names.
    Raises as Importer.make.
    """
    from nullbench_site.interop.repository import check_empty, make_repository  # noqa: PLC0415 - scores: it takes long to import

    check_empty(into)
    ids: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, file in names.items():
        own = slug(name)
        if not own or own in taken:
            why = f"its id {own!r} is that of {quoted(taken[own])}" if own else "no id can be made of it"
            files.note(file, f"the model is {quoted(name)}, and {why}; rename it")
        else:
            ids[name], taken[own] = own, name
    problems = _each_once(files.problems)
    if problems and (not lenient or len(ids) < 2):
        raise ImportRefused(problems, "There is nothing left to import" if lenient else _LENIENT)
    published = published_of(ids)
    shards = sorted(published.shards, key=lambda shard: shard.id)
    texts = {"README.md": _readme(published)} | {
        f"specs/domains/{name}.jsonl": "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in group.items)
        for name, group in published.categories.items()
    }
    records = ((shard.responses, shard.judgments) for shard in shards)
    results = make_repository(files.folder, into, _specs(published), texts, records)
    unranked = [(row.model, row.absent["rank"]) for row in results.leaderboard if row.rank is None]
    return Imported(
        directory=str(into),
        run=results.run,
        board=_about(published.id)["title"],
        models=len(shards),
        items=sum(len(group.items) for group in published.categories.values()),
        judge=published.judge,
        verdicts=sum(len(shard.judgments) for shard in shards),
        notes=(*published.notes, *(f"{taken[own]} stands on the board without a rank: {why}" for own, why in unranked)),
        skipped=tuple(map(str, sorted(problems))),
    )


def _each_once(problems: Sequence[Problem]) -> list[Problem]:
    """What a file says of many rows in the same words, once: in its first place, with how many more there are."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in sorted(set(problems)):
        alike.setdefault((problem.file, problem.message), []).append(problem)
    return [
        replace(first, message=f"{first.message} (and so in {plural(len(more), 'more row')})") if more else first
        for first, *more in alike.values()
    ]


def _specs(published: Published) -> list[types.Spec]:
    judge, protocol, about = slug(published.judge), specs_of(published.protocol), _about(published.id)
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
                types.Category(id=name, title=group.title, description=group.description, items_file=f"{name}.jsonl")
                for name, group in published.categories.items()
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
    """A judge whose verdicts are imported, of a family of its own. name: as where they were recorded."""
    return types.Judge(id=id, title=title_of(name), description=about, backend=types.RECORDED, model=name, family=id)


def recorded_model(id: str, title: str, name: str, about: str) -> types.ModelFile:
    """A contestant whose answers or verdicts are imported, of a family of its own."""
    return types.ModelFile(
        canary="", id=id, title=title, description=about, kind="model", backend=types.RECORDED, model=name, family=id
    )


def in_markdown(line: str) -> str:
    """A line of anybody's for Markdown: escaped, so that it makes no link, image or element."""
    return re.sub(r"[\\`*_\[\]<>&!]", r"\\\g<0>", line)


def _readme(published: Published) -> str:
    return data_text("published/README.md").format(
        **_about(published.id),
        format=published.id,
        notes="\n".join(f"* {in_markdown(one_line(note))}." for note in published.notes),
    )
