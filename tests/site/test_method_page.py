"""The page of the method, versioned with its run, and the page of judges in plain sentences."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import msgspec
import pytest
from support.pages import parse
from support.sites import Site, each_of

from nullbench_site.programs.marks import opposites_in_common
from nullbench_site.protocols.axes.metrics import AxesJudgeRow
from nullbench_site.scoring.board_tables import AgreementBounds
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.site import words
from nullbench_site.site.gather import shown_metrics
from nullbench_site.site.pages import panel_words
from nullbench_site.site.pages.methodology import mathml
from nullbench_site.stats.trust import agreement_level

# --- the method -----------------------------------------------------------------------------------------------------


site = each_of("history", "mixed")


def test_the_method_is_versioned_with_its_run(site: Site) -> None:
    manifest = site.entry.manifest
    (facts,) = site.content("methodology/").all("dl", class_="nb-versions")
    said = {row.one("dt").text: row.one("dd").text for row in facts.all("div")}
    assert said == {
        "version of the benchmark": manifest.version,
        f"run, sealed {str(manifest.sealed_at)[:10]}": manifest.run,
        "spec digest": manifest.spec_digest[:12],
        "manifest digest": manifest.digest[:12],
    }


@pytest.mark.parametrize("command", [r"\text", r"\mbox", r"\verb"])
@pytest.mark.parametrize("payload", ["<img src=x onerror=alert(1)>", "</math><script>x</script>", "a & b &lt;i&gt;"])
def test_texts_in_a_formula_are_texts_on_the_page(command: str, payload: str) -> None:
    opening, closing = "||" if command == r"\verb" else "{}"
    metric = dataclasses.replace(METRICS["overall"], formula=f"x < {command}{opening}{payload}{closing}")
    root = parse(mathml(metric))
    assert root.one("mtext").text.replace("\N{NO-BREAK SPACE}", " ") == payload
    assert root.one("mo").text == "<"
    assert {element.tag for element in root.one("math").walk()} <= {"math", "mrow", "mi", "mo", "mtext", "mstyle"}


def test_the_contents_lead_to_every_section_and_every_number(site: Site) -> None:
    content = site.content("methodology/")
    boards, contents = content.all("nav")
    own = [f"{view.board.id}/" for view in site.data.views]
    assert [link.attributes["href"] for link in boards.all("a")] == [*own, "../glossary/"]
    headings = [heading.attributes["id"] for heading in content.all("h2")]
    assert [link.attributes["href"] for link in contents.all("a")] == [f"#{heading}" for heading in headings]
    content = site.content("glossary/")
    (numbers,) = content.all("nav")
    listed = [link.attributes["href"] for link in numbers.all("a")]
    assert listed == [f"#metric-{metric.id}" for metric in shown_metrics(site.data)]
    assert listed == [f"#{section.attributes['id']}" for section in content.all("section", class_="nb-metric")]


def test_the_five_marks_of_trust_are_explained_and_lead_to_their_rules(site: Site) -> None:
    content = site.content("methodology/")
    found = {
        link.attributes["href"]: row.one("dd").text
        for terms in content.all("dl", class_="nb-terms")
        for row in terms.all("div")
        for link in row.one("dt").all("a")
    }
    assert found == {
        f"../glossary/#metric-trust_{dimension}": METRICS[f"trust_{dimension}"].sentence
        for dimension in ("sampling", "prompts", "contamination", "agreement", "validity")
    }
    assert METRICS["trust"].sentence in content.text


def test_headers_of_numbers_on_the_page_of_judges_are_explained_or_lead_to_their_formula(site: Site) -> None:
    content = site.below("judges/")
    judges = {judge.title for view in site.data.views for judge in view.judges}
    for table in content.all("table", class_="nb-board"):
        for header in (
            cell for cell in table.one("thead").all("th") if "num" in cell.attributes.get("class", "").split()
        ):
            if header.text not in judges and not header.attributes.get("title"):
                link = header.one("a", class_="nb-head").attributes["href"]
                assert link.startswith(("../../glossary/#metric-", "#usage-words")), header.text


# --- the judges -----------------------------------------------------------------------------------------------------


def _agreed(alpha: float | None, scored: float | None) -> AgreementRow:
    return AgreementRow(
        category=None, axis=None, units=9, alpha=alpha, label=None, absent=None,
        units_scored=5, alpha_scored=scored, label_scored=None,
        absent_scored=None if scored is not None else "fewer than 2 raters",
    )  # fmt: skip


def test_the_page_says_first_how_far_the_judges_agree_and_then_shows_it(history: Site) -> None:
    content = history.below("judges/")
    for view in history.axes_views:
        said = content.text
        row = view.agreement()
        assert f"With α {words.number(row.alpha_scored, 3)} on scored answers the agreement of the judges is" in said
        assert len({judge.n_scores for judge in view.results.judges}) > 1, "these programs rate different axes"
        assert (panel_words.severity_on_same_answers(view) or "Judges rate different axes here") in said
        bounds = view.results.agreement_bounds
        assert words.interval(bounds.low, bounds.high, 3) in " ".join(
            each.text for each in content.all("dl", class_="nb-facts")
        )
        assert f"{words.number(bounds.least, 3)} (without {view.title(bounds.least_without)})" in said
        assert f"{words.number(bounds.most, 3)} (without {view.title(bounds.most_without)})" in said
        assert "most severe" not in said
        assert f"All {words.number(sum(j.scored for j in view.results.judges), 0)} verdicts could be read." in said


def test_the_labels_of_categories_are_counted_by_what_they_are(history: Site) -> None:
    content = history.below("judges/")
    tallies = [tally.text for tally in content.all("p", class_="nb-tally")]
    expected = []
    for view in history.axes_views:
        rows = [view.agreement(category=c.id) for d in view.board.domains for c in view.domains[d].categories]
        for what, labels in (
            ("All answers", Counter(agreement_level(row.alpha) or "not measured" for row in rows)),
            ("Scored answers", Counter(agreement_level(row.alpha_scored) or "not measured" for row in rows)),
        ):
            order = [label for label in ("high", "medium", "low", "not measured") if labels[label]]
            expected.append(f"{what}: {' '.join(f'{labels[label]} {label}' for label in order)}")
    assert tallies == expected


@pytest.mark.parametrize(
    ("row", "n_judges", "said"),
    [
        (
            _agreed(0.9, 0.85), 3,
            ["With α 0.850 on scored answers the agreement of the judges is high: 0.80 or more."],
        ),
        (
            _agreed(0.9, 0.7), 3,
            [
                "With α 0.700 on scored answers the agreement of the judges is medium: from 0.667 to 0.80.",
                "On all answers, refusals and null models included, α is 0.900. That they agree on who says nothing is "
                "no evidence that they agree on whose answers are good.",
            ],
        ),
        (
            _agreed(None, None), 1,
            [
                "How far the judges agree on scored answers is not measured: fewer than 2 raters. A panel of two "
                "judges or more would tell."
            ],
        ),
    ],
)  # fmt: skip
def test_agreement_is_put_into_words_with_what_it_is_worth(row: AgreementRow, n_judges: int, said: list[str]) -> None:
    assert list(panel_words.agreed(row, n_judges)) == said


def test_an_agreement_whose_sureness_was_not_measured_says_so(history: Site) -> None:
    view = history.axes_views[0]
    results = msgspec.structs.replace(view.results, agreement_bounds=msgspec.UNSET)
    assert "is not measured" in panel_words.hangs_on(dataclasses.replace(view, results=results))
    few = AgreementBounds(absent={"low": "too few", "least": "there is one"})
    told = panel_words.hangs_on(
        dataclasses.replace(view, results=msgspec.structs.replace(results, agreement_bounds=few))
    )
    assert told.count("not measured") == 2
    assert "too few" in told


def _judge(judge: str, **fields: Any) -> AxesJudgeRow:
    row = AxesJudgeRow(
        judge=judge, scored=10, unparsed=0, errored=0, missing=0, repaired=0, invalid_fields=0, n_scores=40, mean=3.0,
        sd=1.0,
    )  # fmt: skip
    return msgspec.structs.replace(row, **fields)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([_judge("a"), _judge("b")], "All 20 verdicts could be read."),
        (
            [_judge("a", asked_again=25, repaired=3)],
            "All 10 verdicts could be read; of 25 replies asked again 3 are valid now.",
        ),
        (
            [_judge("a", unparsed=3, errored=1), _judge("b", missing=5)],
            "Of 24 verdicts 1 failed after all attempts and 3 could not be read; they count in no mean; 5 more are "
            "still missing, which the next build asks for.",
        ),
        ([_judge("a", scored=0)], "No judge has replied yet; the next build asks them."),
    ],
)
def test_replies_are_summed_up(rows: list[AxesJudgeRow], said: str) -> None:
    assert panel_words.replied(rows) == said


def test_severity_needs_two_judges_that_differ() -> None:
    titles = {"a": "Anna", "b": "Ben", "c": "Cleo"}
    assert panel_words.severity(titles, {"a": 3.0, "b": None}) == ""
    assert panel_words.severity(titles, {"a": 3.0, "b": 3.001}) == "No judge is more severe than another."
    assert panel_words.severity(titles, {"a": 3.5, "b": 2.25, "c": 3.0}) == (
        "The most severe judge is Ben (mean 2.25), the most lenient Anna (mean 3.50): 1.25 apart on a scale of 1 to 5."
    )


@pytest.mark.parametrize(
    ("mean", "sd", "drawn"),
    [
        (3.0, 1.0, {"low": 25.0, "at": 50.0, "high": 75.0}),
        (1.0, 0.5, {"low": 0.0, "at": 0.0, "high": 12.5}),
        (None, None, None),
        (2.0, None, None),
    ],
)
def test_the_spread_of_a_judge_stays_on_its_scale(
    mean: float | None, sd: float | None, drawn: dict[str, float] | None
) -> None:
    assert panel_words.spread(mean, sd) == drawn


def test_each_judge_is_said_to_be_what_it_is(history: Site, mixed_site: Site) -> None:
    programs, models = (
        {
            row.one("dt").text: row.one("dd").text
            for terms in site.below("judges/").all("dl", class_="nb-terms")
            for row in terms.all("div")
        }
        for site in (history, mixed_site)
    )
    assert "It is the program “support”, of the family rules." in programs["Support"]
    assert "It is the model “anna-1” at the endpoint openai, of the family" in models["Anna"]


def test_programs_cost_nothing_and_the_page_says_so(history: Site) -> None:
    assert "No cost: all judges are programs, which use no tokens." in history.content("judges/").text


def test_the_method_says_how_many_words_of_controls_the_judges_have_too(controls_site: Site) -> None:
    same, known, n = opposites_in_common()
    assert (same, n) == (139, 214)
    assert same <= known <= n
    text = controls_site.below("methodology/").text
    assert all(str(number) in text for number in (same, known, n))
    assert "are not those of the rule-based judges" not in text


def test_an_axis_that_one_judge_alone_rates_is_marked_wherever_it_stands(shipped_site: Site) -> None:
    view = shipped_site.axes_views[0]
    rated = {row.axis for row in view.results.agreement if row.category is None and row.units}
    alone = [axis for axis in view.results.axes if axis not in rated]
    assert len(alone) == len(view.of_one_judge) == 11
    titles = {axis: view.axes[axis].title for axis in view.results.axes}
    page = shipped_site.content(f"models/{next(iter(view.rows))}/")
    marked = [head.text for head in page.all("th", scope="row") if head.text.endswith("one judge")]
    assert sorted(marked) == sorted(f"{titles[axis]} one judge" for axis in alone)
    method = shipped_site.below("methodology/").text
    assert f"11 of {len(view.results.axes)} axes are rated by one judge only" in method
    unrated = [msgspec.structs.replace(row, n_scores=0) for row in view.results.judges]
    nothing = dataclasses.replace(view, results=msgspec.structs.replace(view.results, judges=unrated))
    assert not nothing.of_one_judge
