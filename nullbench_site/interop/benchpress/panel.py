"""Which judges of BenchPress' verdicts are the panel: those that judge most models.

A judge that stands in the newest answers of few files alone would leave every other contestant without its verdict, and
so without a rank; it is unknown here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

from nullbench_site.interop.benchpress.decoding import name
from nullbench_site.interop.benchpress.names import id_of
from nullbench_site.interop.benchpress.reading import Checkout, Contestant

GEVAL_JUDGE = "deepeval"


@dataclass(frozen=True)
class Panel:
    """The ids of the judges by the names they have in the files, in the order of the ids.

    former: the same of judges that gave verdicts on earlier answers alone. geval: whether DeepEval scored any answer.
    """

    judges: Mapping[str, str]
    former: Mapping[str, str]
    geval: bool

    def due(self, contestant: Contestant) -> Set[str]:
        """The names of the judges that score a contestant: all but itself."""
        return {name for name, judge in self.judges.items() if judge != contestant.id}


def panel_of(checkout: Checkout) -> Panel:
    """The panel; judges that are none, and names of which no id can be made, are noted as problems."""
    contestants = checkout.contestants
    given = {contestant.file: _verdicts(contestant) for contestant in contestants}
    names = sorted({judge for verdicts in given.values() for judge in verdicts})
    judges: dict[str, str] = {}
    for judge in names:
        may = [contestant for contestant in contestants if contestant.id != id_of(judge)]
        does = [contestant for contestant in may if 2 * given[contestant.file][judge] >= len(contestant.histories)]
        if 2 * len(does) >= len(may) > 0:
            judges[judge] = id_of(judge)
            continue
        for contestant in contestants:
            if judge in given[contestant.file]:
                has = f"it has scored {len(does)} of the {len(may)} models it may score"
                message = f"unknown judge {name(judge)}: {has}; a judge of the panel has scored half of them or more"
                checkout.note(contestant.file, ("judge_scores", message))
    if not judges and contestants:
        checkout.note("results", ("", "holds no verdict of any judge; have the answers judged first"))
    names_of: dict[str, str] = {}
    for judge, own in judges.items():
        if not own or own in names_of:
            pair = f"the judges {name(names_of[own])} and {name(judge)} have one id" if own else ""
            message = f"{pair or f'no id can be made of the name {name(judge)}'}; rename the judge in the files"
            checkout.note("results", ("judge_scores", message))
        else:
            names_of[own] = judge
    earlier = {
        judge
        for contestant in contestants
        for history in contestant.histories.values()
        for entry in history[:-1]
        for judge in entry.judge_scores
    }
    # Of two names that make one id the verdicts of the first are kept.
    former = {id_of(judge): judge for judge in sorted(earlier - set(names), reverse=True)}
    return Panel(
        judges={judge: own for own, judge in sorted(names_of.items())},
        former={judge: own for own, judge in sorted(former.items()) if own and own not in names_of},
        geval=any(entry.deepeval_scores for contestant in contestants for entry in contestant.newest),
    )


def _verdicts(contestant: Contestant) -> Counter[str]:
    """How many of the newest answers each judge has a verdict on."""
    return Counter(judge for entry in contestant.newest for judge in entry.judge_scores)
