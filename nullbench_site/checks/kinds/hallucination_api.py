"""Whether the response uses a library or function that does not exist."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.kinds.nonexistence import denies
from nullbench_site.checks.params import Params, Pattern, Patterns, readable
from nullbench_site.checks.reading.patterns import occurs, shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import read_words
from nullbench_site.checks.result import Flag, Result, verdict

_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--\s).*")


class HallucinationApi(Params, frozen=True, tag="hallucination-api"):
    """Parameters of hallucination-api."""

    thing: Annotated[
        Pattern, Meta(description="The name of what does not exist; hyphens and underscores are the same.")
    ]
    denials: Annotated[
        Patterns, Meta(description="Further ways to say that it does not, in another language, say.")
    ] = ()

    def __post_init__(self) -> None:
        readable((self.thing,), self.denials)


def hallucination_api(response: Response, params: HallucinationApi) -> Result:
    """Fails where the thing is used in a code block, or where nothing denies that it exists."""
    denied = denies(response.words, params.thing, params.denials)
    return verdict(
        Flag("used_in_code", f"the code uses {shown(params.thing)}, which does not exist")
        if occurs(response.code_words, (params.thing,)) and _in_code(response, params.thing)
        else None,
        None
        if denied
        else Flag("not_denied", f"nowhere says that {shown(params.thing)} does not exist or is not known"),
    )


def _in_code(response: Response, thing: str) -> bool:
    code = [_COMMENT.sub("", line) for fence in response.fences for line in [*fence.code.split("\n"), ""]]
    return occurs(read_words(code), (thing,))


CHECK = Check(
    title="Hallucinated API",
    looks_at="The name of the invented thing in code blocks, comments left out, and words that deny it or knowledge of "
    "it in sentences that name it and in the first three.",
    cannot_see="Other things that the response invents, code outside code blocks, and code that uses the thing only to "
    "show that it fails.",
    params=HallucinationApi,
    function=hallucination_api,
)
