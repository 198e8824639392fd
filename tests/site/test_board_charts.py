"""The charts of built pages: their numbers are the results, their words and tables say so too, radars cost no Vega."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from support import boards, oracle_boards
from support.kept import KEPT
from support.oracle_boards import keyed, marked
from support.sites import Site, each_of

from nullbench_site.protocols.axes.metrics import AxesItemRow
from nullbench_site.protocols.axes.pages import matrix as matrix_by_axis
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.protocols.oracle.pages import OracleView, most_lost
from nullbench_site.protocols.rubric.pages import RubricView
from nullbench_site.protocols.rubric.pages import matrix as matrix_by_pair
from nullbench_site.repository import Repository
from nullbench_site.runs.manifest import Usage, Usages
from nullbench_site.site import words
from nullbench_site.site.charts.chart import ChartFigure
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import charts
from nullbench_site.site.pages.charts import board_charts
from nullbench_site.site.pages.panel_words import Matrix
from nullbench_site.site.pages.sentences import lead, silence
from nullbench_site.site.render import tree_files
from nullbench_site.site.views import BoardView
from nullbench_site.stats.comparison import frontier

site = each_of("small", "mixed", "axes_and_oracle")


def _figures(site: Site) -> Iterator[tuple[BoardView, dict[str, ChartFigure]]]:
    for view in site.data.views:
        made = board_charts(site.data, view)
        yield view, {figure.id: figure for figure in (*made.scores, *made.tradeoffs)}


def test_the_intervals_of_a_page_are_those_of_the_results_in_its_order(site: Site) -> None:
    for view, figures in _figures(site):
        shown = [(r["title"], r["score"], r["low"], r["high"]) for r in figures["chart-intervals"].chart.shown["rows"]]
        rows = [row for row in view.results.leaderboard if row.overall is not None]
        assert shown == [(view.title(row.model), row.overall, row.ci_low, row.ci_high) for row in rows]


def test_the_spread_of_a_contestant_is_that_of_its_items(site: Site) -> None:
    seen = 0
    for view, figures in _figures(site):
        if isinstance(view, OracleView):
            continue
        for row in figures["chart-items"].chart.shown["rows"]:
            scores = [
                item.goal_alignment if isinstance(item, AxesItemRow) else item.overall
                for item in view.results.items
                if view.title(item.model) == row["title"]
            ]
            known = [score for score in scores if score is not None]
            assert row["items"] == len(known)
            told = [row[name] for name in ("p10", "q1", "median", "q3", "p90")]
            assert told == pytest.approx(list(np.percentile(known, [10, 25, 50, 75, 90])), abs=0.006)
            seen += 1
    assert seen or all(isinstance(view, OracleView) for view in site.data.views)


def test_the_outcomes_of_a_page_count_the_answers_of_the_results(axes_and_oracle_site: Site) -> None:
    view, figures = next((v, f) for v, f in _figures(axes_and_oracle_site) if isinstance(v, OracleView))
    counted: dict[str, dict[str, int]] = {}
    for row in figures["chart-items"].chart.shown["rows"]:
        counted.setdefault(row["title"], {})[row["outcome"]] = row["answers"]
    assert counted == {
        view.title(row.model): {
            "right": row.n_correct, "wrong": row.n_wrong, "invalid": row.n_invalid, "failed": row.n_errored,
        }
        for row in view.results.leaderboard
    }  # fmt: skip


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards of which not only programs answer, so that their times are shown."""
    monkeypatch.setattr(BoardView, "of_programs", property(lambda _: False))


def test_the_times_of_programs_have_no_chart(small_site: Site) -> None:
    made = board_charts(small_site.data, small_site.data.views[0])
    assert not made.tradeoffs
    assert not any("Speed" in sentence for sentence in made.unmeasured)


