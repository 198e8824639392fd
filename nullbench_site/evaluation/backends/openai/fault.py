"""What one attempt met instead of an answer, and how far that reaches."""

from __future__ import annotations

from typing import Literal

Reach = Literal["attempt", "call", "refusal", "lane", "endpoint"]
"""What is over: this attempt, to be tried again; the call; the call, and its model too if it refuses a small request as
well; the model at this endpoint; the whole endpoint, which is what nobody there can change by asking for another model.
"""

Kind = Literal["filtered", "too-long", "unknown-model", "limit-field", "path", "unreached"]
"""Withheld by a content filter; longer than the model takes; a model the server does not have; max_tokens where it
wants max_completion_tokens; nothing that speaks our language at this path; no connection to it."""

_WITHHELD = "(its words are withheld, as the item is private)"


class Fault(Exception):
    """An attempt without an answer.

    text: what was met, as the end of a sentence about the endpoint. advice: what the user can do. status: as of HTTP,
    also where the server told it in a body with status 200. field: of the endpoint's spec, where it is to blame.
    limited: refused for coming too often. retry_after: seconds the server asks to wait. kind: what a caller may act on.
    said: the words of the server in `text`.
    """

    def __init__(
        self,
        reach: Reach,
        text: str,
        *,
        advice: str = "",
        status: int | None = None,
        field: str | None = None,
        limited: bool = False,
        retry_after: float | None = None,
        kind: Kind | None = None,
        said: str = "",
    ) -> None:
        super().__init__(text)
        self.reach = reach
        self.text = text
        self.advice = advice
        self.status = status
        self.field = field
        self.limited = limited
        self.retry_after = retry_after
        self.kind = kind
        self.said = said

    @property
    def quiet(self) -> Fault:
        """The same without the server's words, which may repeat those of a private request."""
        text = self.text.replace(f": {self.said}", f" {_WITHHELD}") if self.said else self.text
        return Fault(self.reach, text, advice=self.advice, status=self.status, field=self.field, kind=self.kind)
