"""The figures of programs against models as judges: stored as they were measured, for the revision they were measured
with, and for no other."""

import pytest
from support.commands import ROOT

from benchmarks import program_judges
from nullbench_site.evaluation.backends.programs import ProgramsBackend
from nullbench_site.programs import figures_of, measured

DATA = next(
    (folder for parent in ROOT.parents if (folder := parent / "shared" / "data" / "benchpress").is_dir()),
    ROOT / "absent",
)
PANEL = frozenset(program_judges.JUDGES)


def test_figures_are_of_just_this_panel_in_this_revision() -> None:
    revision = measured().programs
    assert figures_of(PANEL, revision) == measured()
    assert figures_of(PANEL, f"{revision}1") is None
    assert figures_of(PANEL, None) is None
    assert figures_of(PANEL | {"support"}, revision) is None
    assert figures_of(PANEL - {"coverage"}, revision) is None


def test_an_interval_holds_its_figure() -> None:
    for figure in measured().figures.values():
        for name in figure.__struct_fields__:
            value, low, high = getattr(figure, name)
            assert low <= value <= high


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not part of the project")


@needs_data
def test_the_stored_figures_of_one_judge_are_those_that_it_has_now() -> None:
    """The one whose rules are the most; all of them and their mean are measured by `make test-all`."""
    assert measured().programs == ProgramsBackend.identity
    prompts, judges, ours, theirs = program_judges.marked(DATA, ["substance"], all_prompts=False)
    assert (len(prompts), judges) == (measured().prompts, measured().judges)
    found = program_judges.figures(ours, theirs, ["substance"])
    assert found["substance"] == found["mean"] == measured().figures["substance"]


@pytest.mark.sweep
@needs_data
def test_the_stored_figures_are_those_that_the_programs_have_now() -> None:
    """After a change of the programs: `python -m benchmarks.program_judges --write`."""
    found, _ = program_judges.measured(DATA)
    assert found.programs == ProgramsBackend.identity == measured().programs
    assert found.figures == measured().figures
    assert (found.answers, found.prompts, found.models) == (450, 18, 25)
