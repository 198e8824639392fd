"""The rows about short questions to judges: each question of an item, and the mean values of each contestant."""

from __future__ import annotations

from typing import Literal

import msgspec


class QuestionRow(msgspec.Struct, kw_only=True):
    """A short question of an item to a judge.

    question: its name in records. yes_to_empty: the probability of yes for the empty response; None if there is none.
    kind: whether it is a requirement, a prohibition or in no mark. counts: whether it counts for contestants; it does
    not if the judge says yes to the empty response.
    """

    judge: str
    item: str
    question: str
    kind: Literal["requirement", "prohibition", "reported"]
    yes_to_empty: float | None
    counts: bool


class QuestionMeans(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one judge for one contestant or control, over the responses that it marked.

    n_responses: how many. yes, relative, mark: means of the probability of yes and of the relative value of the
    questions that count, and of the marks. places: how many different whole marks there are. reported: the mean
    probability of yes of the questions that are in no mark.
    """

    judge: str
    model: str
    n_responses: int
    yes: float | None
    relative: float | None
    mark: float | None
    places: int
    reported: float | None
