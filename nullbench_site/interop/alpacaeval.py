"""Annotations of AlpacaEval 2.0 -> a board of single games against one baseline, judged by preference.

The texts of instructions and outputs are not written: the board has their sha256 and their lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from nullbench_site.interop.importer import Importer
from nullbench_site.interop.published import PublishedReport, about_format, contestant_ids, help_of
from nullbench_site.interop.source_files import Figure, NonEmpty, SourceFolder, Whole
from nullbench_site.protocols.pairwise.judging import EVEN, ORDERS
from nullbench_site.protocols.pairwise.specs import LengthControl, PairwiseBoardFile, PublishedFigures
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import BenchmarkFile, DataSource
from nullbench_site.stats.scores import preference
from nullbench_site.text import in_markdown, listed, one_line, plural, slug, some_of, title_of

BOARD = "alpacaeval"
BASELINE = "gpt4_1106_preview"
"""The one baseline of AlpacaEval 2.0. Rows do not name it; the lengths of its outputs show if a row means it."""
ITEMS, ANNOTATIONS = "items.jsonl", "annotations"
PUBLISHED = "expected_leaderboard.csv"
NULL_MODELS = frozenset({"NullModel"})
"""Models that do not do the task: one constant answer to everything (Zheng et al. 2024, arXiv:2410.07137)."""
DIFFICULTY, GAMED = "instruction_difficulty.csv", "gamed_baseline_rows.csv"
_CLOSE = 1e-4
"""How far a preference may be from that of its log probabilities, which are rounded in the file."""
LogProbability = Annotated[float, Meta(ge=-1e6, le=1e-6)]


class Instruction(Struct, frozen=True):
    """A row of items.jsonl. len_baseline: of the baseline's output, in characters."""

    item: Whole
    dataset: NonEmpty
    instruction: NonEmpty
    len_baseline: Whole

    @property
    def id(self) -> str:
        """Padded, so that ids sort as the rows do: the published difficulties go by the place of a row."""
        return f"{BOARD}-{self.item:05d}"


class Annotation(Struct, frozen=True):
    """A row of a model. preference: for the model, 1 to 2, or 0 for a draw; None if the judgement failed.

    logprob_m, logprob_M: of the judge's token for the first and the second output; None if it is not among the
    likeliest. switched: the model was shown first; None if unknown.
    """

    item: Whole
    len_model: Whole
    len_baseline: Whole
    annotator: NonEmpty
    preference: Annotated[float, Meta(ge=0, le=2)] | None = None
    switched: bool | None = None
    logprob_m: LogProbability | UnsetType | None = UNSET
    logprob_M: LogProbability | UnsetType | None = UNSET  # noqa: N815 - the name in the file
    pos: Whole | UnsetType = UNSET


class ItemDifficulty(Struct, frozen=True):
    """A row of instruction_difficulty.csv."""

    item: Whole
    instruction_difficulty: Figure


class GamedRow(Struct, frozen=True):
    """A row of gamed_baseline_rows.csv."""

    std_delta_len: Figure
    instruction_difficulty: Figure
    preference_minus_1: Annotated[float, Meta(ge=0, le=1)]


class PublishedScore(Struct, frozen=True):
    """A row of expected_leaderboard.csv: published win rates, in percent."""

    model: NonEmpty
    win_rate: Annotated[float, Meta(ge=0, le=100)]
    length_controlled_winrate: Annotated[float, Meta(ge=0, le=100)]


class Output(Struct, frozen=True):
    """A row of a file of outputs."""

    item: Whole
    output: str


@dataclass
class AlpacaEvalData:
    """The files as they were read. difficulty: by item, None without the file.

    hashes: the sha256 of outputs by model and item, if the texts are there. mismatch: for each file the message about
    its first preference that contradicts its log probabilities.
    """

    files: SourceFolder
    items: dict[int, Instruction] = field(default_factory=dict)
    difficulty: dict[int, float] | None = None
    gamed: tuple[tuple[float, float, float], ...] = ()
    games: dict[str, list[Annotation]] = field(default_factory=dict)
    judge: str = ""
    mismatch: dict[str, str] = field(default_factory=dict)
    published: list[PublishedScore] = field(default_factory=list)
    hashes: dict[str, dict[int, str]] = field(default_factory=dict)


