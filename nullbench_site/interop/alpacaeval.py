"""Annotations of AlpacaEval 2.0 -> a board of single games against one baseline, judged by preference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp
from pathlib import Path

from nullbench_site.interop.importer import Importer
from nullbench_site.interop.published import Group, Imported, Published, Shard, help_of, import_published
from nullbench_site.interop.published_rows import Row, Source
from nullbench_site.protocols.pairwise.judging import EVEN, STYLE, template
from nullbench_site.protocols.pairwise.specs import LengthControl
from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.text import listed, plural, slug, some_of

BOARD = "alpacaeval"
BASELINE = "gpt4_1106_preview"
"""The one baseline of AlpacaEval 2.0; rows do not name it, and the lengths of its outputs tell whether they mean it."""
ITEMS, ANNOTATIONS = "items.jsonl", "annotations"
LOGS = ("logprob_m", "logprob_M")
DIFFICULTY, GAMED = "instruction_difficulty.csv", "gamed_baseline_rows.csv"
_CLOSE = 1e-4
"""How far a preference may be from that of its log probabilities, each rounded on its way into the file."""


@dataclass(frozen=True)
class Item:
    """An instruction. baseline_length: of the baseline's output, in characters."""

    number: int
    data_set: str
    prompt: str
    baseline_length: int

    @property
    def id(self) -> str:
        """Padded, so that ids sort as the rows do: the published difficulties go by the place of a row."""
        return f"item-{self.number:05d}"


@dataclass(frozen=True)
class Game:
    """A row. against: the length of the baseline's output. preference: for the model, 1..2 or 0 for a draw; None where
    the judgement failed. switched: the model was shown first; None where nobody knows."""

    item: Item
    length: int
    against: int | None
    preference: float | None
    switched: bool | None


@dataclass
class Annotations:
    """What was read. difficulty: by item, None without the file. gamed: rows of length, difficulty and share. mismatch:
    file -> what its first preference that its log probabilities contradict is and should be."""

    files: Source
    items: dict[int, Item] = field(default_factory=dict)
    difficulty: dict[int, float] | None = None
    gamed: tuple[tuple[float, float, float], ...] = ()
    games: dict[str, list[Game]] = field(default_factory=dict)
    judge: str = ""
    mismatch: dict[str, str] = field(default_factory=dict)


def _make(source: Path, into: Path, lenient: bool) -> Imported:
    read = Annotations(Source(source))
    _read_items(read)
    _read_controls(read)
    for file in read.files.names(ANNOTATIONS, ".jsonl"):
        _read_games(read, file)
    names = {name: f"{ANNOTATIONS}/{name}.jsonl" for name in read.games} | {BASELINE: ANNOTATIONS}
    return import_published(read.files, into, names, partial(_published, read), lenient=lenient)


IMPORTER = Importer(help_of(BOARD), _make)


def _read_items(read: Annotations) -> None:
    for row in read.files.lines(ITEMS, "an item is one, with item, dataset, instruction and len_baseline"):
        number, length = row.whole("item"), row.whole("len_baseline")
        data_set, prompt = row.text("dataset"), row.text("instruction")
        if number in read.items:
            row.note("item", f"the item {number} stands above already; keep one")
        if data_set is not None and not slug(data_set):
            row.note("dataset", "no id can be made of it; give it letters or digits")
        if number is not None and length is not None and data_set and prompt and not row.broken:
            read.items[number] = Item(number, data_set, prompt, length)