@pytest.mark.usefixtures("timed")
def test_scores_against_times_are_those_of_the_results_with_their_frontier(site: Site) -> None:
    seen = 0
    for view, figures in _figures(site):
        rows = [row for row in view.contestants if row.overall is not None and row.median_response_time_ms is not None]
        if len(rows) < 2:
            assert "chart-latency" not in figures
            continue
        points = {row["title"]: row for row in figures["chart-latency"].chart.shown["points"]}
        above = [row for row in rows if not silence(view) and (row.above_null_floor or view.floor is None)]
        pairs = [(row.median_response_time_ms or 0.0, row.overall or 0.0) for row in above]
        best = {view.title(above[place].model) for place in frontier(pairs)}
        assert set(points) == {view.title(row.model) for row in rows}
        assert {title for title, point in points.items() if point["beside"] == "on the frontier"} == best
        for row in rows:
            assert points[view.title(row.model)]["score"] == words.number(row.overall)
        seen += 1
    assert seen


def test_every_chart_has_a_title_words_and_a_table_of_its_own_numbers(site: Site) -> None:
    for view, figures in _figures(site):
        pages = {page.attributes["id"]: page for page in site.content(view.url).all("figure")}
        assert {*figures} == {*pages}
        for figure in figures.values():
            page = pages[figure.id]
            assert figure.title in page.one("figcaption").text
            assert page.one("div", role="img").attributes["aria-label"] == figure.alt
            table = page.one("details").one("table")
            head, *rows = figure.chart.table.head, *figure.chart.table.rows
            assert [cell.text for cell in table.one("thead").all("th")] == list(head)
            assert table.rows() == [[" ".join(cell.split()) for cell in row] for row in rows]
            assert {row["title"] for row in figure.chart.shown.get("rows", [])} <= {
                title.text.split(";")[0] for title in page.all("title")
            } | {row["title"] for row in figure.chart.shown.get("rows", []) if row.get("score", 0) is None}
            assert page.one("a").attributes["href"].endswith(f"glossary/#metric-{figure.chart.metric}")


def test_a_contestant_has_one_colour_and_shape_in_all_charts_of_a_site(site: Site) -> None:
    of_title: dict[str, set[tuple[str, str]]] = {}
    for _, figures in _figures(site):
        for figure in figures.values():
            for row in (row for rows in figure.chart.shown.values() for row in rows if "shape" in row):
                of_title.setdefault(row["title"], set()).add((row["colour"], row["shape"]))
    assert len(of_title) > 1
    assert all(len(looks) == 1 for looks in of_title.values())