def _make(source: Path, into: Path, lenient: bool) -> PublishedReport:
    data = AlpacaEvalData(SourceFolder(source))
    _read_items(data)
    _read_controls(data)
    for file in data.files.names(ANNOTATIONS, ".jsonl"):
        _read_annotations(data, file)
    _read_published(data)
    return _import(data, into, lenient=lenient)


IMPORTER = Importer(help_of(BOARD), _make)


def _read_items(data: AlpacaEvalData) -> None:
    for line, row in data.files.rows(ITEMS, Instruction):
        if row.item in data.items:
            data.files.note(ITEMS, f"duplicate item {row.item}; keep one", line, "item")
        elif not slug(row.dataset):
            data.files.note(ITEMS, "no id can be made from it; add letters or digits", line, "dataset")
        else:
            data.items[row.item] = row


def _read_controls(data: AlpacaEvalData) -> None:
    """Read the optional inputs of length-controlled win rates."""
    if data.files.has(DIFFICULTY):
        data.difficulty = {}
        for line, row in data.files.table(DIFFICULTY, ItemDifficulty):
            if row.item in data.difficulty:
                data.files.note(DIFFICULTY, f"duplicate item {row.item}; keep one row per item", line, "item")
            data.difficulty[row.item] = row.instruction_difficulty
        if absent := sorted(data.items.keys() - data.difficulty.keys()):
            some = listed(some_of([*map(str, absent)], 5, thousands=""))
            data.files.note(DIFFICULTY, f"no difficulty for {plural(len(absent), 'item')} of {ITEMS}: {some}")
    if data.files.has(GAMED):
        data.gamed = tuple(
            (row.std_delta_len, row.instruction_difficulty, row.preference_minus_1)
            for _, row in data.files.table(GAMED, GamedRow)
        )


def _read_annotations(data: AlpacaEvalData, file: str) -> None:
    """Keep the games of a model, unless one has a problem: without its row, the others would move up."""
    model, before = file.removeprefix(f"{ANNOTATIONS}/").removesuffix(".jsonl"), len(data.files.problems)
    games: list[Annotation] = []
    line_of: dict[int, int] = {}
    in_order = same_baseline = True
    for place, (line, row) in enumerate(data.files.rows(file, Annotation)):
        item = data.items.get(row.item)
        if item is None:
            data.files.note(file, f"{ITEMS} has no item {row.item}; add it, or remove the row", line, "item")
            continue
        if data.files.note_other(file, line, "judge", row.annotator, data.judge):
            continue
        data.judge = row.annotator
        if problems := [*_problems(data, file, row)]:
            for path, message in problems:
                data.files.note(file, message, line, path)
            continue
        in_order = in_order and len(data.files.problems) == before  # a row that could not be read moved the others
        if in_order and (problem := _place_problem(row, place, line_of)) is not None:
            path, message = problem
            data.files.note(file, message, line, path)
            in_order = False  # the rows after it moved too
        if same_baseline and row.len_baseline != item.len_baseline:
            message = f"the baseline's output has {row.len_baseline} characters, but {item.len_baseline} in {ITEMS}"
            data.files.note(file, f"{message}: the row is against another baseline", line, "len_baseline")
            same_baseline = False  # and so are the rows after it
        line_of[row.item] = line
        if model == BASELINE and (row.preference != EVEN or row.len_model != item.len_baseline):
            message = f"{BASELINE} is the baseline: expected {EVEN}, for it plays against itself"
            data.files.note(file, message, line, "preference")
        games.append(row)
    if len(data.files.problems) == before and not games:
        data.files.note(file, "the file has no annotation; remove it")
    elif len(data.files.problems) == before:
        data.games[model] = games


def _read_published(data: AlpacaEvalData) -> None:
    """Read the published figures, and the digests of outputs whose texts are in the folder next to the source."""
    if data.files.has(PUBLISHED):
        data.published = [row for _, row in data.files.table(PUBLISHED, PublishedScore)]
    outputs = SourceFolder(
        data.files.folder.with_name(f"{data.files.folder.resolve().name}-responses"), data.files.problems
    )
    for name in data.games if outputs.folder.is_dir() else ():
        file = f"{name}.jsonl"
        lengths = {game.item: game.len_model for game in data.games[name]}
        for line, row in outputs.rows(file, Output) if outputs.has(file) else ():
            if lengths.get(row.item, len(row.output)) != len(row.output):
                message = f"the output has {len(row.output)} characters, but {lengths[row.item]} in {ANNOTATIONS}"
                outputs.note(f"{outputs.folder.name}/{file}", f"{message}: it is another output", line, "output")
            data.hashes.setdefault(name, {})[row.item] = sha256(row.output.encode())


