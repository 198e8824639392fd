from __future__ import annotations

import pytest

from nullbench_site.stats.normal import half_width


def test_half_of_a_95_percent_interval_is_1_96_standard_errors() -> None:
    assert half_width(10.0) == pytest.approx(19.59964, abs=1e-5)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        half_width(1.0, level)
