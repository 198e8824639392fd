"""What the measures of one case share, read once: the response, its part in the room, the source, topicality."""

from dataclasses import dataclass
from functools import cached_property

from .case import Case, Fact
from .passage import Passage
from .room import within

OFF_TOPIC = 0.25  # share of terms from the source at and below which a response is not about it
ON_TOPIC = 0.50  # share from which it counts in full: an honest rewording keeps half of the words that matter
ENOUGH_TERMS = 5  # a response that takes up fewer says little, and half as many nothing, about the source


@dataclass(frozen=True)
class Evidence:
    """A case and its readings."""

    case: Case

    @cached_property
    def source(self) -> Passage:
        return Passage.of(self.case.source)

    @cached_property
    def response(self) -> Passage:
        """All of the response: where inventions and loaded words count wherever they stand."""
        return Passage.of(self.case.response)

    @cached_property
    def answer(self) -> Passage:
        """The response as far as it fits the room: where facts and caveats are credited."""
        return within(self.case.response, self.case.constraints)

    @cached_property
    def shared_terms(self) -> int:
        """Distinct content words and figures of the response that come from the source."""
        return len(self.response.terms & self.source_terms)

    @cached_property
    def source_terms(self) -> frozenset[str]:
        return self.source.terms | self.source.known_figures

    @cached_property
    def topicality(self) -> float:
        """0 for a response that is not about the source, 1 for one that is, linear between.

        Fidelity to a text means nothing for words about something else: they invent no figure and overstate
        no finding, and a judge who looks only for faults would reward them. So every measure is multiplied
        by this one, and nothing a response says about itself or to its judge can raise it.
        """
        if not self.shared_terms:
            return 0.0
        share = self.shared_terms / len(self.response.terms)
        enough = min(ENOUGH_TERMS, len(self.source_terms))
        return _ramp(share, OFF_TOPIC, ON_TOPIC) * _ramp(self.shared_terms, enough // 2, enough)

    def facts(self, *kinds: str) -> tuple[Fact, ...]:
        """The reference facts of `kinds`, or all."""
        return tuple(fact for fact in self.case.facts if fact.keys and (not kinds or fact.kind in kinds))


def _ramp(value: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high` on, linear between."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
