"""Attacks of the registry as contestants: answers that do not answer. A board shows what each would score."""

from __future__ import annotations

from msgspec import Struct

from nullbench_site.audit.attack_registry import attacks
from nullbench_site.audit.random_search import Place, Search, placed_text
from nullbench_site.programs.english import sentences
from nullbench_site.programs.program import BarePrompt, SourcedPrompt, TaskAndSource, contestant
from nullbench_site.programs.prompted import essay


class AttackName(Struct, frozen=True, forbid_unknown_fields=True):
    """The id of an attack. found: a text that a search found; it goes before or after the attack."""

    attack: str
    found: str = ""
    place: Place = "prefix"

    def __post_init__(self) -> None:
        if self.attack not in attacks() or attacks()[self.attack].program is not None:
            raise ValueError(f"{self.attack!r} is not an attack with a text; see nullbench_site/data/attacks.yaml")


@contestant(TaskAndSource, SourcedPrompt, BarePrompt, params=AttackName)
def attack(asked: TaskAndSource | SourcedPrompt | BarePrompt, params: AttackName) -> str:
    """Give the text of an attack, with what it takes from the item."""
    request = asked.task if isinstance(asked, TaskAndSource) else asked.prompt
    answer = attacks()[params.attack].answer({"request": request, "carrier": first_sentence(asked)})
    return placed_text(answer, params.found, params.place) if params.found else answer


@contestant(TaskAndSource, SourcedPrompt, BarePrompt, params=Search)
def searched(asked: TaskAndSource | SourcedPrompt | BarePrompt, params: Search) -> str:
    """Raise ValueError: the answers are those of a search, which the build records before it asks."""
    raise ValueError("its answers are found by a search; run nullbench-site audit --search")


def first_sentence(asked: TaskAndSource | SourcedPrompt | BarePrompt) -> str:
    """Return the first sentence of an honest, weak answer: of the source, or of an essay about a bare prompt."""
    bare = not isinstance(asked, TaskAndSource) and asked.text == asked.prompt
    whole = essay.reply({}, {"prompt": asked.text}) if bare else asked.text
    return (sentences(whole) or [""])[0]
