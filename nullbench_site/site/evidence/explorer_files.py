"""The files of the evidence of every board. The explorer loads them on demand.

data/v1/evidence/<board>/
  index.json                       names and counts
  scores/<row>-<column>.json       scores of some items times some contestants
  items/<part>.json                items, by id
  answers/<contestant>/<part>.json answers with their verdicts, by item
  controls/                        the same for the controls, if the run has any

No file grows with the board. A tile has the scores of some items and some contestants: a list of one contestant loads
one column of tiles, a list of one domain a few rows. The texts of one contestant are in memory at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from types import GenericAlias
from typing import Any, TypeAlias

import msgspec
from msgspec import NODEFAULT
from msgspec.structs import FieldInfo, asdict, fields

from nullbench_site.extensions import registered
from nullbench_site.judging.bridges import bridges_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response, read_lines
from nullbench_site.scoring.board import control_items
from nullbench_site.scoring.executors import on_all_cores
from nullbench_site.site.data_files import ROOT, schema_of
from nullbench_site.site.evidence import Apart, BoardEvidence, ListedScore, Verdict
from nullbench_site.site.gather import SiteData
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.trust import controls
from nullbench_site.site.views import BoardView, difficulty_of
from nullbench_site.specs.types import CONTROLS
from nullbench_site.text import shortened

ITEM_BYTES = 32_768
ANSWER_BYTES = 65_536
"""The largest size of a file before compression; a larger entry gets a file of its own."""
TILE_ITEMS = 256
TILE_CONTESTANTS = 64
TILE_CELLS = 4_096
"""The most cells of a tile."""
BEGINS = 72
"""How many characters of an item a list shows."""

MANY = 20_000
"""From how many answers on they are spread over all cores."""
UNANSWERED = "."
"""The mark of an item without an answer, where others have the position of their state."""

Short: TypeAlias = int | float | None
"""A number rounded to a tenth. The answer has the exact one."""


class TileItems(msgspec.Struct):
    """The items of a tile, in columns. domain, difficulty: positions in the index. part: the file of the item.

    begins: the beginning of the item's text; empty for a private one.
    """

    id: list[str]
    domain: list[int]
    difficulty: list[int]
    private: list[bool]
    begins: list[str]
    part: list[int]


class TileContestant(msgspec.Struct):
    """The scores of a contestant, one an item.

    states: one character an item: the position of its state in the index, "." without an answer. scores: 0-100. apart:
    how far judges are apart; empty if no judges score. failed: for an item with failed checks its position, then the
    positions of their types in the index. parts: the file of the answer.
    """

    id: str
    states: str
    scores: list[Short]
    apart: list[Short]
    failed: list[list[int]]
    parts: list[int | None]


class Tile(msgspec.Struct):
    """data/v1/evidence/<board>/scores/<row>-<column>.json: some items times some contestants."""

    board: str
    items: TileItems
    contestants: list[TileContestant]


def tile_shape(n_contestants: int) -> tuple[int, int]:
    """Return how many items and contestants a tile has."""
    contestants = max(1, min(n_contestants, TILE_CONTESTANTS))
    return min(TILE_ITEMS, TILE_CELLS // contestants), contestants


class Marks:
    """Encode scores as columns. states, checks: ids in the order of the index. judged: whether judges score."""

    def __init__(self, states: Sequence[str], checks: Sequence[str], *, judged: bool) -> None:
        self.state = {state: str(place) for place, state in enumerate(states)}
        self.check = {check: place for place, check in enumerate(checks)}
        self.judged = judged

    def column(
        self, model: str, items: Sequence[str], cells: Mapping[str, ListedScore], parts: Mapping[str, int]
    ) -> TileContestant:
        """Return the column of a contestant. cells: by item, for the items it answered."""
        listed = [cells.get(item) for item in items]
        return TileContestant(
            id=model,
            states="".join(UNANSWERED if cell is None else self.state[cell.state] for cell in listed),
            scores=[None if cell is None else short(cell.score) for cell in listed],
            apart=[None if cell is None else short(cell.apart) for cell in listed] if self.judged else [],
            failed=[
                [place, *(self.check[check] for check in cell.failed)]
                for place, cell in enumerate(listed)
                if cell is not None and cell.failed
            ],
            parts=[parts.get(item) for item in items],
        )


def short(value: float | None) -> Short:
    """Round to a tenth; a whole number has no fraction."""
    if value is None:
        return None
    tenth = round(value, 1)
    return int(tenth) if tenth.is_integer() else tenth


def blocks(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Split names into blocks of a size."""
    return (names[start : start + size] for start in range(0, len(names), size))


class Parts:
    """Entries by id, split into files. of: the file of an entry. most: bytes of a file."""

    def __init__(self, entries: Iterable[tuple[str, bytes]], most: int) -> None:
        self.of: dict[str, int] = {}
        self._parts: list[dict[str, msgspec.Raw]] = []
        size = most
        for name, entry in entries:
            if size + len(entry) > most:
                self._parts.append({})
                size = 0
            self._parts[-1][name] = msgspec.Raw(entry)
            self.of[name] = len(self._parts) - 1
            size += len(name) + len(entry)

    @property
    def files(self) -> list[tuple[str, bytes]]:
        """Return name and content of each file."""
        return [(f"{number}.json", msgspec.json.encode(part)) for number, part in enumerate(self._parts)]


