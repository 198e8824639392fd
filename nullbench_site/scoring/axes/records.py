"""The shard of one contestant -> arrays: what each judge gave. No text of an answer is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from math import nan
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec.structs import astuple

from nullbench_site.protocols.axes.protocol import AxesProtocol
from nullbench_site.protocols.axes.votes import Votes
from nullbench_site.runs.records import Judgment, read_records
from nullbench_site.scoring.axes.layout import Layout
from nullbench_site.scoring.records import NO_VERDICT, UNFIT, VERDICTS, ShardReader
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import AxesBoardFile
from nullbench_site.stats.arrays import Bools, Ints

_VERDICT = (("scores", msgspec.Raw), ("invalid", dict[str, str]), ("repaired", str | None, None))
"""What scoring reads of a Judgment, beside its place, judge and state."""


@dataclass(frozen=True)
class Judged:
    """votes: by unit and judge. state: (units, judges) numbers of VERDICTS or NO_VERDICT. invalid: fields refused.

    repaired: (units, judges) whether the judge was asked twice, and its second reply counts.
    """

    votes: Votes
    state: Ints
    invalid: Ints
    repaired: Bools


class AxesReader(ShardReader):
    """Reads shards of one board. Verdicts of judges that are not in its panel are left out."""

    def __init__(self, benchmark: Benchmark, board: AxesBoardFile, layout: Layout) -> None:
        super().__init__(benchmark, board, layout)
        self.layout, self.protocol = layout, AxesProtocol()
        panel = benchmark.panels[board.panel]
        self.judges = {judge: number for number, judge in enumerate(panel.judges)}
        self.score_names = tuple(self.protocol.score_types(()))
        self.width = len(self.score_names) + layout.slots.shape[1]
        categories = {item.category.id: item.category for item in layout.placed}
        decoders = {name: self._decoder(category.axes) for name, category in categories.items()}
        self.decoder_of = {item.id: decoders[item.category.id] for item in layout.placed}
        judge = [("judge", Literal[tuple(benchmark.judges)]), ("state", Literal[VERDICTS])]
        self.verdict = msgspec.defstruct("Verdict", [*self.place, *judge, *_VERDICT], gc=False)

    def judged(self, shard: Path, present: Bools) -> Judged:
        """What the judgments in the file `shard` say of the responses `present`. Raises RunError as `responses`."""
        try:
            return self._judged(self.blocks(shard, self.verdict), present)
        except UNFIT:
            judgments = self.ours(read_records(shard, Judgment))
            return self._judged([[self._mended(j) for j in judgments if j.judge in self.judges]], present)

    def _judged(self, blocks: Iterable[list[Any]], present: Bools) -> Judged:
        first, judge_of, decoder_of = self.first, self.judges, self.decoder_of
        n_judges, size = len(judge_of), self.units * len(judge_of)
        given = np.full((size, self.width), nan)
        state, invalid = np.full(size, NO_VERDICT), np.zeros(size, dtype=np.int64)
        repaired = np.zeros(size, dtype=np.bool_)
        for ours in blocks:
            cells = np.array(
                [(first[verdict.item] + verdict.sample) * n_judges + judge_of[verdict.judge] for verdict in ours],
                dtype=np.int64,
            )
            scores = chain.from_iterable([astuple(decoder_of[verdict.item](verdict.scores)) for verdict in ours])
            given[cells] = np.fromiter(scores, np.float64, cells.size * self.width).reshape(-1, self.width)
            # Nearly all are scored at once and have nothing invalid.
            ended = np.full(cells.size, VERDICTS.index("scored"))
            refused, again = np.zeros(cells.size, dtype=np.int64), np.zeros(cells.size, dtype=np.bool_)
            for place, verdict in enumerate(ours):
                if verdict.invalid or verdict.repaired or verdict.state != "scored":
                    ended[place], refused[place] = VERDICTS.index(verdict.state), len(verdict.invalid)
                    again[place] = verdict.repaired is not None
            state[cells], invalid[cells], repaired[cells] = ended, refused, again
        shape = (self.units, n_judges)
        given, state, invalid = given.reshape(*shape, -1), state.reshape(shape), invalid.reshape(shape)
        repaired = repaired.reshape(shape)
        # What is said of a response that is not there counts for nothing.
        given[~present], state[~present], invalid[~present], repaired[~present] = nan, NO_VERDICT, 0, False
        return Judged(Votes(self.score_names, given), state, invalid, repaired)

    def _decoder(self, axes: tuple[str, ...]) -> Callable[[msgspec.Raw], msgspec.Struct]:
        """From the JSON of scores to a Struct of them in the order of Votes.given; what is absent is NaN in it."""
        padding = {f" {slot}": float for slot in range(len(axes), self.layout.slots.shape[1])}
        types = {**self.protocol.score_types(axes), **padding}
        # Axes are named in specs, so their fields get names of our own.
        fields = [(f"score_{place}", kind, nan) for place, kind in enumerate(types.values())]
        rename = {field: name for (field, _, _), name in zip(fields, types, strict=True)}
        return msgspec.json.Decoder(msgspec.defstruct("Scores", fields, rename=rename, gc=False)).decode

    def _mended(self, judgment: Judgment) -> Any:
        """The judgment with its valid scores alone."""
        axes = self.layout.placed[self.layout.number[judgment.item]].category.axes
        scores = self.protocol.valid_scores(judgment.scores, axes)
        fields = {**msgspec.structs.asdict(judgment), "scores": msgspec.Raw(msgspec.json.encode(scores))}
        return msgspec.convert(fields, self.verdict)
