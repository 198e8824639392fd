"""Charts: where points stand, what is drawn when something is absent, and that a title is never anything but text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from support.commands import ROOT
from support.pages import Element, parse

from nullbench_site.site import words
from nullbench_site.site.charts import style as palette
from nullbench_site.site.charts.chart import (
    ROW_HEIGHT,
    Chart,
    chart_spec,
    chart_svg,
    cleaned,
    intervals_data,
    intervals_table,
    outcomes_data,
    outcomes_table,
    quartiles_data,
    quartiles_table,
)
from nullbench_site.site.charts.radar import LIKERT, POINTS, WIDTH, Radar, Scale, Spoke, position
from nullbench_site.site.charts.style import (
    COLOURS,
    SHAPES,
    Look,
    by_size,
    cut,
    drawable,
    extent,
    linear,
    looks,
    mark,
    of_scores,
    width,
    wrapped,
)
from nullbench_site.site.charts.tradeoff import AMOUNTS, Point, tradeoff_data, tradeoff_table
from nullbench_site.site.pages.charts import _money

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</svg></text><b>bold</b>",
    ' role="x" aria-label="',
    ' class="',
    'fill #0000a1 font-family="x"',
    '<path d=""/>',
    "&lt;i&gt; &amp; ]]> -- ",
    "datum.title",
)  # fmt: skip
LOOK = mark(Look(0, "circle"), is_null=False)


@pytest.fixture(scope="session")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which charts are kept."""
    return tmp_path_factory.mktemp("charts")


@cache
def _macros() -> Any:
    loader = FileSystemLoader(ROOT / "site_templates" / "pages")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("_chart.j2").module


def _drawn(chart: Chart, folder: Path) -> Element:
    return parse(chart_svg(chart_spec(chart, folder), folder)).one("svg")


def _stamped(radar: Radar) -> Element:
    return parse(str(_macros().radar(radar.picture))).one("svg")


def _texts(svg: Element) -> list[str]:
    """Each text of a picture; one on two lines as one."""
    return [" ".join(line.raw for line in text.all("tspan")) or text.raw for text in svg.all("text")]


def radar(spokes: Sequence[Spoke], name: str = "Somebody", scale: Scale = LIKERT) -> Radar:
    return Radar(name, spokes, scale)


def intervals(rows: list[dict[str, Any]], floor: float | None) -> Chart:
    data, axis = intervals_data(rows, floor, None, (None, None)), of_scores([])
    return Chart("intervals", data, intervals_table, ROW_HEIGHT * len(rows), (axis, f"score, {extent(axis.high)}"))


def quartiles(titles: Sequence[str]) -> Chart:
    numbers = {"p10": 10.0, "q1": 20.0, "median": 30.0, "q3": 40.0, "p90": 50.0, "items": 12}
    return Chart(
        "quartiles", quartiles_data([{"title": title, **numbers, **LOOK} for title in titles]), quartiles_table, 50
    )


def outcomes(contestants: Sequence[tuple[str, Sequence[int]]]) -> Chart:
    return Chart("outcomes", outcomes_data(contestants), outcomes_table, ROW_HEIGHT * len(contestants))


def points(*scored: tuple[str, float, float], on_frontier: Sequence[str] = ()) -> list[Point]:
    """title, score, amount of each."""
    return [Point(title, score, amount, LOOK, title in on_frontier) for title, score, amount in scored]


def tradeoff(given: list[Point], floor: float | None = None) -> Chart:
    data = tradeoff_data(given, floor, AMOUNTS["latency"], words.milliseconds)
    return Chart("latency", data, partial(tradeoff_table, AMOUNTS["latency"]))


def _row(title: str, score: float = 50.0, low: float = 40.0, high: float = 60.0) -> dict[str, Any]:
    ends = {"low": low, "high": high, "panel_low": None, "panel_high": None}
    return {"title": title, "score": score, **ends, **LOOK}


# --- numbers in words -----------------------------------------------------------------------------------------------


