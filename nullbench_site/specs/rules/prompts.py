"""Items that are asked as they stand, of the protocols `rubric` and `oracle`: whole where they are public."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.files import Source, each_item

_TEXT = {"rubric": ("prompt", "ideal", "criteria", "checks"), "oracle": ("prompt", "key")}
"""What an item's text is, by protocol."""


def prompts_are_whole(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    """A public item has its text."""
    for source in domains:
        if source.spec.protocol in _TEXT:
            yield from _whole(source, _TEXT[source.spec.protocol])


def _whole(source: Source[types.DomainFile], text: Sequence[str]) -> Iterator[Problem]:
    for _, item, problem in each_item([source]):
        if item.visibility == "public":
            for name in text:
                if getattr(item, name) is None:
                    yield problem([], f"the key {name!r} is missing; only an item with visibility: private has none")
