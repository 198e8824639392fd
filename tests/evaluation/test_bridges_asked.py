"""A judge that is to succeed another is asked about some of the answers that this has marked, and nobody else is."""

from __future__ import annotations

from support.repositories import ITEMS, MODELS, build, edit, run_dir

from nullbench_site import api
from nullbench_site.cli.plan import _gaps
from nullbench_site.evaluation.plan_report import report
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.scoring.bridges import SCORE
from nullbench_site.scoring.tables import read_results

BRIDGE = "model: restraint\n  family: rules\n  bridges: {judge: support, items: 5}\n"


def _bridged(repository: Repository) -> Repository:
    """Two judges on the panel, and a third that is to succeed one of them."""
    edit(repository.specs / "judges.yaml", "  - restraint\n  - form\n", "  - form\n")
    build(repository)
    edit(repository.specs / "judges.yaml", "model: restraint\n  family: rules\n", BRIDGE)
    return repository


def test_plan_and_build_ask_the_new_judge_about_the_items_of_the_bridge_and_nobody_else(repository: Repository) -> None:
    bridged = _bridged(repository)
    before = read_results(run_dir(bridged), "main")
    plan = api.plan(bridged, Selection())
    assert dict(plan.to_make) == {("judge", "restraint"): 5 * len(MODELS)}
    assert plan.planned == len(MODELS) * (ITEMS * 3 + 5)
    done = build(bridged)
    assert (done.calls.made, done.calls.planned) == (5 * len(MODELS), plan.planned)
    after = read_results(run_dir(bridged), "main")
    same = {name: getattr(after, name) for name in ("leaderboard", "items", "differences", "domains", "judges")}
    assert same == {name: getattr(before, name) for name in same}
    assert {(row.judge, row.other) for row in after.bridges} == {("restraint", "support")}
    assert next(row.n_items for row in after.bridges if row.mark == SCORE) == 5
    assert api.verify(bridged, None)[1] == []
    assert build(bridged).calls.made == 0


def test_diff_says_what_a_bridge_costs(repository: Repository) -> None:
    bridged = _bridged(repository)
    diff = api.diff(bridged, run_dir(bridged).name)
    assert (diff.calls.asked, diff.calls.judges) == (5 * len(MODELS), ("restraint",))
    (change,) = [change for change in diff.changes if change.kind == "judge"]
    assert (change.place, change.what, change.calls) == ("restraint", "joined", 5 * len(MODELS))


def test_items_on_which_a_bridging_judge_is_still_to_be_asked_are_ranked(repository: Repository) -> None:
    bridged = _bridged(repository)
    edit(bridged.specs / "judges.yaml", "items: 5", "items: all")
    (bridged.specs / "models/null-constant.yaml").unlink()
    (board,) = api.diff(bridged, run_dir(bridged).name).boards
    assert (board.not_measured, board.items, board.of) == (None, ITEMS, ITEMS)


def test_plan_says_which_judges_are_to_be_asked_past_the_day_they_retire(repository: Repository) -> None:
    edit(repository.specs / "judges.yaml", "model: form\n", 'model: form\n  retires: "2026-11-20"\n')
    shown = report(api.plan(repository, Selection()))
    assert dict(shown.retired) == {"form": "2026-11-20"}
    assert list(_gaps(shown)) == ["The judge form retired on 2026-11-20 but is still called"]
    build(repository)
    assert report(api.plan(repository, Selection())).retired == {}, "what is known is not asked"
