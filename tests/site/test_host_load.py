"""Times of contestants on this machine that were measured while other calls to it ran: found, marked and not ranked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from support import oracle_boards
from support.boards import write_shards
from support.oracle_boards import answer
from support.sites import Site

from nullbench_site.site import paths
from nullbench_site.site.host_load import HostLoad, Overlap, overlapping
from nullbench_site.site.pages.charts import board_charts
from nullbench_site.site.pages.models import busy_words
from nullbench_site.site.pages.tables import board_table
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Endpoint


@pytest.mark.parametrize(
    ("calls", "over"),
    [
        ([], []),
        ([(0, 1)], [False]),
        ([(0, 1), (1, 1), (2, 1)], [False, False, False]),
        ([(0, 1), (0.97, 1)], [False, False]),  # 30 ms are a rounded time
        ([(0, 1), (0.9, 1)], [True, True]),
        ([(0.9, 1), (0, 1)], [True, True]),  # in any order
        ([(0, 10), (1, 1), (3, 1), (12, 1)], [True, True, True, False]),
        ([(0, 1), (0, 1), (0, 1)], [True, True, True]),
        ([(0, 0.01), (0, 5)], [False, False]),  # too short to slow another down
        ([(0, 2), (5, 2), (6, 0.5), (20, 1)], [False, True, True, False]),
    ],
)
def test_calls_that_ran_at_the_same_time_are_found(calls: list[tuple[float, float]], over: list[bool]) -> None:
    starts = np.array([start for start, _ in calls], dtype=float)
    ends = np.array([start + seconds for start, seconds in calls], dtype=float)
    assert overlapping(starts, ends).tolist() == over


ITEMS = [f"q{number:02}" for number in range(20)]


def _at(second: float) -> str:
    return f"2026-11-27T02:{int(second // 60):02}:{second % 60:06.3f}+00:00"


def _specs(address: str | None, **fields: object) -> Benchmark:
    """A board of two models at two endpoints with this address."""
    made = oracle_boards.of(*ITEMS, models=("one", "two"))
    models = {
        name: msgspec.structs.replace(spec, kind="model", backend="openai", endpoint=f"at-{name}", **fields)
        for name, spec in made.models.items()
    }
    ends = {f"at-{name}": Endpoint(id=f"at-{name}", base_url=address) for name in models}
    return replace(made, models=models, endpoints=ends)


def _load(tmp_path: Path, specs: Benchmark, step: float, delay: float, shared: int = 20) -> HostLoad:
    """The load of a run in which each model answers an item in a second, every `step` seconds, the second `delay`
    later. shared: how many of the items it answers so; the others are a quarter of an hour later."""
    records = [
        msgspec.structs.replace(
            answer(item, model=name, seconds=1.0),
            key=f"{name} {item}",
            started_at=_at(place * step + (900 * (place >= shared) + delay if name == "two" else 0)),
        )
        for name in ("one", "two")
        for place, item in enumerate(ITEMS)
    ]
    write_shards(tmp_path, records)
    return HostLoad(specs, tmp_path)


@pytest.mark.parametrize(
    ("address", "when", "found"),
    [
        ("http://127.0.0.1:8091/v1", (2.0, 0.5, 20), {"one": Overlap(20, 20), "two": Overlap(20, 20)}),
        ("http://localhost:8091/v1", (2.0, 0.5, 20), {"one": Overlap(20, 20), "two": Overlap(20, 20)}),
        ("http://[::1]:8091/v1", (2.0, 0.5, 20), {"one": Overlap(20, 20), "two": Overlap(20, 20)}),
        ("http://127.0.0.1:8091/v1", (2.0, 1.0, 20), {}),  # one after the other
        ("http://127.0.0.1:8091/v1", (0.5, 300, 20), {"one": Overlap(20, 20), "two": Overlap(20, 20)}),  # with itself
        ("http://127.0.0.1:8091/v1", (2.0, 0.5, 1), {}),  # 1 of 20 is not more than 5 %
        ("http://127.0.0.1:8091/v1", (2.0, 0.5, 2), {"one": Overlap(2, 20), "two": Overlap(2, 20)}),
        ("https://api.example.org/v1", (2.0, 0.5, 20), {}),  # somebody else's machine
        (None, (2.0, 0.5, 20), {}),
    ],
)
def test_times_on_loopback_are_set_aside_where_other_calls_to_it_ran(
    tmp_path: Path, address: str | None, when: tuple[float, float, int], found: dict[str, Overlap]
) -> None:
    assert _load(tmp_path, _specs(address), *when).of("main") == found


def test_one_call_that_two_boards_share_does_not_overlap_itself(tmp_path: Path) -> None:
    specs = _specs("http://127.0.0.1:8091/v1")
    records = [
        msgspec.structs.replace(answer(item, model="one"), key=item, started_at=_at(2.0 * place), board=board)
        for board in ("main", "other")
        for place, item in enumerate(ITEMS)
    ]
    write_shards(tmp_path, records)
    assert HostLoad(specs, tmp_path).by_board == {}


def test_models_whose_times_are_in_no_number_anyway_have_no_mark(tmp_path: Path) -> None:
    assert _load(tmp_path, _specs("http://127.0.0.1:8091/v1", timed=False), 2.0, 0.5).by_board == {}


def test_a_time_of_a_busy_host_is_marked_and_neither_sorted_by_nor_drawn(shipped_site: Site) -> None:
    marked = 0
    for view in shipped_site.data.views:
        for row in board_table(view).rows:
            busy = row.model.id in view.under_load
            assert bool(busy_words(view, row.model.id)) == busy
            times = [at for at, (_, column) in enumerate(board_table(view).columns) if column.kind == "time"]
            if busy and times:
                marked += 1
                assert row.values.split(",")[3 + times[0]] == ""
                assert "(busy host)" in shipped_site.content(view.url).text
                assert "overlapped other calls to this host" in shipped_site.content(paths.model_url(row.model.id)).text
        drawn = [figure for figure in board_charts(shipped_site.data, view).tradeoffs if figure.id == "chart-latency"]
        for figure in drawn:
            shown = figure.alt.removeprefix(f"Score against median response time on {view.board.title}: ")
            assert not any(
                f"{view.title(model)} {view.rows[model].overall:.1f} at" in shown for model in view.under_load
            )
    if any(view.board.id == "facts" for view in shipped_site.data.views):
        assert marked > 3