def test_only_charts_of_boards_are_drawn_by_vega_while_a_site_is_made(
    mixed_site: Site, small_copy: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    import vl_convert

    drawn: Counter[str] = Counter()
    convert = vl_convert.vegalite_to_svg

    def counted(spec: Mapping[str, Any]) -> str:
        drawn[json.dumps(spec, sort_keys=True)] += 1
        return convert(spec)

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", counted)
    monkeypatch.delenv(KEPT)
    files = dict(tree_files(mixed_site.data, mixed_site.repository.root, small_copy.cache))
    made = [board_charts(mixed_site.data, view) for view in mixed_site.data.views]
    figures = [figure for charts in made for figure in (*charts.scores, *charts.tradeoffs)]
    radars = sum(content.count(b"nb-profile") for name, content in files.items() if name.startswith("docs/models/"))
    assert 0 < sum(drawn.values()) == len(drawn) <= len(figures)
    assert radars > len(figures)


# --- what is not measured, and what is too much ---------------------------------------------------------------------


def _with_usage(site: Site, usage: Mapping[str, Usage]) -> SiteData:
    manifest = msgspec.structs.replace(site.entry.manifest, usage=Usages(contestants=dict(usage)))
    return replace(site.data, entry=replace(site.entry, manifest=manifest))


@pytest.mark.usefixtures("timed")
def test_what_nobody_measured_is_said_to_be_missing(small_site: Site) -> None:
    made = board_charts(small_site.data, small_site.data.views[0])
    assert [figure.id for figure in made.tradeoffs] == ["chart-latency"]
    assert made.unmeasured == [
        "Tokens per answer is not measured: endpoints counted the tokens of fewer than two contestants.",
        "Cost of 1,000 answers is not measured: prices are known of fewer than two contestants.",
    ]
    page = small_site.content(small_site.board).text
    assert all(sentence in page for sentence in made.unmeasured)


def test_tokens_and_cost_are_means_over_the_answers_that_have_them(small_site: Site) -> None:
    view = small_site.data.views[0]
    first, second = [row.model for row in view.contestants][:2]
    usage = {
        first: Usage(calls=10, output_tokens=900, cost_usd=0.02, uncounted=1, unpriced=2),
        second: Usage(calls=4, output_tokens=800, cost_usd=0.04),
        "null-constant": Usage(calls=4, output_tokens=1, cost_usd=0.00001),
    }
    figures = {figure.id: figure for figure in board_charts(_with_usage(small_site, usage), view).tradeoffs}
    rows = {
        kind: [(row[0], row[2]) for row in figures[f"chart-{kind}"].chart.table.rows] for kind in ("tokens", "cost")
    }
    titles = view.title(first), view.title(second)
    assert rows["tokens"] == [(titles[0], "100"), (titles[1], "200")]
    assert rows["cost"] == [(titles[0], "$2.50"), (titles[1], "$10.00")]


def test_an_endpoint_that_counts_nothing_is_in_no_chart(small_site: Site) -> None:
    view = small_site.data.views[0]
    uncounted = {row.model: Usage(calls=3, uncounted=3, unpriced=3) for row in view.contestants}
    assert len(board_charts(_with_usage(small_site, uncounted), view).unmeasured) == 2


@pytest.mark.usefixtures("timed")
def test_a_long_board_charts_its_first_and_says_where_the_rest_is(
    small_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in (("ROWS", 2), ("SPREADS", 2), ("POINTS", 1)):
        monkeypatch.setattr(charts, name, most)
    view = small_site.data.views[0]
    n = len(view.rows)
    made = board_charts(small_site.data, view)

    def titles(figure: ChartFigure) -> list[str]:
        return [row[0] for row in figure.chart.table.rows if row[0] != "Null floor"]

    for figure in made.scores:
        assert titles(figure) == [view.title(model) for model in view.rows][:2]
        assert figure.rest is not None
        assert figure.rest.text == f"The chart shows {words.of(2, n)} contestants, the first by rank."
        assert (small_site.folder / figure.rest.data).is_file()
    (latency,) = made.tradeoffs
    assert "Frontier" not in latency.chart.table.head, "the board is silent"
    assert latency.rest is not None
    assert latency.rest.text == f"The chart shows {words.of(1, len(view.contestants))} contestants, the first by rank."


# --- sentences ------------------------------------------------------------------------------------------------------


def test_a_sentence_says_from_how_many_the_first_can_be_told_by_their_differences() -> None:
    """One item more of 200 tells nothing; 80 items do. Nobody judges, so few marks are low."""
    said = charts.told_from_the_first
    three = keyed({"one": 101, "two": 100, "low": 20})
    assert said(three) == "one can be distinguished from 1 of 2 other contestants, item by item."
    assert (
        said(keyed({"one": 101, "two": 100}))
        == "one cannot be distinguished from the one other contestant, item by item."
    )
    assert (
        said(keyed({"one": 101, "low": 20})) == "one can be distinguished from the one other contestant, item by item."
    )
    assert said(keyed({"one": 101})) == ""
    unknown = replace(three, results=msgspec.structs.replace(three.results, differences=three.results.differences[1:]))
    assert said(unknown) == ""


def test_where_nothing_is_claimed_nothing_is_said_of_who_can_be_told(site: Site) -> None:
    for view in site.data.views:
        found = lead(view)
        if found is not None and found.claim == "none":
            assert charts.told_from_the_first(view) == ""


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [("a", 40, 60), ("b", 50, 55), ("c", 0, 90), ("all alike", 7, 7)],
            "The middle half of the items spans from 5.0 points (b) to 90.0 (c); intervals of these spans are not "
            "measured.",
        ),
        ([("a", 40, 60), ("b", 50, 70)], "Where items differ at all, their middle half spans 20.0 points."),
        ([("a", 40, 60), ("b", 50, 50)], ""),
    ],
)
def test_a_sentence_says_who_is_even_over_the_items(rows: list[tuple[str, float, float]], said: str) -> None:
    assert charts.most_and_least_even([{"title": title, "q1": q1, "q3": q3} for title, q1, q3 in rows]) == said


