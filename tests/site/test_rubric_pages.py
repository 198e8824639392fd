"""The pages of a `rubric` board: numbers are those of the results, what is absent says why, private stays hidden."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support.rubric_sites import BOARD
from support.sites import Site, changed, each_of, figures, showing, shown_cells

from nullbench_site.checks.registry import CHECKS
from nullbench_site.errors import RunError
from nullbench_site.programs import measured
from nullbench_site.protocols.rubric.pages import PAGES, RubricView, composite_words
from nullbench_site.protocols.rubric.specs import Composite
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.site import paths, words
from nullbench_site.site.differences import to_next
from nullbench_site.site.gather import gather
from nullbench_site.site.pages import boards, judges, methodology, models
from nullbench_site.site.pages.judges import AgainstModels
from nullbench_site.site.pages.page import panel_words, score_words
from nullbench_site.site.pages.tables import board_table
from nullbench_site.specs.types import Judge

RANKS = ("rank", "rank_low", "rank_high")


site = each_of("rubric", "mixed")


# --- the board ------------------------------------------------------------------------------------------------------


def test_the_board_shows_each_row_of_the_leaderboard_in_its_order(site: Site) -> None:
    view = site.view(RubricView)
    for cells, row in zip(site.cells(view.url, "Tasks, highest first"), site.csv(f"boards/{BOARD}.csv"), strict=True):
        ranks = words.rank_range(*(int(row[n]) if row[n] else None for n in RANKS))
        ends = words.interval(*(float(row[n]) if row[n] else None for n in ("ci_low", "ci_high")))
        assert cells["Contestant"].startswith(view.title(row["model"]))
        assert cells["rubric_overall"].startswith(f"{words.number(float(row['overall']))} {ends}".rstrip())
        assert cells["median_response_time_ms"].endswith(" s")
        expected = {
            "rank": ranks,
            "judge_mean": words.number(float(row["judge_mean"]), 2),
            "geval_mean": words.number(100 * float(row["geval_mean"])) if row["geval_mean"] else "not measured",
            "overall_adjusted": words.number(float(row["overall_adjusted"]) if row["overall_adjusted"] else None),
            "efficiency": words.number(float(row["efficiency"]), 3) if row["efficiency"] else "not measured",
            "n_flagged": f"{100 * int(row['n_flagged']) / int(row['n_checked']):.1f} %",
            "error_rate": f"{100 * float(row['error_rate']):.1f} %",
            "scored": f"{row['n_scored']} of 12",
            "price": {"clear": "$0.075 / $1.50", "wordy": "$2.00 / $12.00"}.get(row["model"], "not known"),
        }
        assert {name: cells[name].split(" in a tie group")[0] for name in expected} == expected


def test_a_score_without_g_eval_is_marked_and_says_why_it_is_not_measured(site: Site) -> None:
    rows = {row.model.id: row for row in board_table(site.view(RubricView)).rows}
    assert {name: row.note for name, row in rows.items()} == {
        "clear": "", "wordy": "", "hasty": "judges only", "silent": "",
    }  # fmt: skip
    assert rows["hasty"].row.absent["geval_mean"] == "G-Eval scored 10 of 11 answers, and the board asks for 95 %"
    table = site.table(site.view(RubricView).url, "Tasks, highest first")
    (hasty,) = (row for row in table.all("tr") if "Hasty" in row.text)
    assert "G-Eval scored 10 of 11 answers, and the board asks for 95 %" in {
        span.attributes.get("title") for span in hasty.all("span")
    }
    assert [mark.text for mark in table.all("span", class_="nb-parts")] == ["judges only"]


def test_a_judge_whose_marks_are_incomplete_is_named_beside_the_contestant(site: Site) -> None:
    rows = {row.model.id: list(row.remarks) for row in board_table(site.view(RubricView)).rows}
    flagged = "flagged by screening"  # these contestants give one answer to every item
    assert rows == {
        "clear": [flagged],
        "wordy": [flagged],
        "silent": [],
        "hasty": [flagged, "1 answer failed", "Ben left out: 10 of 11 marks"],
    }


def test_what_each_judge_gave_stands_with_g_eval_and_their_divergence(site: Site) -> None:
    view = site.view(RubricView)
    rows = {cells[0]: cells[1:] for cells in site.rows(view.url, "What each judge gave on Tasks")}
    given = {(row.judge, row.model): words.number(row.mean, 2) for row in view.results.judge_models}
    assert rows["Clear"][:3] == [given[judge, "clear"] for judge in ("anna", "ben", "sage")]
    assert rows["Wordy"][2] == "–"
    assert rows["Hasty"][1:4] == [f"({given['ben', 'hasty']})", given["sage", "hasty"], "not measured"]
    assert rows["Clear"][4] == words.number(view.rows["clear"].divergence, 3)


def test_the_table_of_completeness_has_each_judges_marks_below_its_title_in_any_order_of_the_panel(
    rubric_site: Site,
) -> None:
    """Ben lacks a mark of Hasty, and Sage judges none of Wordy; the panel lists neither by title nor by id."""
    view = rubric_site.view(RubricView)
    panel = msgspec.structs.replace(view.benchmark.panels["three"], judges=("sage", "anna", "ben"))
    turned = replace(view, benchmark=replace(view.benchmark, panels={"three": panel}))
    shown = PAGES.judges(turned)
    heads = [judge.title for judge in turned.judges]
    assert heads == ["Sage", "Anna", "Ben"]
    given = {
        row["model"].id: dict(zip(heads, ((each.n, each.due) for each in row["judges"]), strict=True))
        for row in shown["models"]
    }
    assert given["hasty"] == {"Sage": (11, 11), "Anna": (11, 11), "Ben": (10, 11)}
    assert given["wordy"] == {"Sage": (0, 0), "Anna": (12, 12), "Ben": (12, 12)}


def test_a_table_of_groups_has_a_cell_for_each_contestant_and_group(site: Site) -> None:
    view = site.view(RubricView)
    assert list(view.in_difficulties) == ["easy", "medium", "hard"]
    shown = site.rows(view.url, "Overall score by contestant and difficulty, Tasks")
    for cells, model in zip(shown, view.rows, strict=True):
        wanted = (words.number(rows[model].overall, 0) for rows in view.in_difficulties.values())
        assert cells == [view.title(model), *wanted]


def test_a_domain_has_a_card_with_its_first_and_the_difference_to_the_next(site: Site) -> None:
    view = site.view(RubricView)
    cards = site.content(view.url).one("ul", class_="nb-tiles").all("li")
    for card, group in zip(cards, view.results.domains, strict=True):
        first, other, *_ = [row for row in group.rows if row.model not in view.nulls]
        found = to_next(view, group.id)[first.model].difference
        assert found.value == pytest.approx(first.overall - other.overall, abs=1e-6)
        said = words.estimate(found.value, found.low, found.high, signs=True)
        assert card.text.endswith(
            f"{view.title(first.model)} {score_words(first)}; {said} to {view.title(other.model)}"
        )
        next_to = site.rows(
            paths.domain_url(view.board.id, group.id), f"{view.domains[group.id].title} on Tasks, highest first"
        )
        assert next_to[0][4] == f"{said} to {view.title(other.model)}"


def test_the_board_says_what_its_score_is_made_of(site: Site) -> None:
    view = site.view(RubricView)
    assert composite_words(view).startswith("the mean, weighted 2 to 1, of the judges' mean mark")
    equal = changed(view, weights={"judge": 1.0, "geval": 1.0})
    assert composite_words(equal).startswith("the mean of the judges' mean mark")
    alone = changed(view, geval_metrics=[], geval_judge=None)
    assert composite_words(alone) == "the mean mark of the judges, mapped from 1-5 to 0-100"


def test_boards_lead_to_the_home_page_and_are_never_blended(mixed_site: Site) -> None:
    small, tasks = mixed_site.content("boards/small/"), mixed_site.content(f"boards/{BOARD}/")
    assert small.one("p", class_="nb-crumb").text == "Boards / Small"
    (link,) = tasks.one("p", class_="nb-crumb").all("a")
    assert (link.text, link.attributes["href"]) == ("Boards", "../../")
    assert "Lead-2" not in tasks.text
    assert "Wordy" not in small.text


# --- contestants ----------------------------------------------------------------------------------------------------


def test_a_fingerprint_tells_every_domain_in_its_table_and_in_the_words_of_its_radar(site: Site) -> None:
    view = site.view(RubricView)
    for model in view.rows:
        url = f"models/{model}/"
        rows = {cells[0]: cells for cells in site.rows(url, "Scores by domain on Tasks")}
        (radar,) = (figure.attributes["aria-label"] for figure in site.content(url).all("div", role="img"))
        assert radar.startswith(f"Radar of {view.title(model)} on Tasks on a scale from 0 to 100: ")
        for domain, of_domain in view.in_domains.items():
            title, score = view.domains[domain].title, words.number(of_domain[model].overall)
            assert rows[title][1].startswith(score)
            assert f"{title} {score} (median {words.number(view.medians[domain])})" in radar


def test_the_figures_of_a_contestant_say_why_a_number_is_absent_and_what_is_estimated(site: Site) -> None:
    figures = {cells[0]: cells[1] for cells in site.rows("models/hasty/", "Figures")}
    assert figures["G-Eval mean"] == "not measured G-Eval scored 10 of 11 answers, and the board asks for 95 %"
    assert figures["Efficiency"] == "0.635 at 17 tokens an answer, estimated at 4 runes a token"
    assert figures["Composite"].endswith("judges only")
    endings = {cells[0]: cells[1] for cells in site.rows("models/hasty/", "How answers ended")}
    assert endings["Answers with a failed check"] == "50.0 % 3 of 6 answers to public prompts with an automatic check"
    clear = {cells[0]: cells[1] for cells in site.rows("models/clear/", "Figures")}
    assert (
        clear["Efficiency"]
        == f"{words.number(site.view(RubricView).rows['clear'].efficiency, 3)} at 46 tokens an answer"
    )


def test_a_contestant_of_too_few_prompts_is_told_from_no_median_and_has_no_domain_named(site: Site) -> None:
    said = site.content("models/hasty/").one("div", class_="nb-quote").text
    assert "We name no winner yet" in said
    assert "median" not in said
    assert "Coding" not in said


def test_each_judges_marks_of_a_contestant_say_whether_they_count(site: Site) -> None:
    rows = {row[0]: row[1:] for row in site.rows("models/wordy/", "Marks by judge on Tasks")}
    assert rows["Sage"] == ["–", "–", "no: it never judges its own family"]
    assert rows["Ben"][1:] == ["12 of 12", "yes"]
    hasty = {row[0]: row[1:] for row in site.rows("models/hasty/", "Marks by judge on Tasks")}
    assert hasty["Ben"][1:] == ["10 of 11", "no: some of its marks are missing, so it counts in no mean"]
    geval = {row[0]: row[1] for row in site.rows("models/clear/", "G-Eval on Tasks")}
    assert geval == {"Correctness": "80.0", "Coherence": "85.0", "Instruction following": "90.0"}


# --- judges ---------------------------------------------------------------------------------------------------------


def test_the_judges_page_shows_leniency_completeness_pairs_domains_and_g_eval(site: Site) -> None:
    view, url = site.view(RubricView), f"judges/{BOARD}/"
    judges = {row[0].split()[0].lower(): row for row in site.rows(url, "Judges of Tasks")}
    for row in view.results.judges:
        assert judges[row.judge][1] == words.of(row.scored, row.scored + row.unparsed + row.errored)
        assert judges[row.judge][-2] == words.signed(row.leniency)
    complete = {row[0]: row[1:] for row in site.rows(url, "Marks by judge and contestant on Tasks")}
    assert complete["Hasty"] == ["11 of 11", "10 of 11 left out", "11 of 11"]
    assert complete["Wordy"][2] == "–"
    pairs = site.rows(url, "Agreement of two judges on Tasks")
    assert [(row[0], row[1], row[-1]) for row in pairs] == [
        (pair.judge.capitalize(), pair.other.capitalize(), words.number(pair.alpha, 3))
        for pair in view.results.judge_pairs
    ]
    alphas = {row[0]: (row[1], row[2]) for row in site.rows(url, "Agreement by domain on Tasks")}
    for domain, spec in view.domains.items():
        found = view.agreement(domain=domain)
        assert alphas[spec.title] == (words.number(found.alpha, 3), found.label)
    against = {row[0]: row[2] for row in site.rows(url, "Judges against G-Eval on Tasks")}
    assert against["the panel's mean"] == words.signed(view.results.divergence[0].difference, 3)
    assert "G-Eval asks Gina for correctness, coherence and instruction following" in site.content(url).text


# --- the method -----------------------------------------------------------------------------------------------------


def test_the_method_counts_types_of_checks_by_the_first_and_hides_those_of_private_prompts(site: Site) -> None:
    automatic = {row[0]: row[1:3] for row in site.rows(f"methodology/{BOARD}/", "Automatic checks of Tasks")}
    judged = {row[0]: row[1:3] for row in site.rows(f"methodology/{BOARD}/", "Left to the judges of Tasks")}
    # Of twelve prompts, the second of Reasoning and the fourth of Writing are private.
    assert automatic == {"Banned words": ["2", "0"], "Response length": ["2", "0"], "Word count": ["3", "2"]}
    assert judged == {"Reasoning": ["3", "0"], "hidden": ["2", "hidden"]}
    seen = {row[0]: row[3:] for row in site.rows(f"methodology/{BOARD}/", "Automatic checks of Tasks")}
    check = CHECKS["word-count"]
    assert seen["Word count"] == [check.looks_at, check.cannot_see]


def test_the_method_counts_private_prompts_by_domain_and_difficulty(site: Site) -> None:
    assert [row[:3] for row in site.rows(f"methodology/{BOARD}/", "Domains of Tasks")] == [
        ["Coding", "4", "0"], ["Reasoning", "4", "1"], ["Writing", "4", "1"],
    ]  # fmt: skip
    difficulties = site.rows(f"methodology/{BOARD}/", "Difficulties of Tasks")
    assert [row[0] for row in difficulties] == ["easy", "medium", "hard"]
    assert [sum(int(row[place]) for row in difficulties) for place in (1, 2)] == [12, 2]
    assert len(site.rows(f"methodology/{BOARD}/", "Categories of Tasks")) == 6


def test_the_method_explains_the_metrics_of_the_protocols_on_the_site_alone(
    rubric_site: Site, mixed_site: Site
) -> None:
    alone, both = (site.content("glossary/") for site in (rubric_site, mixed_site))
    assert alone.all("section", id="metric-composite")
    assert not alone.all("section", id="metric-goal_alignment")
    assert both.all("section", id="metric-goal_alignment")
    assert not rubric_site.below("methodology/").all("h2", id="axes")
    assert mixed_site.below("methodology/").all("h2", id="axes")


def test_the_method_says_what_g_eval_asks_step_by_step(site: Site) -> None:
    from nullbench_site.judging.geval import METRICS

    text = site.below("methodology/").text
    assert all(" ".join(step.split()) in text for metric in METRICS.values() for step in metric.steps)


# --- boards that lack something -------------------------------------------------------------------------------------


def test_a_board_without_g_eval_has_no_column_of_it_and_says_so(rubric_site: Site) -> None:
    view = changed(
        rubric_site.view(RubricView),
        {model: {"geval_mean": None, "composite_of": "judge"} for model in rubric_site.view(RubricView).rows},
        geval_judge=None, geval_metrics=[], divergence=[],
    )  # fmt: skip
    site = showing(view, rubric_site)
    assert {row.note for row in board_table(view).rows} == {""}
    page = next(boards.pages(site))
    assert page.context["geval"] is False
    assert not [name for _, name in page.context["facts"] if "G-Eval" in name]
    assert next(judges.pages(site)).context["boards"][0]["geval"] is None
    assert panel_words(view) == "Panel “Three models”: Anna, Ben and Sage."


def test_a_g_eval_mean_over_some_of_the_answers_says_over_how_many(rubric_site: Site) -> None:
    given = {"geval_mean": 0.5, "composite_of": "judge+geval", "absent": {}}
    view = changed(rubric_site.view(RubricView), {"hasty": given})
    (row,) = (row for row in board_table(view).rows if row.model.id == "hasty")
    assert (row.note, shown_cells(board_table(view), "hasty")["geval_mean"]) == ("", "50.0")
    assert "G-Eval scored 10 of 11 answers" in row.remarks
    page = next(page for page in models.pages(showing(view, rubric_site)) if page.url == "models/hasty/")
    board = page.context["boards"][0]
    assert figures(showing(view, rubric_site), "hasty")["geval_mean"] == ("50.0", "G-Eval scored 10 of 11 answers")
    assert board["geval_coverage"] == "G-Eval scored 10 of 11 answers"
    whole = next(page for page in models.pages(showing(view, rubric_site)) if page.url == "models/clear/")
    assert whole.context["boards"][0]["geval_coverage"] == ""


def test_the_method_says_from_which_share_of_answers_g_eval_counts(site: Site) -> None:
    assert "if it scored at least 95 % of such answers" in site.below("methodology/").text


def test_programs_on_the_panel_are_told_from_a_model_that_g_eval_asks(rubric_site: Site) -> None:
    view = rubric_site.view(RubricView)
    programs = {
        name: msgspec.structs.replace(judge, backend="offline" if name != "gina" else "openai")
        for name, judge in view.benchmark.judges.items()
    }
    mixed = replace(view, benchmark=replace(view.benchmark, judges=programs))
    assert panel_words(mixed) == "Rule-based panel: Anna, Ben and Sage, which are programs. G-Eval asks Gina."
    assert not mixed.rule_based
    gina = {**programs, "gina": msgspec.structs.replace(programs["gina"], backend="offline")}
    rules = replace(view, benchmark=replace(view.benchmark, judges=gina))
    assert rules.rule_based
    assert panel_words(rules).endswith("G-Eval asks Gina. No language model judged.")


def test_a_contestant_without_a_rank_is_said_to_have_none_and_why(rubric_site: Site) -> None:
    unranked = {"rank": None, "rank_low": None, "rank_high": None}
    for more, why in (
        ({"judge_missing": 3, "judge_calls": 72}, "judged by 69 of 72 calls so far"),
        ({"absent": {"overall": "no judge marked every answer"}, "overall": None}, "no judge marked every answer"),
    ):
        view = changed(rubric_site.view(RubricView), {"wordy": {**unranked, **more}})
        page = next(page for page in models.pages(showing(view, rubric_site)) if page.url == "models/wordy/")
        assert page.context["boards"][0]["sentences"] == [f"Wordy is not ranked: {why}."]


def test_a_board_of_two_domains_has_no_radar(rubric_site: Site) -> None:
    view = rubric_site.view(RubricView)
    two = changed(view, domains=view.results.domains[:2])
    overview, page, *_ = models.pages(showing(two, rubric_site))
    assert not overview.context["boards"][0]["radar_spec"].drawn
    assert {tile["radar"].profile for tile in overview.context["boards"][0]["tiles"]} == {""}
    assert page.context["boards"][0]["radar"] is None


def test_a_board_that_rounds_its_judges_says_so(rubric_site: Site) -> None:
    view = rubric_site.view(RubricView)
    rounding = msgspec.structs.replace(view.board, composite=Composite(judge_decimals=2))
    benchmark = replace(view.benchmark, boards={BOARD: rounding})
    data = replace(showing(view, rubric_site), benchmark=benchmark)
    _, page, _ = methodology.pages(data)
    assert page.context["board"]["decimals"] == 2


def test_results_of_another_protocol_than_the_boards_are_refused_with_what_to_do(
    mixed_site: Site, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(mixed_site.entry.path, run)
    shutil.copytree(run / "results" / "small", run / "results" / BOARD, dirs_exist_ok=True)
    entry = CatalogEntry(run, msgspec.structs.replace(mixed_site.entry.manifest, state="open", files={}))
    with pytest.raises(RunError, match="of the protocol 'axes', but the board of 'rubric'") as refused:
        gather(mixed_site.data.benchmark, entry, [entry])
    assert f"recompute them with: nullbench-site score {run.name}" in str(refused.value)


# --- programs against models as judges ------------------------------------------------------------------------------


def _panel(*programs: str) -> list[Judge]:
    about = {"description": "Rules.", "backend": "offline", "family": "rules"}
    return [Judge(id=f"j-{name}", title=name.title(), model=name, **about) for name in programs]


RULES = ("coverage", "compliance", "substance")


def test_a_panel_of_programs_says_how_far_it_goes_with_models() -> None:
    found = judges.against_models(_panel(*RULES), {"offline": measured().programs})
    assert found == AgainstModels(measured(), {name: name.title() for name in RULES})


def test_figures_of_another_revision_or_of_other_programs_are_not_measured() -> None:
    for panel, revisions in (
        (_panel(*RULES), {}),
        (_panel(*RULES), {"offline": "offline@0"}),
        (_panel("support", "form"), {"offline": measured().programs}),
    ):
        found = judges.against_models(panel, revisions)
        assert found.measured is None


def test_a_panel_with_a_model_has_no_such_figures(rubric_site: Site) -> None:
    assert judges.against_models(rubric_site.view(RubricView).judges, {"offline": measured().programs}) is None
