"""The first sentences of a board: what comes first, everywhere the same words, and nothing that contradicts them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import pytest
from support import boards, pairwise_boards, rubric_boards
from support.benchmarks import write_benchmark
from support.boards import judgment, model
from support.oracle_boards import benchmark as oracle_benchmark
from support.oracle_boards import category as oracle_category
from support.oracle_boards import domain as oracle_domain
from support.oracle_boards import keyed, marked
from support.repositories import edit
from support.sites import Site, each_of, site_once

from nullbench_site import api
from nullbench_site.errors import SpecError
from nullbench_site.interop.score_boards import BoardRequest, import_table
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.repository import Repository
from nullbench_site.runs.records import Judgment, Record
from nullbench_site.scoring.board_tables import BiasRow
from nullbench_site.site import paths, words
from nullbench_site.site.cards import cards
from nullbench_site.site.judge_replies import FEWEST, RepliesOfRun
from nullbench_site.site.pages.boards import what_if
from nullbench_site.site.pages.item_checks import item_checks
from nullbench_site.site.pages.openings import opening, order
from nullbench_site.site.pages.overview import summary
from nullbench_site.site.pages.page import rank_words
from nullbench_site.site.pages.panel_words import agreed, agreement_class, severity_on_same_answers
from nullbench_site.site.pages.sentences import lead, ranked_contestants, standing
from nullbench_site.site.pages.tables import board_table
from nullbench_site.site.reporting_minimum import check, lacking
from nullbench_site.site.views import BoardView, known
from nullbench_site.stats.trust import agreement_level

site = each_of("small", "shipped", "mixed", "claims", "edges")

# --- shapes of boards -------------------------------------------------------------------------------------------------


def _of(rights: dict[str, int], n: int, nulls: dict[str, int] | None = None) -> BoardView:
    """A board of n items with keys: how many answers of each contestant and of each null model are right."""
    items = [f"q{number:03}" for number in range(n)]
    nulls = {"guess": 0} if nulls is None else nulls
    board = oracle_benchmark(
        oracle_domain("facts", oracle_category("dates", *items)),
        models=[*(model(name, family=name) for name in rights), *(model(name, "null") for name in nulls)],
    )
    records = [
        record
        for name, right in {**rights, **nulls}.items()
        for record in marked(
            {item: "correct" if number < right else "wrong" for number, item in enumerate(items)}, name
        )
    ]
    return boards.view(board, records)


def _marked(marks: dict[str, list[int]], judges: tuple[str, ...] = ("anna",)) -> BoardView:
    """A board of marks of 1 to 5: what each judge gives each contestant, an item each. "guess" is a null model."""
    items = [f"q{number:03}" for number in range(len(next(iter(marks.values()))))]
    specs = rubric_boards.benchmark(
        rubric_boards.domain("coding", rubric_boards.category("bugs", *items)),
        models=[model(name, "null" if name == "guess" else "model", family=name) for name in marks],
        judges=judges,
    )
    records = [
        record
        for name, given in marks.items()
        for record in rubric_boards.marked(dict(zip(items, given, strict=True)), name, judges=judges)
    ]
    return _with_replies(boards.view_of(specs, specs.boards["main"], rubric_boards.scored(specs, records)), records)


def _played(preferences: dict[str, float], n: int, judges: tuple[str, ...] = ("anna",)) -> BoardView:
    """A board of n items of games against "base": 1 if it is preferred, 2 if the contestant is, 1.5 for a tie."""
    items = [f"q{number:03}" for number in range(n)]
    specs = pairwise_boards.benchmark(items, ["base", *preferences], judges, orders="drawn")
    records = pairwise_boards.answers(items, "base", *preferences)
    records += [
        pairwise_boards.game(item, value, name, judge=judge, drawn=True)
        for item in items
        for name, value in preferences.items()
        for judge in judges
    ]
    return _with_replies(boards.view(specs, records), records)


def _with_replies(view: BoardView, records: Iterable[Record]) -> BoardView:
    """The same with what its judges replied, by contestant."""
    judgments = [each for each in records if isinstance(each, Judgment)]
    replies = RepliesOfRun(view.benchmark, [view.board], lambda of: [each for each in judgments if each.model == of])
    return replace(view, replies=replies)


SHAPES: dict[str, Callable[[], BoardView]] = {
    "one leads": lambda: keyed({"high": 180, "low": 60}),
    "two alike": lambda: keyed({"one": 100, "two": 99}),
    "all tie": lambda: keyed({"one": 100, "two": 100, "three": 100}),
    "all at 0": lambda: keyed({"one": 0, "two": 0}),
    "all at 100": lambda: keyed({"one": 200, "two": 200}),
    "near 0": lambda: keyed({"one": 2, "two": 1}),
    "near 100": lambda: keyed({"one": 199, "two": 197}),
    "one contestant": lambda: keyed({"alone": 77}),
    "one item": lambda: _of({"one": 1, "two": 0}, 1),
    "two items": lambda: _of({"one": 2, "two": 1}, 2),
    "a null model first": lambda: _of({"one": 20, "two": 10}, 60, {"guess": 50}),
    "a null model level": lambda: _of({"one": 20, "two": 10}, 60, {"guess": 20}),
    "no null model": lambda: _of({"one": 40, "two": 10}, 60, {}),
    "null models alone": lambda: _of({}, 20, {"guess": 3, "other": 0}),
    "one judge": lambda: _marked({"one": [4, 5, 3] * 20, "two": [2, 1, 3] * 20, "guess": [1, 2, 1] * 20}),
    "one judge, all tie": lambda: _marked({"one": [2, 3, 4] * 20, "two": [2, 3, 4] * 20, "guess": [1, 2, 1] * 20}),
    "one judge, near 0": lambda: _marked({"one": [1] * 59 + [2], "two": [1] * 60, "guess": [1] * 60}),
    "one judge, near 100": lambda: _marked({"one": [5] * 60, "two": [5] * 59 + [4], "guess": [1, 2] * 30}),
    "one judge, one item": lambda: _marked({"one": [4], "two": [2], "guess": [1]}),
    "judges, one item": lambda: _marked({"one": [4], "two": [2], "guess": [1]}, ("anna", "ben", "cleo")),
    "judges, near 0": lambda: _marked({"one": [1] * 59 + [2], "two": [1] * 60}, ("anna", "ben", "cleo")),
    "judges, near 100": lambda: _marked({"one": [5] * 60, "two": [5] * 59 + [4]}, ("anna", "ben", "cleo")),
    "judges, all tie": lambda: _marked({"one": [2, 4] * 30, "two": [2, 4] * 30}, ("anna", "ben", "cleo")),
    "all games are ties": lambda: _played({"one": 1.5, "two": 1.5}, 40),
    "all games are won": lambda: _played({"one": 2.0, "two": 2.0}, 40),
    "all games are lost": lambda: _played({"one": 1.0, "two": 1.1}, 40, ("anna", "ben")),
    "one game": lambda: _played({"one": 1.9}, 1),
}


@cache
def _shape(name: str) -> BoardView:
    return SHAPES[name]()


def _first(view: BoardView) -> Any:
    return next(iter(ranked_contestants(view)), None)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_sentence_of_a_board_contradicts_another(shape: str) -> None:
    _agree(_shape(shape))


def _agree(view: BoardView) -> None:
    """Raise if sentences or tables of a board say different things of ranks, of the highest, or of how many may be."""
    said, table = opening(view), board_table(view)
    assert said.short
    assert said.long.startswith(said.short)
    first = _first(view)
    ranks = {row.row.model: row.rank for row in table.rows}
    for row in view.rows.values():
        if row.rank is not None and (place := standing(view, row)):
            assert f"ank {ranks[row.model]} of {words.number(view.n_ranked, 0)}" in place
    assert table.unsure_ranks == any("?" in rank for rank in ranks.values())
    assert table.has_bands == any(row.band for row in table.rows)
    for name in re.findall(
        r"(?:With this panel|On these items|Of the (?:ranked )?contestants), (.+?) scores? highest", said.long
    ):
        assert first is not None
        assert name.startswith(view.title(first.model))
        assert words.number(first.score) in said.long
    if found := re.search(r"(\d[\d ]*) of (\d[\d ]*) may be best", said.long):
        assert [int(of.replace(" ", "")) for of in found.groups()] == [len(view.results.best_set), view.n_ranked]
    settled = "The order is settled" in said.long
    if settled:
        assert all(row.rank_low == row.rank_high for row in ranked_contestants(view))
        assert all(row.above_null_floor is not False for row in ranked_contestants(view))
        assert view.n_ranked == len(view.contestants)
    floor = view.results.floor
    if floor is not None and first is not None:
        assert ("A null model scores highest" in said.short) == (floor.overall > first.score)
    if first is not None and (best := view.results.best_set):
        assert first.model in best
        level = [row for row in ranked_contestants(view) if row.score == first.score]
        assert {ranks[row.model] for row in level} == {ranks[first.model]}
        assert len(level) == 1 or not re.search(r"\bleads\b|\bis ahead\b|\bhas the highest\b", said.long)
    for row in view.rows.values():
        if row.ci_low is not None and row.overall is not None:
            assert 0 <= row.ci_low <= row.overall <= row.ci_high <= 100
    _items_agree(view)
    shown = what_if(view)
    for model_id, cells in shown["rows"] if shown else ():
        assert cells[0]["rank"] in ("", f"rank {ranks[model_id]}")


def _items_agree(view: BoardView) -> None:
    """Raise if the page of items says that all contestants solve an item, or none, and a score says otherwise."""
    found, n = item_checks(view, lambda of: ()), len(view.items)
    if found.nobody is None or found.everybody is None:
        return
    families = [view.benchmark.models[row.model].family for row in ranked_contestants(view)]
    assert found.families == len(set(families)) > 1
    assert not {*found.nobody} & {*found.everybody}
    assert not found.everybody or all(row.score > 0 for row in ranked_contestants(view) if row.score is not None)
    assert len(found.nobody) < n or _first(view).score == 0
    assert len(found.everybody) < n or all(row.score == 100 for row in ranked_contestants(view))


@pytest.mark.parametrize(
    ("shape", "short"),
    [
        ("one leads", "high leads with 90.0 ["),
        ("two alike", "one has the highest score, 50.0 ["),
        ("all tie", "one shares the highest score, 50.0 ["),
        ("all at 0", "No contestant scores more than the null model guess, 0.0"),
        ("all at 100", "one shares the highest score, 100.0"),
        ("near 100", "one has the highest score, 99.5 ["),
        ("one contestant", "alone scores 38.5 ["),
        ("a null model first", "A null model scores highest: guess gets 83.3 ["),
        ("a null model level", "No contestant scores more than the null model guess, 33.3 ["),
        ("no null model", "one leads with 66.7 ["),
        ("null models alone", "This board has null models only"),
    ],
)
def test_the_first_sentence_is_the_first_that_applies(shape: str, short: str) -> None:
    assert opening(_shape(shape)).short.startswith(short)


def test_who_is_next_to_a_null_model_that_scores_highest_is_not_called_highest_of_all() -> None:
    said = opening(_shape("a null model first")).long
    assert "Of the contestants, one scores highest, 33.3 [" in said
    assert "On these items, one" not in said
    assert "Without doing the task" not in said


def test_a_contestant_without_a_rank_that_scores_more_is_not_passed_over() -> None:
    view = keyed({"high": 180, "low": 60})
    other = msgspec.structs.replace(view.rows["high"], model="seen", overall=97.0, rank=None, absent={"rank": "why"})
    models = {**view.benchmark.models, "seen": model("seen")}
    results = msgspec.structs.replace(view.results, leaderboard=[*view.results.leaderboard, other])
    more = replace(view, benchmark=replace(view.benchmark, models=models), results=results)
    assert opening(more).short.startswith("Of the ranked contestants, high leads with 90.0 [")
    rows = [*view.results.leaderboard, msgspec.structs.replace(other, overall=89.0)]
    fewer = replace(more, results=msgspec.structs.replace(results, leaderboard=rows))
    assert opening(fewer).short == opening(view).short


def test_an_order_with_a_contestant_at_the_floor_or_without_a_rank_is_not_settled() -> None:
    view = keyed({"high": 180, "low": 60})
    assert order(view) == "The order is settled: all neighbours differ significantly."
    rows = [msgspec.structs.replace(row) for row in view.results.leaderboard]
    rows[1].above_null_floor = False
    assert order(replace(view, results=msgspec.structs.replace(view.results, leaderboard=rows))) == (
        "The order is not settled: low is not distinguishable from the best null model."
    )
    rows[1].above_null_floor = True
    other = msgspec.structs.replace(rows[1], model="mid", rank=None)
    models = {**view.benchmark.models, "mid": model("mid")}
    more = replace(
        view,
        benchmark=replace(view.benchmark, models=models),
        results=msgspec.structs.replace(view.results, leaderboard=[*rows, other]),
    )
    assert order(more) == ("All neighbours of the 2 ranked contestants differ significantly; 1 other has no rank.")


# --- judges -----------------------------------------------------------------------------------------------------------


def _judged(marks: Iterable[int | None], **of: Any) -> list[Judgment]:
    """One judge's marks, an item each; None for a reply without one."""
    return [
        msgspec.structs.replace(
            rubric_boards.mark("anna", value, f"q{place:02}", state="unparsed" if value is None else "scored"), **of
        )
        for place, value in enumerate(marks)
    ]