CONTROLS_BELOW = "/controls"
"""The evidence of controls has the same form, below that of the board."""


class State(msgspec.Struct):
    """A state of answers. n: how many answers are in it."""

    id: str
    title: str
    n: int = 0


class IndexModel(msgspec.Struct):
    """A contestant."""

    id: str
    title: str
    kind: str


class IndexDomain(msgspec.Struct):
    """A domain. first: the position of its first item on the board; n: how many items follow one another."""

    id: str
    title: str
    first: int
    n: int


class IndexOfAll(msgspec.Struct, omit_defaults=True):
    """data/v1/evidence/<board>/index.json: what the explorer loads first.

    tile: how many items and contestants a file of scores has, in the order of domains and models. answers: how many
    there are. floor: the best null model. source: the address of the data of an imported board. templates: the
    wordings of the prompt, if there are several. {}: titles, on boards of the protocols that have them.
    """

    board: str
    protocol: str
    rule_based: bool
    samples: int
    judges: dict[str, str]
    models: list[IndexModel]
    domains: list[IndexDomain]
    difficulties: list[str]
    states: list[State]
    apart: Apart | None
    items: int
    private: int
    answers: int
    tile: tuple[int, int]
    floor: IndexModel | None = None
    source: str | None = None
    templates: tuple[str, ...] = ()


@cache
def index_type() -> type[msgspec.Struct]:
    """Return the type of an index, with the titles of all protocols."""
    own: dict[str, Any] = {}
    for protocol in registered("protocols"):
        for field in fields(pages_of(protocol).evidence.titles_type):
            own.setdefault(field.name, (field.name, field.type, _default(field)))
    named = dict(sorted(own.items()))
    description = {"__doc__": f"{IndexOfAll.__doc__}".format(", ".join(named))}
    return msgspec.defstruct("Index", named.values(), bases=(IndexOfAll,), namespace=description, omit_defaults=True)


def _default(field: FieldInfo) -> Any:
    if field.default_factory is not NODEFAULT:
        return msgspec.field(default_factory=field.default_factory)
    return msgspec.field(default=field.default)