@given(st.floats(0, 100).map(lambda score: round(score, 6)))
@example(6.145833)  # to two digits first, and then to one, it was 6.2
@example(6.25)  # the charts' own library rounds a half up
def test_a_score_reads_the_same_in_every_chart_and_on_every_page(score: float) -> None:
    said = words.number(score)
    assert tradeoff(points(("A", score, 1.0))).table.rows[0][1] == said
    drawn = intervals([_row("A", score, score, score)], None)
    assert list(drawn.table.rows[0][1:]) == [said] * 3
    assert {drawn.datasets["rows"][0][f"{name}_told"] for name in ("score", "low", "high")} == {said}


def test_the_interval_with_other_judges_is_drawn_and_stands_in_the_table_where_there_is_one(charts: Path) -> None:
    rows = [_row("A", 50.0, 45.0, 55.0) | {"panel_low": 20.0, "panel_high": 80.0}, _row("B")]
    drawn = intervals(rows, 10.0)
    assert drawn.table.head[-2:] == ["Panel, from", "Panel, to"]
    assert [list(row[4:]) for row in drawn.table.rows] == [["20.0", "80.0"], ["not measured"] * 2, ["–", "–"]]
    lines = len(_drawn(drawn, charts).all("line"))
    assert lines == len(_drawn(intervals([_row("A", 50.0, 45.0, 55.0), _row("B")], 10.0), charts).all("line")) + 1


# --- positions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "place", "spokes", "x", "y"),
    [
        (5, 0, 4, 0, -1), (5, 1, 4, 1, 0), (5, 2, 4, 0, 1), (5, 3, 4, -1, 0),
        (1, 2, 6, 0, 0), (0, 2, 6, 0, 0), (3, 0, 5, 0, -0.5), (5, 1, 6, math.sqrt(3) / 2, -0.5),
    ],
)  # fmt: skip
def test_a_value_stands_on_its_spoke_clockwise_from_the_top(
    value: float, place: int, spokes: int, x: float, y: float
) -> None:
    assert position(value, place, spokes, LIKERT) == pytest.approx((x, y), abs=1e-12)


@given(st.floats(0, 1), st.integers(0, 5), st.integers(3, 12), st.sampled_from([LIKERT, POINTS]))
def test_the_distance_from_the_middle_is_the_value_on_its_scale(
    share: float, place: int, spokes: int, scale: Scale
) -> None:
    value = scale.low + share * (scale.high - scale.low)
    assert math.hypot(*position(value, place % spokes, spokes, scale)) == pytest.approx(share)


# --- ticks ----------------------------------------------------------------------------------------------------------

amounts = st.lists(st.floats(1e-4, 1e6), min_size=1, max_size=20)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=20))
@example([5e-324])
@example([100.0, 99.99999999999999])
def test_a_linear_axis_ends_in_ticks_around_all_values(values: list[float]) -> None:
    axis = linear(values)
    assert axis.ticks[0] <= min(values) + 1e-9
    assert axis.ticks[-1] >= max(values) - 1e-9
    assert 2 <= len(axis.ticks) <= 8
    assert [axis.at(tick) for tick in (axis.ticks[0], axis.ticks[-1])] == pytest.approx([0, 1])


@pytest.mark.parametrize("scores", [(50.0, 50.0), (0.0, 0.0), (53.2, 53.8), (61.02, 61.05), (0.0, 100.0)])
def test_no_two_ticks_of_a_scale_of_scores_read_alike(scores: tuple[float, float]) -> None:
    given = points(*((name, score, 1.0) for name, score in zip("AB", scores, strict=True)))
    told = [tick["text"] for tick in tradeoff(given).data["datasets"]["up"]]
    assert len(told) == len(set(told)) > 1


def test_ticks_of_costs_have_cents_and_no_more_zeros() -> None:
    ticks = [
        [tick["text"] for tick in tradeoff_data(given, None, AMOUNTS["cost"], _money)["across"]]
        for given in (points(("A", 50, 0.1), ("B", 60, 0.3)), points(("A", 50, 0.001), ("B", 60, 2.0)))
    ]
    assert ticks == [["$0.00", "$0.10", "$0.20", "$0.30"], ["$0.001", "$0.01", "$0.10", "$1.00"]]