def _rubric_view(judgments: list[Judgment], about: str = "models", **limits: float) -> BoardView:
    items = [f"q{place:02}" for place in range(40)]
    specs = rubric_boards.benchmark(
        rubric_boards.domain("coding", rubric_boards.category("bugs", *items)), judges=("anna", "ben")
    )
    board = msgspec.structs.replace(specs.boards["main"], about=about, **limits)
    specs = replace(specs, boards={"main": board})
    records = rubric_boards.marked({item: 2 + place % 3 for place, item in enumerate(items)})
    view = boards.view_of(specs, board, rubric_boards.scored(specs, records))
    return replace(view, replies=RepliesOfRun(specs, [board], lambda of: judgments if of == "m" else ()))


@pytest.mark.parametrize(
    ("judgments", "limits", "said"),
    [
        (_judged([1] * 20), {}, "the judge “anna” gave 20 of 20 answers the mark 1 (limit 90 %)"),
        (_judged([1] * 19 + [2]), {}, "the judge “anna” gave 19 of 20 answers the mark 1 (limit 90 %)"),
        (_judged([3] * 18 + [2, 4]), {}, ""),  # 90 % is not more than 90 %
        (_judged([3] * (FEWEST - 1)), {}, ""),
        (_judged([3] * 12 + [4] * 8), {"one_mark_limit": 0.5}, "gave 12 of 20 answers the mark 3 (limit 50 %)"),
        (_judged([3] * 20), {"one_mark_limit": 1.0}, ""),
        (_judged([2, 3, 4, 5] * 5, ended="length"), {}, "ended 20 of 20 replies at the token limit (limit 50 %)"),
        (_judged([None] * 11 + [2, 3, 4] * 3, ended="length"), {"cut_limit": 0.9}, "ended 20 of 20 replies"),
        (_judged([2, 3, 4, 5] * 5, ended="length", output_tokens=1), {}, ""),  # read from one token
        (_judged([None] * 20, ended="length", output_tokens=1), {}, "ended 20 of 20 replies at the token limit"),
        (_judged([2, 3] * 5, ended="length") + _judged([None] * 10 + [2, 3, 4, 5, 1] * 2), {}, ""),
        (_judged([2, 3, 4, 5] * 5), {}, ""),
        (_judged([1] * 20, state="errored"), {}, ""),
        (_judged([1] * 20, judge="nobody-of-the-panel"), {}, ""),
        (_judged([1] * 20, board="another"), {}, ""),
        (_judged([1] * 20) + _judged([2, 3, 4, 5] * 5), {}, ""),  # the last record of a place counts
    ],
)
def test_a_judge_is_unfit_beyond_the_limits_of_its_board(
    judgments: list[Judgment], limits: dict[str, float], said: str
) -> None:
    view = _rubric_view(judgments, **limits)
    assert len(view.judge_faults) == bool(said)
    assert said in " ".join(view.judge_faults)
    if said:
        assert opening(view).short == f"{view.judge_faults[0][0].upper()}{view.judge_faults[0][1:]}."
        assert opening(view).long.count(view.judge_faults[0][1:]) == 1