def evidence_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file."""
    folder = RunFolder(site.entry.path, site.entry.manifest)
    for view in site.views:
        evidence = pages_of(view.board.protocol).evidence(view)
        yield from _Board(view, evidence, folder).files()
        if controls.are_judged(view):
            measured = pages_of(view.board.protocol).evidence(view)
            measured.rows = {(row.model, row.item): row for row in control_items(view.benchmark, view.board, folder)}
            asked = [name for name in CONTROLS if name in {model for model, _ in measured.rows}]
            yield from _Board(view, measured, folder, asked, CONTROLS_BELOW).files()
        schemas = f"{ROOT}/evidence/{view.board.protocol}"
        for part, kind in zip(("items", "answers"), evidence.types(), strict=True):
            yield f"{schemas}-{part}.schema.json", schema_of(GenericAlias(dict, (str, kind)))
    yield f"{ROOT}/evidence/index.schema.json", schema_of(index_type())
    yield f"{ROOT}/evidence/scores.schema.json", schema_of(Tile)


class _Board:
    """The files of one board."""

    def __init__(
        self,
        view: BoardView,
        evidence: BoardEvidence[Any, Any, Any],
        folder: RunFolder,
        models: Sequence[str] | None = None,
        below: str = "",
    ) -> None:
        """models: whose answers; by default those of the board. below: a folder below that of the board."""
        self.view, self.evidence, self.folder = view, evidence, folder
        self.models = list(view.rows) if models is None else list(models)
        self.id = view.board.id + below
        self.base = f"{ROOT}/evidence/{self.id}"
        self.placed = list(view.benchmark.items(view.board))
        self.ids = [placed.id for placed in self.placed]
        self.difficulties: list[str] = list(dict.fromkeys(map(difficulty_of, self.placed)))
        self.wordings = view.board.wordings if len(view.board.wordings) > 1 else ()
        self.titles = evidence.titles()
        self.marks = Marks(list(evidence.states), list(self.titles.checks), judged=evidence.apart is not None)
        self.encoder = msgspec.json.Encoder()

    def files(self) -> Iterator[tuple[str, bytes]]:
        shown = ((placed.id, self.encoder.encode(self.evidence.item(placed))) for placed in self.placed)
        items = Parts(shown, ITEM_BYTES)
        for name, content in items.files:
            yield f"{self.base}/items/{name}", content
        n_items, n_contestants = tile_shape(len(self.models))
        rows = list(blocks(self.ids, n_items))
        heads = [self._columns(ids, items.of) for ids in rows]
        states: Counter[str] = Counter()
        many = len(self.models) * len(self.ids) >= MANY
        with on_all_cores(partial(self._contestant, rows), alone=not many) as each:
            contestants = each(self.models)
            for number, models in enumerate(blocks(self.models, n_contestants)):
                tiles: list[list[TileContestant]] = []
                for files, columns in islice(contestants, len(models)):
                    yield from files
                    tiles.append(columns)
                    states.update("".join(column.states for column in columns))
                for row, (head, *columns) in enumerate(zip(heads, *tiles, strict=True)):
                    content = self.encoder.encode(Tile(self.id, head, columns))
                    yield f"{self.base}/scores/{row}-{number}.json", content
        yield f"{self.base}/index.json", self.encoder.encode(self._index((n_items, n_contestants), states))

    def _contestant(
        self, rows: Sequence[Sequence[str]], model: str
    ) -> tuple[list[tuple[str, bytes]], list[TileContestant]]:
        """Return the files of a contestant's answers, and its column in each row of tiles."""
        answers, cells = self._answers(model)
        parts = Parts(answers.items(), ANSWER_BYTES)
        files = [(f"{self.base}/answers/{model}/{name}", content) for name, content in parts.files]
        return files, [self.marks.column(model, ids, cells, parts.of) for ids in rows]

    def _columns(self, ids: Sequence[str], parts: Mapping[str, int]) -> TileItems:
        chosen = set(ids)
        placed = [placed for placed in self.placed if placed.id in chosen]
        domains = {domain: place for place, domain in enumerate(self.view.board.domains)}
        return TileItems(
            id=list(ids),
            domain=[domains[item.domain.id] for item in placed],
            difficulty=[self.difficulties.index(difficulty_of(item)) for item in placed],
            private=[item.private for item in placed],
            begins=[
                shortened(" ".join(self.evidence.beginning(item)[: 4 * BEGINS].split()), BEGINS) for item in placed
            ],
            part=[parts[item] for item in ids],
        )

    def _answers(self, model: str) -> tuple[dict[str, bytes], dict[str, ListedScore]]:
        """Return a contestant's encoded answers and their scores, both by item."""
        given: dict[tuple[str, int, int], dict[str | None, list[Verdict]]] = {}
        shard, decoder = self.folder.shard(Judgment, model), msgspec.json.Decoder(self.evidence.verdict_type)
        lines = read_lines(shard, Judgment) if shard.is_file() else ()
        for judgment, line in sorted(lines, key=lambda read: (read[0].judge, read[0].turn)):
            if judgment.board == self.view.board.id:
                of_sample = given.setdefault((judgment.item, *self._draw(judgment)), {})
                of_sample.setdefault(judgment.judge_template, []).append(decoder.decode(line))
        responses: dict[str, dict[tuple[int, int], list[Response]]] = {item: {} for item in self.ids}
        for response in sorted(self.folder.records(Response, model), key=lambda each: (*self._draw(each), each.turn)):
            if response.board == self.view.board.id and response.item in responses:
                responses[response.item].setdefault(self._draw(response), []).append(response)
        answers: dict[str, bytes] = {}
        cells: dict[str, ListedScore] = {}
        for item, of_item in responses.items():
            if not of_item and not (self.evidence.unrecorded and (model, item) in self.evidence.rows):
                continue
            samples = [(turns, given.get((item, *draw), {})) for draw, turns in of_item.items()]
            answers[item] = self.encoder.encode(self.evidence.answer(model, item, samples))
            cells[item] = self.evidence.listed(model, item)
        return answers, cells

    def _draw(self, record: Response | Judgment) -> tuple[int, int]:
        """Return the place of the wording of a record, and its sample."""
        return (self.wordings.index(record.template) if record.template in self.wordings else 0), record.sample

    def _index(self, tile: tuple[int, int], states: Counter[str]) -> msgspec.Struct:
        """states: how many answers are in each, by its mark."""
        view, benchmark = self.view, self.view.benchmark
        sizes = Counter(placed.domain.id for placed in self.placed)
        domains, first = [], 0
        for domain in view.board.domains:
            domains.append(IndexDomain(domain, benchmark.domains[domain].title, first, sizes[domain]))
            first += sizes[domain]
        bridging = {
            each.judge.id: f"{each.judge.title} (bridging, in no score)" for each in bridges_of(benchmark, view.board)
        }
        floor = None if view.results.floor is None else benchmark.answerer(view.results.floor.model)
        return index_type()(
            board=self.id,
            protocol=view.board.protocol,
            rule_based=view.rule_based,
            samples=view.board.samples,
            judges={judge.id: judge.title for judge in view.judges} | bridging,
            models=[IndexModel(model.id, model.title, model.kind) for model in map(benchmark.answerer, self.models)],
            domains=domains,
            difficulties=self.difficulties,
            states=[
                State(state, title, states[self.marks.state[state]]) for state, title in self.evidence.states.items()
            ],
            apart=self.evidence.apart,
            items=len(self.placed),
            private=sum(placed.private for placed in self.placed),
            answers=states.total() - states[UNANSWERED],
            tile=tile,
            floor=None if floor is None else IndexModel(floor.id, floor.title, floor.kind),
            source=None if view.board.imported is None else view.board.imported.link,
            templates=self.wordings,
            **asdict(self.titles),
        )