def _read_controls(read: Annotations) -> None:
    """What length-controlled win rates take, where it is there."""
    if read.files.has(DIFFICULTY):
        read.difficulty = {}
        for row in read.files.table(DIFFICULTY, ("item", "instruction_difficulty")):
            item, value = row.whole("item"), row.number("instruction_difficulty", -1e6, 1e6)
            if item is not None and value is not None:
                read.difficulty[item] = value
        if absent := sorted(read.items.keys() - read.difficulty.keys()):
            some = listed(some_of([*map(str, absent)], 5, thousands=""))
            read.files.note(DIFFICULTY, f"no difficulty for {plural(len(absent), 'item')} of {ITEMS}: {some}")
    if read.files.has(GAMED):
        names = ("std_delta_len", "instruction_difficulty", "preference_minus_1")
        gamed = []
        for row in read.files.table(GAMED, names):
            length, difficulty = (row.number(name, -1e6, 1e6) for name in names[:2])
            share = row.number(names[2], 0, 1)
            if length is not None and difficulty is not None and share is not None:
                gamed.append((length, difficulty, share))
        read.gamed = tuple(gamed)


def _read_games(read: Annotations, file: str) -> None:
    """The games of a model, unless something is wrong with one: with a row away the others would move up."""
    model, before = file.removeprefix(f"{ANNOTATIONS}/").removesuffix(".jsonl"), len(read.files.problems)
    games: list[Game] = []
    line_of: dict[int, int] = {}
    in_order = same_baseline = True
    for place, row in enumerate(read.files.lines(file, "an annotation is one, with item, len_model and preference")):
        game = _game(read, row)
        if game is None:
            continue
        in_order = in_order and len(read.files.problems) == before  # a line that is no row moved what follows
        if in_order and (problem := _place_problem(row, place, game.item.number, line_of)) is not None:
            row.note(*problem)
            in_order = False  # what follows moved with it
        if same_baseline and game.against not in (None, length := game.item.baseline_length):
            message = f"the baseline's output has {game.against} characters, and {length} in {ITEMS}"
            row.note("len_baseline", f"{message}: the row is against another baseline")
            same_baseline = False  # and so will others be
        line_of[game.item.number] = row.line
        if model == BASELINE and (game.preference != EVEN or game.length != game.item.baseline_length):
            row.note("preference", f"{BASELINE} is the baseline: against itself every preference is {EVEN}")
        games.append(game)
    if len(read.files.problems) == before and not games:
        read.files.note(file, "holds no annotation; take the file out")
    elif len(read.files.problems) == before:
        read.games[model] = games


def _game(read: Annotations, row: Row) -> Game | None:
    number, length, against = row.whole("item"), row.whole("len_model"), row.whole("len_baseline")
    preference, switched = row.number("preference", 0, 2, null=True), row.flag("switched", null=True)
    logs = tuple(row.number(name, -1e6, 1e-6, null=True) for name in LOGS)
    if len(there := [name for name in LOGS if name in row.values]) == 1:
        (away,) = {*LOGS} - {*there}
        row.note(there[0], f"{there[0]}: found without {away}; write both, null for a token not among the likeliest")
    judge = row.alike("annotator", read.judge, "judge")
    item = read.items.get(-1 if number is None else number)
    if number is not None and item is None:
        row.note("item", f"{ITEMS} has no item {number}; add it, or take the row out")
    if preference is not None and 0 < preference < 1:
        row.note("preference", f"preference: found {preference:g}; expected 1 to 2, or 0 for a draw")
    elif preference is not None and switched is not None and not row.broken and (share := _share(*logs)) is not None:
        shown = 2 - share if switched else 1 + share
        if abs(shown - preference) > _CLOSE:
            turned = abs(3 - shown - preference) <= _CLOSE
            why = "has `switched` been turned round?" if turned else "one of them was changed"
            message = f"preference: found {preference:g}, and its log probabilities give {shown:g}; {why}"
            # A file that is wrong throughout is one line, with the numbers of its first row.
            row.note("preference", read.mismatch.setdefault(row.file, message))
    if row.broken or item is None or length is None or judge is None:
        return None
    read.judge = judge
    return Game(item, length, against, preference, switched)


def _share(first: float | None, second: float | None) -> float | None:
    """The probability of the second token of two, from logs; one that is not there has none."""
    weights = [0.0 if log is None else exp(log) for log in (first, second)]
    return weights[1] / sum(weights) if sum(weights) else None