def test_judges_with_one_fault_share_a_sentence() -> None:
    both = _judged([1] * 20) + _judged([1] * 19 + [4], judge="ben")
    (fault,) = _rubric_view(both).judge_faults
    assert fault == "the judges “anna” and “ben” gave 20 of 20 and 19 of 20 answers the mark 1 (limit 90 %)"


def test_judges_with_one_fault_alike_share_its_figures_too() -> None:
    both = _judged([2] * 20) + _judged([2] * 20, judge="ben")
    assert _rubric_view(both).judge_faults == [
        "the judges “anna” and “ben” each gave 20 of 20 answers the mark 2 (limit 90 %)"
    ]


@pytest.mark.parametrize(
    ("refused", "high", "of", "unfit"),
    [(3, 3, 20, True), (2, 2, 20, False), (20, 0, 20, False), (0, 20, 20, False), (5, 5, 9, False), (12, 3, 20, True)],
)
def test_a_judge_that_calls_answers_refused_and_marks_them_highest_contradicts_itself(
    refused: int, high: int, of: int, unfit: bool
) -> None:
    items = [f"q{place:02}" for place in range(of)]
    specs = boards.benchmark(boards.domain("law", boards.category("courts", *items)), models=("m",))
    judge = next(iter(specs.judges))
    given = [
        judgment(judge, item, axes=5 if place < high else 1 + place % 4, refused=(place < refused, False))
        for place, item in enumerate(items)
    ]
    view = boards.view(specs, boards.judged(dict.fromkeys(items, 50)))
    view = replace(view, replies=RepliesOfRun(specs, [view.board], lambda of: given))
    said = [fault for fault in view.judge_faults if "called an answer refused" in fault]
    assert len(said) == unfit
    if unfit:
        assert f"in {words.of(min(refused, high), of)} replies (limit 10 %)" in said[0]