@pytest.mark.parametrize(("value", "ticks"), [(50.0, [50, 60]), (0.0, [0, 0.2]), (0.004, [0.004, 0.005])])
def test_a_linear_axis_of_one_value_has_ticks_that_differ(value: float, ticks: list[float]) -> None:
    assert linear([value, value]).ticks == pytest.approx(ticks)


@given(amounts)
def test_an_axis_of_amounts_keeps_their_order_within_the_picture(values: list[float]) -> None:
    axis = by_size(values)
    places = [axis.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert -1e-9 <= places[0] <= places[-1] <= 1 + 1e-9
    assert 1 <= len(axis.ticks) <= 8
    assert all(-1e-9 <= axis.at(tick) <= 1 + 1e-9 for tick in axis.ticks)


@pytest.mark.parametrize(
    ("values", "is_log"), [([10, 99], False), ([10, 100], True), ([0, 10, 100], True), ([0, 0], False), ([5], False)]
)
def test_amounts_that_span_a_decade_stand_by_their_logarithms(values: list[float], is_log: bool) -> None:
    assert by_size(values).is_log is is_log


def test_nothing_at_all_stands_apart_from_the_least_amount_on_an_axis_of_logarithms() -> None:
    axis = by_size([0, 1, 1000])
    assert axis.at(0) == 0
    assert axis.at(1) > 0.1
    assert axis.ticks[0] == 0


# --- words in pictures ----------------------------------------------------------------------------------------------


@given(st.text(max_size=80), st.floats(1, 12), st.integers(1, 3))
def test_a_label_has_no_more_lines_and_no_wider_ones_than_there_is_room_for(text: str, room: float, lines: int) -> None:
    broken = wrapped(text, room, lines)
    assert 1 <= len(broken) <= lines
    assert all(width(line) <= room + 1e-9 for line in broken)


def test_a_label_is_broken_between_words_and_cut_where_it_does_not_fit() -> None:
    assert wrapped("Constrained instructions", 7, 2) == ["Constrained", "instructions"]
    assert wrapped("Constrained instructions and more of them", 7, 2) == ["Constrained", "instructions…"]
    assert cut("short", 10) == "short"
    assert cut("\x1b[31mred", 40) == "<U+001B>[31mred"


# --- radars ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 5, 6])
def test_a_radar_shows_every_axis_with_its_score(n: int) -> None:
    spokes = [Spoke(f"Axis {place}", 1 + place / 2, 4.0, 3.0) for place in range(n)]
    texts = _texts(_stamped(radar(spokes)))
    assert sorted(texts) == sorted([s.label for s in spokes] + [f"{s.value:.1f}" for s in spokes])


def test_a_radar_is_drawn_with_rings_and_three_outlines_of_the_scores() -> None:
    svg = _stamped(radar([Spoke(str(place), 3.0, 5.0, 2.0) for place in range(4)]))
    assert len(svg.all("polygon", class_="nb-ring")) == 4
    assert len(svg.all("circle", class_="nb-dot")) == 4
    profile, goal = (
        [
            tuple(map(float, corner.split(",")))
            for corner in svg.one("polygon", class_=name).attributes["points"].split()
        ]
        for name in ("nb-profile", "nb-goal")
    )
    (x, _), (right, y), *_ = goal
    assert profile == [(x + (a - x) / 2, y + (b - y) / 2) for a, b in goal]
    assert right - x == y - goal[0][1] > 100


def test_a_point_of_a_radar_says_its_values_when_one_hovers() -> None:
    with_goals = _stamped(radar([Spoke(str(place), 3.0, 5.0, 2.0) for place in range(4)]))
    assert [title.text for title in with_goals.all("title")][:2] == [f"{k} 3.0 (goal 5.0, median 2.0)" for k in (0, 1)]
    chart = Radar("x", [Spoke(f"Domain {place}", 40.0, None, 55.0) for place in range(3)], POINTS)
    svg = _stamped(chart)
    assert _texts(svg).count("40.0") == 3
    assert [title.text for title in svg.all("title")] == [f"Domain {place} 40.0 (median 55.0)" for place in range(3)]
    assert chart.table.head == ["", "value", "median"]


@pytest.mark.parametrize(
    ("spoke", "kept"),
    [
        (Spoke("x", None, 4.0, 2.0), {"goal", "median"}),
        (Spoke("x", 3.0, None, 2.0), {"median", "profile"}),
        (Spoke("x", 3.0, 4.0, None), {"goal", "profile"}),
        (Spoke("x", None, None, None), set()),
    ],
)
def test_an_outline_with_a_hole_is_not_drawn_through_the_middle(spoke: Spoke, kept: set[str]) -> None:
    chart = radar([spoke, *(Spoke(str(place), 3.0, 4.0, 2.0) for place in range(3))])
    svg = _stamped(chart)
    assert {name for name in ("goal", "median", "profile") if svg.all("polygon", class_=f"nb-{name}")} == kept
    assert len(svg.all("circle")) == (4 if spoke.value is not None else 3)
    assert ("n/a" in _texts(svg)) == (spoke.value is None)
    assert (chart.table.rows[0][1] == "not measured") == (spoke.value is None)


def _boxes(labels: Sequence[Mapping[str, Any]], size: float, line: float) -> list[tuple[float, float, float, float]]:
    boxes = []
    for label in labels:
        wide = size * width(label["text"])
        left = label["x"] - {"left": 0, "center": wide / 2, "right": wide}[label["side"]]
        boxes.append((left, label["y"] - line, left + wide, label["y"]))
    return boxes


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


titles = st.sampled_from(["Law", "Constrained instructions", "A name of four long words"]) | st.text(max_size=60)


@given(st.lists(titles, min_size=3, max_size=30))
def test_labels_of_a_radar_never_meet_and_stay_in_the_picture(labels: list[str]) -> None:
    picture = radar([Spoke(label, 3.0, 4.0, 2.0) for label in labels]).picture
    boxes = _boxes([asdict(label) for label in picture.labels], 13, 12)
    assert not [pair for pair in combinations(boxes, 2) if _meet(*pair)]
    for left, top, right, bottom in boxes:
        assert left >= -1e-9
        assert top >= -1e-9
        assert right <= WIDTH + 1e-9
        assert bottom <= picture.height


# --- rows -----------------------------------------------------------------------------------------------------------


def test_the_interval_plot_names_every_contestant_in_the_order_of_the_board(charts: Path) -> None:
    titles = ["Zebra", "Ant", "Model with its own name", "Émile 書 🏆"]
    texts = _texts(_drawn(intervals([_row(title) for title in titles], 12.0), charts))
    assert [text for text in texts if text in titles] == titles
    assert {"score, 0 to 100", "80", "100"} <= set(texts)


def _palette(scheme: int) -> list[str]:
    """The colours of contestants by day, 0, or by night, 1."""
    css = (ROOT / "site_templates" / "assets" / "css" / "base.css").read_text()
    found = re.findall(r"--nb-look-\d: (#[0-9a-f]{6});", css)
    return found[scheme * len(COLOURS) : (scheme + 1) * len(COLOURS)]


def _lab(colour: str) -> tuple[float, float, float]:
    """CIE L*a*b* of an sRGB colour, white D65."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    rgb = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    to_xyz = ((0.4338, 0.3762, 0.1899), (0.2126, 0.7152, 0.0722), (0.0178, 0.1095, 0.8727))  # over D65
    xyz = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in to_xyz]
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("scheme", [0, 1])
def test_any_two_colours_of_contestants_are_far_apart_by_day_and_by_night(scheme: int) -> None:
    assert _lab("#ff0000") == pytest.approx((53.2, 80.1, 67.2), abs=0.1)
    colours = _palette(scheme)
    assert len(set(colours)) == len(COLOURS)
    assert min(math.dist(_lab(one), _lab(other)) for one, other in combinations(colours, 2)) >= 30


def test_contestants_of_a_board_share_a_colour_only_where_they_outnumber_them_and_never_colour_and_shape() -> None:
    first, second = [f"a{n}" for n in range(7)], ["a2", "a3", *(f"b{n}" for n in range(5))]
    many = [f"c{n:02}" for n in range(30)]
    made = looks([first, second, many])
    for board in (first, second):
        assert len({made[model].colour for model in board}) == len({made[model].shape for model in board}) == 7
    assert len({made[model] for model in many}) == len(many)
    assert looks([reversed(first), second, many]) == made


def test_an_axis_of_low_scores_is_zoomed_and_says_so_and_one_of_others_is_not(charts: Path) -> None:
    axis = of_scores([5.6, 26.9])
    assert (axis.high, list(axis.ticks)) == (30, [0, 10, 20, 30])
    assert [of_scores(values).high for values in ([], [0.0], [50.1], [100.0], [50.0], [4.6])] == [100] * 4 + [50, 5]
    data = intervals([_row("A", 5.6, 2.8, 10.7)], None).datasets
    texts = set(
        _texts(_drawn(Chart("intervals", data, intervals_table, 24, (axis, f"score, {extent(axis.high)}")), charts))
    )
    assert {"30", "score, zoomed: 0 to 30 of 100"} <= texts
    assert "100" not in texts


def test_a_long_name_has_two_lines_and_loses_its_middle_so_that_names_alike_differ(charts: Path) -> None:
    titles = [f"Claude Sonnet 4.6 (thinking auto, {effort} effort)" for effort in ("high", "medium")]
    titles += [f"A model with {'a long ' * 25}name of the {kind} kind" for kind in ("first", "second")]
    titles += [f"{'il' * 30}-{last}" for last in "12"]
    chart = intervals([_row(title) for title in titles], None)
    svg = _drawn(chart, charts)
    shown = _texts(svg)[-len(titles) - 1 : -1]
    assert shown[:2] == titles[:2]
    assert len(set(shown)) == len(titles)
    assert all("…" in name for name in shown[2:])
    assert [row[0] for row in chart.table.rows] == titles


def test_without_a_null_model_no_floor_is_drawn(charts: Path) -> None:
    with_floor = _drawn(intervals([_row("a")], 12.0), charts)
    without = _drawn(intervals([_row("a")], None), charts)

    def dashed(svg: Element) -> int:
        return sum("stroke-dasharray" in element.attributes for element in svg.walk())

    assert (dashed(with_floor), dashed(without)) == (1, 0)


def test_a_board_without_rows_still_has_a_chart(charts: Path) -> None:
    assert _drawn(intervals([], None), charts).tag == "svg"


def test_a_longer_board_makes_a_taller_chart(charts: Path) -> None:
    def height(n: int) -> float:
        svg = _drawn(intervals([_row(f"Model {k}") for k in range(n)], None), charts)
        return float(svg.attributes["viewbox"].split()[3])

    assert height(20) - height(10) == pytest.approx(10 * ROW_HEIGHT)


def test_a_contestant_has_the_colour_of_its_look_and_null_models_one_of_their_own(charts: Path) -> None:
    rows = [_row("a") | mark(Look(2, SHAPES[1]), is_null=False), _row("b") | mark(Look(3, "circle"), is_null=True)]
    svg = _drawn(intervals(rows, None), charts)
    fills = [element.attributes.get("fill") for element in svg.all("path")]
    assert fills.count("var(--nb-look-2)") == fills.count("var(--nb-muted)") == 1
    assert "var(--nb-look-3)" not in fills


def test_parts_of_a_bar_add_up_and_say_their_number_where_there_is_room(charts: Path) -> None:
    chart = outcomes([("a", (30, 15, 5, 0)), ("b", (0, 0, 0, 4))])
    rows = chart.datasets["rows"]
    assert [(row["start"], row["end"]) for row in rows[:4]] == [(0, 60), (60, 90), (90, 100), (100, 100)]
    assert rows[7]["end"] == 100
    assert {"30", "15", "5", "4"} <= set(_texts(_drawn(chart, charts)))
    assert "0" not in [row["told"] for row in rows]


# --- scores against what they take ----------------------------------------------------------------------------------

FIELD = points(
    ("slow and good", 90, 2000), ("quick", 60, 10), ("middling", 70, 200), ("beaten", 40, 300), ("beaten too", 60, 900),
    on_frontier=("slow and good", "quick", "middling"),
)  # fmt: skip


def test_what_is_better_stands_higher_and_what_takes_less_further_left() -> None:
    rows = {row["title"]: row for row in tradeoff(FIELD).datasets["points"]}
    assert [rows[name]["x"] for name in ("quick", "middling", "beaten", "beaten too", "slow and good")] == sorted(
        row["x"] for row in rows.values()
    )
    assert rows["slow and good"]["y"] < rows["middling"]["y"] < rows["quick"]["y"] == rows["beaten too"]["y"]
    assert rows["beaten"]["amount"] == words.milliseconds(300)


def test_the_frontier_climbs_in_stairs_through_its_points_and_no_others() -> None:
    datasets = tradeoff(FIELD).datasets
    corners = [(corner["x"], corner["y"]) for corner in datasets["frontier"]]
    on_it = {(row["x"], row["y"]) for row in datasets["points"] if row["beside"]}
    assert set(corners[::2]) == on_it
    assert all(one[0] == other[0] or one[1] == other[1] for one, other in pairwise(corners))
    assert [y for _, y in corners] == sorted((y for _, y in corners), reverse=True)


def test_every_point_has_its_name_also_where_points_crowd() -> None:
    crowd = points(*((f"contestant {n}", 50 + n % 3, 100 + n) for n in range(9)), on_frontier=("contestant 2",))
    for some in (FIELD, crowd):
        texts = [label["text"] for label in tradeoff(some, 10.0).datasets["labels"]]
        assert sorted(texts) == sorted(point.title for point in some)


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=30), st.floats(0, 100), st.floats(0, 1e5)), min_size=1, max_size=40)
)
def test_labels_of_points_never_meet_each_other_or_leave_the_picture(scored: list[tuple[str, float, float]]) -> None:
    chart = tradeoff(points(*scored, on_frontier=[title for title, *_ in scored[::2]]))
    labels = [{**label, "y": label["y"] + 7} for label in chart.datasets["labels"]]
    boxes = _boxes(labels, 13, 14)
    assert not [pair for pair in combinations(boxes, 2) if _meet(*pair)]
    assert all(box[0] >= 0 and box[2] <= 440 and box[1] >= 0 and box[3] <= 330 for box in boxes)


@pytest.mark.parametrize("kind", AMOUNTS)
def test_every_kind_of_amount_is_drawn_with_its_axis_named(kind: str, charts: Path) -> None:
    data = tradeoff_data(FIELD, 5.0, AMOUNTS[kind], words.number)
    assert {AMOUNTS[kind], "score, 0 to 100", "quick"} <= set(
        _texts(_drawn(Chart(kind, data, partial(tradeoff_table, AMOUNTS[kind])), charts))
    )


# --- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chart", "rows"),
    [
        (intervals([_row("a", 51.26, 40, 60)], 3.14), [["a", "51.3", "40.0", "60.0"], ["Null floor", "3.1", "–", "–"]]),
        (quartiles(["a"]), [["a", "10.0", "20.0", "30.0", "40.0", "50.0", "12"]]),
        (outcomes([("a", (3, 2, 1, 0)), ("b", (0, 0, 0, 6))]), [["a", "3", "2", "1", "0"], ["b", "0", "0", "0", "6"]]),
        (
            tradeoff(points(("a", 51.26, 1500), ("b", 40, 1600), on_frontier=["a"])),
            [["a", "51.3", "1.5\N{NO-BREAK SPACE}s", "on the frontier"], ["b", "40.0", "1.6\N{NO-BREAK SPACE}s", ""]],
        ),
        (
            radar([Spoke("x", 3.456, 4.0, None), Spoke("y", 2, 4.0, None), Spoke("z", None, 5.0, None)]),
            [["x", "3.46", "4.00"], ["y", "2.00", "4.00"], ["z", "not measured", "5.00"]],
        ),
    ],
    ids=["intervals", "quartiles", "outcomes", "latency", "radar"],
)
def test_the_table_behind_a_chart_holds_what_the_chart_shows(chart: Chart | Radar, rows: list[list[str]]) -> None:
    assert [list(row) for row in chart.table.rows] == rows
    assert all(len(row) == len(chart.table.head) for row in chart.table.rows)
    assert chart.table.caption


# --- texts ----------------------------------------------------------------------------------------------------------

NAMED: dict[str, Callable[[str], Chart]] = {
    "intervals": lambda title: intervals([_row(title), _row("other")], 12.0),
    "quartiles": lambda title: quartiles([title, "other"]),
    "outcomes": lambda title: outcomes([(title, (1, 2, 3, 4)), ("other", (1, 2, 3, 4))]),
    "latency": lambda title: tradeoff(points((title, 50, 10), ("other", 60, 20))),
}


def _is_shown(title: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts is the title, whole or cut."""
    whole = " ".join(title.split())
    found = [" ".join(text.split()) for text in texts]
    return whole in found or any(text.endswith("…") and whole.startswith(text[:-1]) for text in found if len(text) > 5)


named = pytest.mark.parametrize("make", NAMED.values(), ids=NAMED)


@named
@pytest.mark.parametrize("title", HOSTILE)
def test_a_title_in_a_chart_is_text_to_the_letter_and_changes_no_shape(
    title: str, make: Callable[[str], Chart], charts: Path
) -> None:
    harmless = re.sub(r"\S", "x", title)  # as long, and on as many lines
    plain, svg = _drawn(make(harmless), charts), _drawn(make(title), charts)
    assert _is_shown(title, _texts(svg))
    assert "other" in _texts(svg)
    shapes = [[(element.tag, sorted(element.attributes)) for element in root.walk()] for root in (plain, svg)]
    assert shapes[0] == shapes[1]
    assert make(title).table.rows[0][0] == title


@pytest.mark.parametrize("title", HOSTILE)
def test_an_axis_in_a_radar_is_text_to_the_letter(title: str) -> None:
    spokes = [Spoke(title, 3.0, 4.0, 2.0), *(Spoke(str(place), 3.0, 4.0, 2.0) for place in range(3))]
    svg = _stamped(radar(spokes, title))
    assert _is_shown(title, _texts(svg))
    assert {element.tag for element in svg.walk()} <= {"svg", "polygon", "line", "circle", "text", "title"}


@named
@pytest.mark.parametrize("code", ["0000", "0007", "001B", "D800", "FFFE", "FFFF"])
def test_a_character_that_no_svg_can_hold_is_written_out(code: str, make: Callable[[str], Chart], charts: Path) -> None:
    title = f"a{chr(int(code, 16))}b"
    chart = make(title)
    assert drawable(title) == f"a<U+{code}>b"
    assert f"a<U+{code}>b" in _texts(_drawn(chart, charts))
    assert chart.table.rows[0][0] == f"a<U+{code}>b"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))
