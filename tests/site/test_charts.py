"""Charts: where points stand, what is drawn when something is absent, and that a title is never anything but text."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pages import Element, parse

from nullbench_site.site.charts import palette
from nullbench_site.site.charts.chart import Chart, chart_spec
from nullbench_site.site.charts.intervals import ROW_HEIGHT, intervals_data
from nullbench_site.site.charts.radar import LIKERT, POINTS, Scale, Spoke, position, radar_data
from nullbench_site.site.charts.svg import chart_svg, cleaned, vega_bundle
from nullbench_site.site.render import script_json

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


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("charts")


def _drawn(chart: Chart, cache: Path) -> Element:
    return parse(chart_svg(chart_spec(chart, cache), cache)).one("svg")


def _texts(svg: Element) -> list[str]:
    return [text.raw for text in svg.all("text")]


def radar(spokes: Sequence[Spoke], name: str = "Somebody", scale: Scale = LIKERT) -> Chart:
    return Chart("goal-radar", radar_data(spokes, name, scale))


def intervals(rows: list[dict[str, Any]], floor: float | None) -> Chart:
    return Chart("intervals", intervals_data(rows, floor), ROW_HEIGHT * len(rows))


def _row(title: str, score: float = 50.0, low: float = 40.0, high: float = 60.0) -> dict[str, Any]:
    return {"title": title, "score": score, "low": low, "high": high}


# --- positions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "place", "spokes", "x", "y"),
    [
        (5, 0, 4, 0, 1), (5, 1, 4, 1, 0), (5, 2, 4, 0, -1), (5, 3, 4, -1, 0),
        (1, 2, 6, 0, 0), (0, 2, 6, 0, 0), (3, 0, 5, 0, 0.5), (5, 1, 6, math.sqrt(3) / 2, 0.5),
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
    assert math.hypot(*position(value, place, spokes, scale)) == pytest.approx(share)


# --- radars ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 5, 6])
def test_a_radar_shows_every_axis_with_its_score(n: int, cache: Path) -> None:
    spokes = [Spoke(f"Axis {place}", 1 + place / 2, 4.0, 3.0) for place in range(n)]
    texts = _texts(_drawn(radar(spokes), cache))
    assert sorted(texts) == sorted([s.label for s in spokes] + [f"{s.value:.1f}" for s in spokes])


def test_a_radar_without_goals_speaks_of_none_when_one_hovers(cache: Path) -> None:
    spokes = [Spoke(f"Domain {place}", 40.0, None, 55.0) for place in range(3)]
    assert _texts(_drawn(Chart("radar", radar_data(spokes, "x", POINTS)), cache)).count("40.0") == 3
    told = {kind: json.dumps(chart_spec(Chart(kind, {}), cache)) for kind in ("radar", "goal-radar")}
    assert ['"field": "goal"' in text for text in told.values()] == [False, True]


def _series(chart: Chart) -> dict[str, int]:
    lines = [line["series"] for line in chart.datasets["lines"]]
    return {name: lines.count(name) for name in set(lines)}


def test_the_outlines_of_a_radar_close(cache: Path) -> None:
    chart = radar([Spoke(str(place), 3.0, 4.0, 2.0) for place in range(5)])
    assert _series(chart) == {"goal": 6, "median": 6, "profile": 6}
    for name in ("goal", "median", "profile"):
        points = [(line["x"], line["y"]) for line in chart.datasets["lines"] if line["series"] == name]
        assert points[0] == points[-1]


@pytest.mark.parametrize(
    ("spoke", "kept"),
    [
        (Spoke("x", None, 4.0, 2.0), {"goal", "median"}),
        (Spoke("x", 3.0, None, 2.0), {"median", "profile"}),
        (Spoke("x", 3.0, 4.0, None), {"goal", "profile"}),
        (Spoke("x", None, None, None), set()),
    ],
)
def test_an_outline_with_a_hole_is_not_drawn_through_the_middle(spoke: Spoke, kept: set[str], cache: Path) -> None:
    chart = radar([spoke, *(Spoke(str(place), 3.0, 4.0, 2.0) for place in range(3))])
    assert set(_series(chart)) == kept
    assert len(chart.datasets["points"]) == (4 if spoke.value is not None else 3)
    assert ("n/a" in _texts(_drawn(chart, cache))) == (spoke.value is None)


# --- intervals ------------------------------------------------------------------------------------------------------


def test_the_interval_plot_names_every_contestant_in_the_order_of_the_board(cache: Path) -> None:
    titles = ["Zebra", "Ant", "Model with a name of its own", "Émile 書 🏆"]
    texts = _texts(_drawn(intervals([_row(title) for title in titles], 12.0), cache))
    assert [text for text in texts if text in titles] == titles
    assert "overall, 0 to 100, with its 95 % interval" in texts


def test_without_a_null_model_no_floor_is_drawn(cache: Path) -> None:
    with_floor = _drawn(intervals([_row("a")], 12.0), cache)
    without = _drawn(intervals([_row("a")], None), cache)

    def dashed(svg: Element) -> int:
        return sum("stroke-dasharray" in element.attributes for element in svg.walk())

    assert (dashed(with_floor), dashed(without)) == (1, 0)


def test_a_board_without_rows_still_has_a_chart(cache: Path) -> None:
    assert _drawn(intervals([], None), cache).tag == "svg"


def test_a_longer_board_makes_a_taller_chart(cache: Path) -> None:
    def height(n: int) -> float:
        svg = _drawn(intervals([_row(f"Model {k}") for k in range(n)], None), cache)
        return float(svg.attributes["viewbox"].split()[3])

    assert height(20) - height(10) == pytest.approx(10 * ROW_HEIGHT)


# --- texts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", HOSTILE)
def test_a_title_in_a_chart_is_text_to_the_letter_and_changes_no_shape(title: str, cache: Path) -> None:
    plain = _drawn(intervals([_row("harmless"), _row("other")], 12.0), cache)
    svg = _drawn(intervals([_row(title), _row("other")], 12.0), cache)
    assert title.strip() in [text.strip() for text in _texts(svg)]
    assert "other" in _texts(svg)
    shapes = [[(element.tag, sorted(element.attributes)) for element in root.walk()] for root in (plain, svg)]
    assert shapes[0] == shapes[1]


@pytest.mark.parametrize("title", HOSTILE)
def test_an_axis_in_a_radar_is_text_to_the_letter(title: str, cache: Path) -> None:
    spokes = [Spoke(title, 3.0, 4.0, 2.0), *(Spoke(str(place), 3.0, 4.0, 2.0) for place in range(3))]
    assert title.strip() in [text.strip() for text in _texts(_drawn(radar(spokes, title), cache))]


@pytest.mark.parametrize("code", ["0000", "0007", "001B", "D800", "FFFE", "FFFF"])
def test_a_character_that_no_svg_can_hold_is_written_out(code: str, cache: Path) -> None:
    title = f"a{chr(int(code, 16))}b"
    assert f"a<U+{code}>b" in _texts(_drawn(intervals([_row(title)], None), cache))


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))
def test_cleaning_takes_nothing_from_between_tags(words: str) -> None:
    escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    tag = '<text class="mark" aria-label="a &gt; b" font-family="f">'
    svg = f'<svg xmlns="x" width="1" height="2">{tag}{escaped}</text></svg>'
    assert cleaned(svg) == f'<svg xmlns="x" aria-hidden="true" focusable="false"><text>{escaped}</text></svg>'


def test_every_stand_in_becomes_a_variable_of_the_page() -> None:
    svg = "".join(f'<path fill="{colour}"/>' for colour in palette.VARIABLES)
    assert "#0000a" not in cleaned(svg)
    assert all(f"var({variable})" in cleaned(svg) for variable in palette.VARIABLES.values())


@given(st.recursive(st.text() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_element_reads_back_and_cannot_end_it(value: Any) -> None:
    text = str(script_json(value))
    assert json.loads(text) == value
    assert not set("<>&") & set(text)


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


def test_the_bundle_of_vega_holds_what_the_page_calls_and_no_address_it_would_load(tmp_path: Path) -> None:
    bundle = vega_bundle(tmp_path).decode()
    assert "vegaEmbed" in bundle
    assert vega_bundle(tmp_path).decode() == bundle
    assert "cdn.jsdelivr.net" not in bundle