def test_a_judge_that_calls_all_games_a_tie_is_unfit_and_one_that_decides_them_is_not() -> None:
    items = [f"q{place:02}" for place in range(20)]
    specs = pairwise_boards.benchmark(items, orders="drawn")
    for value, unfit in ((1.5, 1), (1.9, 0)):
        games = [pairwise_boards.game(item, value, drawn=True) for item in items]
        records = [*pairwise_boards.answers(items, "base", "m"), *games]
        view = boards.view(specs, records)
        view = replace(
            view, replies=RepliesOfRun(specs, [view.board], lambda of, games=games: games if of == "m" else ())
        )
        ties = [fault for fault in view.judge_faults if "a tie" in fault]
        assert len(ties) == unfit
        assert not unfit or ties == ["the judge “anna” called 20 of 20 games a tie (limit 90 %)"]


def test_a_board_about_judges_says_what_they_did_and_nothing_of_winners() -> None:
    view = _rubric_view(_judged([2, 3, 4, 5] * 5), about="judges")
    said = opening(view)
    assert said.short == "80 of 80 verdicts of the judges could be read."
    assert "winner" not in said.long
    assert all(opening(view, part).long == "" for part in view.results.domains)


def test_the_boards_about_judges_of_this_repository_say_what_their_judges_did(shipped_site: Site) -> None:
    said = {view.board.id: opening(view) for view in shipped_site.data.views if view.board.about == "judges"}
    assert set(said) == {"facts-best-of", "facts-judged", "small-judge-grades", "small-judge-pairs"}
    assert said["facts-judged"].short.startswith("“Same words” follows the keys closely (correlation 0.83 [")
    assert "is right in" in said["facts-best-of"].short
    assert "one answer at random is right in 20.7 %" in said["facts-best-of"].short
    assert "chose the answer shown second in 120 of 120 decided games" in said["small-judge-pairs"].short
    assert "26 invalid verdicts of 80" in said["small-judge-grades"].short
    assert "gave 27 of 27 answers the mark 1" in said["small-judge-grades"].long
    assert "9 boards yet. 4 other boards are about judges." in summary(shipped_site.data)


