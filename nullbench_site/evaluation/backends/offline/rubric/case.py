"""What a judge by rubric is given, read once from the loose fields of a call into typed values."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..fields import text, texts


@dataclass(frozen=True)
class RubricCase:
    """One response to judge. flags: what the checks found, each "id: sentence"."""

    prompt: str
    ideal: str
    criteria: tuple[str, ...]
    flags: tuple[str, ...]
    response: str


def read_rubric_case(fields: Mapping[str, object]) -> RubricCase:
    """`fields` of a judge's call as a RubricCase; ValueError names what is missing or of the wrong kind."""
    return RubricCase(
        prompt=text(fields, "prompt"),
        ideal=text(fields, "ideal"),
        criteria=texts(fields, "criteria"),
        flags=texts(fields, "flags"),
        response=text(fields, "response"),
    )