def test_cleaning_takes_nothing_from_between_tags(words: str) -> None:
    escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    tag = '<text class="mark" aria-label="a &gt; b" font-family="f">'
    svg = f'<svg xmlns="x" width="1" height="2">{tag}{escaped}</text></svg>'
    head = '<svg xmlns="x" width="1" height="2" aria-hidden="true" focusable="false">'
    assert cleaned(svg) == f"{head}<text>{escaped}</text></svg>"


def test_what_a_mark_says_becomes_its_title() -> None:
    head = '<svg xmlns="x" width="1" height="2" aria-hidden="true" focusable="false">'
    svg = '<svg xmlns="x" width="1" height="2"><path aria-label="A &lt;b&gt;; score 5" d="M1,1"/></svg>'
    assert cleaned(svg) == f'{head}<path d="M1,1"><title>A &lt;b&gt;; score 5</title></path></svg>'


def test_every_stand_in_becomes_a_variable_of_the_page() -> None:
    svg = "".join(f'<path fill="{colour}"/>' for colour in palette.VARIABLES)
    assert "#0000" not in cleaned(svg)
    assert all(f"var({variable})" in cleaned(svg) for variable in palette.VARIABLES.values())


# --- kept charts ----------------------------------------------------------------------------------------------------


def test_a_chart_is_drawn_once_and_then_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = intervals([_row("a")], None)
    first = chart_svg(chart_spec(chart, tmp_path), tmp_path)
    import vl_convert

    def refuse(spec: object) -> str:
        raise AssertionError("drawn again")

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", refuse)
    assert chart_svg(chart_spec(chart, tmp_path), tmp_path) == first
    with pytest.raises(AssertionError, match="drawn again"):
        chart_svg(chart_spec(intervals([_row("b")], None), tmp_path), tmp_path)