# --- pages ------------------------------------------------------------------------------------------------------------


EDGES: dict[str, dict[str, list[int]]] = {
    "near-0": {name: [100 * (n < right) for n in range(60)] for name, right in (("one", 2), ("two", 1), ("three", 0))},
    "near-100": {name: [100 * (n > wrong) for n in range(60)] for name, wrong in (("one", -1), ("two", 0), ("six", 1))},
    "one-item": {"one": [70], "two": [40]},
    "all-tie": {name: [50 * (n % 3) for n in range(60)] for name in ("one", "two", "three")},
    "one-model": {"alone": [50 * (n % 3) for n in range(60)]},
}
"""Scores on the items of imported boards, by board and contestant."""


def _edges_site(folder: Path) -> Site:
    specs = write_benchmark(folder)
    panel = "judges: [support, restraint, form]\n    refusal_gates: {sample: 2, votes: 2}"
    edit(specs / "judges.yaml", panel, "judges: [support]\n    refusal_gates: {sample: 1, votes: 1}")
    for board, models in EDGES.items():
        lines = [f"{name},q{n},{score}" for name, of in models.items() for n, score in enumerate(of)]
        path = folder / f"{board}.csv"
        path.write_text("\n".join(["model,item,score", *lines, ""]), "utf-8")
        import_table(read_table(str(path), Chosen()), BoardRequest(into=folder, board=board, title=board))
    api.build(Repository(folder))
    return Site(Repository(folder))


