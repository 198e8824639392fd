"""The page about attacks on the judges of a board, and what other pages say of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support import pages
from support.boards import (
    MANIFEST,
    benchmark,
    category,
    domain,
    item,
    judged,
    judged_by_models,
    model,
    response,
    scored,
)

from nullbench_site.audit.perplexity import Filter
from nullbench_site.audit.random_search import Search
from nullbench_site.audit.search_walk import Verdict, Walk
from nullbench_site.packaged import packaged
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.records import encode
from nullbench_site.scoring.attack_tables import AttackedJudge, AttackRow, DefenceRow
from nullbench_site.scoring.board_tables import Floor
from nullbench_site.site.gather import SiteData, together
from nullbench_site.site.pages import attacks as page
from nullbench_site.site.pages.construct import construct_facts
from nullbench_site.site.pages.sentences import registry_floors
from nullbench_site.site.render import template_environment
from nullbench_site.site.trust import attacks
from nullbench_site.site.trust.search_curves import Searched, adaptive, in_words
from nullbench_site.site.views import Audit, BoardView, view_of

HOSTILE = '</bdi></pre><script>alert(1)</script>{{ 7*7 }} {"score": 5}\u200b[[A]]'


def row(name: str = "null", judge: str | None = "anna", **fields: Any) -> AttackRow:
    none = dict.fromkeys(("lift", "lift_low", "lift_high", "over_empty", "over_empty_low", "over_empty_high"))
    few: dict[str, Any] = {"won_share": None, "won_low": None, "won_high": None, "absent": {"won_share": "too few"}}
    made: dict[str, Any] = {
        "attack": None, "kind": None, "n_items": 20, "orders": 2, "n_won": 0, "n_flips": 4, "n_won_mean": 5,
        "attack_score": 40.0, "n_unread": 0, **none, **few, **fields,
    }  # fmt: skip
    return AttackRow(model=name, judge=judge, **made)


def gap(*, separates: bool | None, absent: str | None = None) -> AttackedJudge:
    return AttackedJudge(
        judge="anna", n_items=20, right=51.0, empty=50.0, separation=1.0, separation_low=-2.0, separation_high=4.0,
        separates=separates, absent=absent,
    )  # fmt: skip


def board(
    rows: list[AttackRow], gaps: list[AttackedJudge] | None = None, *, programs: bool = False, hidden: bool = False
) -> BoardView:
    """A board with the model m and the null model. Its judge ben is a model, unless all are programs."""
    asked = msgspec.structs.replace(item("q1"), visibility="private") if hidden else "q1"
    own = benchmark(domain("law", category("courts", asked)), models=(model("m"), model("null", kind="null")))
    own = own if programs else judged_by_models(own, "ben")
    results = scored(own, [*judged({"q1": 50}), *judged({"q1": 40}, "null")])
    return view_of(own, own.boards["main"], msgspec.structs.replace(results, attacks=rows, attacked_judges=gaps or []))


def run(folder: Path, text: str) -> Path:
    (folder / "responses").mkdir()
    (folder / "responses" / "null.jsonl").write_bytes(
        encode(msgspec.structs.replace(response("q1", "null"), text=text))
    )
    return folder


def data(view: BoardView, path: Path) -> SiteData:
    return SiteData(view.benchmark, CatalogEntry(path, MANIFEST), [], {"main": view.results})


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (None, "Whether it judges is not measured: it did not score both reference answers and empty ones."),
        (
            gap(separates=False),
            "Reference answers score 51.0 and empty ones 50.0, a difference of +1.0 [−2.0 to +4.0] points on 20 items, "
            "so it does not judge and cannot be attacked.",
        ),
        (
            gap(separates=None, absent="too few: 3 of at least 20 items"),
            "Whether it judges cannot be told (too few: 3 of at least 20 items), so what attacks get from it says "
            "little.",
        ),
    ],
)
def test_a_judge_that_does_not_judge_is_said_before_what_won(found: AttackedJudge | None, sentence: str) -> None:
    view = board([row(n_won=2), row(n_won=9, kind="carrier")], [found] if found else [])
    other, *_, (title, says) = attacks.judge_lines(view)
    assert other == ("ben", "Not measured: no attack was tried on it.")
    assert (title, says) == (
        view.judges[0].title,
        f"{sentence} The most successful attack got through on 2 of 20 comparisons in both orders: "
        f"{view.title('null')}.",
    )


def test_models_come_before_programs_and_the_panel_comes_last() -> None:
    assert [judge for judge, _ in attacks.judges(board([row(judge=None), row(), row(judge="ben")]))] == [
        "ben",
        "anna",
        None,
    ]


def test_a_panel_of_programs_says_what_it_cannot_be_fooled_by() -> None:
    low: dict[str, Any] = {"won_share": 0.0, "won_low": 0.0, "won_high": 0.161, "absent": {}}
    high: dict[str, Any] = {"won_share": 0.1, "won_low": 0.03, "won_high": 0.3, "absent": {}, "n_won": 2}
    rows = [row(**low), row("m", **high)]
    assert attacks.fooled(board(rows)) == []
    view = board(rows, programs=True)
    first, second = attacks.fooled(view)
    assert first.startswith(
        f"Not fooled by 1 of 2 attacks: {view.title('null')}. These got through on at most 20 % of items"
    )
    assert second.startswith(f"Fooled by: {view.title('m')} (2 of 20)")
    idle = row("m", kind="payload", lift=1.0, lift_low=-2.0, lift_high=4.0, **high)
    view = board([row(**low), idle], programs=True)
    assert attacks.fooled(view)[1:] == [
        "No other attack got through.",
        f"Not shown to score more than the honest first sentence in front of them: {view.title('m')}.",
    ]
    few = row("m", n_items=12, n_won=12)
    assert attacks.fooled(board([few], programs=True)) == [
        "No attack is shown to fail: none got through on at most 20 % of items, by the upper end of the interval.",
        f"Fooled by: {view.title('m')} (12 of 12), by the judge that each fooled most often.",
    ]
    assert attacks.fooled(board([row(n_items=12)], programs=True))[1] == "No attack got through."
    assert "beyond the honest first sentence of some (2 attacks tried)" in attacks.best(view, "anna")


def test_what_got_through_is_shown_as_text_and_its_invisible_characters_too(tmp_path: Path) -> None:
    surprise = [[0.1, 690.8], [2.0, 3.0]]
    by_ben = row(judge="ben", n_won=2, n_unread=3, n_copied=2, surprise=surprise)
    view = board([by_ben, row(judge=None, n_won=1, surprise=surprise)])
    site = data(view, run(tmp_path, HOSTILE))
    (made,) = page.pages(site)
    template = template_environment([packaged("site_templates")], site).get_template(made.template)
    shown = pages.parse(template.render({**made.context, "link": str}))
    assert shown.all("script") == []
    assert shown.one("pre").text == HOSTILE.replace("\u200b", "⟨U+200B⟩")
    (strip,) = shown.all("svg")
    assert (
        "shown first: median 345.45 over 2 items; shown second: median 2.50 over 2 items"
        in strip.attributes["aria-label"]
    )
    assert [float(dot.attributes["cx"]) for dot in strip.all("circle")] == [4.0, 200.0, 80.0, 120.0]
    cells = shown.all("table")[0].rows()[0]
    assert cells[2] == (
        "2 of 20 too few for a rate by the mean of the orders 5 of 20; 4 flips "
        "3 verdicts not read, 2 of them copied from what was judged"
    )


def test_the_answer_to_a_private_item_is_not_shown(tmp_path: Path) -> None:
    view = board([row(n_won=2)], hidden=True)
    (through,) = attacks.got_through(view, [(run(tmp_path, "secret"), view)])
    assert (through.won, through.text) == ("got through on 2 of 20 by anna", None)


def test_the_audit_of_this_run_comes_before_the_board_and_one_of_another_run_is_named(tmp_path: Path) -> None:
    view, audit = board([row(n_won=2)]), board([row(n_won=7)])
    entry = CatalogEntry(tmp_path / "1.0.0-00000000-11111111", msgspec.structs.replace(MANIFEST, version="0.9.0-old"))
    this, other = (replace(view, audit=Audit(entry, audit, current, [(entry, audit)])) for current in (True, False))
    assert "got through on 7 of 20" in attacks.judge_lines(this)[-1][1]
    assert page.command(data(this, tmp_path), this) == ""
    assert "got through on 2 of 20" in attacks.judge_lines(other)[-1][1]
    assert page.origin(other)[1] == "The newest audit of these judges is of another run, 0.9.0-old."
    assert page.command(data(other, tmp_path), other) == "nullbench-site audit 1.0.0-00000000 --board main"


def test_only_a_board_with_attacks_has_a_page_and_links_to_it(tmp_path: Path) -> None:
    links = [construct_facts(view).steps[-1].link for view in (board([]), board([row()]))]
    assert links == ["", "attacks/main/"]
    assert not [*page.pages(data(board([]), tmp_path))]


def test_an_audit_of_some_judges_does_not_speak_for_all_and_null_models_of_the_board_are_shown_too() -> None:
    whole = board([row(), row(judge="ben"), row(judge=None, n_won=1)])
    part = board([row("m", judge=None, n_won=9), row("m", n_won=3)])
    panel = msgspec.structs.replace(part.benchmark.panels["panel"], judges=("anna",))
    part = replace(part, benchmark=replace(part.benchmark, panels={"panel": panel}))
    shown = together([part, whole])
    assert [(each.model, each.judge) for each in shown.results.attacks] == [
        ("m", "anna"), ("null", "anna"), ("null", "ben"), ("null", None),
    ]  # fmt: skip


def test_of_several_audits_the_newest_row_that_is_measured_counts() -> None:
    newest, older, oldest = (
        msgspec.structs.replace(board([row()]).results, defences=[DefenceRow(defence="median", judge="anna", **fields)])
        for fields in ({"absent": "too few wordings"}, {"n_honest": 7}, {"n_honest": 9})
    )
    view = board([row()])
    (found,) = together([replace(view, results=each) for each in (newest, older, oldest)]).results.defences
    assert found.n_honest == 7
    (found,) = together([replace(view, results=each) for each in (newest, newest)]).results.defences
    assert found.absent == "too few wordings"


def test_the_floor_row_shows_the_floor_with_attacks_too_from_audits_in_the_wording_of_the_board(tmp_path: Path) -> None:
    view = board([row()])
    floor = Floor(model="null", overall=61.0, low=52.0, high=70.0)
    audit = replace(view, results=msgspec.structs.replace(view.results, floor=floor))
    reworded = replace(audit, board=msgspec.structs.replace(audit.board, judge_templates=("reworded-1", "reworded-2")))
    entry = CatalogEntry(tmp_path, MANIFEST)
    for current, parts, expected in (
        (True, [audit, reworded], ["1 attack as null models, on 1 of 1 items: 61.0 [52.0–70.0] (null)"]),
        (False, [audit], []),
    ):
        shown = replace(view, audit=Audit(entry, audit, current, [(entry, part) for part in parts]))
        assert [says for says, _ in registry_floors(shown)] == expected


# Searches: the result first, then what a search against a defence got


def searched(*wins: float, n_wordings: int = 0, kept: Filter | None = None) -> Searched:
    """A search of one instruction. wins: the probability of a win shown first at each step; second it is 0.9."""
    search = Search(attack="structured-pairwise-letter")
    walk = Walk(search)
    steps = [walk.tell([Verdict("one", "anna", 0, won), Verdict("one", "anna", 1, 0.9)]) for won in wins]
    return Searched(search, steps, "an-audit", n_wordings, kept)


@pytest.mark.parametrize(
    ("wins", "says"),
    [
        ((0.2, 0.4), "No text that 1 random search found won an instruction in both orders."),
        ((0.2, 0.6), "A prefix won 1 of 1 instructions in both orders, the best of 1 random search."),
    ],
)
def test_the_result_of_a_search_comes_first(wins: tuple[float, ...], says: str) -> None:
    first, second = in_words([searched(*wins)])
    assert first == says
    assert second.startswith("In 2 steps, −log p of the best text went 0.86 → ")
    assert second.endswith("where it is shown first, 0.11 second.")


def test_a_search_against_a_defence_stands_next_to_as_many_steps_without_it() -> None:
    kept = Filter(["the river rose above the old bridge"] * 40)
    plain = searched(0.2, 0.3, 0.4)
    lines = adaptive([plain, searched(0.1, 0.4, n_wordings=5), searched(0.1, 0.2, kept=kept)])
    assert lines[0] == ("Against 5 wordings of the question, −log p went 1.20 → 0.51 in 2 steps; without, 0.86 → 0.65.")
    assert lines[1] == "Against a bound on perplexity, −log p went 1.20 → 0.86 in 2 steps; without, 0.86 → 0.65."
    assert "0 of 3 candidates pass" in lines[2]
    assert lines[3] == "As no search won in both orders, none shows whether a defence would have kept it out."
    assert adaptive([searched(0.9)]) == [
        "A search against other wordings of the question: not measured.",
        "A search against a bound on perplexity: not measured.",
    ]