def _place_problem(row: Row, place: int, item: int, line_of: Mapping[int, int]) -> tuple[str, str] | None:
    """Rows stand in the order of the items, each once: the published difficulties go by the place of a row."""
    if item in line_of:
        return "item", f"the item {item} stands in line {line_of[item]} already; keep one row an item"
    if line_of and item < max(line_of):
        message = f"the item {item} follows the item {max(line_of)}; difficulties go by the place of a row"
        return "item", f"{message}, so keep the rows in the order of {ITEMS}"
    if "pos" in row.values and row.whole("pos") not in (None, place):
        given = row.values["pos"]
        return "pos", f"pos: found {given}, and it is row {place}: rows were taken out or moved; restore them"
    return None


def _published(read: Annotations, ids: Mapping[str, str]) -> Published:
    judge = slug(read.judge)
    return Published(
        id=BOARD,
        judge=read.judge,
        protocol="pairwise",
        settings={
            "baseline": slug(BASELINE),
            "orders": "drawn",
            "length_control": LengthControl(difficulty_by="row" if read.difficulty else "item", gamed_rows=read.gamed),
        },
        categories={
            f"{BOARD}-{slug(name)}": Group(name, f"Instructions of the data set {name}.", _items(read, name))
            for name in sorted({item.data_set for item in read.items.values()})
        },
        shards=[_shard(name, own, read, judge) for name, own in ids.items()],
        notes=_notes(read),
    )


def _items(read: Annotations, data_set: str) -> list[dict[str, object]]:
    return [
        {"id": item.id, "difficulty": "medium", "prompt": item.prompt}
        | ({"lc_difficulty": read.difficulty[item.number]} if read.difficulty else {})
        for item in read.items.values()
        if item.data_set == data_set
    ]


def _shard(name: str, own: str, read: Annotations, judge: str) -> Shard:
    """The records of a model. The baseline meets nobody: its games against itself are draws by definition."""
    shard, baseline = Shard(BOARD, own, name), slug(BASELINE)
    if name == BASELINE:
        for item in read.items.values():
            _answer(shard, item, item.baseline_length)
        return shard
    for game in read.games[name]:
        answer = _answer(shard, game.item, game.length)
        scored = game.preference is not None
        shard.verdict(
            answer,
            *(game.item.id, judge),
            judge=judge,
            template=template(baseline, None),
            position={True: 0, False: 1, None: None}[game.switched],
            scores={"preference": _as_shown(game)} if scored else {},
            invalid={} if scored else {"preference": "null in the published data"},
        )
    return shard


def _as_shown(game: Game) -> float:
    """The preference for what was shown second; where the order is not known the model is taken to have been."""
    preference = game.preference or 0.0
    return 3 - preference if game.switched and preference else preference


def _answer(shard: Shard, item: Item, length: int) -> Response:
    return shard.answer(item.id, item.id, checks=(CheckResult(STYLE, "", "not-applicable", (f"length {length}",)),))


def _notes(read: Annotations) -> Sequence[str]:
    notes = ["the outputs are not in the data: their lengths are, and no text of theirs is shown"]
    folders = sorted(path.name for path in read.files.folder.iterdir() if path.is_dir() and path.name != ANNOTATIONS)
    if folders:
        notes.append(f"nothing of {listed(folders)} is read: annotations of other judges or baselines are other boards")
    if read.difficulty:
        notes.append("the fixed difficulty of an item is looked up by the place of a row, as it was published")
    if any(game.switched is None for games in read.games.values() for game in games):
        notes.append("of some games the order is not known; they count in no figure about position")
    for name, games in read.games.items():
        if absent := len(read.items) - len(games):
            notes.append(f"{name} has no annotation of {plural(absent, 'item')}")
        if failed := sum(game.preference is None for game in games):
            notes.append(f"{name} has {plural(failed, 'failed judgement')}, which count nowhere")
    return notes