@pytest.fixture(scope="session")
def edges_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A board of one judge, and imported ones near the ends of the scale, of one item, of ties, of one contestant."""
    return site_once(tmp_path_factory, "edges-site", _edges_site)


def test_every_page_has_the_same_first_sentences(site: Site) -> None:
    home, llms = site.content("").text, (site.folder / "llms.txt").read_text("utf-8").replace("\\", "")
    drawn = dict(cards(site.data))
    lists = {url: site.content(url).text for url in (paths.MODELS, paths.DOMAINS)}
    for view in site.data.views:
        said = opening(view)
        _agree(view)
        assert said.short in home
        assert said.long in site.content(view.url).text
        assert said.long in llms
        assert drawn[paths.board_card(view.board.id)].claim in (said.short, "")
        assert all(said.short in text for text in lists.values())
        for row in view.contestants[:3]:
            assert said.short in site.content(paths.model_url(row.model)).text
        for group in view.results.domains:
            assert opening(view, group).long in site.content(paths.domain_url(view.board.id, group.id)).text


def _winners(views: Iterable[BoardView]) -> set[str]:
    leads = {view.board.id: lead(view) for view in views if view.board.about == "models"}
    return {board for board, first in leads.items() if first and len(first.ranked) > 1 and first.claim == "leads"}


def test_the_front_page_counts_the_winners_and_each_board_with_one_passes_validate_publication(site: Site) -> None:
    views, failing = site.data.views, set[str]()
    try:
        check(site.repository.specs, views)
    except SpecError as error:
        failing = {PurePosixPath(problem.file).stem for problem in error.problems}
    winners = _winners(views)
    assert not winners & failing
    assert summary(site.data) in site.content("").text
    if len(views) > 1:
        said = f"We name a winner on {len(winners)} of " if winners else "We name no winner on "
        assert summary(site.data).startswith(said)
    for view in views:
        assert (" leads with " in opening(view).long) == (view.board.id in winners)


def test_a_board_with_a_winner_that_lacks_a_part_of_the_reporting_minimum_names_none(claims_site: Site) -> None:
    (view,) = claims_site.data.views
    assert _winners([view]) == {view.board.id}
    less = replace(view, board=msgspec.structs.replace(view.board, inference=None))
    assert ([*lacking(view)], len([*lacking(less)]), _winners([less])) == ([], 1, set())


def test_a_contestant_has_one_rank_on_all_pages_of_a_board(site: Site) -> None:
    for view in site.data.views:
        table = {row.row.model: row.rank for row in board_table(view).rows}
        assert table == {row.model: rank_words(row) for row in view.rows.values()}
        for model_id, rank in [*table.items()][:5]:
            if view.rows[model_id].rank is not None and not view.is_null(model_id):
                assert f"ank {rank} of " in site.content(paths.model_url(model_id)).text


def test_caveats_are_only_where_they_apply(site: Site) -> None:
    for view in site.data.views:
        text, table = site.content(view.url).text, board_table(view)
        assert ("question mark" in text) == table.unsure_ranks
        assert ("Contestants in a band are tied." in text) == table.has_bands
        assert "Ranks are not shown" not in text
        has_all = all(row.ci_low is not None for row in view.rows.values() if row.overall is not None)
        assert not has_all or "A score has no interval if" not in text
        if all(getattr(placed, "n_turns", 1) == 1 for placed in view.items):
            assert "second turn" not in text


def test_severity_is_the_same_on_the_page_of_judges_and_the_page_of_trust(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        rows: list[BiasRow] = [row for row in known(view.results.biases) if row.kind == "severity" and row.judge]
        said = severity_on_same_answers(view)
        measured = [row for row in rows if row.value is not None]
        assert bool(said) == bool(measured)
        for row in measured:
            figure = words.estimate(row.value, row.low, row.high, signs=True)
            assert figure in said
            assert figure in shipped_site.content(paths.judges_url(view.board.id)).text
            assert figure in shipped_site.content(paths.trust_url(view.board.id)).text
        if measured:
            assert "who is more severe" not in shipped_site.content(paths.judges_url(view.board.id)).text


_OTHER_WORDS = re.compile(r"\b(?:unreliable|tentative|insufficient|moderate|substantial|almost perfect|agree weakly)\b")


def test_agreement_has_one_vocabulary_and_two_alphas_a_reason(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        trust = shipped_site.content(paths.trust_url(view.board.id)).text
        judged = shipped_site.pages.get(paths.judges_url(view.board.id))
        pages = [shipped_site.content(view.url).text, trust, *([] if judged is None else [judged.text])]
        assert not any(_OTHER_WORDS.search(page) for page in pages)
        alpha = view.agreement().alpha_scored
        if view.panel is None or alpha is None:
            continue
        level = agreement_level(alpha)
        assert f"{level} agreement of the judges on scored answers" in pages[0]
        assert f"the agreement of the judges is {level}" in " ".join(agreed(view.agreement(), len(view.judges)))
        for row in known(view.results.rater_agreement):
            assert agreement_class(row) == agreement_level(
                row.value, "alpha" if row.coefficient == "alpha" else "kappa"
            )
        other = [row for row in known(view.results.rater_agreement) if row.coefficient == "alpha"][:1]
        if other and other[0].level != "ordinal" and other[0].value is not None:
            assert "So the two differ." in trust


def test_a_mean_over_fewer_items_says_so_where_it_stands(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        for row in board_table(view).rows:
            fewer = row.row.score is not None and row.row.n_items < view.results.n_items
            assert any("mean over" in remark for remark in row.remarks) == fewer
