"""The items of `echo`, on boards without a panel."""

from __future__ import annotations

from typing import Literal

from nullbench_site.specs.types import BoardFile, DomainFile
from small_protocol.specs import EchoCategory, EchoSpecs


class MarkedDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the protocol."""

    protocol: Literal["echo-marks"]
    categories: tuple[EchoCategory, ...]


class MarkedBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board of the protocol."""

    protocol: Literal["echo-marks"]


class MarkedSpecs(EchoSpecs):
    """See the module."""

    board, domain = MarkedBoardFile, MarkedDomainFile


SPECS = MarkedSpecs()
