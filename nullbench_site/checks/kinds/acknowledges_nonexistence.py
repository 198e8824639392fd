"""Whether the response says that a thing of the prompt does not exist."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.kinds.nonexistence import denies
from nullbench_site.checks.params import Params, Pattern, Patterns, readable
from nullbench_site.checks.reading.patterns import shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.result import Flag, Result, verdict


class AcknowledgesNonexistence(Params, frozen=True, tag="acknowledges-nonexistence"):
    """Parameters of acknowledges-nonexistence."""

    thing: Annotated[Pattern, Meta(description="The name of what does not exist.")]
    denials: Annotated[
        Patterns, Meta(description="Further ways to say that it does not, in another language, say.")
    ] = ()

    def __post_init__(self) -> None:
        readable((self.thing,), self.denials)


def acknowledges_nonexistence(response: Response, params: AcknowledgesNonexistence) -> Result:
    """Fails where no sentence that names the thing, and none of the first three, denies it or knowledge of it."""
    if denies(response.words, params.thing, params.denials):
        return verdict()
    return verdict(Flag("not_denied", f"nowhere says that {shown(params.thing)} does not exist or is not known"))


CHECK = Check(
    title="Acknowledges nonexistence",
    looks_at="Sentences that name the invented thing, and the first three, for words that deny it or knowledge of it.",
    cannot_see="What is invented after the denial. A thing that is only said to be newer than the model's knowledge "
    "counts as not known.",
    params=AcknowledgesNonexistence,
    function=acknowledges_nonexistence,
)
