"""The page on how the judging prompts were chosen, from a small study whose judge follows a rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from support.fault_server import FaultServer
from support.pages import Element
from support.sites import Site
from support.studied import studied_repository

from nullbench_site import api
from nullbench_site.audit.recorded_studies import RecordedStudy, recorded_studies
from nullbench_site.cli.app import app
from nullbench_site.evaluation.endpoints.model_files import catalogue
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.site import paths
from nullbench_site.site.gather import SiteData, gather
from nullbench_site.site.pages import judges, judging_prompts
from nullbench_site.stats.measure import Bounded

SMALL, LARGE = (catalogue()[name].name for name in ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with a run and with the studies of two judges."""
    with FaultServer() as server, pytest.MonkeyPatch.context() as monkeypatch:
        folder: Path = tmp_path_factory.mktemp("studied")
        repository = studied_repository(server, folder, monkeypatch)
        api.build(repository, BuildOptions(), render_site=False)
        for judge in ("anna", "ben"):
            done = CliRunner().invoke(app, ["-C", str(folder), "screen-judges", "--prompts", "--judge", judge, "--yes"])
            assert done.exit_code == 0, done.output
    return repository


@pytest.fixture(scope="module")
def data(recorded: Repository) -> SiteData:
    entry = list_runs(recorded.runs)[-1]
    return gather(api.words_of(recorded, entry), entry, [entry], audits=recorded.root / "audits")


def shown(recorded: Repository, data: SiteData) -> Element:
    (page,) = judging_prompts.pages(data)
    assert page.url == paths.PROMPTS
    return Site(recorded).fragment('{% include "judging_prompts.md.j2" %}', **page.context)


def test_without_a_study_there_is_no_page_and_no_link(recorded: Repository) -> None:
    entry = list_runs(recorded.runs)[-1]
    empty = gather(api.words_of(recorded, entry), entry, [entry], audits=recorded.root / "nothing")
    assert not list(judging_prompts.pages(empty))
    (page, *_) = judges.pages(empty)
    assert paths.PROMPTS not in str(Site(recorded).fragment('{% include "judges.md.j2" %}', **page.context).text)


def test_the_page_has_todays_prompt_the_chosen_one_and_short_questions_of_both_judges(
    recorded: Repository, data: SiteData
) -> None:
    assert [each.judge for each in data.studies] == ["anna", "ben"]
    page = shown(recorded, data)
    (table, *_) = page.all("table")
    rows = {row.one("th").text: [cell.text for cell in row.all("td")] for row in table.all("tr")[1:]}
    assert list(rows) == ["Today’s prompt", "Chosen prompt", "Short questions"]
    for title, name in zip(rows, ("full.reasons", "short.mark", "questions.relative"), strict=True):
        above, tokens, seconds, *other = rows[title]
        assert above.startswith("1.00 [0.")
        assert above.endswith(name)
        assert len(other) == 3
        assert float(tokens.replace("\u202f", "").replace("\u00a0", "").replace(" ", "")) > 0
        assert float(seconds) >= 0
    text = " ".join(page.text.split())
    assert "Measured on 2 models" in text
    assert "Not measured on large models" not in text
    assert "no difference shown, so short questions (questions less verdict: 0.00, p = 1.000)" in text
    assert "a refusal in words that a question about refusal may miss" in text
    assert "rank correlation: not measured, fewer than 6 items" in text
    for each in data.studies:
        assert f"nullbench-site verify audits/{each.folder}" in text


def test_every_prompt_has_a_row_and_the_judges_page_links_to_the_page(recorded: Repository, data: SiteData) -> None:
    page = shown(recorded, data)
    table = page.all("table")[1]
    names = [row.one("th").text for row in table.all("tr")[1:]]
    assert {"plain.mark", "steps.mark", "single.reasons", "questions.raw", "questions.yes-no"} <= {*names}
    (listing, *_) = judges.pages(data)
    shown_list = Site(recorded).fragment('{% include "judges.md.j2" %}', **listing.context)
    assert paths.PROMPTS in [link.attributes.get("href") for link in shown_list.all("a")]


