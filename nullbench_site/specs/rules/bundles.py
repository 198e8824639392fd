"""Bundles of the `oracle` protocol: two or more variants of one question, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.rules.files import Problems, Source, each_item


def bundles_are_whole(domains: Sequence[Source[types.DomainFile]]) -> Iterator[Problem]:
    """A bundle has two or more items, all in one category."""
    bundles: dict[str, list[tuple[str, Problems]]] = {}
    for category, item, problem in each_item(source for source in domains if source.spec.protocol == "oracle"):
        if item.bundle is not None:
            bundles.setdefault(item.bundle, []).append((category.id, problem))
    for bundle, variants in bundles.items():
        home, first = variants[0]
        if len(variants) == 1:
            message = f"the bundle {bundle!r} has this item alone; it needs two or more variants of one question"
            yield first(["bundle"], f"{message}. Add another item with this bundle, or take the key out")
        for category, problem in variants:
            if category != home:
                there = first(["bundle"], "")
                message = f"the bundle {bundle!r} stands in the category {home!r} already, at {there.file}:{there.line}"
                yield problem(["bundle"], f"{message}; variants stand in one category. Give this bundle another name")
