"""What the probes of contamination add up to in the mark of trust."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from support.boards import benchmark, category, domain, judged, model, scored

from nullbench_site.site.pages import trust_marks
from nullbench_site.site.trust.contamination import Finding, Probe, strongest
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.types.boards import Declaration


def probe(finding: Finding) -> Probe:
    return Probe(finding, "", f"The finding is {finding}.")


@pytest.mark.parametrize(
    ("findings", "decides"),
    [
        (("clean", "newer", "flagged"), "flagged"),
        (("no sign", "clean", "newer"), "newer"),
        (("not testable", "no sign", "clean"), "clean"),
        (("not measurable", "not testable", "no sign"), "no sign"),
        (("not measurable", "not testable"), "not testable"),
    ],
)
def test_a_flag_decides_and_without_one_the_best_evidence(findings: tuple[Finding, ...], decides: str) -> None:
    found = strongest(probe(finding) for finding in findings)
    assert found is not None
    assert found.finding == decides
    assert strongest(()) is None


@pytest.mark.parametrize(
    ("finding", "state", "on_declared"),
    [
        ("flagged", "low", "low"),
        ("newer", "high", "high"),
        ("clean", "medium", "medium"),
        ("no sign", "low", "medium (declared)"),
        ("not testable", "not measured (not testable with these items)", "medium (declared)"),
        ("not measurable", "not measured (not measurable here)", "medium (declared)"),
    ],
)
def test_a_finding_becomes_the_mark_and_gives_way_to_a_declaration_only_without_evidence(
    finding: Finding, state: str, on_declared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_marks, "PROBES", (lambda view, row: probe(finding), lambda view, row: None))
    assert mark(board()) == state
    declared = Declaration(level="medium", source="Doe (2026), items of 2026")
    assert mark(board(contamination=declared)) == on_declared


def board(**declared: Declaration) -> BoardView:
    own = benchmark(domain("law", category("courts", "q1")), models=(model("m"),))
    (spec,) = own.boards.values()
    recorded = {"m": msgspec.structs.replace(own.models["m"], backend="recorded")}
    own = replace(own, models=recorded, boards={spec.id: msgspec.structs.replace(spec, declared=declared)})
    return view_of(own, own.boards[spec.id], scored(own, [*judged({"q1": 50})]))


def mark(view: BoardView) -> str:
    (found,) = (each for each in trust_marks.trust(view, view.rows["m"]) if each.dimension == "contamination")
    return found.in_words
