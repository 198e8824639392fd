"""Agreement of a run recomputed with another implementation."""

from __future__ import annotations

from typing import Any

import pytest
from support.commands import nullbench

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.repository import Repository
from nullbench_site.scoring import reference


def test_the_krippendorff_package_finds_the_same_in_a_run(built: Repository) -> None:
    done = nullbench(built.root, "verify", "--reference")
    assert done.code == 0
    found = api.recompute_agreement(built, None)
    assert found.compared > 10
    assert found.largest <= 5.1e-7
    assert f"Shown: {found}." in done.out
    assert "values of alpha and Fleiss' kappa recomputed; the largest difference is" in done.out


def test_another_value_in_the_results_is_a_problem() -> None:
    found = reference.Reference("krippendorff 0.9.0", 3, 0.01, "board main, alpha of the board")
    assert found.problem == (
        "board main, alpha of the board: krippendorff 0.9.0 gives a value that differs by 0.01; score the run again"
    )


def test_without_the_package_the_message_says_what_to_install(
    built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(reference, "import_module", missing)
    with pytest.raises(UsageError, match="package krippendorff, which is not installed; run `make site`, or install"):
        api.recompute_agreement(built, None)