def _problems(data: AlpacaEvalData, file: str, row: Annotation) -> Iterator[tuple[str, str]]:
    """Yield the path and message of everything wrong with a row by itself."""
    first, second = row.logprob_m, row.logprob_M
    if isinstance(first, UnsetType) or isinstance(second, UnsetType):
        if first is not second:
            yield "logprob_m", "one of logprob_m and logprob_M is missing; write both, null if not among the likeliest"
        shown = None
    else:
        shown = preference(first, second)
    if row.preference is None:
        return
    if 0 < row.preference < 1:
        yield "preference", f"found {row.preference:g}; expected 1 to 2, or 0 for a draw"
    elif row.switched is not None and shown is not None:
        computed = 3 - shown if row.switched else shown
        if abs(computed - row.preference) > _CLOSE:
            turned = abs(3 - computed - row.preference) <= _CLOSE
            why = "is `switched` inverted?" if turned else "one of them was changed"
            message = f"found {row.preference:g}, but its log probabilities give {computed:g}; {why}"
            # If a whole file is wrong, it gets one line, with the numbers of its first row.
            yield "preference", data.mismatch.setdefault(file, message)


def _place_problem(row: Annotation, place: int, line_of: Mapping[int, int]) -> tuple[str, str] | None:
    """Rows are in the order of the items, each once: the published difficulties go by the place of a row."""
    if row.item in line_of:
        return "item", f"duplicate item {row.item}, first in line {line_of[row.item]}; keep one row per item"
    if line_of and row.item < max(line_of):
        message = f"item {row.item} comes after item {max(line_of)}; difficulties go by the place of a row"
        return "item", f"{message}, so keep the order of {ITEMS}"
    if row.pos not in (UNSET, place):
        return "pos", f"found {row.pos}, but this is row {place}: rows were removed or moved; restore them"
    return None


def _import(data: AlpacaEvalData, into: Path, *, lenient: bool) -> PublishedReport:
    """Put the board into a repository, new or old. No text of the data is written: hashes, lengths and numbers only."""
    # Scoring takes 0.5 s to import, and `import --help` does not need it.
    from nullbench_site.interop.imported_repository import csv_text, place_board, spec_files  # noqa: PLC0415
    from nullbench_site.scoring.tables import read_results  # noqa: PLC0415

    names = {name: f"{ANNOTATIONS}/{name}.jsonl" for name in data.games} | {BASELINE: ANNOTATIONS}
    ids, problems = contestant_ids(data.files, names, lenient=lenient)
    about, notes, folder = about_format(BOARD), _notes(data), f"specs/pairwise/{BOARD}"
    files = {f"{folder}/{name}.csv": csv_text(rows) for name, rows in _tables(data, ids).items()}
    files |= {f"{folder}/SOURCE.md": _source(about, notes), **spec_files([_board(data, ids, about)])}
    heading: dict[str, Any] = {name: about[name] for name in ("title", "description", "license", "homepage")}
    new = BenchmarkFile(canary="", id=BOARD, version="1.0.0", **heading)
    _, run = place_board(into, files, str(data.files.folder), new, BOARD)
    titles = {own: name for name, own in ids.items()}
    rows = read_results(into / "runs" / run, BOARD).leaderboard if run else ()
    return PublishedReport(
        directory=str(into),
        run=run,
        board=about["title"],
        models=len(ids),
        items=len(data.items),
        judge=data.judge,
        verdicts=sum(len(data.games[name]) for name in ids if name != BASELINE),
        notes=(*notes, *(f"{titles[row.model]} has no rank: {row.absent['rank']}" for row in rows if row.rank is None)),
        skipped=tuple(map(str, problems)),
    )