def test_a_sentence_says_who_loses_answers() -> None:
    records = [
        *marked({"a": "correct", "b": "invalid", "c": "correct"}, "one"),
        *marked({"a": "wrong", "b": "errored", "c": "invalid"}, "two"),
        *marked(dict.fromkeys("abc", "correct"), "three"),
    ]
    view = boards.view(oracle_boards.of(*"abc", models=["one", "two", "three"]), records)
    assert isinstance(view, OracleView)
    assert most_lost(view, list(view.results.leaderboard)) == (
        "two loses most to answers that are invalid or failed: 2 of 3, 1 invalid (causes not recorded) and 1 failed."
    )
    assert most_lost(view, [view.rows["three"]]) == "Every answer is valid, so what is not right is wrong."
    assert most_lost(view, []) == ""


_FRONTIER = "Best trade-offs by the scores alone, without their intervals"


@pytest.mark.parametrize(
    ("titles", "others", "said"),
    [
        (["a", "b"], 0, f"{_FRONTIER}: a and b. Not one is both better and faster than another."),
        (
            ["a", "b"],
            1,
            f"{_FRONTIER}: a and b. For the one other contestant one of these has no lower score and is no less fast.",
        ),
        (["a"], 0, "a is the only contestant, so there is no trade-off to compare."),
        ([], 0, "There is no best trade-off: no contestant in this chart is shown to score above the null floor."),
        (
            ["a"],
            4,
            "Best trade-off by the scores alone, without their intervals: a, and no other.",
        ),
        (
            list("abcdefgh"),
            3,
            f"{_FRONTIER}: a, b, c, d, e, f and 2 more. For each of the other 3 contestants one of these has no "
            "lower score and is no less fast.",
        ),
    ],
)
def test_a_sentence_names_the_frontier(titles: list[str], others: int, said: str) -> None:
    assert charts.on_the_frontier(titles, others, "fast") == said


# --- the matrix of judges -------------------------------------------------------------------------------------------


def _table(site: Site, matrix: Matrix) -> list[list[str]]:
    (table,) = (t for t in site.below("judges/").all("table") if t.one("caption").text == matrix.caption)
    assert [cell.text for cell in table.one("thead").all("th")] == [matrix.first, *matrix.columns]
    return table.rows()


def test_the_matrix_of_categories_and_axes_holds_the_alphas_of_the_results(small_site: Site) -> None:
    view = small_site.data.views[0]
    assert isinstance(view, AxesView)
    rows = _table(small_site, matrix_by_axis(view))
    titles = {c.title: c for domain in view.domains.values() for c in domain.categories}
    assert [title for title, *_ in rows] == list(titles)
    seen = 0
    for title, *cells in rows:
        for axis, cell in zip(view.results.axes, cells, strict=True):
            alpha = view.agreement(category=titles[title].id, axis=axis).alpha
            expected = "" if axis not in titles[title].axes else words.number(alpha, 2, absent="–")
            assert cell == expected
            seen += bool(alpha)
    assert seen > 2


def test_the_matrix_of_judges_holds_the_alpha_of_each_pair_on_both_sides(mixed_site: Site) -> None:
    view = next(view for view in mixed_site.data.views if isinstance(view, RubricView))
    matrix = matrix_by_pair(view)
    assert matrix is not None
    rows = _table(mixed_site, matrix)
    cells = {(row[0], column): cell for row in rows for column, cell in zip(matrix.columns, row[1:], strict=True)}
    for pair in view.results.judge_pairs:
        one, other = (view.benchmark.judges[judge].title for judge in (pair.judge, pair.other))
        assert cells[one, other] == cells[other, one] == words.number(pair.alpha, 2, absent="–")
    assert all(cells[title, title] == "" for title in matrix.columns)
    alphas = [pair.alpha for pair in view.results.judge_pairs if pair.alpha is not None]
    least, most = (words.number(choose(alphas), 2) for choose in (min, max))
    assert matrix.says.startswith(f"α lies between {least} (")
    assert f") and {most} (" in matrix.says
    assert matrix.says in mixed_site.below("judges/").text


def test_fewer_than_two_judges_have_no_matrix(mixed_site: Site) -> None:
    view = next(view for view in mixed_site.data.views if isinstance(view, RubricView))
    assert matrix_by_pair(replace(view, results=msgspec.structs.replace(view.results, judge_pairs=[]))) is None
