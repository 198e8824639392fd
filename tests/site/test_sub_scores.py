"""What pages say about the score of a part beside that of the board."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import UNSET

from nullbench_site.scoring.results import AddedBySubScore
from nullbench_site.site.pages.groups import added_words, adds_nothing


@pytest.mark.parametrize(
    ("low", "muted", "begins"),
    [
        (0.2, False, "This score adds to the overall score: "),
        (-0.1, True, "This score is not shown to add to the overall score: "),
        (0.0, True, "This score is not shown to add to the overall score: "),
    ],
)
def test_a_part_that_is_not_shown_to_add_is_muted(low: float, muted: bool, begins: str) -> None:
    group = SimpleNamespace(added=AddedBySubScore(by_itself=0.93, by_whole=0.68, low=low, high=0.5))
    view = cast("Any", SimpleNamespace(results=SimpleNamespace(domains=[group, group])))
    assert adds_nothing(group) is muted
    assert added_words(view, group).startswith(begins)
    assert "explains 0.93, the overall score 0.68" in added_words(view, group)


def test_what_is_not_measured_is_not_muted() -> None:
    group = SimpleNamespace(added=UNSET)
    two = cast("Any", SimpleNamespace(results=SimpleNamespace(domains=[group, group])))
    one = cast("Any", SimpleNamespace(results=SimpleNamespace(domains=[group])))
    assert not adds_nothing(group)
    assert added_words(two, group) == "What this score adds to the overall score is not measured: too few contestants."
    assert not added_words(one, group)