def _board(data: AlpacaEvalData, ids: Mapping[str, str], about: Mapping[str, str]) -> PairwiseBoardFile:
    rows = [(ids[row.model], row) for row in data.published if row.model in ids]
    figures: PublishedFigures = {
        "win_rate": {own: row.win_rate for own, row in rows},
        "lc_win_rate": {own: row.length_controlled_winrate for own, row in rows},
    }
    return PairwiseBoardFile(
        canary="", id=BOARD, title=about["title"], question=about["question"], description=about["about_board"],
        construct="capability", protocol="pairwise", domains=(BOARD,), panel=BOARD, baseline=slug(BASELINE),
        orders="drawn",
        length_control=LengthControl(difficulty_by="row" if data.difficulty else "item"),
        imported=DataSource(
            link=about["homepage"], license=about["license"], taken=datetime.now(UTC).date().isoformat()
        ),
        published=figures if rows else {},
    )  # fmt: skip


def _tables(data: AlpacaEvalData, ids: Mapping[str, str]) -> Mapping[str, Sequence[Sequence[str]]]:
    """Return the rows of each table of the board."""
    kinds = {name: "null" if name in NULL_MODELS else "model" for name in ids}
    models = [["id", "title", "kind", "model"]]
    models += [
        [own, title_of(name), kinds[name], title_of(name)] for name, own in sorted(ids.items(), key=itemgetter(1))
    ]
    items = [["id", "category", "sha256", "lc_difficulty"]]
    for item in data.items.values():
        difficulty = repr(data.difficulty[item.item]) if data.difficulty else ""
        items.append([item.id, item.dataset, sha256(item.instruction.encode()), difficulty])
    games = [["model", "item", "length", "sha256", "position", "preference"]]
    for name, own in sorted(ids.items(), key=itemgetter(1)):
        hashes = data.hashes.get(name, {})
        if name == BASELINE:  # against itself, each game is a draw by definition
            games += [
                [own, item.id, str(item.len_baseline), hashes.get(item.item, ""), "", ""]
                for item in data.items.values()
            ]
            continue
        for game in data.games[name]:
            position = {True: ORDERS[0], False: ORDERS[1], None: ""}[game.switched]
            preference = "" if game.preference is None else f"{_as_shown(game):.10g}"
            item = data.items[game.item]
            games.append([own, item.id, str(game.len_model), hashes.get(game.item, ""), position, preference])
    judges = [["id", "title", "model"], [slug(data.judge), title_of(data.judge), title_of(data.judge)]]
    gamed = [["length", "difficulty", "share"], *([repr(each) for each in row] for row in data.gamed)]
    return {"models": models, "items": items, "games": games, "judges": judges} | (
        {"gamed": gamed} if data.gamed else {}
    )


def _as_shown(game: Annotation) -> float:
    """Return the preference for the output shown second; if the order is unknown, this is taken to be the model's."""
    preference = game.preference or 0.0
    return 3 - preference if game.switched and preference else preference


def _source(about: Mapping[str, str], notes: Sequence[str]) -> str:
    lines = [f"# {about['title']}", "", f"* Source: {about['homepage']}", f"* Licence of the data: {about['license']}"]
    lines += ["* Taken: ids, hashes, lengths, preferences and published figures; no prompts and no answers"]
    lines += [f"* Note: {in_markdown(one_line(note))}" for note in notes]
    lines += ["", f"To remove the board, delete this folder and `specs/boards/{BOARD}.yaml`, and build."]
    return "\n".join(lines) + "\n"


def _notes(data: AlpacaEvalData) -> Sequence[str]:
    notes = ["the board has hashes and lengths of instructions and outputs, not their texts"]
    folders = sorted(path.name for path in data.files.folder.iterdir() if path.is_dir() and path.name != ANNOTATIONS)
    if folders:
        notes.append(f"not read: {listed(folders)}; annotations of other judges or baselines are other boards")
    if data.difficulty:
        notes.append("the difficulty of an item goes by the place of its row, as in the published scores")
    if any(game.switched is None for games in data.games.values() for game in games):
        notes.append("games whose order is unknown count in no figure about position")
    for name, games in data.games.items():
        if absent := len(data.items) - len(games):
            notes.append(f"{name} has no annotation of {plural(absent, 'item')}")
        if failed := sum(game.preference is None for game in games):
            notes.append(f"{name} has {plural(failed, 'failed judgement')}, which no figure counts")
    return notes
