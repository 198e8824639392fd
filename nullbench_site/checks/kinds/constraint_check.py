"""Whether a list is made as the prompt asked."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.kinds.banned_words import used
from nullbench_site.checks.params import Count, Params, Patterns, at_least_one, readable
from nullbench_site.checks.reading.markdown import Listing, listing
from nullbench_site.checks.reading.patterns import occurs, shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import sentence_count, word_count
from nullbench_site.checks.result import Flag, Result, verdict

# A name at the head of an item ends here, or at the end of a line that is short and bold.
_LABEL_END = re.compile(r":(?:\*\*)?\s|\s-{1,2}\s|\*\*\s*\n")
_LONGEST_LABEL = 60


class ConstraintCheck(Params, frozen=True, tag="constraint-check"):
    """Parameters of constraint-check; at least one."""

    items: Annotated[Count, Meta(description="How many items the list must have, exactly.")] | None = None
    max_words_per_item: Annotated[Count, Meta(description="Without the name an item begins with.")] | None = None
    one_sentence_per_item: bool = False
    only_list: Annotated[bool, Meta(description="Whether there may be no text around the list.")] = False
    excluded: Annotated[Patterns, Meta(description="What must not occur anywhere.")] = ()
    required: Annotated[Patterns, Meta(description="What must occur somewhere, each of them.")] = ()

    def __post_init__(self) -> None:
        readable(self.excluded, self.required)
        at_least_one(
            items=self.items,
            max_words_per_item=self.max_words_per_item,
            one_sentence_per_item=self.one_sentence_per_item,
            only_list=self.only_list,
            excluded=self.excluded,
            required=self.required,
        )


def constraint_check(response: Response, params: ConstraintCheck) -> Result:
    """Fails with every constraint that is broken."""
    # Without marks, each line is an item.
    found = listing(response.prose) or Listing(tuple(line for line in response.prose if line.strip()), "", "")
    told = used(response.all_words, params.excluded, inflected=True)
    absent = [text for text in params.required if not occurs(response.words, (text,))]
    return verdict(
        _count(found, params),
        _long_items(found, params.max_words_per_item),
        _many_sentences(found) if params.one_sentence_per_item else None,
        Flag("text_around", "there is text around the list; only the list was asked for")
        if params.only_list and (found.before or found.after)
        else None,
        Flag("excluded_used", f"tells what was excluded: {shown(*told)}") if told else None,
        Flag("required_missing", f"does not tell, in words the check knows: {shown(*absent)}") if absent else None,
    )


def _count(found: Listing, params: ConstraintCheck) -> Flag | None:
    if params.items is None or len(found.items) == params.items:
        return None
    return Flag("item_count", f"{len(found.items):,} items, expected {params.items}")


def _long_items(found: Listing, most: int | None) -> Flag | None:
    if most is None:
        return None
    longest = max((word_count(_said(item)) for item in found.items), default=0)
    return Flag("item_too_long", f"an item of {longest:,} words, at most {most:,}") if longest > most else None


def _many_sentences(found: Listing) -> Flag | None:
    many = sum(sentence_count(_said(item)) > 1 for item in found.items)
    return Flag("item_sentences", f"{many} of {len(found.items)} items have more than one sentence") if many else None


def _said(item: str) -> str:
    """An item without the name at its head."""
    label = _LABEL_END.search(item, 0, _LONGEST_LABEL)
    return item[label.end() :] if label else item


CHECK = Check(
    title="Constraint check",
    looks_at="The items at the first level of the list: how many, how long, in how many sentences; the text around "
    "them; and words that must or must not occur.",
    cannot_see="Lists within sentences, whether an item is what was asked for, and why an excluded word is mentioned.",
    params=ConstraintCheck,
    function=constraint_check,
)