def test_a_study_is_no_audit_of_a_board(data: SiteData) -> None:
    assert not [name for name in data.audits if name.startswith("prompts-")]


def changed(study: RecordedStudy, model: str, **above: float) -> RecordedStudy:
    """A study of a model with other shares of right above wrong. above: prompt and reply, joined by `_`."""
    prompts = []
    for each in study.result.prompts:
        name = each.name.replace(".", "_")
        report = Bounded(above[name], 0, 1) if name in above else each.report
        prompts.append(msgspec.structs.replace(each, report=report))
    return msgspec.structs.replace(
        study, model=model, title=model[:18], result=msgspec.structs.replace(study.result, prompts=tuple(prompts))
    )


@pytest.mark.parametrize(
    ("small", "large", "said"),
    [
        ((0.5, 0.8), (0.5, 0.6), "shrinks from"),
        ((0.5, 0.8), (0.7, 0.6), "turns into a disadvantage from"),
        ((0.5, 0.8), (0.8, 0.8), "shrinks from"),
        ((0.5, 0.8), (0.4, 0.8), None),
        ((0.5, 0.8), (0.5, 0.8), None),
        ((0.8, 0.5), (0.8, 0.4), None),
    ],
)
def test_an_advantage_that_shrinks_or_turns_from_the_smaller_model_on_is_said_first(
    data: SiteData, small: tuple[float, float], large: tuple[float, float], said: str | None
) -> None:
    study = data.studies[0]
    both = [
        changed(study, model, full_reasons=full, short_mark=own, questions_relative=full)
        for model, (full, own) in ((LARGE, large), (SMALL, small))
    ]
    found = judging_prompts.changes_with_size(both)
    if said is None:
        assert found == []
    else:
        (sentence,) = found
        assert sentence.startswith("rubric: the advantage of short.mark over today’s prompt")
        assert said in sentence
        assert sentence.index(SMALL[:18]) < sentence.index(LARGE[:18])


def test_large_models_are_called_not_measured_only_if_all_are_small_models_of_the_catalogue(
    recorded: Repository, data: SiteData
) -> None:
    small = [
        msgspec.structs.replace(each, model=model) for each, model in zip(data.studies, (SMALL, LARGE), strict=True)
    ]
    assert "Not measured on large models" in shown(recorded, replace(data, studies=small)).text


def test_on_a_phone_each_cell_names_its_judge(recorded: Repository, data: SiteData) -> None:
    heads = [cell.attributes.get("data-head") for cell in shown(recorded, data).all("td")]
    for head in ("Right above wrong", "Above the right one"):
        assert {each for each in heads if each and each.startswith(head)} == {f"{head}, Anna", f"{head}, Ben"}


def test_titles_and_names_of_records_are_text_not_markup(recorded: Repository, data: SiteData) -> None:
    hostile = "<img src=x onerror=alert(1)>{{ 7 * 7 }}"
    study = msgspec.structs.replace(
        data.studies[0], title=hostile, folder=hostile, date=hostile,
        result=msgspec.structs.replace(data.studies[0].result, board=hostile),
    )  # fmt: skip
    page = shown(recorded, replace(data, studies=[study]))
    assert not page.all("img")
    assert hostile in page.text


def test_models_of_unknown_size_are_not_compared(data: SiteData) -> None:
    study = data.studies[0]
    both = [changed(study, SMALL, short_mark=1.0, full_reasons=0.2), changed(study, "unknown", short_mark=0.1)]
    assert judging_prompts.changes_with_size(both) == []


def test_a_study_whose_records_were_changed_is_refused(recorded: Repository, tmp_path: Path) -> None:
    import shutil

    from nullbench_site.errors import RunError

    shutil.copytree(recorded.root / "audits", tmp_path / "audits")
    path = next((tmp_path / "audits").glob("*/judgments/*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"scored", b"scorex", 1))
    with pytest.raises(RunError):
        recorded_studies(tmp_path / "audits")
