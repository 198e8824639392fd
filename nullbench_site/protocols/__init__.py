"""The ways of judging, by the name a board gives in `protocol`."""

from __future__ import annotations

from collections.abc import Mapping

from nullbench_site.protocols.axes.protocol import AxesProtocol
from nullbench_site.protocols.base import JudgingProtocol
from nullbench_site.protocols.oracle.protocol import OracleProtocol
from nullbench_site.protocols.rubric.protocol import RubricProtocol

PROTOCOLS: Mapping[str, JudgingProtocol] = {
    "axes": AxesProtocol(),
    "rubric": RubricProtocol(),
    "oracle": OracleProtocol(),
}
