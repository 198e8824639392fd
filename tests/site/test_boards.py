"""The tables of boards: what a reader without a script sees, and what a script finds in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from support import boards, rubric_boards
from support.benchmarks import edit, write_benchmark
from support.pages import Element
from support.sites import Site, each_of, shown_cells

from nullbench_site import api
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.protocols.rubric.pages import RubricView
from nullbench_site.repository import Repository
from nullbench_site.scoring.board_tables import Separation
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import words
from nullbench_site.site.pages.boards import detectable_words, separation_words
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.sentences import trust_word
from nullbench_site.site.pages.tables import board_table, columns_of, group_table
from nullbench_site.site.pages.trust_marks import in_one_word
from nullbench_site.site.views import BoardView


def test_a_contestant_that_a_judge_of_its_family_may_score_is_named_beside_its_score_and_on_its_page(
    small_site: Site, tmp_path: Path
) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, "judges.yaml", "title: Rule-based panel\n", "title: Rule-based panel\n    same_family: true\n")
    edit(specs, "models/lead-2.yaml", "family: extractive", "family: rules")
    repository = Repository(tmp_path)
    api.build(repository)
    site, said = Site(repository), "may be scored by Support, Restraint and Form, judges of its family"
    ((view, box),) = _boards(site)
    named = [row.attributes["data-m"] for row in _rows(box) if said in row.text]
    assert named == ["lead-2"]
    assert [model for model in view.rows if said in site.content(f"models/{model}/").text] == ["lead-2"]
    assert not any("of its family" in small_site.content(url).text for url in (small_site.board, "models/lead-2/"))


def test_the_judge_of_g_eval_counts_among_the_judges_of_a_contestants_family_if_the_panel_lets_it() -> None:
    geval, contestant = "gina", boards.model("m", family="family-of-gina")
    for same_family in (True, False):
        board = rubric_boards.benchmark(models=[contestant], geval=geval, same_family=same_family)
        view = boards.view(board, [rubric_boards.answer()])
        assert [judge.id for judge in view.judges_of_family(contestant)] == [geval] * same_family


def test_a_judged_board_without_null_models_says_why_its_floor_is_not_measured() -> None:
    own = boards.benchmark(boards.domain("law", boards.category("courts", "q1")), models=(boards.model("m"),))
    assert (
        board_table(boards.view(own, boards.judged({"q1": 50}))).floor_words
        == "not measured: no null model is on the board"
    )


site = each_of("small", "mixed", "axes_and_oracle")


def _boards(site: Site) -> Iterator[tuple[BoardView, Element]]:
    for view in site.data.views:
        yield view, site.content(view.url).one("div", class_="nb-board-box")


def _is_close(found: list[float | None], wanted: list[float | None]) -> bool:
    """Whether the numbers are the same but for rounding, and absent where they are absent."""
    pairs = list(zip(found, wanted, strict=True))
    return all((a is None) == (b is None) and (a is None or a == pytest.approx(b, rel=1e-5)) for a, b in pairs)


def _rows(box: Element) -> list[Element]:
    return box.one("tbody").all("tr")


def test_a_board_with_refusal_gates_says_what_its_floor_would_be_without_and_others_say_nothing(site: Site) -> None:
    for view in site.data.views:
        words = site.content(view.url).text
        assert ("With refusal gates off the floor would be" in words) == bool(view.results.ungated)
        assert bool(view.results.ungated) == (view.board.protocol == "axes" and bool(view.nulls))


def test_a_row_carries_the_numbers_its_columns_are_sorted_by(site: Site) -> None:
    for view, box in _boards(site):
        columns = columns_of(view, whole_board=True)
        heads = [th.attributes["data-key"] for th in box.one("thead").all("th", scope="col")]
        assert heads == ["rank", "name", "score", "interval", *(metric.id for metric, _ in columns)]
        for tr, row in zip(_rows(box), view.rows.values(), strict=True):
            numbers = [float(value) if value else None for value in tr.attributes["data-v"].split(",")]
            wanted = [row.overall, row.ci_low, row.ci_high, *(metric.read(view, row) for metric, _ in columns)]
            assert _is_close(numbers, wanted)
            assert tr.attributes["data-m"] == row.model


def test_a_column_says_what_it_is_and_leads_to_its_formula(site: Site) -> None:
    for view, box in _boards(site):
        for th in box.one("thead").all("th", scope="col"):
            if th.attributes["data-key"] != "name":
                (link,) = th.all("a")
                metric = METRICS[link.attributes["href"].partition("#metric-")[2]]
                assert link.attributes["title"] == metric.sentence
        groups = box.one("thead").all("th", scope="colgroup")
        timed = [] if view.of_programs else ["Speed and cost"]
        assert [th.text for th in groups] == ["Score", "Behaviour", *timed, "Evidence"]
        assert sum(int(th.attributes["colspan"]) for th in groups) + 2 == len(box.one("thead").all("th", scope="col"))


def test_what_contestants_are_filtered_by_is_what_their_specs_say(mixed_site: Site) -> None:
    view, box = next(pair for pair in _boards(mixed_site) if isinstance(pair[0], RubricView))
    facts = {
        tr.attributes["data-m"]: {
            name: tr.attributes[f"data-{name}"]
            for name in ("kind", "vendor", "weights", "size", "price")
            if f"data-{name}" in tr.attributes
        }
        for tr in _rows(box)
    }
    assert facts == {
        "clear": {"vendor": "Acme", "weights": "open", "size": "7.5", "price": "1.5"},
        "wordy": {"vendor": "Sages & Sons", "weights": "closed", "size": "70", "price": "12"},
        "hasty": {"kind": "baseline"},
        "silent": {"kind": "null"},
    }
    assert view.board.id == box.attributes["data-board"]


def test_ties_are_told_to_those_who_do_not_see_bands_unless_the_board_is_silent(
    view: AxesView, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {(row.tie, row.tied, row.band) for row in board_table(view).rows} == {("", "", "")}
    monkeypatch.setattr("nullbench_site.site.pages.trust_marks.SILENT_FROM", 6)
    rows = board_table(view).rows
    ranked = [row for row in rows if not view.is_null(row.model.id)]
    assert [(row.tie, row.tied) for row in ranked] == [("1", "in a tie group of 2")] * 2
    alone = msgspec.structs.replace(
        view.results,
        leaderboard=[msgspec.structs.replace(row, tie_group=None) for row in view.results.leaderboard],
    )
    untied = board_table(AxesView(view.benchmark, view.board, alone))
    assert {(row.tie, row.tied, row.band) for row in untied.rows} == {("", "", "")}


def test_trust_is_a_column_of_words_where_rows_differ_and_one_word_above_the_table_elsewhere(site: Site) -> None:
    for view, box in _boards(site):
        levels = [in_one_word(view, [row]) for row in view.rows.values()]
        heads = [th.attributes["data-key"] for th in box.one("thead").all("th", scope="col")]
        assert ("trust" in heads) == (len(set(levels)) > 1)
        if "trust" in heads:
            assert [tr.all("td")[-1].text for tr in _rows(box)] == levels
        above = site.content(view.url).one("p", class_="nb-panel").text
        assert f"Trust: {trust_word(view)}." in above


def test_a_price_is_a_column_only_where_one_is_known(mixed_site: Site) -> None:
    found = {
        view.board.id: ["price" in {th.attributes.get("data-key") for th in box.one("thead").all("th")}]
        for view, box in _boards(mixed_site)
    }
    assert found == {"small": [False], "tasks": [True]}


def test_the_groups_of_a_board_are_those_of_its_results(site: Site) -> None:
    for view in site.data.views:
        schema = site.json("boards/groups.schema.json")
        data = site.json(f"boards/{view.board.id}/groups.json")
        Draft202012Validator(schema).validate(data)
        groups = [*view.results.domains, *view.results.difficulties]
        assert [(group["id"], group["n_items"]) for group in data["groups"]] == [(g.id, g.n_items) for g in groups]
        assert data["models"] == list(view.rows)
        for told, group in zip(data["groups"], groups, strict=True):
            rows: dict[str, Any] = {row.model: row for row in group.rows}
            table = group_table(view, group, "x", group.id)
            shown = {row.model.id: row for row in table.rows}
            assert _is_close([told["floor"]], [table.floor])
            assert told["says"] == table.says == opening(view, group).long != ""
            for place, model in enumerate(data["models"]):
                row = rows[model]
                own = [told[name][place] for name in ("score", "ci_low", "ci_high")]
                assert _is_close(own, [row.score, row.ci_low, row.ci_high])
                ranks = [told[name][place] for name in ("rank", "rank_low", "rank_high")]
                assert shown[model].rank == words.rank_range(*ranks)
                assert told["best"][place] is (model in group.best_set)
                assert told["wholes"].get("scored", [row.n_responses])[0] <= group.n_items * view.board.samples
                columns = columns_of(view, whole_board=False)
                values = [told["columns"][metric.id][place] for metric, _ in columns]
                assert _is_close(values, [metric.read(view, row) for metric, _ in columns])


def test_a_column_of_a_judged_board_says_how_its_value_is_shown(mixed_site: Site) -> None:
    (view,) = (view for view in mixed_site.data.views if isinstance(view, RubricView))
    row, shown = view.rows["clear"], shown_cells(board_table(view), "clear")
    assert shown["geval_mean"] == words.number(100 * (row.geval_mean or 0))
    assert shown["price"] == "$0.075 / $1.50"
    assert shown["scored"] == f"{row.n_scored} of 12"
    assert shown["efficiency"] == words.number(row.efficiency, 3)


def test_a_difference_that_the_scale_does_not_have_is_not_called_detectable(shipped_site: Site) -> None:
    (livebench,) = (view for view in shipped_site.data.views if view.board.id == "livebench")
    assert livebench.results.detectable is not None
    assert (livebench.results.detectable.high or 0) > 100
    assert " points, from 7.7 to more than 100 by pair of neighbours." in detectable_words(livebench)


@pytest.mark.parametrize(("alone", "said"), [(1, "told apart"), (0, "not told apart")])
def test_two_ranked_contestants_are_said_to_differ_or_not_without_counting_pairs(alone: int, said: str) -> None:
    found = Separation(pairs=1, together=alone, alone=alone, neighbours=1, neighbours_together=0, neighbours_alone=0)
    assert separation_words(found) == f"The two ranked contestants are {said}, tested at 5 %."
