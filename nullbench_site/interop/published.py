"""A published board of recorded verdicts -> a repository with its specs and a sealed run, or nothing at all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.interop.repository import (
    check_empty,
    files_beside,
    load_made,
    new_repository,
    spec_text,
    write_files,
    write_run,
)
from nullbench_site.packaged import data_text
from nullbench_site.protocols.base import VERBATIM
from nullbench_site.runs.records import CheckResult, Judgment, Record, Response, Score
from nullbench_site.specs import types
from nullbench_site.text import number, one_line, plural, quoted, slug

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
        position: int | None = None,
        words: str = "",
    ) -> None:
        """Add what the judge said of an answer. invalid: why a score is none. words: the judge's."""
        self.judgments.append(Judgment(
            self._key(key), self.board, self.id, of.item, VERBATIM, of.sample, judge, template, position,
            "scored" if scores else "unparsed", scores, invalid, words, None, None, "", 0.0, turn=of.turn,
        ))  # fmt: skip

    def _key(self, key: Sequence[str]) -> str:
        return hashlib.sha256("\n".join((self.board, self.id, *key)).encode()).hexdigest()


@dataclass(frozen=True)
class Published:
    """A board as it was read; its id is the name of its format. license: of the source. judge: as published. items: by
    category, each as in a file of items. shards: the records of each model."""

    homepage: str
    license: str
    description: str
    judge: str
    board: types.BoardFile
    domain: types.DomainFile
    items: Mapping[str, Sequence[Mapping[str, Any]]]
    shards: Sequence[Shard]
    notes: Sequence[str]

    @property
    def title(self) -> str:
        return self.board.title


def import_published(
    source: Path,
    into: Path,
    problems: list[Problem],
    names: Mapping[str, str],
    published_of: Callable[[Mapping[str, str]], Published],
    *,
    lenient: bool,
) -> Imported:
    """Make the repository `into`, which must be new or empty.

    problems: what is wrong with the files; where lenient, of models that were left out. names: the file of each model
    that is left. published_of: the board of models, given their ids by their names.
    Raises as Importer.make.
    """
    check_empty(into)
    ids: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, file in names.items():
        own = slug(name)
        if not own or own in taken:
            why = f"its id {own!r} is that of {quoted(taken[own])}" if own else "no id can be made of it"
            problems.append(Problem(file, 1, 1, f"the model is {quoted(name)}, and {why}; rename it"))
        else:
            ids[name], taken[own] = own, name
    problems = _each_once(problems)
    if problems and (not lenient or len(ids) < 2):
        raise ImportRefused(problems, "There is nothing left to import" if lenient else _LENIENT)
    published = published_of(ids)
    with new_repository(into) as folder:
        write_files(folder, _files(published))
        benchmark = load_made(source, folder)
        records: Iterator[Sequence[Record]] = (
            records for shard in published.shards for records in (shard.responses, shard.judgments) if records
        )
        manifest = write_run(folder, benchmark, records)
    return Imported(
        directory=str(into),
        run=manifest.run,
        board=published.title,
        models=len(published.shards),
        items=sum(map(len, published.items.values())),
        judge=published.judge,
        verdicts=sum(len(shard.judgments) for shard in published.shards),
        notes=tuple(published.notes),
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


def _files(published: Published) -> dict[str, str]:
    judge = slug(published.judge)
    specs: dict[str, types.Spec] = {
        "benchmark.yaml": types.BenchmarkFile(
            canary="",
            id=published.board.id,
            title=published.title,
            version="1.0.0",
            description=published.description,
            license=published.license,
            homepage=published.homepage,
        ),
        "judges.yaml": types.JudgesFile(
            canary="",
            judges=(
                types.Judge(
                    id=judge,
                    title=one_line(published.judge),
                    description="Judge of the imported verdicts.",
                    backend=types.RECORDED,
                    model=one_line(published.judge),
                    family=judge,
                ),
            ),
            panels=(types.Panel(id=published.board.id, title=f"Judge of {published.title}", judges=(judge,)),),
        ),
        f"boards/{published.board.id}.yaml": published.board,
        f"domains/{published.domain.id}.yaml": published.domain,
    }
    specs |= {
        f"models/{shard.id}.yaml": types.ModelFile(
            canary="",
            id=shard.id,
            title=one_line(shard.name),
            description=f"Verdicts recorded by {published.title}.",
            kind="model",
            backend=types.RECORDED,
            model=one_line(shard.name),
            family=shard.id,
        )
        for shard in published.shards
    }
    items = {
        f"domains/{name}.jsonl": "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in of_category)
        for name, of_category in published.items.items()
    }
    # Names are anybody's: escaped, they make no link, image or element.
    notes = (re.sub(r"[\\`*_\[\]<>&!]", r"\\\g<0>", one_line(note)) for note in published.notes)
    readme = data_text("published/README.md").format(
        title=published.title,
        homepage=published.homepage,
        license=published.license,
        format=published.board.id,
        notes="\n".join(f"* {note}." for note in notes),
    )
    return files_beside(readme) | {
        f"specs/{name}": text
        for name, text in [*((name, spec_text(name, spec)) for name, spec in specs.items()), *items.items()]
    }
