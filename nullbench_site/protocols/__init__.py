"""The ways of judging, by the name a board gives in `protocol`."""

from __future__ import annotations

from collections.abc import Mapping

from nullbench_site.protocols.axes import AxesProtocol
from nullbench_site.protocols.base import JudgingProtocol

PROTOCOLS: Mapping[str, JudgingProtocol] = {"axes": AxesProtocol()}
