"""The trust page of each board: the matrix, what a score contains, and the plain standard error."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from support.boards import benchmark, category, domain, judged, model, scored
from support.controls import with_ladders
from support.dated_boards import write_dated
from support.sites import Site

from nullbench_site import api
from nullbench_site.packaged import packaged
from nullbench_site.protocols.axes.pages.view import AxesView
from nullbench_site.repository import Repository
from nullbench_site.scoring.contamination import overlap_rows
from nullbench_site.scoring.contamination_tables import CanaryRow, ItemDateRow
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import read_results
from nullbench_site.site import paths, words
from nullbench_site.site.pages.audit import audited, public_benchmarks
from nullbench_site.site.pages.board_trust import SECTIONS, matrix, reasons
from nullbench_site.site.pages.decomposition import decompositions, plain_rows
from nullbench_site.site.pages.trust_marks import trust
from nullbench_site.site.reporting_minimum import lacking
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import Corpus, Inference, OverlapFile, OverlapItem

ITEMS = [f"q{number:03}" for number in range(200)]
STATES = (
    r"(high|medium|low)( \(declared\))?|does not apply|"
    r"not measured \((not reported|not testable with these items|not measurable here)\)"
)
"""What a cell of the matrix may say."""
REPORTED = Inference(level="alignment", claim="Answers are honest")


@pytest.fixture(scope="module")
def good() -> BoardView:
    """A program on 200 items, above a null model, with a panel that agrees and orders its ladders of damage."""
    made = benchmark(domain("law", category("courts", *ITEMS)), models=("m", model("null-x", "null")))
    halves = {item: 100 * (number % 2) for number, item in enumerate(ITEMS)}
    results = scored(made, [*judged(halves), *judged(dict.fromkeys(ITEMS, 1), "null-x")])
    agreed = msgspec.structs.replace(results.agreement[0], alpha_scored=0.85)
    results = msgspec.structs.replace(results, agreement=[agreed])
    board = msgspec.structs.replace(made.boards["main"], inference=REPORTED)
    made = replace(made, boards={"main": board})
    return with_ladders(AxesView(made, board, results), negation=True, number=True)


def changed(of: BoardView, **row: Any) -> BoardView:
    """The board with another row of its contestant."""
    rows = [msgspec.structs.replace(each, **row) if each.model == "m" else each for each in of.results.leaderboard]
    return AxesView(of.benchmark, of.board, msgspec.structs.replace(of.results, leaderboard=rows))


def called(of: BoardView) -> BoardView:
    """The board whose contestant is a model that was asked in one wording."""
    asked = {**of.benchmark.models, "m": msgspec.structs.replace(of.benchmark.models["m"], backend="openai")}
    return AxesView(replace(of.benchmark, models=asked), of.board, of.results)


@pytest.fixture(scope="module")
def trained(good: BoardView) -> BoardView:
    """The same, but the contestant is a model. One of its items is in a text, and it completes no canary."""
    return with_canaries(with_overlap(called(good), 1), 0)


def with_overlap(of: BoardView, n: int, training: str | None = "Books") -> BoardView:
    """The board of which the first n items are in a text."""
    items = tuple(OverlapItem(id=item, words=20, shared=int(place < n)) for place, item in enumerate(ITEMS))
    corpus = Corpus(name="books.txt", sha256="0" * 64, words=1000, training=training)
    found = OverlapFile(canary="", id="main", texts="0" * 64, corpora=(corpus,), items=items)
    scores = {"m": np.array([100.0 * (number % 2) for number in range(len(ITEMS))])}
    rows = list(overlap_rows(scorer_of(of.benchmark, of.board), scores, found))
    results = msgspec.structs.replace(of.results, overlap=rows)
    return AxesView(replace(of.benchmark, overlaps={"main": found}), of.board, results)


def with_canaries(of: BoardView, n: int) -> BoardView:
    """The board whose contestant completes n of 2 canaries."""
    row = CanaryRow(model="m", n_canaries=2, n_answered=2, n_errored=0, n_completed=n, absent=None)
    return AxesView(of.benchmark, of.board, msgspec.structs.replace(of.results, canaries=[row]))


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> BoardView:
    """A board of items with dates; they are newer than the training data of its contestant "early"."""
    repository = Repository(write_dated(tmp_path_factory.mktemp("dated")))
    api.build(repository, render_site=False)
    run = api.find_run(repository, None).path
    specs = load_benchmark(run / "specs")
    return view_of(specs, specs.boards["dated"], read_results(run, "dated"))


def seen_too(of: BoardView) -> BoardView:
    """The board of which "early" has the dates and scores of "seen"."""
    rows = [row for row in of.results.contamination_dates if row.model != "early"]
    rows += [msgspec.structs.replace(row, model="early") for row in rows if row.model == "seen"]
    return view_of(of.benchmark, of.board, msgspec.structs.replace(of.results, contamination_dates=rows))


def with_alpha(of: BoardView, alpha: float) -> BoardView:
    whole = msgspec.structs.replace(of.results.agreement[0], alpha_scored=alpha)
    return AxesView(of.benchmark, of.board, msgspec.structs.replace(of.results, agreement=[whole]))


def as_capability(of: BoardView) -> BoardView:
    board = msgspec.structs.replace(of.board, construct="capability")
    return AxesView(replace(of.benchmark, boards={"main": board}), board, of.results)


@pytest.mark.parametrize(
    ("board", "dimension", "make", "state", "sentence"),
    [
        (
            "good",
            "sampling",
            lambda of: changed(of, n_items=199),
            "low",
            "199 items and a standard error of 3.54 points",
        ),
        ("good", "sampling", lambda of: changed(of, se=4.5), "low", "200 items and a standard error of 4.50"),
        ("good", "prompts", called, "not measur", "one wording"),
        (
            "trained",
            "contamination",
            lambda of: with_overlap(of, 10),
            "low",
            "Of 200 tested items, 10 (5.0\u00a0%) are in",
        ),
        ("trained", "contamination", lambda of: with_canaries(of, 1), "low", "It completes 1 of 2 canaries of this"),
        ("dated", "contamination", seen_too, "low", "Flagged by date: its score drops"),
        ("good", "agreement", lambda of: with_alpha(of, 0.5), "low", "0.500"),
        ("good", "validity", lambda of: changed(of, above_null_floor=False), "low", "Above the null floor: not shown."),
        ("good", "validity", as_capability, "low", "A capability score is cited as evidence of alignment."),
    ],
)
def test_turning_one_input_bad_changes_its_own_cell_and_sentence(
    board: str, dimension: str, make: Any, state: str, sentence: str, *, request: pytest.FixtureRequest
) -> None:
    whole: BoardView = request.getfixturevalue(board)
    model = "early" if board == "dated" else "m"
    before, bad = ({mark.dimension: mark for mark in trust(of, of.rows[model])} for of in (whole, make(whole)))
    assert (bad[dimension].state.startswith(state), sentence in bad[dimension].why) == (True, True), bad[dimension]
    assert not before[dimension].is_low
    assert sentence not in before[dimension].why
    others = {"contamination"} if make is called else set()  # a model is trained, a program is not
    for name in before.keys() - {dimension} - others:
        assert bad[name] == before[name]


@pytest.mark.parametrize("n", [0, 1, 10])
def test_a_comparison_with_text_that_is_no_training_data_earns_and_costs_nothing(good: BoardView, n: int) -> None:
    made = with_overlap(called(good), n, None)
    (mark,) = (each for each in trust(made, made.rows["m"]) if each.dimension == "contamination")
    assert mark.state == "low"
    assert mark.why.endswith(
        "That is no training data, so nobody tested whether the model saw these items in training."
    )


def with_item_dates(of: BoardView, newer: bool | None) -> BoardView:
    """The board with dates of its items, compared with the release of its contestant."""
    row = ItemDateRow(
        model="m", n_items=200, released="2026-03", first="2026-05-01", source="commit 1a2b3c", newer=newer
    )
    return AxesView(of.benchmark, of.board, msgspec.structs.replace(of.results, item_dates=[row]))


def test_items_that_are_newer_than_the_model_earn_the_highest_mark_of_contamination(good: BoardView) -> None:
    newer = with_item_dates(called(good), newer=True)
    (mark,) = (each for each in trust(newer, newer.rows["m"]) if each.dimension == "contamination")
    assert (mark.in_words, mark.figure) == ("high", "items from 2026-05-01")
    said = "All 200 items are newer than the model: it was released in 2026-03, and the first item is in commit 1a2b3c"
    assert mark.why == f"{said} of 2026-05-01. Nobody tested overlap."
    flagged = with_canaries(newer, 1)
    (mark,) = (each for each in trust(flagged, flagged.rows["m"]) if each.dimension == "contamination")
    assert mark.state == "low"
    for older in (False, None):
        old = with_item_dates(called(good), newer=older)
        (mark,) = (each for each in trust(old, old.rows["m"]) if each.dimension == "contamination")
        assert mark.in_words == "not measured (not reported)"


def test_a_program_has_no_mark_of_contamination(good: BoardView) -> None:
    (mark,) = (each for each in trust(good, good.rows["m"]) if each.dimension == "contamination")
    assert (mark.in_words, mark.why) == ("does not apply", "The contestant is a program, which is not trained.")


def test_each_reason_is_given_once_with_those_that_have_it(good: BoardView) -> None:
    rows = matrix(good)
    assert [row.model.id for row in rows] == ["m", "null-x"]
    (shared,) = reasons(rows, "agreement")
    assert (shared[0].figure, shared[1]) == ("α 0.850", "m and null-x")
    assert [mark.state for mark, _ in reasons(rows, "validity")] == ["medium", "low"]


# --- what a score contains ------------------------------------------------------------------------------------------


def test_a_score_is_decomposed_into_terms_each_with_a_number_or_why_there_is_none(good: BoardView) -> None:
    line, _ = decompositions(good)
    terms = (line.theta, line.sampling, line.prompt, line.contamination, line.construct)
    assert (line.score, [term.text for term in terms]) == (
        "50.0",
        ["not measured", "± 3.54 [43.1–56.9]", "does not apply", "not measured", "not measured"],
    )
    assert all(term.why.endswith(".") for term in terms)
    asked, _ = decompositions(called(good))
    assert (asked.prompt.text, asked.contamination.text) == ("not measured", "not measured")


def test_the_plain_error_stands_next_to_ours(good: BoardView) -> None:
    """sqrt(50 * 50 / 200) = 3.536 by the plain formula, and sqrt(200/199) times that by ours."""
    row, _ = plain_rows(good) or ()
    assert (row.title, round(row.plain or 0, 3), round(row.se or 0, 3)) == ("m", 3.536, 3.544)


# --- reporting ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "missing"),
    [
        (lambda of: of, []),
        (lambda of: changed(of, se=None), ["domains: the standard error"]),
        (called, ["templates: sigma_prompt", "domains: the contamination rate"]),
        (lambda of: with_canaries(called(of), 0), ["templates: sigma_prompt", "domains: the contamination rate"]),
        (lambda of: with_overlap(called(of), 20), ["templates: sigma_prompt"]),
        (lambda of: with_overlap(called(of), 0, None), ["templates: sigma_prompt", "domains: the contamination rate"]),
        (as_capability, ["inference: a capability score is cited as evidence of"]),
        (
            lambda of: AxesView(of.benchmark, msgspec.structs.replace(of.board, inference=None), of.results),
            ["inference: the inference level is missing; state it under `inference`"],
        ),
        (
            lambda of: changed(of, rank=None),
            ["contestants: no contestant is ranked, so there is no score to publish"],
        ),
    ],
)
def test_a_publication_reports_the_minimum(good: BoardView, make: Any, missing: list[str]) -> None:
    found = [f"{key}: {message}" for key, message in lacking(make(good))]
    assert [line[: len(start)] for line, start in zip(found, missing, strict=True)] == missing


# --- the shipped site -----------------------------------------------------------------------------------------------


def test_every_cell_of_the_matrix_of_the_shipped_site_is_measured_declared_inapplicable_or_says_why_not(
    shipped_site: Site,
) -> None:
    for view in shipped_site.data.views:
        page = shipped_site.content(paths.trust_url(view.board.id))
        anchors = {heading.attributes["id"] for heading in page.all("h2")}
        lines = page.one("table", class_="nb-marks").all("tr")[1:]
        assert len(lines) == len(view.rows)
        for line, row in zip(lines, view.rows.values(), strict=True):
            for cell, mark in zip(line.all("td"), trust(view, row), strict=True):
                link = cell.one("a")
                assert re.fullmatch(STATES, link.text)
                assert (link.text, link.attributes["title"]) == (mark.in_words, mark.why)
                assert re.fullmatch(r"\S.{20,}\.", mark.why)
                assert mark.level != "absent" or re.search(r"\b(takes?|needed)\b", mark.why), mark.why
                assert link.attributes["href"].removeprefix("#") in anchors


def test_each_section_of_a_trust_page_gives_the_thresholds_and_the_reasons(shipped_site: Site) -> None:
    page = shipped_site.content(paths.trust_url("livebench"))
    dimensions = [section.dimension for section in SECTIONS]
    assert [heading.attributes["id"] for heading in page.all("h2")][:7] == ["matrix", "terms", *dimensions]
    for section in SECTIONS:
        assert all(f": {each}." in page.text for each in (section.high, section.medium, section.low))


def test_pages_of_a_board_link_to_its_trust(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        for url in (view.url, paths.method_url(view.board.id), paths.METHOD):
            wanted = paths.relative(paths.trust_url(view.board.id), url)
            assert wanted in [link.attributes.get("href") for link in shipped_site.content(url).all("a")]
        shown = shipped_site.content(view.url).text
        assert all(each in shown for each in ("Construct", "Ground truth", "Primary threat", "Inference level"))


def test_lines_of_the_shipped_site_have_the_numbers_of_its_results_or_say_what_one_takes(shipped_site: Site) -> None:
    """Wording and overlap of the models of "facts", dates of LiveCodeBench."""
    views = {view.board.id: view for view in shipped_site.data.views}
    lines = {name: {line.model: line for line in decompositions(view)} for name, view in views.items()}
    facts = {line.model: line for line in lines["facts"].values() if line.prompt.text.startswith("σ")}
    assert facts
    for name, line in facts.items():
        effects = [row for row in views["facts"].results.wording_effects if row.model == name]
        (overlap,) = (row for row in views["facts"].results.overlap if row.model == name)
        assert effects
        assert all(words.estimate(row.sigma, row.low, row.high) in line.prompt.text for row in effects)
        clean = words.estimate(overlap.clean, overlap.clean_low, overlap.clean_high)
        delta = words.estimate(overlap.delta_c, overlap.delta_c_low, overlap.delta_c_high, signs=True)
        assert (line.theta.text, line.contamination.text) == (clean, f"δ {delta}")
    tested: dict[str, Any] = {}
    for by in ("date", "cutoff"):  # that of the own training cutoff is shown if there is one
        rows = views["livecodebench"].results.contamination_dates
        tested |= {row.model: row for row in rows if row.by == by and row.category is None and row.low is not None}
    assert len(tested) > 10
    for name, row in tested.items():
        term = lines["livecodebench"][name].contamination
        drop = words.estimate(row.difference, row.low, row.high, signs=True)
        assert (term.text, str(row.date) in term.why) == (f"drop {drop}", True)
    for line in (line for of in lines.values() for line in of.values()):
        for term in (line.theta, line.sampling, line.prompt, line.contamination, line.construct):
            assert re.fullmatch(r"[A-Z].{20,}\.", term.why), (line.model, term)
        for term in (line.prompt, line.contamination):
            assert term.text != words.ABSENT or re.search(r"\b(takes?|needed)\b", term.why), (line.model, term)


def test_pages_of_judges_link_to_the_table_of_their_biases(shipped_site: Site) -> None:
    for view in shipped_site.data.views:
        target = f"{paths.trust_url(view.board.id)}#bias"
        there = "bias" in [
            each.attributes["id"] for each in shipped_site.content(paths.trust_url(view.board.id)).all("h3")
        ]
        assert there == (view.panel is not None), view.board.id
        for url in (paths.JUDGES, paths.judges_url(view.board.id)) if there else ():
            links = [link.attributes.get("href") for link in shipped_site.content(url).all("a")]
            assert paths.relative(target, url) in links, (url, links)


def test_the_audit_has_eight_public_benchmarks_and_every_board_with_sources(shipped_site: Site) -> None:
    assert len(public_benchmarks()) == 8
    page = shipped_site.content(paths.AUDIT)
    public, own = page.all("table")
    assert [row[0].split(" ")[0] for row in public.rows()] == [
        "MMLU", "HumanEval", "MT-Bench", "Chatbot", "TruthfulQA", "MATH", "GSM8K", "SWE-bench",
    ]  # fmt: skip
    assert all("arXiv:" in row[0] for row in public.rows())
    assert [row[0] for row in own.rows()] == [view.board.title for view in shipped_site.data.views]


def test_the_largest_plain_error_is_that_of_a_score_of_half() -> None:
    """SWE-bench Verified, 500 items: sqrt(50 * 50 / 500) = 2.236 points, above the 2 points that are stated."""
    errors = {each.title: each.errors for each in public_benchmarks()}
    assert errors["SWE-bench"]["Verified"] == pytest.approx(2.236, abs=1e-3)
    assert errors["HumanEval"]["problems"] == pytest.approx(3.904, abs=1e-3)


def test_our_own_boards_are_audited_by_their_marks(good: BoardView) -> None:
    found = audited(good)
    assert (found["n_items"], found["error"], found["claim"]) == (200, "3.54 points", "Answers are honest (alignment)")
    assert found["marking"].endswith("rule-based judges; high")


def test_each_template_of_a_part_is_there() -> None:
    for part in (part for section in SECTIONS for part in section.parts):
        assert (packaged("site_templates") / "pages" / f"_trust_{part.name}.md.j2").is_file()
